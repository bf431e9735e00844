"""Build the parser from the grammar once, and keep its tables in the user's cache folder.

Loading the tables takes a third of the time of building them. The folder is private to the user
(mode 0700), since the tables are a pickle; where it cannot be written, the parser is built anew.
"""

from __future__ import annotations

import os
import sys
import zlib
from io import BytesIO
from pathlib import Path

import lark
from lark import Lark

from roofdsl import resources
from roofdsl.syntax.builder import Builder
from roofdsl.syntax.tokens import StatementEnds

_CHECKSUM = 4  # bytes at the head of the file: they tell tables that were damaged or cut short


def load(*, transformer: Builder, postlex: StatementEnds) -> Lark:
    """Return the parser, from the cache when it holds the tables of this very grammar."""
    grammar = (resources.folder("grammar") / "roofdsl.lark").read_text(encoding="utf-8")
    path = _cache_path(grammar)
    cached = _read(path)
    if cached is not None:
        # `Lark.load` cannot take a transformer; this is what `Lark(cache=…)` itself calls.
        empty = Lark.__new__(Lark)
        return empty._load(BytesIO(cached), transformer=transformer, postlex=postlex)
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
    # A checksum tells one grammar from the next; it guards against nothing: the folder does.
    checksum = zlib.crc32(f"{version}\n{grammar}".encode())
    return folder / "roofdsl" / f"grammar-{checksum:08x}-{len(grammar)}.pickle"


def _read(path: Path | None) -> bytes | None:
    """Return the tables in a file, None where there are none or they are not what was written."""
    if path is None:
        return None
    try:
        if os.name == "posix":
            for place in (path, path.parent):
                status = place.stat()
                if status.st_uid != os.getuid() or status.st_mode & 0o022:
                    return None  # somebody else could have written it
        data = path.read_bytes()
    except OSError:
        return None
    tables = data[_CHECKSUM:]
    return tables if data[:_CHECKSUM] == _checksum(tables) else None


def _checksum(tables: bytes) -> bytes:
    return zlib.crc32(tables).to_bytes(_CHECKSUM, "big")


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
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_checksum(tables.getvalue()) + tables.getvalue())
            Path(temporary).replace(path)
        except OSError:
            Path(temporary).unlink()
    except OSError:
        return
