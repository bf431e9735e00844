"""Formulas that Python gives: texts of the language, numbers or SymPy expressions, read as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.expression.condition import truth
from roofdsl.expression.tree import INFINITY, Symbol
from roofdsl.model.given import as_text, exact, held, is_several, no_number, said
from roofdsl.source import Source, Span
from roofdsl.syntax.expressions import NameUse
from roofdsl.syntax.names import names_used
from roofdsl.syntax.parse import parse_expression
from roofdsl.typeset.text import text as as_written
from roofdsl.units.dimension import DIMENSIONLESS, Dimension
from roofdsl.units.quantity import show_exact

if TYPE_CHECKING:
    import sympy

    from roofdsl.answer.asked import Numeric

NEW_LINES = "\n\r"
FormulaLike: TypeAlias = "str | Numeric | bool | sympy.Expr"


class WrittenFormula(NamedTuple):
    """A formula as a text of the language, and the names in it.

    `symbols` are those of SymPy, each with the kind that it has as a parameter; `names` are those
    that a text uses, of which nothing is known.
    """

    text: str
    symbols: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()


def formula(
    place: str, value: object, unit: Dimension = DIMENSIONLESS, *, truths: bool = False
) -> WrittenFormula:
    """Read a formula; a number is in SI base units of `unit`. True and false are some of `truths`.

    A float is the decimal that Python shows for it. `place` is what messages call it. Raises
    RoofError for a text that is no expression, or more than one (R0111), for what is no number
    (R0404) or has no counterpart in the language (R0204), and as `one_kind_each` does.

    >>> import sympy
    >>> formula("memory", 24 * sympy.Symbol("n", integer=True)).symbols
    (('n', 'integer'),)
    >>> from roofdsl.units.dimension import BYTE
    >>> formula("held", 16384, BYTE).text
    '16 KiB'
    """
    value = held(value)
    if isinstance(value, str):
        return _of_text(place, as_text(place, value))
    if isinstance(value, bool) and truths:
        return WrittenFormula(as_written(truth(value)))
    decimal = Decimal(repr(float(value))) if isinstance(value, float) else value  # 0.1, as SymPy's
    number = None if hasattr(value, "free_symbols") else exact(decimal)
    if number is not None:
        return WrittenFormula(show_exact(number, unit))
    return _of_sympy(place, value)


def a_name(argument: str, text: str, of: str) -> str:
    """Read a name of something; raise RoofError for what is none (R0101, R0108).

    >>> a_name("name", "fast", "a machine")
    'fast'
    """
    node = parse_expression(Source(argument, text))
    if isinstance(node, NameUse) and node.name == text.strip():
        return node.name
    if isinstance(node, Diagnostic) and node.code == "R0108":  # a word of the language
        raise RoofError([node])
    hint = "a name is made of letters, digits and _, and does not begin with a digit"
    raise RoofError([Diagnostic("R0101", f"{said(text)} is no name of {of}", hint=hint)])


def on_a_line(place: str, text: str, forbidden: str = f"{NEW_LINES};{{}}#") -> str:
    """Return a text that stands on one line with what is written around it, and ends nothing.

    >>> on_a_line("require", "N > 1")
    'N > 1'
    """
    if any(char in text for char in forbidden):
        message = f"'{' '.join(text.split())}' is more than one expression"
        source = Source(place, text)
        raise RoofError(
            [Diagnostic("R0111", message, (Label(Span(source, 0, len(source.line(1)))),))]
        )
    return text


def _of_text(place: str, text: str) -> WrittenFormula:
    node = parse_expression(Source(place, on_a_line(place, text)))
    if isinstance(node, Diagnostic):
        raise RoofError([node])
    return WrittenFormula(text.strip(), names=names_used(node))


def _of_sympy(place: str, value: object) -> WrittenFormula:
    from roofdsl.algebra.declared_symbol import DeclaredSymbol, UnitFactor
    from roofdsl.algebra.from_sympy import UnsupportedExpression, from_sympy
    from roofdsl.expression.substitute import free_symbols

    given = getattr(value, "free_symbols", set[object]())
    units = {x.name: Symbol(x.name) for x in given if isinstance(x, UnitFactor)}
    _check_symbols(place, [x for x in given if not isinstance(x, DeclaredSymbol)])
    try:
        tree = from_sympy(value, units)
    except UnsupportedExpression as error:
        raise RoofError([Diagnostic("R0204", f"{place}: {error}")]) from None
    except TypeError:
        told = no_number(place, value)
        hint = 'a formula is a text, "24*n", a number, or an expression of SymPy'
        raise RoofError([replace(told, hint=hint) if is_several(value) else told]) from None
    if INFINITY in free_symbols(tree):
        hint = 'a rate without a limit is the text "unlimited"'
        raise RoofError([Diagnostic("R0204", f"{place} is infinite", hint=hint)])
    kinds = [(x.name, "integer" if x.integer else "real") for x in free_symbols(tree)]
    kinds += [(x.name, x.kind) for x in given if isinstance(x, DeclaredSymbol)]
    known = ((name, kind) for name, kind in one_kind_each(kinds).items() if name not in units)
    return WrittenFormula(as_written(tree), tuple(known))


def _check_symbols(place: str, symbols: Sequence[object]) -> None:
    """Raise RoofError for two symbols of one name (R0202), and for one below 0 or complex (R0204).

    A name of the language is one parameter, which is a real number above 0 unless it says more.
    """
    names = [str(getattr(each, "name", each)) for each in symbols]
    for name, each in zip(names, symbols, strict=True):
        if names.count(name) > 1:
            message = f"{place} has two symbols that are called '{name}'"
            raise RoofError([Diagnostic("R0202", message, hint="rename one of them")])
        if getattr(each, "is_nonpositive", None) or getattr(each, "is_real", None) is False:
            message = f"the symbol '{name}' in {place} is no real number above 0"
            hint = "every parameter is one: make the symbol without such assumptions"
            raise RoofError([Diagnostic("R0204", message, hint=hint)])


def one_kind_each(symbols: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the kind of each symbol; of two of one name that which says more.

    Raises RoofError (R0202) for two that say different things.

    >>> one_kind_each([("n", "integer"), ("V", "B"), ("n", "integer[2..]"), ("V", "real")])
    {'n': 'integer[2..]', 'V': 'B'}
    """
    found: dict[str, str] = {}
    for name, kind in symbols:
        both = {found.get(name, kind), kind}
        more = both - {"integer", "real"}  # which SymPy has without being told
        if len(more) > 1:
            message = f"the symbol '{name}' is of two kinds: {' and '.join(sorted(more))}"
            raise RoofError([Diagnostic("R0202", message, hint="rename one of them")])
        found[name] = min(more or both)
    return found
