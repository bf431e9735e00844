"""Each reader compares what its form says: a number or a word altered there is seen.

What a form does not say is in the table of readers, with the reason.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from decimal import Decimal
from functools import cache, partial
from itertools import chain, count
from typing import Any

import numpy as np
import pytest

from roofdsl.answer import sweep, swept
from roofdsl.answer.swept import Sweep
from tests.agreement import readers
from tests.agreement.points import Point, first
from tests.agreement.readers import READERS, Reader, wrong
from tests.agreement.values import expected

FILES = ("linalg.summa", "networks.lenet5", "networks.alexnet")
SLIGHTLY, GREATLY = 1 + 1e-9, 1e-9
"""What numbers are multiplied by: all must be seen; such that other things follow from them."""
FOLLOWING = {"bound", "kind", "fits"}
NUMBER = re.compile(r"(?<![\w.*^])\d+(?:\.\d+)?(?:e-?\d+)?")
WORDS = {
    "within": "beyond", "may not hold": "holds", "holds": "may not hold", "true": "false",
    "false": "true", "flops": "nothing", "memory": "nothing", "network": "nothing",
    "nvme": "nothing",
}  # fmt: skip
WORD = re.compile("|".join(WORDS))


@cache
def examples() -> tuple[Point, ...]:
    """Return a kernel of several processes, and compositions that have a footprint."""
    return tuple(next(first(file)) for file in FILES)


@pytest.mark.parametrize("name", [name for name, reader in READERS.items() if reader.make])
def test_what_is_altered_in_a_form_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make = READERS[name].make
    assert make is not None
    forms = [(point, make(point)) for point in examples()]
    assert unseen(READERS[name], forms, monkeypatch) == set()


def unseen(
    reader: Reader, forms: list[tuple[Point, Any]], monkeypatch: pytest.MonkeyPatch
) -> set[str]:
    """Return the kinds of quantities that forms say, and that may differ without being seen."""
    said: set[str] = set()
    seen: set[str] = set()
    for point, form in forms:
        assert list(wrong(point, reader, form)) == []
        said |= {_kind(each) for each, _ in reader.read(point, form) if _alters(point, each)}
        for factor in (SLIGHTLY, GREATLY):
            for each in chain(altered(form, factor), computed(form, factor, monkeypatch)):
                found = differing(point, reader, each)
                seen |= found if factor == SLIGHTLY else found & FOLLOWING
    return said - seen


def _kind(quantity: str) -> str:
    return quantity.partition(" ")[0]


def _alters(point: Point, quantity: str) -> bool:
    value = expected(point).get(quantity)
    return value is not None and not (isinstance(value, float) and value in (0, math.inf))


def differing(point: Point, reader: Reader, form: Any) -> set[str]:
    """Return the kinds of quantities in which an altered form is seen to differ."""
    try:
        return {_kind(each) for each in wrong(point, reader, form) if "is not said" not in each}
    except KeyError:  # a heading was altered
        return set()


def altered(form: Any, factor: float) -> Iterator[Any]:
    """Yield a form again and again, one number or word in it altered each time."""
    match form:
        case bool():
            yield not form
        case int():
            yield form - 1
        case float() if form and math.isfinite(form):
            yield form * factor
        case np.ndarray() if form.dtype.kind in "fi":
            yield form * factor if form.dtype.kind == "f" else form - 1
        case str():
            for number in NUMBER.finditer(form):
                yield form[: number.start()] + _other(number[0], factor) + form[number.end() :]
            for word in WORD.finditer(form):
                yield form[: word.start()] + WORDS[word[0]] + form[word.end() :]
        case list() | tuple():
            same: Callable[..., Any] = getattr(form, "_make", tuple)
            for place, item in enumerate(form):
                for each in altered(item, factor):
                    yield same((*form[:place], each, *form[place + 1 :]))
        case dict():
            for key, item in form.items():
                yield from ({**form, key: each} for each in altered(item, factor))
        case Sweep():
            for field in fields(form):
                for each in altered(getattr(form, field.name), factor):
                    yield replace(form, **{field.name: each})


def _other(number: str, factor: float) -> str:
    """Return another number: of many digits, a multiple; else one with another last digit."""
    exact = Decimal(number)
    if len(exact.as_tuple().digits) > 8:
        return repr(float(number) * factor)
    return str(exact + Decimal((0, (1,), int(exact.as_tuple().exponent))))


def computed(form: Any, factor: float, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Yield a form of formulas again and again, one of their values altered each time."""
    for module, name in (
        (readers, "evaluate"),
        (readers, "extended"),
        (sweep, "evaluate"),
        (swept, "evaluate"),
    ):
        plain = getattr(module, name)
        for place in count():
            values: list[Any] = []
            monkeypatch.setattr(module, name, partial(_off, plain, place, factor, values))
            yield form
            if len(values) <= place:
                break
        monkeypatch.setattr(module, name, plain)


def _off(
    plain: Callable[..., Any], place: int, factor: float, values: list[Any], *given: Any
) -> Any:
    values.append(plain(*given))
    return values[-1] * (factor if len(values) == place + 1 else 1)
