"""What answers hold: mappings and arrays that are read alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, NoReturn, ParamSpec, TypeVar

from roofdsl.diagnostic import did_you_mean, listing
from roofdsl.inert import visible
from roofdsl.unchanging import Unchanging

K = TypeVar("K")
V = TypeVar("V")
P = ParamSpec("P")
R = TypeVar("R")


class NoSuchName(KeyError):
    """A name that a mapping does not have: the text says which is near, or which there are.

    >>> print(NoSuchName("srot", ["sort", "scan"]))
    there is no 'srot'; did you mean 'sort'?
    >>> print(NoSuchName("x", ["sort", "scan"]))
    there is no 'x'; what there is: 'sort' and 'scan'
    """

    def __init__(self, name: object, names: Iterable[object]) -> None:
        super().__init__(name)
        self.names = names

    def __reduce__(self) -> tuple[type[NoSuchName], tuple[object, list[object]]]:
        return type(self), (self.args[0], [*self.names])

    def __str__(self) -> str:  # many are caught, and asked for no text
        name, names = f"{self.args[0]}", [str(each) for each in self.names]
        hint = did_you_mean(name, names) or f"what there is: {listing(names)}"
        return f"there is no '{visible(name[:40])}'; {hint}"


class ByName:
    """A mapping whose names notebooks complete, and which tells of a name that it does not have."""

    __slots__ = ()

    def _ipython_key_completions_(self: Iterable[K]) -> list[K]:
        return [*self]

    def __missing__(self: Iterable[K], name: object) -> NoReturn:
        raise NoSuchName(name, self)


class ReadOnly(ByName, dict[K, V]):
    """A mapping inside an answer; `dict(…)` makes one of it that may be changed.

    >>> work = ReadOnly(flops=1.0)
    >>> work["flops"] = 2.0
    Traceback (most recent call last):
    TypeError: what an answer holds cannot be changed; `dict(…)` makes a copy that can
    """

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]  # a dictionary has none, as it changes
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[ReadOnly[K, V]], tuple[dict[K, V]]]:
        return type(self), (dict(self),)

    # What is given does not matter, so it may be anything.
    def _refuse(self, *_: Any, **__: Any) -> NoReturn:  # noqa: ANN401
        raise TypeError("what an answer holds cannot be changed; `dict(…)` makes a copy that can")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse


# What it is given is of any sort, which it keeps.
def read_only(value: Any) -> Any:  # noqa: ANN401
    """Return an answer's value whose mappings and arrays, those further inside too, are read-only.

    >>> read_only(({"N": 1},))[0].clear()
    Traceback (most recent call last):
    TypeError: what an answer holds cannot be changed; `dict(…)` makes a copy that can
    """
    if type(value) is dict:
        return ReadOnly({name: read_only(item) for name, item in value.items()})
    if isinstance(value, tuple):
        return getattr(type(value), "_make", type(value))(map(read_only, value))
    if isinstance(value, Unchanging):
        for name in getattr(value, "__dataclass_fields__", ()):
            object.__setattr__(value, name, read_only(getattr(value, name)))
    elif hasattr(value, "setflags"):
        value.setflags(write=False)
    return value


def unchanging(function: Callable[P, R]) -> Callable[P, R]:
    """Make what a function or property returns read-only.

    >>> unchanging(lambda: {"N": 1})().clear()
    Traceback (most recent call last):
    TypeError: what an answer holds cannot be changed; `dict(…)` makes a copy that can
    """

    @wraps(function)
    def held(*args: P.args, **kwargs: P.kwargs) -> R:
        return read_only(function(*args, **kwargs))  # type: ignore[no-any-return]  # as it came

    return held
