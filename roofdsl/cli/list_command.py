"""`roofdsl list`: the bundled models and machines."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import click

from roofdsl.cli.documents import DOCUMENTS, echo_blocks
from roofdsl.model.library import bundled, load_module, shown_path
from roofdsl.report.columns import aligned, indented


@click.command("list")
@click.argument("words", nargs=-1, metavar="[WORD]…")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "latex", "markdown"]),
    default="text",
    show_default=True,
)
def command(words: tuple[str, ...], form: str) -> None:
    """List the bundled models and machines, each with the first sentence of its doc comment.

    With WORDs, those alone whose name or sentence has all of them.

    \b
    Examples:
      roofdsl list
      roofdsl list all-reduce ring
      roofdsl list --format json
    """
    models, machines = _having(words, _models()), _having(words, _machines())
    if form in DOCUMENTS:
        from roofdsl.report.document.commands import listing_blocks

        echo_blocks(listing_blocks({"models": models, "machines": machines}), form)
        return
    if form == "json":
        click.echo(json.dumps({"schema": 1, "models": models, "machines": machines}, indent=2))
        return
    if not models and not machines:
        click.echo(f"nothing bundled has {' and '.join(repr(word) for word in words)}")
    for title, table in (("models", models), ("machines", machines)):
        if table:
            click.echo(f"{title}\n{indented(aligned(sorted(table.items())))}\n")


def _having(words: Sequence[str], table: Mapping[str, str]) -> dict[str, str]:
    wanted = [_folded(word) for word in words]
    return {
        name: sentence
        for name, sentence in table.items()
        if all(word in _folded(f"{name} {sentence}") for word in wanted)
    }


def _folded(text: str) -> str:
    return text.casefold().replace("_", "-")


def _models() -> dict[str, str]:
    found: dict[str, str] = {}
    for dotted, path in bundled("model").items():
        module = load_module(path, shown_path(path))
        for name, model in module.models.items():
            own = name == dotted.rpartition(".")[2]
            found[dotted if own else f"{dotted}:{name}"] = first_sentence(model.doc)
    return found


def _machines() -> dict[str, str]:
    found: dict[str, str] = {}
    for dotted, path in bundled("machine").items():
        module = load_module(path, shown_path(path))
        for name, machine in module.machines.items():
            own = name == dotted.rpartition(".")[2]
            found[dotted if own else f"{dotted}:{name}"] = first_sentence(machine.doc)
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
