"""Pages of formulas of every bundled model: lines, sizes, and what shared parts stand for."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

import pytest

from roofdsl.analysis.formulas import PredictionFormulas
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.answer.blocks import Block, Equations
from roofdsl.answer.formulas import FormulaAnswer
from roofdsl.answer.plain import Json
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.expression.tree import Expression, Number, Symbol
from roofdsl.numeric.exact import exact
from roofdsl.numeric.failure import EvaluationError
from roofdsl.numeric.scalar import evaluate
from roofdsl.report.text import LONGEST_LINE, written
from tests.agreement.points import ALL, bundled_machines, by_file, files, is_family, models_of

LARGEST = {"sparse_lu": 20_000, "lenet5_training": 12_000}
LARGEST |= {"t5_small_training": 11_000, "t5_base_training": 11_000}
LARGEST |= {"gpt2_decode": 11_000, "mixed_block": 18_000}  # on any number of ranks
"""Formulas of many open parameters, which no names shorten."""
POINTS = 3


@by_file(files())
def test_pages_are_short_and_parts_put_back_give_what_was_to_be_told(file: str) -> None:
    for prediction in _open_ones(file):
        page = _Page(FormulaAnswer(prediction).blocks())
        shown = written(page)
        told = f"{prediction.model.name} on {prediction.machine.name}"
        size = len(shown.encode())
        assert size < LARGEST.get(prediction.model.name, 10_000), f"{told}: {size} bytes"
        long = [line for line in shown.split("\n") if len(line) > LONGEST_LINE]
        assert all(line.startswith("  note: ") or " " not in line.strip() for line in long), told
        _check_parts(page, prediction, told)


class _Page(NamedTuple):
    """Blocks that were worked out once, as an answer that is shown."""

    found: list[Block]

    def blocks(self) -> list[Block]:
        return self.found

    def values(self) -> dict[str, Json]:
        raise NotImplementedError


def _open_ones(file: str) -> Iterator[Prediction]:
    """Yield the last model of a file, mostly the largest, on a machine; or all of them on two.

    No parameter is given a value. Families of networks are left out: with all their sizes open, the
    peak of memory is the largest of more sums than a page has room for.
    """
    for model in models_of(file)[0 if ALL else -1 :]:
        if is_family(model):
            continue
        found = 0
        for machine in bundled_machines(file):
            prediction, problems = predict(model, machine, {})
            if problems or not prediction.free:
                continue
            yield prediction
            found += 1
            if found > ALL:
                break


def _check_parts(page: _Page, prediction: Prediction, told: str) -> None:
    shown: dict[str, Expression] = {}
    names: dict[str, Expression] = {}
    for block in page.found:
        if not isinstance(block, Equations):
            continue
        for item in block.items:
            value = item.lines[0].value
            if isinstance(value, Expression):
                name = item.name.name if isinstance(item.name, Symbol) else str(item.name)
                if block.head == "where" or name.endswith(".time"):
                    names[name] = value
                elif block.head in ("time", "time each resource is busy"):
                    shown[f"time.{name}"] = value
                else:
                    shown[name] = value
    for _ in names:
        parts = {**names, "time": shown.get("time", Symbol("time"))}
        shown = {name: substitute(tree, parts) for name, tree in shown.items()}
    # Long tallies are told with what is known put in.
    free = {parameter.name for parameter in prediction.free}
    tallies = {item.name for item in prediction.tallies()}
    for name, tree in _unshared(prediction).items():
        if name not in shown:
            continue
        put_back = shown[name]
        if name in tallies and {symbol.name for symbol in free_symbols(put_back)} <= free:
            tree = prediction.binding.expand(tree)
        for values in _points(tree):
            _same(put_back, tree, values, f"{told}: {name}")


def _unshared(prediction: Prediction) -> dict[str, Expression]:
    """Return formulas as the law of composition gives them, by the names that a page has."""
    opened = prediction.opened(decided=True)
    return {
        **{load.name: load.work for load in opened.loads},
        **{f"time.{name}": tree for name, tree in opened.times().items()},
        "time": opened.time(),
        **{item.name: item.amount for item in opened.tallies()},
        **opened.spending.amounts,
    }


def _points(tree: Expression) -> Iterator[dict[str, Fraction]]:
    for seed in range(POINTS):
        chosen = random.Random(seed)
        yield {
            symbol.name: Fraction(chosen.randint(1, 40) ** 2, 1 if symbol.integer else 7)
            for symbol in free_symbols(tree)
        }


def _same(one: Expression, other: Expression, point: Mapping[str, Fraction], told: str) -> None:
    """Compare two formulas exactly; where they are not rational, as floats."""
    try:
        values = [exact(tree, point) for tree in (one, other)]
        if None in values:
            floats = {name: float(value) for name, value in point.items()}
            first, second = (evaluate(tree, floats) for tree in (one, other))
            assert first == pytest.approx(second, rel=1e-9), told
        else:
            assert values[0] == values[1], told
    except (EvaluationError, OverflowError):
        pass  # they have no value there


def test_a_network_fills_two_screens() -> None:
    """It was 191,880 bytes, with one line of 34,270 characters."""
    (training,) = [x for x in models_of("networks.resnet50") if x.name == "resnet50_training"]
    machines = {x.name: x for x in bundled_machines("networks.resnet50")}
    prediction, _ = predict(training, machines["h100_sxm"], {})
    page = written(FormulaAnswer(prediction))
    assert len(page.encode()) < 9_000  # 1,000 of which are the loss, memory by kind, and its peak
    assert "\n  forward.time = " in page and "\nwhere\n  c1 " in page
    found = PredictionFormulas(prediction.opened(decided=True), prediction)
    assert found.time.brief is not None
    assert {symbol.name for symbol in free_symbols(found.time.brief)} >= {
        "forward.time",
        "backward.time",
        "reduce.time",
        "update.time",
    }
    # 4,089,184,256 multiply-adds an image, thrice, but for the gradient to the first layer's input.
    work = {item.name: item.full for item in found.work}
    exact = 2 * (3 * 4_089_184_256 - 118_013_952)
    assert evaluate(work["flops.matrix.fp32"], {"batch": 1.0}) == exact
    assert substitute(work["flops.matrix.fp32"], {"batch": Number(Fraction(1))}) == Number(
        Fraction(exact)
    )
