"""Formulas in the shape of their text: nothing folded, and the value that the model has."""

from __future__ import annotations

from random import Random

import pytest

from roofdsl import resources
from roofdsl.answer.cells import right_side
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Expression, Function
from roofdsl.model.as_written import as_written
from roofdsl.model.library import bundled, load_module
from roofdsl.model.scope import Scope
from roofdsl.model.types import Module
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Source
from roofdsl.syntax.parse import parse_expression
from roofdsl.typeset.text import text


def refuse(problem: Diagnostic) -> None:
    raise RoofError([problem])


def tree(written: str, scope: Scope) -> Expression:
    node = parse_expression(Source("a model", written))
    assert not isinstance(node, Diagnostic)
    return as_written(node, scope)


@pytest.mark.parametrize(
    "written",
    [
        "2*8*N",
        "3*3*N^2/9/1",
        "N*1 + 0",
        "N^1 - 0*N",
        "4^(1/2)*N",
        "2 - (3 - N) - 2*3*N",
        "-2*8*N",
        "max(N)",
        "if N > 2*8 and not N is integer then 1 + 1 else sum(2*8*k for k in 1..N)",
    ],
)
def test_nothing_is_folded(written: str) -> None:
    assert text(tree(written, Scope(refuse, {}, {}))) == written


def test_a_call_keeps_its_name_and_the_arguments_that_say_something() -> None:
    module = load_module(resources.folder("stdlib") / "papers" / "cardwell2019.roof")
    scope = Scope(refuse, module.units, module.functions)
    for written, shown in [
        ("2*Sort(E, B, M)", "2*Sort(E)"),
        ("Sort(E, B, 2*8)", "Sort(E, 2*8)"),
        ("Sort(n, B, M)", "Sort(n, B, M)"),
    ]:
        assert text(tree(written, scope)) == shown


def test_the_value_is_that_of_the_model() -> None:
    compared = 0
    for path in bundled("model").values():
        module = load_module(path)
        for model in module.models.values():
            lets = {item.name: item.formula.tree for item in model.intermediates}
            for work in model.work:
                node = parse_expression(Source("a model", right_side(work.span)))
                assert not isinstance(node, Diagnostic)
                shown = as_written(node, Scope(refuse, module.units, module.functions), lets)
                if unfolded(shown, module):
                    continue
                draw = Random(work.key)
                names = {symbol.name for symbol in free_symbols(work.value)}
                values = {name: float(draw.randint(3, 99)) for name in sorted(names)}
                wanted = evaluate(work.value, values)
                assert evaluate(shown, values) == pytest.approx(wanted, rel=1e-9), work
                compared += 1
    assert compared > 100


def unfolded(shown: Expression, module: Module) -> bool:
    """Whether a formula calls what only the model knows: its functions, or a precision's size."""
    called = {part.name for part in bottom_up(shown) if isinstance(part, Function)}
    return not called.isdisjoint({*module.functions, "size"})
