"""Where the data folders are: in a checkout at its top, in an installed wheel under `_data`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, TypeAlias

Folder: TypeAlias = Literal["grammar", "stdlib", "machines", "reports", "messages"]

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parent
_IN_CHECKOUT = {"messages": "docs/messages"}


def home() -> Path | None:
    """Return the user's home folder, None where there is none to keep anything in.

    One that is relative is no place, and would be made wherever one stands; `/` is nobody's.
    """
    named = Path(os.environ.get("HOME" if os.name == "posix" else "USERPROFILE", ""))
    usable = named.is_absolute() and named != named.parent and os.path.isdir(named)  # noqa: PTH112 - a Path raises for a long name
    return named if usable else None


def folder(name: Folder) -> Path:
    """Return the folder that holds the bundled grammar, models, machines, templates or messages.

    A checkout wins over a copy under `_data`, which an editable install leaves behind and which
    goes stale as the checkout changes.

    >>> folder("machines").name
    'machines'
    """
    # Two signs, as a wheel may be installed into a folder that has a pyproject.toml of its own.
    if (_CHECKOUT / "pyproject.toml").is_file() and (_CHECKOUT / "grammar").is_dir():
        return _CHECKOUT / _IN_CHECKOUT.get(name, name)
    return _PACKAGE / "_data" / name
