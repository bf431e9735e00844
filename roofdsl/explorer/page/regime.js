// The plane of two quantities, coloured by what binds; computed a few rows at a time.

const COARSE = 16; // cells of a side: at first, and then
const FINE = 64;
const BUDGET = 12; // milliseconds of a frame

views.regime = {
  title: "Regimes",
  heavy: true,
  available: () =>
    planeControls().length < 2 ? "A regime map needs two parameters or rates." : "",
  figure: regimeFigure,
  table: regimeTable,
};

// What is shown; `key` is what it depends on, or what is being computed to take its place does.
const regime = { key: "", axes: "", rows: [], xs: [], ys: [] };

function planeUsable() {
  return numberControls().filter(({ slot }) => slot !== 1);
}

function planeControls() {
  const usable = planeUsable();
  const chosen = state.plane.map((key) => usable.find((control) => control.key === key));
  const rest = usable.filter((control) => !chosen.includes(control));
  return chosen.map((control) => control ?? rest.shift()).filter(Boolean);
}

function regimeFigure() {
  const [across, up] = planeControls();
  const proof = provenOver(across, up);
  const key = JSON.stringify([state.slots[0].machine, valuesBut([across, up], 0)]);
  if (!proof && regime.key !== key) computeRegime(key, across, up);
  const bounds = [...new Set(regime.rows.flat())].filter(Boolean);
  const result = currentOf(0);
  const at = [across.value(), up.value()];
  const here = { ...modelMark(result, ...at), edge: "", at };
  return {
    traces: [
      ...(proof ? provenTraces(proof) : [sampledTrace(bounds)]),
      ...(isSound(result) ? [marksTrace([here])] : []),
    ],
    layout: layout({
      xaxis: planeAxis(across),
      yaxis: planeAxis(up),
      annotations: proof
        ? provenNames(proof, [across, up])
        : bounds.map(regimeName).filter(Boolean),
    }),
    notes: [proof ? proof.claim : sampledClaim()],
  };
}

function sampledClaim() {
  const [across, up] = [regime.xs.length, regime.ys.length];
  return `sampled at ${across} × ${up} points, nothing between them is proven`;
}

function sampledTrace(bounds) {
  return {
    type: "heatmap",
    x: regime.xs,
    y: regime.ys,
    z: regime.rows.map((row) => row.map((bound) => (bound ? bounds.indexOf(bound) : null))),
    zmin: -0.5,
    zmax: bounds.length - 0.5,
    colorscale: stepScale(bounds),
    showscale: false,
    hoverinfo: "none",
    customdata: regime.rows.map((row) => row.map((bound) => ({ kind: "regime", bound }))),
  };
}

function planeAxis({ name, quantity, slider }) {
  const [low, high, logarithmic] = slider();
  const units = quantity.inverse ? [] : quantity.units;
  const bare = { showgrid: false };
  if (!logarithmic) return linearAxis(name, [low, high], units, bare);
  return axis(name, [low, high].map(Math.log10), units, bare);
}

function stepScale(bounds) {
  const shades = bounds.map(fillColour);
  if (!shades.length) shades.push(colour("--faint"));
  return shades.flatMap((shade, at) => [at, at + 1].map((end) => [end / shades.length, shade]));
}

// A bound's name in the middle of its cells.
function regimeName(bound) {
  const [across, up] = planeControls();
  const cells = [];
  regime.rows.forEach((row, y) =>
    row.forEach((found, x) => {
      if (found === bound) cells.push([x, y]);
    }),
  );
  if (cells.length < 0.04 * regime.xs.length * regime.ys.length) return null; // no room
  const middle = (at) =>
    cells.map((cell) => cell[at]).sort((one, other) => one - other)[cells.length >> 1];
  const y = middle(1);
  const row = cells.filter((cell) => cell[1] === y).map(([x]) => x);
  const place = (value, control) => (control.slider()[2] ? Math.log10(value) : value);
  const at = [place(regime.xs[row[row.length >> 1]], across), place(regime.ys[y], up)];
  return annotation(boundName(bound), at, 12, colour("--ink"));
}

// Compute rows, first of few cells and then of many, until a frame's time is over: then go on in
// the next, unless something else is wanted by then.
async function computeRegime(key, across, up) {
  const axes = `${across.key} ${up.key}`;
  if (regime.axes !== axes) Object.assign(regime, { rows: [], xs: [], ys: [] });
  Object.assign(regime, { key, axes });
  let begun = performance.now();
  for (const side of [COARSE, FINE]) {
    const [xs, ys] = [across, up].map((each) => placesOn(each.slider(), each.integer, side));
    const rows = [];
    for (const y of ys) {
      rows.push(xs.map((x) => resultOf(state.model, 0, [across.change(x), up.change(y)]).bound));
      if (performance.now() - begun < BUDGET) continue;
      await new Promise(requestAnimationFrame);
      if (regime.key !== key) return;
      begun = performance.now();
    }
    Object.assign(regime, { xs, ys, rows });
    requestFrame();
  }
}

function regimeTable() {
  const [across, up] = planeControls();
  const proof = provenOver(across, up);
  if (proof) return provenTable(proof);
  const rows = [[across.name, up.name, "bound"]];
  regime.rows.forEach((row, y) =>
    row.forEach((bound, x) => rows.push([regime.xs[x], regime.ys[y], bound])),
  );
  return rows;
}
