// The page on paper: light, without controls, with what it is of; afterwards as it was.

const PAPER = { width: "640px", height: "380px" }; // of a figure: it fits the width of A4
const SCREEN = { width: "", height: "" };
let isOnPaper = false; // as wide as any, whatever the screen is

// Whether there are at most so many pixels for the page.
function isNarrow(width) {
  return !isOnPaper && matchMedia(`(max-width: ${width}px)`).matches;
}

function listenToPrinting() {
  addEventListener("beforeprint", () => {
    isOnPaper = true;
    showCaption();
    document.documentElement.dataset.theme = "light";
    drawAllAgain(PAPER);
  });
  addEventListener("afterprint", () => {
    isOnPaper = false;
    setTheme(state.theme);
    drawAllAgain(SCREEN);
  });
}

function showCaption() {
  const { title, values, signs, link } = caption();
  const shown = signs.map(([sign, hue, name]) => {
    const sample = element("span", "sample", sign);
    sample.style.setProperty("--bound", hue);
    return element("span", "", sample, ` ${name}`);
  });
  byId("printed").replaceChildren(
    element("h2", "", title),
    element("p", "", values.join(", ")),
    element("p", "signs", ...shown),
    element("p", "link", link),
  );
}

function drawAllAgain(size) {
  colours.clear();
  drawFrame();
  for (const name of state.views.filter((each) => drawn.has(each))) {
    const plot = byId(`view-${name}`).querySelector(".plot");
    Object.assign(plot.style, size);
    Plotly.purge(plot);
    drawn.delete(name);
    drawView(name);
  }
}
