"""Questions to the command line about a case, and what is wrong with the answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import mpmath

from tests.oracle.asking import Reply, ask
from tests.oracle.both_forms import wrong_holding, wrong_values
from tests.oracle.boundaries import wrong_boundary
from tests.oracle.boxes import wrong_box
from tests.oracle.claims import between, wrong_holds, wrong_regimes
from tests.oracle.contest import Ask, Contest
from tests.oracle.formula import Values
from tests.oracle.grids import wrong_grids
from tests.oracle.margins import wrong_margin
from tests.oracle.model import UNITS, Case
from tests.oracle.numbers import DIGITS, Exact, Numbers, Undefined
from tests.oracle.opened import wrong_open
from tests.oracle.scalings import wrong_scaling
from tests.oracle.sensitivities import wrong_sensitivity
from tests.oracle.sentences import Reader, UnreadError
from tests.oracle.sentences import number as number_of

SMALL = 10**5
INDEPENDENT = "R0704"
"""Nothing depends on the unknown, so nothing is answered."""
OUTSIDE = "R0702"
"""The range is empty, or leaves the bounds."""


_OPEN = re.compile(r"undecided|perhaps others|was found there|is not known|not decided")
"""What is printed where something is not decided."""


@dataclass(frozen=True)
class Verdict:
    """What came of a question: what is wrong with its answer, and how to ask it again."""

    question: str
    wrong: tuple[str, ...]
    undecided: bool
    seconds: float
    again: str
    small: bool
    refused: bool = False


def asked_of(case: Case, number: int, folder: Path) -> Iterator[Verdict]:
    """Yield what comes of the questions that are asked of a case."""
    path = folder / "case.roof"
    path.write_text(case.text())
    if "grids" in case.kinds:
        yield _grids(case, path)
        return
    if "open" in case.kinds:
        yield (_open if number % 3 else _boundary)(case, path, number)
        return
    found = _crossover(case, path, number)
    if found.refused and not case.whole and "refused" in case.kinds:
        case = replace(case, whole=True)
        found = _crossover(case, path, number)
    yield found
    if case.whole and "refused" in case.kinds:
        return
    built = len(case.amounts) > 1
    if number % (2 if built else 5) == 0:
        yield _threshold(case, path, number)
    if number % 8 == 0 and not built:
        yield from _at_a_point(case, path, number)
    if number % 30 == 1 and case.integer and not built:
        yield _over_rates(case, path, number)
    if _scales(case) and not built:
        yield _scaling(case, path, number)
    if case.rival is not None:
        yield _faster(case, path, number)


def settings(case: Case, path: Path) -> list[str]:
    found = ["--for", case.unknown, "-m", f"{path}:box"]
    for name, value in case.given.items():
        found += ["-p", f"{name}={value}"]
    if not case.whole:
        unit = UNITS.get(case.unknown.partition(".")[2], "")
        ends = [_end(end, unit) for end in (case.low, case.high)]
        found += ["--range", "..".join(ends)]
    return found


def _end(value: Fraction, unit: str) -> str:
    return f"({value})*1 {unit}/s" if unit else str(value)


def _is_outside(case: Case) -> bool:
    if not case.integer:
        return False
    low, high = case.limits
    if "refused" in case.kinds and not (case.allows(case.low) and case.allows(case.high)):
        return True
    return case.low < low or high < case.high or low > high


def _verdict(
    question: str, case: Case, arguments: list[str], check: Callable[[Reply], list[str]]
) -> Verdict:
    reply = ask(arguments)
    problem, seconds = reply.problem, reply.seconds
    small = case.integer and case.high - case.low <= SMALL
    again = "\n".join([case.text(), " ".join(arguments), reply.text])
    if problem == INDEPENDENT or (problem == OUTSIDE and _is_outside(case)):
        return Verdict(question, (), False, seconds, again, small, True)
    if problem:
        return Verdict(question, (problem,), False, seconds, again, small)
    try:
        wrong = tuple(check(reply))
    except UnreadError as error:
        wrong = (f"not read: {error}",)
    except (KeyError, TypeError, ValueError) as error:
        wrong = (f"values that the checks do not know: {error!r}",)
    return Verdict(question, wrong, bool(_OPEN.search(reply.text)), seconds, again, small)


def _crossover(case: Case, path: Path, number: int) -> Verdict:
    def check(reply: Reply) -> list[str]:
        if case.whole and "refused" in case.kinds:
            return _over_what_is_allowed(case, reply, number)
        return _wrong_over_a_range(Contest(case), reply, number)

    arguments = ["solve", f"{path}:m", "--crossover", *settings(case, path)]
    return _verdict("crossover", case, arguments, check)


def _wrong_over_a_range(contest: Contest, reply: Reply, number: int) -> list[str]:
    said = Reader(contest.case.unknown, contest.case.integer).read(reply.text)
    wrong = wrong_regimes(contest, said, Random(number))
    return [*wrong, *wrong_values(contest, said, reply.values)]


def _over_what_is_allowed(case: Case, reply: Reply, number: int) -> list[str]:
    """Check an answer over the range that it says, and that what lies beside it is refused."""
    head = reply.text.partition("\n")[0]
    match = re.search(rf", {case.unknown} in (.+?) \.\. (.+?)(?:   |$)", head)
    if match is None:
        return ["no range is said"]
    low, high = (number_of(match[end], True).middle for end in (1, 2))
    wrong = _wrong_over_a_range(Contest(replace(case, low=low, high=high)), reply, number)
    beside = [low - step for step in (1, 2, 5)] + [high + step for step in (1, 2, 5)]
    inside = [x for x in beside if 1 <= x <= 10**18 and case.allows(x)]
    return wrong + [f"{x} is allowed, and left out" for x in inside]


def _open(case: Case, path: Path, number: int) -> Verdict:
    def check(reply: Reply) -> list[str]:
        return wrong_open(case, reply.text, reply.values, Random(number))

    arguments = ["solve", f"{path}:m", "--crossover", *settings(case, path)]
    return _verdict("open", case, arguments, check)


def _boundary(case: Case, path: Path, number: int) -> Verdict:
    """Ask at powers of 4, which all conditions on the other parameter allow, or at twice these."""

    def check(reply: Reply) -> list[str]:
        return wrong_boundary(case, reply.text, reply.values, Random(number))

    swept = "P=1..256:x4" if case.unknown == "N" else "N=2..512:x4"
    arguments = ["solve", f"{path}:m", "--crossover", *settings(case, path), "-p", swept]
    return _verdict("boundary", case, arguments, check)


def _threshold(case: Case, path: Path, number: int) -> Verdict:
    random = Random(f"threshold {number}")
    condition, holds = _condition(case, random)

    def check(reply: Reply) -> list[str]:
        said = Reader(case.unknown, case.integer).read(reply.text)
        wrong = wrong_holds(case, said, random, holds)
        return [*wrong, *wrong_holding(case, said, reply.values)]

    arguments = ["solve", f"{path}:m", "--such-that", condition, *settings(case, path)]
    return _verdict("such that", case, arguments, check)


def _faster(case: Case, path: Path, number: int) -> Verdict:
    def check(reply: Reply) -> list[str]:
        return _wrong_over_a_range(Contest(case, True), reply, number)

    arguments = ["solve", f"{path}:m", "--faster", *settings(case, path), "-m", f"{path}:other"]
    return _verdict("faster", case, arguments, check)


def _point(case: Case, random: Random) -> Fraction | None:
    """Return a value of the unknown that is allowed, None where none was hit."""
    for _ in range(20):
        place = between(case.low, min(case.high, case.low + 10**6), random)
        place = Fraction(round(place)) if case.integer else place.limit_denominator(1000)
        if case.low <= place <= case.high and case.allows(place):
            return place
    return None


def _at_a_point(case: Case, path: Path, number: int) -> Iterator[Verdict]:
    """Ask for the margin and the sensitivities at a point."""
    random = Random(f"point {number}")
    point = None if "." in case.unknown else _point(case, random)
    if point is None:
        return
    given = ["-m", f"{path}:box"]
    for name, value in {**case.given, case.unknown: point}.items():
        given += ["-p", f"{name}={value}"]

    def margin(reply: Reply) -> list[str]:
        return wrong_margin(case, point, reply.text, reply.values, random)

    def sensitivity(reply: Reply) -> list[str]:
        return wrong_sensitivity(case, point, reply.text, reply.values)

    yield _verdict("margin", case, ["eval", f"{path}:m", *given], margin)
    arguments = ["study", f"{path}:m", "--sensitivity", *given]
    yield _verdict("sensitivity", case, arguments, sensitivity)


def _scaling(case: Case, path: Path, number: int) -> Verdict:
    random = Random(f"scaling {number}")
    arguments = ["study", f"{path}:m", "--scaling", "--for", case.unknown, "-m", f"{path}:box"]
    for name, value in case.given.items():
        arguments += ["-p", f"{name}={value}"]
    if number % 3 == 0 and case.given:
        share = random.choice(("0.5", "0.8", "0.05"))
        arguments += ["--size", next(iter(case.given)), "--efficiency", share]

    def check(reply: Reply) -> list[str]:
        return wrong_scaling(case, reply.text, reply.values, random)

    return _verdict("scaling", case, arguments, check)


def _grids(case: Case, path: Path) -> Verdict:
    def check(reply: Reply) -> list[str]:
        return wrong_grids(case, reply.text, reply.values)

    arguments = ["study", f"{path}:m", "--scaling", "-m", f"{path}:box"]
    arguments += [x for name, value in case.given.items() for x in ("-p", f"{name}={value}")]
    return _verdict("grids", case, arguments, check)


def _over_rates(case: Case, path: Path, number: int) -> Verdict:
    random = Random(f"rates {number}")
    off = random.choice((1, 10, 30))
    arguments = ["solve", f"{path}:m", "--crossover", "--rates", f"±{off}%"]
    arguments += settings(case, path)

    def check(reply: Reply) -> list[str]:
        return wrong_box(case, Fraction(off, 100), reply.text, reply.values, random)

    return _verdict("over rates", case, arguments, check)


def _scales(case: Case) -> bool:
    counted = [each for each in case.parameters if each.kind == "processes"]
    return bool(counted) and case.limits[0] <= case.limits[1]


def _condition(case: Case, random: Random) -> tuple[str, Ask]:
    """Return a condition, of one comparison or of two, and whether it holds."""
    text, one = _comparison(case, random)
    if random.random() < 0.7:
        return text, one
    second, other = _comparison(case, random)
    word, negated = random.choice(("and", "or")), random.random() < 0.3

    def joined(numbers: Numbers, values: Values) -> Any:
        left, right = one(numbers, values), other(numbers, values)
        holds = left * right if word == "and" else left + right - left * right
        return 1 - holds if negated else holds

    text = f"{text} {word} {second}"
    return f"not ({text})" if negated else text, joined


def _comparison(case: Case, random: Random) -> tuple[str, Ask]:
    """Return a condition on the bound or the time, and whether it holds."""
    contest = Contest(case)
    names = contest.names()
    middle = between(case.low, case.high, random)
    middle = Fraction(round(middle)) if case.integer else middle
    amount, name = None, random.choice([*case.amounts]) if len(case.amounts) > 1 else "time"
    with mpmath.workdps(DIGITS), suppress(Undefined):
        amount = case.amount(name, Exact(), case.values(Exact(), middle))
    if amount is None or random.random() < (0.3 if len(case.amounts) > 1 else 0.6):
        place, equal = random.randrange(len(names)), random.random() < 0.7

        def binds(numbers: Numbers, values: Values) -> Any:
            """The first of those that bind is the bound."""
            bits = contest.winners(numbers, values)
            return 1 * ((bits % 2 ** (place + 1) == 2**place) == equal)

        return f"bound {'=' if equal else '!='} {names[place]}", binds
    limit = Fraction(f"{float(amount):.{random.choice((1, 3, 12))}e}")
    below = random.random() < 0.5

    def within(numbers: Numbers, values: Values) -> Any:
        one, found = numbers.number(limit), case.amount(name, numbers, values)
        more = numbers.exceeds(found, one) if below else numbers.exceeds(one, found)
        return 1 - 1 * more

    return f"{name} {'<=' if below else '>='} {_decimal(limit)} {case.amounts[name]}", within


def _decimal(value: Fraction) -> str:
    return f"{float(value)!r}".replace("e+", "e")
