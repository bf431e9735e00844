// Names in a figure: each is put where it covers no other, few lines of roofs and few points.

const GAP = 2; // pixels between two names
const BESIDE_LETTERS = 2; // within the edge of a name's box
const INSIDE = 1; // a line so deep in a name's box would touch its letters
const STEP_ASIDE = 15;
const canvas = document.createElement("canvas").getContext("2d");

// Annotations as an axis has them; `others` are changes that put one elsewhere, the best first.
// The `spare` come last, and only where nothing is below them: lines and points have cards.
function apart(labels, plot, plan, { marks = [], traces = [], shapes = [] } = {}) {
  const { w, h } = plot._fullLayout?._size ?? { w: plot.clientWidth, h: plot.clientHeight };
  const place = placingIn(plan, w, h);
  const points = marks.map(({ at, size, edge }) => {
    const [left, top] = place(...at);
    const reach = (edge ? 13 : size) / 2 - 1;
    return { left: left - reach, right: left + reach, top: top - reach, bottom: top + reach };
  });
  const lines = [
    ...traces.filter(isLine).flatMap((trace) => piecesOf(trace, place)),
    ...shapes.map(({ x0, x1, y0, y1 }) => [place(x0, y0), place(x1, y1)]),
  ].filter((ends) => ends.flat().every(Number.isFinite));
  const taken = [];
  const bySpare = labels.toSorted((one, other) => Boolean(one.spare) - Boolean(other.spare));
  const found = bySpare.map(({ others, spare, ...label }) => {
    const choices = [{}, ...(others ?? asides(label))].map((change) => ({ ...label, ...change }));
    const free = choices.flatMap((choice) => {
      const box = boxOf(choice, place(...anchorOf(choice, plan)));
      if (taken.some((other) => touching(box, other))) return [];
      const outside = box.left < 0 || box.right > w || box.top < 0 || box.bottom > h;
      const covered = points.filter((point) => touching(box, point)).length;
      const crossed = lines.filter((line) => crossing(box, line)).length;
      const cost = covered + 2 * crossed + (outside ? 1000 : 0);
      return spare && cost ? [] : [{ choice, box, cost }];
    });
    const [best] = free.sort((one, other) => one.cost - other.cost);
    if (best) taken.push(best.box);
    return best?.choice;
  });
  return found.filter(Boolean);
}

// Where data are in a frame of so many pixels.
function placingIn({ xaxis, yaxis }, w, h) {
  const part = ({ type, range: [from, to] }, value) =>
    ((type === "log" ? Math.log10(value) : value) - from) / (to - from);
  return (x, y) => [part(xaxis, x) * w, h - part(yaxis, y) * h];
}

// An annotation's place as data: on a logarithmic axis it stands at a power of ten.
function anchorOf({ x, y }, { xaxis, yaxis }) {
  return [[x, xaxis], [y, yaxis]].map(([at, { type }]) => (type === "log" ? 10 ** at : at));
}

function isLine({ mode, fill, line }) {
  return mode === "lines" && !fill && line.width > 0;
}

// The pieces of a line between its points; one where it is straight, as those of rates are.
function piecesOf({ x, y, customdata }, place) {
  const ends = x.map((across, at) => place(across, y[at]));
  if (customdata?.[0]?.kind === "line") return [[ends[0], ends.at(-1)]];
  return ends.slice(1).map((end, at) => [ends[at], end]);
}

// Somewhat higher or lower, for what has no line to go along.
function asides({ yshift = 0 }) {
  return [1, -1, 2, -2, 3, -3].map((steps) => ({ yshift: yshift + steps * STEP_ASIDE }));
}

function boxOf({ text, font, xanchor, yanchor, xshift = 0, yshift = 0 }, [x, y]) {
  canvas.font = `${font.size}px system-ui, sans-serif`;
  const letters = canvas.measureText(text);
  const tall = letters.fontBoundingBoxAscent + letters.fontBoundingBoxDescent;
  const [width, height] = [letters.width, tall].map((side) => side + 2 * BESIDE_LETTERS);
  const left = x + xshift - width * ({ left: 0, right: 1 }[xanchor] ?? 0.5);
  const top = y - yshift - height * ({ top: 0, bottom: 1 }[yanchor] ?? 0.5);
  return { left, right: left + width, top, bottom: top + height };
}

function touching(one, other) {
  return (
    one.left < other.right + GAP &&
    other.left < one.right + GAP &&
    one.top < other.bottom + GAP &&
    other.top < one.bottom + GAP
  );
}

// Whether a straight line goes through a box, or more than along its edge.
function crossing({ left, right, top, bottom }, [[x, y], [endX, endY]]) {
  const [across, down] = [endX - x, endY - y];
  let [from, to] = [0, 1];
  const sides = [[-across, x - left - INSIDE], [across, right - INSIDE - x]];
  sides.push([-down, y - top - INSIDE], [down, bottom - INSIDE - y]);
  for (const [step, room] of sides) {
    if (step === 0 && room < 0) return false;
    if (step < 0) from = Math.max(from, room / step);
    if (step > 0) to = Math.min(to, room / step);
  }
  return from < to;
}
