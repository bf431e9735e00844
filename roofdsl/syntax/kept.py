"""Files of roofdsl in the user's cache folder: what would take longer to work out than to read.

The folder is private to the user (mode 0700). Where it cannot be written, nothing is kept; what is
damaged, or could have been written by somebody else, is not there. None of it is ever said.
"""

from __future__ import annotations

import os
import zlib
from contextlib import suppress
from pathlib import Path

from roofdsl import resources
from roofdsl.diagnostic import RoofError

_CHECKSUM = 4  # bytes at the head of a file: they tell what was damaged or cut short
_LARGEST = 4_000_000


def place(name: str) -> Path | None:
    """Return where the file of a name is kept, None where there is no place for any."""
    folder, home = Path(os.environ.get("XDG_CACHE_HOME", "")), resources.home()
    if not folder.is_absolute() or folder == folder.parent:
        if home is None:
            return None
        folder = home / ".cache"
    return folder / "roofdsl" / name


def read(path: Path | None) -> bytes | None:
    """Return what was kept in a file, None where there is none or it is not what was written."""
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
            kept = file.read(_LARGEST)
    except OSError:
        return None
    data = kept[_CHECKSUM:]
    # Without any, four zeros would be their checksum.
    return data if data and kept[:_CHECKSUM] == _checksum(data) else None


def write(path: Path | None, data: bytes) -> None:
    """Keep data in a file, in place of what was kept there, if that can be done."""
    if path is None or len(data) > _LARGEST - _CHECKSUM:
        return
    from roofdsl.writing import write_whole  # only the first run of all writes

    with suppress(OSError, RoofError):
        for folder in (path.parent.parent, path.parent):
            folder.mkdir(mode=0o700, exist_ok=True)
        path.unlink(missing_ok=True)  # what others may write, or is no file
        write_whole(path, _checksum(data) + data, mode=0o600)


def _checksum(data: bytes) -> bytes:
    return zlib.crc32(data).to_bytes(_CHECKSUM, "big")
