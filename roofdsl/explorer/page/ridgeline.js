// The ridgeline: flops for each unit of work on one resource, against that for each of another; by
// default operational against memory intensity. The plane is coloured by what binds.

views.ridgeline = {
  title: "Ridgeline",
  ofPlane: true,
  available: withoutPlane,
  figure: ridgelineFigure,
  axes: ["ridgeline x", "ridgeline y"],
  words: () => [[plane().quotient, []], [plane().over, []]],
  marks: ridgelineMarks,
  table: ridgelineTable,
};

function ridgelineMarks() {
  const { quotient, over } = plane();
  return shownResults().map((result) =>
    modelMark(result, result[quotient], result[over], { said: planeSays(result) }),
  );
}

// The corner in which the regions meet.
function ridgeline(slot) {
  const [flops, one, other] = threeRates(slot);
  return [one / other, flops / one];
}

function ridgelineFigure() {
  const slots = usedSlots().filter(threeRates);
  const corners = slots.map(ridgeline);
  const points = [...shownResults(), ...inner(trajectoryOf(0))];
  const { quotient, over } = plane();
  const [x, y] = [quotient, over].map((name, at) =>
    widened(`ridgeline ${"xy"[at]}`, [
      ...corners.flatMap((corner) => [corner[at] / 60, corner[at] * 60]),
      ...points.map((point) => point[name]),
    ]),
  );
  return {
    traces: [
      ...regionTraces(ridgeline(0), x, y),
      ...slots.flatMap((slot) => ridgeTraces(slot, x, y)),
      ...pathTraces(quotient, over),
    ],
    layout: layout({
      xaxis: axis(intensityLabel(quotient), x, [], { showgrid: false }),
      yaxis: axis(upright(intensityLabel(over), withUnit(over)), y, [], { showgrid: false }),
      annotations: regionNames(ridgeline(0), x, y),
    }),
    path: pathPoints(quotient, over),
  };
}

// Three polygons that meet in the ridge point.
function regionTraces([ridgeX, ridgeY], x, y) {
  const [left, right] = x.map((power) => 10 ** power);
  const [bottom, top] = y.map((power) => 10 ** power);
  // Where the other resource and flops meet at the left side, within the frame or above it.
  const corner = [left, (ridgeY * ridgeX) / left];
  const high = Math.max(top, corner[1]);
  const ridge = [ridgeX, ridgeY];
  const [flops, one, other] = plane().resources;
  return [
    regionTrace(other, [[left, bottom], corner, ridge, [ridgeX, bottom]]),
    regionTrace(flops, [corner, [left, high], [right, high], [right, ridgeY], ridge]),
    regionTrace(one, [ridge, [right, ridgeY], [right, bottom], [ridgeX, bottom]]),
  ];
}

function regionTrace(resource, corners) {
  return curve(corners, { width: 0 }, { fill: "toself", fillcolor: fillColour(resource) });
}

function ridgeTraces(slot, x, y) {
  const [ridgeX, ridgeY] = ridgeline(slot);
  const left = 10 ** x[0];
  const ends = [
    [10 ** x[1], ridgeY],
    [ridgeX, 10 ** y[0]],
    [left, (ridgeY * ridgeX) / left],
  ];
  return ends.map((end) => curve([[ridgeX, ridgeY], end], { ...slotLine(slot), width: 1.6 }));
}

// The names of regions, each in the part of its own beside the corner; elsewhere it would be wrong.
function regionNames(ridge, x, y) {
  const [ridgeX, ridgeY] = ridge.map(Math.log10);
  const [flops, one, other] = plane().resources.map(regionName);
  const parts = [0.5, 0.35, 0.65, 0.2, 0.8];
  const named = (text, endX, endY) => {
    const [xs, ys] = [[ridgeX, endX], [ridgeY, endY]].map(([from, to]) =>
      parts.map((part) => from + part * (to - from)),
    );
    const [place, ...others] = ys.flatMap((up) => xs.map((across) => ({ x: across, y: up })));
    const more = { opacity: 0.75, others };
    return annotation(text, [place.x, place.y], 12, colour("--ink"), more);
  };
  return [named(other, x[0], y[0]), named(one, x[1], y[0]), named(flops, x[1], y[1])].filter(
    ({ x: across, y: up }) => across > x[0] && across < x[1] && up > y[0] && up < y[1],
  );
}

function ridgelineTable() {
  const { quotient, over } = plane();
  const titles = [quotient, over].map(withUnit);
  const rows = [["what", "machine", "name", "parameter", "value", ...titles, "bound"]];
  for (const slot of usedSlots().filter(threeRates))
    rows.push(["ridge point", slotName(slot), "", "", "", ...ridgeline(slot)]);
  return [...rows, ...pointRows(ridgelineMarks(), quotient, over)];
}
