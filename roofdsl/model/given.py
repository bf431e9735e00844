"""What Python gives for an argument: each sort of value is read in one place.

A reader takes an argument's name, which its messages begin with, and what is given, and returns
that as the package has it. It raises TypeError for what is of another sort, and RoofError (R0404)
for a number that cannot be used.
"""

from __future__ import annotations

import os
import re
from array import array
from collections import UserList, deque
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from sys import float_info
from typing import TypeAlias, TypeVar, cast

from roofdsl.diagnostic import Diagnostic, RoofError, raise_if_any
from roofdsl.expression.condition import truth
from roofdsl.expression.tree import Expression, Number
from roofdsl.inert import visible
from roofdsl.model.arguments import read_number
from roofdsl.model.types import Parameter
from roofdsl.source import Source
from roofdsl.units.dimension import DIMENSIONLESS, Dimension
from roofdsl.units.unit import NO_UNITS, Unit

T = TypeVar("T")
K = TypeVar("K")
Reader: TypeAlias = Callable[[str, object], T]
MOST_DIGITS = 400
_NO_TEXT = "[\0\ud800-\udfff]"
_KINDS = "biufUO"
"""The kinds of NumPy's values that hold what Python has too; others are dates, or records."""


def held(value: object) -> object:
    """Return what a NumPy scalar, or an array without dimensions, holds; any other value as it is.

    NumPy need not be loaded for it.
    """
    if getattr(value, "ndim", None) != 0 or _kind(value) not in _KINDS:
        return value
    masked, item = getattr(value, "mask", False), getattr(value, "item", None)
    return item() if callable(item) and not masked else value


def _kind(value: object) -> str:
    return str(getattr(getattr(value, "dtype", None), "kind", "none"))


def _is_number(value: object) -> bool:
    """Whether a value is a real number, if perhaps not a finite one."""
    if isinstance(value, bool) or _kind(value) not in ("none", "f"):
        return False  # NumPy's time spans pass for whole numbers
    return isinstance(value, Real | Decimal)


def exact(value: object) -> Fraction | None:
    """Return a number as it is, None for what is no number, not finite, or of too many digits.

    >>> exact(0.5), exact(True), exact(float("nan"))
    (Fraction(1, 2), None, None)
    """
    value = held(value)
    if not _is_number(value):
        return None
    if isinstance(value, Decimal):
        _, digits, exponent = value.as_tuple()
        if not isinstance(exponent, int) or max(len(digits), abs(exponent)) > MOST_DIGITS:
            return None  # not finite; or written out, it might fill the memory
        above, below = value.as_integer_ratio()
    elif isinstance(value, Rational):
        above, below = int(value.numerator), int(value.denominator)
    elif isinstance(value, Real):
        try:
            above, below = float(value).as_integer_ratio()
        except (OverflowError, ValueError):  # infinite, or no number
            return None
    else:
        return None
    return Fraction(above, below) if max(abs(above), below) <= 10**MOST_DIGITS else None


def argument_of(parameter: Parameter, value: object) -> Expression | Diagnostic:
    """Return what is given for a parameter as an exact expression in SI base units.

    Or what is wrong with it. A text is read as on the command line, by `read_arguments`.
    """
    name, found = parameter.name, held(value)
    if is_several(found):
        return no_number(name, found)
    if parameter.kind == "precision":
        hint = f'give its name: {name}="fp64"'
        return Diagnostic("R0308", f"{name} = {said(found)} is not a precision", (), hint)
    if isinstance(found, bool) != (parameter.kind == "boolean"):
        wanted = "a number" if parameter.is_number else "True or False"
        return Diagnostic("R0306", f"{name} is given {said(found)}, but {wanted} is needed")
    if isinstance(found, bool):
        return truth(found)
    number = exact(found)
    return no_number(name, found) if number is None else Number(number)


def is_several(value: object) -> bool:
    """Whether a value holds several: a list or the like, or what NumPy makes an array of."""
    if isinstance(value, memoryview):
        return not isinstance(value.obj, bytes | bytearray)  # these are one value, as a text is
    if isinstance(value, list | tuple | range | UserList | deque | array):
        return True
    return is_array(value) and _dimensions(value) > 0


