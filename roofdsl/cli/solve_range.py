"""The range in which the solver looks: `2..1e18`, `1 GB/s..1 TB/s`."""

from __future__ import annotations

import re
from fractions import Fraction

import click

from roofdsl.analysis.domain import Domain
from roofdsl.analysis.unknown import Unknown
from roofdsl.cli.options import typed
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.expression.substitute import constant
from roofdsl.model.arguments import read_value
from roofdsl.model.scope import Scope
from roofdsl.numeric.place import Place
from roofdsl.source import Source, Span


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
    low, high = (_end(typed(lead + text[: ends.start(end)], ends[end]), unknown) for end in (1, 2))
    return low, high


def _end(source: Source, unknown: Unknown) -> Fraction:
    problems: list[Diagnostic] = []
    formula = read_value(source, Scope(problems.append, unknown.dimension.bases(), {}))
    if formula is None:
        raise RoofError(problems)
    place = (Label(Span(source, source.begin, len(source.text))),)
    if formula.dimension != unknown.dimension:
        message = (
            f"the range of {unknown.name} is given in {formula.dimension.describe()}, "
            f"but it must be {unknown.dimension.describe()}"
        )
        unit = str(unknown.dimension)
        hint = "plain numbers" if unit == "1" else f"write each end with its unit, such as 1 {unit}"
        raise RoofError([Diagnostic("R0405", message, place, hint)])
    number = constant(formula.tree)
    if number is None:
        raise RoofError([Diagnostic("R0702", "an end of a range must be a number", place)])
    return number
