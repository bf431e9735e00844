"""The formats that are imported, each recognised by a file's name and bytes.

A format is a module with `LARGEST`, the bytes that are read at the most, and two functions:
`recognises(name, data)` and `read(given)`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.given import Given, Import
from roofdsl.reading import LARGEST, read_bytes

FORMATS = {
    "onnx": "a graph of operators in ONNX",
    "huggingface": "the config.json of a network of Hugging Face",
}
"""What each is, in the order in which a file is shown to them: the most particular comes first."""


class Format(Protocol):
    """What a module of a format has."""

    LARGEST: int

    def recognises(self, name: str, data: bytes) -> bool:
        """Whether a file by this name and with these bytes is meant for the format."""
        ...

    def read(self, given: Given) -> Import:
        """Return what a file is as a text in the language, or what is wrong with it."""
        ...


def format_named(name: str) -> Format:
    """Return one of `FORMATS`, imported when it is asked for."""
    match name:
        case "onnx":
            from roofdsl.importers.onnx_files import reader as onnx_reader

            return onnx_reader
        case "huggingface":
            from roofdsl.importers.huggingface import reader

            return reader
    raise KeyError(name)


def read_file(path: Path, shown: str, form: str | None = None, name: str | None = None) -> Import:
    """Read a file in the format `form`, or in the first that recognises it.

    `name` is that of the model where it is not to come from the file.
    """
    formats = [format_named(each) for each in ([form] if form else FORMATS)]
    # By its name alone it may be one that is large; no other file is read that far.
    named = [each.LARGEST for each in formats if form or each.recognises(path.name, b"")]
    largest = max(named, default=LARGEST)
    data = read_bytes(path, shown, largest=largest, of_folder="name a file in it", of_larger=None)
    if isinstance(data, Diagnostic):
        return None, (data,)
    given = Given(path, shown, data, name)
    for each in formats:
        if form or each.recognises(path.name, data):
            return each.read(given)
    known = "; ".join(f"{known}: {what}" for known, what in FORMATS.items())
    message = f"'{shown}' is in no format that is imported"
    return None, (Diagnostic("R1201", message, hint=f"{known}; --from says which it is"),)
