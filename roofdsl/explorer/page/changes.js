// Where the bound changes: marks on the sliders, and a list along what was moved last.

const SLICE = 6; // milliseconds of looking before the page goes on
const DELAY = 150; // after what was moved stands still
let marking = 0;

function stopMarks() {
  clearTimeout(marking);
}

function refreshMarks() {
  stopMarks();
  const work = markAll();
  const go = () => {
    const end = performance.now() + SLICE;
    let done = false;
    while (!done && performance.now() < end) ({ done } = work.next());
    if (!done) marking = setTimeout(go, 0);
  };
  marking = setTimeout(go, DELAY);
}

// One control after another, that which was moved last first.
function* markAll() {
  const followed = axisControl();
  if (followed) yield* foundAlong(followed);
  drawChanges(followed);
  yield;
  for (const box of [...document.querySelectorAll(".control")]) {
    const control = controls.get(box.dataset.key);
    if (!box.offsetParent || !control || !box.querySelector(".marks")) continue;
    drawMarks(box, control, yield* foundAlong(control));
    yield;
  }
}

function* foundAlong(control) {
  if (!changesAlong(control)) yield* lookAlong(control);
  return changesAlong(control);
}

function drawMarks(box, control, changes) {
  const [low, high] = control.slider();
  const within = changes.filter(({ value }) => value >= low && value <= high);
  const marks = within.map(({ value, before, after, proven }) => {
    const mark = button(proven ? "mark" : "mark looked", "", () =>
      setControl(control, control.integer ? allowedNear(control, value) : value),
    );
    mark.tabIndex = -1;
    mark.style.left = `${100 * partAt(control.slider(), value)}%`;
    mark.style.setProperty("--bound", resourceColour(after));
    const shown = show(value, control.quantity);
    mark.dataset.value = String(value);
    const how = `before that ${before} (${proven ? "proven" : "sampled"})`;
    mark.title = `${control.name} = ${shown}: from here on ${after}, ${how}`;
    mark.setAttribute("aria-label", mark.title);
    return mark;
  });
  const row = box.querySelector(".marks");
  row.dataset.done = provenAlong(control)?.whole ? "proven" : "sampled";
  row.replaceChildren(...marks);
}

// What the changes along a control depend on.
function settingAround(control) {
  return JSON.stringify([control.key, state.slots[0].machine, valuesBut([control], 0)]);
}

// As soon as something else moves, what is listed is of before: it waits to be found again.
function ageChanges() {
  const section = byId("changes");
  const control = axisControl();
  if (section.hidden || !control) return;
  const isOld = section.dataset.of !== settingAround(control);
  section.classList.toggle("old", isOld);
  if (isOld) section.firstElementChild.textContent = `crossovers in ${control.name} …`;
}

// The list of all changes along a control, with their formulas.
function drawChanges(control) {
  const section = byId("changes");
  section.hidden = !control || !isSound(currentOf(0));
  if (section.hidden) return;
  section.dataset.of = settingAround(control);
  section.classList.remove("old");
  const proof = provenAlong(control);
  const changes = changesAlong(control);
  const [title, list, how] = section.children;
  const isProven = proof?.whole === true;
  const badge = element("span", `how ${isProven ? "proven" : "looked"}`, howOf(proof));
  title.replaceChildren(`crossovers in ${control.name} `, badge);
  const shown = changes.map((each) => changeElement(each, control));
  const none = proof?.none.length ? proof.none : [`no change found in ${control.name}`];
  const empty = none.map((sentence) => element("li", "", sentence));
  list.replaceChildren(...(shown.length ? shown : empty));
  how.textContent = proof ? proof.proof : howLooked(control);
}

function howOf(proof) {
  if (!proof) return "sampled";
  return proof.whole ? "proven" : "proven in part";
}

function howLooked(control) {
  const places = placesOn(control.slider(), control.integer, SCANNED).length;
  return `found by looking at ${places} places and halving; roofdsl solve proves`;
}

function changeElement({ sentence, details = [], form = null, root = null, ...change }, control) {
  const item = element("li", "", sentence ?? sentenceOf(change, control));
  item.dataset.value = String(change.value);
  for (const detail of details) item.append(element("p", "note", detail));
  if (root === null) return item;
  const units = control.quantity.inverse ? [] : control.quantity.units;
  const number = `${relationTo(root, 7)} ${showQuantity(root, units, 7)}`;
  const value = element("span", "value", number);
  const box = element("div", "formula", element("span", "name", `${control.name}* `));
  if (form === null) box.append(value);
  else {
    const values = valuesByName(currentOf(control.slot ?? 0));
    box.append("= ", byId(`formula-${form}`).content.cloneNode(true));
    box.append(element("div", "with-numbers", withNumbers(form, values), " ", value));
  }
  item.append(box);
  return item;
}

function sentenceOf({ before, after, value, proven }, control) {
  const where = `${control.name} = ${show(value, control.quantity)}`;
  const how = proven ? "" : ", sampled";
  return `${before} → ${after} ${control.integer ? "from" : "at"} ${where}${how}`;
}
