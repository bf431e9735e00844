// The panel of numbers: what follows, on each machine, how they differ, and the formulas.

// Rows of the panel: { name, label, units, value(result), better: +1 when more is better, group };
// `unitsOf(result)` where machines have different ones, `why(result)` there is no value, `part` of
// what the value is a share. Several results have the rows of all.
function rowsOf(results) {
  const found = new Map();
  for (const row of results.flatMap(rowsOfOne)) {
    const key = `${row.group} ${row.name}`;
    if (!found.has(key)) found.set(key, row);
  }
  return [...found.values()];
}

function rowsOfOne(result) {
  const rows = [
    { name: "time", units: SECONDS, value: ({ time }) => time, better: -1, main: true },
    { name: "attainable", units: FLOPS, value: (of) => of.attainable, better: 1, main: true },
  ];
  const add = (group, name, units, value, more) =>
    rows.push({ group, name, units, value, ...more });
  for (const name of intensitiesOf(result)) {
    add("intensities", name, DATA.units[name], (found) => found[name]);
    add("intensities", `${name}*`, DATA.units[name], ({ ridge }) => ridge[name]);
  }
  for (const name of Object.keys(result.measured.work)) {
    const units = result.variant?.keys.find((key) => key.name === name)?.units ?? [];
    add("work of one process", name, units, ({ measured }) => measured.work[name]);
  }
  for (const name of Object.keys(result.measured.busy)) {
    const more = { label: name, better: -1 };
    add("times", `time on ${name}`, SECONDS, ({ measured }) => measured.busy[name], more);
  }
  rows.push(...rowsOfVariant(result.variant));
  if (processesOf(result) > 1 && flopsOfAll(result) !== null) {
    const together = (found) => ratio(flopsOfAll(found), found.time);
    const more = { label: "attainable", better: 1 };
    add("of all processes", "total flops", WORK, flopsOfAll, { label: "flops" });
    add("of all processes", "attainable by all", FLOPS, together, more);
  }
  return rows;
}

// Those of resources that the model works on; each job of a mix has its own.
function intensitiesOf({ measured, variant }) {
  if (measured.node.arrangement === "mix") return [];
  return Object.keys(INTENSITIES).filter((name) => {
    const own = OWN.find((resource) => name === `flops/${resource}`);
    return own === undefined || Object.hasOwn(variant?.own ?? {}, own);
  });
}

// What has a name, and what is worked out of the results, with what is not answered.
function rowsOfVariant(variant) {
  const titles = { tallies: NAMED, lets: NAMED, metrics: "metrics", spending: SPENDING };
  return Object.entries(titles).flatMap(([list, group]) => {
    const known = (variant?.[list] ?? []).map(({ name }) => name);
    const row = (name) => ({
      ...{ group, name, units: [], better: list === "spending" ? -1 : 0 },
      value: (of) => (whyNot(of, list, name) ? NaN : reckoned(of, list, name)),
      unitsOf: (of) => of.variant?.[list].find((each) => each.name === name)?.units ?? [],
      why: (of) => whyNot(of, list, name),
      part: name.startsWith("energy.") ? (of) => reckoned(of, list, "energy") : undefined,
    });
    const unanswered = Object.keys(variant?.unanswered ?? {}).filter(
      (name) => (UNANSWERED[name] ?? "metrics") === list,
    );
    if (list === "spending") known.unshift(...unanswered); // the energy stands first
    else known.push(...unanswered);
    return [...new Set(known)].map(row);
  });
}

// Where what is not answered stands, if it is no metric.
const UNANSWERED = { energy: "spending", cost: "spending", peak_memory: "tallies" };
const NAMED = "named in the model";
const SPENDING = "energy and money of all processes";

// Why there is no value; metrics of steps and of what binds are formulas in the times as written.
function whyNot({ variant }, list, name) {
  const found = variant?.[list].find((each) => each.name === name);
  if (found?.written && state.composing !== "written") return "of the times as written alone";
  return found ? "" : (variant?.unanswered[name] ?? "");
}

function drawNumbers() {
  const results = usedSlots().map(currentOf);
  document.body.classList.toggle("comparing", results.length > 1);
  const problems = [...new Set(results.flatMap(({ problems: found }) => found))];
  byId("problems").hidden = problems.length === 0;
  fillTexts(byId("problems"), "li", problems);
  drawVerdict(results);
  const notes = results.flatMap(({ variant }) => variant?.notes ?? []);
  fillTexts(byId("notes"), "li", [...new Set(notes)]); // what was taken for what
  const groups = Map.groupBy(rowsOf(results), ({ group }) => group ?? "");
  fill(byId("numbers"), [...groups], () => element("table", "rows"), (box, [title, rows]) =>
    fillTable(box, title, rows, results),
  );
}

