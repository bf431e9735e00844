"""ResNet-50's explorer in a browser: a step of a slider against a fixed loop in the same page.

From the slider's event to the frame in which numbers and points stand at the new place.
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


def figures() -> Iterator[Figure]:
    if CHROMIUM is None:
        print("  no browser: nothing is measured")
        return
    browser = Browser()
    try:
        with TemporaryDirectory() as folder:
            path = Path(folder, "explore.html")
            machines = [rd.load_machine(name) for name in MACHINES]
            rd.explore(rd.load_model(MODEL), machines, path, batch=256, ranks=8)
            page = browser.page(path, width=1500, height=950)
            page.run("new Promise((done) => setTimeout(done, 1000))")
            pairs = page.run(TIMED)
    finally:
        browser.close()
    step = median(step / loop for step, loop, _ in pairs)
    # 50 ms where the square roots take 36 ms.
    yield Figure("a slider of ResNet-50 / 2·10^7 square roots", step, 50 / 36)
