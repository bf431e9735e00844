"""Names in the explorer's figures stand apart, and every view takes resources of one's own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.explorer.browser import Browser, Page
from tests.explorer.conftest import Write
from tests.explorer.settings import DRIVER
from tests.explorer.test_page import rest, select, wait

LEVELS = """
    model gemm {
        param n: integer = 4096
        flops.matrix.bf16 = 2*n^3
        flops.vector.fp32 = n^2
        memory { HBM = 6 B*n^2; L2 = 60 B*n^2 }
        network = 1 B*n^2
        messages = 1e8
    }
    model copy { param n: integer = 4096; memory.HBM = 6 B*n^2; messages = 1e8 }
    machine one {
        flops {
            matrix.bf16 = 300 TFLOP/s; matrix.fp8 = 380 TFLOP/s; vector.fp32 = 60 TFLOP/s
            vector.fp64 = 49 TFLOP/s; default vector.fp32
        }
        memory { L2 = 5.5 TB/s; HBM = 3.3 TB/s; default HBM }
        network = 450 GB/s
        messages = 1 ns/message
    }
    machine two = one with { memory.L2 = 7 TB/s; memory.HBM = 4 TB/s }
"""
# Each pair of names in a figure that touch, by what is seen of them.
TOUCHING = """
[...document.querySelectorAll(".view:not([hidden])")].flatMap((view) => {
  const boxes = [...view.querySelectorAll(".annotation text")].map((text) =>
    [text.textContent, text.getBoundingClientRect()]);
  return boxes.flatMap(([name, one], at) => boxes.slice(at + 1).flatMap(([other, two]) => {
    const apart = one.left >= two.right + 1 || two.left >= one.right + 1 ||
      one.top >= two.bottom + 1 || two.top >= one.bottom + 1;
    return apart ? [] : [[view.id, name, other]];
  }));
})
"""
# Each name in a figure through whose letters a line goes, by what is seen of both.
CROSSED = """
[...document.querySelectorAll(".view:not([hidden])")].flatMap((view) => {
  const lines = [...view.querySelectorAll(".scatterlayer .js-line, .shapelayer path")];
  const points = lines.filter((line) => parseFloat(line.style.strokeWidth) > 0).flatMap((line) => {
    const place = line.getScreenCTM();
    return Array.from({ length: Math.ceil(line.getTotalLength()) }, (_, at) =>
      line.getPointAtLength(at).matrixTransform(place));
  });
  return [...view.querySelectorAll(".annotation text")].flatMap((text) => {
    const box = text.getBoundingClientRect();
    const isInside = ({ x, y }) =>
      x > box.left && x < box.right && y > box.top + 0.5 && y < box.bottom - 0.5;
    return points.some(isInside) ? [[view.id, text.textContent]] : [];
  });
})
"""
NAMES = "[...document.querySelectorAll('#view-roofline .annotation text')].map(x => x.textContent)"


def test_no_name_touches_another(browser: Browser, write: Write) -> None:
    written = write(["gemm", "copy"], ["one", "two"], LEVELS)
    link = "#views=roofline.communication.ridgeline"
    page = browser.page(written.path, width=1500, height=1200, link=link)
    for width, other in ((1500, ""), (1500, "&B=two"), (400, "&B=two"), (400, "")):
        page.run(f"location.hash = '{link[1:]}{other}'")
        page.settle()
        page.size(width, 1200)  # names find other places where there is less room
        rest(page)
        rest(page)
        assert page.run(TOUCHING) == [], (width, other)
        names = page.run(NAMES)
        first = {name.partition(" ")[0] for name in names}
        assert {"memory.L2", "memory.HBM"} <= first, (width, other, names)
        values = "memory.L2 5.5 TB/s" in names or other != ""
        assert values == (width > 700 or other != ""), (width, other, names)
        if not other:  # with two machines on a telephone there is no room for all
            assert any("vector.fp64" in name for name in names), (width, names)
    assert page.problems() == []
    page.close()


@pytest.mark.parametrize(
    ("model", "machines", "needed"),
    [
        ("linear", ("h100_sxm", "a100_sxm_80gb"), "peak of the mix"),
        ("linear", ("a100_sxm_80gb", "h100_sxm"), "peak of the mix"),
        ("summa", ("karst", "jetstream"), "flops"),
    ],
)
def test_no_line_goes_through_a_name(
    browser: Browser, write: Write, model: str, machines: tuple[str, str], needed: str
) -> None:
    written = write([model], machines, dtype="bf16", N="4096", P="121")
    link = "#views=roofline.communication.ridgeline"
    page = browser.page(written.path, width=400, height=800)
    for width, scheme in ((400, "light"), (1100, "dark")):
        page.size(width, 800, touch=width == 400)
        page.scheme(scheme)
        for second in ("", f"&B={machines[1]}"):
            page.open(link + second)
            rest(page)
            rest(page)
            where = (width, scheme, second)
            assert page.run(TOUCHING) == [], where
            assert page.run(CROSSED) == [], where
            names = page.run(NAMES)
            assert any(needed in name for name in names), (where, names)  # the roof that counts
            assert any(name.startswith("memory") for name in names), (where, names)
    assert page.problems() == []
    page.close()


def test_a_name_without_room_is_shown_when_its_line_stands_alone(
    browser: Browser, write: Write
) -> None:
    page = browser.page(write(["linear"], ["h100_sxm"], dtype="bf16").path, width=400, height=800)
    page.size(400, 800, touch=True)
    page.open("#views=roofline")
    rest(page)
    assert not any("vector.fp32" in name for name in page.run(NAMES))
    handle = "document.querySelector('.pull[data-key=\"A.flops.vector.fp32\"]')"
    assert page.run(f"{handle}.ariaLabel") == "flops.vector.fp32 of h100_sxm"
    assert page.run(f"{handle}.getAttribute('aria-valuetext')") == "67 TFLOP/s"
    page.run("document.querySelector('#legend [data-key=\"line:flops.vector.fp32\"]').click()")
    rest(page)
    assert any("vector.fp32" in name for name in page.run(NAMES))
    assert page.run(TOUCHING) == []
    page.close()


OWN = """
    resource nvme: B
    resource queue: request
    unit request
    model join {
        param n: integer = 1000
        flops = 4*n
        memory = 8 B*n
        nvme = 2 B*n
        queue = 5 request*n
    }
    machine box { flops = 10 flop/s; memory = 12 B/s; nvme = 2 B/s; queue = 20 request/s }
    machine linked {
        flops = 10 flop/s; memory = 12 B/s; network = 2 B/s; nvme = 2 B/s; queue = 20 request/s
    }
