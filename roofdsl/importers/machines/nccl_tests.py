"""Read what nccl-tests print, or write as JSON: collective operations of several sizes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.importers.given import Given, Import
from roofdsl.importers.machines.amounts import NUMBER, amount
from roofdsl.importers.machines.collectives import Measured, Report, link
from roofdsl.importers.machines.members import Members, words
from roofdsl.importers.machines.text_lines import Line, cut_off, ended, lines
from roofdsl.inert import in_a_line
from roofdsl.located_json import Located, read_json
from roofdsl.reading import as_text
from roofdsl.source import Source, Span

LARGEST = 4_000_000
_MOST_RANKS = 10**6
_HEADING = re.compile(r"\s*#\s+size\s+count\s+type\b.*?\b(?P<time>\w*time)\s+algbw\s+busbw\b.*")
_UNITS = re.compile(r"\s*#\s+\(B\)\s+\(elements\)\s+\(us\)\s+\(GB/s\)\s+\(GB/s\).*")
_RANK = re.compile(
    r"\s*#\s+Rank\s+([0-9]{1,6})\b.*?\bon\s+(\S+)\s+device\s+\S+\s+\[[^\]]*\]\s*(.*)"
)
_STARTING = re.compile(r"\s*# (?:Collective test starting: (\S+)|nccl-tests version (\S+).*)")
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant: its columns are those of nccl-tests, or it is their JSON."""
    del name
    if _JSON.match(head):
        return b'"nccl_version"' in head or (b'"alg_bw"' in head and b'"bus_bw"' in head)
    return re.search(rb"^\s*#\s+size\s+count\s+.*\balgbw\s+busbw\b", head, re.MULTILINE) is not None


