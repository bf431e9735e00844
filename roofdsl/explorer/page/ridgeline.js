// The ridgeline: operational against memory intensity, the plane coloured by what binds.

views.ridgeline = {
  title: "Ridgeline",
  available: () =>
    threeRates(0) ? "" : `${slotName(0)} has no limited rates for flops, memory and network.`,
  figure: ridgelineFigure,
  axes: ["ridgeline x", "ridgeline y"],
  points: () => ridgelinePoints(ranges.get("ridgeline x"), ranges.get("ridgeline y")),
  table: ridgelineTable,
};

// Rates of flops, memory and network of a slot as its model uses them, null where one is missing.
function threeRates(slot) {
  const result = currentOf(slot);
  const places = (result.variant?.roof ?? [-1, -1, -1]).map((place, at) =>
    place >= 0 ? place : (machineOf(slot).roofs[0]?.main[at] ?? -1),
  );
  if (places.some((place) => place < 0)) return null;
  return places.map((place) => result.machine.rates[place]);
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
      ...ridgelinePoints(x, y),
    ],
    layout: layout({
      xaxis: axis("Memory intensity [memory B / network B]", x, { showgrid: false }),
      yaxis: axis("Operational intensity [flop/B]", y, { showgrid: false }),
      annotations: regionNames(ridgeline(0), x, y),
    }),
  };
}

function ridgelinePoints(x, y) {
  return shownResults().map((result) =>
    pointTrace(result, within(result.MI, x), within(result.OI, y)),
  );
}

// Three polygons that meet in the ridge point.
function regionTraces({ MI, OI }, x, y) {
  const [left, right] = x.map((power) => 10 ** power);
  const [bottom, top] = y.map((power) => 10 ** power);
  const high = Math.max(top, (OI * MI) / left);
  return [
    regionTrace("network", [
      [left, bottom],
      [left, high],
      [MI, OI],
      [MI, bottom],
    ]),
    regionTrace("flops", [
      [left, high],
      [right, high],
      [right, OI],
      [MI, OI],
    ]),
    regionTrace("memory", [
      [MI, OI],
      [right, OI],
      [right, bottom],
      [MI, bottom],
    ]),
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
    line: {
      color: slot ? colour("--slot-b") : colour("--ink"),
      width: 1.6,
      dash: slot ? "dash" : "solid",
    },
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
  const rows = [["what", "machine", "name", "parameter", "value", "MI [B/B]", "OI [flop/B]"]];
  for (const slot of usedSlots().filter(threeRates)) {
    const { MI, OI } = ridgeline(slot);
    rows.push(["ridge point", slotName(slot), "", "", "", MI, OI]);
    for (const point of trajectoryOf(slot)) {
      rows.push([
        "trajectory",
        slotName(slot),
        model().name,
        axisControl().name,
        point.value,
        point.MI,
        point.OI,
      ]);
    }
  }
  for (const { slot, place, MI, OI } of shownResults()) {
    rows.push(["point", slotName(slot), DATA.models[place].name, "", "", MI, OI]);
  }
  return rows;
}
