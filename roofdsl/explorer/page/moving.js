// What is drawn moved to where it belongs now, without being drawn anew: while a slider is held,
// points at every step, lines and names now and then.

const drawnLines = new Map(); // the lines of drawn views: what they look like, where they are

// Move the points of a drawn view to where they belong now; false where it must be drawn instead.
function movePoints(name) {
  const view = views[name];
  const plot = byId(`view-${name}`).querySelector(".plot");
  if (!drawn.has(name)) return plot.hidden || view.heavy === true;
  if (!view.marks) return true;
  const placed = placedNow(name);
  const shown = plot._fullData.find(({ meta }) => meta === "points");
  if (!placed || !shown) return false;
  const marks = plot.querySelectorAll(`.scatterlayer .trace${shown.uid} .point`);
  // The longest step is drawn first, and another may be the longest now: each keeps its marker.
  const [before, now] = [drawn.get(name), byKey(placed)];
  if (`${before.map(({ key }) => key)}` !== `${now.map(({ key }) => key)}`) return false;
  if (marks.length !== placed.length) return false;
  const { xaxis, yaxis } = plot._fullLayout;
  now.forEach(({ mark }, order) => {
    const marker = marks[before[order].place];
    const [x, y] = [xaxis.d2p(mark.at[0]), yaxis.d2p(mark.at[1])];
    marker.setAttribute("transform", `translate(${x},${y})`);
    if (!symbolOf(mark).endsWith("open")) marker.style.fill = resourceColour(mark.bound);
  });
  return true;
}

// What must be as it was for lines to be moved, and their places, as texts.
function linesOf(traces, ranges, plot) {
  const looks = traces.map(({ x, y, customdata, ...look }) => [look, x.length, y.length]);
  const size = [plot.clientWidth, plot.clientHeight, state.theme];
  return {
    look: JSON.stringify([looks, ranges, size]),
    places: traces.map(({ x, y }) => JSON.stringify([x, y])),
    isMovable: traces.every(({ mode, fill }) => mode === "lines" && !fill),
  };
}

// Move the lines, names and ceilings of a drawn view whose points have been moved; false where it
// must be drawn instead.
function moveLines(name) {
  const before = drawnLines.get(name);
  if (!views[name].marks || !before) return false;
  const plot = byId(`view-${name}`).querySelector(".plot");
  const { traces, plan, lines } = figureOf(name);
  const lists = ["annotations", "shapes"];
  if (!lines.isMovable || lines.look !== before.look) return false;
  if (lists.some((list) => plan[list].length !== (plot.layout[list] ?? []).length)) return false;
  traces.forEach(({ x, y }, at) => {
    if (lines.places[at] !== before.places[at]) placeLine(plot, at, x, y);
  });
  drawnLines.set(name, lines);
  plan.annotations.forEach((item, at) => placeName(plot, at, item));
  plan.shapes.forEach(({ x0, x1, y0 }, at) => placeCeiling(plot, at, [x0, x1], [y0, y0]));
  drawPulls(name);
  return true;
}

function placeLine(plot, at, x, y) {
  const line = plot.querySelector(`.scatterlayer .trace${plot._fullData[at].uid} .js-line`);
  line?.setAttribute("d", pathOf(plot, x, y));
}

function placeCeiling(plot, at, x, y) {
  const { xaxis, yaxis } = plot._fullLayout;
  const path = pathOf(plot, x, y, [xaxis._offset, yaxis._offset]);
  plot.querySelector(`.shapelayer path[data-index="${at}"]`)?.setAttribute("d", path);
}

function pathOf(plot, x, y, [left, top] = [0, 0]) {
  const { xaxis, yaxis } = plot._fullLayout;
  const places = x.map((value, at) => [left + xaxis.d2p(value), top + yaxis.d2p(y[at])]);
  return `M${places.map((place) => place.join()).join("L")}`;
}

// A name keeps its side of the place it names until all is drawn again.
function placeName(plot, at, { text, x, y }) {
  const name = plot.querySelector(`.infolayer .annotation[data-index="${at}"]`);
  const { annotations, xaxis, yaxis } = plot._fullLayout;
  const old = annotations[at];
  const [right, down] = [xaxis.l2p(x) - xaxis.l2p(old.x), yaxis.l2p(y) - yaxis.l2p(old.y)];
  name?.setAttribute("transform", `translate(${right},${down})`);
  const words = name?.querySelector("text");
  if (words && words.textContent !== text) words.textContent = text;
}
