// Roofs that are pulled: a ceiling or the line of a bandwidth is moved by a handle at the edge of
// its figure, by mouse, touch or arrow keys, or, by a mouse, anywhere. Its rate moves with it.

const GRIP = 5; // pixels beside a line
const PULL = "Pull the line, or the handle at its end, to change the rate.";
const UPWARD = { ArrowUp: 1, ArrowRight: 1, PageUp: 10 };
const PULLED = { ...UPWARD, ArrowDown: -1, ArrowLeft: -1, PageDown: -10 };
let pulled = null; // what is held: { name, control, pointer, from, start }

// The lines of a drawn figure that have a rate of their own: { slot, control, value, isFlat }.
function pullsOf(name) {
  const { over } = views[name];
  if (!over || !drawn.has(name)) return [];
  const found = new Map(); // by key, once where several devices have the same line
  for (const slot of usedSlots()) {
    for (const { slopes, ceilings: tops } of roofsOf(slot, over)) {
      for (const line of [...slopes, ...tops]) {
        const control = controls.get(`${SLOTS[slot]}.${line.name}`);
        const pull = { slot, control, value: line.value, isFlat: tops.includes(line) };
        if (control) found.set(control.key, pull);
      }
    }
  }
  const inOrder = ({ slot, control }) => 1000 * slot + control.place;
  return [...found.values()].sort((one, other) => inOrder(one) - inOrder(other));
}

// Where a line meets the right side, or comes in at the left or from below, in powers of ten.
function endOf({ value, isFlat }, [left, right], [bottom, top]) {
  const height = Math.log10(value);
  if (isFlat) return [right, clamped(height, bottom, top)];
  if (left + height >= bottom) return [left, Math.min(left + height, top)];
  return [Math.min(bottom - height, right), bottom];
}

function drawPulls(name) {
  const box = byId(`view-${name}`);
  const plot = box.querySelector(".plot");
  const pulls = plot.hidden ? [] : pullsOf(name);
  const holder = box.querySelector(".pulls");
  fill(holder, pulls, () => pullElement(name), (handle, pull) => {
    const { xaxis, yaxis } = plot._fullLayout;
    const [x, y] = endOf(pull, xaxis.range, yaxis.range);
    handle.className = pull.isFlat ? "pull flat" : "pull";
    handle.style.left = `${plot.offsetLeft + xaxis._offset + xaxis.l2p(x)}px`;
    handle.style.top = `${plot.offsetTop + yaxis._offset + yaxis.l2p(y)}px`;
    handle.style.setProperty("--line", colour(pull.slot ? "--slot-b" : "--ink"));
    sayPull(handle, pull);
  });
}

function sayPull(handle, { control, slot, value }) {
  const said = {
    label: `${control.name} of ${slotName(slot)}`,
    valuetext: show(value, control.quantity),
    valuenow: Math.round(STEPS * partAt(control.slider(), value)),
    valuemin: 0,
    valuemax: STEPS,
  };
  for (const [key, words] of Object.entries(said)) handle.setAttribute(`aria-${key}`, words);
  handle.dataset.key = control.key;
  handle.title = `${said.label}: ${said.valuetext}; pull it, or press an arrow key`;
}

function pullElement(name) {
  const handle = element("span", "pull");
  handle.setAttribute("role", "slider");
  handle.setAttribute("aria-orientation", "vertical");
  handle.tabIndex = 0;
  const control = () => controls.get(handle.dataset.key);
  handle.addEventListener("pointerdown", (event) => beginPull(name, control(), event));
  handle.addEventListener("focus", () => follow(control()));
  handle.addEventListener("keydown", (event) => {
    const steps = PULLED[event.key];
    if (!steps) return;
    event.preventDefault();
    const here = partAt(control().slider(), control().value());
    slide(control(), clamped(here + (5 * steps) / STEPS, 0, 1));
  });
  return handle;
}

