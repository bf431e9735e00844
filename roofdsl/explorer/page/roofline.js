// Performance over operational or communication intensity, under the machine's roof.

const UNITS_OF_RATE = { OI: "memory", CAI: "network" };

views.roofline = rooflineOver("OI", "Roofline", "Operational intensity [flop/B]");
views.communication = rooflineOver(
  "CAI",
  "Communication",
  "Communication intensity [flop/network B]",
);

function rooflineOver(intensity, title, label) {
  return {
    title,
    available: () => missing(intensity),
    figure: () => rooflineFigure(intensity, label),
    axes: [`${intensity} x`, `${intensity} y`],
    points: () =>
      rooflinePoints(intensity, ranges.get(`${intensity} x`), ranges.get(`${intensity} y`)),
    table: () => rooflineTable(intensity),
  };
}

function missing(intensity) {
  const resource = UNITS_OF_RATE[intensity];
  const roofs = usedSlots().flatMap((slot) => machineOf(slot).roofs);
  if (!roofs.some((roof) => roof.flops.length && roof[resource].length)) {
    return `${slotName(0)} has no limited rate for ${resource}, so there is no roof to draw.`;
  }
  return "";
}

// Lines of a slot: { key, name, value, main }, the slopes and the ceilings of each roof.
function linesOf(slot, intensity) {
  const { roofs, rates } = machineOf(slot);
  const values = currentOf(slot).machine.rates;
  const resource = UNITS_OF_RATE[intensity];
  const variant = currentOf(slot).variant;
  return roofs
    .filter((roof) => roof.flops.length && roof[resource].length)
    .map((roof) => {
      const used = variant?.roof[0] ?? -1;
      const peak = roof.flops.includes(used) ? used : roof.main[0];
      const line = (place, main) => ({
        key: `line:${rates[place].name}`,
        name: rates[place].name,
        value: values[place],
        main: place === main,
      });
      return {
        ceilings: roof.flops.map((place) => line(place, peak)),
        slopes: roof[resource].map((place) =>
          line(place, roof.main[resource === "memory" ? 1 : 2]),
        ),
      };
    });
}

function rooflineFigure(intensity, label) {
  const found = shownResults();
  const trajectories = usedSlots().map((slot) => [slot, trajectoryOf(slot)]);
  const points = inner(trajectories.flatMap(([, path]) => path));
  const roofs = usedSlots().map((slot) => [slot, linesOf(slot, intensity)]);
  const corners = roofs.flatMap(([, each]) =>
    each.flatMap(({ ceilings, slopes }) =>
      ceilings.flatMap((top) => slopes.map((slope) => [top.value / slope.value, top.value])),
    ),
  );
  const x = widened(`${intensity} x`, [
    ...corners.flatMap(([ridge]) => [ridge / 30, ridge * 30]),
    ...found.map((result) => result[intensity]),
    ...points.map((point) => point[intensity]),
  ]);
  const y = widened(`${intensity} y`, [
    ...corners.flatMap(([, top]) => [top / 300, top * 2]),
    ...found.map((result) => result.attainable),
    ...points.map((point) => point.attainable),
  ]);
  const lines = roofs.flatMap(([slot, each]) =>
    each.flatMap((roof) => roofTraces(slot, roof, x, y)),
  );
  return {
    traces: [
      ...lines,
      ...trajectories.map(([slot, path]) => pathTrace(slot, path, intensity, "attainable")),
      ...rooflinePoints(intensity, x, y),
    ],
    layout: layout({
      xaxis: axis(label, x),
      yaxis: axis("Performance [flop/s]", y),
      annotations: roofs.flatMap(([slot, each]) =>
        each.flatMap((roof) => lineNames(slot, roof, x, y)),
      ),
    }),
  };
}

// What has no intensity stands at the edge.
function rooflinePoints(intensity, x, y) {
  const found = shownResults();
  return [
    ...stepTraces(intensity, x, y),
    ...found.flatMap((result) => levelTraces(result, intensity, y)),
    ...found.map((result) =>
      pointTrace(result, within(result[intensity], x), within(result.attainable, y)),
    ),
  ];
}

function roofTraces(slot, { ceilings, slopes }, x, y) {
  const peak = Math.max(...ceilings.map(({ value }) => value));
  const fastest = Math.max(...slopes.map(({ value }) => value));
  const made = slopes.map((slope) =>
    lineTrace(slot, slope, [10 ** x[0], peak / slope.value], [slope.value * 10 ** x[0], peak]),
  );
  return made
    .concat(
      ceilings.map((top) =>
        lineTrace(slot, top, [top.value / fastest, 10 ** x[1]], [top.value, top.value]),
      ),
    )
    .filter(({ x: ends }) => ends[0] < 10 ** x[1] && y);
}

function lineTrace(slot, line, x, y) {
  return {
    type: "scatter",
    mode: "lines",
    x: spaced(x),
    y: spaced(y),
    opacity: opacityOf(line.key),
    line: {
      color: slot ? colour("--slot-b") : colour("--ink"),
      width: line.main ? 2.2 : 1.1,
      dash: slot ? "dash" : "solid",
    },
    hoverinfo: "none",
    customdata: new Array(16).fill({ kind: "line", name: line.name, value: line.value, slot }),
  };
}

