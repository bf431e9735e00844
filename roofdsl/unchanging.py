"""Values that nobody changes, and that say so."""

from __future__ import annotations

from dataclasses import FrozenInstanceError


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
