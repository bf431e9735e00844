"""What an importer is given, and what it makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from roofdsl.diagnostic import Diagnostic
from roofdsl.inert import in_a_line


class Given(NamedTuple):
    """A file to import: `shown` is its path as it was written.

    `name` is that of the model or machine where it is not to come from the file. Of a machine,
    `renamed` are names of levels in the file with those they get, `dropped` are left out. Of
    points, `each` keeps launches of one kernel apart, `decimal` is the sign before decimals where
    the file does not tell it.
    """

    path: Path
    shown: str
    data: bytes
    name: str | None = None
    renamed: Mapping[str, str] = MappingProxyType({})
    dropped: tuple[str, ...] = ()
    each: bool = False
    decimal: str | None = None

    @property
    def source(self) -> str:
        """What a `source` line says of it: the file's name, and by which bytes it is known again.

        >>> Given(Path("nets/config.json"), "config.json", b"{}").source
        'config.json, sha256 44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'
        """
        return f"{in_a_line(self.path.name)}, sha256 {sha256(self.data).hexdigest()}"


class Imported(NamedTuple):
    """The text of a `.roof` file or of a table of points, and what is to be said of it beside."""

    text: str
    notes: tuple[str, ...] = ()


Import: TypeAlias = tuple[Imported | None, tuple[Diagnostic, ...]]
"""What was made of a file, None where a problem stands in the way, and all problems found."""