// Points along a straight line, so that all of it can be pointed at.
function spaced([first, last]) {
  return Array.from({ length: 16 }, (_, at) => first * (last / first) ** (at / 15));
}

// The names of lines, once for those that lie on one another.
function lineNames(slot, { ceilings, slopes }, x, y) {
  if (slot && matchMedia("(max-width: 700px)").matches) return [];
  const peak = Math.max(...ceilings.map(({ value }) => value));
  const right = slot ? x[0] + 0.8 * (x[1] - x[0]) : x[1];
  const tops = together(ceilings, (y[1] - y[0]) / 26).map((lines) =>
    nameAt(lines, slot, [right, Math.log10(lines[0].value)], { yanchor: "bottom" }),
  );
  const sides = together(slopes, (y[1] - y[0]) / 20).map((lines, at) => {
    const rise = Math.log10(lines[0].value);
    const left = Math.max(x[0], y[0] - rise);
    const end = Math.min(x[1], Math.log10(peak) - rise);
    const place = left + (0.35 + 0.12 * (at % 3) + (slot ? 0.2 : 0)) * (end - left);
    return nameAt(lines, slot, [place, place + rise], { yanchor: "bottom", xshift: -3 });
  });
  return [...tops, ...sides];
}

// Lines by their values, those that are closer than a step in one group, the fastest first.
function together(lines, step) {
  const groups = [];
  for (const line of [...lines].sort((one, other) => other.value - one.value)) {
    const last = groups.at(-1);
    if (last && Math.log10(last[0].value / line.value) < step) last.push(line);
    else groups.push([line]);
  }
  return groups;
}

function nameAt(lines, slot, [x, y], extra) {
  const names = lines.map(({ name }) => name.replace(/^flops\./, ""));
  return {
    x,
    y,
    text: names.join(", "),
    showarrow: false,
    xanchor: "right",
    font: { size: 10.5, color: slot ? colour("--slot-b") : colour("--muted") },
    opacity: lines.every(({ key }) => isDimmed(key)) ? 0.2 : 1,
    ...extra,
  };
}

// Levels of memory of a kernel: what it does for each byte of them.
function levelTraces(result, intensity, y) {
  const resource = UNITS_OF_RATE[intensity];
  const levels = Object.entries(result.measured.work).filter(([name]) => rootOf(name) === resource);
  if (levels.length < 2 || !model().kernel || !(result.flops > 0) || result.place !== state.model)
    return [];
  return levels.map(([name, amount]) => {
    const key = `line:${name}`;
    return pointTrace(result, result.flops / amount, within(result.attainable, y), {
      marker: { ...markerOf(result, 8), symbol: "circle-open" },
      opacity: state.isolated === key ? 1 : 0.7 * opacityOf(`kernel:${model().name}`),
      customdata: [{ kind: "level", place: result.place, slot: result.slot, name, amount }],
    });
  });
}

// Steps of a composition, each as large as its share of the time.
function stepTraces(intensity, x, y) {
  const result = currentOf(0);
  if (!state.steps || model().kernel || !isSound(result)) return [];
  const steps = stepsOf(result)
    .filter(({ flops }) => flops > 0)
    .slice(0, 60);
  if (!steps.length) return [];
  return [
    {
      type: "scatter",
      mode: "markers",
      meta: "points",
      x: steps.map((step) => within(step[intensity], x)),
      y: steps.map((step) => within(step.attainable, y)),
      opacity: 0.6 * opacityOf(`kernel:${model().name}`),
      marker: {
        size: steps.map(({ share }) => 5 + 22 * Math.sqrt(share)),
        color: steps.map(({ bound }) => resourceColour(bound)),
        line: { width: 1, color: colour("--panel") },
      },
      hoverinfo: "none",
      customdata: steps.map((step) => ({ kind: "step", step, slot: 0 })),
    },
  ];
}

function rooflineTable(intensity) {
  const rows = [
    [
      "what",
      "machine",
      "name",
      "parameter",
      "value",
      `${intensity} [flop/B]`,
      "performance [flop/s]",
    ],
  ];
  for (const slot of usedSlots()) {
    for (const { ceilings, slopes } of linesOf(slot, intensity)) {
      for (const { name, value } of ceilings)
        rows.push(["ceiling", slotName(slot), name, "", "", "", value]);
      for (const { name, value } of slopes)
        rows.push(["bandwidth", slotName(slot), name, "", value, "", ""]);
    }
    for (const point of trajectoryOf(slot)) {
      rows.push([
        "trajectory",
        slotName(slot),
        model().name,
        axisControl().name,
        point.value,
        point[intensity],
        point.attainable,
      ]);
    }
  }
  for (const result of shownResults()) {
    rows.push([
      "point",
      slotName(result.slot),
      DATA.models[result.place].name,
      "",
      "",
      result[intensity],
      result.attainable,
    ]);
  }
  return rows;
}
