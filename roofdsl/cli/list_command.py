"""`roofdsl list`: the bundled models and machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import click

from roofdsl.answer.blocks import Block, Table, label
from roofdsl.answer.cells import Column
from roofdsl.answer.head import opening
from roofdsl.answer.plain import Json
from roofdsl.cli.call import Call
from roofdsl.cli.formats import echo, format_option, say
from roofdsl.model.documented import documented
from roofdsl.model.library import bundled, near_bundled
from roofdsl.model.neighbours import Sort


@click.command("list", cls=Call)
@click.argument("words", nargs=-1, metavar="[WORD]…")
@format_option("json")
def command(words: tuple[str, ...], form: str) -> None:
    """List the bundled models and machines, each with the first sentence of its doc comment.

    With WORDs, those alone whose name or sentence has all of them.

    \b
    Examples:
      roofdsl list
      roofdsl list all-reduce ring
      roofdsl list --format json
    """
    models, machines = _having(words, _bundled("model")), _having(words, _bundled("machine"))
    if form == "text" and not models and not machines:
        near = near_bundled(" ".join(words))
        ending = f"; {near}" if near else ""
        say(f"nothing bundled has {' and '.join(repr(word) for word in words)}{ending}")
        return
    echo(Listing({"models": models, "machines": machines}), form)


@dataclass(frozen=True, slots=True)
class Listing:
    """Bundled models and machines: a sentence for each name."""

    sorts: dict[str, dict[str, str]]

    def values(self) -> dict[str, Json]:
        return {**opening("list"), **{sort: {**names} for sort, names in self.sorts.items()}}

    def blocks(self) -> list[Block]:
        columns = (Column(""), Column("", wide=True))
        return [
            Table(
                f"Bundled {sort}",
                label(sort),
                columns,
                tuple(sorted(names.items())),
                head=sort,
                one_line=True,
            )
            for sort, names in self.sorts.items()
            if names
        ]


def _having(words: Sequence[str], table: Mapping[str, str]) -> dict[str, str]:
    wanted = [_folded(word) for word in words]
    return {
        name: sentence
        for name, sentence in table.items()
        if all(word in _folded(f"{name} {sentence}") for word in wanted)
    }


def _folded(text: str) -> str:
    return text.casefold().replace("_", "-")


def _bundled(sort: Sort) -> dict[str, str]:
    found: dict[str, str] = {}
    for dotted, path in bundled(sort).items():
        for name, doc in documented(path, sort).items():
            own = name == dotted.rpartition(".")[2]
            found[dotted if own else f"{dotted}:{name}"] = first_sentence(doc)
    return found


def first_sentence(doc: str) -> str:
    """Return the first sentence of a doc comment.

    >>> first_sentence("Copies memory, e.g. arrays. Nothing else.")
    'Copies memory, e.g. arrays.'
    """
    doc = doc.partition("\n")[0]
    for index in range(len(doc) - 1):
        if doc[index] == "." and doc[index + 1] == " " and doc[index + 2 : index + 3].isupper():
            return doc[: index + 1]
    return doc
