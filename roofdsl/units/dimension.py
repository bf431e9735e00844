"""Dimensions: what a number counts, apart from how much of it there is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

Rational: TypeAlias = int | Fraction

# Canonical order; declared counts follow by name.
_RANK = {"flop": 0, "B": 1, "s": 2, "J": 3, "message": 4, "cycle": 5}


@dataclass(frozen=True, slots=True)
class Dimension:
    """A product of rational powers of base units (flop, B, s, J, message, cycle) and counts.

    `powers` holds (name, exponent) pairs in canonical order, none of them 0: build it with
    `Dimension.of`, `Dimension.base` and the operators, which see to that.

    >>> str(FLOP / BYTE), str(BYTE / SECOND), str(FLOP**2 / BYTE), str(BYTE / BYTE)
    ('flop/B', 'B/s', 'flop^2/B', '1')
    """

    powers: tuple[tuple[str, Rational], ...] = ()

    @classmethod
    def of(cls, powers: Mapping[str, Rational]) -> Dimension:
        """Return the dimension with these exponents.

        >>> Dimension.of({"s": -1, "B": 1, "J": 0}) == BYTE / SECOND
        True
        """
        # Whole exponents are kept as `int`: those hash and compare much faster than `Fraction`.
        kept = [(n, e.numerator if e.denominator == 1 else e) for n, e in powers.items() if e]
        if len(kept) > 1:
            kept.sort(key=lambda item: (_RANK.get(item[0], len(_RANK)), item[0]))
        return cls(tuple(kept))

    @classmethod
    def base(cls, name: str) -> Dimension:
        """Return the dimension of one base unit or declared count.

        >>> str(BYTE / Dimension.base("element"))
        'B/element'
        """
        return cls(((name, 1),))

    @classmethod
    def unknown(cls, name: str) -> Dimension:
        """Return a dimension that stands for any, until it cancels: that of a function's argument.

        >>> any_one = Dimension.unknown("x")
        >>> (any_one * BYTE).is_known, (any_one * BYTE / any_one).is_known
        (False, True)
        """
        return cls.base(f"?{name}")

    def bases(self) -> dict[str, Dimension]:
        """Return the base units and counts in a dimension, as one can write them behind a number.

        >>> list((BYTE / Dimension.base("edge")).bases())
        ['B', 'edge']
        """
        return {name: Dimension.base(name) for name, _ in self.powers if name.isidentifier()}

    @property
    def is_known(self) -> bool:
        return not any(name.startswith("?") for name, _ in self.powers)

    def __mul__(self, other: Dimension) -> Dimension:
        if not other.powers:
            return self
        if not self.powers:
            return other
        powers = dict(self.powers)
        for name, exponent in other.powers:
            powers[name] = powers.get(name, 0) + exponent
        return Dimension.of(powers)

    def __truediv__(self, other: Dimension) -> Dimension:
        if not other.powers:
            return self
        powers = dict(self.powers)
        for name, exponent in other.powers:
            powers[name] = powers.get(name, 0) - exponent
        return Dimension.of(powers)

    def __pow__(self, exponent: Rational) -> Dimension:
        if exponent == 1 or not self.powers:
            return self
        return Dimension.of({name: power * exponent for name, power in self.powers})

    def __str__(self) -> str:
        """Return the unit text: `flop/B`, `s^-1`, `1`.

        `read_unit` reads it back, unless it has two numerators (`flop*B`), a broken power
        (`B^(1/2)`) or none at all (`1`): those cannot be written behind a number.
        """
        above = [(name, power) for name, power in self.powers if power > 0]
        below = [(name, -power) for name, power in self.powers if power < 0]
        if not above and below:
            name, power = below.pop(0)
            above = [(name, -power)]
        text = "*".join(_power(*item) for item in above) or "1"
        return "".join([text, *(f"/{_power(*item)}" for item in below)])

    def describe(self) -> str:
        """Return a name for a sentence: `bytes (B)`, `flop per byte (flop/B)`, `a plain number`.

        >>> (BYTE / SECOND).describe(), SECOND.describe(), FLOP.describe()
        ('bytes per second (B/s)', 'time (s)', 'flop')
        """
        text = str(self)
        if text in _NAMES:
            return _NAMES[text]
        match self.powers:
            case ((above, 1), (below, -1)) | ((below, -1), (above, 1)):
                return f"{_MANY.get(above, above)} per {_ONE.get(below, below)} ({text})"
        return text


def _power(name: str, exponent: Rational) -> str:
    if exponent == 1:
        return name
    return f"{name}^{exponent}" if exponent.denominator == 1 else f"{name}^({exponent})"


_MANY = {"B": "bytes", "s": "seconds", "J": "joules", "message": "messages", "cycle": "cycles"}
_ONE = {"B": "byte", "s": "second", "J": "joule"}
_NAMES = {
    "1": "a plain number",
    "B": "bytes (B)",
    "s": "time (s)",
    "J": "energy (J)",
    "J/s": "power (W)",
    "message": "messages",
    "cycle": "cycles",
    "cycle/s": "frequency (Hz)",
    "(precision)": "a precision",
}

DIMENSIONLESS = Dimension()
FLOP = Dimension.base("flop")
BYTE = Dimension.base("B")
SECOND = Dimension.base("s")
JOULE = Dimension.base("J")
MESSAGE = Dimension.base("message")
CYCLE = Dimension.base("cycle")
