"""The doc comments of a bundled file, read from its text: nothing of it is built."""

from __future__ import annotations

import re
from pathlib import Path

from roofdsl.model.library import load_module, shown_path
from roofdsl.model.neighbours import Sort
from roofdsl.source import Source, Span
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.parse import pieces


def documented(path: Path, sort: Sort) -> dict[str, str]:
    """Return the doc comments of a file's models, or of its machines, by name.

    Where one says nothing itself, as what is made from another may, the file is built.

    >>> from roofdsl.model.library import bundled
    >>> documented(bundled("machine")["karst"], "machine")["karst"].splitlines()[0]
    'Karst, Indiana University (high-throughput computing): one process of a node.'
    """
    source = Source(shown_path(path), path.read_text(encoding="utf-8"))
    head = re.compile(rf"{sort}[ \t]+(\w+)")
    found = {
        declared[1]: doc_comment(Span(source, start, declared.end()))
        for start, _ in pieces(source)
        if (declared := head.match(source.text, start))
    }
    if all(found.values()):
        return found
    module = load_module(path, shown_path(path))
    built = module.models if sort == "model" else module.machines
    return {name: item.doc for name, item in built.items()}
