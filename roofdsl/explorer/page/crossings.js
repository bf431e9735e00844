// Where the bound changes along one quantity, the others as they are: the marks on the sliders.
// They are found by looking at many places and halving between two that differ.

const SCANNED = 96;

// The value at a part (0 to 1) of a slider, and back.
function valueAt(slider, part) {
  const [low, high, logarithmic] = slider;
  if (part <= 0 || part >= 1) return part <= 0 ? low : high; // exactly, whatever rounding does
  return logarithmic ? low * (high / low) ** part : low + (high - low) * part;
}

function clamped(value, low, high) {
  return Math.min(high, Math.max(low, value));
}

function partAt(slider, value) {
  const [low, high, logarithmic] = slider;
  const part = logarithmic
    ? Math.log(value / low) / Math.log(high / low)
    : (value - low) / (high - low);
  return clamped(part, 0, 1);
}

// Evenly spaced places on a slider, whole numbers only where they must be.
function placesOn(slider, integer, count) {
  const values = [];
  for (let at = 0; at <= count; at++) {
    const value = valueAt(slider, at / count);
    const place = integer ? Math.round(value) : value;
    if (place !== values.at(-1)) values.push(place);
  }
  return values;
}

// Changes of the bound: { value, before, after }; of a whole number, the first after the change.
// A generator, which stops after each place: whoever asks decides when it goes on.
function* crossingsOn(control, slot = 0) {
  const boundAt = (value) => resultOf(state.model, slot, [control.change(value)]).bound;
  const found = [];
  let previous = null;
  for (const value of placesOn(control.slider(), control.integer, SCANNED)) {
    const bound = boundAt(value);
    if (previous && previous.bound && bound && previous.bound !== bound) {
      found.push(crossingIn(previous, { value, bound }, control, boundAt));
    }
    previous = { value, bound };
    yield;
  }
  return found;
}

function crossingIn(first, last, control, boundAt) {
  let [low, high] = [first.value, last.value];
  for (let turn = 0; turn < 60 && high - low > 1e-12 * Math.abs(high); turn++) {
    const logarithmic = control.slider()[2] && low > 0;
    const middle = logarithmic ? Math.sqrt(low) * Math.sqrt(high) : (low + high) / 2;
    const place = control.integer ? clamped(Math.floor(middle), low + 1, high - 1) : middle;
    if (place <= low || place >= high) break;
    if (boundAt(place) === first.bound) low = place;
    else high = place;
  }
  return { value: high, before: first.bound, after: boundAt(high) };
}
