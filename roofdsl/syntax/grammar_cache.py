"""Build the parser from the grammar once, and keep its tables in the user's cache folder.

Loading the tables takes a third of the time of building them. The folder is private to the user
(mode 0700), since the tables are a pickle; where it cannot be written, the parser is built anew.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from io import BytesIO
from pathlib import Path

import lark
from lark import Lark

from roofdsl import resources
from roofdsl.syntax.builder import Builder
from roofdsl.syntax.tokens import StatementEnds


def load(*, transformer: Builder, postlex: StatementEnds) -> Lark:
    """Return the parser, from the cache when it holds the tables of this very grammar."""
    grammar = (resources.folder("grammar") / "roofdsl.lark").read_text(encoding="utf-8")
    path = _cache_path(grammar)
    cached = _read(path)
    if cached is not None:
        parser = Lark.__new__(Lark)
        try:
            # `Lark.load` cannot take a transformer; this is what `Lark(cache=…)` itself calls.
            return parser._load(BytesIO(cached), transformer=transformer, postlex=postlex)
        except (pickle.UnpicklingError, EOFError, KeyError, AttributeError, TypeError, ValueError):
            pass  # a damaged cache is rebuilt
    parser = build(grammar, transformer=transformer, postlex=postlex)
    _write(path, parser)
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
    base = os.environ.get("XDG_CACHE_HOME") or ""
    try:
        folder = Path(base) if Path(base).is_absolute() else Path.home() / ".cache"
    except RuntimeError:  # no home folder
        return None
    version = "-".join([lark.__version__, *map(str, sys.version_info[:3])])
    digest = hashlib.sha256(f"{version}\n{grammar}".encode()).hexdigest()[:24]
    return folder / "roofdsl" / f"grammar-{digest}.pickle"


def _read(path: Path | None) -> bytes | None:
    if path is None:
        return None
    try:
        if os.name == "posix":
            for place in (path, path.parent):
                status = place.stat()
                if status.st_uid != os.getuid() or status.st_mode & 0o022:
                    return None  # somebody else could have written it
        return path.read_bytes()
    except OSError:
        return None


def _write(path: Path | None, parser: Lark) -> None:
    if path is None:
        return
    tables = BytesIO()
    # The builder and the token filter are given again at load time and must not be pickled.
    parser.save(tables, exclude_options={"transformer", "postlex"})
    import tempfile  # only the first run of all writes

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(tables.getvalue())
        Path(temporary).replace(path)
    except OSError:
        return
