// Numbers as people read and type them, as units/quantity.py has them.

const LARGE_EXPONENT = 6;
const SMALL_EXPONENT = -5;
const WHOLE = 1e9;

function showNumber(value, digits = 4) {
  if (typeof value === "boolean") return value ? "true" : "false";
  if (Number.isNaN(value)) return "undefined";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  if (Math.abs(value) < WHOLE && Number.isInteger(value)) return String(value);
  const [mantissa, exponent] = rounded(value, digits);
  if (exponent <= SMALL_EXPONENT || exponent >= LARGE_EXPONENT) {
    return `${withoutZeros(mantissa)}e${exponent}`;
  }
  if (exponent >= digits) return showNumber(value, exponent + 1); // the whole part, if it is longer
  return withoutZeros(Number(`${mantissa}e${exponent}`).toFixed(digits - 1 - exponent));
}

// A number of SI base units; `units` are [exponent of ten, unit] in ascending order.
function showQuantity(value, units, digits = 4) {
  if (units.length === 0 || Number.isNaN(value)) return showNumber(value, digits);
  const unit = unitFor(value, units, digits);
  return `${showNumber(scaled(value, -unit[0]), digits)} ${unit[1]}`;
}

// What stands between a formula and its value: it is equal to what is shown where nothing is cut.
function relationTo(value, digits = 4) {
  return Number(showNumber(value, digits)) === value || !Number.isFinite(value) ? "=" : "≈";
}

// The unit that leaves one to three digits before the point.
function unitFor(value, units, digits = 4) {
  const plain = units.find(([exponent]) => exponent === 0) ?? units[0];
  if (!Number.isFinite(value) || value === 0 || units.length === 1) return plain;
  const [, exponent] = rounded(value, digits);
  const least = units[0][0];
  const most = units.at(-1)[0];
  const wanted = Math.max(least, Math.min(most, Math.floor(exponent / 3) * 3));
  const found = units.find(([power]) => power === wanted) ?? plain;
  return Math.abs(exponent - found[0]) > 3 ? plain : found;
}

// value · 10^exponent, rounded once where the power is exact.
function scaled(value, exponent) {
  return exponent < 0 ? value / 10 ** -exponent : value * 10 ** exponent;
}

// As Python rounds: of two that are as near, JavaScript takes the larger and Python the even one.
function rounded(value, digits) {
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
  const [exactly, unrounded] = value.toExponential(100).split("e");
  const kept = exactly.slice(0, mantissa.length);
  const tie = /^\.?50*$/.test(exactly.slice(kept.length));
  if (tie && "02468".includes(kept.at(-1))) return [kept, Number(unrounded)];
  return [mantissa, Number(exponent)];
}

function withoutZeros(text) {
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

function showPercent(part) {
  return Number.isFinite(part) ? `${showNumber(100 * part, 3)} %` : "–";
}

// What people see of a quantity's value: a latency is one over a rate.
function shownValue(value, quantity) {
  return quantity.inverse ? 1 / value : value;
}

function show(value, quantity, digits = 6) {
  return showQuantity(shownValue(value, quantity), quantity.units, digits);
}

// The number of SI base units that a text means, NaN for none; `unit` is meant without one.
function readQuantity(text, quantity, unit) {
  const match = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*(\S*)\s*$/i.exec(text);
  if (!match) return NaN;
  const spelled = match[2] || unit;
  const factor = spelled ? quantity.spellings.find(([name]) => name === spelled)?.[1] : 1;
  if (factor === undefined) return NaN;
  const value = factor < 1 ? Number(match[1]) / (1 / factor) : Number(match[1]) * factor;
  return quantity.inverse ? 1 / value : value;
}

// The number for a field, and the unit beside it.
function fieldText(value, quantity) {
  const seen = shownValue(value, quantity);
  if (quantity.units.length === 0) return [fieldNumber(seen), ""];
  const [exponent, unit] = unitFor(seen, quantity.units);
  return [fieldNumber(scaled(seen, -exponent)), unit];
}

function fieldNumber(value) {
  const isWhole = Number.isInteger(value) && Math.abs(value) < 1e15;
  return String(isWhole ? value : Number(value.toPrecision(7))).replace("e+", "e");
}
