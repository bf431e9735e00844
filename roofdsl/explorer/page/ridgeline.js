// The ridgeline: operational against memory intensity, the plane coloured by what binds.

views.ridgeline = {
  title: "Ridgeline",
  available: withoutPlane,
  figure: ridgelineFigure,
  axes: ["ridgeline x", "ridgeline y"],
  words: [["MI", []], ["OI", []]],
  marks: ridgelineMarks,
  table: ridgelineTable,
};

function ridgelineMarks() {
  return shownResults().map((result) =>
    modelMark(result, result.MI, result.OI, { said: planeSays(result) }),
  );
}

// Why a plane of intensities cannot be coloured, nothing where it can.
function withoutPlane() {
  const missing = `${slotName(0)} has no limited rates for flops, memory and network.`;
  return threeRates(0) ? "" : missing;
}

// The peak and the rates of memory and network of a slot, null where one is missing.
function threeRates(slot) {
  const result = currentOf(slot);
  const found = COUNTED.map((_, at) => {
    const place = result.variant?.roof[at] ?? -1;
    return result.machine.rates[place < 0 ? (machineOf(slot).roofs[0]?.main[at] ?? -1) : place];
  });
  if (result.peak > 0) found[0] = result.peak;
  return found.every((rate) => rate !== undefined) ? found : null;
}

// Whether the region of the plane, or the face of the surface, is that of what binds a result.
function planeSays({ bound, OI, CAI, MI, variant, slot }) {
  const [flops, memory, network] = threeRates(slot) ?? [NaN, NaN, NaN];
  // Without flops their roofs are all 0, and what moves decides.
  const heights = OI ? [flops, memory * OI, network * CAI] : [Infinity, memory, network * MI];
  const names = heights.flatMap((height, at) =>
    isNear(height, Math.min(...heights))
      ? [COUNTED[at], at && machineOf(slot).rates[variant.roof[at]]?.name]
      : [],
  );
  return !bound || names.includes(bound);
}

function ridgeline(slot) {
  const [flops, memory, network] = threeRates(slot);
  return { MI: memory / network, OI: flops / memory };
}

function ridgelineFigure() {
  const slots = usedSlots().filter(threeRates);
  const corners = slots.map(ridgeline);
  const points = [...shownResults(), ...inner(trajectoryOf(0))];
  const [x, y] = ["MI", "OI"].map((name, at) =>
    widened(`ridgeline ${"xy"[at]}`, [
      ...corners.flatMap((corner) => [corner[name] / 60, corner[name] * 60]),
      ...points.map((point) => point[name]),
    ]),
  );
  return {
    traces: [
      ...regionTraces(ridgeline(0), x, y),
      ...slots.flatMap((slot) => ridgeTraces(slot, x, y)),
      ...pathTraces("MI", "OI"),
    ],
    layout: layout({
      xaxis: axis("Memory intensity [memory B / network B]", x, { showgrid: false }),
      yaxis: axis("Operational intensity [flop/B]", y, { showgrid: false }),
      annotations: regionNames(ridgeline(0), x, y),
    }),
    path: pathPoints("MI", "OI"),
  };
}

// Three polygons that meet in the ridge point.
function regionTraces({ MI, OI }, x, y) {
  const [left, right] = x.map((power) => 10 ** power);
  const [bottom, top] = y.map((power) => 10 ** power);
  // Where network and flops meet at the left side, within the frame or above it.
  const corner = [left, (OI * MI) / left];
  const high = Math.max(top, corner[1]);
  const ridge = [MI, OI];
  return [
    regionTrace("network", [[left, bottom], corner, ridge, [MI, bottom]]),
    regionTrace("flops", [corner, [left, high], [right, high], [right, OI], ridge]),
    regionTrace("memory", [ridge, [right, OI], [right, bottom], [MI, bottom]]),
  ];
}

function regionTrace(resource, corners) {
  return curve(corners, { width: 0 }, { fill: "toself", fillcolor: colour(`--fill-${resource}`) });
}

function ridgeTraces(slot, x, y) {
  const { MI, OI } = ridgeline(slot);
  const left = 10 ** x[0];
  const ends = [
    [10 ** x[1], OI],
    [MI, 10 ** y[0]],
    [left, (OI * MI) / left],
  ];
  return ends.map((end) => curve([[MI, OI], end], { ...slotLine(slot), width: 1.6 }));
}

function regionNames({ MI, OI }, x, y) {
  const [ridgeX, ridgeY] = [Math.log10(MI), Math.log10(OI)];
  const named = (text, at) => annotation(text, at, 12, colour("--ink"), { opacity: 0.75 });
  return [
    named("network-bound", [(x[0] + ridgeX) / 2, (y[0] + ridgeY) / 2 - 0.4]),
    named("memory-bound", [(x[1] + ridgeX) / 2, (y[0] + ridgeY) / 2]),
    named("compute-bound", [(x[1] + ridgeX) / 2, (y[1] + ridgeY) / 2 + 0.3]),
  ].filter(({ x: across, y: up }) => across > x[0] && across < x[1] && up > y[0] && up < y[1]);
}

function ridgelineTable() {
  const rows = ["what,machine,name,parameter,value,MI [B/B],OI [flop/B],bound".split(",")];
  for (const slot of usedSlots().filter(threeRates)) {
    const { MI, OI } = ridgeline(slot);
    rows.push(["ridge point", slotName(slot), "", "", "", MI, OI]);
  }
  return [...rows, ...pointRows(ridgelineMarks(), "MI", "OI")];
}