def read(given: Given) -> Import:
    """Return the link between the ranks as a machine, or what is wrong with the file."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    problems: list[Diagnostic] = []
    notes: list[str] = []
    if source.text.lstrip().startswith("{"):
        report = _of_json(source, notes, problems)
    else:
        report = _of_text(source, notes, problems)
    if problems or report is None:
        return None, tuple(problems[:20])
    if problem := _no_twice(report):
        return None, (problem,)
    return link(given, report, notes)


def _no_twice(report: Report) -> Diagnostic | None:
    seen: dict[Fraction, Span] = {}
    for row in report.rows:
        first = seen.setdefault(row.size, row.span)
        if first is not row.span:
            places = (Label(row.span), Label(first, "first here"))
            message = f"{row.size} B stands twice in one test"
            return Diagnostic("R1223", message, places, "keep one of them")
    return None


def _of_text(source: Source, notes: list[str], problems: list[Diagnostic]) -> Report | None:
    ranks: dict[str, tuple[str, str]] = {}
    rows: list[Measured] = []
    heading: Line | None = None
    operation = version = ""
    units = False
    for line in lines(source):
        if found := _RANK.fullmatch(line.text):
            ranks[found[1]] = found[2], found[3].strip()
        elif found := _STARTING.fullmatch(line.text):
            operation, version = found[1] or operation, found[2] or version
        elif _HEADING.fullmatch(line.text):
            if rows:
                problems.append(_another(line, heading))
                return None
            heading = line
        elif _UNITS.fullmatch(line.text):
            units = True
        elif heading and not line.text.lstrip().startswith("#"):
            row = _row(line, heading.text, notes, problems)
            rows += [row] if row else []
    if problems:
        return None
    if not source.text.endswith("\n"):
        problems.append(cut_off(source))
    elif heading is None or not units:
        message = "the columns of nccl-tests, with their units, are not in this file"
        problems.append(
            ended(source, message, "they are headed size, count, type, … and (B), (us)")
        )
    elif not rows:
        problems.append(ended(source, "no operation with a time is in this file"))
    elif not ranks:
        message = "the file does not say how many ranks there were"
        hint = "keep the lines `#  Rank  0 Group  0 Pid … on … device …` that nccl-tests print"
        problems.append(ended(source, message, hint))
    else:
        said = _said(operation, version, [*ranks.values()])
        return Report(operation, len(ranks), rows, said, heading.span)
    return None


def _another(line: Line, first: Line | None) -> Diagnostic:
    places = (Label(line.span), *((Label(first.span, "first here"),) if first else ()))
    hint = "one file is one operation: put each into a file of its own"
    return Diagnostic("R1223", "a second test stands in this file", places, hint)


def _said(operation: str, version: str, devices: Iterable[tuple[str, str]]) -> list[str]:
    found = [*dict.fromkeys(devices)]
    hosts = [*dict.fromkeys(host for host, _ in found)]
    names = [*dict.fromkeys(name for _, name in found if name)]
    said = [f"nccl-tests {in_a_line(version)[:40]}".rstrip()]
    said += [in_a_line(operation)[:40]] if operation else []
    said += (
        [f"host{'s' * (len(hosts) > 1)} {in_a_line(', '.join(hosts[:8]))[:200]}"] if hosts else []
    )
    said += [in_a_line(", ".join(names[:4]))[:200]] if names else []
    return said


def _row(line: Line, heading: str, notes: list[str], problems: list[Diagnostic]) -> Measured | None:
    """Return a row, or None for a line that does not begin with a size.

    Older versions have no column `root`, and `error` where newer ones have `#wrong`.
    """
    found = line.words()
    if not NUMBER.fullmatch(found[0].text) or len(found) < 2:
        return None
    places = [place for place, word in enumerate(found) if not NUMBER.fullmatch(word.text)]
    names = [place for place in places if 2 <= place <= 3]
    first = max(names, default=1) + 1 + (" root " in heading)
    if len(found) < first + 3:
        message = "this row ends before its bandwidths"
        problems.append(Diagnostic.at("R1222", message, line.span, hint="is the file whole?"))
        return None
    last = first + (4 if "#wrong" in heading else 3)
    return _measured(found[0], found[first:last], line.span, notes, problems)


def _measured(
    size: Span, values: list[Span], row: Span, notes: list[str], problems: list[Diagnostic]
) -> Measured | None:
    known = [amount(size.text, size, "size", problems, zero=True)]
    for what, place in zip(("time", "algorithm bandwidth", "bus bandwidth"), values, strict=False):
        known.append(amount(place.text, place, what, problems, zero=True))
    a, b, c, d = known
    if a is None or b is None or c is None or d is None:
        return None
    if len(values) > 3 and NUMBER.fullmatch(values[3].text) and Fraction(values[3].text):
        notes.append(f"of {size.text} B, nccl-tests found wrong results")
    if a and b:
        return Measured(a, b / 10**6, c, d, row)
    notes.append(f"{size.text} B are left out: nothing was sent, or it took no time")
    return None


def _of_json(source: Source, notes: list[str], problems: list[Diagnostic]) -> Report | None:
    whole = read_json(source)
    if isinstance(whole, Diagnostic):
        problems.append(whole)
        return None
    file = Members(whole, "", problems)
    rows: list[Measured] = []
    names: list[str] = []
    for each in file.items("results"):
        result = Members(each, "results", problems)
        names += words(result.at("experiment_name"))
        row = _json_row(result, notes)
        rows += [row] if row else []
        if len(problems) >= 20:
            break
    config = file.at("config")
    where = Members(config, "config", problems) if config else file
    devices = [Members(each, "devices", problems) for each in where.items("devices")]
    if problems:
        return None
    if not rows or not devices:
        what = "no operation with a time" if devices else "no device"
        problems.append(Diagnostic.at("R1225", f"{what} is in this file", whole.span))
        return None
    ranks = {
        "".join(words(device.at("rank"))): (_word(device, "hostname"), _word(device, "device_info"))
        for device in devices
    }
    operation = next(iter(dict.fromkeys(names)), "")
    started = words(file.at("start_time"))
    said = [*_said(operation, "", ranks.values()), *(in_a_line(day)[:40] for day in started[:1])]
    version = words(file.at("nccl_version"))
    said += [f"NCCL {in_a_line(version[0])[:20]}"] if version else []
    return Report(operation, len(ranks), rows, said, whole.span)


def _word(device: Members, name: str) -> str:
    return next(iter(words(device.at(name))), "")


def _json_row(result: Members, notes: list[str]) -> Measured | None:
    problems = result.problems
    size, out = result.at("size"), result.inside("out_of_place")
    if out is None or size is None:
        return None
    time = out.at("time") or out.at("cpu_time")
    found: list[Span] = []
    for name, value in (("time", time), ("alg_bw", out.at("alg_bw")), ("bus_bw", out.at("bus_bw"))):
        if value is None or not _is_number(value):
            message = f"'{name}' must be a number"
            place = out.span if value is None else value.span
            problems.append(Diagnostic.at("R1205", message, place))
            return None
        found.append(value.span)
    wrong = out.at("nwrong")
    found += [wrong.span] if wrong else []
    return _measured(size.span, found, result.span, notes, problems)


def _is_number(value: Located) -> bool:
    return isinstance(value.value, int | float) and not isinstance(value.value, bool)
