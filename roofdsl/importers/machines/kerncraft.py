"""Read a machine file of Kerncraft: peaks by the clock, bandwidths of its benchmarks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from importlib.util import find_spec

from roofdsl.diagnostic import Diagnostic, listing
from roofdsl.importers.given import Given, Import
from roofdsl.importers.machines.amounts import NUMBER, amount, decimal
from roofdsl.importers.machines.written import Machine, Rate, default_kind, imported
from roofdsl.importers.machines.yaml_values import Node, read_yaml
from roofdsl.inert import in_a_line
from roofdsl.reading import as_text

LARGEST = 4_000_000
_FIELDS = (b"FLOPs per cycle", b"memory hierarchy", b"cores per socket")
_KINDS = {"DP": "fp64", "SP": "fp32", "HP": "fp16"}
_QUANTITY = re.compile(r"(\S+)\s*([A-Za-z]+(?:/s)?)")
_BANDWIDTHS = {"B/s": "B/s", "kB/s": "kB/s", "MB/s": "MB/s", "GB/s": "GB/s", "TB/s": "TB/s"}
_CLOCKS = {"Hz": 0, "kHz": 3, "MHz": 6, "GHz": 9}
_USED = {
    "kerncraft version", "model name", "model type", "clock", "sockets", "cores per socket",
    "FLOPs per cycle", "memory hierarchy", "benchmarks",
}  # fmt: skip
_ASIDE = {
    "threads per core", "NUMA domains per socket", "cores per NUMA domain", "in-core model", "isa",
    "compiler", "non-overlapping model", "overlapping model", "cacheline size",
    "transparent hugepage", "micro-architecture", "micro-architecture-modeler", "iaca",
}  # fmt: skip
"""What Kerncraft's own models need, and a roofline does not."""


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant, by fields that all machine files have."""
    del name
    return (
        sum(re.search(rb"^" + field + rb":", head, re.MULTILINE) is not None for field in _FIELDS)
        >= 2
    )


def read(given: Given) -> Import:
    """Return the machine as the text of a `.roof` file, or what is wrong with the file."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    if find_spec("yaml") is None:
        message = f"'{given.shown}' needs the package 'pyyaml', which is not installed"
        return None, (Diagnostic("R1211", message, hint="pip install 'roofdsl[yaml]'"),)
    root = read_yaml(source)
    if isinstance(root, Diagnostic):
        return None, (root,)
    problems: list[Diagnostic] = []
    notes: list[str] = []
    clock = _clock(root, problems)
    cores = _count(root, "cores per socket", problems)
    rates = [*_peaks(root, clock, cores, problems), *_bandwidths(root, problems)]
    if problems:
        return None, tuple(problems[:20])
    unknown = [name for name in root.names() if name not in _USED | _ASIDE]
    if unknown:
        notes.append(f"fields that are not known are left aside: {listing(unknown)}")
    hierarchy = root.at("memory hierarchy")
    if hierarchy and any(each.at("upstream throughput") for each in hierarchy.items()):
        notes.append("what is between caches in cycles, `upstream throughput`, is left aside")
    fewer = [
        rate for rate in rates if rate.comment and not rate.comment.endswith(f", {cores} cores")
    ]
    for rate in fewer:
        notes.append(f"memory.{rate.level} is measured with {rate.comment}; a socket has {cores}")
    version, name = root.text("kerncraft version"), root.text("model name")
    kind = root.text("model type")
    said = [f"Kerncraft {version}".strip(), *(each for each in (name, kind) if each)]
    about = [
        f"Imported from a machine file of Kerncraft: one socket, {cores} cores.",
        "",
        "Peaks are flop in a cycle, by cores and clock. Bandwidths are measured: the largest of",
        "the benchmarks with one thread a core and the most cores.",
    ]
    first = [] if clock is None else [f"let clock = {_shown(clock)} GHz", f"let cores = {cores}"]
    machine = Machine(
        name if re.search(r"[A-Za-z]", name) else given.path.stem,
        about,
        [in_a_line(f"{given.source}: {', '.join(said)}")],
        rates,
        first,
        defaults=default_kind(rates),
    )
    return imported(given, [machine], notes)


