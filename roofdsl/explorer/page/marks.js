// The points of the figures. What binds a point fills its marker; where neither a region nor a
// line says that, a ceiling goes through it. What lies beyond the frame is an arrow at its side.

const ARROWS = { W: "arrow-left", E: "arrow-right", S: "arrow-down", N: "arrow-up" };
const KINDS = { model: "models", step: "steps", level: "levels" };
const MOST_NAMED = 3;
const ALIKE = 0.01; // a point so near a line stands on it

// A mark: { kind, name, x, y, bound, said, measured, size, symbol, hue, line, fade, card }; `start`
// is how high one stands at the left whose x is 0, at x = 1.
function modelMark(result, x, y, more) {
  const { place, slot } = result;
  const { name } = DATA.models[place];
  return {
    kind: "model",
    name: usedSlots().length > 1 ? `${name} on ${slotName(slot)}` : name,
    x,
    y,
    bound: result.bound,
    said: true,
    measured: result.measured,
    size: place === state.model ? 14 : 10,
    symbol: SYMBOLS[place % SYMBOLS.length] + (slot ? "-dot" : ""),
    hue: slot ? colour("--slot-b") : seriesColour(place),
    line: 2.5,
    fade: opacityOf(`kernel:${name}`),
    card: { kind: "model", place, slot },
    ...more,
  };
}

// Why a kernel or composition ends below the roofs, as plots/ceilings.py says it; and whether it is
// `lowered` by more than one rate: a start-up, the size of the work, other steps.
function ceilingOf(measured) {
  const [bound] = measured.ties;
  const below = (text) => ({ text, lowered: true });
  if (bound === undefined) return { text: "", lowered: false };
  if (measured.children.length) {
    return below(`${bound}, ${showPercent(measured.charged[bound] / measured.time)} of the time`);
  }
  if (bound === STATED) return below("its stated time");
  const isStartup = (name) => name.split(".").at(-1) === "startup";
  if (isStartup(bound)) return below("its start-up");
  const slower = measured.slower?.[bound];
  if (slower) return below(`${bound}, ${slower}`);
  if (Object.keys(measured.busy).some(isStartup)) return below(`${bound}, after its start-up`);
  const own = OWN.includes(bound) ? `flops/${bound}` : "";
  const symbol = { memory: "OI", network: "CAI" }[rootOf(bound)] ?? own;
  const alone = Object.keys(measured.work).every((name) => !name.split(".").includes("messages"));
  const text = symbol && alone && bound in measured.work ? `${bound} at this ${symbol}` : bound;
  return { text, lowered: rootOf(bound) === "network" && !alone };
}

// Marks with where they stand in a frame of powers of ten; those of 0/0 stand nowhere.
function standing(marks, [west, east], [south, north]) {
  return marks.flatMap((mark) => {
    const { x, y, start = 0 } = mark;
    if (Number.isNaN(x) || Number.isNaN(y)) return [];
    const [across, up] = [Math.log10(x), Math.log10(y || (x ? 0 : start * 10 ** west))];
    const sides = { W: across < west, E: across > east, S: up < south, N: up > north };
    const edge = Object.keys(sides).find((side) => sides[side]) ?? "";
    const [inX, inY] = [clamped(across, west, east), clamped(up, south, north)];
    const ceiling = mark.said ? "" : `ends at: ${ceilingOf(mark.measured).text}`;
    const notes = [edge && "outside the frame", ceiling];
    const card = { ...mark.card, notes: notes.filter(Boolean) };
    return [{ ...mark, card, edge, at: [edge ? 10 ** inX : x, edge ? 10 ** inY : y] }];
  });
}

function symbolOf({ edge, symbol }) {
  return ARROWS[edge] ?? symbol;
}

// Marks, with their places, in an order that does not hang on their numbers.
function byKey(placed) {
  const keyed = placed.map((mark, place) => {
    const key = [mark.kind, mark.card.slot, mark.name, symbolOf(mark)].join(" ");
    return { key, place, mark };
  });
  return keyed.sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)));
}

