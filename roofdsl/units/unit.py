"""The unit table: what may stand behind a number, with exact factors to SI base units."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from roofdsl.units.dimension import (
    BYTE,
    CYCLE,
    DIMENSIONLESS,
    FLOP,
    JOULE,
    MESSAGE,
    SECOND,
    Dimension,
)

LARGEST_POWER = 99
LARGEST_FACTOR = 10**300  # so that a factor, and one over it, fit a float
MOST_PARTS = 8

# Prefix to its exponent of ten. Micro is written u, micro sign or Greek mu: all look the same.
SI_PREFIXES = {
    "p": -12, "n": -9, "u": -6, "\u00b5": -6, "\u03bc": -6, "m": -3,
    "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18,
}  # fmt: skip
# Prefix to its exponent of 1024.
IEC_PREFIXES = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}

_LARGE = ("k", "M", "G", "T", "P", "E")
_SMALL = ("p", "n", "u", "\u00b5", "\u03bc", "m")
_IEC = tuple(IEC_PREFIXES)

# Name to its factor to SI base units, its dimension, and the prefixes it takes.
UNITS: Mapping[str, tuple[Fraction, Dimension, tuple[str, ...]]] = {
    "flop": (Fraction(1), FLOP, _LARGE),
    "FLOP": (Fraction(1), FLOP, _LARGE),
    "FLOPS": (Fraction(1), FLOP / SECOND, _LARGE),
    "B": (Fraction(1), BYTE, _LARGE + _IEC),
    "bit": (Fraction(1, 8), BYTE, _LARGE + _IEC),
    "s": (Fraction(1), SECOND, _SMALL),
    "min": (Fraction(60), SECOND, ()),
    "h": (Fraction(3600), SECOND, ()),
    "J": (Fraction(1), JOULE, _SMALL + _LARGE),
    "W": (Fraction(1), JOULE / SECOND, _SMALL + _LARGE),
    "Hz": (Fraction(1), CYCLE / SECOND, _LARGE),
    "cycle": (Fraction(1), CYCLE, _LARGE),
    "message": (Fraction(1), MESSAGE, _LARGE),
}


class Unit(NamedTuple):
    """A unit as written, how many SI base units it is, and its dimension."""

    text: str
    factor: Fraction
    dimension: Dimension


OwnUnits: TypeAlias = dict[str, Unit]
"""The units that a file declares, by name."""
NO_UNITS: Mapping[str, Unit] = MappingProxyType({})


def counts_in(dimension: Dimension) -> OwnUnits:
    """Return the units that a dimension is made of, as units of a file.

    >>> list(counts_in(BYTE / Dimension.base("edge")))
    ['B', 'edge']
    """
    bases = dimension.bases()
    return {name: Unit(name, Fraction(1), base) for name, base in bases.items()}


class UnknownUnit(NamedTuple):
    """A unit text that cannot be read: the part at fault, where it begins, and what to do.

    `part` is the slice of the text that begins at `start`.
    """

    part: str
    start: int
    hint: str | None = None


def read_unit(text: str, declared: Mapping[str, Unit] = NO_UNITS) -> Unit | UnknownUnit:
    """Read a unit of the form `name[^int](/name[^int])*`; `declared` holds units by name.

    A unit of the table comes before a declared one of the same name.
    Never raises: what cannot be read comes back as `UnknownUnit`, which also stands for a power
    that is 0 or beyond ±99, units that cancel (`B/B`), and `FLOPS/s`, twice per second.

    >>> read_unit("GB/s").factor
    Fraction(1000000000, 1)
    >>> read_unit("GB/word")
    UnknownUnit(part='word', start=3, hint=None)
    >>> read_unit("KB").hint
    'kB is 1000 bytes, KiB is 1024'
    """
    factor, dimension, start = Fraction(1), DIMENSIONLESS, 0
    read: list[Unit] = []
    parts = text.split("/", MOST_PARTS)
    for part in parts:
        if len(read) == MOST_PARTS:
            return UnknownUnit(part, start, f"a unit has at most {MOST_PARTS} parts")
        name, caret, power = part.partition("^")
        unit = unit_named(name) or declared.get(name)
        if unit is None:
            from roofdsl.units.spelling import hint_for

            return UnknownUnit(name, start, hint_for(name, declared, alone=len(parts) == 1))
        exponent = _exponent(power) if caret else 1
        if exponent == 0:
            return UnknownUnit(part, start, _POWER_HINT)
        if read:
            exponent = -exponent
        factor *= unit.factor**exponent
        dimension *= unit.dimension**exponent
        read.append(unit)
        start += len(part) + 1
    hint = _objection(text, read, factor, dimension)
    return UnknownUnit(text, 0, hint) if hint else Unit(text, factor, dimension)


@lru_cache(maxsize=256)
def unit_named(name: str) -> Unit | None:
    """Return the unit of one name, prefix included, or None if the table has no such unit.

    >>> unit_named("KiB").factor, unit_named("KB")
    (Fraction(1024, 1), None)
    """
    # Prefixed units are made when asked for: a table of them all would slow every start.
    if name in UNITS:
        factor, dimension, _ = UNITS[name]
        return Unit(name, factor, dimension)
    for length in (1, 2):
        prefix, rest = name[:length], name[length:]
        if rest in UNITS:
            factor, dimension, prefixes = UNITS[rest]
            if prefix in prefixes:
                return Unit(name, factor * prefix_factor(prefix), dimension)
    return None


def prefix_factor(prefix: str) -> Fraction:
    """Return what a prefix multiplies by.

    >>> prefix_factor("m"), prefix_factor("Ki")
    (Fraction(1, 1000), Fraction(1024, 1))
    """
    if prefix in IEC_PREFIXES:
        return Fraction(1024 ** IEC_PREFIXES[prefix])
    return Fraction(10) ** SI_PREFIXES[prefix]


def prefixed(prefix: str, name: str) -> str:
    """Return a unit's canonical name with a prefix: `flop`, but `GFLOP`.

    >>> prefixed("", "flop"), prefixed("G", "flop"), prefixed("Ki", "B")
    ('flop', 'GFLOP', 'KiB')
    """
    return prefix + ("FLOP" if prefix and name == "flop" else name)


def unit_names(text: str) -> list[tuple[str, int]]:
    """Return the names in a unit text, each with where it begins, powers left out.

    >>> unit_names("GB^2/s")
    [('GB', 0), ('s', 5)]
    """
    names, start = [], 0
    for part in text.split("/"):
        names.append((part.partition("^")[0], start))
        start += len(part) + 1
    return names


_POWER_HINT = f"a power is a whole number up to {LARGEST_POWER}, or its negative, and not 0"


def _exponent(text: str) -> int:
    """Return the exponent, or 0 for what is not one."""
    digits = text.removeprefix("-")
    # `isdigit` alone accepts `²`, which `int` does not, and `int` refuses very long texts.
    if len(digits) > len(str(LARGEST_POWER)) or not (digits.isascii() and digits.isdigit()):
        return 0
    return int(text)


def _objection(text: str, read: list[Unit], factor: Fraction, dimension: Dimension) -> str | None:
    """Return what is wrong with a unit whose every part is known."""
    if any(unit.text.endswith("FLOPS") for unit in read) and any(
        unit.dimension in (SECOND, BYTE) for unit in read
    ):
        return f"FLOPS is already per second; write '{text.replace('FLOPS', 'FLOP')}'"
    if not dimension.powers or any(unit.dimension == read[0].dimension for unit in read[1:]):
        return "these units cancel; write a plain number"
    if any(not -LARGEST_POWER <= power <= LARGEST_POWER for _, power in dimension.powers):
        return _POWER_HINT
    if max(factor.numerator, factor.denominator) > LARGEST_FACTOR:
        return "its powers are too large"
    return None
