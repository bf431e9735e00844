"""Functions of NumPy that make arrays out of nothing: called by a script, they make its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from roofdsl.tracing.tally import NOTHING, Tally
from roofdsl.tracing.traced import Traced, as_array, new, traced

_WRITTEN = ("zeros", "ones", "full", "arange", "linspace", "eye", "identity", "tri", "indices")
_TAKEN = ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray")


@contextmanager
def creating(tally: Tally, names: dict[str, object] | None = None) -> Iterator[None]:
    """Have `np.zeros`, `np.arange`, `np.array` and the like make arrays that count.

    Only where the script calls them, or what stands beside it: NumPy's own code gets its own.
    `names` are those of a script that is there already, and may have taken them out of NumPy.
    """
    kept = {name: getattr(np, name) for name in (*_WRITTEN, *_TAKEN, "empty")}
    makers: dict[str, Callable[..., object]] = {
        **{name: _writing(name, kept[name], tally) for name in _WRITTEN},
        **{name: _taking(name, kept[name], tally) for name in _TAKEN},
        "empty": lambda *args, **more: new(kept["empty"](*args, **more), tally, known=True),
    }
    folder = os.path.dirname(tally.path)  # noqa: PTH120 - as Python has it, not made whole
    taken = {
        name: maker
        for name, value in (names or {}).items()
        for maker in kept
        if value is kept[maker]
    }
    for name, maker in makers.items():
        setattr(np, name, _of_script(name, kept[name], maker, folder))
    if names is not None:
        names.update({name: getattr(np, maker) for name, maker in taken.items()})
    try:
        yield
    finally:
        if names is not None:
            names.update({name: kept[maker] for name, maker in taken.items()})
        for name, function in kept.items():
            setattr(np, name, function)


def _of_script(
    name: str, usual: Callable[..., object], maker: Callable[..., object], folder: str
) -> Callable[..., object]:
    def make(*args: object, **more: object) -> object:
        frame = sys._getframe(1)
        code = frame.f_code
        beside = os.path.dirname(code.co_filename) == folder  # noqa: PTH120 - as above
        # What is compiled has no frame of its own: it is not the script that calls.
        named = name in code.co_names or any(
            frame.f_globals.get(each) is make for each in code.co_names
        )
        return (maker if beside and named else usual)(*args, **more)

    return make


def _writing(name: str, usual: Callable[..., object], tally: Tally) -> Callable[..., object]:
    def make(*args: object, **more: object) -> object:
        plain = [each.plain if isinstance(each, Traced) and each.known else each for each in args]
        result = new(usual(*plain, **more), tally, known=True)
        tally.count(name, NOTHING, (), result.region)
        return result

    return make


def _taking(name: str, usual: Callable[..., object], tally: Tally) -> Callable[..., object]:
    def make(value: object, dtype: object = None, **more: object) -> object:
        if not isinstance(value, (Traced, list, tuple)):
            return traced(as_array(usual(value, dtype)), tally)
        found = traced(value, tally)
        wanted = found.dtype if dtype is None else np.dtype(dtype)  # type: ignore[call-overload]
        if wanted != found.dtype:
            return found.astype(wanted)
        if name != "array" or more.get("copy") is False or found is not value:
            return found
        return found.tally_result("copy", found.plain.copy(), found.region, known=found.known)

    return make
