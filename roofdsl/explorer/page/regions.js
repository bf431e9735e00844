// The regions and boundaries of a map that is proven, as answer/mapping.py has it.

const NO_BOUND = ["undecided", "no value", "nothing"];

function provenTraces({ regions, boundaries, isFlipped }) {
  const turned = (points) => (isFlipped ? points.map(([x, y]) => [y, x]) : points);
  const areas = regions.filter(({ bound }) => bound).map(({ bound, x, low, high }) => {
    const below = x.map((at, place) => [at, low[place]]);
    const above = x.map((at, place) => [at, high[place]]).reverse();
    const fillcolor = NO_BOUND.includes(bound) ? colour("--faint") : fillColour(bound);
    const hatched = bound === "undecided" && { fillpattern: { shape: "/", size: 6 } };
    const line = { width: 1, color: fillcolor };
    return curve(turned([...below, ...above]), line, { fill: "toself", fillcolor, ...hatched });
  });
  const lines = boundaries.map(({ x, y }) => {
    const points = turned(x.map((at, place) => [at, y[place]]));
    return curve(points, { color: colour("--ink"), width: 1.6 });
  });
  return [...areas, ...lines];
}

// Bounds in their widest regions, formulas beside their boundaries; `controls` are the axes.
function provenNames({ regions, boundaries, isFlipped }, controls) {
  const named = (text, [x, y], size, more) => {
    const at = (isFlipped ? [y, x] : [x, y]).map((value, axisAt) =>
      controls[axisAt].slider()[2] ? Math.log10(value) : value,
    );
    return annotation(text, at, size, colour("--ink"), more);
  };
  const widest = new Map();
  for (const { bound, x, low, high } of regions) {
    const long = Math.log(x.at(-1) / x[0]);
    const at = x.length >> 1;
    const size = Math.min(long, Math.log(high[at] / low[at]));
    if (!bound || !(size > 0.5) || size <= (widest.get(bound)?.size ?? 0)) continue;
    widest.set(bound, { size, place: [x[at], Math.sqrt(low[at]) * Math.sqrt(high[at])] });
  }
  const names = [...widest].map(([bound, { place }]) =>
    named(NO_BOUND.includes(bound) ? bound : boundName(bound), place, 12),
  );
  const more = { yshift: 14, bgcolor: colour("--panel"), opacity: 0.9 };
  const longest = [...boundaries].sort((one, other) => one.x.length - other.x.length);
  const written = new Map(longest.map(({ formula, x, y }) => [formula, [x, y]]));
  written.delete("");
  const formulas = [...written].map(([formula, [x, y]]) =>
    named(formula, [x[x.length >> 1], y[x.length >> 1]], 11, more),
  );
  return [...formulas, ...names];
}

function provenTable({ names, boundaries, claim }) {
  const rows = [[...names, "below", "above", "formula"]];
  for (const { below, above, formula, x, y } of boundaries)
    x.forEach((at, place) => rows.push([at, y[place], below, above, formula]));
  return [...rows, [], ["proof", claim]];
}
