"""What is legal and yet suspicious: passes over a module that was built without an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.expression.substitute import free_symbols
from roofdsl.model.types import ModelDefinition, Module
from roofdsl.model.unit_names import names_as_units
from roofdsl.source import Span
from roofdsl.syntax.nodes import Declaration
from roofdsl.units.dimension import BYTE, Dimension


def adopted_bytes(module: Module, _declarations: Sequence[Declaration]) -> list[Diagnostic]:
    """Warn of a plain number taken as bytes in a model that knows bytes elsewhere.

    Such a number often counts elements: the slip of Cardwell 2019, Table 2.4 (SUMMA).
    """
    found: list[Diagnostic] = []
    for model in module.models.values():
        elsewhere = _bytes_in(model)
        named = [("", work) for work in model.work] + [("total ", work) for work in model.totals]
        for total, work in named:
            if work.adopted and work.resource.dimension == BYTE and elsewhere is not None:
                found.append(_byte_warning(f"{total}{work.key}", work.span, elsewhere, model))
    return found


def _bytes_in(model: ModelDefinition) -> str | None:
    """Return what in a model is measured in bytes, other than by adoption."""
    for name, dimension in model.dimensions().items():
        if _has_bytes(dimension):
            return f"'{name}' is {dimension.describe()}"
    for work in model.work:
        if work.resource.dimension == BYTE and not work.adopted and free_symbols(work.value):
            return f"{work.key} is given in bytes (B)"
    return None


def _has_bytes(dimension: Dimension) -> bool:
    return any(name == "B" for name, _ in dimension.powers)


def _byte_warning(key: str, place: Span, elsewhere: str, model: ModelDefinition) -> Diagnostic:
    sizes = [n for n, dimension in model.dimensions().items() if dimension == BYTE]
    size = f"`{sizes[0]}`" if sizes else "the bytes of one element"
    return Diagnostic.at(
        "R0310",
        f"{key} of '{model.name}' is a plain number taken as bytes, while {elsewhere}",
        Label(place, "does this count elements?"),
        hint=f"if it counts elements, multiply by {size}; if it counts bytes already, by `1 B`",
        severity="warning",
    )


Check = Callable[[Module, Sequence[Declaration]], list[Diagnostic]]
CHECKS: tuple[Check, ...] = (adopted_bytes, names_as_units)
