// Sliders and fields for every parameter and rate. A control knows its quantity and how to set it.

const STEPS = 1000; // of a slider
const controls = new Map(); // by key: `model.N`, `A.network`, `A:cores`

function makeControls() {
  controls.clear();
  const place = state.model;
  model().parameters.forEach((parameter, at) => {
    const change = { scope: "model", holder: place, name: parameter.name };
    const set = (value) => setParameter(place, parameter, value);
    const now = () => currentOf(0).p;
    const reach = () => withinBounds(parameter, FUNCTIONS[model().functions], now());
    const shown = { ...parameter, set, value: () => now()[at], reach };
    addControl(`model.${parameter.name}`, shown, state.values[place], change);
  });
  for (const slot of usedSlots()) {
    const machine = machineOf(slot);
    const { rates, parameters } = state.slots[slot];
    const now = () => currentOf(slot).machine;
    machine.rates.forEach((rate, place) => {
      const change = { scope: "rate", holder: slot, name: rate.name };
      const own = { kind: "rate", integer: false, slot, place, value: () => now().rates[place] };
      const shown = { ...rate, ...own };
      addControl(`${SLOTS[slot]}.${rate.name}`, shown, rates, change);
    });
    machine.parameters.forEach((parameter, at) => {
      const symbol = machine.symbols[at];
      const change = { scope: "machine", holder: slot, name: symbol };
      const name = symbol.replace(`${machine.own}:`, "");
      const shown = { ...parameter, name, slot, value: () => now().p[at] };
      addControl(`${SLOTS[slot]}:${symbol}`, shown, parameters, change);
    });
  }
}

// Enter a control of what is set in `values`, by the name that `change` has.
function addControl(key, shown, values, change) {
  const { name } = change;
  controls.set(key, {
    set: (value) => assign(values, name, value),
    ...shown,
    key,
    slider: () => extended(shown.reach?.() ?? shown.quantity.slider, values[name]),
    isSet: () => values[name] !== undefined,
    change: (value) => ({ ...change, value }),
  });
}

// Set a parameter; in models with one of the same name and kind, too, as far as they allow it.
function setParameter(place, parameter, value) {
  assign(state.values[place], parameter.name, value);
  if (!state.tied) return;
  DATA.models.forEach((other, at) => {
    const same = other.parameters.find(({ name }) => name === parameter.name);
    if (at === place || !same || same.kind !== parameter.kind) return;
    if (JSON.stringify(same.quantity.units) !== JSON.stringify(parameter.quantity.units)) return;
    assign(state.values[at], parameter.name, value);
  });
}

function assign(values, name, value) {
  if (value === undefined) delete values[name];
  else values[name] = value;
}

// A slider ends at the parameter's bounds, which may depend on other parameters.
function withinBounds(parameter, functions, p) {
  const [low, high, logarithmic] = parameter.quantity.slider;
  const [least, most] = boundsOf(parameter, functions, p);
  const [bottom, top] = [Math.max(low, least), Math.min(high, most)];
  return bottom < top ? [bottom, top, logarithmic] : [low, high, logarithmic];
}

// A slider reaches as far as the value that is set.
function extended([low, high, logarithmic], value) {
  if (value === undefined || !(value > 0 || !logarithmic)) return [low, high, logarithmic];
  return [Math.min(low, value), Math.max(high, value), logarithmic];
}

// What is asked of a rate must be above 0; of a parameter, the model says.
function refusal(control, value) {
  const known = control.quantity.spellings.map(([name]) => name);
  const hint = known.length ? `; units: ${known.join(", ")}` : "";
  if (!Number.isFinite(value)) return `${control.name} is not a number${hint}`;
  if (control.kind === "rate") return value > 0 ? "" : `${control.name} must be more than 0`;
  if (control.integer && !Number.isInteger(value)) return `${control.name} must be a whole number`;
  return "";
}

// Elements

