// The page around the figures: which model, which machines, which views, what stands out.

function drawHeader() {
  const [models, names] = [DATA.models, DATA.machines].map((all) => all.map(({ name }) => name));
  fillSelect(byId("model"), models, state.model);
  byId("model").disabled = models.length < 2;
  fillSelect(byId("machine-A"), names, state.slots[0].machine);
  const second = state.slots[1] ? state.slots[1].machine + 1 : 0;
  fillSelect(byId("machine-B"), ["none", ...names], second);
  byId("compose").value = state.composing;
  byId("tied").checked = state.tied;
  byId("tied").closest("label").hidden = DATA.models.length < 2;
  byId("steps").checked = state.steps;
  byId("steps").closest("label").hidden = model().kernel;
  makePresets();
  byId("about").textContent = model().doc;
  fillTexts(byId("sources"), "li", model().sources);
}

function fillSelect(select, names, chosen) {
  fill(select, names, () => element("option"), (option, textContent, value) =>
    Object.assign(option, { textContent, value }),
  );
  select.selectedIndex = chosen;
}

function drawViewChoice() {
  const make = () => button("", "", ({ dataset }) => toggleView(dataset.view));
  fill(byId("choice"), Object.keys(views), make, (chosen, name, at) => {
    chosen.dataset.view = name;
    chosen.textContent = views[name].title;
    chosen.title = `show or hide (${at + 1})`;
    chosen.setAttribute("aria-pressed", String(state.views.includes(name)));
    byId(`view-${name}`).hidden = !state.views.includes(name);
  });
  byId("views").dataset.count = String(state.views.length);
}

function toggleView(name) {
  const shown = state.views.includes(name);
  state.views = shown ? state.views.filter((other) => other !== name) : [...state.views, name];
  if (!state.views.length) state.views = [name];
  drawViewChoice();
  changedState();
}

// A figure keeps to its box, whatever changes that: the window, other views, a second machine.
function keepSize(name, plot) {
  const resized = async () => {
    if (!drawn.has(name) || !plot.offsetWidth) return;
    await Plotly.Plots.resize(plot);
    requestFrame(); // names need other places, and more may be in sight
  };
  new ResizeObserver(resized).observe(plot);
}

function makeViews() {
  byId("views").replaceChildren(
    ...Object.entries(views).map(([name, view]) => {
      const caption = element("figcaption", "", element("span", "title", view.title));
      if (name === "regime")
        caption.append(planeChoice(0), element("span", "against", "×"), planeChoice(1));
      if (view.ofPlane && PAIRS.length > 1) caption.append(pairChoice());
      for (const form of ["svg", "png", "csv"]) caption.append(exportButton(name, form));
      const plot = element("div", "plot");
      keepSize(name, plot);
      if (view.over) listenToPulls(name, plot);
      const below = [element("p", "absent"), plot, element("div", "pulls"), element("p", "beyond")];
      return Object.assign(element("figure", "view", caption, ...below), { id: `view-${name}` });
    }),
  );
}

function exportButton(name, form) {
  const made = button("export", form.toUpperCase(), () => exportView(name, form));
  made.dataset.form = form;
  made.title = `save this view as ${form.toUpperCase()}`;
  return made;
}

function planeChoice(place) {
  const select = element("select", "plane");
  select.id = `plane-${place}`;
  select.setAttribute("aria-label", place ? "upward" : "across");
  select.addEventListener("change", () => {
    state.plane[place] = select.value;
    regime.key = "";
    changedState();
  });
  return select;
}

function drawPlaneChoice() {
  drawPairChoice();
  const chosen = planeControls();
  const usable = planeUsable();
  for (const place of [0, 1]) {
    const select = byId(`plane-${place}`);
    fill(select, usable, () => element("option"), (option, { key, name, slot }) => {
      option.value = key;
      option.textContent = slot === undefined ? name : key;
    });
    if (chosen[place]) select.value = chosen[place].key;
  }
}

// The legend: kernels, levels and ceilings; one of them can be made to stand alone.
function drawLegend() {
  const items = [...kernelItems(), ...lineItems()];
  if (!items.some(({ key }) => key === state.isolated)) state.isolated = ""; // gone, or a link's
  fill(byId("legend"), items, legendButton, (made, item) => {
    const [sample, name] = made.children;
    made.dataset.key = item.key;
    made.setAttribute("aria-pressed", String(state.isolated === item.key));
    made.classList.toggle("dimmed", isDimmed(item.key));
    made.title = `only ${item.name}; once more for all`;
    sample.className = `sample ${item.kind}`;
    sample.style.setProperty("--bound", item.colour);
    sample.textContent = item.sign;
    name.textContent = item.name;
  });
}

// What fills of markers mean, and shapes and sizes.
function drawKey() {
  const steps = stepMarks("OI");
  const bounds = [...shownResults(), ...steps].map(({ bound }) => bound);
  const items = [...new Set(bounds)].filter(Boolean).map((bound) => ["●", bound, boundName(bound)]);
  if (state.slots[1]) items.push(["◉", "", `on ${slotName(1)}`]);
  if (steps.length) items.push(["", "", "size: share of time"]);
  fill(byId("key"), items, keyElement, (item, [sign, bound, text]) => {
    const [sample, name] = item.children;
    sample.style.setProperty("--bound", bound ? resourceColour(bound) : colour("--slot-b"));
    sample.textContent = sign;
    name.textContent = text;
  });
}

function keyElement() {
  return element("span", "", element("span", "sample"), " ", element("span"));
}

const SIGNS = ["○", "□", "◇", "△", "✚", "☆", "⬡", "✕"];

function kernelItems() {
  return DATA.models.map(({ name }, place) => ({
    key: `kernel:${name}`,
    kind: "kernel",
    name,
    colour: seriesColour(place),
    sign: SIGNS[place % SIGNS.length],
  }));
}

function lineItems() {
  const found = new Map();
  for (const slot of usedSlots()) {
    for (const { name, resource } of machineOf(slot).rates) {
      if (![...RESOURCES, ...OWN].includes(resource)) continue;
      const sign = resource === "flops" ? "—" : "╱";
      found.set(name, { key: `line:${name}`, kind: "line", name, colour: colour("--ink"), sign });
    }
  }
  return [...found.values()];
}

function legendButton() {
  const made = button("", "", ({ dataset }) => isolate(dataset.key));
  made.append(element("span", "sample"), element("span"));
  return made;
}

function isolate(key) {
  state.isolated = state.isolated === key ? "" : key;
  changedState();
}

function chooseModel(place) {
  state.model = place;
  state.axis = null;
  state.plane = [null, null];
  ranges.clear();
  redrawAll();
}

function chooseMachine(slot, place) {
  state.slots[slot] = place < 0 ? null : newSlot(place);
  ranges.clear();
  redrawAll();
}

function say(text) {
  const box = byId("said");
  box.textContent = text;
  clearTimeout(say.later);
  say.later = setTimeout(() => {
    box.textContent = "";
  }, 4000);
}

// As was chosen; without a choice, as the system prefers.
function setTheme(theme) {
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  state.theme = theme;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

function otherTheme() {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  redrawAll();
}
