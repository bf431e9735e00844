// The roofline in three dimensions: performance over two intensities, by default operational and
// communication intensity.

views.surface = {
  title: "Surface",
  heavy: true,
  ofPlane: true,
  available: withoutPlane,
  figure: surfaceFigure,
  table: surfaceTable,
};

const SOLIDS = ["circle", "square", "diamond", "cross", "x"];

function surfaceFigure() {
  const rates = threeRates(0);
  const { over, against } = plane();
  const found = shownResults().filter(({ slot }) => slot === 0);
  const points = inner(trajectoryOf(0));
  const corner = (name, ridge) =>
    widened(`surface ${name}`, [
      ridge / 20,
      ridge * 20,
      ...[...found, ...points].map((point) => point[name]),
    ]);
  const x = corner(over, rates[0] / rates[1]);
  const y = corner(against, rates[0] / rates[2]);
  const planes = planesOf(rates, x, y);
  const marks = found.map((result) =>
    modelMark(result, result[over], result[against], { result, said: planeSays(result) }),
  );
  const placed = standing(marks, x, y);
  const along = trajectoryOf(0).map((point) => [point[over], point[against]]);
  const path = trajectoryOf(0).filter(
    (_, at) => isWithin(along[at][0], x) && isWithin(along[at][1], y),
  );
  const heights = planes.flatMap(({ corners }) => corners.map((place) => heightAt(rates, place)));
  const above = (Math.max(...heights) / Math.min(...heights)) ** ABOVE;
  return {
    traces: [
      ...planes.map((plane) => planeTrace(rates, plane)),
      ...planes.map((plane) => edgeTrace(rates, plane)),
      pathAbove(path, above),
      ...placed.map((mark) => pointAbove(mark, above)),
    ],
    layout: layout({ margin: { l: 0, r: 0, t: 0, b: 0 }, scene: scene(x, y, heights) }),
    notes: beyond(marks, placed, along, [[over, []], [against, []]], [x, y]),
  };
}

// Lines and points stand a little above the planes, so that these do not hide them.
const ABOVE = 0.012; // of the height

function pathAbove(path, above) {
  const { over, against } = plane();
  const points = path.map((point) => [point[over], point[against], point.attainable * above]);
  return {
    ...solid(points, "lines"),
    line: { color: seriesColour(state.model), width: 7 },
    hoverinfo: "none",
    customdata: path.map(({ value }) => ({ kind: "path", value, slot: 0 })),
  };
}

// Something through points in space, [x, y, z] each.
function solid(points, mode) {
  const [x, y, z] = [0, 1, 2].map((axisAt) => points.map((point) => point[axisAt]));
  return { type: "scatter3d", mode, x, y, z, hoverinfo: "skip" };
}

// A point, open at the edge where it lies beyond; with a ceiling where no face says its bound.
function pointAbove({ name, edge, at, card, bound, said, measured, result }, above) {
  const height = result.attainable * above ** 3;
  const across = said ? [at[0]] : [at[0] / 2, at[0], at[0] * 2];
  const points = across.map((x) => [x, at[1], height]);
  return {
    ...solid(points, said ? "markers" : "markers+lines+text"),
    marker: {
      size: across.map((x) => (x === at[0] ? 8 : 0)),
      symbol: edge ? "circle-open" : SOLIDS[result.place % SOLIDS.length],
      color: resourceColour(bound),
      line: { width: 2, color: seriesColour(result.place) },
    },
    line: { color: resourceColour(bound), width: 4 },
    text: across.map((x) => (said || x !== at[0] ? "" : ceilingOf(measured).text)),
    textposition: "bottom center",
    textfont: { color: resourceColour(bound), size: 11 },
    name,
    hoverinfo: "none",
    customdata: across.map(() => card),
  };
}

function heightAt([flops, one, other], [x, y]) {
  return Math.min(flops, one * 10 ** x, other * 10 ** y);
}

