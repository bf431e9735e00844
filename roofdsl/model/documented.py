"""The doc comments of a bundled file, read from its text: nothing of it is built."""

from __future__ import annotations

from pathlib import Path

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.model.library import load_module, shown_path
from roofdsl.model.neighbours import Sort
from roofdsl.model.piecewise import HEAD
from roofdsl.reading import read_source
from roofdsl.source import Span
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.parse import pieces


def documented(path: Path, sort: Sort) -> dict[str, str]:
    """Return the doc comments of a file's models, or of its machines, by name.

    Where one says nothing itself, as what is made from another may, the file is built.

    >>> from roofdsl.model.library import bundled
    >>> documented(bundled("machine")["karst"], "machine")["karst"].splitlines()[0]
    'Karst, Indiana University (high-throughput computing): one process of a node.'
    """
    source = read_source(path, shown_path(path))
    if isinstance(source, Diagnostic):
        raise RoofError([source])
    heads = (HEAD.match(source.text, start) for start, _ in pieces(source))
    found = {
        head[2]: doc_comment(Span(source, head.start(), head.end()))
        for head in heads
        if head is not None and head[1] == sort
    }
    if all(found.values()):
        return found
    module = load_module(path, shown_path(path))
    built = module.models if sort == "model" else module.machines
    return {name: item.doc for name, item in built.items()}
