// The table of the steps: those that a text is found in, in the order of any column.

const MOST_STEPS = 40; // rows, until all are asked for
// By heading; numbers are shown as `text` says, and begin with the largest.
const STEP_COLUMNS = {
  step: { of: ({ path }) => path },
  time: { of: ({ time }) => time, text: (time) => showQuantity(time, SECONDS, 3) },
  share: { of: ({ share }) => share, text: showPercent },
  bound: { of: ({ bound }) => bound },
  OI: { of: ({ OI }) => OI, text: (value) => showQuantity(value, DATA.units.OI, 3) },
  attainable: { of: (step) => step.attainable, text: (value) => showQuantity(value, FLOPS, 3) },
};
const steps = { by: "time", falling: true, wanted: "" };

function makeStepTable() {
  const heads = Object.keys(STEP_COLUMNS).map((name) => {
    const kind = STEP_COLUMNS[name].text ? "number" : "";
    const head = element("th", kind, button("sort", name, () => sortSteps(name)));
    return Object.assign(head, { scope: "col" });
  });
  byId("step-table").tHead.replaceChildren(element("tr", "", ...heads));
  byId("find-step").addEventListener("input", ({ target }) => {
    steps.wanted = target.value.toLowerCase();
    drawSteps();
  });
  lightRows(byId("step-table").tBodies[0]);
}

// Another column begins as its kind is read; the same one turns round.
function sortSteps(name) {
  const isNumber = STEP_COLUMNS[name].text !== undefined;
  steps.falling = steps.by === name ? !steps.falling : isNumber;
  steps.by = name;
  drawSteps();
}

function drawStepTable(all) {
  const { of, text } = STEP_COLUMNS[steps.by];
  const sign = steps.falling ? -1 : 1;
  const order = text ? (one, other) => ordered(of(one), of(other), sign) : null;
  const byName = (one, other) => sign * of(one).localeCompare(of(other), "en");
  const found = all.filter(({ path, bound, model: name }) =>
    `${path} ${bound} ${name}`.toLowerCase().includes(steps.wanted),
  );
  found.sort(order ?? byName);
  const shown = state.allSteps ? found : found.slice(0, MOST_STEPS);
  [...byId("step-table").tHead.rows[0].cells].forEach((head) => {
    const own = head.textContent === steps.by;
    head.ariaSort = own ? (steps.falling ? "descending" : "ascending") : "none";
  });
  const most = Math.max(...all.map(({ time }) => time)) || 1;
  fill(byId("step-table").tBodies[0], shown, stepRow, (row, step) => fillStep(row, step, most));
  byId("steps-found").textContent = `${shown.length} of ${all.length} steps`;
  const rest = byId("all-steps");
  rest.hidden = found.length <= MOST_STEPS;
  rest.textContent = state.allSteps ? `only ${MOST_STEPS}` : `all ${found.length} steps`;
  drawLight();
}

// Numbers in order; what is none comes last either way.
function ordered(one, other, sign) {
  if (Number.isNaN(one) || Number.isNaN(other)) return Number.isNaN(one) - Number.isNaN(other);
  return sign * (one === other ? 0 : one - other);
}

function stepRow() {
  const cells = Object.values(STEP_COLUMNS).map(({ text }, at) =>
    element(at ? "td" : "th", text ? "number" : "", ...(text ? [element("data")] : [])),
  );
  cells[0].scope = "row";
  cells[1].append(element("span", "fill"));
  return Object.assign(element("tr", "", ...cells), { tabIndex: -1 });
}

function fillStep(row, step, most) {
  const columns = Object.values(STEP_COLUMNS);
  columns.forEach(({ of, text }, at) => {
    const cell = row.cells[at];
    if (!text) cell.textContent = of(step);
    else Object.assign(cell.firstChild, { value: String(of(step)), textContent: text(of(step)) });
  });
  const times = step.runs > 1 ? ` × ${showNumber(step.runs)}` : "";
  row.cells[0].textContent = `${step.path}${times}`;
  row.title = `${step.path}: ${step.model}`;
  row.dataset.step = step.path;
  const bar = row.querySelector(".fill");
  bar.style.setProperty("--part", String(step.time / most));
  bar.dataset.bound = rootOf(step.bound);
  row.style.setProperty("--bound", resourceColour(step.bound));
}
