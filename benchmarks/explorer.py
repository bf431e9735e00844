"""Explorers of ResNets in a browser: a step of a slider against work of the same page.

A step is from the slider's event to the frame in which numbers and points stand at the new place.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import roofdsl as rd
from benchmarks.ratios import Figure
from tests.explorer.browser import CHROMIUM, Browser

MODEL = "networks.resnet50:resnet50_training"
MACHINES = ("h100_sxm", "v100")
STEPS = 30
TIMED = f"""
(async () => {{
  const frames = () => Number(document.documentElement.dataset.frame);
  const slider = document.querySelector("[data-key='model.batch'] .slider");
  const pairs = [];
  let kept = 0;
  for (let step = 0; step < {STEPS}; step++) {{
    const before = frames();
    const begun = performance.now();
    slider.value = String(300 + 10 * step);
    slider.dispatchEvent(new Event("input", {{ bubbles: true }}));
    await new Promise((done) => {{
      const look = () => (frames() > before ? done() : requestAnimationFrame(look));
      look();
    }});
    const between = performance.now();
    for (let n = 0; n < 2e7; n++) kept += Math.sqrt(n);
    pairs.push([between - begun, performance.now() - between, kept]);
  }}
  return pairs;
}})()
"""


LARGE = "networks.resnet152:resnet152_training"
ROUNDS, IN_A_ROUND = 4, 40
# An empty redraw: Plotly draws the figures in view again, from the same data; nothing is computed.
AGAINST_REDRAWS = f"""
(async () => {{
  const frames = () => Number(document.documentElement.dataset.frame);
  const slider = document.querySelector("[data-key='model.batch'] .slider");
  const pause = (time) => new Promise((done) => setTimeout(done, time));
  const [steps, redraws] = [[], []];
  for (let step = 0; step < {IN_A_ROUND}; step++) {{
    const before = frames();
    const begun = performance.now();
    slider.value = String(300 + 7 * step);
    slider.dispatchEvent(new Event("input", {{ bubbles: true }}));
    await new Promise((done) => {{
      const look = () => (frames() > before ? done() : requestAnimationFrame(look));
      look();
    }});
    steps.push(performance.now() - begun);
    await pause(16);
  }}
  await pause(800);
  const plots = [...document.querySelectorAll(".view:not([hidden]) .plot")];
  for (let again = 0; again < 8; again++) {{
    const begun = performance.now();
    await Promise.all(plots.filter((plot) => plot.data).map((plot) => Plotly.redraw(plot)));
    redraws.push(performance.now() - begun);
    await pause(100);
  }}
  return [steps, redraws];
}})()
"""


def figures() -> Iterator[Figure]:
    if CHROMIUM is None:
        print("  no browser: nothing is measured")
        return
    browser = Browser()
    try:
        (pairs,) = _measured(browser, MODEL, TIMED, 1)
        rounds = _measured(browser, LARGE, AGAINST_REDRAWS, ROUNDS)
    finally:
        browser.close()
    step = median(step / loop for step, loop, _ in pairs)
    # 50 ms where the square roots take 36 ms.
    yield Figure("a slider of ResNet-50 / 2·10^7 square roots", step, 50 / 36)
    steps, redraws = ([time for each in rounds for time in each[at]] for at in (0, 1))
    slow = sorted(steps)[int(0.95 * len(steps))] / median(redraws)
    yield Figure("a slider of ResNet-152, 95th percentile / an empty redraw", slow, 3)


def _measured(browser: Browser, model: str, code: str, rounds: int) -> list[list[list[float]]]:
    with TemporaryDirectory() as folder:
        path = Path(folder, "explore.html")
        machines = [rd.load_machine(name) for name in MACHINES]
        rd.explore(rd.load_model(model), machines, path, batch=256, ranks=8)
        page = browser.page(path, width=1500, height=950)
        page.run("new Promise((done) => setTimeout(done, 1000))")
        found: list[list[list[float]]] = [page.run(code) for _ in range(rounds)]
        page.close()
        return found