function drawControls() {
  makeControls();
  const own = [...controls.values()].filter(({ key }) => key.startsWith("model."));
  const groups = [section(`${model().name}`, own)];
  for (const slot of usedSlots()) {
    const rates = [...controls.values()].filter((control) => control.slot === slot);
    const served = servedRates(slot);
    const unused = rates.filter(({ kind, place }) => kind === "rate" && !served.has(place));
    const used = rates.filter((control) => !unused.includes(control));
    const whole = section(slotName(slot), used, SLOTS[slot]);
    if (unused.length) whole.append(unusedRates(unused));
    groups.push(whole);
  }
  byId("controls").replaceChildren(...groups);
}

// The places of the rates that something of the model, in any precision, is served by.
function servedRates(slot) {
  const { variants } = model().placements[state.slots[slot].machine];
  return new Set(Object.values(variants).flatMap(({ keys }) => keys.map(({ rate }) => rate)));
}

function unusedRates(unused) {
  const summary = element("summary", "", `rates that ${model().name} does not use`);
  const rest = element("details", "rest", summary, ...unused.map(controlElement));
  rest.addEventListener("toggle", requestFrame);
  return rest;
}

function section(title, members, slot = "") {
  const list = element("div", "group", ...members.map(controlElement));
  const summary = element("summary", "", title);
  if (slot && state.slots[1]) summary.prepend(element("span", `badge slot-${slot}`, slot));
  const whole = element("details", "section", summary, list);
  whole.open = true;
  return whole;
}

function controlElement(control) {
  const box = element("div", `control ${control.kind}`);
  box.dataset.key = control.key;
  const id = `control-${control.key}`;
  const [first, ...rest] = control.name.split(".");
  const pieces = rest.flatMap((piece) => [".", element("wbr"), piece]);
  const label = element("label", "name", first, ...pieces);
  label.htmlFor = id;
  box.append(label);
  if (control.doc) box.title = control.doc;
  if (control.kind === "boolean") box.append(switchFor(control, id));
  else if (control.kind === "precision") box.append(choiceFor(control, id));
  else box.append(...sliderFor(control, id));
  if (control.default !== undefined) box.append(resetFor(control));
  box.append(element("p", "problem"));
  return box;
}

function switchFor(control, id) {
  const input = element("input");
  Object.assign(input, { id, type: "checkbox" });
  input.addEventListener("change", () => setControl(control, input.checked));
  return input;
}

function choiceFor(control, id) {
  const select = element("select");
  select.id = id;
  const { variants, chosen_by } = model().placements[state.slots[0].machine];
  const at = chosen_by.indexOf(model().parameters.findIndex(({ name }) => name === control.name));
  for (const [code, name] of control.choices) {
    const choice = option(name, code);
    choice.disabled =
      at >= 0 && !Object.keys(variants).some((key) => Number(key.split(",")[at]) === code);
    select.append(choice);
  }
  select.addEventListener("change", () => setControl(control, Number(select.value)));
  return select;
}

function sliderFor(control, id) {
  const field = element("input", "field");
  Object.assign(field, { id, type: "text", inputMode: "decimal", autocomplete: "off" });
  field.spellcheck = false;
  field.addEventListener("change", () => readField(control, field));
  const slider = element("input", "slider");
  Object.assign(slider, { type: "range", min: 0, max: STEPS, step: 1 });
  slider.setAttribute("aria-label", control.name);
  slider.addEventListener("input", () => slide(control, Number(slider.value) / STEPS));
  slider.addEventListener("keydown", (event) => nudge(control, event));
  slider.addEventListener("focus", () => follow(control));
  const track = element("div", "track", slider, element("div", "marks"));
  return [field, element("span", "unit"), track];
}

