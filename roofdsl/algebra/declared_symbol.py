"""SymPy symbols that carry what a parameter is declared as, or a unit."""

from __future__ import annotations

import sympy


# SymPy has no types, so its classes are of any.
class DeclaredSymbol(sympy.Symbol):  # type: ignore[misc]
    """A symbol with what stands behind `param NAME:`; two are equal that have both in common."""

    __slots__ = ("kind",)
    kind: str

    def __new__(cls, name: str, kind: str, **assumptions: bool) -> DeclaredSymbol:
        cls._sanitize(assumptions, cls)
        made: DeclaredSymbol = sympy.Symbol.__xnew__(cls, name, **assumptions)
        made.kind = kind
        return made

    def _hashable_content(self) -> tuple[object, ...]:
        return (*super()._hashable_content(), self.kind)

    def __getnewargs_ex__(self) -> tuple[tuple[str, str], dict[str, bool]]:
        return (self.name, self.kind), self._assumptions_orig


class UnitFactor(DeclaredSymbol):
    """One of a unit, as a positive factor; its name is how the language writes it: `(1 GB/s)`."""

    __slots__ = ()
