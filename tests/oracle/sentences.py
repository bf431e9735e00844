"""What the solver prints, read back: each line is a claim, or is known to claim nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

PREFIXES = {"": 0, "p": -12, "n": -9, "µ": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15}
PREFIXES["E"] = 18
_WHOLE = r"\d{1,3}(?: \d{3})+|10\^\d+|\d+"
_REAL = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
_UNIT = r"(?: ([pnµmkMGTPE]?)(FLOP/s|flop/s|B/s|message/s|s/message|s|B|FLOP|flop))?"
_NUMBER = rf"(?:{_WHOLE}|{_REAL}{_UNIT})"
FAR = Fraction(10) ** 400
MORE = "; more work may decide it: --budget 10x"
_UNDECIDED = re.compile(
    r"whether (it holds anywhere|there is .+) is undecided"
    r"|a crossover in \w[\w.]* lies where it is undecided"
)


class UnreadError(Exception):
    """A line that the checks do not understand, which is a failure."""


@dataclass(frozen=True)
class Number:
    """A number as it is printed: the true one lies within."""

    low: Fraction
    high: Fraction

    @property
    def exact(self) -> bool:
        return self.low == self.high

    @property
    def middle(self) -> Fraction:
        return (self.low + self.high) / 2


@dataclass(frozen=True)
class Stretch:
    """What is said of a part of the range."""

    kind: str
    labels: tuple[str, ...]
    first: Number
    last: Number
    told: str = ""
    allowed: Number | None = None
    """What is said of the values allowed in it, as of those after a change."""
    holes: bool = False
    """Whether some of it are said to have no value."""


@dataclass
class Change:
    """A change of what binds: from where on, its suffix, and what is said below it."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    step: str = ""
    first: Number | None = None
    at: tuple[Number, Number] | None = None
    kind: str = ""
    equal: tuple[Number, Number] | None = None
    allowed: Number | None = None
    told: str = ""
    """`first`, `some` of the number in `allowed`; else `none`, or `unknown`."""
    holes: bool = False
    inside: tuple[Number, Number] | None = None
    """Where a condition that holds at some of a range holds first and last."""
    closed: Number | None = None


@dataclass
class Said:
    """All that an answer says."""

    stretches: list[Stretch] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    holds: list[Change] = field(default_factory=list)
    none: Number | None = None
    """Up to where nothing changes, or nothing holds; what is undecided says neither."""
    proven: bool = False
    up_to: Number | None = None
    not_from_the_start: bool = False
    notes: list[str] = field(default_factory=list)


def number(text: str, integer: bool) -> Number:
    """Return a printed number: a whole one is exact, another to the digits printed."""
    text = text.strip()
    if integer and re.fullmatch(_WHOLE, text):
        base, _, power = text.replace(" ", "").partition("^")
        value = Fraction(int(base) ** int(power or 1))
        return Number(value, value)
    match = re.fullmatch(rf"({_REAL}){_UNIT}", text)
    if match is None:
        raise UnreadError(text)
    scale = Fraction(10) ** PREFIXES[match[2] or ""]
    mantissa, _, exponent = match[1].partition("e")
    value = Fraction(match[1])
    # Zeros at the end are left out: seven digits are meant where fewer stand.
    places = len(mantissa.partition(".")[2])
    size = abs(value)
    digits = Fraction(10) ** (_magnitude(size) - 6) if size else Fraction(0)
    step = min(Fraction(10) ** (int(exponent or 0) - places), digits) if size else Fraction(0)
    return Number((value - step / 2) * scale, (value + step / 2) * scale)


def _magnitude(size: Fraction) -> int:
    guess = len(str(size.numerator)) - len(str(size.denominator))
    return guess if Fraction(10) ** guess <= size else guess - 1


def verdict_of(what: str) -> tuple[str, tuple[str, ...]]:
    """Return of what kind a part of a range is said to be, and what binds or is the fastest."""
    if what.startswith("now "):
        return "band", tuple(re.split(r", now ", what.removeprefix("now ")))
    if what in ("no value", "nothing"):
        return "refused" if what == "no value" else "idle", ()
    if shared := re.fullmatch(r"(\S+), equal to (.+) at some", what):
        return "shared", (shared[1], *shared[2].split(" or "))
    if what.startswith("undecided: "):
        return "undecided", tuple(what.removeprefix("undecided: ").split(" or "))
    labels = tuple(what.removesuffix(" equally fast").split(" and "))
    return "largest" if len(labels) == 1 else "tie", labels