// Where a parameter follows from its default, or from others, again.
function resetFor(control) {
  const start = control.slot === undefined ? startValues(model())[control.name] : undefined;
  const made = button("reset", "↺", () => setControl(control, start));
  made.title = control.written ? `= ${control.written}` : "as the machine has it";
  made.setAttribute("aria-label", `${control.name}: ${made.title}`);
  return made;
}

function readField(control, field) {
  const value = readQuantity(field.value, control.quantity, field.dataset.unit ?? "");
  const problem = refusal(control, value);
  const box = field.closest(".control");
  field.setAttribute("aria-invalid", String(problem !== ""));
  box.querySelector(".problem").textContent = problem;
  if (problem) control.refusedAt = control.value();
  else setControl(control, value);
}

function slide(control, part) {
  const value = valueAt(control.slider(), part);
  setControl(control, control.integer ? allowedNear(control, value) : tidy(value, control));
}

// A slider's value to three digits, in the unit that people see; at its ends these.
function tidy(value, control) {
  const [low, high] = control.slider();
  if (value === low || value === high) return value;
  const seen = shownValue(value, control.quantity);
  const near = shownValue(Number(seen.toPrecision(3)), control.quantity);
  return Math.min(high, Math.max(low, near));
}

// A whole number near a slider's value: round, and one that the model allows where there is one.
function allowedNear(control, value) {
  const [low, high] = control.slider();
  const whole = Math.max(1 <= low ? 1 : 0, Math.round(value));
  const isEnd = value === low || value === high;
  const round = whole > 9999 && !isEnd ? Number(whole.toPrecision(3)) : whole;
  if (!control.key.startsWith("model.")) return round;
  return nearestAllowed(state.model, 0, control.name, round) ?? round;
}

// Arrow keys move a whole number by one at least.
function nudge(control, event) {
  const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  if (step === undefined || !control.integer) return;
  const here = control.value();
  const next = valueAt(control.slider(), partAt(control.slider(), here) + (5 * step) / STEPS);
  if (Math.abs(allowedNear(control, next) - here) >= 1) return;
  event.preventDefault();
  setControl(control, nextAllowed(control, here, step));
}

function nextAllowed(control, here, step) {
  for (let away = 1; away < 2000; away++) {
    const candidate = here + step * away;
    if (candidate < 0) break;
    if (!control.key.startsWith("model.")) return candidate;
    if (nearestAllowed(state.model, 0, control.name, candidate) === candidate) return candidate;
  }
  return here;
}

function setControl(control, value) {
  control.refusedAt = undefined;
  control.set(value);
  follow(control);
  changedState();
}

// The trajectory follows what was moved last.
function follow(control) {
  if (control.kind === "boolean" || control.kind === "precision" || state.axis === control.key)
    return;
  state.axis = control.key;
  changedState();
}

function refreshControls() {
  for (const box of document.querySelectorAll(".control")) {
    const control = controls.get(box.dataset.key);
    if (control) refreshControl(box, control);
  }
}

function refreshControl(box, control) {
  const value = control.value();
  box.dataset.value = String(value);
  box.classList.toggle("set", control.isSet());
  box.classList.toggle("followed", control.key === state.axis);
  if (control.kind === "boolean") box.querySelector("input").checked = value === true;
  else if (control.kind === "precision") box.querySelector("select").value = String(value);
  else refreshSlider(box, control, value);
}

// What was refused stands, with the reason, until the value is another one.
function refreshSlider(box, control, value) {
  if (control.refusedAt === value) return;
  const field = box.querySelector(".field");
  const [text, unit] = fieldText(value, control.quantity);
  if (field.value !== text) field.value = text;
  field.dataset.unit = unit;
  field.setAttribute("aria-invalid", "false");
  box.querySelector(".unit").textContent = unit;
  box.querySelector(".problem").textContent = "";
  const slider = box.querySelector(".slider");
  slider.value = String(Math.round(STEPS * partAt(control.slider(), value)));
  slider.setAttribute("aria-valuetext", show(value, control.quantity));
}
