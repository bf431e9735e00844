// The card of what is pointed at: its numbers, its limiter, its source.

function showCard(point, event) {
  const data = cardData(point);
  if (!data) return;
  const card = byId("card");
  const row = ([name, text]) => [element("dt", "", name), element("dd", "", text)];
  const list = element("dl", "", ...data.rows.flatMap(row));
  card.replaceChildren(element("strong", "", data.title), list);
  card.append(...data.notes.map((text) => element("p", "note", text)));
  card.hidden = false;
  placeCard(card, event);
}

function hideCard() {
  byId("card").hidden = true;
}

function placeCard(card, event) {
  const touch = event?.changedTouches?.[0] ?? event ?? { clientX: 20, clientY: 20 };
  const { width, height } = card.getBoundingClientRect();
  const left = Math.min(innerWidth - width - 8, (touch.clientX ?? 0) + 14);
  const below = (touch.clientY ?? 0) + 14;
  const top = below + height > innerHeight - 8 ? (touch.clientY ?? 0) - height - 14 : below;
  card.style.left = `${Math.max(8, left)}px`;
  card.style.top = `${Math.max(8, top)}px`;
}

function cardData(point) {
  const found = Array.isArray(point.customdata) ? point.customdata[0] : point.customdata;
  const card = found ? cards[found.kind]?.(found) : null;
  return card && { ...card, notes: [...(found.notes ?? []), ...(card.notes ?? [])] };
}

const cards = {}; // by what is pointed at

cards.model = ({ place, slot }) => {
  const { name, sources } = DATA.models[place];
  const result = resultFor(place, slot);
  return {
    title: `${name} on ${slotName(slot)}`,
    rows: [
      ...limitRows(result),
      ["of the roof", showPercent(partOfRoof(result))],
      ["headroom", headroomText(result)],
      ["time", showQuantity(result.time, SECONDS)],
    ],
    notes: [...sources.slice(0, 2), ...(result.variant?.notes ?? []).slice(0, 2)],
  };
};

function limitRows(result) {
  const known = Object.keys(INTENSITIES).filter((name) => !Number.isNaN(result[name]));
  return [
    ...known.map((name) => [name, showQuantity(result[name], DATA.units[name])]),
    ["attainable", showQuantity(result.attainable, FLOPS)],
    ["limiter", result.bound || "none"],
  ];
}

// Performance as a part of what the peak and the slowest roof at this intensity allow.
function partOfRoof({ peak, attainable, roofs, ...found }) {
  const slopes = Object.entries(INTENSITIES).filter(([, [above]]) => above === 0);
  const heights = slopes.map(([name, [, below]]) => roofs[below] * found[name]);
  return attainable / Math.min(...[peak, ...heights].filter((limit) => limit > 0));
}

function headroomText(result) {
  const margin = marginOf(result);
  const toPeak = result.peak / result.attainable;
  const texts = [];
  if (Number.isFinite(toPeak) && toPeak > 1.0005)
    texts.push(`${showNumber(toPeak, 3)} × to the peak`);
  if (margin) texts.push(`${showNumber(margin.ratio, 3)} × ${margin.next}`);
  return texts.join(", ") || "–";
}

cards.path = ({ value, slot }) => {
  const control = axisControl();
  const result = resultOf(state.model, slot, [control.change(value)]);
  return {
    title: `${control.name} = ${show(value, control.quantity)}`,
    rows: limitRows(result),
  };
};

cards.line = ({ name, value, slot }) => {
  const rate = machineOf(slot).rates.find((found) => found.name === name);
  const { quantity, doc } = rate ?? { quantity: { units: FLOPS } }; // the peak of a mix
  const units = quantity.inverse ? [] : quantity.units;
  return {
    title: `${name} of ${slotName(slot)}`,
    rows: [["rate", showQuantity(value, units)]],
    notes: [doc, ...machineOf(slot).sources.slice(0, 2), rate && PULL].filter(Boolean),
  };
};

cards.level = ({ place, slot, name, amount }) => {
  const result = resultFor(place, slot);
  return {
    title: `${DATA.models[place].name}: ${name}`,
    rows: [
      ["moved", showQuantity(amount, BYTES)],
      ["intensity", `${showNumber(result.flops / amount)} flop/B`],
      ["time", showQuantity(result.measured.busy[name] ?? NaN, SECONDS)],
    ],
  };
};

cards.step = ({ step }) => {
  return {
    title: step.path,
    rows: [
      ["model", step.model],
      ...limitRows(step),
      ["time", `${showQuantity(step.time, SECONDS)} (${showPercent(step.share)})`],
    ],
  };
};

cards.regime = ({ bound }) => (bound ? { title: boundName(bound), rows: [] } : null);
