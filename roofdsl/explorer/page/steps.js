// The steps of a composition, and what its whole time is charged to.

// Every kernel below a result's root: its path, numbers over all its runs, the longest first.
function stepsOf(result) {
  return remembered(`steps ${result.place} ${result.slot}`, () => {
    const found = [];
    collect(result.measured, 1, "", found);
    for (const step of found) step.share = ratio(step.time, result.time) || 0;
    return found.sort((one, other) => other.time - one.time);
  });
}

function collect(measured, runs, path, found) {
  for (const child of measured.children) {
    if (isLeftOut(child)) continue;
    const named = child.node.model ? child.node.name : "";
    const below = [path, named].filter(Boolean).join(".");
    const all = runs * measured.runs;
    if (child.children.length) collect(child, all, below, found);
    else found.push(stepOf(child, all, below));
  }
}

// Whether a part is what an `if` does not run, or braces with nothing in them.
function isLeftOut({ node, runs, children }) {
  if (node.model) return false;
  return !children.length || (["if", "else"].includes(node.name) && !runs);
}

function stepOf(measured, runs, path) {
  return {
    path,
    model: measured.node.model,
    runs: runs * measured.runs,
    bound: measured.ties[0] ?? "",
    measured,
    ...reached(measured, runs),
  };
}

function drawSteps() {
  const box = byId("breakdown");
  box.hidden = model().kernel;
  if (model().kernel) return;
  const result = currentOf(0);
  const sound = isSound(result);
  if (sound) drawStrip(box.querySelector(".strip"), result);
  drawStepTable(sound ? stepsOf(result) : []);
}

// The shares of the whole time by what they are charged to.
function drawStrip(strip, result) {
  const shares = Object.entries(result.shares).filter(([, share]) => share > 0);
  shares.sort(([, one], [, other]) => other - one);
  fill(strip, shares, () => element("span", "share"), (piece, [name, share]) => {
    piece.style.flexGrow = String(Math.max(share, 0.001));
    piece.style.setProperty("--bound", resourceColour(name));
    piece.dataset.bound = rootOf(name);
    piece.textContent = share > 0.12 ? `${name} ${showPercent(share)}` : "";
    piece.title = `${name}: ${showPercent(share)} of the time`;
  });
}
