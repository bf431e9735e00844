"""The formats that are imported, each recognised by a file's name and its first bytes.

A format is a module with `LARGEST`, the bytes that are read at the most, and two functions:
`recognises(name, head)` and `read(given)`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.given import Given, Import
from roofdsl.reading import as_text, read_bytes

NETWORK, MACHINE, POINTS = "a network", "a machine", "points"
ENDINGS = {NETWORK: ".roof", MACHINE: ".roof", POINTS: ".csv"}
"""What is made of a file, and how the file that says it ends."""

TAKES = {
    NETWORK: {"--name"},
    MACHINE: {"--name", "--rename", "--drop"},
    POINTS: {"--each"},
}
"""Which options say something of what is made."""

_OF_A_LOCALE = {"ncu", "ncu-roofs", "perf", "advisor"}
"""Formats whose numbers are written as the locale has them, of which --decimal says something."""


class Described(NamedTuple):
    """What a format is, and what is made of it."""

    what: str
    makes: str


FORMATS = {
    "onnx": Described("a graph of operators in ONNX", NETWORK),
    "ert": Described("roofline.json of the Empirical Roofline Tool", MACHINE),
    "kerncraft": Described("a machine file of Kerncraft, in YAML", MACHINE),
    "likwid-bench": Described("what likwid-bench prints", MACHINE),
    "osu": Described("what osu_latency and osu_bw print, of two processes", MACHINE),
    "nccl": Described("what nccl-tests print, or their JSON", MACHINE),
    "rocprof-roofs": Described("roofline.csv of rocprof-compute", MACHINE),
    "carm": Described("roofs of the CARM tool as CSV", MACHINE),
    "carm-points": Described("applications of the CARM tool as CSV", POINTS),
    "likwid": Described("CSV of likwid-perfctr -O", POINTS),
    "ncu": Described("CSV of Nsight Compute, a row for each metric or each launch", POINTS),
    "ncu-roofs": Described("the roofs that Nsight Compute tells in such a CSV", MACHINE),
    "rocprof": Described("CSV of rocprof, rocprofv3, or rocprof-compute's pmc_perf.csv", POINTS),
    "perf": Described("what `perf stat` of Linux prints, or its CSV", POINTS),
    "advisor": Described("loops of Intel Advisor as CSV", POINTS),
    "advisor-roofs": Described("roofs of Intel Advisor as CSV: name,bandwidth", MACHINE),
    "torch": Described("a trace of PyTorch's profiler", POINTS),
    "huggingface": Described("the config.json of a network of Hugging Face", NETWORK),
}
"""What each is, in the order in which a file is shown to them: the most particular comes first."""

_HEAD = 65_536
"""Bytes by which a format is recognised."""

_FOLDER = "name a file in it"


class Format(Protocol):
    """What a module of a format has."""

    LARGEST: int

    def recognises(self, name: str, head: bytes) -> bool:
        """Whether a file by this name that begins with these bytes is meant for the format."""
        ...

    def read(self, given: Given) -> Import:
        """Return what a file is as another text, or what is wrong with it."""
        ...


def format_named(name: str) -> Format:
    """Return one of `FORMATS`, imported when it is asked for."""
    match name:
        case "onnx":
            from roofdsl.importers.onnx_files import reader as onnx_reader

            return onnx_reader
        case "ncu":
            from roofdsl.importers import ncu_csv

            return ncu_csv
        case "rocprof":
            from roofdsl.importers import rocprof_csv

            return rocprof_csv
        case "perf":
            from roofdsl.importers import perf_stat

            return perf_stat
        case "advisor":
            from roofdsl.importers import advisor_csv

            return advisor_csv
        case "torch":
            from roofdsl.importers import torch_trace

            return torch_trace
        case "huggingface":
            from roofdsl.importers.huggingface import reader

            return reader
    return _format_of_machines(name)


def _format_of_machines(name: str) -> Format:
    match name:
        case "ert":
            from roofdsl.importers.machines import ert

            return ert
        case "kerncraft":
            from roofdsl.importers.machines import kerncraft

            return kerncraft
        case "likwid-bench":
            from roofdsl.importers.machines import likwid_bench

            return likwid_bench
        case "osu":
            from roofdsl.importers.machines import osu

            return osu
        case "nccl":
            from roofdsl.importers.machines import nccl_tests

            return nccl_tests
        case "rocprof-roofs":
            from roofdsl.importers.machines import rocprof_roofline

            return rocprof_roofline
        case "carm":
            from roofdsl.importers.machines import carm_roofline

            return carm_roofline
        case "carm-points":
            from roofdsl.importers.machines import carm_points

            return carm_points
        case "likwid":
            from roofdsl.importers.machines import likwid_perfctr

            return likwid_perfctr
        case "ncu-roofs":
            from roofdsl.importers.machines import ncu_roofs

            return ncu_roofs
        case "advisor-roofs":
            from roofdsl.importers.machines import advisor_roofs

            return advisor_roofs
    raise KeyError(name)


def recognised(path: Path, shown: str) -> str | Diagnostic:
    """Return which of `FORMATS` a file is in, or that it is in none."""
    head = read_bytes(path, shown, largest=_HEAD, of_folder=_FOLDER, whole=False)
    if isinstance(head, Diagnostic):
        return head
    for name in FORMATS:
        if format_named(name).recognises(path.name, head):
            return name
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):  # of another encoding nothing is recognised
        encoded = as_text(head, path, shown)
        assert isinstance(encoded, Diagnostic)
        return encoded
    message = f"'{shown}' is in no format that is imported"
    hint = "`roofdsl import --help` lists them; --from says which it is"
    return Diagnostic("R1201", message, hint=hint)


def read_file(
    path: Path,
    shown: str,
    form: str | None = None,
    name: str | None = None,
    renamed: Mapping[str, str] = MappingProxyType({}),
    dropped: tuple[str, ...] = (),
    *,
    each: bool = False,
    decimal: str | None = None,
) -> Import:
    """Read a file in the format `form`, or in the first that recognises it.

    `name` is that of the model or machine where it is not to come from the file; `renamed` and
    `dropped` are levels of a machine; `each` and `decimal` are of points, as `Given` has them.
    """
    found = form or recognised(path, shown)
    if isinstance(found, Diagnostic):
        return None, (found,)
    format_ = format_named(found)
    data = read_bytes(path, shown, largest=format_.LARGEST, of_folder=_FOLDER, of_larger=None)
    if isinstance(data, Diagnostic):
        return None, (data,)
    return format_.read(Given(path, shown, data, name, renamed, dropped, each, decimal))


def not_taken(form: str, options: Iterable[str]) -> list[str]:
    """Return those options that say nothing of what is made of a format.

    >>> not_taken("onnx", ["--name", "--drop"]), not_taken("ncu", ["--each", "--decimal"])
    (['--drop'], [])
    """
    takes = TAKES[FORMATS[form].makes] | ({"--decimal"} if form in _OF_A_LOCALE else set())
    return [option for option in options if option not in takes]