def _shown(value: Fraction) -> str:
    return decimal(value) or str(value)


def _clock(root: Node, problems: list[Diagnostic]) -> Fraction | None:
    """Return the clock in GHz."""
    node = root.needed("clock", problems)
    if node is None:
        return None
    found = _QUANTITY.fullmatch(node.value.strip())
    if found is None or found[2] not in _CLOCKS:
        _no_quantity(node, "clock", "3.00 GHz", problems)
        return None
    value = amount(found[1], node.span, "clock", problems)
    return None if value is None else value * Fraction(10) ** (_CLOCKS[found[2]] - 9)


def _no_quantity(node: Node, what: str, like: str, problems: list[Diagnostic]) -> None:
    shown = in_a_line(node.value[:40])
    message = f"'{shown}' is not a {what} with a unit"
    if NUMBER.fullmatch(node.value.strip()):
        message = f"the {what} of {shown} has no unit"
    problems.append(Diagnostic.at("R1221", message, node.span, hint=f"write it as {like}"))


def _count(root: Node, name: str, problems: list[Diagnostic]) -> int:
    node = root.needed(name, problems)
    if node is None:
        return 1
    if not re.fullmatch(r"[1-9][0-9]{0,5}", node.value):
        message = f"'{name}' must be a whole number from 1 on"
        problems.append(Diagnostic.at("R1205", message, node.span))
        return 1
    return int(node.value)


def _peaks(
    root: Node, clock: Fraction | None, cores: int, problems: list[Diagnostic]
) -> Iterator[Rate]:
    table = root.needed("FLOPs per cycle", problems)
    for precision in table.names() if table else ():
        assert table is not None
        row = table.at(precision)
        total = row.needed("total", problems) if row else None
        if total is None:
            continue
        value = amount(total.value, total.span, "number of flop", problems)
        if value is not None and clock is not None:
            level = _KINDS.get(precision, precision)
            formula = f"{_shown(value)} flop/cycle * cores * clock"
            rate = value * cores * clock
            yield Rate("flops", level, rate, "GFLOP/s", total.span, formula=formula)


def _bandwidths(root: Node, problems: list[Diagnostic]) -> Iterator[Rate]:
    hierarchy = root.needed("memory hierarchy", problems)
    benchmarks = root.needed("benchmarks", problems)
    table = benchmarks.needed("measurements", problems) if benchmarks else None
    for each in hierarchy.items() if hierarchy else ():
        level = each.needed("level", problems)
        if level is not None and table is not None:
            measured = table.needed(level.value, problems)
            threads = measured.needed("1", problems) if measured else None
            found = _largest(threads, level.value, problems) if threads else None
            if found is not None:
                yield found


def _largest(threads: Node, level: str, problems: list[Diagnostic]) -> Rate | None:
    """Return the largest bandwidth of all benchmarks with the most cores."""
    cores = threads.needed("cores", problems)
    results = threads.needed("results", problems)
    counts = [node.value for node in cores.items()] if cores else []
    best: Rate | None = None
    for name in results.names() if results else ():
        assert results is not None
        row = results.at(name)
        values = list(row.items()) if row else []
        if len(values) != len(counts) or not values:
            message = f"'{name}' has {len(values)} bandwidths for {len(counts)} counts of cores"
            place = row.span if row else threads.span
            problems.append(Diagnostic.at("R1222", message, place, hint="is the file whole?"))
            continue
        last = values[-1]
        found = _QUANTITY.fullmatch(last.value.strip())
        if found is None or found[2] not in _BANDWIDTHS:
            _no_quantity(last, "bandwidth", "97.60 GB/s", problems)
            continue
        value = amount(found[1], last.span, "bandwidth", problems)
        if value is not None:
            comment = f"{in_a_line(name)[:20]}, {in_a_line(counts[-1])[:8]} cores"
            rate = Rate("memory", level, value, found[2], last.span, comment)
            best = rate if best is None or value > best.value else best
    return best
