"""Random programs of arrays count as numbers do that count themselves, one by one."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import roofdsl as rd
from tests.counts import inputs
from tests.tracing.scalars import COUNTED, scalars

M, N = 3, 5
FORMS = {"x": "f64[M,N]", "y": "f64[M,N]", "row": "f64[N]", "column": "f64[M,1]"}
SHAPES = {"x": (M, N), "y": (M, N), "row": (N,), "column": (M, 1)}
OPERATORS = ("{} + {}", "{} - {}", "{} * {}", "{} / {}")
FUNCTIONS = (
    "np.exp({})", "{}**2", "2.0 * {}", "{} + 1", "{}[:, ::-1]", "{}.sum(axis=1, keepdims=True)",
    "{}.sum(axis=0)", "{}.max(axis=1, keepdims=True)", "{}[:1]", "{}.T.copy().T",
)  # fmt: skip


def _is_row(name: str) -> bool:
    return name.startswith("row")


def program(seed: int) -> list[str]:
    """Return statements that name their results, each of what is there already."""
    choices = Random(seed)
    names = [*FORMS]
    lines = list[str]()
    for place in range(choices.randint(1, 8)):
        if choices.random() < 0.5:
            form = choices.choice(OPERATORS)
            of = [choices.choice(names), choices.choice(names)]
            is_row = all(map(_is_row, of))
        else:
            form = choices.choice(FUNCTIONS)
            of = [choices.choice([each for each in names if not _is_row(each)])]
            is_row = "axis=0)" in form
        names.append(f"row{place}" if is_row else f"v{place}")
        lines.append(f"{names[-1]} = {form.format(*of)}")
    return [*lines, f"return {names[-1]}"]


def function(seed: int) -> Any:
    """Return a program as a function; the text is our own."""
    text = "\n    ".join([f"def program({', '.join(FORMS)}):", *program(seed)])
    names: dict[str, Any] = {"np": np}
    exec(text, names)  # noqa: S102, our own test
    return names["program"]


@pytest.mark.parametrize("seed", range(inputs(40, 400)))
def test_flops_of_a_random_program(seed: int) -> None:
    one = function(seed)
    module = rd.trace(one, FORMS)
    COUNTED.clear()
    one(**{name: scalars(*shape) for name, shape in SHAPES.items()})
    model = module.models["program"].on(rd.load_machine("karst"))
    assert model.evaluate(M=M, N=N).flops == COUNTED.total(), program(seed)
