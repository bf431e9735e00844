"""Find the formulas of what a function does: run at sizes, interpolated, checked at others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import gcd, prod
from typing import NamedTuple

from roofdsl.diagnostic import Diagnostic
from roofdsl.source import Source
from roofdsl.tracing.interpolation import (
    POLYNOMIALS,
    WITH_LOGARITHMS,
    Formula,
    Power,
    fitting,
    grid,
    interpolated,
    value_at,
)
from roofdsl.tracing.running import Channel, Counted
from roofdsl.tracing.script import Failed, at_line

USUAL = (4, 5, 6, 7, 8, 9, 10)
_EVEN = (4, 6, 8, 10, 12, 14, 16)
_FURTHER = (11, 16, 13)
_POWERS_OF_TWO = (2, 4, 8, 16, 32, 64, 128, 256)
_HELD = (4, 8, 16)
_HELD_OF_MANY = (4, 2)
"""What other sizes are while one of them changes, of three at most and of more."""
_MOST_RUNS = 2000


class Size(NamedTuple):
    """A size of the formulas: the values it was run with, and what holds for all of them.

    It is at least `low`; where `modulus` is above 1 it leaves `rest` when divided by it; where
    `doubling` it is a power of two.
    """

    name: str
    points: tuple[int, ...]
    basis: tuple[Power, ...]
    low: int
    modulus: int
    rest: int
    doubling: bool


class Found(NamedTuple):
    """Formulas of all channels, and at how many sizes they were made and checked."""

    sizes: tuple[Size, ...]
    formulas: Mapping[Channel, Formula]
    checked: tuple[tuple[int, ...], ...]
    runs: int
    example: tuple[tuple[int, ...], Counted]


class Runs:
    """What was counted at each point, run once; its seed differs from point to point."""

    def __init__(
        self, run: Callable[[tuple[int, ...], int], Counted], names: Sequence[str]
    ) -> None:
        self._run = run
        self.names = names
        self._found: dict[tuple[int, ...], Counted] = {}
        self.count = 0

    def at(self, point: tuple[int, ...]) -> Counted:
        if point not in self._found:
            self.count += 1
            self._found[point] = self._run(point, self.count)
        return self._found[point]

    def again(self, point: tuple[int, ...]) -> Counted:
        """Return what is counted with other data."""
        self.count += 1
        return self._run(point, self.count)


def found(
    names: Sequence[str],
    chosen: Mapping[str, Sequence[int]],
    run: Callable[[tuple[int, ...], int], Counted],
    script: Source | None,
) -> Found:
    """Return the formulas of a function; raise Failed where there are none.

    `chosen` are the values of sizes that are not the usual ones.
    """
    runs = Runs(run, names)
    held = _HELD if len(names) <= len(_HELD) else _HELD_OF_MANY
    base = tuple(
        chosen[name][-1] if name in chosen else held[place % len(held)]
        for place, name in enumerate(names)
    )
    _alike(runs, base, script)
    sizes = tuple(
        _size(runs, base, place, name, chosen.get(name), script) for place, name in enumerate(names)
    )
    count = prod(len(size.basis) for size in sizes)
    if count > _MOST_RUNS:
        hint = "give one of them a single value: --sizes N=8"
        message = f"it would take {count:,} runs to tell {len(sizes)} sizes apart"
        raise Failed(Diagnostic("R1546", message, hint=hint))
    points = [size.points[: len(size.basis)] for size in sizes]
    counted = {point: runs.at(point) for point in grid(points)}
    channels = sorted({each for one in counted.values() for each in one}, key=_order)
    zero = Fraction(0)
    formulas = {
        channel: interpolated(
            [size.basis for size in sizes],
            points,
            {point: one.get(channel, zero) for point, one in counted.items()},
        )
        for channel in channels
    }
    checked = _checks(sizes)
    for point in checked:
        _check(runs.at(point), formulas, point, names, script)
    lowered = tuple(
        size if name in chosen or size.doubling else _lowered(runs, size, place, base, formulas)
        for place, (name, size) in enumerate(zip(names, sizes, strict=True))
    )
    at = checked[0] if checked else base
    return Found(lowered, formulas, checked, runs.count, (at, runs.at(at)))


def _order(channel: Channel) -> tuple[object, ...]:
    place = channel.place
    at = (place.line, place.operation) if place else (0, "")
    return (*at, channel.kind, channel.of)


def _alike(runs: Runs, base: tuple[int, ...], script: Source | None) -> None:
    """Raise Failed where other data of the same sizes give other counts."""
    one, other = runs.at(base), runs.again(base)
    for channel in sorted({*one, *other}, key=_order):
        if one.get(channel) != other.get(channel):
            line = channel.place.line if channel.place else 0
            what = _what(channel)
            some, others = (each.get(channel, Fraction(0)) for each in (one, other))
            where = _where(runs.names, base)
            message = f"{what} hangs on the data: {some} in one run, {others} in another{where}"
            hint = "what is counted must be the same for all data of one size"
            raise Failed(Diagnostic("R1544", message, at_line(script, line), hint))


def _where(names: Sequence[str], point: Sequence[int]) -> str:
    shown = ", ".join(f"{name} = {x}" for name, x in zip(names, point, strict=True))
    return f" at {shown}" if shown else ""


def _what(channel: Channel) -> str:
    of = {"flops": "the number of flops", "memory": "the number of bytes"}
    what = of.get(channel.kind, "the length of a transform")
    if channel.place is None:
        return f"{what} of the whole"
    name = f" of '{channel.place.operation}'" if channel.place.operation else ""
    return f"{what}{name} at line {channel.place.line}"


def _size(
    runs: Runs,
    base: tuple[int, ...],
    place: int,
    name: str,
    chosen: Sequence[int] | None,
    script: Source | None,
) -> Size:
    """Return how the counts change with one size while the others are held."""
    if chosen is not None:
        return _chosen(runs, base, place, name, tuple(chosen), script)
    failed: Failed | None = None
    for points, modulus in ((USUAL, 1), (_EVEN, 2), (_POWERS_OF_TWO, 1)):
        doubling = points is _POWERS_OF_TWO
        bases = WITH_LOGARITHMS if doubling else POLYNOMIALS
        try:
            basis = _basis(runs, base, place, points, bases)
        except Failed as problem:
            if problem.problem.code not in ("R1541", "R1543"):
                raise
            failed = failed or problem  # it may take sizes of one kind alone
            continue
        if basis is not None:
            return Size(name, points, basis, points[0], modulus, 0, doubling)
    if failed is not None:
        raise failed
    raise Failed(_no_formula(runs, base, place, name, USUAL, script))


def _chosen(
    runs: Runs,
    base: tuple[int, ...],
    place: int,
    name: str,
    points: tuple[int, ...],
    script: Source | None,
) -> Size:
    doubling = all(x & (x - 1) == 0 for x in points) and len(points) > 3
    bases = WITH_LOGARITHMS if doubling else POLYNOMIALS
    basis = _basis(runs, base, place, points, bases)
    if basis is None:
        raise Failed(_no_formula(runs, base, place, name, points, script))
    modulus = gcd(*(x - points[0] for x in points[1:])) or 1
    if doubling:
        modulus = 1
    return Size(name, points, basis, min(points), modulus, points[0] % modulus, doubling)


def _along(base: tuple[int, ...], place: int, x: int) -> tuple[int, ...]:
    return (*base[:place], x, *base[place + 1 :])


def _basis(
    runs: Runs,
    base: tuple[int, ...],
    place: int,
    points: Sequence[int],
    bases: Sequence[tuple[Power, ...]],
) -> tuple[Power, ...] | None:
    counted = [runs.at(_along(base, place, x)) for x in points]
    channels = {channel for one in counted for channel in one}
    zero = Fraction(0)
    rows = [[one.get(channel, zero) for one in counted] for channel in channels]
    return fitting(bases, points, rows)


def _no_formula(
    runs: Runs,
    base: tuple[int, ...],
    place: int,
    name: str,
    points: Sequence[int],
    script: Source | None,
) -> Diagnostic:
    """Say where the counts are first no polynomial; raise Failed where they hang on data."""
    for x in points:
        _alike(runs, _along(base, place, x), script)
    counted = [runs.at(_along(base, place, x)) for x in points]
    zero = Fraction(0)
    for channel in sorted({channel for one in counted for channel in one}, key=_order):
        row = [one.get(channel, zero) for one in counted]
        if fitting(POLYNOMIALS, points, [row]) is None:
            break
    shown = ", ".join(str(value) for value in row)
    at = ", ".join(str(x) for x in points)
    message = f"{_what(channel)} is no polynomial in {name}: {shown} at {name} = {at}"
    hint = f"sizes of one kind may have one: --sizes {name}=4..24:4, of six values at least"
    if len(points) < 3:
        hint = f"a formula is checked too: --sizes {name} takes three values or more, or one"
    line = channel.place.line if channel.place else 0
    return Diagnostic("R1546", message, at_line(script, line), hint)


def _checks(sizes: Sequence[Size]) -> tuple[tuple[int, ...], ...]:
    """Return points at which nothing was interpolated, where all sizes differ from before."""
    if not sizes:
        return ()
    further: list[list[int]] = []
    for size in sizes:
        rest = list(size.points[len(size.basis) :])
        usual = [*_FURTHER, *rest] if size.points == USUAL else rest[:4]
        further.append(usual)
    return tuple(
        dict.fromkeys(
            tuple(each[(round + place) % len(each)] for place, each in enumerate(further))
            for round in range(3)
        )
    )


def _check(
    counted: Counted,
    formulas: Mapping[Channel, Formula],
    point: tuple[int, ...],
    names: Sequence[str],
    script: Source | None,
) -> None:
    """Raise Failed where a formula does not hold at a point."""
    for channel in sorted({*counted, *formulas}, key=_order):
        said, is_so = value_at(formulas.get(channel, {}), point), counted.get(channel, Fraction(0))
        if said != is_so:
            line = channel.place.line if channel.place else 0
            message = (
                f"{_what(channel)} is {is_so}{_where(names, point)}, not {said} as at smaller sizes"
            )
            hint = "it may change where a size passes another: give them values by --sizes"
            raise Failed(Diagnostic("R1546", message, at_line(script, line), hint))


def _lowered(
    runs: Runs,
    size: Size,
    place: int,
    base: tuple[int, ...],
    formulas: Mapping[Channel, Formula],
) -> Size:
    """Return a size with the lowest value down to which the formulas hold."""
    low = size.low
    for x in range(size.low - 1, 0, -1):
        point = _along(base, place, x)
        try:
            counted = runs.at(point)
        except Failed:
            break
        zero = Fraction(0)
        if any(
            value_at(formulas.get(channel, {}), point) != counted.get(channel, zero)
            for channel in {*counted, *formulas}
        ):
            break
        low = x
    return size._replace(low=low)
