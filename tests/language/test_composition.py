"""How large compositions may be, and what is said of those that are larger."""

from __future__ import annotations

import pytest

import roofdsl as rd
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
