"""The page decides exactly which of nearly equal times is longer, and which are equal."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from roofdsl.analysis.composition import Composing
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.expression.tree import Number
from roofdsl.model.arguments import Argument
from tests.agreement.test_ties import BOX, PROGRAMS, N
from tests.explorer.browser import Browser, Page
from tests.explorer.conftest import Write
from tests.explorer.settings import DRIVER, differences, drive, expected
from tests.explorer.test_page import select

MORE = {
    "near_roots": ("flops = 1e13*sqrt(N); memory = 10000000000001 B * sqrt(N)", ("memory",)),
    "near_logarithms": ("flops = 10000000000001*log2(N); memory = 1e13 B * log2(N)", ("flops",)),
    "whole_logarithm": ("flops = 3*N; memory = log2(N + 1) * N * 1 B", ("flops", "memory")),
    "near_sums": (
        "flops = 1e13 * sum(1/k for k in 1..N); memory = 10000000000001 B * sum(1/k for k in 1..N)",
        ("memory",),
    ),
    "thirds": ("flops = 1/3*N; memory = N*1 B/3", ("flops", "memory")),
    "stated": ("step a { time = 1e13*N * 1 s }; step b { flops = 10000000000001*N }", ("flops",)),
    "typed": ("param x: real = 1; flops = 10*x*N; memory = N * 1 B", ("flops", "memory")),
}
ALL = {**PROGRAMS, **MORE}
MODELS = "".join(f"model {x} {{ param N: integer; {body} }}\n" for x, (body, _) in ALL.items())


@pytest.fixture(scope="module")
def opened(browser: Browser, write: Write) -> Iterator[Page]:
    written = write([*ALL], ["box"], BOX + MODELS, N=str(N), x="0.1")
    page = browser.page(written.path, height=60, link="#views=surface")
    page.run(DRIVER)
    yield page
    assert page.problems() == []
    page.close()


@pytest.mark.parametrize("name", ALL)
def test_ties(name: str, opened: Page, write: Write) -> None:
    written = write([*ALL], ["box"], BOX + MODELS, N=str(N), x="0.1")
    place = [*ALL].index(name)
    select(opened, "model", str(place))
    for moved in ((), (("model.N", "type", "7"),)):
        found = drive(opened, moved)
        ties = ALL[name][1]
        assert found["bound"] == ties[0]
        assert found["sentence"] == f"bound by {' and '.join(ties)}"
        result = expected(written.models[place], written.machines[0], found["controls"])
        assert result is not None and result.ties == ties
        assert differences(found, result, written.machines[0]) == []


@pytest.mark.parametrize("composing", ["max", "sum"])
def test_ties_of_other_compositions(composing: Composing, opened: Page, write: Write) -> None:
    written = write([*ALL], ["box"], BOX + MODELS, N=str(N), x="0.1")
    select(opened, "compose", composing)
    for place, (name, model) in enumerate(zip(ALL, written.models, strict=True)):
        select(opened, "model", str(place))
        given: dict[str, Argument] = {"N": (Number(Fraction(N)), None)}
        if name == "typed":
            given["x"] = (Number(Fraction("0.1")), None)
        prediction, _ = predict(model, written.machines[0], given)
        ties = evaluated(prediction, composing).ties
        assert drive(opened, [])["sentence"] == f"bound by {' and '.join(ties)}", name
    select(opened, "compose", "written")


def test_a_rate_that_is_set_is_the_decimal_that_is_shown(opened: Page) -> None:
    select(opened, "model", str([*ALL].index("typed")))
    for rate, ties in (("1 B/s", "flops and memory"), ("0.999999999999999 B/s", "memory")):
        assert drive(opened, [("A.memory", "type", rate)])["verdict"].startswith(f"bound by {ties}")
    drive(opened, [("A.memory", "type", "0.1 B/s"), ("model.x", "type", "1")])
    assert drive(opened, [])["verdict"].startswith("bound by flops and memory")
