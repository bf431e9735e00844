// How near the edge a verdict stands, in a word beside it: a tie, a band of jumps, a small margin.

const SMALL = 0.1; // rates are seldom known better than to a tenth

// { text, why, isEdge } of a result, in the order of weight.
function edgesOf(result) {
  const found = [];
  const add = (text, why, isEdge) => found.push({ text, why, isEdge });
  if (result.ties.length > 1) add("tie", `${result.ties.join(" and ")} take equally long`, true);
  const band = bandAround(result);
  if (band) add("within a band", band, true);
  const margin = marginOf(result);
  if (margin && result.ties.length < 2) {
    const why = `${margin.next} is next: ${showNumber(margin.ratio, 3)} × less`;
    const within = percentOff(margin.tolerance);
    if (margin.tolerance >= 1) add(firmness(margin), why, false);
    else if (within) add(`holds with ±${within}`, `on every rate; ${why}`, false);
    if (!(margin.tolerance >= SMALL)) add("margin small", why, true);
  }
  return found;
}

// What the solver says of the jumps among which the value lies that was moved last.
function bandAround({ slot }) {
  const control = axisControl();
  if (!control || (control.slot ?? slot) !== slot) return "";
  const value = control.value();
  const isInside = ({ kind, enclosure: [low, high] }) =>
    kind === "band" && low <= value && value <= high;
  return provenAlong(control)?.changes.find(isInside)?.sentence ?? "";
}

function drawEdges(box, result) {
  fill(box, isSound(result) ? edgesOf(result) : [], () => element("span"), (badge, edge) => {
    badge.className = edge.isEdge ? "edge near" : "edge";
    badge.textContent = edge.text;
    badge.title = edge.why;
  });
}
