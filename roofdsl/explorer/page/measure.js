// The law of composition, as analysis/composition.py has it, over numbers or over intervals.

const NEARLY = 1e-12; // two times that differ by less, relatively, may be equal
const WAIT = "wait"; // what the time of a wait is charged to; nothing is busy then
const CHOICES = ["if", "else"];
const ANY_COUNT = ["wait", "job"]; // what may run any number of times from 0, not only a whole one
const STATED = "time"; // what a kernel is bound by that states its time and names no resource

// Numbers. Where rounding may hide which is largest, `close` says so; `known` are the places of the
// largest then, in the order in which they are asked for.
function numbers(known) {
  const algebra = {
    of: (value) => value,
    rate: (value) => value,
    add: (values) => (values.length === 1 ? values[0] : total(...values)),
    multiply: (count, value) => count * value,
    divide: (work, rate) => work / rate,
    largest: (values) => Math.max(...values),
    ...choosing((values) => {
      const places = known?.shift() ?? nearlyLargest(values);
      algebra.close ||= places.length > 1;
      return places;
    }),
    close: false,
  };
  return algebra;
}

// Fractions; the places of the largest go into `known`.
function fractions(known) {
  const { exactly, total: sum, multiply, divide } = EXACT;
  return {
    of: exactly,
    rate: exactly,
    add: (values) => sum(...values),
    multiply,
    divide,
    largest: (values) => values[exactlyLargest(values)[0]],
    ...choosing((values) => {
      known.push(exactlyLargest(values));
      return known.at(-1);
    }),
  };
}

// What follows from the places of the largest values: the first is chosen, all of them are ties.
function choosing(placesOfLargest) {
  const bound = (times) => {
    const names = Object.keys(times);
    const places = names.length > 1 ? placesOfLargest(Object.values(times)) : [0];
    const ties = places.map((at) => names[at]).filter((name) => times[name] > 0);
    return { charged: only(names[places[0]], times[names[places[0]]]), ties };
  };
  return {
    chosen: (values, tables) => tables[placesOfLargest(values)[0]],
    bound,
    ties: (times) => bound(times).ties,
  };
}

function nearlyLargest(values) {
  const least = Math.max(...values) * (1 - NEARLY);
  const places = [];
  for (let at = 0; at < values.length; at++) if (values[at] >= least) places.push(at);
  return least > 0 ? places : [0];
}

function exactlyLargest(values) {
  return values.reduce((places, value, at) => {
    const sign = at ? EXACT.order(value, values[places[0]]) : 1;
    if (Number.isNaN(sign)) throw new RangeError("one has no exact value");
    return sign > 0 ? [at] : sign < 0 ? places : [...places, at];
  }, []);
}

// `context`: { p, functions, variant, rates, tables, composing, algebra, problems, kernels }

// In numbers; which times are longest, fractions decide where rounding may hide it: those that
// `exact` puts in the place of the context's. Where these are too long, all that are near count.
function decided(root, context, exact) {
  const algebra = numbers();
  const found = composed(root, { ...context, algebra });
  if (!algebra.close || context.problems.size) return found;
  const known = [];
  const again = { ...context, ...exact(), problems: new Set(), kernels: new Map() };
  try {
    composed(root, { ...again, algebra: fractions(known) });
  } catch (error) {
    if (error instanceof RangeError) return found;
    throw error;
  }
  return composed(root, { ...context, kernels: new Map(), algebra: numbers(known) });
}

function composed(root, context) {
  if (root.arrangement === "mix") return mixed(root, context);
  const measured = measure(root, context);
  if (context.composing !== "max" || (measured.alone && !root.start)) return measured;
  const { busy, joined } = measured;
  return { ...measured, ...boundOf(busy, joined, context.algebra), alone: true };
}

// Jobs are runs of their own: their times add up, of their work nothing is said together.
function mixed(node, context) {
  const jobs = node.children.map((job) => {
    const alone = job.children.map((child) => composed(child, context));
    return overRuns(job, compositionOnce(job, alone, context), context);
  });
  const [work, totals] = [table(), table()];
  return { ...compositionOnce(node, jobs, context), work, totals, peaks: null, node, runs: 1 };
}

function measure(node, context) {
  if (node.arrangement === "kernel") return overRuns(node, kernelOnce(node, context), context);
  // Nothing is asked of what an `if` does not run.
  const inside = isSkipped(node, context) ? unasked(context) : context;
  const children = node.children.map((child) => measure(child, inside));
  return overRuns(node, compositionOnce(node, children, context), context);
}

const unasked = (context) => ({ ...context, problems: new Set(), kernels: new Map() });

