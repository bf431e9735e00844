"""What small changes do to the time, against what was worked out by hand, and against `eval`."""

from __future__ import annotations

from fractions import Fraction

import pytest

from roofdsl.analysis.sensitivity import Elasticity, FiniteChange, Sensitivity, sensitivity
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.model.library import check_text
from roofdsl.source import Source

MACHINE = "machine box { flops = 1 flop/s; memory = 1 B/s }\n"


def asked_of(text: str) -> ModelOnMachine:
    module, problems = check_text(Source("m.roof", MACHINE + text))
    assert not [each for each in problems if each.severity == "error"]
    (model,) = module.models.values()
    return ModelOnMachine(model, module.machines["box"])


def studied(text: str, *, partial: bool = False, **values: int) -> Sensitivity:
    """Return the sensitivity of a model, after a look whether each change is what `eval` says."""
    asked = asked_of(text)
    found = sensitivity(asked.model, asked.machine, asked.arguments(values), partial=partial)
    held = asked.bound(values).binding.values if partial else values
    for item in found.elasticities:
        for change in (item.smaller, item.larger):
            if change is not None and not item.rate:
                wanted = asked.evaluate({**held, item.name: change.value}).time
                assert change.time == pytest.approx(wanted, rel=1e-14)
                assert change.share == pytest.approx(wanted / found.time - 1)
    return found


def named(found: Sensitivity, name: str) -> Elasticity:
    return next(item for item in found.elasticities if item.name == name)


def test_elasticities_are_those_by_hand_the_largest_first() -> None:
    text = """model m {
        param n: integer
        param m
        flops  = sum(ceil(k/8) for k in 1..n) * sqrt(m)
        memory = 1 B * m^2/n
    }"""
    found = studied(text, n=100, m=9)
    # The time is (a sum up to n) * sqrt(m) / box.flops; the sum moves in steps, 13 at a time.
    assert [(item.name, item.value, item.rate) for item in found.elasticities] == [
        ("n", None, False),
        ("box.flops", -1, True),
        ("m", pytest.approx(0.5), False),
        ("box.memory", 0, True),
    ]
    # 8 each of 1 to 12, and four of 13.
    assert (found.bound, found.time) == ("flops", (8 * 78 + 4 * 13) * 3)
    step = Fraction(13, 8 * 78 + 4 * 13)
    assert found.elasticities[0].reason == "in steps"
    assert found.elasticities[0].larger == FiniteChange(101.0, 689 * 3, float(step))


def test_what_follows_by_default_follows() -> None:
    text = "model m { param N: integer; param b = sqrt(N); flops = N^2 * b }"
    found = studied(text, N=10_000)
    assert named(found, "N").value == pytest.approx(2.5)
    assert named(found, "b").value == pytest.approx(1)
    assert found.followers == ("b",)
    # As asked for, a parameter changes alone.
    assert named(studied(text, partial=True, N=10_000), "N").value == pytest.approx(2)


def test_what_moves_in_steps_has_finite_changes_alone() -> None:
    text = """model rows {
        param N: integer
        param P: processes
        let rows = ceil(N/P)
        flops = 2*rows*N
    }"""
    processes = named(studied(text, N=1000, P=16), "P")
    assert processes.reason == "in steps"
    assert (processes.value, processes.below, processes.above) == (None,) * 3
    assert processes.larger == FiniteChange(17.0, 2 * 59 * 1000, float(Fraction(-4, 63)))
    assert named(studied(text, N=64, P=16), "P").smaller == FiniteChange(15.0, 640, 0.25)


def test_steps_that_are_hidden_do_not_matter() -> None:
    text = """model m {
        param N: integer
        flops = N
        memory = 1 B * sum(k for k in 1..ceil(N/16)) / 10^6
    }"""
    assert named(studied(text, N=319), "N").value == 1


def test_at_a_tie_each_side_has_its_own() -> None:
    found = studied("model m { param n; flops = n^2; memory = 1 B * n^2 }", n=3)
    for rate in ("box.flops", "box.memory"):
        item = named(found, rate)
        assert (item.value, item.below, item.above) == (None, -1, 0)
        assert item.larger is not None and item.larger.share == 0
    assert named(found, "n").value == 2


@pytest.mark.parametrize(
    ("formula", "below", "above"),
    [
        ("max(n, 6 - n)", -1, 1),
        ("min(n^2, 9)", 2, 0),
        ("abs(n - 3) + 3", -1, 1),
        ("if n < 3 then n else 3", 1, 0),
        ("if n <= 3 then 3 else n", 0, 1),
        ("if n < 3 then 2 else n", None, 1),
        ("if n == 3 then 9 else n", None, None),
        ("if n <= 3 and n > 1 then n else 2*n", 1, None),
        ("max(n, n^2/3, n^3/9)", 1, 3),
        # What is hidden at the point comes out beside it, or stays hidden.
        ("max(if n < 3 then 100 else n, 5)", None, 0),
        ("max(if n < 3 then 4 else n, 5)", 0, 0),
        ("max(ceil(n/3), n)", 1, 1),
        ("sum(max(n, k) for k in 1..5)", pytest.approx(1 / 3), 1 / 2),
    ],
)
def test_a_kink_has_a_slope_on_each_side(
    formula: str, below: float | None, above: float | None
) -> None:
    found = named(studied(f"model m {{ param n; flops = {formula} }}", n=3), "n")
    assert (found.below, found.above) == (below, above)
    assert (found.value is None) == (below != above or below is None)
    assert found.reason == ("jumps" if None in (below, above) else None)


def test_only_numbers_have_an_elasticity_and_changes_keep_to_what_is_allowed() -> None:
    text = """model m {
        param P: processes[..130]
        param fast: boolean = true
        param dtype: precision = fp64
        require sqrt(P) is integer
        flops = if fast then 1000/P else 2000/P
        memory = size(dtype)
    }"""
    found = studied(text, P=121)
    assert {item.name for item in found.elasticities} == {"P", "box.flops", "box.memory"}
    processes = named(found, "P")
    assert processes.larger is None
    assert processes.smaller is not None and processes.smaller.value == 100
