"""Ranges on the command line: `256..65536:x2`, `0..1:0.1`, `1..1e6:20log`, `1,2,4`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction

import click

from roofdsl.source import Source
from roofdsl.units.unit import UnknownUnit, read_unit

MOST_POINTS = 100_000
_RANGE = re.compile(r"([^:]+?)\.\.([^:]+)(?::([^:]+))?")
_END = r"\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?:\^\d+)?(?:\s*(?!and\b|or\b)[^\W\d][\w/*^]*)?"
_NUMBER = r"\s*(\d[\d_]*(?:\.\d+)?(?:[eE]\d+)?)\s*"
_DIFFERENCE = rf"{_NUMBER}-{_NUMBER}"
_FOREIGN = (
    (r"[\[{(]([^()\[\]{}]*,[^()\[\]{}]*)[\]})]", r"\1"),
    (rf"range\({_NUMBER},{_NUMBER}\)", r"\1..\2"),
    (rf"range\({_NUMBER},{_NUMBER},{_NUMBER}\)", r"\1..\2:\3"),
    (rf"{_NUMBER}:{_NUMBER}", r"\1..\2"),
    (rf"{_NUMBER}:{_NUMBER}:{_NUMBER}", r"\1..\2:\3"),
    (rf"{_NUMBER}(?:\.\.\.|…|to|–){_NUMBER}", r"\1..\2"),
    (rf"{_NUMBER}\.\.{_NUMBER}\.\.{_NUMBER}", r"\1..\2:\3"),
    (rf"{_NUMBER}\.\.{_NUMBER}(?::|by){_NUMBER}[x*]", r"\1..\2:x\3"),
    (rf"{_NUMBER}\.\.{_NUMBER}(?::\*|x|\*|:\s+x|by\s+x){_NUMBER}", r"\1..\2:x\3"),
    (rf"{_NUMBER}\.\.{_NUMBER}(?:by|step){_NUMBER}", r"\1..\2:\3"),
    (rf"{_NUMBER};{_NUMBER}", r"\1,\2"),
    (_DIFFERENCE, r"\1..\2"),
)
"""How others write ranges and lists, and how we do. A smaller number minus a larger is none."""
_MARKS = ("..", ":", ";", "-", "…", "–", "[", "{", "(", " to ")
_LONGEST = 100
"""Nobody writes so long a range."""
_STEP = r":[\w.]+(?:\s+(?!and\b|or\b)[^\W\d][\w/*^]*)?"
_ITEM = rf"{_END}(?:\s*\.\.\s*{_END}(?:{_STEP})?)?"
_IN_CONDITION = re.compile(rf"(?<![\w.]){_ITEM}(?:\s*,\s*{_ITEM})*")


def is_range(text: str) -> bool:
    """Whether a value names several: it has `..` or a comma outside parentheses.

    >>> is_range("sum(k for k in 1..10)"), is_range("max(1, 2)"), is_range("max(1, 2)..8")
    (False, False, True)
    """
    shown = outside(text)
    return ".." in shown or "," in shown


def sweep_values(name: str, source: Source) -> list[Source]:
    """Return the values a range or list names, each as a text of the language.

    Whole numbers stay whole; a unit stands behind each end (`1 GB..8 GB:x2`) or behind the last.
    Units of one dimension are put into the first one.

    >>> [value.body for value in sweep_values("N", Source("demo", "256..2048:x2"))]
    ['256', '512', '1024', '2048']
    >>> [value.body for value in sweep_values("N", Source("demo", "1..1000:4log"))]
    ['1', '10', '100', '1000']
    >>> [value.body for value in sweep_values("c", Source("demo", "512 KiB..2 MiB:x2"))]
    ['512 KiB', '1024 KiB', '2048 KiB']
    >>> [value.body for value in sweep_values("c", Source("demo", "1,2,4 GB"))]
    ['1 GB', '2 GB', '4 GB']
    >>> [value.body for value in sweep_values("N", Source("demo", "2^20..2^22:x2"))]
    ['1048576', '2097152', '4194304']
    """
    values: list[str] = []
    for part in _with_unit(_split_commas(source.body)):
        values.extend(_range(name, part.strip()) if ".." in outside(part) else [part.strip()])
        if len(values) > MOST_POINTS:
            ends = source.body.partition(":")[0].strip()
            raise click.UsageError(
                f"'{name}' would take more than {MOST_POINTS:,} values; "
                f"for fewer, multiply or spread them: {ends}:x2 or {ends}:20log"
            )
    if not all(values):
        raise click.UsageError(f"a value of '{name}' is missing in '{source.body}'")
    if any(re.match(r"0\d", value) for value in values):
        # Thousands with a comma: 1,000.
        meant = source.body.replace(",", "_")
        raise click.UsageError(
            f"'{source.body}' is a list of values; for one number, write {meant}"
        )
    lead = source.text[: source.begin]
    return [Source(source.name, lead + value, begin=source.begin) for value in values]


def _with_unit(parts: Sequence[str]) -> Sequence[str]:
    """Return the items of a list; plain numbers with the unit that stands behind the last."""
    last = re.fullmatch(r"\s*[\d_.]+(?:[eE][-+]?\d+)?(\s*(?![eE]\d)[^\W\d][\w/*^]*)\s*", parts[-1])
    if last is None or not all(re.fullmatch(_NUMBER, part) for part in parts[:-1]):
        return parts
    return [*(part.strip() + last[1] for part in parts[:-1]), parts[-1]]


def check_spelling(name: str, text: str) -> None:
    """Raise a usage error for a range or list as other languages write it, with our spelling.

    >>> check_spelling("P", "[4, 16]")
    Traceback (most recent call last):
    click.exceptions.UsageError: '[4, 16]' is not a value of 'P'; for several: 4,16
    """
    written = text.strip()
    if len(written) > _LONGEST or not any(mark in written for mark in _MARKS):
        return
    for pattern, ours in _FOREIGN:
        match = re.fullmatch(pattern, written)
        if match is None or (pattern is _DIFFERENCE and Fraction(match[1]) >= Fraction(match[2])):
            continue
        several = re.sub(r",\s+", ",", match.expand(ours)).strip()
        raise click.UsageError(f"'{written}' is not a value of '{name}'; for several: {several}")


def choices_of(values: Mapping[str, Source]) -> dict[str, list[Source]]:
    """Return for each name its values: one, or those that a range or list names."""
    return {
        name: sweep_values(name, source) if is_range(source.body) else [source]
        for name, source in values.items()
    }


def questions_of(source: Source) -> list[Source]:
    """Return a condition once for each value of the one range or list in it, if it has one.

    >>> [question.body for question in questions_of(Source("demo", "time <= 1..4 s:x2 and OI > 2"))]
    ['time <= 1 s and OI > 2', 'time <= 2 s and OI > 2', 'time <= 4 s and OI > 2']
    """
    text = source.body
    several = [each for each in _IN_CONDITION.finditer(outside(text)) if is_range(each[0])]
    if not several:
        return [source]
    match, *more = several
    if more:
        raise click.UsageError(
            f"a condition takes one range or list, not both '{match[0]}' and '{more[0][0]}'; "
            "ask once for each value of the other"
        )
    lead = source.text[: source.begin]
    return [
        Source(
            source.name,
            f"{lead}{text[: match.start()]}{value.body}{text[match.end() :]}",
            begin=source.begin,
        )
        for value in sweep_values("the condition", Source(source.name, match[0]))
    ]


def split_list(option: str, text: str) -> list[str]:
    """Return the items of a list: `±5%,±10%`; raise a usage error for one that is given twice."""
    parts = [part.strip() for part in _split_commas(text)]
    if again := [part for part in parts if parts.count(part) > 1]:
        raise click.UsageError(f"{option} {again[0]} is given twice")
    return parts


def _range(name: str, text: str) -> list[str]:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise _usage(name, text)
    (low, low_unit), (high, high_unit) = (_number(name, match[end], text) for end in (1, 2))
    unit = low_unit or high_unit
    if high_unit and high_unit != unit:
        factor = _ratio(high_unit, unit)
        if factor is None:
            raise click.UsageError(f"the ends of '{text}' have different units; write both in one")
        high *= factor
    if low > high:
        raise click.UsageError(f"'{text}' runs backwards: {match[1].strip()} is the larger end")
    numbers = _numbers(name, (low, high), unit, (match[3] or "1").strip(), text)
    texts = (str(each) if each.denominator == 1 else repr(float(each)) for each in numbers)
    return [f"{text} {unit}".strip() for text in texts]


def _ratio(one: str, other: str) -> Fraction | None:
    """Return how many of the other unit one is, None where both are no units of one dimension.

    >>> print(_ratio("GB", "MB"), _ratio("MiB", "kB"), _ratio("B", "s"), _ratio("apple", "pear"))
    1000 131072/125 None None
    """
    units = read_unit(one), read_unit(other)
    if isinstance(units[0], UnknownUnit) or isinstance(units[1], UnknownUnit):
        return None
    alike = units[0].dimension == units[1].dimension
    return units[0].factor / units[1].factor if alike else None


def _numbers(
    name: str, ends: tuple[Fraction, Fraction], unit: str, step: str, text: str
) -> Sequence[Fraction | int]:
    low, high = ends
    if step.startswith("x"):
        factor = _plain(name, step[1:], text)
        if factor <= 1 or low <= 0:
            raise click.UsageError(f"'{text}' never ends: multiply a positive start by more than 1")
        numbers = [low]
        while numbers[-1] * factor <= high and len(numbers) <= MOST_POINTS:
            numbers.append(_shortened(numbers[-1] * factor))
        return numbers
    if step.endswith("log"):
        count = _plain(name, step[:-3], text)
        if count < 2 or count.denominator != 1 or low <= 0:
            raise click.UsageError(f"'{text}' needs a positive start and at least 2 points")
        try:
            return _spread(low, high, min(int(count), MOST_POINTS + 1))
        except OverflowError:
            raise click.UsageError(f"the ends of '{text}' are too far apart") from None
    difference, own = _number(name, step, text)
    if own and own != unit:
        size = _ratio(own, unit)
        if size is None:
            plain = step.removesuffix(own).strip()
            raise click.UsageError(
                f"the step of '{text}' is no {unit or 'plain number'}; it may be written without a "
                f"unit: :{plain}"
            )
        difference *= size
    if difference <= 0:
        raise click.UsageError(f"'{text}' never ends: the step must be more than 0")
    steps = min(int((high - low) / difference), MOST_POINTS)
    if low.denominator == difference.denominator == 1:  # whole numbers: ten times as fast
        first, apart = int(low), int(difference)
        return range(first, first + steps * apart + 1, apart)
    return [low + index * difference for index in range(steps + 1)]


def _shortened(value: Fraction) -> Fraction:
    """Return a number within a part in 2^255: as many digits as its powers have, nobody sees."""
    above, below = value.numerator, value.denominator
    left_out = min(above.bit_length(), below.bit_length()) - 256
    return Fraction(above >> left_out, below >> left_out) if left_out > 0 else value


def _spread(low: Fraction, high: Fraction, count: int) -> list[Fraction]:
    """Return numbers at equal ratios; whole ones where both ends are whole."""
    whole = low.denominator == high.denominator == 1
    ratio = float(high / low)
    numbers = [low]
    for index in range(1, count - 1):
        value = float(low) * ratio ** (index / (count - 1))
        number = Fraction(round(value)) if whole else Fraction(f"{value:.6g}")
        if number > numbers[-1]:
            numbers.append(number)
    return [*numbers, high] if high > numbers[-1] else numbers


def _number(name: str, text: str, whole: str) -> tuple[Fraction, str]:
    match = re.fullmatch(
        r"\s*([-+]?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)(?:\^(\d{1,3}))?\s*(\S*)\s*", text
    )
    if match is None:
        raise _usage(name, whole)
    try:
        number, power = Fraction(match[1].replace("_", "")), int(match[2] or 1)
        float(number) ** power  # before it is a number with all its digits
        number **= power
    except (ValueError, OverflowError):  # Python does not read more than 4,300 digits
        raise click.UsageError(f"a number of the range for '{name}' is beyond 1.8e308") from None
    return number, match[3]


def _plain(name: str, text: str, whole: str) -> Fraction:
    number, unit = _number(name, text, whole)
    if unit:
        raise _usage(name, whole)
    return number


def _usage(name: str, text: str) -> click.UsageError:
    return click.UsageError(
        f"'{text}' is not a range for '{name}'; "
        "write 256..4096:x2, 0..10:0.5, 1..1e6:20log or 1,2,4"
    )


def outside(text: str) -> str:
    """Return a text with blanks for what stands in parentheses, each character at its place."""
    depth, shown = 0, []
    for char in text:
        depth -= char in ")]"
        shown.append(" " if depth else char)
        depth += char in "(["
    return "".join(shown)


def _split_commas(text: str) -> list[str]:
    commas = [index for index, char in enumerate(outside(text)) if char == ","]
    return [text[a + 1 : b] for a, b in zip([-1, *commas], [*commas, len(text)], strict=True)]
