"""The work that a model states without a machine: of random programs, added up by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from roofdsl.analysis.binding import bind
from roofdsl.analysis.counting import total_work, total_works
from roofdsl.model.library import check_text
from roofdsl.numeric.exact import exact
from roofdsl.source import Source
from tests.analysis.programs import Group, Kernel, Mix, Model, Step, programs
from tests.analysis.test_law import built

N = 3
KEYS = (
    "flops",
    "memory",
    "network",
    "disk",
    "memory.L2",
    "memory.DRAM",
    "flops.fma",
    "network.far",
)


@pytest.mark.parametrize("part", range(2))
def test_the_work_of_all_steps_adds_up(part: int) -> None:
    for program in programs(f"counting {part}", 50):
        model, _ = built(program)
        for key in KEYS:
            found = exact(total_work(model, key), {"n": Fraction(N)})
            assert not isinstance(program.root, Mix)
            assert found == added_up(program.root, key, Fraction(N)), f"{key}: {program.text()}"


def added_up(part: Kernel | Model | Group | Step, key: str, n: Fraction) -> Fraction:
    if isinstance(part, Step):
        assert not isinstance(part.body, Mix)
        return added_up(part.body, key, n if part.n is None else part.n.at(n))
    if isinstance(part, Group):
        times = Fraction(1) if part.times is None else part.times.at(n)
        if part.word == "if":
            times = Fraction(times > 2)
        if part.word == "wait":  # others work
            return Fraction()
        return times * sum(added_up(each, key, n) for each in part.inside)
    if isinstance(part, Model):
        return sum((added_up(each, key, n) for each in part.inside), Fraction())
    stated = [name for name in part.work if name == key or name.partition(".")[0] == key]
    if key == "memory" and stated:
        # Levels see the same traffic: plain memory is all of it, else the level stated last.
        stated = ["memory"] if "memory" in stated else stated[-1:]
    return sum((part.work[name].at(n) for name in stated), Fraction())


def test_of_many_levels_the_last_one_stated_counts() -> None:
    text = "model main { memory.L1 = 1 B; memory.L2 = 2 B; memory.L3 = 4 B; flops = 8 }"
    module, _ = check_text(Source("levels.roof", text))
    assert exact(total_work(module.models["main"], "memory"), {}) == 4


def test_steps_that_are_alike_are_added_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = "model layer { param n; flops = n^2; memory = 8 B*n }"
    steps = "".join(f"\n step s{k} = layer(n = N + {k % 3})" for k in range(300))
    module, _ = check_text(Source("m.roof", f"{layer}\nmodel net {{ param N{steps}\n}}"))
    bound: list[str] = []

    def noted(*given: Any, **more: Any) -> object:
        bound.append("")
        return bind(*given, **more)

    monkeypatch.setattr("roofdsl.analysis.counting.bind", noted)
    works = total_works(module.models["net"], ("flops", "memory"))
    assert len(bound) == 3
    assert exact(works["memory"], {"N": Fraction(N)}) == 8 * sum(N + k % 3 for k in range(300))
    assert works["flops"] == total_work(module.models["net"], "flops")
