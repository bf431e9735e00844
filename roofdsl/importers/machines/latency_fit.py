"""The latency and the bandwidth of a link, told from how long messages of several sizes took."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from roofdsl.units.quantity import show_percent


class Message(NamedTuple):
    """How many bytes were sent, and how many seconds that took."""

    size: Fraction
    time: Fraction


class Link(NamedTuple):
    """A link: s for a message of no bytes, B/s; `off` is the largest relative error of the fit.

    `worst` is the size of the message of which it is.
    """

    latency: Fraction
    bandwidth: Fraction
    off: Fraction
    worst: Fraction


def fitted(messages: Sequence[Message]) -> Link | None:
    """Return the link by which messages take times closest to their own.

    The latency L ≥ 0 and the time of a byte b make the sum of ((L + b·size)/time - 1)² least, in
    exact arithmetic. None where fewer than two sizes were sent, or larger ones took no longer.

    >>> sent = [Message(Fraction(size), 2 + Fraction(size, 4)) for size in (0, 8, 64)]
    >>> fitted(sent)
    Link(latency=Fraction(2, 1), bandwidth=Fraction(4, 1), off=Fraction(0, 1), worst=Fraction(0, 1))
    """
    if len({message.size for message in messages}) < 2:
        return None
    constant = [1 / message.time for message in messages]
    growing = [message.size / message.time for message in messages]
    aa, bb = sum(a * a for a in constant), sum(b * b for b in growing)
    ab = sum(a * b for a, b in zip(constant, growing, strict=True))
    a, b = sum(constant), sum(growing)
    determinant = aa * bb - ab * ab  # above 0, as two sizes differ
    latency = Fraction(a * bb - b * ab) / determinant
    each_byte = Fraction(b * aa - a * ab) / determinant
    if latency < 0:
        latency, each_byte = Fraction(0), Fraction(b) / bb
    if each_byte <= 0:
        return None
    off, worst = max(
        (abs((latency + each_byte * sent.size) / sent.time - 1), -sent.size) for sent in messages
    )
    return Link(latency, 1 / each_byte, off, -worst)


def how_far(link: Link, size: Fraction) -> str:
    """Return how far the fit is off, and that its numbers are rounded to six digits.

    `size` is the one where it is off most, as the file has it.
    """
    if not link.off:
        return "through all of them; six digits"
    return f"off by up to {show_percent(float(link.off))} (at {size} B); six digits"
