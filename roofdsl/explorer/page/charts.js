// What the figures share: their layout, marks, redrawing, and the card of what is pointed at.

const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: "reset" };
// By name: { title, available, figure, table }; of points on two axes also { axes, marks, words }.
const views = {};
const ranges = new Map(); // of axes, so that they stay where they are

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
  if (pulled && ranges.has(name)) return ranges.get(name); // as long as a roof is held
  if (!seen.length) return ranges.get(name) ?? [-1, 3];
  ranges.set(name, range);
  return range;
}

// Middles of the trajectory; its far ends may lie very far away.
function inner(values) {
  return values.slice(Math.floor(values.length / 8), Math.ceil((values.length * 7) / 8));
}

function isDimmed(key) {
  return state.isolated !== "" && state.isolated !== key;
}

function opacityOf(key) {
  return isDimmed(key) ? 0.12 : 1;
}

// A line through points, [x, y] each.
function curve(points, line, more) {
  const [x, y] = [0, 1].map((axisAt) => points.map((point) => point[axisAt]));
  return { type: "scatter", mode: "lines", x, y, line, hoverinfo: "skip", ...more };
}

// A text in a figure, at powers of ten.
function annotation(text, [x, y], size, color, more) {
  return { text, x, y, showarrow: false, font: { size, color }, ...more };
}

// The trajectories in some slots as lines, [x, y] by the names of intensities.
function pathTraces(x, y) {
  return usedSlots().map((slot) => {
    const points = trajectoryOf(slot);
    const line = { color: seriesColour(state.model), width: 2.5, dash: slot ? "dot" : "solid" };
    return curve(points.map((point) => [point[x], point[y]]), line, {
      opacity: 0.55 * opacityOf(`kernel:${model().name}`),
      hoverinfo: "none",
      customdata: points.map(({ value }) => ({ kind: "path", value, slot })),
    });
  });
}

function pathPoints(x, y) {
  return usedSlots().flatMap((slot) => trajectoryOf(slot).map((point) => [point[x], point[y]]));
}

// Rows of a table: the trajectories, then the marks.
function pointRows(marks, x, y) {
  const rows = [];
  for (const slot of usedSlots()) {
    const along = [slotName(slot), model().name, axisControl()?.name];
    for (const point of trajectoryOf(slot))
      rows.push(["trajectory", ...along, point.value, point[x], point[y], point.bound]);
  }
  for (const { kind, name, card, x: across, y: up, bound } of marks) {
    const [what, named] = kind === "model" ? ["point", DATA.models[card.place].name] : [kind, name];
    rows.push([what, slotName(card.slot), named, "", "", across, up, bound]);
  }
  return rows;
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

const drawn = new Map(); // the views that have been drawn into their boxes, their marks by key

// A view's figure: its own traces, then its points, with ceilings and what lies beyond the frame.
function figureOf(name) {
  const view = views[name];
  const { traces, layout: plan, notes = [], path } = view.figure();
  const plot = byId(`view-${name}`).querySelector(".plot");
  const named = (labels, over) => ({ annotations: apart(labels, plot, plan, over) });
  if (!view.marks) {
    const own = plan.annotations && named(plan.annotations);
    return { traces, plan: { ...plan, ...own }, notes, placed: [] };
  }
  const marks = view.marks();
  const [x, y] = [plan.xaxis.range, plan.yaxis.range];
  const placed = standing(marks, x, y);
  const { shapes, annotations } = ceilings(placed, x);
  const over = { marks: placed, traces, shapes };
  return {
    lines: linesOf(traces, [x, y], plot),
    traces: [...traces, marksTrace(placed)],
    plan: { ...plan, shapes, ...named([...annotations, ...plan.annotations], over) },
    notes: beyond(marks, placed, path, view.words(), [x, y]),
    placed,
  };
}

// The marks of a drawn view where they belong now; null where there is no frame yet.
function placedNow(name) {
  const [x, y] = views[name].axes.map((axisName) => ranges.get(axisName));
  return x && y ? standing(views[name].marks(), x, y) : null;
}

function drawView(name) {
  const box = byId(`view-${name}`);
  const plot = box.querySelector(".plot");
  const message = views[name].available();
  box.querySelector(".absent").textContent = message;
  plot.hidden = message !== "";
  if (message) return;
  const room = () => [plot._fullLayout?._size.w, plot._fullLayout?._size.h].join();
  const before = room();
  let { traces, plan, notes, placed, lines } = figureOf(name);
  Plotly.react(plot, traces, plan, CONFIG);
  if (plan.annotations && room() !== before) {
    ({ traces, plan, notes, placed, lines } = figureOf(name)); // its names need the room there is
    Plotly.react(plot, traces, plan, CONFIG);
  }
  box.querySelector(".beyond").textContent = notes.join("; ");
  const first = !drawn.has(name);
  drawn.set(name, byKey(placed));
  drawRing(name);
  drawPulls(name);
  drawnLines.set(name, lines);
  if (!first) return;
  const tell = ({ points, event }) => {
    const point = nearestPoint(name, event) ?? points[0];
    showCard(point, event);
    light(point.customdata?.step?.path ?? "");
  };
  plot.on("plotly_hover", tell);
  plot.on("plotly_unhover", () => {
    hideCard();
    light("");
  });
  plot.on("plotly_click", tell);
  for (const moved of ["plotly_relayout", "plotly_relayouting"])
    plot.on(moved, () => drawPulls(name));
}

const NEAR = 12; // pixels

// The point of a model that the pointer is on, although a line goes through it.
function nearestPoint(name, event) {
  const plot = byId(`view-${name}`).querySelector(".plot");
  const at = event?.changedTouches?.[0] ?? event;
  const placed = views[name].marks && placedNow(name);
  if (!placed || at?.clientX === undefined) return null;
  const { xaxis, yaxis } = plot._fullLayout;
  const { left, top } = plot.getBoundingClientRect();
  const near = placed.flatMap(({ kind, card, at: [x, y] }) => {
    const across = left + xaxis._offset + xaxis.d2p(x) - at.clientX;
    const distance = Math.hypot(across, top + yaxis._offset + yaxis.d2p(y) - at.clientY);
    return kind === "model" && distance < NEAR ? [{ distance, customdata: card }] : [];
  });
  return near.sort((one, other) => one.distance - other.distance)[0] ?? null;
}

function resetRanges() {
  ranges.clear();
  for (const name of drawn.keys()) Plotly.purge(byId(`view-${name}`).querySelector(".plot"));
  drawn.clear();
  changedState();
}
