"""Read a file a person named: text of bounded size, or a diagnostic of what it is instead."""

from __future__ import annotations

import os
import stat
from itertools import islice
from pathlib import Path

from roofdsl.diagnostic import Diagnostic, Label, closest
from roofdsl.inert import in_a_line
from roofdsl.source import Source

LARGEST = 4_000_000
_MOST_FILES = 5000
"""A folder of as many is not searched: which are seen would depend on their order."""


def read_source(
    path: Path, shown: str | None = None, asked: Label | None = None
) -> Source | Diagnostic:
    """Read a UTF-8 text file as a `Source` named `shown`.

    `asked` is the place that named the file, if one did. Anything but a regular file of at most
    4 MB of UTF-8 text is refused, and none of its contents appear in the message.
    """
    data = read_bytes(path, shown, asked)
    return data if isinstance(data, Diagnostic) else as_text(data, path, shown, asked)


def read_bytes(
    path: Path,
    shown: str | None = None,
    asked: Label | None = None,
    *,
    largest: int = LARGEST,
    of_folder: str = "name a `.roof` file in it",
    of_larger: str | None = "split it, and bring the parts together with `use`",
    whole: bool = True,
) -> bytes | Diagnostic:
    """Read a regular file of at most so many bytes; where it need not be `whole`, its first ones.

    `of_folder` and `of_larger` are the hints where it is a folder, or larger.
    """
    name = shown or str(path)
    labels = (asked,) if asked else ()

    def refuse(message: str, hint: str | None = None, code: str = "R0002") -> Diagnostic:
        return Diagnostic(code, message, labels, hint)

    try:
        status = Path(path).stat()
        if stat.S_ISDIR(status.st_mode):
            return refuse(f"'{name}' is a folder", of_folder)
        if not stat.S_ISREG(status.st_mode):
            return refuse(f"'{name}' is not a regular file", "only files of text are read")
        # Opened without blocking: what has become a FIFO since must not hang.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(handle, "rb") as file:
            data = file.read(largest + 1)
    except FileNotFoundError:
        return refuse(f"there is no file '{name}'", near_file(str(path), shown=name), "R0001")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "bad name"
        return refuse(f"'{name}' cannot be read: {reason[0].lower()}{reason[1:]}")
    if len(data) > largest:
        if not whole:
            return data[:largest]
        size = max(len(data), status.st_size)
        return refuse(f"'{name}' has {size:,} bytes; at most {largest:,} are read", of_larger)
    return data


def as_text(
    data: bytes, path: Path, shown: str | None = None, asked: Label | None = None
) -> Source | Diagnostic:
    """Return the bytes of a file as a `Source` named `shown`, or what they are instead of UTF-8."""
    name = shown or str(path)
    labels = (asked,) if asked else ()

    def refuse(message: str, hint: str) -> Diagnostic:
        return Diagnostic("R0002", message, labels, hint)

    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return refuse(f"'{name}' is UTF-16 text", "save it as UTF-8")
    if b"\0" in data:
        return refuse(f"'{name}' is not a text file", "only files of UTF-8 text are read")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode()
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        where = f"line {line}, column {column}"
        return refuse(
            f"'{name}' is not UTF-8 text: {where} has a byte that does not fit", "save it as UTF-8"
        )
    # Lines may end as on Windows or on old Macs; inside, they end one way.
    return Source(name, text.replace("\r\n", "\n").replace("\r", "\n"), path)


def near_file(path: str, suffix: str = "", shown: str | None = None) -> str | None:
    """Return a hint naming the file that is meant by the path of none: one with a name close to it.

    Only files that end with `suffix` are meant, and it may have been left out. `shown` is the path
    as it was written.
    """
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or ".") as entries:
            some = [entry.name for entry in islice(entries, _MOST_FILES)]
    except (OSError, ValueError):  # no such folder, or no name of one
        return None
    if len(some) == _MOST_FILES:
        return None
    names = [each for each in some if each.endswith(suffix)]
    found = name + suffix if name + suffix in names else closest(name, names, 0.8)
    return (
        f"did you mean '{in_a_line(str(Path(shown or path).with_name(found)))}'?" if found else None
    )


def real_path(path: Path) -> Path:
    """Return the path with every link in it followed; one that leads nowhere is returned too."""
    try:
        return Path(os.path.realpath(path))  # not `path.resolve()`: it raises for a link to itself
    except ValueError:  # a null character; reading says so
        return path
