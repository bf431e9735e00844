"""Run a function at sizes, with random numbers, and return what was counted."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from math import prod
from types import FrameType
from typing import NamedTuple, TypeAlias

import numpy as np

from roofdsl.tracing.refusal import OutOfTime, Uncounted
from roofdsl.tracing.script import Subject, failing, quietly
from roofdsl.tracing.specification import ArraySpec, NoSize, Spec, plain_value, side
from roofdsl.tracing.tally import Place, Region, Tally
from roofdsl.tracing.traced import Array, Traced, given

_LARGEST = 20_000_000
"""Elements of an argument."""


class Channel(NamedTuple):
    """One number of what was counted: of a place, or of the function as a whole.

    Its kind is `flops` (of a unit and a precision), `memory`, or of Fourier transforms their
    `length` and `factor`, by precision and axis: they are factor·log2(length) flops.
    """

    place: Place | None
    kind: str
    of: tuple[str, ...] = ()


Counted: TypeAlias = Mapping[Channel, Fraction]
WHOLE = Channel(None, "memory")
"""The compulsory bytes of the whole function."""


def run(
    subject: Subject, specs: Mapping[str, Spec], sizes: Mapping[str, int], seed: int, by: str
) -> Counted:
    """Call the function once; raise Failed where it fails or cannot be counted.

    Raises NoSize for arguments that cannot be at these sizes.
    """
    tally = subject.tally
    tally.begin()
    numbers = np.random.default_rng(seed)
    least = min(sizes.values(), default=2)
    torch = any(isinstance(each, ArraySpec) and each.of_torch for each in specs.values())
    arguments: dict[str, object] = {}
    for name, spec in specs.items():
        if isinstance(spec, ArraySpec):
            data = filled(numbers, spec.dtype, _shape(spec, sizes), least)
            if torch:
                from roofdsl.tracing.torch_arrays import tensor

                arguments[name] = tensor(data, spec.dtype, tally)
            else:
                arguments[name] = given(data, tally)
        else:
            arguments[name] = plain_value(spec, sizes)
    by_place = [arguments.pop(name) for name in subject.by_place if name in arguments]
    where = ", ".join(f"{name} = {value}" for name, value in sizes.items())
    what = f"'{subject.name}'" + (f" at {where}" if where else "")
    with quietly(), failing(what, subject.script, tally), np.errstate(all="ignore"):
        tally.active = True
        try:
            if torch:
                from roofdsl.tracing.torch_arrays import counting

                with counting(tally):
                    result = subject.function(*by_place, **arguments)
            else:
                result = subject.function(*by_place, **arguments)
            returned = [*_results(result, tally)]
        finally:
            tally.active = False
    return _counted(tally, returned, by)


def _shape(spec: ArraySpec, sizes: Mapping[str, int]) -> tuple[int, ...]:
    shape = tuple(side(each, sizes) for each in spec.sides)
    if prod(shape) > _LARGEST:
        raise NoSize(f"{spec.written} has {prod(shape):,} elements; at most {_LARGEST:,} are made")
    return shape


def filled(numbers: np.random.Generator, dtype: str, shape: tuple[int, ...], least: int) -> Array:
    """Return random numbers: positive, whole ones below the least size, square ones regular.

    What is square has a large diagonal, so that equations with it can be solved.
    """
    kind = np.dtype("float32" if dtype == "bfloat16" else dtype)
    if kind.kind in "ib":
        return numbers.integers(0, max(least, 2) if kind.kind == "i" else 2, shape).astype(kind)
    data = numbers.uniform(0.5, 1.5, shape)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        data = data + 2 * shape[-1] * np.eye(shape[-1])
    if kind.kind == "c":
        return (data + 1j * numbers.uniform(0.5, 1.5, shape)).astype(kind)
    return data.astype(kind)


def _results(value: object, tally: Tally) -> Iterator[Region]:
    if isinstance(value, Traced):
        yield Region(value.store, value.places)
    elif isinstance(value, np.ndarray) and value.ndim:
        raise Uncounted(f"it returns an array of shape {value.shape} that was not counted")
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _results(each, tally)
    elif isinstance(value, dict):
        yield from _results([*value.values()], tally)
    elif type(value).__module__.startswith("torch"):
        from roofdsl.tracing.torch_arrays import results

        yield from results(value, tally)
    elif not isinstance(value, (int, float, complex, str, np.generic, np.ndarray, type(None))):
        message = f"it returns a {type(value).__name__}, which may have arrays that are not seen"
        raise Uncounted(message, "return arrays, or lists, tuples or dictionaries of them")


def _counted(tally: Tally, returned: list[Region], by: str) -> Counted:
    found: dict[Channel, Fraction] = {WHOLE: Fraction(tally.compulsory(returned))}
    for place, counts in tally.counts.items():
        at = place if by == "operation" else Place(place.line, "")
        for unit, precision in counts.flops:
            _add(found, Channel(at, "flops", (unit, precision)), counts.flops[unit, precision])
        _add(found, Channel(at, "memory"), counts.memory)
        lengths: dict[tuple[str, ...], int] = {}
        for (precision, axis, length), factor in counts.transforms.items():
            of = (precision, place.operation, str(axis))
            if lengths.setdefault(of, length) != length:
                raise Uncounted(
                    f"'{place.operation}' at line {place.line} has transforms of several lengths",
                    "call it at several lines",
                )
            found[Channel(at, "length", of)] = Fraction(length)
            _add(found, Channel(at, "factor", of), factor)
    return found


def _add(found: dict[Channel, Fraction], channel: Channel, value: Fraction | int) -> None:
    if value:
        found[channel] = found.get(channel, Fraction(0)) + value


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in what takes longer, where a timer is to be had; again each second."""
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise OutOfTime(
            f"it does not end within {seconds:g} s",
            "count it at smaller sizes by --sizes, or let it take longer by --seconds",
        )

    handler = signal.signal(signal.SIGALRM, stop)
    before, _ = signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, before)
        signal.signal(signal.SIGALRM, handler)
