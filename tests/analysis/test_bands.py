"""Where dense jumps change the bound every few numbers: what is said of it, by brute force."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from roofdsl.analysis.crossover import find_crossovers
from roofdsl.analysis.prediction import Prediction, predict
from roofdsl.analysis.such_that import read_condition
from roofdsl.analysis.threshold import Thresholds, find_thresholds
from roofdsl.analysis.unknown import unknown_named
from roofdsl.expression.substitute import free_symbols, substitute
from roofdsl.model.library import check_text
from roofdsl.numeric.exact import exact_evaluator
from roofdsl.source import Source
from tests.analysis.test_proofs import BOX, said, told, written
from tests.counts import inputs

LAST = 400


def test_a_band_is_told_with_its_first_and_last_number(tmp_path: Path) -> None:
    body = "param N: integer; flops = ceil(N/10)*10; memory = (N + 5) * 1 B"
    asked = (*written(tmp_path, f"model m {{ {body} }}"), "--for", "N", "--range", "1..100")
    found = told(*asked, "--such-that", "bound = flops")
    flops = [n for n in range(1, 101) if -(-n // 10) * 10 >= n + 5]
    assert [(each["from"], each["to"], each["kind"]) for each in found["holds"]] == [
        (1, 4, "all"),
        (5, flops[-1], "some"),
    ]
    assert (found["holds"][1]["first_holding"], found["holds"][1]["last_holding"]) == (5, flops[-1])
    sentence = "holds at some of 5 ≤ N ≤ 95, first at N = 5 and last at N = 95"
    assert sentence in said(*asked, "--such-that", "bound = flops")


def test_the_last_number_of_a_composition_among_dense_jumps_is_exact(tmp_path: Path) -> None:
    steps = "step a { flops = 3*ceil(N/3) } step b { memory = 1.0000000001*N * 1 B }"
    asked = (*written(tmp_path, f"model m {{ param N: integer; {steps} }}"), "--for", "N")
    *_, some = told(*asked, "--such-that", "bound = flops")["holds"]
    last = 19_999_999_999
    assert (some["kind"], some["last_holding"]) == ("some", last)
    for n, holds in ((last, True), (last + 1, False), (20_000_151_287, False)):
        assert (3 * -(-n // 3) >= n * (1 + Fraction(1, 10**10))) == holds
    found = told(*asked, "--crossover")
    assert found["complete"] and found["regimes"][-1]["from"] == last + 1


def test_what_binds_everywhere_and_ties_at_some_numbers_is_no_tie(tmp_path: Path) -> None:
    body = "param N: integer; flops = ceil(N/10)*10; memory = N * 1 B"
    asked = (*written(tmp_path, f"model m {{ {body} }}"), "--for", "N", "--range", "1..100000")
    (regime,) = told(*asked, "--crossover")["regimes"]
    assert (regime["kind"], regime["bound"]) == ("shared", "flops")
    assert regime["ties"] == ["flops", "memory"]
    text = said(*asked, "--crossover")
    assert "flops, equal to memory at some" in text and "no crossover in N" in text
    (holds,) = told(*asked, "--such-that", "bound = flops")["holds"]
    assert (holds["from"], holds["to"], holds["kind"]) == (1, 100_000, "all")


def random_model(random: Random) -> str:
    """Return a model whose steps have roundings, in sequences and overlaps."""

    def line() -> str:
        size = random.choice((1, 2, 3, 5, 7, 10, 16))
        rounded = random.choice(("ceil", "floor"))
        return random.choice(
            (
                f"{size}*{rounded}(N/{size})",
                f"{random.randint(1, 4)}*{rounded}(N/{size}) + {random.randint(0, 9)}",
                f"N + {random.randint(0, 20)}",
                f"{random.randint(1, 3)}*N",
                f"{random.randint(1, 400)}",
                f"(if N < {random.randint(1, LAST)} then N else {random.randint(1, 300)})",
            )
        )

    def step(name: str) -> str:
        names = random.sample(("flops", "memory", "network"), random.randint(1, 3))
        units = {"flops": "1", "memory": "1 B", "network": "1 B"}
        work = "; ".join(f"{each} = ({line()}) * {units[each]}" for each in names)
        return f"step {name} {{ {work} }}"

    steps = [step(f"s{number}") for number in range(random.randint(1, 4))]
    if random.random() < 0.5:
        cut = random.randint(0, len(steps))
        steps = [*steps[:cut], f"overlap {{ {'; '.join(steps[cut:])} }}"] if steps[cut:] else steps
    return f"model m {{ param N: integer; {'; '.join(steps)} }} {BOX}"


def opened(text: str) -> Prediction:
    module, problems = check_text(Source("m.roof", text))
    assert not [each for each in problems if each.severity == "error"], text
    return predict(module.models["m"], module.machines["box"], {}, frozenset({"N"}))[0]


def ties(prediction: Prediction) -> list[tuple[str, ...]]:
    """Return what binds at each number, by the charges as formulas in exact fractions."""
    charges = {
        name: exact_evaluator(substitute(tree, prediction.rates))
        for name, tree in prediction.rivals.items()
    }
    found = []
    for n in range(1, LAST + 1):
        values = {name: charge({"N": Fraction(n)}) for name, charge in charges.items()}
        most = max(value or 0 for value in values.values())
        found.append(tuple(name for name, value in values.items() if value == most) if most else ())
    return found


def assert_true(found: Thresholds, holding: set[int], text: str) -> None:
    said: set[int] = set()
    for each in found.intervals:
        inside = set(range(int(each.first), int(each.last) + 1)) & holding
        assert inside, text
        said |= inside
        if each.kind == "all":
            assert len(inside) == each.last - each.first + 1, text
        else:
            assert each.first_holding in (None, min(inside)), text
            assert each.last_holding in (None, max(inside)), text
        assert each.first_valid == min(inside), text
    assert found.complete and said == holding, text


@pytest.mark.parametrize("part", range(inputs(2, 4)))
def test_regimes_and_conditions_are_those_of_every_number(part: int) -> None:
    random = Random(f"bands {part}")
    for _ in range(20):
        text = random_model(random)
        prediction = opened(text)
        unknown = unknown_named("N", prediction.model, prediction.machine)
        trees = prediction.rivals.values()
        names = {symbol.name for tree in trees for symbol in free_symbols(tree)}
        if "N" not in names:
            continue
        binding = ties(prediction)
        actual = [each[0] if each else "" for each in binding]
        found = find_crossovers(prediction, unknown, 1, LAST)
        assert found.complete, text
        for regime in found.regimes:
            inside = actual[int(regime.first) - 1 : int(regime.last)]
            tied = set(binding[int(regime.first) - 1 : int(regime.last)])
            match regime.kind:
                case "largest" | "tie" | "idle":
                    assert tied == {regime.labels}, text
                case "shared":
                    assert set(inside) == {regime.labels[0]}, text
                    assert {name for each in tied for name in each} == {*regime.labels}, text
                    assert len(tied) > 1, text
                case _:
                    assert set(inside) == {*regime.labels}, text
        for resource in prediction.times():
            for relation in ("=", "!="):
                condition = read_condition(Source("c", f"bound {relation} {resource}"), prediction)
                holding = {
                    n
                    for n in range(1, LAST + 1)
                    if (actual[n - 1] == resource) == (relation == "=")
                }
                thresholds = find_thresholds(prediction, condition, unknown, 1, LAST)
                assert_true(thresholds, holding, f"{condition.text}: {text}")
        limit = random.randint(1, 3 * LAST)
        time = exact_evaluator(substitute(prediction.time(), prediction.rates))
        condition = read_condition(Source("c", f"time <= {limit} s"), prediction)
        holding = {n for n in range(1, LAST + 1) if (time({"N": Fraction(n)}) or 0) <= limit}
        thresholds = find_thresholds(prediction, condition, unknown, 1, LAST)
        assert_true(thresholds, holding, f"{condition.text}: {text}")
