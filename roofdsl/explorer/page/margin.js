// How firm a bound is, as analysis/margin.py has it.

const ROUNDING = 1e-9; // far above what rounding can do to the ends of intervals
const NEVER = 1 - 1e-9; // a change of the rates by more is not told from all
const FASTEST = 1e15;

// { next, ratio, tolerance }; null where nothing else takes time. The tolerance is said to three
// digits, rounded down, so it is looked for among such numbers: the largest change of all rates up
// to which the bound holds, 0 where that is not known; 1 or more where it holds however slow they
// are, which then is less by 1 than a number of three digits.
function marginOf(result) {
  result.margin ??= { is: marginAnew(result) };
  return result.margin.is;
}

function marginAnew(result) {
  const { measured, bound } = result;
  const mine = measured.rivals;
  const others = Object.keys(mine).filter((name) => name !== bound && mine[name] > 0);
  if ((measured.node.stated ?? null) !== null || !bound || !others.length) return null;
  const next = others.reduce((most, name) => (mine[name] > mine[most] ? name : most));
  const ratio = mine[bound] / mine[next];
  return { next, ratio, tolerance: toleranceOf(result, ratio) };
}

function toleranceOf(result, ratio) {
  const { measured, context } = result;
  const exactly = (change) => holdsExactly(result, change);
  if (followsFromRates(measured, context.variant)) {
    const apart = ((ratio - 1) / (ratio + 1)) * (1 - ROUNDING);
    return largestOfThreeDigits((change) => change <= apart, exactly, [-8, -2]);
  }
  const holds = (change) => isAhead(result, rivalsWithin(result, change, FLOATS), FLOATS);
  if (isFixed(result, rivalsWithin(result, FASTEST, FLOATS)) && holds(1)) {
    if (holds(FASTEST)) return Infinity;
    const more = (times) => Number((times - 1).toPrecision(15));
    const ofTimes = (act) => (times) => act(more(times));
    return more(largestOfThreeDigits(ofTimes(holds), ofTimes(exactly), [-2, 14]));
  }
  return largestOfThreeDigits(holds, exactly, [-8, -2]);
}

// Of numbers of three digits, from 100 times a power of ten on, up to 100 times another. Where
// rounding may hide that one holds, `exactly` decides.
function largestOfThreeDigits(holds, exactly, [least, most]) {
  const value = (at) => Number(`${100 + (at % 900)}e${Math.floor(at / 900) + least}`);
  const end = 900 * (most - least);
  let [low, high] = [-1, end];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(value(middle))) low = middle;
    else high = middle;
  }
  const near = value(high) * (1 - 10 * ROUNDING) - 2 * ROUNDING;
  if (high < end && holds(near) && exactly(value(high))) low = high;
  return low < 0 ? 0 : value(low);
}

function holdsExactly(result, change) {
  try {
    return isAhead(result, rivalsWithin(result, change, FRACTIONS), FRACTIONS);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

// What competes to bind, between ends, while rates are off by less than `change`, relatively.
function rivalsWithin({ measured, context, exact }, change, ends) {
  const numbers = ends === FRACTIONS ? exact() : {};
  const own = { algebra: intervals(change, ends), kernels: new Map(), problems: new Set() };
  return composed(measured.node, { ...context, ...numbers, ...own }).rivals;
}

function isAhead({ bound }, { [bound]: own, ...others }, ends) {
  return Boolean(own) && Object.values(others).every(([, high]) => ends.isAhead(own[0], high));
}

function isFixed({ bound }, { [bound]: _, ...others }) {
  return Object.values(others).every(([low, high]) => low === high);
}

// Whether what competes to bind is busy times, each of work at rates of its own.
function followsFromRates({ alone, node, rivals, busy }, { loads, keys }) {
  const follows = (place) => {
    const [at, , , needed, start] = loads[place];
    return keys[at].measured < 0 && needed === null && start === null;
  };
  const isRated = ({ start, stated, loads: own, children }) =>
    !start && stated === null && own.every(follows) && children.every(isRated);
  return alone && Object.keys(rivals).length === Object.keys(busy).length && isRated(node);
}

// Ends of intervals; whether all above the one is more than all below the other.
const FLOATS = {
  ...numbers(),
  least: (values) => Math.min(...values),
  isAhead: (low, high) => low > high * (1 + ROUNDING),
};
// Within ends that are equal nothing is equal. Of what is not rational that is not known.
const FRACTIONS = {
  ...fractions([]),
  least: (values) => values.reduce((one, other) => (EXACT.order(other, one) < 0 ? other : one)),
  isAhead: (low, high) => {
    const sign = EXACT.order(low, high);
    return sign > 0 || (sign === 0 && !EXACT.exactly(low).error && !EXACT.exactly(high).error);
  },
};

// Ends that times cannot leave while rates are off by less than `change`, relatively; where several
// may be the largest, all cases count.
function intervals(change, ends) {
  const one = ends.of(1);
  const slow = ends.add([one, ends.of(-Math.min(change, NEVER))]);
  const fast = ends.add([one, ends.of(change)]);
  const each = (act) => [0, 1].map(act);
  const chosen = (values, tables) => {
    const cases = possible(values, ends).map((at) => tables[at]);
    return collected(cases, (found) => [
      found.length < cases.length ? ends.of(0) : ends.least(found.map(([low]) => low)),
      ends.largest(found.map(([, high]) => high)),
    ]);
  };
  return {
    of: (value) => [ends.of(value), ends.of(value)],
    rate: (value) => [slow, fast].map((factor) => ends.multiply(value, factor)),
    add: (values) => each((end) => ends.add(values.map((value) => value[end]))),
    multiply: (count, value) => each((end) => ends.multiply(count[end], value[end])),
    divide: (work, rate) => each((end) => ends.divide(work[end], rate[1 - end])),
    largest: (values) => each((end) => ends.largest(values.map((value) => value[end]))),
    chosen,
    bound: (busy) => {
      const tables = Object.entries(busy).map(([name, time]) => only(name, time));
      return { charged: chosen(Object.values(busy), tables), ties: [] };
    },
    ties: () => [],
  };
}

// The places of what may be the largest; of equals the first is left.
function possible(values, ends) {
  let found = values.map((_, at) => at);
  for (let at = values.length - 1; at >= 0; at--) {
    const isBehind = (other) => other !== at && ends.isAhead(values[other][0], values[at][1]);
    if (found.some(isBehind)) found = found.filter((other) => other !== at);
  }
  return found;
}

// How firm a bound is in words, as answer/margins.py has them; "" where that is not known.
function firmness({ tolerance }) {
  if (tolerance === Infinity) return "holds at any rates";
  if (tolerance >= 1) {
    const times = Number((1 + tolerance).toPrecision(3));
    return `holds however slow the rates are, and up to ${times} × as fast`;
  }
  const within = percentOff(tolerance);
  return within && `holds while every rate is off by less than ${within}`;
}

// A tolerance below 1; "" for none.
function percentOff(tolerance) {
  return tolerance > 0 ? `${Number((100 * tolerance).toPrecision(3))} %` : "";
}
