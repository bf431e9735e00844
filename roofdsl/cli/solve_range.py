"""The range in which the solver looks: `2..1e18`, `1 GB/s..1 TB/s`."""

from __future__ import annotations

import re
from fractions import Fraction

import click

from roofdsl.analysis.domain import Domain
from roofdsl.analysis.unknown import Unknown
from roofdsl.cli.options import typed
from roofdsl.model.arguments import read_number
from roofdsl.numeric.place import Place


def read_range(text: str | None, domain: Domain) -> tuple[Place, Place]:
    """Return the ends of `--range` in SI base units; those of the domain where none is given.

    Raises RoofError as `read_ends` does, and for a range that is empty or out of bounds (R0702).
    """
    if text is None:
        return domain.range()
    return domain.within(*read_ends(text, domain.unknown, "--range "))


def read_ends(text: str, unknown: Unknown, lead: str) -> tuple[Fraction, Fraction]:
    """Return the ends of a range as they are written, in SI base units.

    `lead`: what stands before it on the command line. Raises RoofError for an end of another unit
    (R0405), a usage error for what is no range.
    """
    ends = re.fullmatch(r"\s*(\S.*?)\s*\.\.(?!.*\.\.)\s*(.*\S)\s*", text)
    if ends is None or ".." in ends[1]:
        raise click.UsageError(f"'{text}' is not a range, such as 2..1e18 or '1 GB/s..1 TB/s'")
    if ":" in ends[2]:
        plain = text.partition(":")[0].strip()
        raise click.UsageError(f"'{text}' has a step, and goes from end to end: {plain}")
    low, high = (
        read_number(
            typed(lead + text[: ends.start(end)], ends[end]),
            f"an end of the range of {unknown.name}",
            unknown.dimension,
            unknown.units,
        )
        for end in (1, 2)
    )
    return low, high