function drawVerdict(results) {
  fill(byId("verdict"), results, verdictElement, (line, result, at) => {
    const [badge, bound, rest, edges] = line.children;
    badge.textContent = results.length > 1 ? SLOTS[at] : "";
    badge.className = results.length > 1 ? `badge slot-${SLOTS[at]}` : "";
    const sound = isSound(result);
    bound.textContent = sound ? boundSentence(result) : "no numbers here";
    bound.dataset.bound = sound ? result.bound : "";
    bound.style.setProperty("--bound", resourceColour(sound ? result.bound : ""));
    rest.textContent = sound ? restSentence(result) : "";
    drawEdges(edges, result);
  });
}

function verdictElement() {
  const [badge, bound] = [element("span"), element("strong", "bound")];
  return element("p", "verdict", badge, bound, element("span", "rest"), element("span", "edges"));
}

function boundSentence({ bound, ties }) {
  return bound ? `bound by ${ties.join(" and ")}` : "takes no time";
}

function restSentence(result) {
  const kind = boundKind(result);
  const parts = kind ? [`most of it ${kind}`] : [];
  const share = result.attainable / result.peak;
  if (result.flops > 0 && Number.isFinite(share)) parts.push(`${showPercent(share)} of the peak`);
  const margin = marginOf(result);
  if (margin) {
    const apart = `margin ${showNumber(margin.ratio, 3)} × ${margin.next}`;
    parts.push([apart, firmness(margin)].filter(Boolean).join("; "));
  }
  const within = withinCapacity(result);
  if (within !== null) {
    const stated = within.name === "peak_memory" ? "stated tensors" : "stated footprint";
    parts.push(`${stated} ${within.fits ? "within" : "beyond"} the capacity`);
  }
  return parts.join(" · ");
}

function fillTable(box, title, rows, results) {
  fill(box, title ? [null, ...rows] : rows, () => element("tr"), (line, row) =>
    row ? fillRow(line, row, results) : heading(line, title),
  );
}

function heading(line, title) {
  fillTexts(line, "th", [title]);
  Object.assign(line.firstChild, { colSpan: 4, className: "title" });
}

function fillRow(line, row, results) {
  if (line.firstChild?.className === "title") line.replaceChildren();
  if (!line.children.length) line.append(element("th", "name"));
  const [name] = line.children;
  name.textContent = row.label ?? row.name;
  name.removeAttribute("colspan");
  line.className = row.main ? "main" : "";
  while (line.children.length > results.length + 2) line.lastChild.remove();
  while (line.children.length < results.length + 1) line.append(element("td"));
  const values = results.map((result) => (isSound(result) ? row.value(result) : NaN));
  const whys = results.map((result) => (isSound(result) && row.why?.(result)) || "");
  const isNone = (value, at) => value === undefined || (Number.isNaN(value) && !whys[at]);
  line.hidden = results.every(isSound) && values.every(isNone); // a ridge that is none, say
  if (whys.every(Boolean)) delete line.dataset.name; // of what is not answered
  else line.dataset.name = row.name;
  values.forEach((value, at) =>
    fillNumber(line.children[at + 1], value, row, results[at], whys[at]),
  );
  if (results.length > 1) fillDifference(line, values, row, results);
}

function fillNumber(cell, value, row, result, why) {
  let data = cell.firstElementChild;
  if (data?.tagName !== "DATA") cell.replaceChildren((data = element("data")));
  cell.className = why ? "why" : "";
  data.value = String(value);
  const known = isSound(result) && value !== undefined && !why;
  const share = known && row.part ? showPercent(value / row.part(result)) : "–";
  const said = known ? showQuantity(value, row.unitsOf?.(result) ?? row.units) : "–";
  data.textContent = `${said}${share === "–" ? "" : ` · ${share}`}${why ? ` (${why})` : ""}`;
}

// From A to B: an arrow, how much, and whether that is better.
function fillDifference(line, [first, second], { better, unitsOf }, results) {
  if (line.children.length < 4) line.append(element("td"));
  const cell = line.children[3];
  const part = second / first - 1;
  const units = new Set(results.map((result) => JSON.stringify(unitsOf?.(result)))); // of money
  const known = Number.isFinite(part) && typeof first === "number" && units.size === 1;
  const direction = !known || Math.abs(part) < 5e-4 ? 0 : Math.sign(part);
  const verdict = direction * (better ?? 0);
  cell.className = `difference ${["worse", "", "better"][verdict + 1]}`;
  cell.textContent = known ? `${["▼", "=", "▲"][direction + 1]} ${differenceText(part)}` : "";
  cell.dataset.part = String(part);
}

function differenceText(part) {
  if (Math.abs(part) < 5e-4) return "";
  if (part > 9) return `${showNumber(part + 1, 3)} ×`;
  return `${part > 0 ? "+" : "−"}${showNumber(Math.abs(100 * part), 3)} %`;
}
