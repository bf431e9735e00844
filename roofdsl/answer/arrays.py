"""Several values of a parameter, as Python gives them: a list, an array, a series."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from dataclasses import replace
from fractions import Fraction
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofdsl.allowance import check_numbers
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.model.given import exact, held, is_array, is_several

_HINT = "a list or array of numbers, of one shape with the others or one that broadcasts"

_MOST_DIMENSIONS = 32
"""NumPy holds more, but does not broadcast them."""


def array_of(name: str, value: object) -> NDArray[Any]:
    """Return several values as an array: of numbers where all are, else of what is given.

    Raises RoofError for what is not one array of values (R0404): a ragged list, records, dates; and
    for more than arrays may hold (R0412).
    """
    check_numbers(_count(value), name)
    try:
        # In a list beside a text, or beside True, NumPy would take a number for such a one.
        of_numbers = is_array(value) or isinstance(value, range)
        found = np.asarray(value, dtype=None if of_numbers else object)
    except ValueError:  # arrays in a list, whose shapes do not go together
        found = np.array([value, None], dtype=object)
    if np.ma.is_masked(value):
        raise _refused(name, "values of which some are masked")
    if found.dtype.kind not in "iufbUO":
        raise _refused(name, f"values of type {found.dtype.name}")
    if found.ndim > _MOST_DIMENSIONS:
        raise _refused(name, f"values nested more than {_MOST_DIMENSIONS} deep")
    if found.dtype.kind in "iufb":
        return found
    items = [held(item) for item in found.ravel()]
    if any(map(is_several, items)):
        raise _refused(name, "rows of different lengths")
    if not {*map(type, items)} <= {int, float}:
        numbers = [exact(item) for item in items]
        if None in numbers:
            return found
        items = [_plain(name, number) for number in numbers if number is not None]
    return np.array(items).reshape(found.shape)


def numbers_of(name: str, value: object, exactly: Callable[[object], Fraction]) -> NDArray[Any]:
    """Return several values of a parameter as numbers, whole ones with all their digits.

    `exactly` reads one that is no number by itself.
    """
    found = array_of(name, value)
    if found.dtype.kind not in "iuf":
        items = []
        for place, item in zip(np.ndindex(found.shape), found.ravel(), strict=True):
            try:
                items.append(_plain(name, exactly(held(item))))
            except RoofError as error:
                note = f"this is {_at(name, place)}"
                raise RoofError(
                    replace(each, notes=(note,)) for each in error.diagnostics
                ) from None
        shape, found = found.shape, np.array(items)
        if found.tolist() != items:  # there is no type of its own for numbers of so many digits
            found = np.array(items, dtype=object)
        found = found.reshape(shape)
    try:
        with np.errstate(over="ignore"):  # a long double may be beyond all doubles
            doubles = found.astype(float, copy=False)
    except OverflowError:
        raise _refused(name, "a number beyond 1.8e308", None) from None
    if not np.isfinite(doubles).all():
        place = tuple(np.argwhere(~np.isfinite(doubles))[0].tolist())
        message = f"{_at(name, place)} = {doubles[place]} is not a finite number"
        raise RoofError([Diagnostic("R0404", message)])
    return found


def shape_of(shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Return the shape that arrays of some shapes, by name, broadcast to.

    Raises RoofError where they do not (R0404).
    """
    found: list[int] = []
    for axis in zip_longest(*(reversed(shape) for shape in shapes.values()), fillvalue=1):
        length, *others = {*axis} - {1} or {1}
        if not others:
            found.insert(0, length)
            continue
        told = ", ".join(f"{name} {shape}" for name, shape in shapes.items())
        message = f"arrays of these shapes do not broadcast: {told}"
        hint = "give them one shape, or lay one across the other, as in [[1], [4]]"
        raise RoofError([Diagnostic("R0404", message, hint=hint)])
    return tuple(found)


def _count(value: object, deep: int = 0) -> int:
    """Return how many values one holds, which may be made once they are gone through."""
    size = getattr(value, "size", None)
    if isinstance(size, int):
        return size
    if isinstance(value, range):  # whose `len` may be too large for Python
        return max(0, -((value.start - value.stop) // value.step))
    length = len(value) if isinstance(value, Sized) else 1
    if isinstance(value, list | tuple) and length and deep < _MOST_DIMENSIONS:
        return length * (_count(value[0], deep + 1) if is_several(value[0]) else 1)
    return length


def _at(name: str, place: tuple[int, ...]) -> str:
    return f"{name}[{', '.join(map(str, place))}]"


def _plain(name: str, number: Fraction) -> float:
    try:
        return number.numerator if number.denominator == 1 else float(number)
    except OverflowError:
        raise _refused(name, "a number beyond 1.8e308", None) from None


def _refused(name: str, what: str, hint: str | None = _HINT) -> RoofError:
    return RoofError([Diagnostic("R0404", f"{name} is given {what}", hint=hint)])
