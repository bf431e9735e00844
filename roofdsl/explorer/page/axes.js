// Axes: in the unit that fits, with ticks that are plain numbers or powers, never both, as
// figures/axis_unit.py, scale.py and lettering.py have them. Data are in SI base units.

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const BESIDE = 12; // powers of ten beyond the frame that have ticks: it can be moved

// A logarithmic axis between two powers of ten.
function axis(name, range, units = [], extra = {}) {
  const [exponent, unit] = unitBetween(range, units);
  const ticks = powerTicks(range, exponent);
  return { type: "log", ...axisLook(name, unit, range, ticks), ...extra };
}

// A linear one between two numbers.
function linearAxis(name, range, units = [], extra = {}) {
  const [exponent, unit] = unitUpTo(Math.max(...range.map(Math.abs)), units);
  const ticks = evenTicks(range, exponent);
  return { type: "linear", ...axisLook(name, unit, range, ticks), ...extra };
}

// A title along an upright axis: the short one where figures are low.
function upright(long, short) {
  return isNarrow(820) ? short : long;
}

function axisLook(name, unit, range, [tickvals, ticktext]) {
  const line = colour("--faint");
  const text = unit ? `${name} [${unit}]`.trim() : name;
  return {
    title: { text, font: { size: 12 }, standoff: 6 },
    range,
    gridcolor: line,
    linecolor: colour("--muted"),
    zeroline: false,
    showline: true,
    ticks: "outside",
    tickcolor: line,
    ticklen: 4,
    tickmode: "array",
    tickvals,
    ticktext,
    minor: { ticks: "", showgrid: false },
    automargin: true,
    fixedrange: matchMedia("(pointer: coarse)").matches,
  };
}

// The unit of a logarithmic axis, with its exponent: plain numbers reach as far along it as they
// can, and in its middle are from 1 to 1000.
function unitBetween([first, last], units) {
  const strain = ([exponent]) => {
    const beyond = Math.max(0, exponent - 3 - first) + Math.max(0, last - exponent - 4);
    return [beyond, Math.abs((first + last) / 2 - exponent - 1.5)].map(toMillionths);
  };
  let best = [0, ""];
  let least = [Infinity, Infinity];
  for (const each of units) {
    const [beyond, away] = strain(each);
    if (beyond > least[0] || (beyond === least[0] && away >= least[1])) continue;
    [best, least] = [each, [beyond, away]];
  }
  return best;
}

function toMillionths(value) {
  return Math.round(value * 1e6);
}

// The unit of a linear axis that reaches up to a number.
function unitUpTo(largest, units) {
  const fitting = units.filter(([exponent]) => 10 ** exponent <= largest);
  return fitting.at(-1) ?? units[0] ?? [0, ""];
}

function powerTicks([first, last], exponent) {
  const step = last - first > 8 ? 2 : 1;
  const [low, high] = [first, last].map((end) => end - exponent);
  const start = Math.ceil((low - BESIDE) / step) * step;
  const count = Math.floor((high + BESIDE - start) / step) + 1;
  const powers = Array.from({ length: count }, (_, at) => start + at * step);
  const isShort = (power) => power >= -3 && power <= 4;
  const isPlain = powers.filter((power) => power >= low && power <= high).every(isShort);
  const text = (power) =>
    isPlain && isShort(power) ? (10 ** power).toFixed(Math.max(0, -power)) : `10${raised(power)}`;
  return [powers.map((power) => 10 ** (power + exponent)), powers.map(text)];
}

function raised(power) {
  const digits = [...String(Math.abs(power))].map((digit) => SUPERSCRIPTS[digit]);
  return `${power < 0 ? "⁻" : ""}${digits.join("")}`;
}

// Ticks at round numbers, about six of them.
function evenTicks([low, high], exponent) {
  const [first, last] = [low, high].map((end) => scaled(end, -exponent));
  const rough = (last - first) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((each) => each >= rough);
  const start = Math.ceil(first / step - 1e-9);
  const count = Math.floor(last / step + 1e-9) - start + 1;
  const places = Array.from({ length: count }, (_, at) => (start + at) * step);
  const values = places.map((value) => Number(value.toPrecision(12))); // not 0.30000000000000004
  return [values.map((value) => scaled(value, exponent)), values.map((value) => showNumber(value))];
}
