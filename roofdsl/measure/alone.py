"""One measurement at a time: two at once would measure each other."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.syntax import kept


@contextmanager
def alone(path: Path | None = None) -> Iterator[None]:
    """Hold the lock of this user's measurements; raise RoofError (R1523) where another does.

    It is a file in the user's cache folder, or in that for temporary files, and ends with its
    process. Where no file can be locked, nothing is held.
    """
    try:
        import fcntl
    except ImportError:  # Windows has none
        yield
        return
    handle = _opened(path or _place())
    try:
        if handle is not None:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                message = "this machine is being measured already, by another process of yours"
                hint = "wait until it has ended, or end it"
                raise RoofError([Diagnostic("R1523", message, hint=hint)]) from None
            except OSError:
                pass  # there are no locks on this file system
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _place() -> Path:
    found = kept.place("measuring.lock")
    if found is not None:
        with suppress(OSError):
            for folder in (found.parent.parent, found.parent):
                folder.mkdir(mode=0o700, exist_ok=True)
            return found
    return Path(tempfile.gettempdir(), f"roofdsl-measuring-{os.getuid()}.lock")


def _opened(path: Path) -> int | None:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        return os.open(path, flags, 0o600)
    except OSError:
        return None
