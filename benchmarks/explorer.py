"""ResNet-50's explorer in a browser, a step of a slider: `python -m benchmarks.explorer`.

From the slider's event to the frame in which numbers and points stand at the new place.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import roofdsl as rd
from tests.explorer.browser import CHROMIUM, Browser

MODEL = "networks.resnet50:resnet50_training"
MACHINES = ("h100_sxm", "v100")
LIMIT = 50.0  # milliseconds, median of STEPS
STEPS = 30
TIMED = f"""
(async () => {{
  const frames = () => Number(document.documentElement.dataset.frame);
  const slider = document.querySelector("[data-key='model.batch'] .slider");
  const times = [];
  for (let step = 0; step < {STEPS}; step++) {{
    const before = frames();
    const begun = performance.now();
    slider.value = String(300 + 10 * step);
    slider.dispatchEvent(new Event("input", {{ bubbles: true }}));
    await new Promise((done) => {{
      const look = () => (frames() > before ? done() : requestAnimationFrame(look));
      look();
    }});
    times.push(performance.now() - begun);
  }}
  return times.sort((one, other) => one - other);
}})()
"""


def main() -> int:
    if CHROMIUM is None:
        print("explorer: no browser, nothing is measured")
        return 0
    browser = Browser()
    try:
        with TemporaryDirectory() as folder:
            path = Path(folder, "explore.html")
            machines = [rd.load_machine(name) for name in MACHINES]
            rd.explore(rd.load_model(MODEL), machines, path, batch=256, ranks=8)
            size = path.stat().st_size
            page = browser.page(path, width=1500, height=950)
            page.run("new Promise((done) => setTimeout(done, 1000))")
            times = page.run(TIMED)
    finally:
        browser.close()
    median = times[STEPS // 2]
    print(f"explorer of ResNet-50, {size / 1e6:.1f} MB: median of {STEPS} steps {median:.1f} ms "
          f"(at most {LIMIT:.0f}), longest {times[-1]:.0f} ms")  # fmt: skip
    return int(median > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
