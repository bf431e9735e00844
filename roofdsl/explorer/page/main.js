// Begin: read the link, draw everything once, and then what a change touches, once a frame.

let waiting = false;

function changedState() {
  forget();
  requestFrame();
  keepLink();
}

function requestFrame() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    drawFrame();
  });
}

function drawFrame() {
  refreshControls();
  drawNumbers();
  drawSteps();
  drawScenarios();
  drawChangedRates();
  drawPreset();
  ageChanges();
  drawLegend();
  drawKey();
  drawPlaneChoice();
  drawFormulas();
  moveOrDraw();
  document.documentElement.dataset.frame = String(
    Number(document.documentElement.dataset.frame ?? 0) + 1,
  );
}

const RESTING = 90; // milliseconds without a change
const LONGEST_WAIT = 240;
let redrawing = 0;
let changedFirst = 0;

// While something is being moved, points move at once; lines follow when there is time.
function moveOrDraw() {
  clearTimeout(redrawing);
  const now = performance.now();
  changedFirst ||= now;
  for (const name of state.views) if (!movePoints(name)) drawView(name);
  if (pulled || now - changedFirst > LONGEST_WAIT) {
    changedFirst = 0;
    for (const name of state.views) if (!moveLines(name)) stale.add(name);
    drawStale();
  }
  redrawing = setTimeout(drawViews, RESTING);
}

const stale = new Set(); // views that were out of sight when something changed

function drawViews() {
  changedFirst = 0;
  for (const name of state.views) stale.add(name);
  drawStale();
  refreshMarks();
}

// One view a frame: what is moved meanwhile need not wait for all of them.
function drawStale() {
  const name = state.views.find((each) => stale.has(each) && isVisible(each));
  if (name === undefined) return;
  stale.delete(name);
  drawView(name);
  requestAnimationFrame(drawStale);
}

// Surface and regimes cost much: they are drawn in sight, and when they come in sight.
function isVisible(name) {
  if (!views[name].heavy) return true;
  const { top, bottom } = byId(`view-${name}`).getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

function redrawAll() {
  forget();
  colours.clear();
  drawHeader();
  drawControls();
  drawViewChoice();
  requestFrame();
  keepLink();
}

function listen() {
  const on = (id, name, act) => byId(id).addEventListener(name, (event) => act(event.target));
  on("model", "change", ({ selectedIndex }) => chooseModel(selectedIndex));
  on("machine-A", "change", ({ selectedIndex }) => chooseMachine(0, selectedIndex));
  on("machine-B", "change", ({ selectedIndex }) => chooseMachine(1, selectedIndex - 1));
  on("compose", "change", ({ value }) => setState("composing", value));
  on("preset", "change", ({ value }) => choosePreset(value));
  on("steps", "change", ({ checked }) => setState("steps", checked));
  on("tied", "change", ({ checked }) => setState("tied", checked));
  on("theme", "click", otherTheme);
  on("link", "click", copyLink);
  on("pin", "click", pinNow);
  on("fit", "click", resetRanges);
  on("start", "click", startAgain);
  on("csv", "click", exportNumbers);
  on("help", "click", () => byId("keys").showModal());
  on("all-steps", "click", () => setState("allSteps", !state.allSteps));
  on("formulas-section", "toggle", requestFrame);
  on("find", "input", findControls);
  addEventListener("keydown", pressed);
  addEventListener("hashchange", readAddress);
  holdSliders();
  listenToPrinting();
  new ResizeObserver(placeBelow).observe(byId("verdict"));
  addEventListener("resize", requestFrame); // more may be in sight
  addEventListener("scroll", () => stale.size && requestAnimationFrame(drawStale), {
    passive: true,
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    setTheme(state.theme);
    redrawAll();
  });
}

// On a narrow screen the figures stay in view below the verdict, however many lines that has.
function placeBelow([{ target }]) {
  document.documentElement.style.setProperty("--verdict-height", `${target.offsetHeight}px`);
}

function setState(name, value) {
  state[name] = value;
  changedState();
}

// Show only the controls whose names or descriptions hold a text.
function findControls() {
  const wanted = byId("find").value.toLowerCase();
  for (const box of document.querySelectorAll(".control")) {
    const control = controls.get(box.dataset.key);
    box.hidden = !`${control.name} ${control.doc}`.toLowerCase().includes(wanted);
  }
}

const KEYS = {
  t: otherTheme,
  f: () => resetRanges(),
  l: copyLink,
  "?": () => byId("keys").showModal(),
  "/": () => byId("find").focus(),
  Escape: () => isolate(state.isolated),
};

function pressed(event) {
  const typing = event.target.matches?.("input[type=text], input[type=search], select");
  if (typing || event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  const view = Object.keys(views)[Number(event.key) - 1];
  const act = view ? () => toggleView(view) : KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function startAgain() {
  readAll("");
}

function readAll(text) {
  readLink(text);
  setTheme(state.theme);
  if (!state.views.length) state.views = firstViews();
  ranges.clear();
  regime.key = "";
  redrawAll();
}

function firstViews() {
  makeControls();
  const both = innerWidth > 900 && currentOf(0).network > 0 && missing("CAI") === "";
  return both ? ["roofline", "communication"] : ["roofline"];
}

makeViews();
makeStepTable();
listen();
readAll(location.hash);
