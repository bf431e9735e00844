// A model on the machine of a slot in numbers, as analysis/result.py has it.

const COUNTED = ["flops", "memory", "network"];
const COUNTED_AND_OWN = [...COUNTED, ...OWN];
const INTENSITIES = { OI: [0, 1], CAI: [0, 2], MI: [1, 2] }; // places in COUNTED_AND_OWN
OWN.forEach((name, at) => (INTENSITIES[`flops/${name}`] = [0, COUNTED.length + at]));
// With those of two resources of which one is a file's own, which figures alone show.
const QUOTIENTS = { ...INTENSITIES };
for (const [one, other] of pairsOf(COUNTED_AND_OWN.slice(1))) {
  const places = [one, other].map((name) => COUNTED_AND_OWN.indexOf(name));
  QUOTIENTS[quotientName(one, other)] = places;
}
const [UNKNOWN, EVEN] = [-1, -2]; // as explorer/variants.py has them
const NOTHING = { arrangement: "kernel", count: null, stated: null, loads: [], children: [] };

function resultOf(place, slot, changes) {
  const owner = DATA.models[place];
  const machine = machineValues(slot, changes);
  const p = modelValues(place, slot, machine, changes);
  const variant = variantOf(place, slot, p);
  const context = {
    p,
    variant,
    problems: new Set(),
    kernels: new Map(),
    functions: FUNCTIONS[owner.functions],
    rates: machine.rates,
    tables: machineOf(slot).tables,
    composing: state.composing,
  };
  const exact = () => exactly(place, slot, changes);
  const measured = decided(variant ? owner.trees[variant.tree] : NOTHING, context, exact);
  const found = reached(measured, variant ? 1 : NaN);
  const { ties } = measured;
  const roofs = placesOfRoofs(variant).map((at) => (at < 0 ? NaN : machine.rates[at]));
  const peak = peakOf(measured, found.flops, roofs[0] ?? NaN);
  return {
    place,
    slot,
    p,
    variant,
    machine,
    context,
    exact,
    measured,
    ...found,
    peak,
    ties,
    bound: ties[0] ?? "",
    shares: mapped(measured.charged, (spent) => spent / found.time),
    roofs: [peak, ...roofs.slice(1)],
    ridge: intensities([peak, ...roofs.slice(1)]),
    problems: [...context.problems],
  };
}

// The places of the rates that stand for what is counted, and for the resources that files declare.
function placesOfRoofs(variant) {
  if (!variant) return [];
  const { roof, own } = variant;
  return [...roof, ...OWN.map((name) => (Object.hasOwn(own, name) ? own[name] : -1))];
}

// The work, the time and what follows from them, of some runs of a part.
function reached({ totals, time, node }, runs) {
  const none = node?.arrangement === "mix" ? NaN : 0; // each job of a mix has its own
  const work = COUNTED.map((name) => (totals[name] ?? none) * runs);
  const own = OWN.map((name) => (totals[name] ?? NaN) * runs); // of what has none nothing is said
  const [flops, memory, network] = work;
  const attainable = ratio(flops, time * runs);
  const quotients = intensities([...work, ...own]);
  return { flops, memory, network, ...quotients, time: time * runs, attainable };
}

// What is computed with, as fractions.
function exactly(place, slot, changes) {
  const machine = machineValues(slot, changes, EXACT.functions);
  const p = modelValues(place, slot, machine, changes, EXACT.functions);
  const functions = EXACT.functions[DATA.models[place].functions];
  return { p, rates: machine.rates, functions };
}

// The most flop/s that the rates allow: times of kinds add up, devices work at once.
function peakOf({ peaks }, flops, plain) {
  if (!peaks) return NaN;
  return flops > 0 ? flops / Math.max(...Object.values(peaks)) : plain;
}

function intensities(totals) {
  const found = {};
  for (const [name, [above, below]] of Object.entries(QUOTIENTS)) {
    found[name] = ratio(totals[above] ?? NaN, totals[below] ?? NaN);
  }
  return found;
}

function pairsOf(names) {
  return names.flatMap((one, at) => names.slice(at + 1).map((other) => [one, other]));
}

