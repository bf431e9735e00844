"""What a file may reach beyond itself: the files it uses, and the bundled library."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from roofdsl.diagnostic import Reporter
from roofdsl.model.types import Module
from roofdsl.syntax.nodes import UseDeclaration

Sort: TypeAlias = Literal["model", "machine"]


class Neighbours(Protocol):
    """Finds modules for a file that is being built."""

    def used(self, use: UseDeclaration, report: Reporter) -> Module | None:
        """Return the module a `use` names, or report why it cannot be had."""

    def bundled(self, name: str, sort: Sort) -> tuple[Module, str | None] | None:
        """Return the bundled module a name means, and the name within it if one is given."""

    def names(self, sort: Sort) -> list[str]:
        """Return the names of the bundled models or machines."""
