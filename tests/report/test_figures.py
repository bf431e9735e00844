"""The figures of a report: chosen for what a model is, numbered, referred to, told truly."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import roofdsl
from tests.explorer.browser import Browser
from tests.report.opened import opened
from tests.report.samples import run

KERNEL, NETWORK = "linalg.summa", "networks.lenet5"
AT = ("-p", "N=4000", "-p", "P=16", "-p", "batch=8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("figures")
    machines = ("-m", "karst", "-m", "h100_sxm")
    for ending in ("html", "md"):
        run(made, "report", KERNEL, "lenet5", *machines, *AT, "-o", f"r.{ending}")
    return made


@pytest.fixture(scope="module")
def text(folder: Path) -> str:
    page = (folder / "r.html").read_text(encoding="utf-8")
    return page[page.index("<body>") :].replace("\u00a0", " ")


def captions(text: str) -> list[str]:
    found = re.findall(r'<figure class="drawing".*?<figcaption>(.*?)</figcaption>', text, re.DOTALL)
    return [re.sub("<.*?>", "", caption) for caption in found]


def test_every_figure_is_numbered_and_referred_to_before_it_comes(text: str) -> None:
    figures = re.findall(r'<figure class="drawing" id="(.*?)"', text)
    assert len(figures) == len(captions(text)) == 3
    for number, (name, caption) in enumerate(zip(figures, captions(text), strict=True), 1):
        assert caption.startswith(f"Figure {number}. ")
        link = text.index(f'<a href="#{name}">Figure {number}</a> shows ')
        assert link < text.index(f'<figure class="drawing" id="{name}"')


def test_markdown_refers_to_its_figures_by_the_same_numbers(folder: Path) -> None:
    text = (folder / "r.md").read_text(encoding="utf-8")
    for number in (1, 2, 3):
        assert text.index(f"Figure {number} shows") < text.index(f"**Figure {number}.**")
    assert "Figure 4" not in text


def test_figures_are_chosen_for_what_a_model_is(text: str) -> None:
    roofs, regimes, steps = captions(text)
    assert "operational and over communication intensity of summa" in roofs
    assert "What binds summa on karst over N and P." in regimes
    assert "Where the time of lenet5 on karst goes" in steps


def test_captions_are_true(text: str) -> None:
    roofs, regimes, steps = captions(text)
    kernel = roofdsl.load_model(KERNEL)
    bounds = {
        name: kernel.on(roofdsl.load_machine(name)).evaluate(N=4000, P=16).bound
        for name in ("karst", "h100_sxm")
    }
    assert len({*bounds.values()}) == 2  # else their order says nothing
    told = " and ".join(f"by {bound} on {name}" for name, bound in bounds.items())
    assert f"It is bound {told}." in roofs
    assert f"At N = 4000, P = 16 that is {bounds['karst']}." in regimes
    result = roofdsl.load_model(NETWORK).on(roofdsl.load_machine("karst")).evaluate(batch=8)
    parts = {part.name: part.time * part.count for part in result.breakdown.children}
    longest = max(parts, key=parts.__getitem__)
    match = re.search(r"The whole takes (.*?); no step takes longer than (\S+), (.*?)\.$", steps)
    assert match is not None
    assert match[2] == longest
    for shown, exact in ((match[1], result.time), (match[3], parts[longest])):
        number, unit = shown.split()
        scale = {"s": 1.0, "ms": 1e-3, "µs": 1e-6}[unit]
        assert float(number) * scale == pytest.approx(exact, rel=5e-4)


ON_WHAT = """(() => {
  const part = (c) => (c <= 10.3 ? c / 3295 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  const rgb = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([red, green, blue]) =>
    0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
  const found = [];
  for (const svg of document.querySelectorAll(".drawing svg")) {
    svg.scrollIntoView({ block: "center" });
    for (const text of svg.querySelectorAll("text")) {
      const box = text.getBoundingClientRect();
      const x = box.left + box.width / 2;
      const y = box.top + box.height / 2;
      const ground = document.elementsFromPoint(x, y).find((e) => {
        const style = getComputedStyle(e);
        return e.localName === "path" && style.fill !== "none" && +style.fillOpacity === 1;
      });
      if (!ground) continue;
      const both = [text, ground].map((e) => light(rgb(getComputedStyle(e).fill)));
      const contrast = (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
      found.push([contrast, text.textContent]);
    }
  }
  return found;
})()"""
"""The contrast of each text of a figure with the area that it stands on."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_letters_stand_out_from_the_areas_they_stand_on(
    browser: Browser, tmp_path: Path, scheme: str
) -> None:
    run(tmp_path, "report", "resnet50", KERNEL, "-m", "h100_sxm", "-o", "r.html")
    report = opened(browser, tmp_path / "r.html", 1100)
    report.size(1100, 1400)
    report.scheme(scheme)
    report.settle()
    found = report.run(ON_WHAT)
    assert len(found) > 60
    assert min(found)[0] >= 4.5, min(found)
    report.close()
