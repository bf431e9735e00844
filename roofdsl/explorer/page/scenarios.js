// Scenarios: settings that are pinned under a name, side by side with what is set now.

const MOST_PINS = 8;
const LONGEST_NAME = 40;

// A pin is a name and a link: `A#model=summa&…`; a link within has no pins of its own.
function readPin(text) {
  const at = text.indexOf("#");
  const words = new URLSearchParams(at < 0 ? "" : text.slice(at + 1));
  words.delete("pin");
  return { name: text.slice(0, at < 0 ? undefined : at).slice(0, LONGEST_NAME), link: `#${words}` };
}

function pinNow() {
  if (state.pins.length === MOST_PINS) return say(`${MOST_PINS} scenarios are pinned already.`);
  const names = new Set(state.pins.map(({ name }) => name));
  const letters = [..."ABCDEFGHI"];
  const name = letters.find((letter) => !names.has(letter));
  state.pins = [...state.pins, readPin(name + writeLink())];
  changedState();
}

function unpin(place) {
  state.pins = state.pins.filter((_, at) => at !== place);
  changedState();
}

function renamePin(place, name) {
  const own = name.replaceAll("#", "").slice(0, LONGEST_NAME);
  state.pins = state.pins.map((pin, at) => (at === place ? { ...pin, name: own } : pin));
  changedState();
}

function showPin({ link }) {
  const { pins, theme, views: shown } = state;
  readLink(link);
  Object.assign(state, { pins, theme, views: shown });
  ranges.clear();
  regime.key = "";
  redrawAll();
}

// What a link comes to, as the panel has it; the state is as before when it is done.
const outcomes = new Map();

function outcomeOf(link) {
  if (!outcomes.has(link)) {
    const before = { ...state, slots: [...state.slots] };
    readLink(link);
    const result = resultFresh();
    const found = { ...outcome(result), settings: settingsOf() };
    Object.assign(state, before);
    outcomes.set(link, found);
  }
  return outcomes.get(link);
}

function resultFresh() {
  const result = resultOf(state.model, 0);
  const problems = problemsOf(state.model, result.p, result.variant);
  return { ...result, problems: [...problems, ...result.problems] };
}

function outcome(result) {
  const sound = isSound(result);
  return {
    title: `${model().name} on ${slotName(0)}`,
    bound: sound ? boundSentence(result) : "no numbers here",
    time: sound ? result.time : NaN,
    attainable: sound ? result.attainable : NaN,
  };
}

function settingText({ quantity, kind, choices }, value) {
  const chosen = kind === "precision" && choices.find(([code]) => code === value);
  return chosen ? chosen[1] : show(value, quantity);
}

// Texts of what is set, by name: parameters of the model, what was changed of the machine.
function settingsOf() {
  const found = new Map([["times", state.composing]]);
  for (const parameter of model().parameters) {
    const value = state.values[state.model][parameter.name];
    if (value !== undefined) found.set(parameter.name, settingText(parameter, value));
  }
  for (const { name, quantity } of machineOf(0).rates) {
    const value = state.slots[0].rates[name];
    if (value !== undefined) found.set(`${machineOf(0).own}.${name}`, show(value, quantity));
  }
  for (const [name, value] of Object.entries(state.slots[0].parameters))
    found.set(name, showNumber(value));
  return found;
}

function drawScenarios() {
  const section = byId("scenarios");
  section.hidden = !state.pins.length;
  if (section.hidden) return;
  const now = { ...outcome(currentOf(0)), settings: settingsOf() };
  const rows = [{ now }, ...state.pins.map((pin, place) => ({ now, pin, place }))];
  fill(section.querySelector("tbody"), rows, scenarioRow, fillScenario);
}

function scenarioRow() {
  const name = element("input", "pin-name");
  Object.assign(name, { type: "text", maxLength: LONGEST_NAME });
  name.setAttribute("aria-label", "name of the scenario");
  name.addEventListener("change", () => renamePin(Number(name.dataset.place), name.value));
  const head = element("th", "", element("span", "here", "now"), name);
  head.scope = "row";
  const act = (text, title, does) => {
    const made = button("export", text, () => does(Number(name.dataset.place)));
    made.title = title;
    return made;
  };
  const acts = element("td", "acts",
    act("show", "set all as in this scenario", (place) => showPin(state.pins[place])),
    act("unpin", "leave this scenario out", unpin),
  );
  const [bound, unlike] = [element("td"), element("td", "unlike")];
  const numbers = [0, 1].map(() => element("td", "number", element("data"), element("span")));
  return element("tr", "", head, bound, ...numbers, unlike, acts);
}

function fillScenario(row, { now, pin, place }) {
  const found = pin ? outcomeOf(pin.link) : now;
  const [head, bound, time, attainable, unlike, acts] = row.cells;
  head.firstChild.hidden = Boolean(pin);
  Object.assign(head.lastChild, { hidden: !pin, value: pin?.name ?? "" });
  head.lastChild.dataset.place = String(place);
  acts.classList.toggle("none", !pin);
  bound.textContent = found.bound;
  fillAgainst(time, found.time, now.time, SECONDS, -1);
  fillAgainst(attainable, found.attainable, now.attainable, FLOPS, 1);
  const title = found.title === now.title ? [] : [found.title];
  unlike.textContent = pin ? [...title, ...differing(found, now)].join(", ") || "the same" : "";
}

// A number, and by how much it is another than now.
function fillAgainst(cell, value, now, units, better) {
  const [data, difference] = cell.children;
  data.value = String(value);
  data.textContent = Number.isNaN(value) ? "–" : showQuantity(value, units);
  const part = value / now - 1;
  const isOther = Number.isFinite(part) && Math.abs(part) >= 5e-4;
  const verdict = isOther ? Math.sign(part) * better : 0;
  difference.className = `difference ${["worse", "", "better"][verdict + 1]}`;
  difference.textContent = isOther ? ` ${part > 0 ? "▲" : "▼"} ${differenceText(part)}` : "";
}

function differing(found, now) {
  const names = new Set([...found.settings.keys(), ...now.settings.keys()]);
  const others = [...names].filter((name) => found.settings.get(name) !== now.settings.get(name));
  return others.map((name) => `${name} = ${found.settings.get(name) ?? "as by default"}`);
}