// With logarithmic axes the surface is three planes: where each limit is the least of all.
function planesOf(rates, x, y) {
  const tilts = [[0, 0], [1, 0], [0, 1]];
  const limits = Object.fromEntries(
    plane().resources.map((name, at) => [name, [Math.log10(rates[at]), ...tilts[at]]]),
  );
  const whole = [[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]];
  return Object.entries(limits).map(([resource, own]) => {
    const others = Object.values(limits).filter((limit) => limit !== own);
    return {
      resource,
      corners: others.reduce((corners, other) => belowOf(corners, own, other), whole),
    };
  });
}

// The part of a polygon where one limit is not above another.
function belowOf(corners, own, other) {
  const excess = ([x, y]) => own[0] - other[0] + (own[1] - other[1]) * x + (own[2] - other[2]) * y;
  return corners.flatMap((corner, at) => {
    const next = corners[(at + 1) % corners.length];
    const [here, there] = [excess(corner), excess(next)];
    const kept = here <= 0 ? [corner] : [];
    if ((here < 0 && there > 0) || (here > 0 && there < 0)) {
      const part = here / (here - there);
      kept.push(corner.map((start, axisAt) => start + part * (next[axisAt] - start)));
    }
    return kept;
  });
}

function planeTrace(rates, { resource, corners }) {
  const inside = corners.slice(2);
  return {
    ...solid(spots(rates, corners)),
    type: "mesh3d",
    i: inside.map(() => 0),
    j: inside.map((_, at) => at + 1),
    k: inside.map((_, at) => at + 2),
    color: fillColour(resource),
    flatshading: true,
    opacity: 0.75, // points may lie below
    lighting: { ambient: 1, diffuse: 0, specular: 0 },
  };
}

function edgeTrace(rates, { corners }) {
  const around = spots(rates, [...corners, ...corners.slice(0, 1)]);
  return { ...solid(around, "lines"), line: { color: colour("--muted"), width: 2 } };
}

function spots(rates, corners) {
  return corners.map(([x, y]) => [10 ** x, 10 ** y, heightAt(rates, [x, y])]);
}

function scene(x, y, heights) {
  const flat = (name, range, units) => {
    const { type, title, tickvals, ticktext } = axis(name, range, units);
    const look = { gridcolor: colour("--faint"), color: colour("--ink") };
    const bare = { showbackground: false, showspikes: false };
    return { type, title: { text: title.text }, range, tickvals, ticktext, ...look, ...bare };
  };
  const z = [Math.log10(Math.min(...heights)), Math.log10(Math.max(...heights)) + 0.3];
  return {
    uirevision: "stay",
    xaxis: flat(withUnit(plane().over), x),
    yaxis: flat(withUnit(plane().against), y),
    zaxis: flat(DATA.performance, z, FLOPS),
    camera: { eye: { x: -1.35, y: -1.35, z: 1.15 } },
    aspectmode: "manual",
    aspectratio: { x: 1.1, y: 1.1, z: 0.8 },
  };
}

const CELLS = 21; // of a side of the table

function surfaceTable() {
  const rates = threeRates(0);
  const { over, against } = plane();
  const places = ([low, high]) =>
    Array.from({ length: CELLS }, (_, at) => low + ((high - low) * at) / (CELLS - 1));
  const titles = [over, against].map(withUnit);
  const rows = [["what", "name", ...titles, "performance [flop/s]", "bound"]];
  const row = (what, name, point) =>
    rows.push([what, name, point[over], point[against], point.attainable, point.bound]);
  for (const result of shownResults())
    if (result.slot === 0) row("point", DATA.models[result.place].name, result);
  for (const point of trajectoryOf(0)) row("trajectory", model().name, point);
  for (const y of places(ranges.get(`surface ${against}`) ?? [-1, 3])) {
    for (const x of places(ranges.get(`surface ${over}`) ?? [-1, 3]))
      rows.push(["surface", "", 10 ** x, 10 ** y, heightAt(rates, [x, y])]);
  }
  return rows;
}