_KINDS = {
    "": "switch",
    ", after an exact tie": "tie",
    ", to an exact tie": "to a tie",
    ", where the two only touch": "touch",
    ", by a jump": "jump",
    ", by jumps too dense to list": "band",
}
HOLES = ", but no value at some"
_SUFFIX = "|".join(re.escape(each) for each in _KINDS if each)


class Reader:
    """Reads answers over a range of one unknown."""

    def __init__(self, unknown: str, integer: bool) -> None:
        self.integer = integer
        name = re.escape(unknown)
        number = _NUMBER.replace("(", "(?:").replace("(?:?:", "(?:")
        self._span = re.compile(
            rf"(?:for ({number}) ≤ {name} ≤ ({number})|at {name} = ({number}))$"
        )
        self._change = re.compile(
            rf"(?:(?P<step>[\w. ×]+): )?(?P<before>[\w. ]+?)(?: → (?P<after>[\w. ]+?))? "
            rf"(?P<where>from {name} = {number}|at {name} = {number}"
            rf"|between {name} = {number} and {number})(?P<kind>{_SUFFIX})?$"
        )
        self._beside = re.compile(
            rf"(?:(?P<step>[\w. ×]+): )?(?P<name>[\w. ]+?)(?P<again> again)? "
            rf"(?P<side>up to|from) {name} = (?P<end>{number}), "
            r"(?:then|after) jumps too dense to list$"
        )
        self._where = re.compile(
            rf"(?:from|at) {name} = ({number})$|between {name} = ({number}) and ({number})$"
        )
        self._equal = re.compile(
            rf"equal (?:at {name} = ({number})|between {name} = ({number}) and ({number}))$"
        )
        self._allowed = re.compile(
            rf"first {name} that the model allows: (?P<first>{number})$"
            rf"|the model allows {name} = (?P<some>{number}), perhaps others before it$"
            rf"|(?P<none>no {name} is allowed there \(proven\)$)"
            rf"|(?P<unknown>no {name} that the model allows was found there"
            rf"(?: \(looked up to {name} = {number}\))?$)"
        )
        self._some = re.compile(
            rf"at some of ({number}) ≤ {name} ≤ ({number})"
            rf"(?:, first at {name} = (?P<first>{number}))?"
            rf"(?:(?:, | and )last at {name} = (?P<last>{number}))?$"
        )
        self._root = re.compile(rf"{name}\* += .+$")
        self._value = re.compile(rf"(?:{name}\* +)?([=≈]) ({number})$")
        self._none = re.compile(
            rf"(?:no crossover in {name} over {number} \.\. ({number})"
            rf"|(?:no crossover in {name}|holds nowhere) up to {name} = ({number}), "
            r"beyond is undecided|holds nowhere in the range)$"
        )
        self._up_to = re.compile(
            rf"proven up to {name} = ({number}); beyond, not everything is decided(?:{MORE})?$"
        )

    def number(self, text: str) -> Number:
        return number(text, self.integer)

    def read(self, text: str) -> Said:
        """Return what an answer says, but for its title."""
        said = Said()
        last: Change | None = None
        _, *lines = text.splitlines()
        for line in lines:
            stripped = line.strip()
            if not stripped or self._is_head(stripped):
                continue
            if line.startswith("  ") and last is not None and self._detail(stripped, last):
                continue
            if line.startswith("  ") and self._stretch(stripped, said):
                continue
            if stripped.startswith("note: "):
                said.notes.append(stripped)
                continue
            if not line.startswith(" ") and stripped.startswith("holds "):
                last = self._holds(stripped, said)
                continue
            match = self._beside.match(stripped)
            if match:
                last = self._beside_jumps(match)
                said.changes.append(last)
                continue
            match = self._change.match(stripped)
            if match:
                last = self._changed(match)
                said.changes.append(last)
                continue
            if not self._whole(stripped, said):
                raise UnreadError(line)
        return said

    def _is_head(self, line: str) -> bool:
        return bool(
            re.fullmatch(r"(bound|fastest) +where|where the bound of one step changes", line)
        )

    def _stretch(self, line: str, said: Said) -> bool:
        match = re.fullmatch(r"(.+?)  +((?:for|at) .+)", line)
        if match is None:
            return False
        what, where = match[1], match[2]
        kind, labels = verdict_of(what)
        span, _, allowed = where.partition(": ")
        match = self._allowed.match(allowed) if allowed else None
        if allowed and match is None:
            raise UnreadError(line)
        told, value = (
            (match.lastgroup or "", match["first"] or match["some"]) if match else ("", "")
        )
        first = self.number(value) if value else None
        span, holes = self._holes(span)
        said.stretches.append(Stretch(kind, labels, *self._ends(span), told, first, holes))
        return True

    def _holes(self, where: str) -> tuple[str, bool]:
        return where.removesuffix(HOLES), where.endswith(HOLES)

    def _ends(self, where: str) -> tuple[Number, Number]:
        match = self._span.match(where)
        if match is None:
            raise UnreadError(where)
        low, high = match[1] or match[3], match[2] or match[3]
        return self.number(low), self.number(high)

    def _holds(self, line: str, said: Said) -> Change | None:
        if self._whole(line, said):
            return None
        match = self._some.match(line.removeprefix("holds "))
        if match is None:
            where, holes = self._holes(line.removeprefix("holds "))
            change = Change((), (), at=self._ends(where), holes=holes)
        else:
            change = Change((), (), at=(self.number(match[1]), self.number(match[2])))
            first, last = match["first"] or match[1], match["last"] or match[2]
            change.inside = self.number(first), self.number(last)
            change.kind = "".join(x for x in ("first", "last") if match[x]) or "some"
        said.holds.append(change)
        return change

    def _beside_jumps(self, match: re.Match[str]) -> Change:
        names, end = tuple(match["name"].split(" and ")), self.number(match["end"])
        change = Change((), names, match["step"] or "", kind="band")
        change.before = names if match["again"] else ()
        if match["side"] == "from":
            change.first = end if self.integer else None
        else:
            change.before, change.after, change.at = names, (), (end, end)
        return change

    def _changed(self, match: re.Match[str]) -> Change:
        before = tuple(match["before"].split(" and "))
        after = tuple(match["after"].split(" and ")) if match["after"] else before
        kind = _KINDS[match["kind"] or ""]
        change = Change(before, after, match["step"] or "", kind=kind)
        where = match["where"]
        found = self._where.match(where)
        assert found is not None
        if where.startswith("from"):
            change.first = self.number(found[1])
        elif where.startswith("at"):
            change.at = (real(found[1]), real(found[1]))
        else:
            change.at = (real(found[2]), real(found[3]))
        return change

    def _detail(self, line: str, change: Change) -> bool:
        if match := self._equal.match(line):
            low, high = match[1] or match[2], match[1] or match[3]
            change.equal = (real(low), real(high))
        elif match := self._allowed.match(line):
            change.told = match.lastgroup or ""
            value = match["first"] or match["some"]
            change.allowed = self.number(value) if value else None
        elif match := self._value.match(line):
            change.closed = real(match[2])
            if match[1] == "=":  # all of its digits stand there
                change.closed = Number(change.closed.middle, change.closed.middle)
        elif not self._root.match(line):
            return False
        return True

    def _whole(self, line: str, said: Said) -> bool:
        if match := self._none.match(line):
            end = match[1] or match[2]
            said.none = self.number(end) if end else Number(FAR, FAR)
        elif line == "proven over the whole range":
            said.proven = True
        elif match := self._up_to.match(line):
            said.up_to = self.number(match[1])
        elif line.removesuffix(MORE) == "not proven: how the range begins is not decided":
            said.not_from_the_start = True
        else:
            return bool(_UNDECIDED.fullmatch(line))
        return True


def real(text: str) -> Number:
    return number(text, False)


def labels_of(said: Said) -> Iterator[str]:
    for stretch in said.stretches:
        yield from stretch.labels
