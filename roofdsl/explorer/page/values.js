// The values of parameters and rates: what was set, and what follows from it by the defaults.

// `changes` put other values in the place of some: [{ scope, holder, name, value }],
// where `holder` is the place of a model or slot.

function replaced(changes, scope, holder, name) {
  return changes?.find(
    (change) => change.scope === scope && change.holder === holder && change.name === name,
  )?.value;
}

// The values of a machine's parameters and rates in a slot; `tables` compute in floats or exactly.
function machineValues(slot, changes, tables = FUNCTIONS) {
  const machine = machineOf(slot);
  const { parameters, rates } = state.slots[slot];
  const functions = tables[machine.functions];
  const p = new Array(machine.symbols.length).fill(NaN);
  for (const place of machine.order) {
    const symbol = machine.symbols[place];
    const set = replaced(changes, "machine", slot, symbol) ?? parameters[symbol];
    p[place] = set ?? functions[machine.parameters[place].default](p);
  }
  const speeds = machine.rates.map((rate) => {
    const set = replaced(changes, "rate", slot, rate.name) ?? rates[rate.name];
    return set ?? functions[rate.default](p);
  });
  return { p, rates: speeds };
}

// The values of a model's parameters on a slot's machine, in the order of its symbols.
function modelValues(place, slot, machine, changes, tables = FUNCTIONS) {
  const owner = DATA.models[place];
  const placement = owner.placements[state.slots[slot].machine];
  const functions = tables[owner.functions];
  const p = new Array(owner.symbols.length).fill(NaN);
  machineOf(slot).symbols.forEach((symbol, own) => {
    p[owner.symbols.indexOf(symbol)] = machine.p[own];
  });
  machineOf(slot).rates.forEach(({ name }, own) => {
    const at = owner.symbols.indexOf(`${machineOf(slot).name}.${name}`);
    if (at >= 0) p[at] = machine.rates[own];
  });
  for (const at of placement.order) {
    const parameter = owner.parameters[at];
    const { name } = parameter;
    const set = replaced(changes, "model", place, name) ?? state.values[place][name];
    p[at] = set ?? functions[placement.defaults[at]]?.(p) ?? NaN;
    if (parameter.kind === "precision") {
      const size = parameter.choices.find(([code]) => code === Number(p[at]))?.[2] ?? NaN;
      p[owner.symbols.indexOf(`size(${name})`)] = size;
    }
  }
  return p;
}

// The variant of the model that goes with the precisions which choose one.
function variantOf(place, slot, p) {
  const placement = DATA.models[place].placements[state.slots[slot].machine];
  return placement.variants[placement.chosen_by.map((at) => p[at]).join(",")];
}
