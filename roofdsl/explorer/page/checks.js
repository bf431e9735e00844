// Whether the values of parameters are allowed, as analysis/binding.py checks them.

function problemsOf(place, p, variant) {
  const owner = DATA.models[place];
  const functions = FUNCTIONS[owner.functions];
  const problems = owner.parameters.flatMap((parameter, at) =>
    outOfBounds(parameter, p[at], functions, p),
  );
  if (variant === undefined) return [...problems, "the machine has no rate for this precision"];
  const unmet = variant.requirements.filter((each) => functions[each.function](p) !== true);
  return [...problems, ...unmet.map(({ name }) => name)];
}

function outOfBounds(parameter, value, functions, p) {
  const { name, kind, quantity } = parameter;
  if (kind === "boolean" || kind === "precision") return [];
  if (!Number.isFinite(value)) return [`${name} has no value here`];
  if (parameter.integer && !Number.isInteger(value)) return [`${name} must be a whole number`];
  const [low, high] = boundsOf(parameter, functions, p);
  if (value > high) return [`${name} must be at most ${show(high, quantity)}`];
  if (value < low) return [`${name} must be at least ${show(low, quantity)}`];
  const open = parameter.low_open && value === low;
  return open ? [`${name} must be more than ${show(low, quantity)}`] : [];
}

function boundsOf({ low, high }, functions, p) {
  const least = low === null ? -Infinity : functions[low](p);
  return [least, high === null ? Infinity : functions[high](p)];
}

const MOST_TRIED = 20000;

// The nearest value to one, of a parameter of whole numbers, that the model allows; null for none.
function nearestAllowed(place, slot, name, value) {
  const machine = machineValues(slot);
  const allowed = (candidate) => {
    const change = { scope: "model", holder: place, name, value: candidate };
    const p = modelValues(place, slot, machine, [change]);
    return problemsOf(place, p, variantOf(place, slot, p)).length === 0;
  };
  if (allowed(value)) return value;
  const middle = Math.round(value);
  for (let away = 0; away < MOST_TRIED; away++) {
    if (allowed(middle - away)) return middle - away;
    if (allowed(middle + away)) return middle + away;
    if (away === 300) return nearestPower(value, allowed) ?? null;
  }
  return null;
}

// Where whole roots or powers of two are asked for, whole numbers one by one are too many.
function nearestPower(value, allowed) {
  const root = Math.floor(Math.sqrt(value));
  const cube = Math.floor(Math.cbrt(value));
  const two = Math.floor(Math.log2(value));
  const candidates = [];
  for (let away = -60; away <= 60; away++) {
    candidates.push((root + away) ** 2, (cube + away) ** 3);
    if (Math.abs(away) < 20) candidates.push(2 ** (two + away));
  }
  const near = candidates.filter((candidate) => candidate >= 1);
  near.sort((one, other) => Math.abs(one - value) - Math.abs(other - value));
  return near.find(allowed);
}
