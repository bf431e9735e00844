"""Read what the OSU micro-benchmarks print: the latency and the bandwidth between two processes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.importers.given import Given, Import
from roofdsl.importers.machines.amounts import NUMBER, amount, rounded
from roofdsl.importers.machines.latency_fit import Link, Message, fitted, how_far
from roofdsl.importers.machines.text_lines import Line, cut_off, ended, lines
from roofdsl.importers.machines.written import Machine, Rate, imported
from roofdsl.inert import in_a_line
from roofdsl.reading import as_text
from roofdsl.source import Span

LARGEST = 4_000_000
_TITLE = re.compile(r"\s*# OSU (?P<test>.*?)(?: v(?P<version>[\w.-]+))?\s*")
_COLUMNS = re.compile(r"\s*# *Size\b")
_UNITS = {"Latency": "(us)", "Bandwidth": "(MB/s)"}
_KNOWN = re.compile(r"MPI(?:-[A-Z0-9]+)? (Latency|Bandwidth) Test")
_MOST_SIZES = 1000


class _Test(NamedTuple):
    """A test: what it measures, and its messages, each with its place."""

    kind: str
    title: str
    version: str
    span: Span
    messages: list[Message]
    rows: list[Span]


def recognises(name: str, head: bytes) -> bool:
    """Whether a file is meant: a line says `# OSU …` and one names the sizes."""
    del name
    return re.search(rb"^\s*# OSU .*(?:Test|Benchmark)", head, re.MULTILINE) is not None


def read(given: Given) -> Import:
    """Return the link as a machine of its own, or what is wrong with the file."""
    source = as_text(given.data, given.path, given.shown)
    if isinstance(source, Diagnostic):
        return None, (source,)
    problems: list[Diagnostic] = []
    notes: list[str] = []
    tests = _tests(lines(source), notes, problems)
    if not problems and not source.text.endswith("\n"):
        problems.append(cut_off(source))
    if not tests and not problems:
        problems.append(ended(source, "no test of the OSU micro-benchmarks is in this file"))
    for test in tests:
        if not test.messages and not problems:
            problems.append(ended(source, f"'{test.title}' has no rows"))
    problems += _twice(tests)
    if problems:
        return None, tuple(problems)
    return _link(given, tests, notes)


def _tests(found: Iterator[Line], notes: list[str], problems: list[Diagnostic]) -> list[_Test]:
    tests: list[_Test] = []
    columns = False
    for line in found:
        if title := _TITLE.fullmatch(line.text):
            test = _test(line, title, problems)
            if test is None:
                return tests
            tests.append(test)
            columns = False
        elif tests and _COLUMNS.match(line.text):
            columns = _has_unit(line, tests[-1], notes, problems)
        elif tests and columns and not line.text.lstrip().startswith("#"):
            _row(line, tests[-1], problems)
        if len(problems) >= 20:
            break
    return tests


def _test(line: Line, title: re.Match[str], problems: list[Diagnostic]) -> _Test | None:
    kind = _KNOWN.fullmatch(title["test"])
    if kind is None:
        message = f"'{in_a_line(title['test'])[:60]}' says nothing of one link alone"
        hint = "the tests of two processes that are read are osu_latency and osu_bw"
        problems.append(Diagnostic.at("R1222", message, line.span, hint=hint))
        return None
    return _Test(kind[1], title["test"], title["version"] or "", line.span, [], [])


def _has_unit(line: Line, test: _Test, notes: list[str], problems: list[Diagnostic]) -> bool:
    """Whether the columns are those of the test, in the unit that it is known by."""
    unit = _UNITS[test.kind]
    heading = re.search(rf"{test.kind} *{re.escape(unit)}", line.text)
    if heading is None:
        message = f"the column of '{test.title}' does not say its unit"
        hint = f"it is headed `{test.kind} {unit}`"
        problems.append(Diagnostic.at("R1222", message, line.span, hint=hint))
        return False
    if more := line.text[heading.end() :].strip():
        notes.append(f"columns behind the first two are left aside: {in_a_line(more)[:80]}")
    return True


def _row(line: Line, test: _Test, problems: list[Diagnostic]) -> None:
    words = line.words()
    if not any(NUMBER.fullmatch(word.text) for word in words[:2]):
        return  # what a starter of programs prints between rows
    size = amount(words[0].text, words[0], "size", problems, zero=True)
    if len(words) < 2:
        message = "this row ends behind the size"
        problems.append(Diagnostic.at("R1222", message, line.span, hint="is the file whole?"))
        return
    value = amount(words[1].text, words[1], test.kind.lower(), problems)
    if size is None or value is None or (size == 0 and test.kind == "Bandwidth"):
        return
    sizes = {message.size: place for message, place in zip(test.messages, test.rows, strict=True)}
    if size in sizes:
        places = (Label(words[0]), Label(sizes[size], "first here"))
        message = f"{words[0].text} B stands twice in one test"
        problems.append(Diagnostic("R1223", message, places, "keep one of them"))
    elif len(sizes) < _MOST_SIZES:
        time = value / 10**6 if test.kind == "Latency" else size / (value * 10**6)
        test.messages.append(Message(size, time))
        test.rows.append(words[0])


def _twice(tests: list[_Test]) -> Iterator[Diagnostic]:
    for place, test in enumerate(tests):
        first = next(each for each in tests if each.kind == test.kind)
        if first is not tests[place]:
            places = (Label(test.span), Label(first.span, "first here"))
            message = f"'{test.title}' stands twice in this file"
            hint = "one file is one link: put each into a file of its own"
            yield Diagnostic("R1223", message, places, hint)


def _link(given: Given, tests: list[_Test], notes: list[str]) -> Import:
    rates: list[Rate] = []
    sources: list[str] = []
    kinds = {test.kind for test in tests}
    for test in tests:
        link = fitted(test.messages)
        if link is None:
            message = f"'{test.title}' does not tell a bandwidth: larger messages take no longer"
            if len(test.messages) < 2:
                message = f"'{test.title}' does not tell a bandwidth: it has one size alone"
            hint = "it needs several sizes, up to some megabytes"
            return None, (Diagnostic.at("R1225", message, test.span, hint=hint),)
        sources.append(_said(given, test, link))
        both = test.kind == "Latency" and "Bandwidth" in kinds
        if not both:
            rate = rounded(link.bandwidth / 10**9)
            what = "of a message by itself" if test.kind == "Latency" else "of many in flight"
            rates.append(Rate("network", "", rate, "GB/s", test.span, what))
        if test.kind == "Latency" and link.latency > 0:
            rate = rounded(link.latency * 10**6)
            rates.append(Rate("messages", "", rate, "us/message", test.span))
    rates.sort(key=lambda rate: rate.resource != "network")
    if "Latency" not in kinds:
        notes.append("no latency: osu_bw keeps many messages in flight; osu_latency tells one")
    about = ["Imported from the OSU micro-benchmarks: a link between two processes, one direction."]
    return imported(given, [Machine(given.path.stem, about, sources, rates)], notes)


def _said(given: Given, test: _Test, link: Link) -> str:
    sizes = [message.size for message in test.messages]
    version = f" {test.version}" if test.version else ""
    return (
        f"{given.source}: OSU micro-benchmarks{version}, {in_a_line(test.title)}: "
        f"latency + size/bandwidth by least relative squares over {len(sizes)} sizes, "
        f"{min(sizes)} to {max(sizes)} B, {how_far(link, link.worst)}"
    )
