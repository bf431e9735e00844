"""Write files: whole, or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path

from roofdsl.diagnostic import Diagnostic, RoofError


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there with all its bytes or not at all.

    The bytes go to a new file beside it, which then takes its place. Raises RoofError (R0802).
    """
    try:
        target = path.resolve()
        if target.exists() and not stat.S_ISREG(target.stat().st_mode):
            # A device or a pipe, such as /dev/stdout, has no half file.
            target.write_bytes(data)
            return
        beside = target.with_name(f".{target.name[:100]}.{os.getpid()}.part")
        try:
            beside.write_bytes(data)
            if target.exists():
                shutil.copymode(target, beside)
            beside.replace(target)
        finally:
            beside.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise RoofError([_unwritable(path, error)]) from None


def check_target(path: Path) -> None:
    """Raise RoofError (R0802) where a file can plainly not be written, before long work is done."""
    try:
        target = path.resolve()
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not target.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        if not os.access(target if target.exists() else target.parent, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except (OSError, ValueError) as error:
        raise RoofError([_unwritable(path, error)]) from None


def make_folder(path: Path) -> None:
    """Make a folder if it is not there; raise RoofError where it cannot be made (R0802)."""
    try:
        path.mkdir(exist_ok=True)
    except (OSError, ValueError) as error:
        raise RoofError([_unwritable(path, error)]) from None


def _unwritable(path: Path, error: Exception) -> Diagnostic:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else "bad name"
    hint = None
    if isinstance(error, FileNotFoundError) and not path.parent.exists():
        hint = f"there is no folder '{path.parent}'"
    elif isinstance(error, IsADirectoryError):
        hint = "name a file in it"
    return Diagnostic(
        "R0802", f"'{path}' cannot be written: {reason[0].lower()}{reason[1:]}", hint=hint
    )
