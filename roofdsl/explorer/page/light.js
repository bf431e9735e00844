// The step that is pointed at, or has the focus, stands out in the table and in the figures.

let lit = ""; // its path

function light(path) {
  lit = path;
  drawLight();
}

// Rows are lit by the pointer and by the focus, which arrow keys move.
function lightRows(body) {
  const rowOf = ({ target }) => target.closest("tr");
  body.addEventListener("pointerover", (event) => light(rowOf(event)?.dataset.step ?? ""));
  body.addEventListener("pointerleave", () => light(""));
  body.addEventListener("focusin", (event) => light(rowOf(event).dataset.step));
  body.addEventListener("focusout", () => light(""));
  body.addEventListener("keydown", (event) => {
    const row = rowOf(event);
    const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling };
    if (!(event.key in next)) return;
    event.preventDefault();
    next[event.key]?.focus();
  });
}

function drawLight() {
  const rows = [...byId("step-table").tBodies[0].rows];
  for (const row of rows) row.classList.toggle("lit", row.dataset.step === lit);
  const way = rows.find((row) => row === document.activeElement) ?? rows[0];
  for (const row of rows) row.tabIndex = row === way ? 0 : -1; // one stop on the way with Tab
  for (const name of drawn.keys()) drawRing(name);
}

// A ring around the step's point in a figure.
function drawRing(name) {
  const box = byId(`view-${name}`);
  const old = box.querySelector(".ring");
  const marker = lit && !box.hidden ? markerOf(name) : null;
  if (!marker) return old?.remove();
  const ring = old ?? element("span", "ring");
  const [at, frame] = [marker, box].map((each) => each.getBoundingClientRect());
  const size = Math.max(at.width, at.height) + 10;
  ring.style.width = ring.style.height = `${size}px`;
  ring.style.left = `${at.left - frame.left + (at.width - size) / 2 - box.clientLeft}px`;
  ring.style.top = `${at.top - frame.top + (at.height - size) / 2 - box.clientTop}px`;
  if (!old) box.append(ring);
}

function markerOf(name) {
  const plot = byId(`view-${name}`).querySelector(".plot");
  const known = drawn.get(name).find(({ mark }) => mark.kind === "step" && mark.name === lit);
  const shown = plot._fullData?.find(({ meta }) => meta === "points");
  if (!known || !shown) return null;
  return plot.querySelectorAll(`.scatterlayer .trace${shown.uid} .point`)[known.place] ?? null;
}
