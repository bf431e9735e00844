"""Every control of the explorer's page does what it says, in a browser without a network."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.explorer.browser import PATIENCE, Browser, Page
from tests.explorer.conftest import Write, Written
from tests.explorer.settings import DRIVER, drive


@pytest.fixture(scope="module")
def summa(write: Write) -> Written:
    return write(["summa", "dgemv"], ["karst", "jetstream"], N="4096", P="121")


@pytest.fixture(scope="module")
def opened(browser: Browser, summa: Written) -> Iterator[Page]:
    page = browser.page(summa.path)
    page.run(DRIVER)
    yield page
    page.close()


@pytest.fixture
def page(opened: Page) -> Iterator[Page]:
    """Return a page as it is at the start: opening one takes longest."""
    opened.size(1500, 900)
    opened.run("scrollTo(0, 0)")
    click(opened, "#start")
    yield opened
    assert opened.problems() == []
    opened.browser.events.clear()


@pytest.fixture(scope="module")
def phone(browser: Browser, summa: Written) -> Iterator[Page]:
    """Return a page on a narrow screen that is touched."""
    page = browser.page(summa.path, width=400, height=800)
    page.size(400, 800, touch=True)
    page.open("#views=roofline")
    page.run(DRIVER)
    yield page
    assert page.problems() == []
    page.close()


def read(page: Page) -> dict[str, Any]:
    page.settle()
    found = page.run("read()")
    assert isinstance(found, dict)
    return found


def number(page: Page, name: str) -> float:
    return float(read(page)["numbers"][name])


def select(page: Page, name: str, value: str) -> None:
    page.run(
        f"{{ const chosen = document.getElementById({json.dumps(name)});"
        f"chosen.value = {json.dumps(value)}; chosen.dispatchEvent(new Event('change')); true }}"
    )
    page.settle()


def click(page: Page, selector: str) -> None:
    page.run(f"document.querySelector({json.dumps(selector)}).click()")
    page.settle()


def wait(page: Page, condition: str) -> None:
    """Wait until a condition holds on the page."""
    end = time.monotonic() + PATIENCE
    while not page.run(f"Boolean({condition})"):
        assert time.monotonic() < end, condition
        time.sleep(0.01)


def rest(page: Page) -> None:
    """Wait until lines have followed what was moved."""
    page.settle()
    page.run("new Promise((done) => setTimeout(done, 150))")
    page.settle()


def text(page: Page, selector: str) -> str:
    return str(page.run(f"document.querySelector({json.dumps(selector)}).textContent"))


# Sliders and fields


def test_a_field_takes_units_and_refuses_the_rest(page: Page) -> None:
    assert number(page, "time on network") == pytest.approx(84.42e6 / 1.2e9, rel=1e-4)
    drive(page, [("A.network", "type", "2.4 GB/s")])
    assert number(page, "time on network") == pytest.approx(84.42e6 / 2.4e9, rel=1e-4)
    drive(page, [("A.network", "type", "1200")])  # in the unit shown beside it
    assert read(page)["controls"]["A.network"] == ["1200000000000", True]
    for wrong in ("12 GB", "fast", "", "-3", "0", "1e999", "<b>1</b>"):
        drive(page, [("A.network", "type", wrong)])
        box = "[data-key='A.network']"
        assert page.run(f'document.querySelector("{box} .field").ariaInvalid') == "true"
        assert "network" in text(page, f"{box} .problem")
        drive(page, [("model.N", "type", "5000")])  # what is drawn anew leaves it
        assert "network" in text(page, f"{box} .problem")
        assert read(page)["controls"]["A.network"] == ["1200000000000", True]


def test_a_slider_keeps_to_what_the_model_requires(page: Page) -> None:
    for place in (130, 333, 500, 777):
        found = drive(page, [("model.P", "slide", place)])
        processes = int(found["controls"]["model.P"][0])
        assert math.isqrt(processes) ** 2 == processes
        assert found["problems"] == []
    found = drive(page, [("model.P", "type", "120")])
    assert found["problems"] == ["summa requires sqrt(P) is integer"]
    assert number(page, "time") != number(page, "time")  # no number


def test_a_slider_ends_at_its_ends(browser: Browser, write: Write) -> None:
    text = "machine box { flops = 1 flop/s } model m { param N: integer[1..61949]; flops = N }"
    page = browser.page(write(["m"], ["box"], text, N="600").path, link="#views=surface")
    page.run(DRIVER)
    for place, value in ((1000, "61949"), (999, "61300"), (0, "1")):
        found = drive(page, [("model.N", "slide", place)])
        assert found["controls"]["model.N"][0] == value
    page.close()


def test_what_follows_is_reset(page: Page) -> None:
    drive(page, [("model.word", "type", "4 B")])
    controls = read(page)["controls"]
    assert (controls["model.B"], controls["model.M"]) == (["16", False], ["4096", False])
    click(page, "[data-key='model.word'] .reset")
    assert read(page)["controls"]["model.word"] == ["8", False]


def test_arrow_keys_move_a_whole_number(page: Page) -> None:
    drive(page, [("model.N", "type", "5")])
    page.run("document.querySelector(\"[data-key='model.N'] .slider\").focus()")
    page.key("ArrowRight")
    assert read(page)["controls"]["model.N"][0] == "6"
    page.key("ArrowLeft")
    page.key("ArrowLeft")
    assert read(page)["controls"]["model.N"][0] == "4"


def test_crossovers_are_marked(page: Page) -> None:
    # The thesis's 5581 on Karst with 121 processes, which the solver proves.
    mark = (
        "[...document.querySelectorAll(\"[data-key='model.N'] .mark\")].map(x => x.dataset.value)"
    )
    wait(page, f"{mark}.length")
    assert page.run(mark) == ["5581"]
    click(page, "[data-key='model.N'] .mark")
    found = read(page)
    assert (found["controls"]["model.N"][0], found["bound"]) == ("5581", "flops")
    drive(page, [("model.N", "type", "5580")])
    assert read(page)["bound"] == "network"


def test_parameters_of_one_name_move_together(page: Page) -> None:
    drive(page, [("model.N", "type", "1000")])
    select(page, "model", "1")
    assert read(page)["controls"]["model.N"][0] == "1000"
    click(page, "#tied")
    drive(page, [("model.N", "type", "2000")])
    select(page, "model", "0")
    assert read(page)["controls"]["model.N"][0] == "1000"


def test_controls_are_found_by_name(page: Page) -> None:
    page.run(
        "{ const find = document.getElementById('find'); find.value = 'netw';"
        "find.dispatchEvent(new Event('input')); true }"
    )
    shown = "[...document.querySelectorAll('.control:not([hidden])')].map(x => x.dataset.key)"
    assert page.run(shown) == ["A.network"]


# Machines side by side, ways to compose, what stands alone


def test_two_machines_are_compared(page: Page) -> None:
    select(page, "machine-B", "2")
    row = "document.querySelector('#numbers tr[data-name=\"%s\"] .difference')"
    for name, part, shown, verdict in (
        ("time on flops", 22 / 43.4 - 1, "▼ −49.3 %", "better"),
        ("time on network", 1.2 / 0.34 - 1, "▲ +253 %", "worse"),
        ("flops.matrix.fp64", 0.0, "=", ""),
    ):
        cell = row % name
        assert float(page.run(f"{cell}.dataset.part")) == pytest.approx(part)
        assert page.run(f"{cell}.textContent").strip() == shown
        assert page.run(f"{cell}.className").split()[1:] == verdict.split()
    drive(page, [("B.network", "type", "1.2 GB/s")])
    assert page.run(f"{row % 'time on network'}.textContent").strip() == "="


def test_one_kernel_or_line_stands_alone(page: Page) -> None:
    key = "#legend [data-key='%s']"
    click(page, key % "kernel:summa")
    dimmed = "[...document.querySelectorAll('#legend .dimmed')].map((x) => x.dataset.key)"
    others = ["kernel:dgemv", "line:flops", "line:memory", "line:network"]
    assert page.run(dimmed) == others
    faint = (
        "document.querySelector('#view-roofline .plot').data"
        ".flatMap(({ opacity, marker }) => [opacity, ...(marker?.opacity ?? [])])"
        ".filter((opacity) => opacity < 0.2).length"
    )
    wait(page, f"{faint} >= 3")  # two lines and the other kernel
    click(page, key % "line:memory")
    assert "line:memory" not in page.run(dimmed)
    page.key("Escape")
    page.settle()
    assert page.run(dimmed) == []


# Views


VIEWS = ("roofline", "communication", "ridgeline", "surface", "regime")


def test_every_view_is_drawn_and_saved(page: Page) -> None:
    page.size(900, 500)
    page.run("""
        globalThis.saved = [];
        const create = URL.createObjectURL;
        URL.createObjectURL = (blob) => { globalThis.blob = blob; return create(blob); };
        HTMLAnchorElement.prototype.click = function () {
          globalThis.saved.push(globalThis.blob.arrayBuffer().then((bytes) =>
            [this.download, new TextDecoder("latin1").decode(bytes).slice(0, 9e5)]));
        };
        true
    """)
    for count, name in enumerate(VIEWS):
        page.run(f"location.hash = 'views={name}'")
        wait(page, f"document.querySelector('#view-{name} .plot').data")
        for form in ("svg", "png", "csv"):
            click(page, f"#view-{name} [data-form={form}]")
        wait(page, f"saved.length === {3 * count + 3}")
    click(page, "#csv")
    wait(page, "saved.length === 16")
    saved = dict(page.run("Promise.all(saved)"))
    assert len(saved) == 16
    for name in VIEWS:
        figure = saved[f"summa-karst-{name}.svg"]
        assert figure.startswith("<svg")
        words = " ".join(ElementTree.fromstring(figure).itertext())
        title = page.run(f"document.querySelector('#view-{name} .title').textContent")
        for said in (f"summa on karst: {title}", "N = 4096, P = 121", "dgemv", "network-bound"):
            assert said in words, (name, said)
        assert "explore.html#model=summa" in words
        assert saved[f"summa-karst-{name}.png"][1:4] == "PNG"
    roofline = saved["summa-karst-roofline.csv"].splitlines()
    assert roofline[0] == (
        "what,machine,name,parameter,value,OI [flop/B],performance [flop/s],bound"
    )
    assert "ceiling,karst,flops,,,,22000000000" in roofline
    assert "title,summa on karst" in roofline and "N,4096" in roofline
    assert roofline[-1].startswith("link,explore.html#model=summa")
    numbers = dict(line.split(",") for line in saved["summa-karst.csv"].splitlines() if line)
    flops = (2 * 4096**3 + 2 * 4096**2) / 121
    assert float(numbers["flops.matrix.fp64"]) == pytest.approx(flops, rel=1e-15)


def test_it_is_printed_with_what_it_is_of(page: Page) -> None:
    page.scheme("dark")
    drive(page, [("model.N", "type", "8000")])
    click(page, "#choice [data-view=ridgeline]")
    rest(page)
    # What paper shows is looked at while it is being printed.
    page.run("""
        globalThis.seen = [];
        matchMedia("print").addEventListener("change", ({ matches }) => {
          if (!matches) return;
          const shown = (where) => document.querySelector(where).checkVisibility();
          const figure = document.querySelector("#view-roofline .main-svg");
          seen.push(["#left", "header", "#numbers", "#printed"].map(shown),
            document.getElementById("printed").innerText, figure.style.background,
            figure.getBoundingClientRect().width);
        });
        true
    """)
    page.send("Page.printToPDF")
    page.settle()
    visible, words, ground, width = page.run("seen")
    assert visible == [False, False, True, True]
    for said in ("summa on karst", "N = 8000", "P = 121", "compute-bound", "model.summa.N=8000"):
        assert said in words
    assert ground == "rgb(255, 255, 255)"
    assert width <= 690
    assert page.run("document.documentElement.dataset.theme") == "dark"
    page.scheme("light")


def test_a_telephone_prints_what_a_wide_screen_does(phone: Page) -> None:
    names = "[...document.querySelectorAll('#view-roofline .annotation text, .ytitle')]"
    seen = f"[{names}.map((each) => each.textContent), getComputedStyle(verdict).breakInside]"
    phone.run(f"""
        globalThis.verdict = document.querySelector("#verdict .verdict");
        matchMedia("print").addEventListener("change", ({{ matches }}) => {{
          if (matches) globalThis.seen = {seen};
        }});
        true
    """)
    phone.send("Page.printToPDF")
    rest(phone)
    texts, kept = phone.run("seen")
    assert {"flops 22 GFLOP/s", "memory 13.9 GB/s", "Attainable performance [GFLOP/s]"} <= {*texts}
    assert kept == "avoid"  # the bound and what is said of it stand on one sheet
    assert "[GFLOP/s]" in phone.run(f"{names}.map((each) => each.textContent)")


def test_heavy_views_are_drawn_only_in_sight_and_once_a_frame(page: Page) -> None:
    page.run("""
        globalThis.drawings = {};
        const react = Plotly.react;
        Plotly.react = (plot, ...rest) => {
          const name = plot.parentElement.id;
          drawings[name] = (drawings[name] ?? 0) + 1;
          return react(plot, ...rest);
        };
        true
    """)
    page.size(1500, 400)
    click(page, "#choice [data-view=surface]")
    rest(page)
    assert page.run("drawings['view-surface']") is None
    page.run("document.getElementById('view-surface').scrollIntoView(); true")
    wait(page, "drawings['view-surface']")
    rest(page)
    page.run("drawings = {}; true")
    page.run("""
        { const slider = document.querySelector("[data-key='model.N'] .slider");
          for (let at = 0; at < 10; at++) {
            slider.value = String(400 + at);
            slider.dispatchEvent(new Event("input"));
          }
          true }
    """)
    wait(page, "drawings['view-surface']")
    rest(page)
    assert page.run("drawings['view-surface']") == 1


def test_points_move_before_lines_do(page: Page) -> None:
    where = (
        "[...document.querySelectorAll('#view-roofline .scatterlayer .point')].at(-2)"
        ".getAttribute('transform')"
    )
    rest(page)
    before = page.run(where)
    # Lines wait until they are let go, however slow the page is.
    page.run("""
        globalThis.drawn = false;
        document.querySelector("#view-roofline .plot").on("plotly_afterplot", () => {
          globalThis.drawn = true;
        });
        globalThis.held = [];
        globalThis.later = setTimeout;
        globalThis.setTimeout = (act, wait) =>
          act.name === "drawViews" ? held.push(act) : later(act, wait);
        true
    """)
    rest(page)  # what was drawn before may be told of late where the machine is busy
    page.run("globalThis.drawn = false; true")
    moves = json.dumps([("model.N", "slide", 300)])
    moved, drawn = page.run(f"drive({moves}).then(() => [{where}, drawn])")
    page.run("globalThis.setTimeout = later; held.at(-1)(); true")
    assert moved != before and not drawn
    wait(page, "drawn")
    assert page.run(where) == moved


PLACED = """
["annotation", "shapelayer path", "scatterlayer .js-line"].flatMap((kind) =>
  [...document.querySelectorAll(`#view-roofline .${kind}`)].map((piece) => {
    const { left, right, top, bottom } = piece.getBoundingClientRect();
    return [piece.textContent, left, right, top, bottom];
  }))
