"""How large compositions may be, and what is said of those that are larger."""

from __future__ import annotations

import pytest

import roofdsl as rd
from roofdsl.allowance import OPERATIONS, counting, operations
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.expression.construct import number
from roofdsl.model.library import find_machine
from roofdsl.model.size import DEEPEST_PARTS, MOST_STEPS, Size, size_of
from tests.language.programs import checked, model, module


def doubling(levels: int) -> str:
    first = "model m0 { flops = 1 }\n"
    return first + "".join(
        f"model m{n + 1} {{ step a = m{n}(); step b = m{n}() }}\n" for n in range(levels)
    )


def nested(levels: int, word: str = "repeat 2") -> str:
    return f"model m {{ {f'{word} {{ ' * levels} step a {{ flops = 1 }} {'} ' * levels} }}"


def test_sizes_are_those_of_the_steps_written_out() -> None:
    found = module(doubling(10)).models
    assert size_of(found["m10"].parts) == Size(1024, 10)
    assert size_of(found["m0"].parts) == Size(0, 0)


def test_steps_that_multiply_are_refused() -> None:
    problems = checked(doubling(60))[1]
    assert {problem.code for problem in problems} == {"R0219"}
    assert f"at most {MOST_STEPS:,}" in problems[0].message


@pytest.mark.parametrize("word", ["repeat 2", "overlap"])
@pytest.mark.parametrize("levels", [DEEPEST_PARTS, 5000])
def test_parts_that_nest_too_deep_are_refused(word: str, levels: int) -> None:
    (problem,) = checked(nested(levels, word))[1]
    assert problem.code == "R0219"
    assert "deeper than" in problem.message


def test_models_that_nest_too_deep_are_refused_in_any_order() -> None:
    chain = [f"model m{n} {{ step a = m{n + 1}() }}\n" for n in range(2 * DEEPEST_PARTS)]
    last = f"model m{2 * DEEPEST_PARTS} {{ flops = 1 }}\n"
    for texts in (chain, chain[::-1]):
        assert "R0219" in {problem.code for problem in checked("".join(texts) + last)[1]}


def test_the_deepest_that_is_allowed_is_answered() -> None:
    half = DEEPEST_PARTS // 2 - 1
    inner = nested(half).replace("model m", "model inner")
    text = inner + nested(half).replace("step a { flops = 1 }", "step a = inner()")
    prediction = model(text).on(rd.load_machine("karst"))
    assert prediction.evaluate().flops == 2.0 ** (2 * half)
    assert prediction.time.is_number is False


def twice(levels: int, first: str, second: str) -> str:
    """Return models that use the one below twice, with these arguments."""
    return "model m0 { param N: integer; flops = N }\n" + "".join(
        f"model m{n + 1} {{ param N: integer\n"
        f"step a = m{n}(N = {first}); step b = m{n}(N = {second}) }}\n"
        for n in range(levels)
    )


@pytest.mark.parametrize(("second", "flops", "placed"), [("N", 3, 17), ("N + 1", 11, 153)])
def test_steps_that_are_alike_are_placed_once(second: str, flops: int, placed: int) -> None:
    # Written out, there are 65,536 steps; of 16 levels, 8 add 1 on average.
    definition = module(twice(16, "N", second)).models["m16"]
    with counting(afresh=True):
        prediction, problems = predict(
            definition, find_machine("karst")[0], {"N": (number(3), None)}
        )
        assert not problems and OPERATIONS - operations().left == 400 * placed
        assert evaluated(prediction).flops == 65_536 * flops


@pytest.mark.parametrize("given", [{"N": 3}, {}])
def test_steps_that_all_differ_are_placed_as_far_as_a_command_may(given: dict[str, int]) -> None:
    prediction = model(twice(14, "2*N", "2*N + 1"), "m14").on(rd.load_machine("karst"))
    used_up = pytest.raises(rd.RoofError, match=r"used up before '[ab]' is computed")
    with rd.budget(0.25), used_up as refused:
        prediction.evaluate(**given) if given else prediction.crossovers("N")
    assert [problem.code for problem in refused.value.diagnostics] == ["R0412"]
    with rd.budget(0.01), pytest.raises(rd.RoofError, match="the 100,000 operations"):
        prediction.evaluate(N=3)
