"""SymPy symbols that say what a parameter is, and units as factors in SymPy expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofdsl.algebra.declared_symbol import DeclaredSymbol, UnitFactor
from roofdsl.contract import public
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.embedding.formulas import a_name, on_a_line
from roofdsl.model.given import said
from roofdsl.source import Source, Span
from roofdsl.units.unit import UnknownUnit, read_unit

if TYPE_CHECKING:
    import sympy

_WHOLE = ("integer", "processes")


@public()
def symbol(name: str, kind: str = "real") -> sympy.Symbol:
    """Return a SymPy symbol that becomes a parameter with a unit, or a kind, where it is used.

    `kind` is what stands behind `param NAME:` in a file: "B", "integer[2..]", "GB/s". The units of
    formulas with it are then checked. Raises RoofError for what is no name (R0101, R0108) or more
    than a kind (R0111); what is no kind is refused in the model that is made with it.

    >>> from roofdsl.embedding.expressions import model_from_expressions
    >>> held, n = symbol("held", "B"), symbol("n", "integer[2..]")
    >>> model = model_from_expressions("copies", flops=n, memory=2 * n * held)
    >>> model.units["held"], model.memory
    ('B', 2*held*n)
    """
    name = a_name("name", name, "a parameter")
    whole = on_a_line("kind", kind).strip().startswith(_WHOLE)
    return DeclaredSymbol(name, kind.strip(), positive=True, **({"integer": True} if whole else {}))


@public()
def unit(unit: str) -> sympy.Symbol:
    """Return one of a unit, as a factor in SymPy expressions: `24 * unit("B") * n`.

    Raises RoofError for what is no unit (R0303); a unit that a file declares is one in a text of
    the language alone.

    >>> from roofdsl.embedding.expressions import model_from_expressions
    >>> n = symbol("n", "integer")
    >>> model_from_expressions("triad", flops=2 * n, memory=24 * unit("B") * n).OI
    1/12
    """
    read = read_unit(unit.strip())
    if isinstance(read, UnknownUnit):
        source = Source("unit", unit)
        place = Label(Span(source, 0, len(unit)))
        raise RoofError([Diagnostic("R0303", f"{said(unit)} is no unit", (place,), read.hint)])
    return UnitFactor(f"(1 {unit.strip()})", "", positive=True)
