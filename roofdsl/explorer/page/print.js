// The page on paper: light, without controls, with what it is of; afterwards as it was.

const PAPER = { width: "640px", height: "380px" }; // of a figure: it fits the width of A4
const SCREEN = { width: "", height: "" };

function listenToPrinting() {
  addEventListener("beforeprint", () => {
    showCaption();
    document.documentElement.dataset.theme = "light";
    drawAllAgain(PAPER);
  });
  addEventListener("afterprint", () => {
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
