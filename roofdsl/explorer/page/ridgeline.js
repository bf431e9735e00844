// The ridgeline: operational against memory intensity, the plane coloured by what binds.

views.ridgeline = {
  title: "Ridgeline",
  available: () =>
    threeRates(0) ? "" : `${slotName(0)} has no limited rates for flops, memory and network.`,
  figure: ridgelineFigure,
  axes: ["ridgeline x", "ridgeline y"],
  words: [["MI", []], ["OI", []]],
  marks: () =>
    shownResults().map((result) =>
      modelMark(result, result.MI, result.OI, { said: planeSays(result) }),
    ),
  table: ridgelineTable,
};

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
  const found = shownResults();
  const corners = usedSlots().filter(threeRates).map(ridgeline);
  const points = inner(trajectoryOf(0));
  const x = widened("ridgeline x", [
    ...corners.flatMap(({ MI }) => [MI / 60, MI * 60]),
    ...[...found, ...points].map(({ MI }) => MI),
  ]);
  const y = widened("ridgeline y", [
    ...corners.flatMap(({ OI }) => [OI / 60, OI * 60]),
    ...[...found, ...points].map(({ OI }) => OI),
  ]);
  return {
    traces: [
      ...regionTraces(ridgeline(0), x, y),
      ...usedSlots()
        .filter(threeRates)
        .flatMap((slot) => ridgeTraces(slot, x, y)),
      ...usedSlots().map((slot) => pathTrace(slot, trajectoryOf(slot), "MI", "OI")),
    ],
    layout: layout({
      xaxis: axis("Memory intensity [memory B / network B]", x, { showgrid: false }),
      yaxis: axis("Operational intensity [flop/B]", y, { showgrid: false }),
      annotations: regionNames(ridgeline(0), x, y),
    }),
    path: usedSlots().flatMap((slot) => trajectoryOf(slot).map(({ MI, OI }) => [MI, OI])),
  };
}

// Three polygons that meet in the ridge point.
function regionTraces({ MI, OI }, x, y) {
  const [left, right] = x.map((power) => 10 ** power);
  const [bottom, top] = y.map((power) => 10 ** power);
  const high = Math.max(top, (OI * MI) / left);
  const [ridge, corner] = [[MI, OI], [left, high]];
  return [
    regionTrace("network", [[left, bottom], corner, ridge, [MI, bottom]]),
    regionTrace("flops", [corner, [right, high], [right, OI], ridge]),
    regionTrace("memory", [ridge, [right, OI], [right, bottom], [MI, bottom]]),
  ];
}

function regionTrace(resource, corners) {
  return {
    type: "scatter",
    mode: "lines",
    fill: "toself",
    x: corners.map(([x]) => x),
    y: corners.map(([, y]) => y),
    fillcolor: colour(`--fill-${resource}`),
    line: { width: 0 },
    hoverinfo: "skip",
  };
}

function ridgeTraces(slot, x, y) {
  const { MI, OI } = ridgeline(slot);
  const line = (xs, ys) => ({
    type: "scatter",
    mode: "lines",
    x: xs,
    y: ys,
    line: { ...slotLine(slot), width: 1.6 },
    hoverinfo: "skip",
  });
  const left = 10 ** x[0];
  return [
    line([MI, 10 ** x[1]], [OI, OI]),
    line([MI, MI], [10 ** y[0], OI]),
    line([left, MI], [(OI * MI) / left, OI]),
  ];
}

function regionNames({ MI, OI }, x, y) {
  const [ridgeX, ridgeY] = [Math.log10(MI), Math.log10(OI)];
  const named = (text, at) => ({
    text,
    x: at[0],
    y: at[1],
    showarrow: false,
    font: { size: 12, color: colour("--ink") },
    opacity: 0.75,
  });
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
    for (const point of trajectoryOf(slot)) {
      const along = [model().name, axisControl().name, point.value];
      rows.push(["trajectory", slotName(slot), ...along, point.MI, point.OI, point.bound]);
    }
  }
  for (const { slot, place, MI, OI, bound } of shownResults()) {
    rows.push(["point", slotName(slot), DATA.models[place].name, "", "", MI, OI, bound]);
  }
  return rows;
}
