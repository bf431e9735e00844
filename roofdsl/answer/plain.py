"""Numbers for JSON, which has neither infinity nor NaN."""

from __future__ import annotations

import math
from typing import TypeAlias

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None


def number(value: float | None) -> Json:
    """Return a number for JSON: infinity as "inf", what is undefined as null.

    >>> number(1.5), number(math.inf), number(math.nan)
    (1.5, 'inf', None)
    """
    if value is None or math.isfinite(value):
        return value
    return None if math.isnan(value) else "inf" if value > 0 else "-inf"


def plain(value: float | bool | str) -> Json:
    """Return a parameter's value for JSON; a whole number without a fraction.

    >>> plain(4096.0), plain(0.5), plain("fp64"), plain(True)
    (4096, 0.5, 'fp64', True)
    """
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else number(value)
    return value
