"""Write files: whole, or not at all."""

from __future__ import annotations

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
