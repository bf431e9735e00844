"""What a kind of network is in the library's terms: which field is which argument of a family."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple, TypeAlias

from roofdsl.importers.huggingface.fields import NEEDED, Fields, Needed
from roofdsl.importers.instance import Argument

Arguments: TypeAlias = dict[str, Argument]


class Field(NamedTuple):
    """A field of the file as an argument of the family.

    `absent` is what the library of Hugging Face takes where the field is not there; None leaves
    it to the family. It says the kind too: a truth, or a whole number of at least `least`. `null`
    is the same for a field that is there without a value.
    """

    argument: str
    field: str
    absent: Argument | Needed | None = NEEDED
    null: Argument | None = None
    least: int = 1

    def read(self, fields: Fields) -> Argument | None:
        """Return the argument, None where it is left to the family."""
        if fields.is_null(self.field) and self.absent is not NEEDED:
            return self.null
        if isinstance(self.absent, bool):
            return fields.flag(self.field, self.absent)
        if self.absent is None and not fields.has(self.field):
            return None
        otherwise: int | Needed = self.absent if isinstance(self.absent, int) else NEEDED
        return fields.size(self.field, otherwise, self.least)


More: TypeAlias = Callable[[Fields, Arguments, list[str]], None]
"""Adds arguments that hang on several fields, and notes on what is not counted."""


class Architecture(NamedTuple):
    """A kind of network: `family` with what `always` holds of it and what its `fields` say.

    `phases` are what is added to the names of the family's models, and what each is; `heads` the
    classes of the field `architectures`, each with the arguments that it adds.
    """

    family: str
    phases: Mapping[str, str]
    always: Mapping[str, Argument]
    fields: tuple[Field, ...]
    heads: Mapping[str, Mapping[str, Argument]]
    source: str
    more: tuple[More, ...] = ()

    def but(
        self,
        *fields: Field,
        heads: Mapping[str, Mapping[str, Argument]],
        source: str,
        always: Mapping[str, Argument] = {},
        without: Collection[str] = (),
        more: tuple[More, ...] = (),
    ) -> Architecture:
        """Return an architecture like this one, with other fields for some of its arguments."""
        own = {each.argument: each for each in (*self.fields, *fields)}
        return self._replace(
            always={**self.always, **always},
            fields=tuple(each for name, each in own.items() if name not in without),
            heads=heads,
            more=more,
            source=source,
        )

    def arguments(self, fields: Fields, head: str, notes: list[str]) -> Arguments:
        """Return the arguments of the family that a file asks for."""
        found: Arguments = dict(self.always)
        for field in self.fields:
            value = field.read(fields)
            if value is not None:
                found[field.argument] = value
        found.update(self.heads[head])
        for more in self.more:
            more(fields, found, notes)
        return found
