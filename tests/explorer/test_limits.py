"""Hostile texts are only texts in the page; models at the limits are still usable."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from roofdsl.explorer.build import Explored, build
from roofdsl.explorer.page import inert
from roofdsl.explorer.page import page as page_of
from roofdsl.model.library import find_machine, find_model
from tests.explorer.browser import Browser, Page
from tests.explorer.conftest import Write
from tests.explorer.settings import DRIVER, Move, differences, drive, expected
from tests.explorer.test_page import VIEWS, number, read, rest, select, text, wait

HOSTILE = (
    "</script><script>globalThis.hurt = 1</script>"
    "<img src=x onerror='globalThis.hurt = 2'>"
    "</template></title><svg/onload=globalThis.hurt=3> @@data@@ {{7*7}} ${globalThis.hurt=4}"
)
LAYERS = "\n".join(f"step layer{at} = layer(n = n, width = {at})" for at in range(1, 301))
PARAMETERS = "\n".join(f"param p{at}: integer = {at}" for at in range(1, 31))
LANGUAGE = f"""
    ## A copy. {HOSTILE}
    model copy {{
        source "{HOSTILE}"
        param n: integer = 1000              ## {HOSTILE}
        memory = 16 B*n
    }}
    model local {{ param n: integer = 1000; flops = 2*n; memory = 8 B*n }}
    model registers {{ param n: integer = 1000; flops = 2*n }}
    model idle {{ param n: integer = 1000; flops = 0; memory = 0 B }}
    model layer {{
        param n: integer
        param width: integer
        flops = 2*n*width^2
        memory = 8 B*(width^2 + 2*n*width)
    }}
    model deep {{
        param n: integer = 64
        {LAYERS}
    }}
    model wide {{
        {PARAMETERS}
        flops = {" + ".join(f"p{at}" for at in range(1, 31))}
        memory = 8 B*p1
    }}
    model two {{
        step one {{ flops = 20e9; memory = 1 GB }}
        step other {{ flops = 10e9; memory = 4 GB }}
    }}
    ## {HOSTILE}
    machine plain {{
        source "{HOSTILE}"
        flops = 10 GFLOP/s                   ## {HOSTILE}
        memory = 1 GB/s
        network = unlimited
    }}
