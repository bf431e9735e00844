"""Build the parser from the grammar once, and keep its tables in the user's cache folder.

Loading the tables takes a third of the time of building them. They are a pickle, which only a
folder that is private to the user may hold.
"""

from __future__ import annotations

import sys
import zlib
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import lark
from lark import Lark

from roofdsl import resources
from roofdsl.syntax import kept
from roofdsl.syntax.builder import Builder
from roofdsl.syntax.tokens import StatementEnds


def load(*, transformer: Builder, postlex: StatementEnds) -> Lark:
    """Return the parser, from the cache when it holds the tables of this very grammar."""
    grammar = (resources.folder("grammar") / "roofdsl.lark").read_text(encoding="utf-8")
    path = _cache_path(grammar)
    cached = kept.read(path)
    if cached is not None:
        with suppress(Exception):  # whatever a pickle raises, it is none of what this Lark writes
            # `Lark.load` cannot take a transformer; this is what `Lark(cache=…)` itself calls.
            empty = Lark.__new__(Lark)
            return empty._load(BytesIO(cached), transformer=transformer, postlex=postlex)
    parser = build(grammar, transformer=transformer, postlex=postlex)
    tables = BytesIO()
    # The builder and the token filter are given again at load time and must not be pickled.
    parser.save(tables, exclude_options={"transformer", "postlex"})
    kept.write(path, tables.getvalue())
    return parser


def build(
    grammar: str,
    *,
    transformer: Builder | None = None,
    postlex: StatementEnds,
    strict: bool = False,
) -> Lark:
    """Build the parser; `strict` refuses any conflict in the grammar, and needs `interegular`."""
    return Lark(
        grammar,
        parser="lalr",
        lexer="basic",
        start=["start", "single"],
        transformer=transformer,
        postlex=postlex,
        maybe_placeholders=True,
        strict=strict,
    )


def _cache_path(grammar: str) -> Path | None:
    version = "-".join([lark.__version__, *map(str, sys.version_info[:3])])
    # A checksum tells one grammar from the next; it guards against nothing: the folder does.
    checksum = zlib.crc32(f"{version}\n{grammar}".encode())
    return kept.place(f"grammar-{checksum:08x}-{len(grammar)}.pickle")
