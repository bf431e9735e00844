"""Build the parser from the grammar once, and keep its tables in the user's cache folder.

Loading the tables takes a third of the time of building them. The folder is private to the user
(mode 0700), since the tables are a pickle; where it cannot be written, the parser is built anew.
"""

from __future__ import annotations

import os
import sys
import zlib
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import lark
from lark import Lark

from roofdsl import resources
from roofdsl.diagnostic import RoofError
from roofdsl.syntax.builder import Builder
from roofdsl.syntax.tokens import StatementEnds

_CHECKSUM = 4  # bytes at the head of the file: they tell tables that were damaged or cut short
_LARGEST = 4_000_000


def load(*, transformer: Builder, postlex: StatementEnds) -> Lark:
    """Return the parser, from the cache when it holds the tables of this very grammar."""
    grammar = (resources.folder("grammar") / "roofdsl.lark").read_text(encoding="utf-8")
    path = _cache_path(grammar)
    cached = _read(path)
    if cached is not None:
        with suppress(Exception):  # whatever a pickle raises, it is none of what this Lark writes
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
    folder, home = Path(os.environ.get("XDG_CACHE_HOME", "")), resources.home()
    if not folder.is_absolute() or folder == folder.parent:
        if home is None:
            return None
        folder = home / ".cache"
    version = "-".join([lark.__version__, *map(str, sys.version_info[:3])])
    # A checksum tells one grammar from the next; it guards against nothing: the folder does.
    checksum = zlib.crc32(f"{version}\n{grammar}".encode())
    return folder / "roofdsl" / f"grammar-{checksum:08x}-{len(grammar)}.pickle"


def _read(path: Path | None) -> bytes | None:
    """Return the tables in a file, None where there are none or they are not what was written."""
    if path is None:
        return None
    try:
        # Opened without blocking: a FIFO in its place must not hang.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            if os.name == "posix":
                for status in (os.fstat(handle), path.parent.stat()):
                    if status.st_uid != os.getuid() or status.st_mode & 0o022:
                        return None  # somebody else could have written it
            data = file.read(_LARGEST)
    except OSError:
        return None
    tables = data[_CHECKSUM:]
    # Without any, four zeros would be their checksum.
    return tables if tables and data[:_CHECKSUM] == _checksum(tables) else None


def _checksum(tables: bytes) -> bytes:
    return zlib.crc32(tables).to_bytes(_CHECKSUM, "big")


def _write(path: Path | None, parser: Lark) -> None:
    if path is None:
        return
    tables = BytesIO()
    # The builder and the token filter are given again at load time and must not be pickled.
    parser.save(tables, exclude_options={"transformer", "postlex"})
    from roofdsl.writing import write_whole  # only the first run of all writes

    with suppress(OSError, RoofError):
        for folder in (path.parent.parent, path.parent):
            folder.mkdir(mode=0o700, exist_ok=True)
        path.unlink(missing_ok=True)  # what others may write, or is no file
        write_whole(path, _checksum(tables.getvalue()) + tables.getvalue(), mode=0o600)
