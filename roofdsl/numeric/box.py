"""Boxes of a search: stretches of places that are still to be decided."""

from __future__ import annotations

from typing import NamedTuple

from roofdsl.numeric.pair import Pair
from roofdsl.numeric.place import Place


class OpenBox(NamedTuple):
    """All places from `first` to `last`, and the two formulas as they are there."""

    first: Place
    last: Place
    pair: Pair
