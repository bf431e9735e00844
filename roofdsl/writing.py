"""Write files: whole, or not at all; those of one command together."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from itertools import combinations
from pathlib import Path

from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.inert import in_a_line

_PART = re.compile(r"\.roofdsl-[0-9a-f]{16}\.part")
_MOST_LINKS = 40  # as many as Linux follows
_POSIX = os.name == "posix"


def write_whole(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Write a file so that it is there with all its bytes or not at all; see `write_together`."""
    write_together({path: data}, mode=mode)


def write_together(
    files: Mapping[Path, bytes], folder: Path | None = None, *, mode: int = 0o666
) -> None:
    """Write files so that each has all its bytes, and none is changed where one cannot be written.

    The bytes go to parts, new files beside them, which then take their places in this order. Parts
    that killed processes left in the same folders are removed. `folder` is made for some of the
    files if it is not there; `mode`, less the umask, is of new files. Raises RoofError (R0802).
    """
    parts: list[tuple[Path, Path, Path]] = []
    path = Path()
    try:
        with ExitStack() as ending:
            if folder is not None:
                path = folder
                _refuse_foreign(folder)
                if folder.is_file():
                    raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
                if not folder.is_dir():
                    ending.callback(_remove_empty, folder)
                    folder.mkdir()
            for path, data in files.items():
                if not _is_device(path):
                    target = _target(path)
                    _remove_stale(target.parent)
                    parts.append((path, target, _part(target, data, mode, ending)))
            for path in [path for path in files if _is_device(path)]:
                path.write_bytes(files[path])
            for path, target, part in parts:  # noqa: B007 - the message names it
                part.replace(target)
            for place in {target.parent for _, target, _ in parts}:
                _keep_names(place)
    except (OSError, ValueError) as error:
        raise RoofError([_unwritable(path, error)]) from None


def check_targets(outputs: Mapping[str, Path], inputs: Iterable[Path] = ()) -> None:
    """Raise RoofError for what can be known to go wrong with outputs, before long work is done.

    `outputs` are named by the options that ask for them. One may not be written (R0802), or be the
    same file as another or as one of the inputs (R0809).
    """
    for path in outputs.values():
        try:
            _target(path)
        except (OSError, ValueError) as error:
            raise RoofError([_unwritable(path, error)]) from None
    for (option, path), (other, second) in combinations(outputs.items(), 2):
        if _same(path, second):
            message = f"'{path}' is asked for by {option} and by {other}"
            raise RoofError([Diagnostic("R0809", message, hint="each needs a file of its own")])
    read = list(inputs)
    for option, path in outputs.items():
        if any(_same(path, source) for source in read):
            message = f"'{path}' is read by this command, and {option} would replace it"
            raise RoofError([Diagnostic("R0809", message, hint="name another file")])


def _is_device(path: Path) -> bool:
    """Whether a path leads to a device or a pipe, such as /dev/stdout, which has no half file."""
    return path.exists() and not path.is_file() and not path.is_dir()


def _same(path: Path, other: Path) -> bool:
    if path.exists() and other.exists():
        return path.samefile(other) and not _is_device(path)
    return os.path.normcase(os.path.realpath(path)) == os.path.normcase(os.path.realpath(other))


def _target(path: Path) -> Path:
    """Return the file that a path leads to; raise OSError where it can plainly not be written."""
    for _ in range(_MOST_LINKS):
        if not path.is_symlink() or _is_device(path):
            break
        _refuse_foreign(path)
        path = path.parent / path.readlink()
    else:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    os.stat(os.path.join(path.parent, ""))  # noqa: PTH116, PTH118 - a Path drops the last slash
    for place in (path, path.parent):
        if place.exists() and not _is_device(path) and not os.access(place, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return path


def _refuse_foreign(path: Path) -> None:
    """Raise OSError for a link that is neither the user's own nor the system's.

    In a folder for all, such as /tmp, anybody may put one that leads to a file of the user's under
    the name that will be written.
    """
    if _POSIX and path.is_symlink() and path.lstat().st_uid not in (0, os.geteuid()):
        raise PermissionError(errno.EACCES, "it is a link of another user's")


def _part(target: Path, data: bytes, mode: int, ending: ExitStack) -> Path:
    """Write a part for a target, with the mode that it has; `ending` removes what is left of it."""
    kept = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    while True:
        part = target.with_name(f".roofdsl-{os.urandom(8).hex()}.part")
        ending.callback(part.unlink, missing_ok=True)  # before it is there: a signal may come
        handle = os.open(part, flags | getattr(os, "O_BINARY", 0), mode if kept is None else kept)
        file = ending.enter_context(os.fdopen(handle, "wb"))
        try:
            _lock(handle)
        except BlockingIOError:
            continue  # somebody takes it for a stale one
        except OSError:
            break  # there are no locks on this file system
        if os.fstat(handle).st_nlink:
            break  # else somebody took it for a stale one
    if kept is not None:
        os.chmod(handle if os.chmod in os.supports_fd else part, kept)  # noqa: PTH101 - of a handle
    file.write(data)
    file.flush()
    os.fsync(handle)
    if not _POSIX:
        file.close()  # an open file cannot take another's place there
    return part


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _lock(handle: int) -> None:
    """Lock a part while it is open, which ends with its process; raise OSError where one cannot."""
    if _POSIX:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_stale(folder: Path) -> None:
    """Remove the parts of this user's processes that were killed: those that nobody has locked."""
    with suppress(OSError):  # of a folder that cannot be listed
        for name in filter(_PART.fullmatch, os.listdir(folder)):  # noqa: PTH208 - there may be many
            with suppress(OSError):  # it is gone, in use, or not ours
                status = (folder / name).lstat()
                if stat.S_ISREG(status.st_mode) and (not _POSIX or status.st_uid == os.geteuid()):
                    handle = os.open(folder / name, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0))
                    try:
                        _lock(handle)
                        (folder / name).unlink()
                    finally:
                        os.close(handle)


def _keep_names(folder: Path) -> None:
    """Have the names in a folder outlive a crash of the system, where it can be asked for that."""
    if _POSIX:
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _unwritable(path: Path, error: Exception) -> Diagnostic:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else "bad name"
    hint = None
    if isinstance(error, FileNotFoundError) and not path.parent.exists():
        hint = f"there is no folder '{in_a_line(str(path.parent))}'"
    elif isinstance(error, IsADirectoryError):
        hint = "name a file in it"
    elif isinstance(error, NotADirectoryError):
        file = next((each for each in (path, *path.parents) if each.is_file()), path)
        shown = in_a_line(str(file))
        hint = f"a folder is needed where the file '{shown}' stands: move it, or name another"
    return Diagnostic(
        "R0802", f"'{path}' cannot be written: {reason[0].lower()}{reason[1:]}", hint=hint
    )
