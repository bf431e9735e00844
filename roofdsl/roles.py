"""Texts that say how something ends: what binds, what holds, what does not, what is open.

Each is a text like any other. A terminal shows it in a colour too, which says nothing more.
"""

from __future__ import annotations


class Role(str):
    """A text that says how something ends."""

    __slots__ = ()


class Binding(Role):
    """What binds."""

    __slots__ = ()


class Good(Role):
    """That something holds, fits or is proven, or that a test has passed."""

    __slots__ = ()


class Bad(Role):
    """That something does not: an error."""

    __slots__ = ()


class Open(Role):
    """That something is not decided, or is to be looked at: a warning."""

    __slots__ = ()