def is_array(value: object) -> bool:
    """Whether a value is an array as it is, for NumPy: its numbers have a type of their own."""
    if isinstance(value, array | memoryview):
        return True
    offers = hasattr(value, "__array__") or hasattr(value, "__array_interface__")
    return offers and not isinstance(value, type)


def _dimensions(value: object) -> int:
    interface = getattr(value, "__array_interface__", None)
    made = getattr(value, "__array__", None)
    found = getattr(value, "ndim", None)
    if found is None and isinstance(interface, dict):
        found = len(interface.get("shape", ()))
    elif found is None and callable(made):
        found = getattr(made(), "ndim", 0)
    return found if isinstance(found, int) else 0


def no_number(name: str, value: object) -> Diagnostic:
    """Return what is wrong with a value that is no number."""
    found = held(value)
    hint: str | None = 'give a number, or a text with its unit, such as "16 KiB"'
    if is_several(value):
        hint = "`sweep` takes arrays of values; `combined` puts answers at single ones together"
        return Diagnostic("R0404", f"{name} is given several values, and takes one", hint=hint)
    if isinstance(found, Iterable) and not isinstance(found, str | bytes | bytearray | Mapping):
        hint = "give a number; `sweep` takes several: give a list or an array"
    if not _is_number(found):
        message = f"{name} is given {said(found)}, which is no number"
    elif isinstance(found, Rational) or str(found).lstrip("-")[0].isdigit():
        message, hint = f"{name} has more than {MOST_DIGITS} digits", "they go from 1e-400 to 1e400"
    else:
        message, hint = f"{name} = {found} is not a finite number", None
    return Diagnostic("R0404", message, hint=hint)


def said(value: object) -> str:
    """Return what a value is, in a few words: an object may be long, or unable to show itself.

    >>> said(None), said(True), said("karst"), said([1, 2])
    ('None', 'True', "'karst'", 'a value of type list')
    """
    if value is None or isinstance(value, int | float):
        return str(value) if not isinstance(value, int) or abs(value) < 10**40 else "a large number"
    if isinstance(value, str):
        shown = visible(value[:40])
        return f"'{shown}…'" if len(value) > 40 else f"'{shown}'"
    return f"a value of type {visible(type(value).__name__)}"


def one_of(*kinds: type[K], wanted: str) -> Reader[K]:
    """Return what reads an object of some classes; `wanted` says what that is."""

    def read(name: str, value: object) -> K:
        found = held(value)
        if isinstance(found, kinds):
            return found
        raise TypeError(f"{name} takes {wanted}, not {said(value)}")

    return read


as_truth = one_of(bool, wanted="True or False")
_as_text = one_of(str, wanted="a text")
_as_path = one_of(str, wanted="a path, as a text or a Path")


def as_text(name: str, value: object) -> str:
    """Read a text, which can be written to a file."""
    found = _as_text(name, value)
    if odd := re.search(_NO_TEXT, found):
        message = f"{name} holds {said(odd[0])}, which is half of a character, or none"
        raise RoofError([Diagnostic("R0104", message)])
    return found


def as_path(name: str, value: object) -> str:
    """Read a path as a text: a text itself, or what has one, such as a `Path`."""
    return _as_path(name, os.fspath(value) if isinstance(value, os.PathLike) else value)


def as_part(name: str, value: object) -> str | float | Fraction:
    """Read a number, or a text that says one, such as `80%`."""
    found = held(value)
    if isinstance(found, str):
        return found
    number = exact(found)
    if number is not None:
        return found if isinstance(found, float) else number
    if _is_number(found):
        raise RoofError([no_number(name, found)])
    raise TypeError(f"{name} takes a number or a text, not {said(value)}")


