// The arithmetic of formulas that javascript.py compiles. As in numeric/array.py, NaN stands for
// what has no value: a division by zero, the logarithm of 0, a number beyond the range. Infinity
// only comes from an infinite operand, or where `extendedValue` asks.

const { abs, min, max } = Math;
const MOST_TERMS = 1e6;
const DEVIATION = 1e-15; // values this close to a jump, relative to their size, are on it
const SAMPLES = 12; // the highest degree of a polynomial as well
const SAMPLED_FROM = 300;
const SAMPLED_TERMS = 50; // what a sum by samples counts for
let termsLeft = MOST_TERMS;
let endless = false; // whether what is divided by 0 is infinite

// Compute formulas anew; their sums have MOST_TERMS terms altogether.
function evaluated(formulas) {
  termsLeft = MOST_TERMS;
  return formulas();
}

// A formula's value, as numeric/extended.py has it: what is divided by 0 is infinite, 0/0 undefined.
function extendedValue(formula, values) {
  const value = formula(values);
  if (!Number.isNaN(value)) return value;
  endless = true;
  try {
    return formula(values);
  } finally {
    endless = false;
  }
}

// A number, and the fraction that it stands for.
function fraction(value, _above, _below) {
  return value;
}

function settled(value, a, b) {
  return value - value === 0 || !Number.isFinite(a) || !Number.isFinite(b) ? value : NaN;
}

// Nearer to 0 than SMALLEST floats lose digits: what is not 0 and that near has no value. Beside
// larger terms of a sum it does not count, so until it is asked for it is the float next to 0.

const SMALLEST = 2.2250738585072014e-308;

function lost(x) {
  return x !== 0 && abs(x) < SMALLEST;
}

function known(x) {
  return typeof x === "number" && lost(x) ? NaN : x;
}

function kept(value, a, b) {
  if (!(abs(value) < SMALLEST) || !(Number.isFinite(a) && Number.isFinite(b))) return value;
  return Math.sign(a) * Math.sign(b) * Number.MIN_VALUE || 0;
}

function add(a, b) {
  return settled(a + b, a, b);
}

function multiply(a, b) {
  if ((lost(a) && abs(b) > 1) || (lost(b) && abs(a) > 1)) return NaN;
  return settled(kept(a * b, a, b), a, b);
}

function divide(a, b) {
  if (endless && b === 0) return a / 0;
  if (lost(b) || (lost(a) && abs(b) < 1)) return NaN;
  return settled(b === 0 ? a / b : kept(a / b, a, b), a, b);
}

// Sums keep what rounding drops from one addition for the end (Neumaier).

function dropped(sum, term, larger) {
  return Math.abs(sum) >= Math.abs(term) ? sum - larger + term : term - larger + sum;
}

function summed(count, termAt) {
  let sum = 0;
  let rest = 0;
  let finite = true;
  for (let place = 0; place < count; place++) {
    const term = termAt(place);
    const larger = sum + term;
    rest += dropped(sum, term, larger);
    sum = larger;
    finite &&= Number.isFinite(term);
  }
  if (Number.isFinite(sum)) return sum + rest;
  return finite ? NaN : sum;
}

function total(...terms) {
  return summed(terms.length, (place) => terms[place]);
}

// The sum of term(k) for the whole numbers k from low to high. With a `growth` few of them tell it:
// Infinity for polynomials; 2 for powers and logarithms of k + c with c > -1, as far as k doubles.
function sumOver(low, high, term, growth = 0) {
  const first = ceil(low);
  const last = floor(high);
  const count = Math.max(0, last - first + 1);
  const polynomial = growth === Infinity;
  const few = count < SAMPLED_FROM || !(polynomial || (growth && first >= 0));
  if (!few && !polynomial && last > growth * first) {
    const end = growth * first;
    return add(sumOver(first, end, term, growth), sumOver(end + 1, last, term, growth));
  }
  const cost = few ? count : SAMPLED_TERMS;
  if (!(cost <= termsLeft && count < Infinity)) return NaN;
  termsLeft -= cost;
  if (few) return summed(count, (place) => term(first + place));
  const whole = polynomial ? wholeSum(first, count, term) : undefined;
  return whole ?? sampled(first, count, term);
}

// A sum of polynomials where they are whole numbers, to the last digit: by Newton, the sum of n
// terms is that of the j-th differences at the first, times n choose j + 1. The last one must be 0.
function wholeSum(first, count, term) {
  const terms = Array.from({ length: SAMPLES + 2 }, (_, place) => term(first + place));
  if (!terms.every(Number.isSafeInteger)) return undefined;
  let sum = 0n;
  let chosen = 1n;
  let [row, rest] = [terms.map(BigInt), BigInt(count)];
  for (let place = 1n; row.length > 1; place += 1n, rest -= 1n) {
    chosen = (chosen * rest) / place;
    sum += row[0] * chosen;
    row = row.slice(1).map((value, at) => value - row[at]);
  }
  return row[0] ? undefined : settled(Number(sum), 0, 0);
}