"""


def test_lines_and_names_are_moved_to_where_they_are_drawn(page: Page) -> None:
    rest(page)
    before = page.run(PLACED)
    # Held for long, but never left to be drawn anew.
    page.run("""
        globalThis.later = setTimeout;
        globalThis.held = [];
        globalThis.setTimeout = (act, wait) =>
          act.name === "drawViews" ? held.push(act) : later(act, wait);
        true
    """)
    for place in (517, 518, 519, 519):  # as wide in digits
        drive(page, [("A.memory", "slide", place)])
        page.run("new Promise((done) => later(done, 250))")
    moved = page.run(PLACED)
    page.run("globalThis.setTimeout = later; held.at(-1)(); true")
    rest(page)
    drawn = page.run(PLACED)
    assert moved != before
    assert [each[0] for each in moved] == [each[0] for each in drawn]
    for one, other in zip(moved, drawn, strict=True):
        assert one[1:] == pytest.approx(other[1:], abs=1.5)  # pixels


def test_a_card_tells_what_is_pointed_at(page: Page) -> None:
    rest(page)
    spot = spot_of_summa(page)
    page.mouse("mouseMoved", spot[0] - 60, spot[1] + 60)
    page.mouse("mouseMoved", *spot)
    wait(page, "!document.getElementById('card').hidden")
    assert text(page, "#card strong") == "summa on karst"
    card = text(page, "#card")
    for piece in (
        "OI11.19 flop/B",
        "attainable16.15 GFLOP/s",
        "of the roof",
        "limiternetwork",
        "headroom1.36 × to the peak, 1.36 × flops",
        "Cardwell 2019, Table 2.4",
    ):
        assert piece in card


def test_a_tap_shows_the_card(phone: Page) -> None:
    rest(phone)
    phone.tap(*spot_of_summa(phone))
    wait(phone, "!document.getElementById('card').hidden")
    assert text(phone, "#card strong") == "summa on karst"


def spot_of_summa(page: Page) -> tuple[float, float]:
    x, y = page.run("""
        { const mark = [...document.querySelectorAll("#view-roofline .scatterlayer .point")].at(-2);
          const { left, top, width, height } = mark.getBoundingClientRect();
          [left + width / 2, top + height / 2] }
    """)
    return x, y


# The page itself


def test_a_link_brings_all_of_it_back(page: Page, browser: Browser, summa: Written) -> None:
    select(page, "machine-B", "2")
    drive(page, [
        ("model.N", "type", "61952"),
        ("model.word", "type", "4 B"),
        ("A.network", "type", "2 GB/s"),
        ("B.memory", "slide", 700),
    ])  # fmt: skip
    select(page, "compose", "sum")
    click(page, "#choice [data-view=ridgeline]")
    click(page, "#legend [data-key='kernel:summa']")
    click(page, "#theme")
    wait(page, "location.hash.includes('61952') && location.hash.includes('theme')")
    link = page.run("location.hash")
    other = browser.page(summa.path, width=1500, height=900, link=link)
    other.run(DRIVER)
    assert read(other) == read(page)
    for seen in (
        "document.documentElement.dataset.theme",
        "[...document.querySelectorAll('#choice [aria-pressed=true]')].map((x) => x.dataset.view)",
        "document.querySelector('#legend [aria-pressed=true]').dataset.key",
        "document.getElementById('compose').value",
    ):
        assert other.run(seen) == page.run(seen)
    assert other.problems() == []
    other.close()
    click(page, "#start")
    assert read(page)["controls"]["model.N"][0] == "4096"


def test_a_link_that_makes_no_sense_is_left_out(browser: Browser, summa: Written) -> None:
    link = (
        "#model=__proto__&A=nobody&A.network=-1&views=constructor&compose=x&axis=%3Cb%3E&B.flops=x"
    )
    page = browser.page(summa.path, link=link + "&model.summa.N=NaN&theme=red&plane=,,,&isolated=q")
    page.run(DRIVER)
    assert number(page, "time") == pytest.approx(70.35e-3, rel=1e-4)
    assert page.run("document.querySelectorAll('#legend .dimmed').length") == 0
    assert page.problems() == []
    page.close()


def test_keys(page: Page) -> None:
    page.run("document.activeElement.blur(); true")
    page.key("3")
    page.settle()
    assert not page.run("document.getElementById('view-ridgeline').hidden")
    page.key("t")
    page.settle()
    assert page.run("document.documentElement.dataset.theme") == "dark"
    page.key("?")
    assert page.run("document.getElementById('keys').open")
    page.key("t")  # is for what lies behind it
    page.key("Escape")
    assert not page.run("document.getElementById('keys').open")
    assert page.run("document.documentElement.dataset.theme") == "dark"
    page.key("/")
    assert page.run("document.activeElement.id") == "find"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_narrow_screen(scheme: str, phone: Page) -> None:
    page = phone
    page.scheme(scheme)
    page.run("location.hash = 'B=jetstream&views=roofline'")
    rest(page)
    assert page.run("document.documentElement.scrollWidth") <= 400
    ground = page.run("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(245, 246, 247)") == (scheme == "light")
    small = page.run(
        "[...document.querySelectorAll('button:not(.mark), select, .slider, .field')]"
        ".filter((x) => x.offsetParent && x.getBoundingClientRect().height < 24)"
        ".map((x) => x.outerHTML.slice(0, 80))"
    )
    assert small == []  # to be hit by a finger


@pytest.mark.parametrize("link", ["views=roofline", "views=roofline.communication&B=jetstream"])
def test_verdict_and_figure_stay_in_view_on_a_phone(link: str, phone: Page) -> None:
    phone.run(f"location.hash = '{link}'")
    rest(phone)
    phone.run(
        "document.querySelector(\"[data-key='A.network'] .slider\")"
        ".scrollIntoView({ block: 'end' }); true"
    )
    rest(phone)
    verdict, figure, slider = (
        phone.run(
            f"{{ const {{ top, bottom }} = document.querySelector(`{where}`)"
            ".getBoundingClientRect(); [top, bottom] }"
        )
        for where in ("#verdict", "#view-roofline .plot", "[data-key='A.network'] .slider")
    )
    assert -1 <= verdict[0] < verdict[1] <= figure[0] + 40 < figure[1] <= slider[0]
    assert figure[1] < 0.5 * 800  # most of the screen is for what is moved
    before = phone.run("document.querySelector('#verdict').textContent")
    drive(phone, [("A.network", "slide", 900)])
    assert phone.run("document.querySelector('#verdict').textContent") != before
    drive(phone, [("A.network", "slide", 500)])


def test_the_file_is_small_enough(write: Write) -> None:
    ten = ["summa", "dgemv", "ddot", "fft", "stencil2d", "mst", "dijkstra"]
    written = write([*ten, "networks.alexnet", "networks.gpt2", "networks.resnet50"], ["dgx_a100"])
    assert written.path.stat().st_size < 8_000_000
