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

// What is shown, and what is being computed to take its place.
const regime = { key: "", rows: [], xs: [], ys: [], next: null };

function planeUsable() {
  return numberControls().filter(({ slot }) => slot !== 1);
}

function planeControls() {
  const usable = planeUsable();
  const chosen = state.plane.map((key) => usable.find((control) => control.key === key));
  const rest = usable.filter((control) => !chosen.includes(control));
  return chosen.map((control) => control ?? rest.shift()).filter(Boolean);
}

function regimeKey(chosen) {
  return JSON.stringify([state.slots[0].machine, valuesBut(chosen, 0)]);
}

function regimeFigure() {
  const [across, up] = planeControls();
  const key = regimeKey([across, up]);
  if (regime.key !== key) startRegime(key, across, up, COARSE);
  const bounds = [...new Set(regime.rows.flat())].filter(Boolean);
  const result = currentOf(0);
  const at = [across.value(), up.value()];
  const here = { ...modelMark(result, ...at), edge: "", at };
  const scale = (control) => (control.slider()[2] ? {} : { type: "linear", dtick: undefined });
  const span = (control) => {
    const [low, high, logarithmic] = control.slider();
    return logarithmic ? [Math.log10(low), Math.log10(high)] : [low, high];
  };
  return {
    traces: [
      {
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
      },
      ...(isSound(result) ? [marksTrace([here])] : []),
    ],
    layout: layout({
      xaxis: axis(axisTitle(across), span(across), { ...scale(across), showgrid: false }),
      yaxis: axis(axisTitle(up), span(up), { ...scale(up), showgrid: false }),
      annotations: bounds.map(regimeName).filter(Boolean),
    }),
  };
}

function axisTitle(control) {
  const unit = control.quantity.inverse
    ? ""
    : control.quantity.units.find(([power]) => power === 0)?.[1];
  return unit ? `${control.name} [${unit}]` : control.name;
}

function stepScale(bounds) {
  const shades = bounds.map((bound) => {
    const root = rootOf(bound);
    return root ? colour(`--fill-${root}`) : resourceColour(bound);
  });
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

function startRegime(key, across, up, side) {
  const [xs, ys] = [across, up].map((control) => placesOn(control.slider(), control.integer, side));
  if (regime.axes !== `${across.key} ${up.key}`)
    Object.assign(regime, { rows: [], xs: [], ys: [] });
  Object.assign(regime, { key, axes: `${across.key} ${up.key}`, next: { xs, ys, rows: [], side } });
  continueRegime(key, across, up);
}

// Compute rows until the frame's time is over, then go on in the next.
function continueRegime(key, across, up) {
  if (regime.key !== key || !regime.next) return;
  const { xs, ys, rows, side } = regime.next;
  const begun = performance.now();
  while (rows.length < ys.length && performance.now() - begun < BUDGET) {
    const y = ys[rows.length];
    rows.push(xs.map((x) => resultOf(state.model, 0, [across.change(x), up.change(y)]).bound));
  }
  if (rows.length < ys.length) {
    requestAnimationFrame(() => continueRegime(key, across, up));
    return;
  }
  Object.assign(regime, { xs, ys, rows, next: null });
  requestFrame();
  if (side === COARSE) startRegime(key, across, up, FINE);
}

function regimeTable() {
  const [across, up] = planeControls();
  const rows = [[across.name, up.name, "bound"]];
  regime.rows.forEach((row, y) =>
    row.forEach((bound, x) => rows.push([regime.xs[x], regime.ys[y], bound])),
  );
  return rows;
}
