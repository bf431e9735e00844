// What an exported or printed figure is of: title, values, what its signs mean, and the link.

const SVG = "http://www.w3.org/2000/svg";
const EDGE = 12; // pixels around

// { title, values, signs: [[sign, colour, name]], link }
function caption() {
  const values = [...settingsOf()].filter(([name, text]) => name !== "times" || text !== "written");
  return {
    title: usedSlots().map((slot) => `${model().name} on ${slotName(slot)}`).join(", "),
    values: values.map(([name, text]) => `${name} = ${text}`),
    signs: [...signsIn("#key span:has(.sample)"), ...signsIn("#legend button")],
    link: `${location.pathname.split("/").at(-1)}${writeLink()}`,
  };
}

// The signs that the page explains.
function signsIn(where) {
  return [...document.querySelectorAll(where)].map((each) => {
    const sample = each.querySelector(".sample");
    const hue = sample.style.getPropertyValue("--bound");
    return [sample.textContent, hue, each.lastElementChild.textContent];
  });
}

function captionRows() {
  const { title, link } = caption();
  return [["title", title], ...settingsOf(), ["link", link]];
}

// A figure with its caption around it, as text of SVG.
function withCaption(figure, name, width, height) {
  const { title, values, signs, link } = caption();
  const above = [
    ...wrapped(`${title}: ${name}`, 15, width).map((text) => ({ text, size: 15, weight: 600 })),
    ...wrapped(values.join(", "), 12, width).map((text) => ({ text, size: 12 })),
  ];
  const below = [
    ...inLines(signs, width).map((pieces) => ({ pieces, size: 12 })),
    ...wrapped(link, 9, width).map((text) => ({ text, size: 9, faint: true })),
  ];
  const tall = (lines) => lines.reduce((sum, { size }) => sum + 1.4 * size, 0);
  const [top, whole] = [EDGE + tall(above), 2 * EDGE + tall(above) + height + tall(below)];
  const root = drawnAs("svg", { width, height: whole, viewBox: `0 0 ${width} ${whole}` });
  root.append(drawnAs("rect", { width, height: whole, fill: colour("--panel") }));
  const inner = new DOMParser().parseFromString(figure, "image/svg+xml").documentElement;
  inner.setAttribute("y", String(top));
  root.append(...textsOf(above, EDGE), inner, ...textsOf(below, top + height + EDGE / 2));
  return new XMLSerializer().serializeToString(root);
}

function drawnAs(tag, attributes, text = "") {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.textContent = text;
  return made;
}

function textsOf(lines, top) {
  let y = top;
  return lines.map(({ text = "", pieces = [], size, weight = 400, faint = false }) => {
    y += 1.4 * size;
    const fill = colour(faint ? "--muted" : "--ink");
    const look = { "font-size": size, "font-weight": weight, "font-family": "sans-serif", fill };
    const line = drawnAs("text", { x: EDGE, y: y - 0.4 * size, ...look }, text);
    for (const [sign, hue, name] of pieces) {
      line.append(drawnAs("tspan", { fill: hue || fill }, `${sign} `));
      line.append(drawnAs("tspan", {}, `${name}\u2003`));
    }
    return line;
  });
}

function widthOf(text, size) {
  canvas.font = `${size}px sans-serif`;
  return canvas.measureText(text).width;
}

// A text in lines; what has no blank to break at is broken anywhere.
function wrapped(text, size, width) {
  const room = width - 2 * EDGE;
  const lines = [];
  let rest = text;
  while (rest) {
    let fits = rest.length;
    while (fits > 1 && widthOf(rest.slice(0, fits), size) > room) fits = Math.floor(0.95 * fits);
    const blank = rest.lastIndexOf(" ", fits);
    const end = fits < rest.length && blank > 0 ? blank + 1 : fits;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return lines;
}

function inLines(signs, width) {
  const lines = [[]];
  let used = 0;
  for (const each of signs) {
    const own = widthOf(`${each[0]} ${each[2]}\u2003`, 12);
    if (used + own > width - 2 * EDGE && used) {
      lines.push([]);
      used = 0;
    }
    lines.at(-1).push(each);
    used += own;
  }
  return lines.filter((line) => line.length);
}
