// What the figures share: axes, marks, redrawing, and the card of what is pointed at.

const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: "reset" };
const views = {}; // by name: { title, available, figure, table }
const ranges = new Map(); // of axes, so that they stay where they are

function axis(title, range, extra = {}) {
  const line = colour("--faint");
  return {
    type: "log",
    title: { text: title, font: { size: 12 }, standoff: 6 },
    range,
    gridcolor: line,
    linecolor: colour("--muted"),
    zeroline: false,
    showline: true,
    ticks: "outside",
    tickcolor: line,
    ticklen: 4,
    dtick: range[1] - range[0] > 8 ? 2 : 1,
    exponentformat: "power",
    minor: { ticks: "", showgrid: false },
    automargin: true,
    fixedrange: matchMedia("(pointer: coarse)").matches,
    ...extra,
  };
}

function layout(extra) {
  return {
    paper_bgcolor: colour("--panel"),
    plot_bgcolor: colour("--panel"),
    font: { family: "system-ui, sans-serif", size: 12, color: colour("--ink") },
    margin: { l: 56, r: 14, t: 10, b: 44 },
    showlegend: false,
    hovermode: "closest",
    hoverdistance: 24,
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "pan",
    uirevision: "stay",
    ...extra,
  };
}

// An axis's range in powers of ten around some values; it only widens.
function widened(name, values) {
  const seen = values.filter((value) => value > 0 && Number.isFinite(value)).map(Math.log10);
  const old = ranges.get(name) ?? [Infinity, -Infinity];
  const low = Math.min(...seen);
  const high = Math.max(...seen);
  const range = [
    low < old[0] + 0.05 ? Math.floor(low * 2 - 0.4) / 2 : old[0],
    high > old[1] - 0.05 ? Math.ceil(high * 2 + 0.4) / 2 : old[1],
  ];
  if (!seen.length) return ranges.get(name) ?? [-1, 3];
  ranges.set(name, range);
  return range;
}

// Middles of the trajectory; its far ends may lie very far away.
function inner(values) {
  return values.slice(Math.floor(values.length / 8), Math.ceil((values.length * 7) / 8));
}

// A value as it is drawn: what is 0 or infinite stands at the edge.
function within(value, [low, high]) {
  if (Number.isNaN(value)) return null;
  return Math.min(10 ** high, Math.max(10 ** low, value));
}

function isDimmed(key) {
  return state.isolated !== "" && state.isolated !== key;
}

function opacityOf(key) {
  return isDimmed(key) ? 0.12 : 1;
}

// The marker of a model in a slot.
function markerOf(result, size = 13) {
  const hue = seriesColour(result.place);
  const open = result.slot === 1;
  const symbol = SYMBOLS[result.place % SYMBOLS.length];
  return {
    size,
    symbol: open ? `${symbol}-open` : symbol,
    color: hue,
    line: { width: open ? 2.5 : 1.5, color: open ? hue : colour("--panel") },
  };
}

function pointTrace(result, x, y, extra = {}) {
  const focus = result.place === state.model;
  return {
    type: "scatter",
    mode: "markers",
    x: [x],
    y: [y],
    opacity: opacityOf(`kernel:${DATA.models[result.place].name}`),
    marker: markerOf(result, focus ? 14 : 10),
    hoverinfo: "none",
    customdata: [{ kind: "model", place: result.place, slot: result.slot }],
    cliponaxis: false,
    meta: "points",
    ...extra,
  };
}

function pathTrace(slot, points, x, y) {
  return {
    type: "scatter",
    mode: "lines",
    x: points.map((point) => point[x]),
    y: points.map((point) => point[y]),
    opacity: 0.55 * opacityOf(`kernel:${model().name}`),
    line: {
      color: seriesColour(state.model),
      width: 2.5,
      dash: slot ? "dot" : "solid",
      shape: "linear",
    },
    hoverinfo: "none",
    customdata: points.map(({ value }) => ({ kind: "path", value, slot })),
    connectgaps: false,
  };
}

// All models in all slots whose numbers mean something.
function shownResults() {
  return remembered("shown", () =>
    usedSlots().flatMap((slot) =>
      DATA.models.map((_, place) => resultFor(place, slot)).filter(isSound),
    ),
  );
}

// Drawing

const drawn = new Set(); // the views that have been drawn into their boxes

// Move the points of a drawn view to where they belong now; false where it must be drawn instead.
function movePoints(name) {
  const view = views[name];
  const plot = byId(`view-${name}`).querySelector(".plot");
  if (!drawn.has(name)) return plot.hidden || view.heavy === true;
  if (!view.points) return true;
  if (!view.axes.every((axisName) => ranges.has(axisName))) return false;
  const { xaxis, yaxis } = plot._fullLayout;
  const wanted = view.points();
  const standing = plot._fullData.filter(({ meta }) => meta === "points");
  if (wanted.length !== standing.length) return false;
  return wanted.every((trace, at) => {
    const marks = plot.querySelectorAll(`.scatterlayer .trace${standing[at].uid} .point`);
    if (marks.length !== trace.x.length) return false;
    marks.forEach((mark, place) => {
      const [x, y] = [xaxis.d2p(trace.x[place]), yaxis.d2p(trace.y[place])];
      mark.setAttribute("transform", `translate(${x},${y})`);
    });
    return true;
  });
}

function drawView(name) {
  const box = byId(`view-${name}`);
  const plot = box.querySelector(".plot");
  const message = views[name].available();
  box.querySelector(".absent").textContent = message;
  plot.hidden = message !== "";
  if (message) return;
  const { traces, layout: plan } = views[name].figure();
  Plotly.react(plot, traces, plan, CONFIG);
  if (drawn.has(name)) return;
  drawn.add(name);
  const tell = ({ points, event }) => showCard(nearestPoint(name, event) ?? points[0], event);
  plot.on("plotly_hover", tell);
  plot.on("plotly_unhover", hideCard);
  plot.on("plotly_click", tell);
}

const NEAR = 12; // pixels

// The point of a model that the pointer is on, although a line goes through it.
function nearestPoint(name, event) {
  const plot = byId(`view-${name}`).querySelector(".plot");
  const at = event?.changedTouches?.[0] ?? event;
  if (!views[name].points || at?.clientX === undefined) return null;
  const { xaxis, yaxis } = plot._fullLayout;
  const { left, top } = plot.getBoundingClientRect();
  const distance = ({ x, y }) =>
    Math.hypot(
      left + xaxis._offset + xaxis.d2p(x[0]) - at.clientX,
      top + yaxis._offset + yaxis.d2p(y[0]) - at.clientY,
    );
  const standing = views[name].points().filter(({ customdata }) => customdata[0].kind === "model");
  standing.sort((one, other) => distance(one) - distance(other));
  return standing.length && distance(standing[0]) < NEAR ? standing[0] : null;
}

function resetRanges() {
  ranges.clear();
  for (const name of drawn) Plotly.purge(byId(`view-${name}`).querySelector(".plot"));
  drawn.clear();
  changedState();
}
