"""Values that nobody changes, and that say so."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import ClassVar


class Unchanging:
    """A frozen dataclass with slots: what would change one is refused in words.

    With slots, `dataclass` makes each class anew; the methods that it wrote for the first one then
    end, for a name that is no field, in a TypeError about `super`.

    `_inside` are names that our own code asks of a class, beside those of the classes it is made
    of: they are there, and neither offered nor told of.
    """

    __slots__ = ()
    _inside: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for method in ("__setattr__", "__delattr__"):
            if method in vars(cls):  # the class made anew: the first one is yet without
                setattr(cls, method, _refuse)

    def __dir__(self) -> list[str]:
        """What completion offers: the public names."""
        inside = inside_of(type(self))
        return [name for name in super().__dir__() if name[:1] != "_" and name not in inside]


def inside_of(kind: type) -> set[str]:
    """Return the names of a class that our own code alone asks for."""
    return {name for each in kind.__mro__ for name in vars(each).get("_inside", ())}


def _refuse(self: object, *_: object) -> None:
    raise FrozenInstanceError(f"'{type(self).__name__}' cannot be changed")
