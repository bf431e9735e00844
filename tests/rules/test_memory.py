"""Peaks of memory and what is kept are those of random programs written out in full."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from roofdsl.analysis.peak import BOUND
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.such_that import read_condition
from roofdsl.analysis.threshold import find_thresholds
from roofdsl.analysis.unknown import unknown_named
from roofdsl.expression.construct import number
from roofdsl.expression.substitute import substitute
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Source
from tests.counts import inputs
from tests.rules.memory_programs import Writer
from tests.rules.timeline import Group, Layer, Model, Run, Step, written
from tests.unwarned import defined

PARTS = 2
MOST = 12
EACH = inputs(50, 1000)


def told(text: str) -> dict[str, Fraction]:
    """Return what is kept, and the peak, as the package says."""
    prediction, wrong = predict(*defined(text), {})
    assert wrong == (), text
    tallies = evaluated(prediction).tallies
    return {name: Fraction(tallies.get(name, 0)) for name in ("activations", "peak_memory")}


def differs(main: Model, run: Run | None = None) -> str:
    """Say where what is told of a program is not what it comes to."""
    text, run = written(main), run or Run(main)
    if run.spoiled:
        return ""
    found = told(text)
    wanted = {"activations": run.activations, "peak_memory": run.peak}
    if found == wanted:
        return ""
    numbers = {name: float(each) for name, each in found.items()}
    return f"{numbers}, not {wanted}\n{text}"


@pytest.mark.parametrize("part", range(PARTS))
def test_inference_is_as_written_out(part: int) -> None:
    for place in range(EACH):
        assert not differs(Writer(f"inference {part} {place}").inference())


@pytest.mark.parametrize("part", range(PARTS))
def test_what_runs_at_once_is_as_written_out(part: int) -> None:
    for place in range(EACH):
        assert not differs(Writer(f"at once {part} {place}", True).inference())


@pytest.mark.parametrize("part", range(PARTS))
def test_training_is_as_written_out(part: int) -> None:
    for place in range(EACH):
        assert not differs(Writer(f"training {part} {place}").training())


def opened(main: Model) -> str:
    """Return the text of a program whose repeats run `n` times, or `m` where it was even.

    An `if` runs where `n` is more, or where `m` is, if it did not run.
    """
    text = re.sub(r"repeat [2468] ", "repeat m ", written(main))
    text = re.sub(r"repeat [1-9] ", "repeat n ", text)
    text = text.replace("if 1 == 1 ", "if n > m ").replace("if 0 == 1 ", "if m > n ")
    names = "param n: integer; param m: integer;"
    text = re.sub(r"^model (\w+) { ", rf"model \1 {{ {names} ", text, flags=re.M)
    return re.sub(r"= (\w+)\(\)", r"= \1(n = n, m = m)", text)


@pytest.mark.parametrize("sort", ["inference", "training"])
def test_formulas_are_as_numbers(sort: str) -> None:
    """However few rounds there are: the first that runs may reach less or more than the others."""
    compared = 0
    for place in range(inputs(30, 400)):
        writer = Writer(f"open {sort} {place}")
        main = writer.training() if sort == "training" else writer.inference()
        text = opened(main)
        if not re.search("repeat [nm]", text) or Run(main).spoiled:
            continue
        free, wrong = predict(*defined(text), {}, frozenset({"n", "m"}))
        assert wrong == (), text
        formulas = {tally.name: tally.amount for tally in free.tallies()}
        for n, m in ((1, 1), (1, 2), (2, 1), (3, 2), (2, 3), (7, 4)):
            values = {"n": number(n), "m": number(m)}
            given = {name: (value, None) for name, value in values.items()}
            told = evaluated(predict(*defined(text), given)[0]).tallies
            for name in {"activations", "peak_memory"} & told.keys():
                put_in = substitute(formulas[name], {**free.rates, **values})
                assert evaluate(put_in, {}) == told[name], f"{name} at {n}, {m}\n{text}"
                compared += 1
    assert compared > 100


SMALL = {
    # A view of what was kept until the step that makes it: 3 given, 1 kept, 4 more that are read.
    "view": (
        """
        model loss { in x = 3 B; out y = 1 B; keep x, y; flops = 1 flop }
        model loss_back { in x = 1 B; out y = x; flops = 1 flop }
        model back { in x = 5 B; flops = 1 flop }
        model main {
            in x = 3 B
            step loss = loss(); step loss_back = loss_back(); step back = back()
            keep loss to loss_back
        }
        """,
        3 + 1 + 4,
    ),
    # What an inner part keeps, and an outer one as well: 3 bytes are there until the last step.
    "nested": (
        """
        model one { in x = 8 B; out y = 3 B; keep y; flops = 1 flop }
        model two { in x = 3 B; out y = 0 B; keep x; flops = 1 flop }
        model both { step one = one(); step two = two(); keep one to two }
        model last { in x = 5 B; flops = 1 flop }
        model main { in x = 8 B; step both = both(); step last = last(); keep both to last }
        """,
        8 + 3 + 5,
    ),
    # Steps that are waited for read nothing: the 13 are gone after the step that reads them.
    "wait": (
        """
        model make { out y = 13 B; flops = 1 flop }
        model other { in x = 1 B; flops = 1 flop }
        model read { in x = 13 B; out y = 0 B; flops = 1 flop }
        model last { in x = 8 B; out y = 8 B; flops = 1 flop }
        model main {
            step make = make()
            repeat 1 { wait 2 { step other = other() from make }
                       step read = read(); step last = last() }
        }
        """,
        8 + 8,
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_small_programs_reach_what_is_added_up_by_hand(name: str) -> None:
    text, peak = SMALL[name]
    assert told(text + "machine box { flops = 1 flop/s }")["peak_memory"] == peak


def counted(part: Any, n: int, m: int) -> Any:
    """Return a program, or a part of one, with other counts of its repeats; see `opened`."""
    if isinstance(part, Step):
        return replace(part, model=counted(part.model, n, m))
    if isinstance(part, Layer):
        return part
    parts = tuple(counted(each, n, m) for each in part.parts)
    if isinstance(part, Group) and part.sort == "repeat" and part.count:
        return replace(part, parts=parts, count=n if part.count % 2 else m)
    if isinstance(part, Group) and part.sort == "if":
        return replace(part, parts=parts, count=int(n > m if part.count else m > n))
    return replace(part, parts=parts)


@pytest.mark.parametrize("sort", ["inference", "training"])
def test_what_fits_is_found_at_every_number(sort: str) -> None:
    """The programs are written out with each count, and their peaks compared with a capacity."""
    asked = ends = 0
    for place in range(inputs(20, 300)):
        writer = Writer(f"fits {sort} {place}")
        main = writer.training() if sort == "training" else writer.inference()
        runs = [Run(counted(main, n, 2)) for n in range(1, MOST + 1)]
        peaks = [run.peak for run in runs]
        if len({*peaks}) == 1 or any(run.spoiled for run in runs):
            continue
        room = peaks[len(peaks) // 2]
        text = opened(main).replace("box { ", f"box {{ capacity memory = {room} B; ")
        given = {"m": (number(2), None)}
        prediction, wrong = predict(*defined(text), given, frozenset({"n"}))
        assert wrong == (), text
        unknown = unknown_named("n", prediction.model, prediction.machine)
        condition = read_condition(Source("condition", "fits"), prediction)
        found = find_thresholds(prediction, condition, unknown, 1, MOST)
        assert found.proof.complete, text
        for n, peak in enumerate(peaks, 1):
            holds = any(each.first <= n <= each.last for each in found.intervals)
            assert holds == (peak <= room), f"n = {n}\n{text}"
        asked += 1
        ends += len(found.intervals)
    assert asked > 3 and ends


@pytest.mark.parametrize(("repeats", "bound"), [(4, False), (5, True)])
def test_a_bound_is_called_one(repeats: int, bound: bool) -> None:
    """Of repeats in more than four others one round stands for all, which tells no less."""
    inner = "step a = l()"
    for _ in range(repeats):
        inner = f"repeat 2 {{ {inner} }}"
    text = "model l { in x = 3 B; out y = 3 B; flops = 1 flop }\n"
    text += f"model main {{ in x = 3 B; {inner} }}\nmachine box {{ flops = 1 flop/s }}"
    prediction, _ = predict(*defined(text), {})
    assert (BOUND in prediction.notes) == bound


def test_a_peak_is_a_bound_where_a_repeat_may_not_run() -> None:
    """Without `b` there are 3 + 3 bytes where `a` runs once; beside an uneven count, too."""
    text = (
        "model l { in x = 3 B; out y = 3 B; flops = 1 flop }\n"
        "model main { param n: integer; param k: integer[0..]; in x = 3 B\n"
        "  repeat n - 1 { step a = l() }; repeat k { step b = l() } }\n"
        "machine box { flops = 1 flop/s }"
    )
    prediction, wrong = predict(*defined(text), {}, frozenset({"n", "k"}))
    assert wrong == ()
    assert BOUND in prediction.notes
