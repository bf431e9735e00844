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


VIEWS = ("{}[:, ::-1]", "{}[::-1]", "{}.T.T")
ELEMENTWISE = ("np.exp({})", "{}**2", "2.0 * {}", "1 - {}")


def program_of_parts(seed: int) -> list[str]:
    """Return a program of parts of its arrays, without copies, and without sums of one element."""
    choices = Random(seed)
    rows, columns = (choices.choice((":", "1:", ":-1", "1:-1", "::2")) for _ in range(2))
    lines = [f"{name} = {name}[{rows}, {columns}]" for name in "xy"]
    lines += [f"row = row[{columns}]", f"column = column[{rows}]"]
    names = ["x", "y", "row", "column"]
    for place in range(choices.randint(1, 6)):
        one, other = choices.choice(names), choices.choice(names)
        shape = _shape(one, other)
        match choices.randint(0, 3):
            case 0:
                line = choices.choice(OPERATORS).format(one, other)
            case 1:
                line, shape = choices.choice(ELEMENTWISE).format(one), _shape(one, one)
            case 2 if _shape(one, one) == "x":
                line, shape = choices.choice(VIEWS).format(one), "x"
            case 3 if _shape(one, one) == "x":
                axis = choices.randint(0, 1)
                line = f"{one}.sum(axis={axis}, keepdims={bool(axis)})"
                shape = "column" if axis else "row"
            case _:
                continue
        names.append(f"{shape}{place}")
        lines.append(f"{names[-1]} = {line}")
    return [*lines, f"return {names[-1]}"]


def _shape(one: str, other: str) -> str:
    """Return of which sort a result of two is, by their names: a row, a column, or a whole."""
    kinds = {each.rstrip("0123456789").replace("y", "x") for each in (one, other)}
    return kinds.pop() if len(kinds) == 1 else "x"


@pytest.mark.parametrize("seed", range(inputs(40, 400)))
def test_compulsory_bytes_of_a_random_program(seed: int) -> None:
    """Numbers know whether an operation touched them, and which are the ones that were given."""
    text = "\n    ".join([f"def program({', '.join(FORMS)}):", *program_of_parts(seed)])
    names: dict[str, Any] = {"np": np}
    exec(text, names)  # noqa: S102, our own test
    module = rd.trace(names["program"], FORMS)
    M, N = 6, 8
    shapes = {"x": (M, N), "y": (M, N), "row": (N,), "column": (M, 1)}
    arrays = {name: scalars(*shape) for name, shape in shapes.items()}
    result = names["program"](**arrays)
    given = [each for array in arrays.values() for each in array.ravel()]
    read = sum(each.touched for each in given)
    written = {id(each) for each in result.ravel()} - {id(each) for each in given}
    model = module.models["program"].on(rd.load_machine("karst"))
    assert model.evaluate(M=M, N=N).memory == 8 * (read + len(written)), text
