"""Read `roofline.json` of the Empirical Roofline Tool: what it found of a machine's roofs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from fractions import Fraction

from roofdsl.diagnostic import Diagnostic, listing
from roofdsl.importers.given import Given, Import
from roofdsl.importers.machines.amounts import amount
from roofdsl.importers.machines.members import Members, words
from roofdsl.importers.machines.written import Machine, Rate, default_kind, imported
from roofdsl.located_json import Located, read_json
from roofdsl.reading import as_text

LARGEST = 4_000_000
_KIND = re.compile(r"(?:(FP16|FP32|FP64) *)?(?:GFLOPs?(?:/sec)?)?", re.IGNORECASE)
_TIMES = {"TIMESTAMP_DATA", "TIMESTAMP_DB"}
_KNOWN = {"ERT_VERSION", "HOSTNAME", "UNAME", "CONFIG", "PROCS", "THREADS", "FLOPS", *_TIMES}
_LONGEST = 200
_COUNTS = {
    "MPI_PROCS": "MPI processes",
    "OPENMP_THREADS": "OpenMP threads",
    "GPU_BLOCKS": "blocks of a GPU",
    "GPU_THREADS": "threads of a block",
}


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant: JSON whose first object is named `empirical`, or `spec`."""
    del name
    return re.match(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:empirical|spec)"\s*:', head) is not None


def read(given: Given) -> Import:
    """Return the machine as the text of a `.roof` file, or what is wrong with the file."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    whole = read_json(source)
    if isinstance(whole, Diagnostic):
        return None, (whole,)
    problems: list[Diagnostic] = []
    file = Members(whole, "", problems)
    empirical = file.inside("empirical")
    parts = [empirical.inside(name) for name in ("gflops", "gbytes")] if empirical else []
    stated = file.at("spec")
    metadata = [*_metadata(empirical), *(each for part in parts for each in _metadata(part))]
    notes: list[str] = []
    rates: list[Rate] = []
    for resource, part in zip(("flops", "memory"), parts, strict=False):
        if part is not None:
            rates += _rates(part, resource, notes)
            part.at("metadata")
    if problems:
        return None, tuple(problems)
    host = _first(metadata, "HOSTNAME")
    version = _first(metadata, "ERT_VERSION")
    said = [f"Empirical Roofline Tool {version}".rstrip(), *_dated(metadata)]
    said += [f"host {host}"] if host else []
    uname = [each for part in metadata for each in words(part.at("UNAME"))]
    said += [f"system {' '.join(uname[:6])[:_LONGEST]}"] if uname else []
    about = [
        "Imported from the Empirical Roofline Tool: what it measured, in decimal units.",
        *_together(metadata),
    ]
    notes += _notes(file, [empirical, *parts], metadata, stated)
    stem = given.path.stem
    machine = Machine(
        host if stem == "roofline" and host else stem,
        about,
        [f"{given.source}: {', '.join(said)}"],
        rates,
        defaults=default_kind(rates),
    )
    return imported(given, [machine], notes)


def _metadata(part: Members | None) -> Iterator[Members]:
    found = part.at("metadata") if part is not None else None
    if part is not None and found is not None:
        yield Members(found, f"{part.path}.metadata", part.problems)


def _rates(part: Members, resource: str, notes: list[str]) -> Iterator[Rate]:
    what, unit = ("bandwidth", "GB/s") if resource == "memory" else ("rate", "GFLOP/s")
    for pair in part.items("data"):
        values = pair.value if isinstance(pair.value, tuple) else ()
        if len(values) != 2 or not isinstance(values[0].value, str):
            message = f"'{part.path}.data' must have pairs of a name and a number"
            part.problems.append(Diagnostic.at("R1205", message, pair.span))
            continue
        label, number = values[0].value, values[1]
        value = _number(number, what, part.problems)
        kind = _KIND.fullmatch(label.strip())
        if value is None:
            continue
        if resource == "memory":
            yield Rate(resource, label, value, unit, pair.span)
        elif kind is None:
            notes.append(f"'{label[:40]}' is no rate of flops that is known; it is left out")
        else:
            yield Rate(resource, (kind[1] or "").lower(), value, unit, pair.span)


def _number(number: Located, what: str, problems: list[Diagnostic]) -> Fraction | None:
    if isinstance(number.value, int | float) and not isinstance(number.value, bool):
        return amount(number.span.text, number.span, what, problems)
    message = f"a number is meant here, the {what}"
    problems.append(Diagnostic.at("R1205", message, number.span))
    return None


def _first(metadata: list[Members], name: str) -> str:
    return next((word for each in metadata for word in words(each.at(name))), "")[:_LONGEST]


def _dated(metadata: list[Members]) -> Iterator[str]:
    """Yield the day on which it was measured, where the file says it."""
    text = _first(metadata, "TIMESTAMP_DATA") or _first(metadata, "TIMESTAMP_DB")
    if re.fullmatch(r"[0-9]{9,10}(\.[0-9]+)?", text):
        yield f"{datetime.fromtimestamp(int(float(text)), UTC):%Y-%m-%d}"


def _together(metadata: list[Members]) -> Iterator[str]:
    """Yield how many processes and threads had the rates together.

    Some versions write a key with another before it, without a space: META_DATAMPI_PROCS.
    """
    found: dict[str, list[str]] = {}
    for part in metadata:
        for name in part.names():
            for ending, what in _COUNTS.items():
                if name.endswith(ending):
                    counts = words(part.at(name))
                    found.setdefault(what, []).extend(counts)
    distinct = {what: dict.fromkeys(each) for what, each in found.items()}
    said = [f"{' or '.join(each)} {what}" for what, each in distinct.items() if each]
    if said:
        counted = ", ".join(said)
        yield f"The rates are those of {counted} together: a process of a model has all."


def _notes(
    file: Members, parts: list[Members | None], metadata: list[Members], stated: Located | None
) -> Iterator[str]:
    for part in metadata:
        for name in _KNOWN:
            part.at(name)
    unread = [name for each in (file, *parts, *metadata) if each for name in each.unread()]
    if unread:
        yield f"not known, and left aside: {listing(dict.fromkeys(unread))}"
    if stated is not None and re.search(r"\d", stated.span.text):
        yield "`spec`, what somebody stated of the machine, is left out: the rates are measured"