// Whether a part is what an `if` does not run at these values.
function isSkipped({ name, count }, context) {
  return CHOICES.includes(name) && count !== null && context.functions[count](context.p) === 0;
}

// A part over all its runs; in a wait it is idle.
function overRuns(node, one, context) {
  const a = context.algebra;
  const once = node.arrangement === "wait" ? idle(one, a) : one;
  if (node.count === null) return { ...once, node, runs: 1 };
  const times = context.functions[node.count](context.p);
  const whole = !ANY_COUNT.includes(node.arrangement);
  if (!(times >= 0 && (Number.isInteger(times) || !whole))) {
    context.problems.add(
      whole ? "a repeat takes a whole number of times" : `a ${node.name} takes 0 or more times`,
    );
  }
  const count = a.of(times);
  // What is skipped may lack a rate, and have no time: no runs of it are none all the same.
  const over = isSkipped(node, context) ? () => count : (value) => a.multiply(count, value);
  const runs = (values) => values && mapped(values, over);
  const found = { ...once, node, runs: times, time: over(once.time) };
  for (const name of ["work", "busy", "charged", "rivals", "totals", "peaks"])
    found[name] = runs(once[name]);
  found.joined = mapped(once.joined, runs);
  if (!(times > 0)) found.ties = [];
  return found;
}

// A part that others do: it takes as long, and does nothing.
function idle(part, a) {
  const [nothing, children] = [table(), part.children.map((child) => idle(child, a))];
  const none = { work: nothing, totals: nothing, busy: nothing, joined: nothing, peaks: nothing };
  const { charged, ties } = a.bound(only(WAIT, part.time));
  return { ...part, ...none, charged, rivals: charged, ties, children };
}

const inARow = (parts, a) => (parts.length ? a.add(parts.map(({ time }) => time)) : a.of(0));

function compositionOnce(node, children, context) {
  const a = context.algebra;
  const sum = (name) => collected(children.map((child) => child[name]), a.add);
  const busy = sum("busy");
  if (STATED in busy) {
    // No two kernels share it: of several, the longest counts.
    const stating = children.filter((child) => STATED in child.busy);
    busy[STATED] = a.largest(stating.map((child) => child.busy[STATED]));
  }
  const joined = jointsTogether(children, a);
  const overlaps = node.arrangement === "overlap" && context.composing !== "sum";
  const { time, charged: spent } =
    overlaps && children.length
      ? overlapped(children, busy, joined, a)
      : { time: inARow(children, a), charged: sum("charged") };
  const charged = inOrder(spent, { ...busy, [WAIT]: 0 });
  const peaks = children.every((child) => child.peaks) ? sum("peaks") : null;
  const [work, totals, ties] = [sum("work"), sum("totals"), a.ties(charged)];
  return { children, time, busy, joined, charged, rivals: charged, work, totals, peaks, ties };
}

// The longest child, or a resource that several use and that is busy for longer.
function overlapped(children, busy, joined, a) {
  const users = children.flatMap((child) => Object.keys(child.busy));
  const names = Object.keys(busy).filter(
    (name) => name !== STATED && users.indexOf(name) < users.lastIndexOf(name),
  );
  const shared = contenders(names, busy, jointsShared(children, joined));
  const times = shared.map((each) => lengthOf(each, a));
  const lengths = [...children.map(({ time }) => time), ...times];
  const tables = [...children.map(({ charged }) => charged), ...shared];
  return { time: a.largest(lengths), charged: a.chosen(lengths, tables) };
}

// One run of a kernel; those with the same loads are computed once.
function kernelOnce(node, context) {
  node.same ??= `${node.loads}:${node.stated}:${node.start}`;
  const known = context.kernels.get(node.same);
  if (known) return known;
  const a = context.algebra;
  const [work, slower] = [table(), table()];
  const [keys, spent, totals, peaks] = [[], [], [], []];
  for (const place of node.loads) {
    const [at, formula, counted, needed, start] = context.variant.loads[place];
    const key = context.variant.keys[at];
    const amount = context.functions[formula](context.p);
    noteWork(key, amount, context);
    keys.push(key);
    work[key.name] = a.of(amount);
    const time = timeOn(key, amount, needed, context);
    const begun = start === null ? [] : [valueOf(start, `the start-up of ${key.name}`, context)];
    spent.push(only(key.group, a.add([...begun, time])));
    if (needed !== null) slower[key.group] = "at its rate for this work";
    else if (start !== null) slower[key.group] ??= "after its start-up";
    if (counted) totals.push(only(key.resource, work[key.name]));
    if (key.resource === "flops" && amount) {
      const roof = key.roof < 0 ? null : a.rate(context.rates[key.roof]);
      const together = key.joins.length ? key.joins : [key.group];
      for (const each of together) peaks.push(roof && only(each, a.divide(work[key.name], roof)));
    }
  }
  const found = {
    alone: true,
    children: [],
    slower,
    work,
    totals: collected(totals, a.add),
    peaks: peaks.every(Boolean) ? collected(peaks, a.add) : null,
    ...kernelTimes(node, keys, collected(spent, a.add), context),
  };
  context.kernels.set(node.same, found);
  return found;
}