// A sum of many terms by Gauss's quadrature: right for polynomials of a degree below 2 SAMPLES. As
// no weight is below 0, it is off by few roundings of the terms. Over `count` places x, evenly from
// -1 to 1, p_n are the orthonormal polynomials (of Gram): r_n p_n = x p_(n-1) - r_(n-1) p_(n-2). The
// samples are where p_SAMPLES is 0, by Newton's iteration from where it is for endless places.
function sampled(first, count, term) {
  return summed(SAMPLES, (place) => {
    let x = Math.cos((Math.PI * (place + 0.75)) / (SAMPLES + 0.5));
    let squares = 0;
    for (let step = 0; step < 6; step++) {
      let [before, value, slopeBefore, slope, ratio] = [0, 1, 0, 0, 0];
      squares = 0;
      for (let n = 1; n <= SAMPLES; n++) {
        squares += value * value;
        const next = Math.sqrt((n * n * (1 - (n / count) ** 2)) / (4 * n * n - 1));
        const steeper = (value + x * slope - ratio * slopeBefore) / next;
        [before, value] = [value, (x * value - ratio * before) / next];
        [slopeBefore, slope, ratio] = [slope, steeper, next];
      }
      x -= value / slope;
    }
    return (count / squares) * term(first + (count - 1 + count * x) / 2);
  });
}

// A product of several factors; on the way it may be larger or smaller than any number.
function product(...factors) {
  let value = 1;
  for (let place = 0; place < factors.length; place++) value *= factors[place];
  const size = Math.abs(value);
  if ((1e-290 < size && size < 1e300) || !factors.every(Number.isFinite)) return value;
  if (factors.includes(0)) return 0;
  if (factors.some(lost)) return factors.reduce(multiply);
  let mantissa = 1;
  let exponent = 0;
  for (const factor of factors) {
    const shift = Math.floor(Math.log2(Math.abs(factor)));
    mantissa *= shifted(factor, -shift);
    const again = Math.floor(Math.log2(Math.abs(mantissa)));
    mantissa = shifted(mantissa, -again);
    exponent += shift + again;
  }
  return settled(kept(shifted(mantissa, exponent), mantissa, 1), 0, 0);
}

// value · 2^exponent, where 2^exponent alone may be too large or too small.
function shifted(value, exponent) {
  const half = Math.trunc(exponent / 2);
  return value * 2 ** half * 2 ** (exponent - half);
}

function power(base, exponent) {
  if (Number.isNaN(base) || lost(base)) return NaN; // NaN ** 0 is 1
  if (endless && base === 0 && exponent < 0) return Infinity;
  if (exponent === 2) return settled(kept(base * base, base, base), base, 0);
  if (exponent === 3) return settled(kept(base * base * base, base, 1), base, 0);
  if (exponent === 0.5) return Math.sqrt(base);
  if (exponent === 1 / 3) return base >= 0 ? Math.cbrt(base) : NaN;
  if (exponent === 4) return settled(kept(base * base * (base * base), base, base), base, 0);
  if (Math.abs(base) === 1 && Math.abs(exponent) === Infinity) return 1;
  const value = base ** exponent;
  if (base === 0 || !Number.isFinite(exponent)) return settled(value, base, exponent);
  return settled(kept(value, Math.sign(value) || 1, Number.isFinite(base) ? 1 : base), base, exponent);
}

function exponential(x) {
  return settled(x === -Infinity ? 0 : kept(Math.exp(x), 1, 1), x, x);
}

function log2(x) {
  return x >= SMALLEST ? Math.log2(x) : NaN;
}

function log10(x) {
  return x >= SMALLEST ? Math.log10(x) : NaN;
}

function ln(x) {
  return x >= SMALLEST ? Math.log(x) : NaN;
}

function logarithm(x, base) {
  const quotient = divide(ln(x), ln(base));
  const whole = Math.round(quotient);
  // So that log(125, 5) is 3.
  return Math.abs(quotient - whole) < 1e-12 && base ** whole === x ? whole : quotient;
}

// Jumps

function snapped(x) {
  const whole = Math.round(x);
  return Math.abs(x - whole) <= DEVIATION * Math.abs(x) ? whole : x;
}

function ceil(x) {
  return Math.ceil(snapped(x));
}

function floor(x) {
  return Math.floor(snapped(x));
}

function isInteger(x) {
  return Number.isNaN(x) ? NaN : Number.isInteger(snapped(x));
}

// Truth values are true, false or NaN.

// The sign of a - b, 0 where they are equal but for rounding.
function order(a, b) {
  if (Number.isNaN(+a) || Number.isNaN(+b) || (lost(a) && lost(b))) return NaN;
  const gap = Math.abs(a - b);
  if (a === b || (gap < Infinity && gap <= DEVIATION * Math.abs(a))) return 0;
  return a < b ? -1 : 1;
}

function equal(sign) {
  return Number.isNaN(sign) ? NaN : sign === 0;
}

function less(sign) {
  return Number.isNaN(sign) ? NaN : sign < 0;
}

function atMost(sign) {
  return Number.isNaN(sign) ? NaN : sign <= 0;
}

// What stands behind the first false (of `all`) or true (of `any`) is not looked at.

function all(...conditions) {
  for (const condition of conditions) {
    if (Number.isNaN(condition)) return NaN;
    if (!condition) return false;
  }
  return true;
}

function any(...conditions) {
  for (const condition of conditions) {
    if (Number.isNaN(condition)) return NaN;
    if (condition) return true;
  }
  return false;
}

function not(condition) {
  return Number.isNaN(condition) ? NaN : !condition;
}

function choose(condition, consequence, alternative) {
  if (Number.isNaN(condition)) return NaN;
  return condition ? consequence : alternative;
}
