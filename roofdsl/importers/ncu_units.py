"""The units of Nsight Compute, exact: `Kbyte` is 1000 bytes, `usecond`, `cycle/nsecond`, `Ghz`."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

_BASES = {
    "byte": "byte", "b": "byte", "second": "s", "s": "s", "hz": "1/s", "inst": "inst",
    "cycle": "cycle",
}  # fmt: skip
_PREFIXES = {"": 0, "p": -12, "n": -9, "u": -6, "m": -3, "K": 3, "k": 3, "M": 6, "G": 9, "T": 12}
_UNIT = re.compile(r"([pnumKkMGT]?)(byte|B|second|s|[hH]z|inst|cycle)")


class Scale(NamedTuple):
    """What a unit counts, `byte`, `s`, `inst/cycle`, and how many of it one is."""

    counts: str
    factor: Fraction


def scale_of(unit: str) -> Scale | None:
    """Return what a unit is, None for one that is not known.

    >>> scale_of("Mbyte"), scale_of("usecond").factor
    (Scale(counts='byte', factor=Fraction(1000000, 1)), Fraction(1, 1000000))
    >>> scale_of("cycle/nsecond") == scale_of("Ghz"), scale_of("%"), scale_of("")
    (True, None, None)
    """
    parts = [_part(part) for part in unit.strip().split("/")]
    if len(parts) > 2 or any(part is None for part in parts):
        return None
    known = [part for part in parts if part is not None]
    if len(known) == 1:
        counts = "cycle/s" if known[0].counts == "1/s" else known[0].counts
        return Scale(counts, known[0].factor)
    above, below = known
    return Scale(f"{above.counts}/{below.counts}", above.factor / below.factor)


def _part(text: str) -> Scale | None:
    match = _UNIT.fullmatch(text)
    if match is None:
        return None
    return Scale(_BASES[match[2].lower()], Fraction(10) ** _PREFIXES[match[1]])
