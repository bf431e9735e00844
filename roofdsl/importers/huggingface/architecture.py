"""What a kind of network is in the library's terms: which field is which argument of a family."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

from roofdsl.importers.huggingface.fields import NEEDED, Fields, Needed
from roofdsl.importers.huggingface.sizes import check_sizes
from roofdsl.importers.instance import Argument

Arguments: TypeAlias = dict[str, Argument]
Heads: TypeAlias = Mapping[str, Mapping[str, Argument]]
More: TypeAlias = Callable[[Fields, Arguments, list[str]], None]
"""Adds arguments that hang on several fields, and notes on what is not counted."""
FORWARD_AND_TRAINING: Final = {"": "forward", "_training": "one step of training"}
"""The phases of a network that generates nothing."""
LABELS: Final = -1
"""Of a last layer: as many classes as the file has labels."""
_USUAL_LABELS = 2  # where a file has none


class Field(NamedTuple):
    """A field of the file as an argument of the family; `other` is what some files call it.

    `absent` is what the library of Hugging Face takes where the field is not there; None leaves
    it to the family. It says the kind too: a truth, or a whole number. `null` is the same for a
    field that is there without a value.
    """

    argument: str
    field: str
    absent: Argument | Needed | None = NEEDED
    null: Argument | None = None
    other: str = ""

    def name(self, fields: Fields) -> str:
        """Return what the file calls it."""
        both = (self.field, self.other) if self.other else (self.field,)
        return next((name for name in both if fields.has(name)), self.field)

    def read(self, fields: Fields) -> Argument | None:
        """Return the argument, None where it is left to the family."""
        name = self.name(fields)
        if fields.is_null(name) and self.absent is not NEEDED:
            return self.null
        if isinstance(self.absent, bool):
            return fields.flag(name, self.absent)
        if self.absent is None and not fields.has(name):
            return None
        otherwise: int | Needed = self.absent if isinstance(self.absent, int) else NEEDED
        return fields.size(name, otherwise)


class Architecture(NamedTuple):
    """A kind of network: `family` with what `always` holds of it and what its `fields` say.

    `fixed` are the other parameters of the family that say what a network is, and not how it runs,
    `idle` those that say nothing where the network has not got an argument.
    `phases` are what is added to the names of the family's models, and what each is; `heads` the
    classes of the field `architectures`, each with the arguments that it adds.
    """

    family: str
    phases: Mapping[str, str]
    fields: tuple[Field, ...]
    heads: Heads
    source: str
    fixed: tuple[str, ...]
    idle: Mapping[str, tuple[str, ...]] = {}
    always: Mapping[str, Argument] = {}
    more: tuple[More, ...] = ()

    def but(
        self,
        *fields: Field,
        heads: Heads,
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

    def fixed_for(self, arguments: Collection[str]) -> tuple[str, ...]:
        """Return the parameters that are not left open in a network with these arguments."""
        idle = [names for argument, names in self.idle.items() if argument not in arguments]
        return (*self.fixed, *chain.from_iterable(idle))

    def arguments(self, fields: Fields, head: str, notes: list[str]) -> Arguments:
        """Return the arguments of the family that a file asks for."""
        found: Arguments = dict(self.always)
        for field in self.fields:
            value = field.read(fields)
            if value is not None:
                found[field.argument] = value
                fields.note_place(field.argument, field.name(fields))
        for name, value in self.heads[head].items():
            found[name] = _labels(fields) if value == LABELS else value
        for more in self.more:
            more(fields, found, notes)
        check_sizes(fields, found)
        return found


def _labels(fields: Fields) -> int:
    labels = fields.count("id2label")
    return fields.size("num_labels", _USUAL_LABELS) if labels is None else labels
