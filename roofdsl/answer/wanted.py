"""What is asked of rows: which columns, in which order, and whether the best of them alone."""

from __future__ import annotations

from typing import NamedTuple

from roofdsl.answer.plain import Json


class Key(NamedTuple):
    """A column that rows are sorted by, the least first or the `most`."""

    name: str
    most: bool = False


class Wanted(NamedTuple):
    """What is asked of rows: their columns, their order, the best of them alone.

    `near` are texts of how far rates may be off, `±10%`: what binds on all such machines.
    """

    columns: tuple[str, ...] = ()
    sort: tuple[Key, ...] = ()
    best: Key | None = None
    near: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that it needs."""
        keys = (*self.sort, *([] if self.best is None else [self.best]))
        return tuple(dict.fromkeys([*self.columns, *(key.name for key in keys)]))


NOTHING_WANTED = Wanted()


class Best(NamedTuple):
    """What the rows shown are the best in, of how many that have it; so many have it not."""

    key: Key
    of: int
    without: int

    @property
    def words(self) -> str:
        least = "most" if self.key.most else "least"
        return f"{least} {self.key.name} of {self.of}"

    def values(self) -> dict[str, Json]:
        fields: dict[str, Json] = {"column": self.key.name, "most": self.key.most}
        return {**fields, "of": self.of, "without": self.without}

    def notes(self) -> list[str]:
        """Return which rows were not compared, in a sentence."""
        if not self.without:
            return []
        have = "has" if self.without == 1 else "have"
        return [f"{self.without} of {self.of + self.without} {have} no {self.key.name}"]
