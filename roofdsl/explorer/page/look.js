// Colours and small pieces of the page. Texts go in as text, never as markup.

const RESOURCES = ["flops", "memory", "network"];
const OTHERS = ["--other-1", "--other-2", "--other-3", "--other-4"];
const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "cross", "star", "hexagon", "x"];

function byId(id) {
  return document.getElementById(id);
}

function element(tag, className = "", ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

function option(text, value) {
  return Object.assign(element("option", "", text), { value });
}

function button(className, text, act) {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", () => act(made));
  return made;
}

// Show each item in an element of its own, old ones first: moving a slider makes none.
function fill(box, items, make, show) {
  while (box.children.length > items.length) box.lastChild.remove();
  while (box.children.length < items.length) box.append(make());
  items.forEach((item, at) => show(box.children[at], item, at));
}

function fillTexts(box, tag, texts) {
  const show = (made, text) => {
    made.textContent = text;
  };
  fill(box, texts, () => element(tag), show);
}

const colours = new Map(); // those of the theme, as the style has them

function colour(name) {
  if (!colours.has(name)) {
    const style = getComputedStyle(document.documentElement);
    colours.set(name, style.getPropertyValue(name).trim());
  }
  return colours.get(name);
}

// `gpu.memory.L2` is a memory; what is none of the three gets a colour by its name.
function rootOf(resource) {
  return RESOURCES.find((name) => resource.split(".").includes(name)) ?? "";
}

function resourceColour(resource) {
  const root = rootOf(resource);
  if (root) return colour(`--${root}`);
  const own = placeOfOwn(resource);
  if (own) return colour(`--own-${own}`);
  let sum = 0;
  for (const letter of resource) sum += letter.codePointAt(0);
  return resource ? colour(OTHERS[sum % OTHERS.length]) : colour("--muted");
}

// The colour of a resource that a file declares, by its number; 0 for what is none.
function placeOfOwn(resource) {
  return (OWN.findIndex((name) => resource.split(".").includes(name)) % 4) + 1;
}

function fillColour(resource) {
  const [root, own] = [rootOf(resource), placeOfOwn(resource)];
  if (root) return colour(`--fill-${root}`);
  return own ? colour(`--fill-own-${own}`) : resourceColour(resource);
}

// What a marker of a colour says, and what a region does, as figures/scatter.py has them.
function boundName(bound) {
  return RESOURCES.includes(bound) ? regionName(bound) : `bound by ${bound}`;
}

function regionName(bound) {
  return bound === "flops" ? "compute-bound" : `${bound}-bound`;
}

// Lines of a slot's machine.
function slotLine(slot) {
  return slot ? { color: colour("--slot-b"), dash: "dash" } : { color: colour("--ink") };
}

function seriesColour(place) {
  return colour(`--series-${place % 8}`);
}
