"""What the papers say of their figures and tables, held against the data of ours.

A claim stands above the command of a figure in `examples/figures/*.sh`, and in `expect` of a table
in `reports/tables/*.toml`:

    # expect OI > CAI -- §2.6.4: "The operational intensity is larger"
    # expect where machine is karst: bound is network -- §…
    # expect 7 of 9 where machine is karst: OI > karst.ridge.OI -- §…
    # expect along N: next.CAI > CAI -- each row and the next of the same line
    # expect across machine by N: karst.CAI == jetstream.CAI -- rows of one N each
    # no claim: it is a drawing

Behind `expect` stands what a test of the language takes: a condition, or `OI ~ 9.6 flop/B`. Names
are those of the columns that `--data` writes, with `_` for what is no letter or digit, and have the
columns' units; in figures of intensities each point has both, `OI` and `CAI`, and its parameter has
its own name. `every` row is meant, `K of N` rows, `some` or `none`. Rows of roofs, ridge points and
maps are left out unless `where what is …` asks for them. Behind `--` stands whose sentence it is,
and what it says; words in quotation marks are looked for in the paper's text (`test_claims`).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from roofdsl.analysis.testing import run_tests
from roofdsl.model.library import check_text
from roofdsl.source import Source

Value: TypeAlias = "str | float"


class Column(NamedTuple):
    name: str
    unit: str


class Row(NamedTuple):
    """A row: its texts and its numbers by name, and the units of the numbers."""

    texts: dict[str, str]
    numbers: dict[str, float]
    units: dict[str, str]


class Claim(NamedTuple):
    quantifier: str
    """`every`, `some`, `none`, `K of N`, `along NAME`, `across NAME` or `across NAME by NAME`."""
    where: dict[str, str]
    condition: str
    sentence: str


_CLAIM = re.compile(
    r"(?:(?P<quantifier>every|some|none|\d+ of \d+|along \w+|across \w+(?: by \w+)?)?\s*"
    r"(?:where (?P<where>[^:]*))?:\s*)?(?P<condition>[^:]*?)\s+-- (?P<sentence>.+)"
)
_BACKGROUND = {"ceiling", "bandwidth", "ridge point", "map", "boundary", "region", "line"}
_TEXTS = {"what", "machine", "name", "level", "bound", "group", "step", "Configuration"}
_LARGE = 1e300  # stands for ∞, which the language does not write


def read_claim(text: str) -> Claim:
    """Read what stands behind `expect`.

    >>> read_claim("5 of 9 where machine is karst: CAI > OI -- most")
    Claim(quantifier='5 of 9', where={'machine': 'karst'}, condition='CAI > OI', sentence='most')
    """
    match = _CLAIM.fullmatch(text.strip())
    assert match is not None, f"this is no claim: {text}"
    wheres = re.split(r",(?=\s*\w+ is )", match["where"] or "")  # a name may have a comma
    pairs = (pair.split(" is ", 1) for pair in wheres if pair.strip())
    where = {name.strip(): value.strip() for name, value in pairs}
    return Claim(match["quantifier"] or "every", where, match["condition"], match["sentence"])


def slug(text: str) -> str:
    """Return a name for a column or a value: `share of time` is `share_of_time`."""
    return re.sub(r"\W+", "_", text.strip()).strip("_")


def rows_of(data: str) -> list[Row]:
    """Return the rows of a CSV text; those of one point over both intensities are one row."""
    header, *lines = csv.reader(io.StringIO(data))
    columns = [_column(heading) for heading in header]
    merged: dict[tuple[tuple[str, str], ...], Row] = {}
    for place, line in enumerate(lines):
        row = _row(columns, line)
        intensity = row.texts.pop("intensity", None)
        if intensity is not None and "intensity" in row.numbers:
            row.numbers[intensity] = row.numbers.pop("intensity")
            row.units[intensity] = row.units.pop("intensity")
        point = intensity is not None and row.texts["what"] not in _BACKGROUND
        parameter, value = row.texts.pop("parameter", ""), row.numbers.pop("value", 0.0)
        key = (*_others(row, "bound"), (parameter, str(value)))
        if parameter:
            row.numbers[parameter] = value
        before = merged.setdefault(key if point else (("row", str(place)),), row)
        if before is not row:
            before.numbers.update(row.numbers)
            before.units.update(row.units)
    return [*merged.values()]


def _others(row: Row, *left_out: str) -> tuple[tuple[str, str], ...]:
    """Return the texts of a row but for some, to tell it from others by."""
    return tuple((name, text) for name, text in row.texts.items() if name not in left_out)


def _column(heading: str) -> Column:
    match = re.fullmatch(r"(.*?)(?: \[(.*)\])?", heading)
    assert match is not None
    unit = match[2] or ""
    return Column(slug(match[1]), "1" if unit in ("%", "B/B") else unit)


def _row(columns: Iterable[Column], line: Iterable[str]) -> Row:
    row = Row({}, {}, {})
    for column, text in zip(columns, line, strict=True):
        if text == "":
            continue
        try:
            number = float(text) if column.unit or column.name not in _TEXTS else None
        except ValueError:
            number = None
        if number is None or number != number:
            row.texts[column.name] = text
        else:
            row.numbers[column.name] = number
            if column.unit:
                row.units[column.name] = column.unit
    return row


def failures(claim: Claim, data: str) -> list[str]:
    """Return what of a claim does not hold in a CSV text; raise where it means nothing there."""
    rows = [row for row in rows_of(data) if _meant(row, claim.where)]
    kind, _, name = claim.quantifier.partition(" ")
    if kind == "along":
        cases = [_joined(("", row), ("next", later)) for row, later in _pairs(rows, name)]
    elif kind == "across":
        cases = [_joined(*group) for group in _groups(rows, name)]
    else:
        cases = [_joined(("", row)) for row in rows]
    assert cases, f"no row is meant by: {claim}"
    held = [_holds(claim.condition, case) for case in cases]
    if kind.isdigit():
        wanted = (int(kind), int(name.removeprefix("of ")))
        return [] if (sum(held), len(held)) == wanted else [f"{sum(held)} of {len(held)} hold"]
    if kind in ("some", "none"):
        return [] if any(held) is (kind == "some") else [f"{sum(held)} of {len(held)} hold"]
    return [str(case) for case, right in zip(cases, held, strict=True) if not right]


def _meant(row: Row, where: dict[str, str]) -> bool:
    if "what" not in where and row.texts.get("what") in _BACKGROUND:
        return False
    return all(_is(row, name, value) for name, value in where.items())


def _is(row: Row, name: str, value: str) -> bool:
    if name in row.numbers:
        return row.numbers[name] == float(value)
    return row.texts.get(name) == value


def _pairs(rows: list[Row], name: str) -> Iterator[tuple[Row, Row]]:
    """Yield each row with the next one along a parameter, of the same texts."""
    lines: dict[tuple[tuple[str, str], ...], list[Row]] = {}
    for row in rows:
        assert name in row.numbers, f"there is no number '{name}' in {[*row.numbers]}"
        lines.setdefault(_others(row, "bound", "level"), []).append(row)
    for line in lines.values():
        ordered = sorted(line, key=lambda row: row.numbers[name])
        yield from pairwise(ordered)


def _groups(rows: list[Row], names: str) -> list[list[tuple[str, Row]]]:
    """Return rows that differ in one text alone, each with the name that this text gives it."""
    name, _, parameter = names.partition(" by ")
    groups: dict[tuple[object, ...], list[tuple[str, Row]]] = {}
    for row in rows:
        at = row.numbers[parameter] if parameter else None
        key = (at, *_others(row, "bound", "level", name))
        groups.setdefault(key, []).append((slug(row.texts[name]), row))
    return [*groups.values()]


Case: TypeAlias = "dict[str, tuple[Value, str]]"
"""What the names of a condition stand for: a number and its unit, or a text."""


def _joined(*rows: tuple[str, Row]) -> Case:
    case: Case = {}
    for prefix, row in rows:
        before = f"{prefix}." if prefix else ""
        case |= {f"{before}{name}": (text, "") for name, text in row.texts.items()}
        for name, number in row.numbers.items():
            unit = row.units.get(name, "1")
            case[f"{before}{name}"] = number, "" if unit == "1" else unit
    return case


def _holds(condition: str, case: Case) -> bool:
    lets = []
    for name in sorted(case, key=len, reverse=True):
        value, unit = case[name]
        found = re.compile(rf"(?<![\w.]){re.escape(name)}(?![\w.])")
        if not found.search(condition):
            continue
        if isinstance(value, str):
            text = re.fullmatch(rf"{re.escape(name)} is (not )?(.+)", condition)
            assert text is not None, f"'{name}' is a text: `{name} is …`"
            return (value == text[2]) is (text[1] is None)
        condition = found.sub(slug(name), condition)
        digits = repr(max(min(value, _LARGE), -_LARGE))
        lets.append(f"let {slug(name)} = {digits} {unit}".strip())
    program = "\n".join(lets)
    module, problems = check_text(Source("claim", f'test "t" {{ {program}\nexpect {condition} }}'))
    assert not problems, problems
    (outcome,) = run_tests(module)
    wrong = [problem for problem in outcome.problems if problem.code != "R0601"]
    assert not wrong, wrong
    return outcome.passed
