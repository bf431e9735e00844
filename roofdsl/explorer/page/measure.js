// A composed prediction in numbers, as analysis/breakdown.py has it.

const NEARLY = 1e-12; // two times that differ by less, relatively, are a tie
const STATED = "time"; // what a kernel is bound by that states its time and names no resource
const COUNTED = ["flops", "memory", "network"];

// `context`: { p, functions, variant, rates, tables, composing, problems, kernels }

function measure(node, context) {
  const times = node.times === null ? 1 : context.functions[node.times](context.p);
  if (node.times !== null && !(times >= 0 && Number.isInteger(times))) {
    context.problems.add("a repeat takes a whole number of times");
  }
  if (node.arrangement === "kernel") return measuredKernel(node, times, context);
  const children = node.children.map((child) => measure(child, context));
  const busy = summed(
    children.map((child) => child.busy),
    times,
  );
  if (STATED in busy) {
    busy[STATED] = times * Math.max(...children.map((child) => child.busy[STATED] ?? 0));
  }
  const overlaps = node.arrangement === "overlap" && context.composing !== "sum";
  const once = overlaps
    ? overlapped(children)
    : summed(
        children.map((child) => child.charged),
        1,
      );
  const charged = multiplied(once, times);
  return {
    node,
    times,
    children,
    busy,
    charged,
    time: total(...Object.values(charged)),
    work: summed(
      children.map((child) => child.work),
      times,
    ),
    totals: COUNTED.map((_, at) => times * total(...children.map((child) => child.totals[at]))),
  };
}

function measuredKernel(node, times, context) {
  const once = kernelOnce(node, context);
  return {
    node,
    times,
    children: [],
    busy: multiplied(once.busy, times),
    charged: multiplied(once.charged, times),
    time: once.time * times,
    work: multiplied(once.work, times),
    totals: times === 1 ? once.totals : once.totals.map((amount) => times * amount),
  };
}

// One run of a kernel; those with the same loads are computed once.
function kernelOnce(node, context) {
  node.same ??= `${node.loads}:${node.stated}`;
  const known = context.kernels.get(node.same);
  if (known) return known;
  const work = table();
  const groups = table();
  const totals = [[], [], []];
  for (const place of node.loads) {
    const [at, formula, counted] = context.variant.loads[place];
    const key = context.variant.keys[at];
    const amount = context.functions[formula](context.p);
    noteWork(key, amount, context);
    work[key.name] = amount;
    (groups[key.group] ??= []).push(spent(key, amount, context));
    if (counted) totals[COUNTED.indexOf(key.resource)].push(amount);
  }
  const found = {
    work,
    totals: totals.map((amounts) => total(...amounts)),
    ...kernelTimes(node, groups, context),
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

function kernelTimes(node, groups, context) {
  if (node.stated !== null) {
    const time = context.functions[node.stated](context.p);
    if (Number.isNaN(time)) context.problems.add("the time has no value here");
    const names = Object.keys(groups).length ? Object.keys(groups) : [STATED];
    const busy = Object.fromEntries(names.map((name) => [name, time]));
    return { busy, charged: time ? { [names[0]]: time } : {}, time };
  }
  const busy = table();
  for (const [name, times] of Object.entries(groups)) busy[name] = total(...times);
  const values = Object.values(busy);
  if (context.composing === "sum") {
    const charged = Object.fromEntries(Object.entries(busy).filter(([, time]) => time));
    return { busy, charged, time: total(...values) };
  }
  const time = values.length ? Math.max(...values) : 0;
  const bound = largest(busy)[0];
  return { busy, charged: bound === undefined ? {} : { [bound]: time }, time };
}

function spent(key, amount, context) {
  if (key.measured >= 0) return measuredTime(context.variant.lookups[key.measured], context);
  if (key.rate >= 0) return amount / context.rates[key.rate];
  return key.rate === -2 && amount > 0 ? NaN : 0;
}

// A measured time, where the table has one; between two of its entries, by a power law.
function measuredTime(lookup, context) {
  const wanted = lookup.arguments.map((formula) => context.functions[formula](context.p));
  const measurements = context.tables[lookup.table];
  const row = measurements.rows.find(([key]) => key.every((value, at) => value === wanted[at]));
  if (row) return row[1];
  const between = measurements.interpolate ? interpolated(measurements.rows, wanted) : NaN;
  if (Number.isNaN(between)) {
    context.problems.add(
      `${measurements.name}(${wanted.map((x) => showNumber(x)).join(", ")}) was not measured`,
    );
  }
  return between;
}

function interpolated(rows, wanted) {
  for (let at = 0; at < wanted.length; at++) {
    const line = rows
      .filter(([key]) => key.every((value, other) => other === at || value === wanted[other]))
      .sort((one, other) => one[0][at] - other[0][at]);
    const below = line.findLast(([key]) => key[at] < wanted[at]);
    const above = line.find(([key]) => key[at] > wanted[at]);
    if (below && above) {
      const part = Math.log(wanted[at] / below[0][at]) / Math.log(above[0][at] / below[0][at]);
      return below[1] * (above[1] / below[1]) ** part;
    }
  }
  return NaN;
}

// What an overlap's time is charged to: its longest child, or a resource that children share.
function overlapped(children) {
  if (children.length === 0) return {};
  const longest = children.reduce((most, child) => (child.time > most.time ? child : most));
  const users = table();
  for (const child of children) {
    for (const name of Object.keys(child.busy)) users[name] = (users[name] ?? 0) + 1;
  }
  const shared = Object.fromEntries(
    Object.entries(
      summed(
        children.map((child) => child.busy),
        1,
      ),
    ).filter(([name]) => users[name] > 1 && name !== STATED),
  );
  const most = largest(shared)[0];
  if (most !== undefined && shared[most] > longest.time) return { [most]: shared[most] };
  return longest.charged;
}

// The names of the largest of some times, none where all are 0.
function largest(times) {
  const entries = Object.entries(times);
  const most = entries.reduce((found, [, time]) => Math.max(found, time), 0);
  if (!(most > 0)) return [];
  return entries.filter(([, time]) => time >= most * (1 - NEARLY)).map(([name]) => name);
}

function tiesOf(measured) {
  const kernel = measured.node.arrangement === "kernel";
  const charged = Object.keys(measured.charged);
  const own = kernel && charged.length > 0 && !(STATED in measured.charged);
  return largest(own ? measured.busy : measured.charged);
}

// The same with everything overlapped: its time is the largest busy time of all.
function overlappedEntirely(measured) {
  const bound = largest(measured.busy)[0];
  const time = bound === undefined ? 0 : measured.busy[bound];
  return { ...measured, charged: bound === undefined ? {} : { [bound]: time }, time };
}

// Sums of several tables by name, each with what rounding drops (Neumaier).
function summed(tables, times) {
  const sums = table();
  const rests = table();
  for (const values of tables) {
    for (const name in values) {
      const value = values[name];
      const sum = sums[name];
      if (sum === undefined) {
        sums[name] = value;
        rests[name] = 0;
        continue;
      }
      const larger = sum + value;
      rests[name] += Math.abs(sum) >= Math.abs(value) ? sum - larger + value : value - larger + sum;
      sums[name] = larger;
    }
  }
  for (const name in sums) {
    if (Number.isFinite(sums[name])) sums[name] += rests[name];
    if (times !== 1) sums[name] *= times;
  }
  return sums;
}

function multiplied(values, times) {
  if (times === 1) return values;
  const found = table();
  for (const name in values) found[name] = values[name] * times;
  return found;
}