def number_in(dimension: Dimension, declared: Mapping[str, Unit] = NO_UNITS) -> Reader[Fraction]:
    """Return what reads a number in SI base units, or a text with its unit, as a fraction.

    `declared` are the units of a file, which the text may have.
    """

    def read(name: str, value: object) -> Fraction:
        found = as_part(name, value)
        if isinstance(found, str):
            source = Source(name, f"{name} = {found}", begin=len(name) + 3)
            number = read_number(source, name, dimension, declared)
        else:
            number = Fraction(found)
        if abs(number) > float_info.max:
            raise RoofError([Diagnostic("R0404", f"{name} is a number beyond 1.8e308")])
        return number

    return read


def double_in(dimension: Dimension = DIMENSIONLESS) -> Reader[float]:
    """Return what reads a number as a double."""
    exactly = number_in(dimension)
    return lambda name, value: float(exactly(name, value))


def in_turn(*readers: Reader[object]) -> Reader[tuple[object, ...]]:
    """Return what reads so many values, each by its own reader."""
    items = each(lambda _, item: item)

    def read(name: str, value: object) -> tuple[object, ...]:
        found = items(name, value)
        if len(found) != len(readers):
            raise TypeError(f"{name} takes {len(readers)} values, not {len(found)}")
        places = enumerate(zip(readers, found, strict=True))
        return tuple(reader(f"{name}[{place}]", item) for place, (reader, item) in places)

    return read


_NO_ROWS = (str, bytes, bytearray, memoryview, Mapping, set, frozenset)
"""What can be gone through, but is one value, or has no order."""


def one_or_more(reader: Reader[T]) -> Reader[tuple[T, ...]]:
    """Return what reads one thing that is not iterable, or several."""
    several = each(reader)

    def read(name: str, value: object) -> tuple[T, ...]:
        return several(name, value if isinstance(value, Iterable) else [value])

    return read


def some(several: Reader[tuple[T, ...]], what: str) -> Reader[tuple[T, ...]]:
    """Return what reads several things, of which there has to be one."""

    def read(name: str, value: object) -> tuple[T, ...]:
        found = several(name, value)
        if not found:
            message = f"no {what} is given"
            raise RoofError([Diagnostic("R0404", message, hint="give at least one")])
        return found

    return read


def each(reader: Reader[T]) -> Reader[tuple[T, ...]]:
    """Return what reads several values, each by a reader; a text is not several."""

    def read(name: str, value: object) -> tuple[T, ...]:
        several = not isinstance(value, _NO_ROWS) and getattr(value, "ndim", 1) != 0
        if not isinstance(value, Iterable) or not several:
            raise TypeError(f"{name} takes several values, as a list, not {said(value)}")
        return tuple(reader(f"{name}[{place}]", item) for place, item in enumerate(value))

    return read


def by_name(reader: Reader[T]) -> Reader[dict[str, T]]:
    """Return what reads values by their names, each by a reader."""

    def read(name: str, value: object) -> dict[str, T]:
        if not isinstance(value, Mapping):
            raise TypeError(f"{name} takes values by name, as a dict, not {said(value)}")
        known = {as_text(f"a name in {name}", key): item for key, item in value.items()}
        return {key: reader(f"{name}[{said(key)}]", item) for key, item in known.items()}

    return read


def joined(mapping: Mapping[str, T], keywords: Mapping[str, T]) -> dict[str, T]:
    """Return what a mapping in front and keywords give; raise RoofError (R0202) for one in both."""
    by = "in the mapping in front, and as"
    problems = [
        Diagnostic("R0202", f"{name} is given twice: {by} {name}=", hint="give it once")
        for name in keywords
        if name in mapping
    ]
    raise_if_any(problems)
    return {**mapping, **keywords}


def all_of(values: Mapping[str, T | Mapping[str, T]]) -> dict[str, T]:
    """Return values by keywords with those by name among them; raise RoofError for one in both.

    >>> all_of({"N": 4, "values": {"size": 8}})
    {'size': 8, 'N': 4}
    """
    given = values.get("values", {})
    by_names: Mapping[str, T] = given if isinstance(given, Mapping) else {}
    # No other value is a mapping: what reads one says so.
    return joined(by_names, {name: cast(T, x) for name, x in values.items() if x is not by_names})