"""
MODELS = ("copy", "local", "registers", "idle", "deep", "wide", "two")


@pytest.fixture(scope="module")
def opened(browser: Browser, write: Write) -> Iterator[Page]:
    written = write(MODELS, ["plain"], LANGUAGE)
    page = browser.page(written.path, width=1400, height=1000)
    page.run(DRIVER)
    yield page
    page.close()


@pytest.fixture
def page(opened: Page) -> Iterator[Page]:
    yield opened
    assert opened.problems() == []


def show(page: Page, name: str) -> None:
    select(page, "model", str(MODELS.index(name)))
    for view in VIEWS:
        if page.run(f"document.getElementById('view-{view}').hidden"):
            page.run(f"document.querySelector('#choice [data-view={view}]').click()")
    rest(page)


def test_hostile_texts_are_texts(page: Page) -> None:
    show(page, "copy")
    assert page.run("globalThis.hurt ?? null") is None
    assert page.run("document.scripts.length") == 3
    assert page.run("document.querySelectorAll('img, iframe, object, link, base').length") == 0
    assert HOSTILE in text(page, "#about") and HOSTILE in text(page, "#sources")
    assert HOSTILE in str(page.run("document.querySelector(\"[data-key='model.n']\").title"))


def test_json_in_the_page_means_nothing_to_it() -> None:
    text = json.dumps({"doc": "</ScRiPt><!--<script>]]>&amp;\u2028\u2029"}, ensure_ascii=False)
    safe = inert(text)
    assert not set("<>&\u2028\u2029") & set(safe)
    assert json.loads(safe) == json.loads(text)


def test_no_flops(page: Page) -> None:
    show(page, "copy")
    drive(page, [("model.n", "type", "1000000")])
    assert number(page, "time") == 16e6 / 1e9
    assert (number(page, "OI"), number(page, "attainable")) == (0, 0)
    assert text(page, "#verdict .bound") == "bound by memory"
    assert "no limited rate for network" in text(page, "#view-communication .absent")


def test_no_network_and_no_memory(page: Page) -> None:
    show(page, "local")
    assert read(page)["numbers"]["CAI"] == "Infinity"
    show(page, "registers")
    found = read(page)
    assert found["numbers"]["OI"] == "Infinity"
    assert number(page, "attainable") == 10e9
    shown = "document.querySelector('#numbers tr[data-name=OI] data').textContent"
    assert page.run(shown) == "∞ flop/B"
    points = page.run("document.querySelectorAll('#view-roofline .scatterlayer .point').length")
    assert points >= 1  # at the edge


TIMES = "[...document.querySelectorAll('#step-table td:nth-child(2) data')].map((x) => +x.value)"


def test_no_work_at_all(page: Page) -> None:
    show(page, "idle")
    assert text(page, "#verdict .bound") == "takes no time"
    assert number(page, "time") == 0


def test_three_hundred_layers(page: Page) -> None:
    show(page, "deep")
    drive(page, [("model.n", "type", "64")])
    layers = [(2 * 64 * w * w / 10e9, 8 * (w * w + 128 * w) / 1e9) for w in range(1, 301)]
    assert number(page, "time") == pytest.approx(sum(map(max, layers)), rel=1e-12)
    assert page.run("document.querySelectorAll('#step-table tbody tr').length") == 40
    page.run("document.querySelector('#breakdown .more').click()")
    page.settle()
    longest = page.run(TIMES)
    assert longest == pytest.approx(sorted(map(max, layers), reverse=True))


def test_times_combine_as_asked(page: Page) -> None:
    show(page, "two")
    assert number(page, "time") == 2 + 4
    select(page, "compose", "max")
    assert number(page, "time") == 1 + 4  # the memory's busy time
    select(page, "compose", "sum")
    assert number(page, "time") == 3 + 5
    assert page.run(TIMES) == [5, 3]
    select(page, "compose", "written")


def test_thirty_parameters(page: Page) -> None:
    show(page, "wide")
    drive(page, [(f"model.p{at}", "type", str(10 * at)) for at in range(1, 31)])
    assert number(page, "flops") == 10 * sum(range(1, 31))
    page.run(
        "{ const find = document.getElementById('find'); find.value = 'p29';"
        "find.dispatchEvent(new Event('input')); true }"
    )
    shown = "[...document.querySelectorAll('.control:not([hidden])')].map(x => x.dataset.key)"
    assert page.run(shown) == ["model.p29"]


def test_no_other_script_runs(opened: Page) -> None:
    page = opened
    for attempt in (
        (
            "const own = { text: 'hurt = 5' }; const made = document.createElement('script'); "
            "document.body.append(Object.assign(made, own))"
        ),
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"hurt = 6\">')",
    ):
        page.run(f"{{ {attempt}; true }}")
        page.settle()
    assert page.run("globalThis.hurt ?? null") is None
    assert any("Content Security Policy" in problem for problem in page.problems())
    page.browser.events.clear()


def test_measured_times(browser: Browser, write: Write) -> None:
    language = """
        model multiply {
            param m: integer = 512
            param n: integer = 16
            param k: integer = 512
            as gemm(m = m, n = n, k = k)
            flops = 2*m*n*k
            memory = 4 B*(m*k + k*n + m*n)
        }
    """
    written = write(["multiply"], ["gtx_1080_ti"], language)
    page = browser.page(written.path, height=60, link="#views=surface")
    page.run(DRIVER)
    for n in (16, 32):
        drive(page, [("model.n", "type", str(n))])
        found = read(page)
        result = expected(written.models[0], written.machines[0], found["controls"])
        assert result is not None and differences(found, result, written.machines[0]) == []
        assert (
            number(page, "time on flops")
            != result.work["flops"] / result.rates["flops.vector.fp32"]
        )
    drive(page, [("model.n", "type", "17")])
    assert read(page)["problems"] == ["gemm(512, 17, 512) was not measured"]
    assert page.problems() == []
    page.close()


def test_names_that_objects_of_javascript_have(browser: Browser, write: Write) -> None:
    language = """
        resource constructor: B
        model odd {
            param __proto__: integer = 3
            param toString: integer = 4
            let valueOf = __proto__ + toString
            flops = __proto__*toString
            constructor = 8 B*valueOf
        }
        model twice { step hasOwnProperty = odd(); step constructor = odd() }
        model ddot { param n: integer = 8; flops = n; memory = 0 B }
        machine plain {
            flops = 1 flop/s
            memory = 1 B/s
            network = 1 B/s
            constructor = 1 B/s
        }
    """
    written = write(["odd", "twice", "ddot", "linalg.ddot"], ["plain"], language)
    page = browser.page(written.path)
    page.run(DRIVER)
    drive(page, [("model.__proto__", "type", "5"), ("A.constructor", "type", "2 B/s")])
    assert (number(page, "flops"), number(page, "time on constructor")) == (20, 8 * 9 / 2)
    wait(page, "location.hash.includes('__proto__')")
    page.open(page.run("location.hash"))
    page.run(DRIVER)
    assert (number(page, "flops"), number(page, "valueOf")) == (20, 9)
    select(page, "model", "1")
    assert number(page, "time") == 2 * 8 * 7 / 2
    # Several of one name, from several files, are told apart.
    names = "[...document.querySelectorAll('#model option')].map((each) => each.textContent)"
    assert page.run(names) == ["odd", "twice", "ddot", "ddot (2)"]
    page.run("location.hash = 'model=ddot+%282%29'")
    wait(page, "document.querySelector('[data-key=\"model.P\"]')")
    assert page.problems() == []
    page.close()


def test_the_same_page_has_the_same_bytes() -> None:
    def built() -> str:
        asked = [Explored(find_model(name)[0], {}, {}) for name in ("summa", "networks.lstm_lm")]
        return page_of(build(asked, [find_machine(name)[0] for name in ("karst", "h100_sxm")]))

    assert built() == built()


def test_a_slider_ends_where_a_bound_that_is_a_formula_does(browser: Browser, write: Write) -> None:
    text = """
        model tiles {
            param N: integer = 400
            param P: processes[2..N/4] = 10
            flops = N^2/P; memory = 8 B*N
        }
    """
    page = browser.page(write(["tiles"], ["karst"], text).path)
    page.run(DRIVER)
    for size, place, count in ((400, 1000, "100"), (80, 1000, "20"), (80, 0, "2")):
        size_first: list[Move] = [("model.P", "type", "10"), ("model.N", "type", str(size))]
        moves = [*size_first, ("model.P", "slide", place)]
        assert drive(page, moves)["controls"]["model.P"][0] == count
    assert read(page)["problems"] == page.problems() == []
    page.close()
