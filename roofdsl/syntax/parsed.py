"""The pieces of a file by their places: of a bundled file, what was parsed before is kept.

It is kept in the user's cache folder, one file for each bundled one, with the text that it was
parsed from and a checksum of the code that parsed it, and is used where both are the same.
"""

from __future__ import annotations

import marshal
import sys
import zlib
from functools import cache
from pathlib import Path

from roofdsl import resources
from roofdsl.diagnostic import Diagnostic
from roofdsl.source import Source
from roofdsl.syntax import kept
from roofdsl.syntax.nodes import Declaration
from roofdsl.syntax.plain import declarations_of, plain


class Pieces:
    """Reads the declarations of one file; `keep` is called when there is nothing more to read.

    >>> Pieces(Source("demo", "unit token\\nmodel copy {}")).read(0, 10)[0].name.name
    'token'
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._path = _place(source.path)
        self._kept: dict[int, bytes] = {}
        self._new = False
        data = kept.read(self._path)
        if data is not None:
            try:
                made, text, found = marshal.loads(data)
                if (made, text) == (_code(), source.text):
                    self._kept = dict(found)
            except (ValueError, TypeError, EOFError):
                pass  # none of what is written below

    def read(self, start: int, end: int) -> tuple[Declaration, ...] | None:
        """Return the declarations of a piece, None if anything is wrong with it."""
        if start in self._kept:
            try:
                return declarations_of(marshal.loads(self._kept[start]), self._source)
            except (ValueError, TypeError, EOFError, LookupError, RecursionError):
                self._kept.clear()
        from roofdsl.syntax.parser import run  # loads Lark

        found = run(self._source, "start", start, end)
        if isinstance(found, Diagnostic):
            return None
        assert isinstance(found, tuple)
        if self._path is not None:
            self._kept[start], self._new = marshal.dumps(plain(found)), True
        return found

    def keep(self) -> None:
        """Keep what was parsed anew, if anything was."""
        if self._new:
            self._new = False
            kept.write(self._path, marshal.dumps((_code(), self._source.text, self._kept)))


def _place(path: Path | None) -> Path | None:
    """Return where the pieces of a bundled file are kept; of a user's file nothing is."""
    if path is None:
        return None
    for folder in (resources.folder("stdlib"), resources.folder("machines")):
        if path.is_relative_to(folder):
            name = ".".join(path.relative_to(folder).with_suffix("").parts)
            # Two installations, or two Pythons, do not write each other's files.
            whose = zlib.crc32(f"{sys.implementation.cache_tag} {folder}".encode())
            return kept.place(f"parsed-{whose:08x}-{name}.marshal")
    return None


@cache
def _code() -> str:
    """Return what is another where the grammar, or what makes nodes of it, is another."""
    files = [*Path(__file__).parent.glob("*.*"), resources.folder("grammar") / "roofdsl.lark"]
    texts = [path.read_bytes() for path in sorted(files)]
    return f"{sys.hexversion:x}-{sum(map(len, texts))}-{zlib.crc32(b''.join(texts)):08x}"
