// Performance over operational or communication intensity, under the machine's roof.

const FURTHEST = 1e4; // from ridge points, that a frame reaches for
const UNITS_OF_RATE = { OI: "memory", CAI: "network" };

views.roofline = rooflineOver("OI", "Roofline");
views.communication = rooflineOver("CAI", "Communication");

for (const name of OWN) {
  UNITS_OF_RATE[`flops/${name}`] = name;
  views[`over-${name}`] = rooflineOver(`flops/${name}`, `Over ${name}`);
}

function intensityLabel(name) {
  return DATA.labels[name] ?? `Intensity ${withUnit(name)}`;
}

function withUnit(name) {
  return `${name} [${quotientUnit(name)}]`;
}

function rooflineOver(intensity, title) {
  return {
    title,
    over: intensity,
    available: () => missing(intensity),
    figure: () => rooflineFigure(intensity),
    axes: [`${intensity} x`, `${intensity} y`],
    words: () => [[intensity, []], ["", FLOPS]],
    marks: () => rooflineMarks(intensity),
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

// Roofs of a slot, the machine's and its devices'; lines are { key, name, value, main, binds }.
function roofsOf(slot, intensity) {
  const { roofs, rates } = machineOf(slot);
  const result = currentOf(slot);
  const resource = UNITS_OF_RATE[intensity];
  const line = (place, main, binds) => {
    const { name, quantity } = rates[place];
    const units = quantity.inverse ? [] : quantity.units;
    return { key: `line:${name}`, name, value: result.machine.rates[place], main, binds, units };
  };
  return roofs
    .filter((roof) => roof.flops.length && roof[resource].length)
    .map(({ device, main, ...lines }) => {
      const prefix = device && `${device}.`;
      const plain = main[COUNTED_AND_OWN.indexOf(resource)];
      const slopes = lines[resource].map((place) => {
        const names = [rates[place].name, `${prefix}${resource}`];
        return line(place, place === plain, place === plain ? names : names.slice(0, 1));
      });
      const kinds = lines.flops.map((place) => line(place, place === main[0], [`${prefix}flops`]));
      return { device, slopes, ceilings: underPeak(kinds, result, device) };
    });
}

// Ceilings of which the peak of what is predicted counts, a line of its own where no kind has it.
function underPeak(ceilings, { measured, peak: whole }, device) {
  const { work, peaks } = measured;
  const start = device ? `${device}.flops` : "flops";
  const kinds = Object.keys(work).filter((name) => name.startsWith(start) && work[name] > 0);
  const own = Object.entries(peaks ?? {}).filter(([name]) => name.startsWith(`${device}.`));
  const spent = device && Math.max(0, ...own.map(([, time]) => time));
  const peak = spent ? total(...kinds.map((name) => work[name])) / spent : whole;
  if (!kinds.length || !(peak > 0)) return ceilings;
  const alike = ceilings.filter(({ value }) => isNear(value, peak));
  const line = { key: "line:peak", name: "peak of the mix", units: FLOPS };
  const mix = { ...line, value: peak, binds: [start] };
  const named = alike.find(({ name }) => kinds.includes(name));
  const chosen = named ?? alike.find(({ main }) => main) ?? alike[0] ?? mix;
  const others = ceilings.filter((each) => each !== chosen);
  return [...others.map((each) => ({ ...each, main: false })), { ...chosen, main: true }];
}

// Whether a mark is on one of the lines of what binds it, or in its region below the only roof
// where nothing else keeps it there.
function roofSays(roofs, only, { x, y, bound, measured }) {
  if (!bound) return true;
  const devices = new Set(Object.keys(measured.work).map((name) => name.split(".")[0]));
  const own = roofs.find(({ device }) => devices.size === 1 && devices.has(device));
  const roof = own ?? roofs.find(({ device }) => !device);
  if (!roof) return false;
  const on = (line, height) => line.binds.includes(bound) && Math.abs(height - y) <= ALIKE * height;
  const { slopes, ceilings } = roof;
  if (slopes.some((line) => on(line, line.value * x))) return true;
  if (ceilings.some((line) => on(line, line.value))) return true;
  const [slope, ceiling] = [slopes, ceilings].map((lines) => lines.find(({ main }) => main));
  if (ceilingOf(measured).lowered || !only || !slope || !ceiling) return false;
  const [left, right] = [slope, ceiling].map(({ binds }) => binds.includes(bound));
  return (left && x * slope.value <= ceiling.value) || (right && x * slope.value >= ceiling.value);
}

function isNear(one, other) {
  return Math.abs(one - other) <= 1e-9 * Math.max(Math.abs(one), Math.abs(other));
}

function rooflineFigure(intensity) {
  const roofs = usedSlots().flatMap((slot) =>
    roofsOf(slot, intensity).map((roof) => [slot, roof]),
  );
  const path = pathPoints(intensity, "attainable");
  const [x, y] = rooflineFrame(intensity, roofs, path);
  return {
    traces: [
      ...roofs.flatMap(([slot, roof]) => roofTraces(slot, roof, x)),
      ...pathTraces(intensity, "attainable"),
    ],
    layout: layout({
      xaxis: axis(intensityLabel(intensity), x),
      yaxis: axis(upright(DATA.performance, ""), y, FLOPS),
      annotations: roofs.flatMap(([slot, roof]) => lineNames(slot, roof, x, y)),
    }),
    path,
  };
}

// Around the ridge points, wide enough for points that are not too far away.
function rooflineFrame(intensity, roofs, path) {
  const corners = roofs.flatMap(([, { ceilings: tops, slopes }]) =>
    tops.flatMap((top) => slopes.map((slope) => [top.value / slope.value, top.value])),
  );
  const marks = rooflineMarks(intensity).map(({ x, y }) => [x, y]);
  const line = inner(path);
  const frame = (name, at, margins) => {
    const own = corners.map((corner) => corner[at]);
    const [low, high] = [Math.min(...own) / FURTHEST, Math.max(...own) * FURTHEST];
    const near = marks.map((mark) => mark[at]).filter((value) => value > low && value < high);
    const around = own.flatMap((value) => margins.map((margin) => value * margin));
    return widened(name, [...around, ...near, ...line.map((point) => point[at])]);
  };
  return [
    frame(`${intensity} x`, 0, [1 / 30, 30]),
    frame(`${intensity} y`, 1, [1 / 300, 2]),
  ];
}

function rooflineMarks(intensity) {
  const roofs = new Map(usedSlots().map((slot) => [slot, roofsOf(slot, intensity)]));
  const single = [...roofs.values()].flat().length === 1;
  const found = shownResults();
  const marks = [
    ...stepMarks(intensity),
    ...found.flatMap((result) => levelMarks(result, intensity)),
    ...found.map((result) => modelMark(result, result[intensity], result.attainable)),
  ];
  return marks.map((mark) => {
    const own = roofs.get(mark.card.slot);
    const start = own[0]?.slopes.find(({ main }) => main)?.value;
    return { ...mark, start, said: roofSays(own, single, mark) };
  });
}

function roofTraces(slot, { ceilings: tops, slopes }, x) {
  const peak = Math.max(...tops.map(({ value }) => value));
  const fastest = Math.max(...slopes.map(({ value }) => value));
  const [left, right] = x.map((power) => 10 ** power);
  const made = slopes.map((slope) => {
    const end = [peak / slope.value, peak];
    return lineTrace(slot, slope, [left, slope.value * left], end);
  });
  const flat = tops.map((top) =>
    lineTrace(slot, top, [top.value / fastest, top.value], [right, top.value]),
  );
  return [...made, ...flat].filter(({ x: ends }) => ends[0] < right);
}

// With points along the line, so that all of it can be pointed at.
function lineTrace(slot, { key, name, value, main }, first, last) {
  const points = Array.from({ length: 16 }, (_, at) =>
    first.map((start, axisAt) => start * (last[axisAt] / start) ** (at / 15)),
  );
  return curve(points, { ...slotLine(slot), width: main ? 2.2 : 1.1 }, {
    opacity: opacityOf(key),
    hoverinfo: "none",
    customdata: points.map(() => ({ kind: "line", name, value, slot })),
  });
}

// The names of lines, once for those that lie on one another: above them, the lowest one's below.
function lineNames(slot, { ceilings: lids, slopes }, x, y) {
  const [peak, fastest] = [lids, slopes].map((all) => Math.max(...all.map(({ value }) => value)));
  const groups = [lids, slopes].map((lines) => together(lines, (y[1] - y[0]) / 60));
  const inTurn = (sides, at, { length }) => (at && at === length - 1 ? sides.reverse() : sides);
  const tops = groups[0].map((lines, at, all) => {
    const ends = [Math.max(x[0], Math.log10(lines[0].value / fastest)), x[1]];
    const parts = [slot ? 0.8 : 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3];
    const sides = ["bottom", "top"].map((yanchor) => ({ xanchor: "right", yanchor }));
    const places = placesAlong(parts, ends, inTurn(sides, at, all));
    const corner = { x: ends[0], xanchor: "right", yanchor: "bottom", xshift: -3 };
    const isRoof = lines.some((line) => isNeeded(line, slot));
    return nameAt(lines, slot, isRoof ? [...places, corner] : places, (_, rate) => rate);
  });
  const rising = groups[1].map((lines, at, all) => {
    const rise = Math.log10(lines[0].value);
    const ends = [Math.max(x[0], y[0] - rise), Math.min(x[1], Math.log10(peak) - rise)];
    const first = 0.35 + 0.12 * (at % 3) + (slot ? 0.2 : 0);
    const sides = [
      { xanchor: "right", yanchor: "bottom", xshift: -3 },
      { xanchor: "left", yanchor: "top", xshift: 3 },
    ];
    const parts = [first, 0.5, 0.65, 0.8, 0.35, 0.2, 0.95];
    const places = placesAlong(parts, ends, inTurn(sides, at, all));
    return nameAt(lines, slot, places, (across, rate) => across + rate);
  });
  return [...tops, ...rising];
}

// Places for a name at parts of a line, on one side of it and then on the other.
function placesAlong(parts, [low, high], sides) {
  return sides.flatMap((side) => parts.map((part) => ({ ...side, x: low + part * (high - low) })));
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

// The value of a line in its unit; there is no room for it on a narrow screen.
function rateText({ value, units }) {
  return isNarrow(700) ? "" : showQuantity(value, units, 3);
}

// Whether the name of a line must be there: of the first machine's roof, or of what stands alone.
function isNeeded({ main, key }, slot) {
  return state.isolated === key || (main && !slot);
}

// The names of lines as an annotation: all where there is room, else those that must be there, or
// that of the line beside it; `height` of a line at a place is its power of ten.
function nameAt(lines, slot, places, height) {
  const hue = colour(slot ? "--slot-b" : "--muted");
  const opacity = lines.every(({ key }) => isDimmed(key)) ? 0.2 : 1;
  const needed = lines.filter((line) => isNeeded(line, slot));
  const placed = places.map((place) => {
    const line = place.yanchor === "top" ? lines.at(-1) : lines[0];
    return { line, place: { ...place, y: height(place.x, Math.log10(line.value)) } };
  });
  const [first, ...others] = [
    ...placed.map(({ place }) => ({ ...place, text: namesOf(lines) })),
    ...placed.map(({ place, line }) => ({
      ...place,
      text: namesOf(needed.length ? needed : [line]),
    })),
  ];
  const more = { opacity, spare: !needed.length, ...first, others };
  return annotation(first.text, [first.x, first.y], 10.5, hue, more);
}

// The names of lines, with the value of each that the next does not share.
function namesOf(lines) {
  const names = lines.map((line, at) => {
    const name = line.name.replace(/^flops\./, "");
    const isLast = at === lines.length - 1 || !isNear(line.value, lines[at + 1].value);
    return isLast ? `${name} ${rateText(line)}`.trim() : name;
  });
  return names.join(", ");
}

// Levels of memory of a kernel: what it does for each byte of them.
function levelMarks(result, intensity) {
  const resource = UNITS_OF_RATE[intensity];
  const levels = Object.entries(result.measured.work).filter(([name]) => rootOf(name) === resource);
  if (levels.length < 2 || !model().kernel || !(result.flops > 0) || result.place !== state.model)
    return [];
  return levels.map(([name, amount]) => ({
    ...modelMark(result, result.flops / amount, result.attainable),
    ...{ kind: "level", name, size: 8, symbol: "circle-open" },
    fade: state.isolated === `line:${name}` ? 1 : 0.7 * opacityOf(`kernel:${model().name}`),
    card: { kind: "level", place: result.place, slot: result.slot, name, amount },
  }));
}

// Steps of a composition, each as large as its share of the time.
function stepMarks(intensity) {
  const result = currentOf(0);
  if (!state.steps || model().kernel || !isSound(result)) return [];
  return stepsOf(result).map((step) => ({
    ...modelMark(result, step[intensity], step.attainable),
    ...{ kind: "step", name: step.path, bound: step.bound, measured: step.measured },
    ...{ size: 5 + 22 * Math.sqrt(step.share), symbol: "circle", hue: colour("--panel"), line: 1 },
    fade: 0.6 * opacityOf(`kernel:${model().name}`),
    card: { kind: "step", step, slot: 0 },
  }));
}

function rooflineTable(intensity) {
  const rows = [
    "what,machine,name,parameter,value".split(",").concat([
      withUnit(intensity),
      "performance [flop/s]",
      "bound",
    ]),
  ];
  for (const slot of usedSlots()) {
    const machine = slotName(slot);
    for (const { ceilings: tops, slopes } of roofsOf(slot, intensity)) {
      for (const { name, value } of tops) rows.push(["ceiling", machine, name, "", "", "", value]);
      for (const { name, value } of slopes) rows.push(["bandwidth", machine, name, "", value]);
    }
  }
  return [...rows, ...pointRows(rooflineMarks(intensity), intensity, "attainable")];
}
