"""The fields of a `config.json`, read one after another; what is wrong with them is collected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias, TypeVar

from roofdsl.diagnostic import Diagnostic
from roofdsl.located_json import Located
from roofdsl.source import Span

LARGEST: Final = 10**9
"""No size of a network is larger; it is a slip, or meant to be computed for ever."""
Needed: TypeAlias = Literal["needed"]
NEEDED: Final[Needed] = "needed"
_T = TypeVar("_T")


class Fields:
    """The members of an object. A field that is null counts as one that is absent."""

    def __init__(self, members: Mapping[str, Located], span: Span) -> None:
        self._members = members
        self._span = span
        self._read: set[str] = set()
        self._names: dict[str, str] = {}
        self.problems: list[Diagnostic] = []

    def has(self, name: str) -> bool:
        """Whether a field is there, and not null."""
        return self.at(name) is not None

    def is_null(self, name: str) -> bool:
        """Whether a field is there, and is null."""
        return name in self._members and self._members[name].value is None

    def at(self, name: str) -> Located | None:
        """Return a field as it stands in the file, None if it is absent or null."""
        self._read.add(name)
        found = self._members.get(name)
        return None if found is None or found.value is None else found

    def size(self, name: str, absent: int | Needed = NEEDED, least: int = 1) -> int:
        """Return a whole number from `least` to `LARGEST`.

        Of what is missing or none, 1 is returned, and a problem is added (R1204, R1205).
        """
        found = self.at(name)
        if found is None:
            return absent if isinstance(absent, int) else self._missing(name, max(1, least))
        value = found.value
        if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST:
            value = int(value)  # 4096.0, as some tools write it
        if isinstance(value, bool) or not isinstance(value, int):
            return self._refuse(name, "must be a whole number", max(1, least))
        if not least <= value <= LARGEST:
            return self._refuse(name, f"must lie in {least} .. {LARGEST}", max(1, least))
        return value

    def share(self, name: str, absent: float) -> float:
        """Return a number from 0 to 1."""
        found = self.at(name)
        if found is None:
            return absent
        value = found.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            return self._refuse(name, "must be a number from 0 to 1", absent)
        return float(value)

    def flag(self, name: str, absent: bool) -> bool:
        """Return true or false."""
        found = self.at(name)
        if found is None:
            return absent
        if not isinstance(found.value, bool):
            return self._refuse(name, "must be true or false", absent)
        return found.value

    def word(self, name: str, absent: str | None = None) -> str:
        """Return a text."""
        found = self.at(name)
        if found is None:
            return self._missing(name, "") if absent is None else absent
        if not isinstance(found.value, str):
            return self._refuse(name, "must be a text", absent or "")
        return found.value

    def words(self, name: str) -> tuple[str, ...]:
        """Return a list of texts, an empty one where it is absent."""
        found = self.at(name)
        if found is None:
            return ()
        if not isinstance(found.value, tuple):
            return self._refuse(name, "must be a list of texts", ())
        texts = tuple(each.value for each in found.value if isinstance(each.value, str))
        if len(texts) < len(found.value):
            return self._refuse(name, "must be a list of texts", ())
        return texts

    def numbers(self, name: str) -> frozenset[int]:
        """Return a list of whole numbers, an empty one where it is absent."""
        found = self.at(name)
        if found is None:
            return frozenset()
        values = found.value if isinstance(found.value, tuple) else (found,)
        numbers = frozenset(each.value for each in values if type(each.value) is int)
        if not isinstance(found.value, tuple) or not all(type(x.value) is int for x in values):
            return self._refuse(name, "must be a list of whole numbers", frozenset())
        return numbers

    def count(self, name: str) -> int | None:
        """Return how many members an object or a list has, None where it is absent."""
        found = self.at(name)
        if found is None:
            return None
        if not isinstance(found.value, tuple | Mapping):
            return self._refuse(name, "must be a list or an object", None)
        return len(found.value)

    def note_place(self, argument: str, name: str) -> None:
        """Note which field says an argument of the family."""
        self._names[argument] = name

    def name_of(self, argument: str) -> str:
        """Return the field that says an argument."""
        return self._names.get(argument, "")

    def places(self) -> dict[str, Span]:
        """Return where arguments stand, those that do."""
        named = {argument: self._members.get(name) for argument, name in self._names.items()}
        return {argument: found.span for argument, found in named.items() if found is not None}

    def unread(self) -> dict[str, Located]:
        """Return the fields that nobody has asked for, but those that are null."""
        return {
            name: found
            for name, found in self._members.items()
            if name not in self._read and found.value is not None
        }

    def refuse(self, name: str, message: str, hint: str | None = None, code: str = "R1206") -> None:
        """Add a problem at a field, or at the end of the file where it is absent."""
        found = self._members.get(name)
        place = self._end() if found is None else found.span
        problem = Diagnostic.at(code, message, place, hint=hint)
        if problem not in self.problems:  # a field may say several things
            self.problems.append(problem)

    def _missing(self, name: str, instead: _T) -> _T:
        found = self._members.get(name)
        message = f"the field '{name}' is {'null' if found else 'missing'}"
        hint = "the network cannot be counted without it; is the file whole?"
        place = found.span if found else self._end()
        self.problems.append(Diagnostic.at("R1204", message, place, hint=hint))
        return instead

    def _refuse(self, name: str, what: str, instead: _T) -> _T:
        self.refuse(name, f"'{name}' {what}", code="R1205")
        return instead

    def _end(self) -> Span:
        """Return the place of the brace that ends the object."""
        return Span(self._span.source, self._span.end - 1, self._span.end)
