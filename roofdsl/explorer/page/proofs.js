// What the solver has proven of where the bound changes along one quantity, from the start; once
// anything else has moved, or where it has not, places are looked at instead.

// The solver's answer along a control, and whether it is of the whole slider; null where there is
// none for the values there are.
function provenAlong(control) {
  const slot = control.slot ?? 0;
  if (state.composing !== "written") return null;
  const found = model().placements[state.slots[slot].machine].proven[solvedName(control, slot)];
  if (!found || !isAtStartBut([control], slot)) return null;
  const [low, high] = control.slider();
  const [first, last] = found.covers;
  return { ...found, whole: found.complete && low >= first && high <= last };
}

// What the solver calls a control: `N`, `karst.network`; nothing for what it was not asked.
function solvedName({ kind, name, slot: own }, slot) {
  if (own === undefined) return name;
  return kind === "rate" ? `${machineOf(slot).own}.${name}` : "";
}

// Whether nothing is set to another value than at the start, but some controls.
function isAtStartBut(some, slot) {
  const { rates, parameters } = state.slots[slot];
  const named = (isOfModel) =>
    new Set(some.filter((each) => (each.slot === undefined) === isOfModel).map(({ name }) => name));
  const [ofModel, ofMachine] = [named(true), named(false)];
  const [values, start] = [state.values[state.model], startValues(model())];
  const names = [...Object.keys(values), ...Object.keys(start)];
  if (names.some((each) => !ofModel.has(each) && values[each] !== start[each])) return false;
  const isMoved = Object.keys(rates).some((each) => !ofMachine.has(each));
  return !isMoved && !Object.keys(parameters).length;
}

// The map that is proven over two controls; null where there is none for the values there are.
function provenOver(across, up) {
  const { map } = model().placements[state.slots[0].machine];
  if (!map || state.composing !== "written") return null;
  const [keys, wanted] = [map.names.map((name) => `model.${name}`).join(), [across.key, up.key]];
  const isFlipped = keys === wanted.toReversed().join(); // its axes are the other way round
  const isOf = isFlipped || keys === wanted.join();
  return isOf && isAtStartBut([across, up], 0) ? { ...map, isFlipped } : null;
}

const looked = new Map(); // what was found by looking, by control, and what it depends on

function lookedKey(control) {
  const slot = control.slot ?? 0;
  return JSON.stringify([slot, state.slots[slot].machine, valuesBut([control], slot)]);
}

// The changes along a control, { value, before, after, proven, … } each; null where they must be
// looked for first.
function changesAlong(control) {
  const proof = provenAlong(control);
  const proven = (proof?.changes ?? []).map((each) => ({ ...each, proven: true }));
  if (proof?.whole) return proven;
  const known = looked.get(control.key);
  if (known?.key !== lookedKey(control)) return null;
  const [first, last] = [proof?.covers[0] ?? Infinity, proof?.upTo ?? -Infinity];
  const beyond = known.changes.filter(({ value }) => value < first || value > last);
  const isNew = ({ value }) => !proven.some((each) => isNear(each.value, value));
  return [...proven, ...beyond.filter(isNew)];
}

function* lookAlong(control) {
  const key = lookedKey(control);
  looked.set(control.key, { key, changes: yield* crossingsOn(control, control.slot ?? 0) });
}
