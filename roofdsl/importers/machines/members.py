"""Values inside JSON of other tools, asked for one after another; what is wrong is collected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from roofdsl.diagnostic import Diagnostic
from roofdsl.located_json import Located
from roofdsl.source import Span


class Members:
    """The members of an object; `path` is where it stands in the file, as people say it."""

    def __init__(self, value: Located, path: str, problems: list[Diagnostic]) -> None:
        found = value.value
        self._members = found if isinstance(found, Mapping) else {}
        self.span = value.span
        self.path = path
        self.problems = problems
        self._read: set[str] = set()
        self._is_object = isinstance(found, Mapping)
        if not self._is_object:
            message = f"{path or 'the file'} must be an object"
            problems.append(Diagnostic.at("R1205", message, value.span))

    def names(self) -> Iterator[str]:
        """Yield the names of all members."""
        yield from self._members

    def at(self, name: str) -> Located | None:
        """Return a member, None where it is absent or null."""
        self._read.add(name)
        found = self._members.get(name)
        return None if found is None or found.value is None else found

    def inside(self, name: str) -> Members | None:
        """Return an object that must be there (R1204, R1205)."""
        found = self.at(name)
        if found is None:
            self._missing(name)
            return None
        return Members(found, f"{self.path}.{name}".lstrip("."), self.problems)

    def items(self, name: str) -> tuple[Located, ...]:
        """Return a list that must be there (R1204, R1205), an empty one where it is not."""
        found = self.at(name)
        if found is None:
            self._missing(name)
        elif isinstance(found.value, tuple):
            return found.value
        else:
            message = f"'{self.path}.{name}' must be a list".replace("'.", "'")
            self.problems.append(Diagnostic.at("R1205", message, found.span))
        return ()

    def unread(self) -> list[str]:
        """Return the names that nobody has asked for."""
        return [name for name in self._members if name not in self._read]

    def _missing(self, name: str) -> None:
        if not self._is_object:
            return  # which has been said
        end = max(self.span.start, self.span.end - 1)
        inside = f" in '{self.path}'" if self.path else ""
        message = f"'{name}' is missing{inside}"
        place = Span(self.span.source, end, self.span.end)
        self.problems.append(Diagnostic.at("R1204", message, place, hint="is the file whole?"))


def words(value: Located | None) -> tuple[str, ...]:
    """Return the texts and numbers in a value, as they are written, at most a hundred."""
    if value is None:
        return ()
    if isinstance(value.value, tuple):
        return tuple(word for each in value.value[:100] for word in words(each))[:100]
    if isinstance(value.value, str):
        return (value.value,)
    if isinstance(value.value, int | float) and not isinstance(value.value, bool):
        return (value.span.text,)
    return ()
