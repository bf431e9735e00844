// The same formulas in fractions of whole numbers: in a scope within that of arithmetic.js, these
// functions stand before those there. What is not rational (a root, a logarithm) is rounded to 256
// binary digits; `error` tells how near another number may then be, relatively, and yet be equal.

const DIGITS = 256n;
const UNIT = 1n << DIGITS;
const ROUNDED = 2 ** -160; // above what is lost where numbers cancel on the way
const MOST_DIGITS = 8192; // of a fraction; the page must stay quick
const MOST_EXACT_TERMS = 500;

class Fraction {
  constructor(above, below, error = 0) {
    const divisor = commonDivisor(above, below) * (below < 0n ? -1n : 1n) || 1n;
    this.above = below ? above / divisor : 0n; // 0/0 is what has no value
    this.below = below / divisor;
    this.error = error;
    if (digitsOf(this.above) + digitsOf(this.below) > MOST_DIGITS) tooLong();
  }

  valueOf() {
    if (!this.below) return NaN;
    const shift = digitsOf(this.above) - digitsOf(this.below) - 64;
    return shifted(Number(scaled(this, -shift)), shift);
  }
}

const NOTHING = new Fraction(0n, 0n);

function tooLong() {
  throw new RangeError("exact numbers are too long here");
}

function commonDivisor(one, other) {
  while (other) [one, other] = [other, one % other];
  return one < 0n ? -one : one;
}

function digitsOf(whole) {
  return whole.toString(2).length;
}

// value · 2^exponent, without what is behind the point.
function scaled({ above, below }, exponent) {
  const power = BigInt(Math.abs(exponent));
  return exponent < 0 ? above / (below << power) : (above << power) / below;
}

function fraction(_, above, below) {
  return new Fraction(above, below);
}

// A number is the decimal that it is written as: 0.1 is 1/10.
function exactly(value) {
  if (value instanceof Fraction) return value;
  const match = /^(-?\d+)\.?(\d*)(?:e([+-]\d+))?$/.exec(String(+value));
  if (!match) return NOTHING;
  const [, whole, part, power = "0"] = match;
  const exponent = Number(power) - part.length;
  const factor = 10n ** BigInt(Math.abs(exponent));
  const digits = BigInt(whole + part);
  return exponent < 0 ? new Fraction(digits, factor) : new Fraction(digits * factor, 1n);
}

function add(one, other) {
  const [a, b] = [exactly(one), exactly(other)];
  const above = a.above * b.below + b.above * a.below;
  return new Fraction(above, a.below * b.below, Math.max(a.error, b.error));
}

function multiply(one, other) {
  const [a, b] = [exactly(one), exactly(other)];
  return new Fraction(a.above * b.above, a.below * b.below, Math.max(a.error, b.error));
}

function divide(one, other) {
  const { above, below, error } = exactly(other);
  return multiply(one, below ? new Fraction(below, above, error) : NOTHING);
}

function total(...terms) {
  return terms.reduce(add);
}

function product(...factors) {
  return factors.reduce(multiply);
}

function sumOver(low, high, term) {
  const first = Number(ceil(low));
  const count = Math.max(0, Number(floor(high)) - first + 1);
  termsLeft -= count;
  if (!(termsLeft >= MOST_TERMS - MOST_EXACT_TERMS)) tooLong();
  return Array.from({ length: count }, (_, place) => term(first + place)).reduce(add, 0);
}

// Powers and logarithms

function power(base, exponent) {
  const [foot, { above, below, error }] = [exactly(base), exactly(exponent)];
  if (error || below > 64n) return exponential(multiply(exponent, ln(foot)));
  if (foot.above < 0n && below > 1n) return NOTHING;
  const times = above < 0n ? -above : above;
  if (Number(times) * digitsOf(foot.above * foot.below) > MOST_DIGITS) tooLong();
  const raised = new Fraction(foot.above ** times, foot.below ** times, foot.error);
  return root(above < 0n ? divide(1, raised) : raised, below);
}