function marksTrace(placed) {
  const each = (pick) => placed.map(pick);
  return {
    type: "scatter",
    mode: "markers",
    meta: "points",
    x: each(({ at }) => at[0]),
    y: each(({ at }) => at[1]),
    marker: {
      size: each(({ edge, size }) => (edge ? 13 : size)),
      symbol: each(symbolOf),
      color: each(({ bound }) => resourceColour(bound)),
      opacity: each(({ fade }) => fade),
      line: { color: each(({ hue }) => hue), width: each(({ line }) => line) },
    },
    hoverinfo: "none",
    customdata: each(({ card }) => card),
    cliponaxis: false,
  };
}

// Ceilings through marks whose bound nothing else says, as shapes and their names.
function ceilings(placed, [west, east]) {
  const reach = 10 ** (0.05 * (east - west));
  const unsaid = placed.filter(({ said }) => !said);
  return {
    shapes: unsaid.map(({ at: [x, y], bound, fade }) => ({
      type: "line",
      ...{ x0: x / reach, x1: x * reach, y0: y, y1: y },
      opacity: fade,
      line: { color: resourceColour(bound), width: 2.5 },
    })),
    annotations: unsaid
      .filter(({ kind }) => kind === "model")
      .map(({ at, edge, bound, measured, fade }) => {
        const xanchor = { E: "right", W: "left" }[edge] ?? "center";
        const [place, hue] = [at.map(Math.log10), resourceColour(bound)];
        const [yshift, xshift] = [-7, 8];
        const sides = [{ xanchor: "left", xshift }, { xanchor: "right", xshift: -xshift }];
        const others = [{}, ...sides].flatMap((side) =>
          asides({ yshift }).map((higher) => ({ ...higher, ...side })),
        );
        const more = { xanchor, yanchor: "top", yshift, opacity: fade, others };
        return annotation(ceilingOf(measured).text, place, 10.5, hue, more);
      }),
  };
}

// What lies beyond the frame, and what has no place in it; `words` are names and units of x and y.
function beyond(marks, placed, path, words, frame) {
  const notes = [];
  for (const [kind, plural] of Object.entries(KINDS)) {
    const all = marks.filter((mark) => mark.kind === kind);
    const gone = placed.filter((mark) => mark.kind === kind && mark.edge);
    if (gone.length) {
      const named = listed(gone.map((mark) => `${mark.name} (${valueBeyond(mark, words)})`));
      notes.push(`${counted(gone.length, all.length, plural)} outside the frame: ${named}`);
    }
    const nowhere = all.filter(({ x, y }) => Number.isNaN(x) || Number.isNaN(y));
    const names = Object.groupBy(nowhere, ({ measured }) => measured.node.arrangement === "mix");
    const told = (marked) => listed(marked.map(({ name }) => name));
    if (names.true) notes.push(`not drawn: ${told(names.true)}, a mix, whose jobs have places`);
    if (names.false) notes.push(`not drawn, 0/0: ${told(names.false)}`);
  }
  const line = path.filter((point) => !point.some(Number.isNaN));
  const out = line.filter(([x, y]) => !isWithin(x, frame[0]) || !isWithin(y, frame[1])).length;
  if (out) notes.push(`${counted(out, line.length, "points of the line")} outside the frame`);
  return notes;
}

function isWithin(value, [low, high]) {
  return value >= 10 ** low && value <= 10 ** high;
}

function counted(part, all, plural) {
  return `${part} of ${all} ${plural} ${part === 1 ? "lies" : "lie"}`;
}

function listed(names) {
  const more = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function valueBeyond({ edge, x, y }, words) {
  const [[symbol, units], value] = "WE".includes(edge) ? [words[0], x] : [words[1], y];
  return `${symbol} ${showQuantity(value, units, 3)}`.trim();
}
