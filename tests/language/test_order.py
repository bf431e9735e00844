"""The order of declarations and of statements says nothing."""

from __future__ import annotations

from typing import Any  # statements of models and of machines

from hypothesis import given
from hypothesis import strategies as st

from roofdsl.diagnostic import Diagnostic
from roofdsl.model.library import check_text
from roofdsl.model.types import Module
from roofdsl.source import Source
from roofdsl.syntax import nodes
from roofdsl.syntax.parse import parse
from tests.fuzz.programs import programs
from tests.language.shapes import meaning, said

STEPS = (nodes.StepCall, nodes.StepInPlace, nodes.OverlapStatement, nodes.LoopStatement)


def built(text: str) -> tuple[Module, tuple[Diagnostic, ...]]:
    return check_text(Source("order.roof", text))


@st.composite
def reordered(draw: st.DrawFn, text: str) -> str:
    """Write a program with its declarations, and the statements in them, in another order."""
    declarations, _ = parse(Source("order.roof", text))
    written = []
    for declaration in draw(st.permutations(declarations)):
        whole = declaration.span.text
        if isinstance(declaration, nodes.ModelDeclaration | nodes.MachineDeclaration):
            # Steps run in the order written, and the first of two sources stands first.
            kept: list[object] = [
                i for i in declaration.items if isinstance(i, (*STEPS, nodes.SourceStatement))
            ]
            others = [item for item in declaration.items if item not in kept]
            for item in draw(st.permutations(others)):
                kept.insert(draw(st.integers(0, len(kept))), item)
            steps: Any = iter([item for item in declaration.items if isinstance(item, STEPS)])
            items: list[Any] = [next(steps) if isinstance(item, STEPS) else item for item in kept]
            head = whole[: whole.index("{") + 1]
            whole = "\n".join([head, *(item.span.text for item in items), "}"])
        written.append(whole)
    return "\n".join(written)


@given(st.data(), programs())
def test_any_order_means_the_same(data: st.DataObject, text: str) -> None:
    module, diagnostics = built(text)
    other = data.draw(reordered(text))
    again, others = built(other)
    assert said(others) == said(diagnostics), other
    if not diagnostics:
        assert meaning(again) == meaning(module), other


LETS = 10_000


def chain(order: range) -> str:
    lets = "\n".join(f"    let x{n} = x{n - 1}/2 + N" for n in order)
    return f"model chain {{\n    param N\n    flops = x{LETS}\n{lets}\n    let x0 = N\n}}\n"


def test_a_long_chain_of_lets_forwards_and_backwards() -> None:
    for order in (range(1, LETS + 1), range(LETS, 0, -1)):
        module, diagnostics = built(chain(order))
        assert not diagnostics
        assert len(module.models["chain"].intermediates) == LETS + 1


def test_a_long_chain_in_a_test() -> None:
    lets = "".join(f"    let x{n} = x{n - 1} + 1\n" for n in range(1, LETS + 1))
    _, diagnostics = built(f'test "t" {{\n    expect x{LETS} == {LETS}\n{lets}    let x0 = 0\n}}\n')
    assert not diagnostics


def test_a_long_circle_of_lets_is_one_problem() -> None:
    text = chain(range(1, LETS + 1)).replace("let x0 = N", f"let x0 = x{LETS}")
    (problem,) = built(text)[1]
    assert problem.code == "R0203"
    assert len(problem.message) < 500


def test_a_long_chain_of_parameters() -> None:
    parameters = "".join(f"    param p{n} = 2 + p{n - 1}\n" for n in range(3000, 0, -1))
    module, diagnostics = built(
        f"model m {{\n{parameters}    param p0 = 1\n    flops = p3000\n}}\n"
    )
    assert not diagnostics
    assert len(module.models["m"].parameters) == 3001


def test_a_long_chain_of_functions() -> None:
    """Functions may call one another in any order, but not deeper than is told."""
    functions = [f"function f{n}(x) = f{n - 1}(x) + 1" for n in range(20, 0, -1)]
    text = "\n".join([*functions, "function f0(x) = x", "model m { flops = f20(2) }"])
    assert not built(text)[1]
    functions = [f"function f{n}(x) = f{n - 1}(x) + 1" for n in range(3000, 0, -1)]
    text = "\n".join([*functions, "function f0(x) = x", "model m { flops = f3000(2) }"])
    _, diagnostics = built(text)
    assert {diagnostic.code for diagnostic in diagnostics} <= {"R0213"}