// The line under the pointer, unless a point of a model is there.
function pullAt(name, event) {
  const plot = byId(`view-${name}`).querySelector(".plot");
  if (!drawn.has(name) || nearestPoint(name, event)) return null;
  const { xaxis, yaxis } = plot._fullLayout;
  const [x, y] = pixelsIn(plot, event);
  if (x < 0 || x > xaxis._length || y < 0 || y > yaxis._length) return null;
  const pulls = pullsOf(name);
  const tops = pulls.filter(({ isFlat }) => isFlat).map(({ value }) => value);
  const fastest = Math.max(...pulls.filter(({ isFlat }) => !isFlat).map(({ value }) => value));
  const away = ({ value, isFlat }) => {
    const height = isFlat ? value : value * 10 ** xaxis.p2l(x);
    const ends = isFlat ? value > fastest * 10 ** xaxis.p2l(x) : height > Math.max(...tops);
    const steep = isFlat ? 0 : xaxis._m / yaxis._m; // pixels up for one across
    return ends ? Infinity : Math.abs(yaxis.d2p(height) - y) / Math.hypot(1, steep);
  };
  const near = pulls.map((pull) => ({ pull, distance: away(pull) }));
  near.sort((one, other) => one.distance - other.distance);
  return near[0]?.distance <= GRIP ? near[0].pull : null;
}

// Pointers on a figure: over a line they can take it. A finger moves the page there.
function listenToPulls(name, plot) {
  plot.addEventListener("pointermove", (event) => {
    const isNear = event.pointerType === "mouse" && !event.buttons && pullAt(name, event) !== null;
    plot.classList.toggle("pullable", isNear || pulled?.name === name);
  });
  plot.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    const found = pullAt(name, event);
    if (found) beginPull(name, found.control, event);
  }, true);
}

function beginPull(name, control, event) {
  event.preventDefault(); // else the figure is moved as a whole, or the page
  event.stopPropagation();
  const handle = byId(`view-${name}`).querySelector(`.pull[data-key="${CSS.escape(control.key)}"]`);
  handle.focus({ preventScroll: true });
  handle.setPointerCapture(event.pointerId);
  const start = Math.log10(control.value());
  pulled = { name, control, start, from: heldAt(name, control, event) };
  const move = (next) => {
    const part = heldAt(name, control, next) - pulled.from;
    holdSteps();
    slide(control, partAt(control.slider(), 10 ** (pulled.start + part)));
  };
  const end = () => {
    handle.removeEventListener("pointermove", move);
    pulled = null;
    letStepsGo();
    changedState(); // axes may widen now
  };
  handle.addEventListener("pointermove", move);
  handle.addEventListener("lostpointercapture", end, { once: true });
}

// The power of ten of the rate whose line goes through the pointer.
function heldAt(name, { key }, event) {
  const plot = byId(`view-${name}`).querySelector(".plot");
  const { xaxis, yaxis } = plot._fullLayout;
  const [x, y] = pixelsIn(plot, event);
  const { isFlat } = pullsOf(name).find(({ control }) => control.key === key);
  return yaxis.p2l(y) - (isFlat ? 0 : xaxis.p2l(x));
}

// Where the pointer is in the frame of a figure.
function pixelsIn(plot, { clientX, clientY }) {
  const { xaxis, yaxis } = plot._fullLayout;
  const { left, top } = plot.getBoundingClientRect();
  return [clientX - left - xaxis._offset, clientY - top - yaxis._offset];
}

// What was changed of the machines' rates, in words, with the way back.
function drawChangedRates() {
  const found = usedSlots().flatMap((slot) =>
    Object.keys(state.slots[slot].rates).map((name) => controls.get(`${SLOTS[slot]}.${name}`)),
  );
  const box = byId("changed");
  box.hidden = !found.length;
  fill(box, found, changedElement, (item, control) => {
    item.dataset.key = control.key;
    item.firstChild.textContent = changedText(control);
    item.lastChild.setAttribute("aria-label", `${control.name} as the machine has it`);
  });
}

function changedElement() {
  const own = ({ parentElement }) => controls.get(parentElement.dataset.key);
  const reset = button("reset", "↺", (pressed) => setControl(own(pressed)));
  reset.title = "as the machine has it";
  return element("span", "", element("span"), reset);
}

// `changed: flops 22 → 30 GFLOP/s`
function changedText(control) {
  const { slot, name, quantity } = control;
  const machine = machineOf(slot);
  const { p } = currentOf(slot).machine;
  const before = show(FUNCTIONS[machine.functions][control.default](p), quantity);
  const after = show(control.value(), quantity);
  const [number, unit] = before.split(" ");
  const same = unit && after.endsWith(` ${unit}`);
  const whose = state.slots[1] ? `${slotName(slot)} ` : "";
  return `changed: ${whose}${name} ${same ? number : before} → ${after}`;
}
