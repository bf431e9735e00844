"""What `perf stat` of Linux writes: its text, one block for each run, or CSV (`-x,`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.counter_table import beginning, cut_off
from roofdsl.importers.decimals import Written, decimal_sign, no_number, read_number
from roofdsl.importers.given import Given, Import
from roofdsl.importers.perf_events import KNOWN, UNITS, amounts, in_base, is_used, plain
from roofdsl.importers.points import Launch, points, unused
from roofdsl.located_csv import rows
from roofdsl.reading import as_text
from roofdsl.source import Source, Span

LARGEST = 4_000_000
TOOL = "Linux perf"
_MOST_PROBLEMS = 20
_HEAD = re.compile(r" *Performance counter stats for (?:'(.*)'|(.*?))(?: \([0-9]+ runs\))?:")
_ABSENT = ("<not counted>", "<not supported>")
_NUMBER = (
    r"[0-9][0-9.,'\N{RIGHT SINGLE QUOTATION MARK}\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}]*+"
)
_LINE = re.compile(
    rf" *(?:(<not counted>|<not supported>)|({_NUMBER})) +"
    r"(?:(ns|[mun]sec|sec|Bytes|[KMG]iB|Joules|C) +)?([^ #(]\S*)(?: +[#(].*)?"
)
_ELAPSED = re.compile(rf" *({_NUMBER})(?: \+- {_NUMBER})? +seconds time elapsed.*")
_ASIDE = re.compile(rf" *(?:#.*|{_NUMBER} +seconds (?:user|sys).*|\(.*\)|[0-9.]+%? of .*)?")
_COUNT = re.compile(r"[0-9][0-9.,]*|<not counted>|<not supported>")
_SHARE = re.compile(r"[0-9]{1,3}[.,][0-9]{2}")


class _Event(NamedTuple):
    """An event as it is written; `number` is None where it was not counted."""

    name: str
    number: Written | None
    unit: str
    span: Span


class _Block(NamedTuple):
    """The events of one run."""

    kernel: str
    events: list[_Event]


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant: it says so, or its first row has a count and an event of perf."""
    del name  # it may be called as its user likes
    text = head.decode("utf-8", "replace")
    if "Performance counter stats for" in text:
        return True
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    cells = lines[0].split(",") if lines else []
    return len(cells) >= 5 and bool(_COUNT.fullmatch(cells[0])) and bool(_SHARE.fullmatch(cells[4]))


def read(given: Given) -> Import:
    """Return the runs of a file as points, or what is wrong with it."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    problems: list[Diagnostic] = []
    if "Performance counter stats for" in source.text:
        blocks = _text(source, problems)
    else:
        blocks = [_Block(given.path.stem, [*_csv(source, problems)])]
    if not problems and (cut := cut_off(source)):
        problems.append(cut)
    if problems:
        return None, tuple(problems[:_MOST_PROBLEMS])
    numbers = (event.number for block in blocks for event in block.events)
    sign = decimal_sign((number for number in numbers if number), given.decimal)
    if isinstance(sign, Diagnostic):
        return None, (sign,)
    return _points(given, source, blocks, sign)


def _points(given: Given, source: Source, blocks: list[_Block], sign: str) -> Import:
    notes: dict[str, None] = {}
    problems: list[Diagnostic] = []
    launches: list[Launch] = []
    others: list[str] = []
    for block in blocks:
        counts: dict[str, Fraction] = {}
        absent: set[str] = set()
        for event in block.events:
            name = plain(event.name)
            if not is_used(name):
                others += [name] if name not in KNOWN else []
            elif event.number is None:
                absent.add(name)
            elif (number := read_number(event.number, sign)) is None:
                problems.append(no_number(event.number, event.name))
            else:
                counts[name] = counts.get(name, Fraction(0)) + in_base(name, number, event.unit)
        # Of a processor with two kinds of cores, one may have counted what the other could not.
        launches.append(Launch(block.kernel, amounts(counts, absent - counts.keys(), notes)))
    if not problems and not any(launch.amounts for launch in launches):
        message = "none of the events counts flop, bytes or time"
        hint = "count duration_time, fp_arith_inst_retired.…, and uncore_imc/cas_count_…/"
        problems.append(Diagnostic.at("R1236", message, beginning(source), hint=hint))
    if problems:
        return None, tuple(problems[:_MOST_PROBLEMS])
    if any("time" not in launch.amounts for launch in launches):
        notes["the time is not in the file: count duration_time too"] = None
    notes.update(dict.fromkeys(unused(others, "event")))
    return points(given, launches, TOOL, [*notes], each=given.each), ()


def _text(source: Source, problems: list[Diagnostic]) -> list[_Block]:
    """Read what perf prints: blocks, each from its command to the time that elapsed."""
    blocks: list[_Block] = []
    open_: Span | None = None
    start = 0
    for line in source.text.split("\n"):
        place = Span(source, start, start + len(line))
        begin = start
        start += len(line) + 1
        line = line.rstrip()
        if head := _HEAD.fullmatch(line):
            if open_ is not None:
                break
            open_ = place
            blocks.append(_Block(head[1] or head[2] or "all", []))
        elif open_ is None:
            continue
        elif elapsed := _ELAPSED.fullmatch(line):
            span = Span(source, begin + elapsed.start(1), begin + elapsed.end(1))
            number = Written(elapsed[1], span)
            blocks[-1].events.append(_Event("time elapsed", number, "seconds", span))
            open_ = None
        elif (event := _event(line, source, begin)) is not None:
            blocks[-1].events.append(event)
        elif not _ASIDE.fullmatch(line):
            hint = "is the file whole, and without what the program itself wrote?"
            message = "this line is none that perf writes"
            problems.append(Diagnostic.at("R1235", message, place, hint=hint))
    if open_ is not None and not problems:
        message = "the events of this run end without `seconds time elapsed`"
        problems.append(Diagnostic.at("R1235", message, open_, hint="is the file whole?"))
    return blocks


def _event(line: str, source: Source, start: int) -> _Event | None:
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    unit = match[3] or ""
    if unit not in UNITS and is_used(plain(match[4])):
        return None
    place = Span(source, start + match.start(4), start + match.end(4))
    number = None
    if match[2] is not None:
        span = Span(source, start + match.start(2), start + match.end(2))
        number = Written(match[2], span, whole=not unit)
    return _Event(match[4], number, unit, place)


def _csv(source: Source, problems: list[Diagnostic]) -> Iterator[_Event]:
    """Yield the events of `perf stat -x,`: count, unit, event, time, share of the time."""
    for row in rows(source):
        cells = row.cells
        if row.broken is not None or len(cells) < 5 or not _SHARE.fullmatch(cells[4].text):
            message = "this row is not one of `perf stat -x,`: count, unit, event, time, share"
            hint = "write it without -A, -I and --per-…, and with LC_ALL=C"
            problems.append(Diagnostic.at("R1235", message, row.span, hint=hint))
            if len(problems) >= _MOST_PROBLEMS:
                return
            continue
        count, unit, event = cells[:3]
        if not event.text and count.text == unit.text == "":
            continue  # a further metric of the event above
        if unit.text not in UNITS and is_used(plain(event.text)):
            message = f"'{unit.text[:40]}' is no unit of {event.text[:60]}"
            problems.append(Diagnostic.at("R1234", message, unit.span))
            continue
        known = count.text not in _ABSENT
        number = Written(count.text, count.span, whole=not unit.text) if known else None
        yield _Event(event.text, number, unit.text, event.span)
