"""Values that nobody changes, and that say so."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any, NoReturn, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Unchanging:
    """A frozen dataclass with slots: what would change one is refused in words.

    With slots, `dataclass` makes each class anew; the methods that it wrote for the first one then
    end, for a name that is no field, in a TypeError about `super`.
    """

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for method in ("__setattr__", "__delattr__"):
            if method in vars(cls):  # the class made anew: the first one is yet without
                setattr(cls, method, _refuse)

    def __dir__(self) -> list[str]:
        """What completion offers: the public names."""
        return [name for name in super().__dir__() if not name.startswith("_")]


def _refuse(self: object, *_: object) -> None:
    raise FrozenInstanceError(f"'{type(self).__name__}' cannot be changed")


class ReadOnly(dict[K, V]):
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
