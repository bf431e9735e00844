// The formulas beside the numbers, and the same with the numbers put in.

const INVISIBLE_TIMES = "\u2062";

function drawFormulas() {
  const box = byId("formulas");
  const result = currentOf(0);
  const collapsed = collapsedFormulas();
  const shown = [...(result.variant?.formulas ?? []), ...(collapsed?.formulas ?? [])];
  byId("formulas-note").textContent = collapsed
    ? `in ${collapsed.open} alone, all else as at the start; like terms of all layers added up`
    : "";
  byId("formulas-section").hidden = shown.length === 0;
  if (!byId("formulas-section").open) return;
  const key = `${state.model} ${state.slots[0].machine} ${shown.map(([, template]) => template)}`;
  if (box.dataset.key !== key) {
    box.dataset.key = key;
    box.replaceChildren(...shown.map(formulaElement));
  }
  const values = valuesByName(result);
  shown.forEach(([name, template], at) => {
    const line = box.children[at].querySelector(".with-numbers");
    line.replaceChildren(withNumbers(template, values), formulaValue(name, result));
  });
}

// Those of a composition, as long as nothing but their parameter has moved.
function collapsedFormulas() {
  const { collapsed } = model().placements[state.slots[0].machine];
  const control = collapsed && controls.get(`model.${collapsed.open}`);
  return control && isAtStartBut([control], 0) ? collapsed : null;
}

function formulaElement([name, template]) {
  const body = element("div", "with-names", byId(`formula-${template}`).content.cloneNode(true));
  const below = element("div", "with-numbers");
  return element("div", "formula", element("span", "name", name), body, below);
}

function formulaValue(name, result) {
  const row = rowsOf([result]).find((found) => found.name === name);
  const total = { flops: WORK, memory: BYTES, network: BYTES }[name]; // of a composition
  const [value, units] = row ? [row.value(result), row.units] : [result[name], total];
  const told = units && isSound(result);
  const text = told ? ` ${relationTo(value)} ${showQuantity(value, units)}` : "";
  return element("span", "value", text);
}

// Texts of numbers by the names in formulas.
function valuesByName({ place, p, machine, slot }) {
  const texts = new Map();
  DATA.models[place].parameters.forEach((parameter, at) => {
    texts.set(parameter.name, show(p[at], parameter.quantity, 5));
  });
  machineOf(slot).rates.forEach((rate, at) => {
    const units = rate.quantity.inverse ? [] : rate.quantity.units;
    texts.set(`${machineOf(slot).own}.${rate.name}`, showQuantity(machine.rates[at], units, 5));
  });
  return texts;
}

// A formula with a number for each name that has one.
function withNumbers(template, values) {
  const copy = byId(`formula-${template}`).content.cloneNode(true);
  for (const name of copy.querySelectorAll("[data-name]")) {
    const text = values.get(name.dataset.name);
    if (text !== undefined) name.replaceChildren(...numberElements(text, name));
  }
  for (const sign of copy.querySelectorAll("mo")) {
    if (sign.textContent === INVISIBLE_TIMES) sign.textContent = "·";
  }
  // The label has the names; numbers are read piece by piece.
  for (const math of copy.querySelectorAll("math")) math.removeAttribute("aria-label");
  return copy;
}

// A number; in parentheses where it is raised to a power and is more than digits.
function numberElements(text, place) {
  const number = mathElement("mtext", text);
  const raised = place.parentElement?.localName === "msup" && !place.previousElementSibling;
  if (!raised || /^[\d.]+$/.test(text)) return [number];
  return [mathElement("mo", "("), number, mathElement("mo", ")")];
}

function mathElement(tag, text) {
  const made = document.createElementNS("http://www.w3.org/1998/Math/MathML", tag);
  made.textContent = text;
  return made;
}
