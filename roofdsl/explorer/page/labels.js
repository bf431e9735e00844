// Names in a figure: each is put where it covers no other, few lines of roofs and few points.

const GAP = 2; // pixels between two names
const INSIDE = 3; // from a name's box to its letters
const STEP_ASIDE = 15;
const canvas = document.createElement("canvas").getContext("2d");

// Annotations at powers of ten; `others` are changes that put one elsewhere, the best first. What
// has no room is left out: lines and points have cards.
function apart(labels, plot, { xaxis, yaxis }, marks = [], traces = []) {
  const { w, h } = plot._fullLayout?._size ?? { w: plot.clientWidth, h: plot.clientHeight };
  const across = ([west, east], at) => ((at - west) / (east - west)) * w;
  const place = (x, y) => [across(xaxis.range, x), h - (across(yaxis.range, y) / w) * h];
  const points = marks.map(({ at, size, edge }) => {
    const [left, top] = place(...at.map(Math.log10));
    const reach = (edge ? 13 : size) / 2 - 1;
    return { left: left - reach, right: left + reach, top: top - reach, bottom: top + reach };
  });
  const isNarrow = matchMedia("(max-width: 700px)").matches; // there is no room beside lines
  const lines = (isNarrow ? [] : traces)
    .filter(({ customdata }) => customdata?.[0]?.kind === "line")
    .map(({ x, y }) => [0, -1].map((end) => place(Math.log10(x.at(end)), Math.log10(y.at(end)))));
  const taken = [];
  const found = labels.map(({ others, ...label }) => {
    const choices = [{}, ...(others ?? asides(label))].map((change) => ({ ...label, ...change }));
    const free = choices.flatMap((choice) => {
      const box = boxOf(choice, place(choice.x, choice.y));
      if (taken.some((other) => touching(box, other))) return [];
      const outside = box.left < 0 || box.right > w || box.top < 0 || box.bottom > h;
      const covered = points.filter((point) => touching(box, point)).length;
      const crossed = lines.filter((line) => crossing(box, line)).length;
      return [{ choice, box, cost: covered + 2 * crossed + (outside ? 1000 : 0) }];
    });
    const [best] = free.sort((one, other) => one.cost - other.cost);
    if (best) taken.push(best.box);
    return best?.choice;
  });
  return found.filter(Boolean);
}

// Somewhat higher or lower, for what has no line to go along.
function asides({ yshift = 0 }) {
  return [1, -1, 2, -2, 3, -3].map((steps) => ({ yshift: yshift + steps * STEP_ASIDE }));
}

function boxOf({ text, font, xanchor, yanchor, xshift = 0, yshift = 0 }, [x, y]) {
  canvas.font = `${font.size}px system-ui, sans-serif`;
  const [width, height] = [canvas.measureText(text).width + 3, 1.2 * font.size + 3];
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

// Whether a straight line goes through the letters in a box, which has some room around them.
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
