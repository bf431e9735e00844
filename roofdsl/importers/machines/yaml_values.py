"""YAML with places: what PyYAML makes of a text before any value is built of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from roofdsl.diagnostic import Diagnostic
from roofdsl.source import Source, Span

if TYPE_CHECKING:
    import yaml

DEEPEST = 40
MOST_VALUES = 50_000
_WHOLE = "is the file whole?"
_SPELLED = "write what is meant in its place"


class Node:
    """A value: a text in `value`, or members or items; nothing of it is computed or built."""

    def __init__(self, source: Source, node: yaml.Node) -> None:
        self._source = source
        self._node = node
        end = max(node.end_mark.index, node.start_mark.index + 1)
        self.span = Span(source, node.start_mark.index, min(end, len(source.text)))

    @property
    def value(self) -> str:
        """The text of a plain value, "" for what is none; of several lines, on one."""
        found = self._node.value
        return " ".join(found.split()) if isinstance(found, str) else ""

    def names(self) -> Iterator[str]:
        """Yield the names of members."""
        yield from self._members()

    def at(self, name: str) -> Node | None:
        """Return a member, None where there is none."""
        return self._members().get(name)

    def items(self) -> Iterator[Node]:
        """Yield the items of a list."""
        if self._node.id == "sequence":
            for node in self._node.value:
                yield Node(self._source, node)

    def text(self, name: str) -> str:
        """Return the text of a member, "" where it is absent or `null`."""
        found = self.at(name)
        return "" if found is None or found.value in ("null", "~") else found.value

    def needed(self, name: str, problems: list[Diagnostic]) -> Node | None:
        """Return a member that must be there (R1204)."""
        found = self.at(name)
        if found is None:
            end = self.span.end
            place = Span(self._source, max(0, min(end, len(self._source.text)) - 1), end)
            message = f"the field '{name}' is missing"
            problems.append(Diagnostic.at("R1204", message, place, hint="is the file whole?"))
        return found

    def _members(self) -> dict[str, Node]:
        if self._node.id != "mapping":
            return {}
        return {
            key.value: Node(self._source, value)
            for key, value in self._node.value
            if isinstance(key.value, str)
        }


def read_yaml(source: Source) -> Node | Diagnostic:
    """Return the value that a text of YAML is, or where it is none (R1226).

    No tag builds anything, references to other places (`*name`) are refused, and a name stands
    once.
    """
    import yaml

    try:
        problem = _refused(source)
        root = None if problem else yaml.compose(source.text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        return _broken(source, error)
    if problem:
        return problem
    if root is None:
        return _at(source, 0, "the file is empty", _WHOLE)
    return _twice(source, root) or Node(source, root)


def _broken(source: Source, error: yaml.YAMLError) -> Diagnostic:
    """Return where a text is no YAML, in our words: those of the library vary."""
    mark = getattr(error, "problem_mark", None)
    index = mark.index if mark else getattr(error, "position", 0)
    if index >= len(source.text.rstrip()):
        return _at(
            source, len(source.text.rstrip()) - 1, "the file ends inside a value of YAML", _WHOLE
        )
    return _at(source, index, "the text is no YAML from here on", _WHOLE)


def _at(source: Source, index: int, message: str, hint: str | None = None) -> Diagnostic:
    index = max(0, min(index, len(source.text) - 1))
    place = Span(source, index, min(index + 1, len(source.text)))
    return Diagnostic.at("R1226", message, place, hint=hint)


def _refused(source: Source) -> Diagnostic | None:
    """Return what is not read though it is YAML: before nodes are made, which takes recursion."""
    import yaml

    depth = 0
    for count, event in enumerate(yaml.parse(source.text, Loader=yaml.SafeLoader)):
        index = event.start_mark.index
        if isinstance(event, yaml.AliasEvent):
            return _at(source, index, "a reference to another place is not read", _SPELLED)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > DEEPEST:
            message = f"more than {DEEPEST} lists and objects stand inside one another"
            return _at(source, index, message)
        if count > MOST_VALUES:
            return _at(source, index, f"the file has more than {MOST_VALUES:,} values")
    return None


def _twice(source: Source, root: yaml.Node) -> Diagnostic | None:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node.value, str):
            continue
        names: set[str] = set()
        for each in node.value:
            if not isinstance(each, tuple):
                waiting.append(each)
                continue
            key, value = each
            waiting.append(value)
            if not isinstance(key.value, str):
                return _at(source, key.start_mark.index, "a name must be a text")
            if key.value in names:
                message = f"'{key.value[:40]}' stands twice in one object"
                return _at(source, key.start_mark.index, message, "keep the one that is meant")
            names.add(key.value)
    return None
