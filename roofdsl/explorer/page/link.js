// The link: all of the state behind the `#` of the address. What a link says is checked as it is
// read; what makes no sense is left out.

function writeLink() {
  const words = new URLSearchParams();
  words.set("model", model().name);
  for (const slot of usedSlots()) {
    words.set(SLOTS[slot], machineOf(slot).name);
    const { parameters, rates } = state.slots[slot];
    for (const [name, value] of Object.entries(rates))
      words.set(`${SLOTS[slot]}.${name}`, String(value));
    for (const [name, value] of Object.entries(parameters))
      words.set(`${SLOTS[slot]}:${name}`, String(value));
  }
  DATA.models.forEach(({ name }, place) => writeValues(words, name, place));
  words.set("views", state.views.join("."));
  if (state.composing !== "written") words.set("compose", state.composing);
  if (state.axis) words.set("axis", state.axis);
  if (state.plane.some(Boolean)) words.set("plane", state.plane.map((key) => key ?? "").join(","));
  if (state.pair) words.set("pair", state.pair);
  if (state.isolated) words.set("isolated", state.isolated);
  if (!state.steps) words.set("steps", "0");
  if (!state.tied) words.set("tied", "0");
  if (state.theme) words.set("theme", state.theme);
  for (const { name, link } of state.pins) words.append("pin", `${name}${link}`);
  return `#${words}`;
}

function writeValues(words, name, place) {
  const start = startValues(DATA.models[place]);
  for (const [parameter, value] of Object.entries(state.values[place])) {
    if (value !== start[parameter]) words.set(`model.${name}.${parameter}`, String(value));
  }
}

function readLink(text) {
  const words = new URLSearchParams(text.replace(/^#/, ""));
  state.model = placeOf(DATA.models, words.get("model"), 0);
  SLOTS.forEach((letter, slot) => readSlot(words, letter, slot));
  state.values = DATA.models.map(startValues);
  DATA.models.forEach((each, place) => readValues(words, each, place));
  state.views = (words.get("views") ?? "").split(".").filter((name) => Object.hasOwn(views, name));
  state.composing = COMPOSING.find((name) => name === words.get("compose")) ?? "written";
  state.axis = words.get("axis");
  state.plane = [0, 1].map((at) => words.get("plane")?.split(",")[at] || null);
  state.pair = PAIRS.find(({ key }) => key === words.get("pair"))?.key ?? "";
  state.isolated = words.get("isolated") ?? "";
  state.steps = words.get("steps") !== "0";
  state.tied = words.get("tied") !== "0";
  state.theme = ["light", "dark"].find((name) => name === words.get("theme")) ?? "";
  state.pins = words.getAll("pin").map(readPin).slice(0, MOST_PINS);
}

function placeOf(items, name, otherwise) {
  const place = items.findIndex((item) => item.name === name);
  return place < 0 ? otherwise : place;
}

function readSlot(words, letter, slot) {
  const place = placeOf(DATA.machines, words.get(letter), slot === 0 ? 0 : -1);
  state.slots[slot] = place < 0 ? null : newSlot(place);
  if (place < 0) return;
  const machine = DATA.machines[place];
  for (const { name } of machine.rates) {
    const value = numberIn(words.get(`${letter}.${name}`));
    if (value > 0) state.slots[slot].rates[name] = value;
  }
  for (const symbol of machine.symbols) {
    const value = numberIn(words.get(`${letter}:${symbol}`));
    if (Number.isFinite(value)) state.slots[slot].parameters[symbol] = value;
  }
}

function readValues(words, { name, parameters }, place) {
  for (const parameter of parameters) {
    const text = words.get(`model.${name}.${parameter.name}`);
    const value =
      parameter.kind === "boolean" ? { true: true, false: false }[text] : numberIn(text);
    const known = typeof value === "boolean" || Number.isFinite(value);
    if (known) state.values[place][parameter.name] = value;
  }
}

function numberIn(text) {
  return text === null || text === undefined || text.trim() === "" ? NaN : Number(text);
}

async function copyLink() {
  const link = location.href.split("#")[0] + writeLink();
  history.replaceState(null, "", writeLink());
  try {
    await navigator.clipboard.writeText(link);
    say("The link is copied.");
  } catch {
    say(`The address of this page is the link: ${writeLink().length} characters behind the #.`);
  }
}
