// A model on the machine of a slot in numbers, as analysis/result.py has it.

const [UNKNOWN, EVEN] = [-1, -2]; // as explorer/data.py has them
const INTENSITIES = { OI: [0, 1], CAI: [0, 2], MI: [1, 2] };

function resultOf(place, slot, changes) {
  const owner = DATA.models[place];
  const machine = machineValues(slot, changes);
  const p = modelValues(place, slot, machine, changes);
  const variant = variantOf(place, slot, p);
  const problems = new Set();
  if (variant === undefined) return nothing(place, slot, p, machine);
  const context = {
    p,
    variant,
    problems,
    kernels: new Map(),
    functions: FUNCTIONS[owner.functions],
    rates: machine.rates,
    tables: machineOf(slot).tables,
    composing: state.composing,
  };
  let measured = measure(owner.trees[variant.tree], context);
  if (state.composing === "max") measured = overlappedEntirely(measured);
  const [flops, memory, network] = measured.totals;
  const { time } = measured;
  const ties = tiesOf(measured);
  return {
    place,
    slot,
    p,
    variant,
    machine,
    measured,
    flops,
    memory,
    network,
    ...intensities(measured.totals),
    time,
    attainable: ratio(flops, time),
    ties,
    bound: ties[0] ?? "",
    shares: multiplied(measured.charged, 1 / time),
    ridge: ridgeOf(variant, machine.rates),
    problems: [...problems],
  };
}

function nothing(place, slot, p, machine) {
  const node = { arrangement: "kernel", name: "", model: "", loads: [], children: [] };
  const empty = { node, times: 1, children: [], busy: {}, charged: {}, work: {}, totals: [] };
  return {
    place,
    slot,
    p,
    machine,
    variant: undefined,
    measured: { ...empty, time: NaN },
    ...{ flops: NaN, memory: NaN, network: NaN, OI: NaN, CAI: NaN, MI: NaN, time: NaN },
    attainable: NaN,
    ties: [],
    bound: "",
    shares: {},
    ridge: { OI: NaN, CAI: NaN, MI: NaN },
    problems: [],
  };
}

function intensities(totals) {
  const found = {};
  for (const [name, [above, below]] of Object.entries(INTENSITIES)) {
    found[name] = ratio(totals[above], totals[below]);
  }
  return found;
}

function ratio(above, below) {
  if (below) return above / below;
  if (Number.isNaN(above) || Number.isNaN(below)) return NaN;
  return above ? Infinity : NaN;
}

function ridgeOf(variant, rates) {
  const values = variant.roof.map((place) => (place < 0 ? NaN : rates[place]));
  return intensities(values);
}

// How much longer the bound takes than what comes next; of steps, what their time is charged to.
function headroom({ measured }) {
  const kernel = measured.node.arrangement === "kernel";
  const compared = Object.values(kernel ? measured.busy : measured.charged);
  const times = compared.sort((one, other) => other - one);
  return times.length > 1 ? ratio(times[0], times[1]) : NaN;
}

// The flops of all processes, as the model states them; null where it does not.
function flopsOfAll(result) {
  const total = result.variant?.total ?? UNKNOWN;
  if (total === EVEN) return result.flops * processesOf(result);
  return total === UNKNOWN
    ? null
    : FUNCTIONS[DATA.models[result.place].functions][total](result.p);
}

// How many processes there are: work and times are those of one.
function processesOf(result) {
  return DATA.models[result.place].parameters.reduce(
    (count, { kind }, at) => (kind === "processes" ? count * result.p[at] : count),
    1,
  );
}

// Whether the tally `footprint` fits the machine's memory; null where one is not known.
function fitsOf(result) {
  const { capacity, functions } = machineOf(result.slot);
  const tally = result.variant?.tallies.find(({ name }) => name === "footprint");
  if (capacity === null || tally === undefined) return null;
  const own = FUNCTIONS[DATA.models[result.place].functions];
  return own[tally.function](result.p) <= FUNCTIONS[functions][capacity](result.machine.p);
}
