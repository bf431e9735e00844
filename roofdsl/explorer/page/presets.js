// Presets: all parameters of the model at once, as the tests of its file have them, or as at the
// start; the machines have their own rates again.

function makePresets() {
  const { presets } = model();
  const select = byId("preset");
  const tests = new Map(); // options by the title of their test
  presets.forEach(({ test, values }, place) => {
    tests.set(test, [...(tests.get(test) ?? []), option(textOf(values), place)]);
  });
  const groups = [...tests].map(([label, options]) =>
    Object.assign(element("optgroup", "", ...options), { label }),
  );
  const own = Object.assign(option("values of your own", "own"), { disabled: true });
  select.replaceChildren(own, option("as at the start", "start"), ...groups);
}

// `N = 242, P = 121`
function textOf(values) {
  const given = model().parameters.filter(({ name }) => name in values);
  const texts = given.map((each) => `${each.name} = ${settingText(each, values[each.name])}`);
  return texts.join(", ") || "defaults";
}

function drawPreset() {
  const { presets, name } = model();
  const now = state.values[state.model];
  const isThis = (values) =>
    Object.keys({ ...values, ...now }).every((each) => values[each] === now[each]);
  const isChanged = ({ rates, parameters }) => Object.keys({ ...rates, ...parameters }).length > 0;
  const found = presets.findIndex(({ values }) => isThis(values));
  const known = isThis(startValues(model())) ? "start" : String(found < 0 ? "own" : found);
  const select = byId("preset");
  select.value = usedSlots().some((slot) => isChanged(state.slots[slot])) ? "own" : known;
  select.title = presets[select.value]?.test ?? `values of ${name}, as its tests have them`;
}

function choosePreset(chosen) {
  const owner = model();
  const values = owner.presets[chosen]?.values ?? startValues(owner);
  for (const parameter of owner.parameters)
    setParameter(state.model, parameter, values[parameter.name]);
  state.slots = state.slots.map((slot) => slot && newSlot(slot.machine));
  ranges.clear();
  redrawAll();
}
