// Results of the state as it is, computed when first asked for after a change.

let remembering = new Map();

function forget() {
  stopMarks();
  remembering = new Map();
}

function remembered(key, compute) {
  if (!remembering.has(key)) remembering.set(key, compute());
  return remembering.get(key);
}

function resultFor(place, slot) {
  return remembered(`${place} ${slot}`, () => {
    const result = resultOf(place, slot);
    const problems = problemsOf(place, result.p, result.variant);
    return { ...result, problems: [...problems, ...result.problems] };
  });
}

function currentOf(slot) {
  return resultFor(state.model, slot);
}

// Whether numbers of a result mean something.
function isSound(result) {
  return result.problems.length === 0;
}

const TRAJECTORY = 48;

function axisControl() {
  const usable = numberControls();
  return usable.find(({ key }) => key === state.axis) ?? usable[0];
}

// The controls that are no switch and no choice.
function numberControls() {
  return [...controls.values()].filter(({ kind }) => kind !== "boolean" && kind !== "precision");
}

// The results along the quantity that was moved last, of the model in focus.
function trajectoryOf(slot) {
  return remembered(`trajectory ${slot}`, () => {
    const control = axisControl();
    if (!control) return [];
    const key = JSON.stringify([slot, state.slots[slot].machine, valuesBut([control], slot)]);
    if (paths.get(slot)?.key !== key) paths.set(slot, { key, points: pathAlong(control, slot) });
    return paths.get(slot).points;
  });
}

const paths = new Map(); // the trajectories by slot, as long as nothing else is moved

// Everything that a result depends on, but the values of some controls.
function valuesBut(some, slot) {
  const own = [...controls.values()].filter(
    (control) => !some.includes(control) && (control.slot ?? slot) === slot,
  );
  return [
    state.model,
    state.composing,
    some.map((control) => [control.key, control.slider()]),
    own.map((control) => control.value()),
  ];
}

function pathAlong(control, slot) {
  return placesOn(control.slider(), control.integer, TRAJECTORY).map((value) => {
    const result = resultOf(state.model, slot, [control.change(value)]);
    const { attainable, bound } = result;
    return { value, ...mapped(QUOTIENTS, (_, name) => result[name]), attainable, bound };
  });
}