function root(value, degree) {
  const { above, below, error } = exactly(value);
  if (degree === 1n || !below) return exactly(value);
  const [top, bottom] = [wholeRoot(above, degree), wholeRoot(below, degree)];
  const exact = top ** degree === above && bottom ** degree === below;
  if (exact) return new Fraction(top, bottom, error);
  return new Fraction(wholeRoot((above << (DIGITS * degree)) / below, degree), UNIT, ROUNDED);
}

// The largest whole number of which a power is not above a value, by Newton's iteration.
function wholeRoot(value, degree) {
  if (value < 2n) return value;
  let found = 1n << (BigInt(digitsOf(value)) / degree + 1n);
  for (let next = 0n; ; found = next) {
    next = ((degree - 1n) * found + value / found ** (degree - 1n)) / degree;
    if (next >= found) return found;
  }
}

// In units of 1/UNIT: ln m = 2 artanh((m - 1)/(m + 1)), for m near 1.
function logarithmNear(m) {
  const z = ((m - UNIT) * UNIT) / (m + UNIT);
  let sum = 0n;
  for (let raised = z, k = 1n; raised; k += 2n) {
    sum += raised / k;
    raised = (((raised * z) / UNIT) * z) / UNIT;
  }
  return 2n * sum;
}

const LN2 = logarithmNear(2n * UNIT);

function ln(x) {
  const value = exactly(x);
  if (value.above <= 0n) return NOTHING;
  const twos = digitsOf(value.above) - digitsOf(value.below);
  const rest = logarithmNear(scaled(value, Number(DIGITS) - twos));
  return new Fraction(rest + BigInt(twos) * LN2, UNIT, ROUNDED);
}

function exponential(x) {
  const value = exactly(x);
  if (!value.below) return NOTHING;
  const twos = BigInt(Math.round(value / Math.LN2));
  const rest = scaled(value, Number(DIGITS)) - twos * LN2;
  let sum = 0n;
  for (let term = UNIT, k = 1n; term; k += 1n) {
    sum += term;
    term = (term * rest) / UNIT / k;
  }
  return multiply(new Fraction(sum, UNIT, ROUNDED), power(2, new Fraction(twos, 1n)));
}

function logarithm(x, base) {
  const found = divide(ln(x), ln(base));
  const whole = found.below ? nearest(found) : 0n;
  const raised = Math.abs(found) < 4096 ? power(base, new Fraction(whole, 1n)) : NOTHING;
  return order(raised, x) === 0 ? new Fraction(whole, 1n, exactly(x).error) : found;
}

function log2(x) {
  return logarithm(x, 2);
}

function log10(x) {
  return logarithm(x, 10);
}

// Jumps and comparisons

function nearest({ above, below }) {
  return wholeBelow(2n * above + below, 2n * below);
}

function wholeBelow(above, below) {
  const whole = above / below;
  return whole * below > above ? whole - 1n : whole;
}

function floor(x) {
  const { above, below, error } = snapped(exactly(x));
  return below ? new Fraction(wholeBelow(above, below), 1n, error) : NOTHING;
}

function ceil(x) {
  return multiply(-1, floor(multiply(-1, x)));
}

// The whole number that a value may be, or itself.
function snapped(value) {
  const whole = value.below ? new Fraction(nearest(value), 1n) : NOTHING;
  return order(value, whole) === 0 ? whole : { ...value, error: 0 };
}

function isInteger(x) {
  const { below } = snapped(exactly(x));
  return below ? below === 1n : NaN;
}

function order(one, other) {
  const gap = add(one, multiply(-1, other));
  if (!gap.below) return NaN;
  const near = gap.error * Math.max(Math.abs(one), Math.abs(other));
  if (!gap.above || (gap.error && Math.abs(gap) <= near)) return 0;
  return gap.above < 0n ? -1 : 1;
}

function abs(x) {
  const { above, below, error } = exactly(x);
  return new Fraction(above < 0n ? -above : above, below, error);
}

function min(...values) {
  return values.reduce((least, value) => (order(value, least) < 0 ? value : least));
}

function max(...values) {
  return values.reduce((most, value) => (order(value, most) > 0 ? value : most));
}