"""


def test_ridgeline_and_surface_take_resources_of_ones_own(browser: Browser, write: Write) -> None:
    written = write(["join"], ["box", "linked"], OWN)
    page = browser.page(written.path, height=1600, link="#views=ridgeline.surface")
    page.run(DRIVER)
    wait(page, "document.querySelector('#view-surface .plot').data")
    # Without a network, the first two that the machine has: 8 B of memory for 2 B of nvme, 0.5 flop
    # for 1 B; the regions meet at 12/2 and 10/12.
    seen = drawn(page, "ridgeline")
    assert seen["titles"] == ["Intensity memory/nvme [B/B]", "Operational intensity [flop/B]"]
    assert seen["point"] == pytest.approx([4, 0.5])
    assert {"nvme-bound", "memory-bound", "compute-bound"} <= {*seen["names"]}
    assert [6, pytest.approx(10 / 12)] in seen["corners"]
    assert page.run("document.querySelector('#view-ridgeline select.pair').value") == "memory/nvme"
    scene = "document.querySelector('#view-surface .plot').layout.scene"
    titles = ["OI [flop/B]", "flops/nvme [flop/B]"]
    assert page.run(f"[{scene}.xaxis.title.text, {scene}.yaxis.title.text]") == titles
    choose_pair(page, "nvme/queue")
    seen = drawn(page, "ridgeline")
    assert seen["titles"][0] == "Intensity nvme/queue [B/request]"
    assert seen["point"] == pytest.approx([0.4, 2])
    assert [pytest.approx(0.1), 5] in seen["corners"]
    # With a network the plane is the usual one, until another is chosen.
    page.run("location.hash = 'views=ridgeline&A=linked'")
    rest(page)
    assert "Memory intensity" in drawn(page, "ridgeline")["titles"][0]
    select(page, "machine-A", "0")
    page.run("location.hash = 'views=ridgeline&pair=network%2Fqueue'")
    rest(page)
    absent = page.run("document.querySelector('#view-ridgeline .absent').textContent")
    assert absent == "box has no limited rates for flops, network and queue."
    # Regimes take their rates as axes, and colour what they bind.
    page.run("location.hash = 'views=regime&plane=A.nvme,A.queue'")
    plot = "document.querySelector('#view-regime .plot')"
    wait(page, f"{plot}.layout?.xaxis.title.text === 'nvme [B/s]' && {plot}.data[0].x.length > 60")
    names = drawn(page, "regime")["names"]
    assert {"bound by nvme", "bound by queue"} <= {*names}
    assert page.problems() == []
    page.close()


def choose_pair(page: Page, key: str) -> None:
    page.run(
        "{ const chosen = document.querySelector('#view-ridgeline select.pair');"
        f"chosen.value = {json.dumps(key)}; chosen.dispatchEvent(new Event('change')); true }}"
    )
    rest(page)


def drawn(page: Page, view: str) -> Any:
    return page.run(f"""(() => {{
      const {{ data, layout }} = document.querySelector('#view-{view} .plot');
      const point = data.find(({{ meta }}) => meta === "points");
      return {{
        titles: [layout.xaxis.title.text, layout.yaxis.title.text],
        names: layout.annotations.map(({{ text }}) => text),
        point: point && [point.x[0], point.y[0]],
        corners: data.filter(({{ mode }}) => mode === "lines").map(({{ x, y }}) => [x[0], y[0]]),
      }};
    }})()""")


def test_a_mix_has_no_place_and_says_so(browser: Browser, write: Write) -> None:
    text = """
        model part { param n: integer = 1073741824; flops = 4*n; memory = 8 B*n; network = 2 B*n }
        mix whole { param n: integer = 1073741824; job one = 3 * part(n = n) }
        machine box { flops = 10 flop/s; memory = 12 B/s; network = 1 B/s }
    """
    page = browser.page(write(["whole"], ["box"], text).path, width=400, link="#views=roofline")
    rest(page)
    note = page.run("document.querySelector('#view-roofline .beyond').textContent")
    assert note == "not drawn: whole, a mix, whose jobs have places"
    field = "document.querySelector(\"[data-key='model.n'] .field\")"
    assert page.run(f"{field}.value") == "1073741824"
    assert page.run(f"{field}.scrollWidth <= {field}.clientWidth")  # all digits are seen
    assert page.problems() == []
    page.close()
