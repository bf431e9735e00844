// The address follows the state. Each change that is finished is an entry of the browser's history,
// so that its back button takes it back; what only says where one looks replaces the last entry.

const LOOKS = ["axis", "isolated", "theme", "views", "steps", "plane", "pair"];
let writing = 0;
let isHeld = false; // a slider or a roof is not let go yet
let isRead = true; // what is shown is what the address says, perhaps in other words

function keepLink() {
  clearTimeout(writing);
  if (!isHeld) writing = setTimeout(writeAddress, 200);
}

function writeAddress() {
  const link = writeLink();
  if (link === location.hash) return;
  const isSame = isRead || settingsIn(link) === settingsIn(location.hash);
  if (isSame) history.replaceState(null, "", link);
  else history.pushState(null, "", link);
  isRead = false;
}

// What a link says of values, machines and models alone.
function settingsIn(link) {
  const words = new URLSearchParams(link.replace(/^#/, ""));
  for (const name of LOOKS) words.delete(name);
  return String(words);
}

// Read what an address says that the browser has gone to: back, on, or typed.
function readAddress() {
  clearTimeout(writing);
  isRead = true;
  readAll(location.hash);
}

function holdSliders() {
  const isSlider = ({ target }) => target.matches?.(".slider");
  addEventListener("input", (event) => {
    isHeld = isSlider(event);
  }, true);
  for (const name of ["change", "click", "pointerup", "keyup"])
    addEventListener(name, () => letStepsGo());
}

// What is held moves in many steps, which are one change once it is let go.
function holdSteps() {
  isHeld = true;
}

function letStepsGo() {
  if (!isHeld) return;
  isHeld = false;
  keepLink();
}