function noteWork(key, amount, context) {
  if (Number.isNaN(amount)) context.problems.add(`${key.name} has no value here`);
  else if (amount < 0) context.problems.add(`${key.name} is below 0 here`);
  else if (key.rate === -2 && amount > 0) {
    context.problems.add(`the machine has no rate for ${key.name}`);
  }
}

// Of a stated time, each resource that the kernel names is busy for as long.
function kernelTimes(node, keys, busy, context) {
  const a = context.algebra;
  if (node.stated !== null) {
    const time = valueOf(node.stated, "the time", context);
    const names = Object.keys(busy).length ? Object.keys(busy) : [STATED];
    const named = collected(names.map((name) => only(name, time)), ([each]) => each);
    const joined = jointsOf(keys, named, true);
    const charged = only(names[0], time);
    return { busy: named, joined, charged, rivals: named, time, ties: a.ties(named) };
  }
  const joined = jointsOf(keys, busy, false);
  const serial = context.composing === "sum";
  const found = serial
    ? { busy, joined, charged: busy, rivals: busy, time: a.add([a.of(0), ...Object.values(busy)]) }
    : { busy, joined, ...boundOf(busy, joined, a) };
  if (!node.start) return serial ? { ...found, ties: a.ties(busy) } : found;
  // It starts up first: that is charged to itself.
  const [name, formula] = node.start;
  const start = only(name, valueOf(formula, "the start-up", context));
  const begun = (values) => collected([values, start], ([each]) => each);
  const [charged, rivals] = [begun(found.charged), begun(found.rivals)];
  const time = a.add([found.time, start[name]]);
  return { ...found, busy: begun(busy), charged, rivals, time, ties: a.ties(rivals) };
}

// An amount that is not below 0, of what a problem calls `what`.
function valueOf(formula, what, context) {
  const amount = context.functions[formula](context.p);
  if (Number.isNaN(amount)) context.problems.add(`${what} has no value here`);
  else if (amount < 0) context.problems.add(`${what} is below 0 here`);
  return context.algebra.of(amount);
}

// The largest of some busy times, what it is charged to (the first of equals), and what competes to
// bind it: of those that a machine joins each is charged its own, and the largest share binds.
function boundOf(busy, joined, a) {
  const times = Object.values(busy);
  if (!times.length) return { time: a.of(0), charged: table(), rivals: busy, ties: [] };
  const tables = contenders(Object.keys(busy), busy, joined);
  if (tables.every((each) => Object.keys(each).length === 1)) {
    return { time: a.largest(times), rivals: busy, ...a.bound(busy) };
  }
  const lengths = tables.map((each) => lengthOf(each, a));
  const charged = inOrder(a.chosen(lengths, tables), busy);
  return { time: a.largest(lengths), charged, rivals: charged, ties: a.ties(charged) };
}

function lengthOf(times, a) {
  return a.add(Object.values(times));
}

// `needed` is the formula of the work that takes as long at the rate of large work.
function timeOn(key, amount, needed, context) {
  const a = context.algebra;
  if (key.measured >= 0) {
    return a.of(measuredTime(context.variant.lookups[key.measured], context));
  }
  if (key.rate >= 0) {
    const done =
      needed === null ? a.of(amount) : valueOf(needed, `${key.name} at its rate`, context);
    return a.divide(done, a.rate(context.rates[key.rate]));
  }
  return a.of(key.rate === -2 && amount > 0 ? NaN : 0);
}

// Tables by name

function only(name, value) {
  const found = table();
  found[name] = value;
  return found;
}

function mapped(values, act) {
  const found = table();
  for (const name in values) found[name] = act(values[name], name);
  return found;
}

// Several tables as one: what `act` makes of all values of a name.
function collected(tables, act) {
  const lists = table();
  for (const each of tables) {
    for (const name in each) (lists[name] ??= []).push(each[name]);
  }
  return mapped(lists, act);
}

function inOrder(values, like) {
  const found = table();
  for (const name in like) if (name in values) found[name] = values[name];
  return found;
}