function quotientName(above, below) {
  const name = `${above}/${below}`;
  return { "flops/memory": "OI", "flops/network": "CAI", "memory/network": "MI" }[name] ?? name;
}

// The unit of an intensity in words: `flop/B`.
function quotientUnit(name) {
  const units = Object.assign(table(), { flops: "flop", memory: "B", network: "B" });
  for (const own of DATA.own) units[own.name] = own.work;
  const [above, below] = QUOTIENTS[name].map((at) => units[COUNTED_AND_OWN[at]]);
  return `${above}/${below}`;
}

function ratio(above, below) {
  if (below) return above / below;
  if (Number.isNaN(above) || Number.isNaN(below)) return NaN;
  return above ? Infinity : NaN;
}

// Which kind of flops takes most of the bound, as analysis/bound_kind.py has it: charged as if each
// were a resource of its own that is joined with the others. Nothing where one kind alone is done.
function boundKind({ bound, context, measured, variant }) {
  const kinds = variant.keys.filter(
    ({ name, group, resource }) =>
      group === bound && resource === "flops" && measured.work[name] > 0,
  );
  const names = new Set(kinds.map(({ name }) => name));
  if (names.size < 2) return "";
  const keys = variant.keys.map((key) => ({
    ...key,
    group: `${key.name} of ${key.group}`,
    joins: key.joins.length ? key.joins : [key.group],
  }));
  const own = { kernels: new Map(), problems: new Set(), variant: { ...variant, keys } };
  const { charged } = composed(measured.node, { ...context, ...own, algebra: numbers() });
  const times = new Map([...names].map((name) => [name, charged[`${name} of ${bound}`]]));
  const among = [...names].filter((name) => times.get(name) !== undefined);
  const larger = (one, other) =>
    times.get(other) > times.get(one) * (1 + NEARLY) ? other : one;
  return among.length ? among.reduce(larger) : [...names][0];
}

// The flops of all processes, as the model states them; null where it does not.
function flopsOfAll(result) {
  const total = result.variant?.total ?? UNKNOWN;
  if (total === EVEN) return result.flops * processesOf(result);
  return total === UNKNOWN ? null : result.context.functions[total](result.p);
}

// A formula in the times, too: energies, cost, metrics, which may be infinite. None where the
// machine's variant has none.
function reckoned(result, list, name) {
  const found = result.variant?.[list].find((each) => each.name === name);
  const formula = found && result.context.functions[found.function];
  if (list === "metrics") return formula && extendedValue(formula, withTimes(result));
  return formula?.(withTimes(result));
}

// The values of symbols with the times that the page works out, as explorer/reckoned.py names them.
function withTimes(result) {
  result.timed ??= result.p.slice();
  const { symbols } = DATA.models[result.place];
  result.variant?.lookups.forEach((lookup, place) => {
    result.timed[symbols.indexOf(`measured:${place}`)] = measuredTime(lookup, result.context);
  });
  const put = (name, { node, children, time }) => {
    const at = symbols.indexOf(name);
    if (at >= 0) result.timed[at] = time;
    if (node.arrangement !== "mix") return;
    children.forEach((job, place) => put(`${name}.${place}`, job.children[0]));
  };
  put("time of all", result.measured);
  return result.timed;
}

// How many processes there are: work and times are those of one.
function processesOf(result) {
  return DATA.models[result.place].parameters.reduce(
    (count, { kind }, at) => (kind === "processes" ? count * result.p[at] : count),
    1,
  );
}

// The tally that must be within the machine's capacity, and whether it is; null where not known:
// the footprint alone, which a peak that has no formula here exceeds, may be within it for nothing.
function withinCapacity(result) {
  const { capacity, functions } = machineOf(result.slot);
  const tallies = result.variant?.tallies ?? [];
  const named = (wanted) => tallies.find(({ name }) => name === wanted);
  const tally = named("peak_memory") ?? named("footprint");
  if (capacity === null || tally === undefined) return null;
  const limit = FUNCTIONS[functions][capacity](result.machine.p);
  const fits = result.context.functions[tally.function](result.p) <= limit;
  return fits && result.variant.unanswered.peak_memory ? null : { name: tally.name, fits };
}
