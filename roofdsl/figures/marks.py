"""Which colour, dash and shape stands for what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from roofdsl.figures.look import Palette

SHAPES = ("o", "s", "^", "D", "v", "P", "X", "p")
DASHES: tuple[tuple[float, ...], ...] = (
    (), (5.0, 2.0), (1.5, 1.5), (6.0, 1.5, 1.5, 1.5),
    (9.0, 2.5), (2.5, 1.0), (1.0, 3.0), (8.0, 1.5, 1.5, 1.5, 1.5, 1.5),
)  # fmt: skip
MOST_COLOURED = 16
SMALLEST, LARGEST = 3.5, 13.0


@dataclass(frozen=True, slots=True)
class Mark:
    """The colour and the dashes of a kernel or machine; `round` counts how often it was used."""

    colour: str
    dash: tuple[float, ...] = ()
    round: int = 0


def marks(names: Iterable[str], palette: Palette, most: int = MOST_COLOURED) -> dict[str, Mark]:
    """Return a mark for each name, in the order they come.

    Where there are more than `most`, too many to tell apart, all but the first seven are grey.

    >>> from roofdsl.figures.look import LIGHT
    >>> marks(["summa", "fft", "summa"], LIGHT)["fft"]
    Mark(colour='#d15101', dash=(5.0, 2.0), round=0)
    """
    found: dict[str, Mark] = {}
    distinct = list(dict.fromkeys(names))
    count = len(palette.series)
    for number, name in enumerate(distinct):
        if len(distinct) > most and number >= count - 1:
            found[name] = Mark(palette.muted)
        else:
            # A second round of the colours has other dashes: those of colours lighter or darker.
            dash = DASHES[(number + 4 * (number // count)) % len(DASHES)]
            found[name] = Mark(palette.series[number % count], dash, number // count)
    return found


def shapes(names: Iterable[str]) -> dict[str, str]:
    """Return the marker's shape for each name: a machine, a memory level, or both.

    >>> shapes(["", "L1", "DRAM"])
    {'': 'o', 'L1': 's', 'DRAM': '^'}
    """
    # A second round begins with another shape, so that it does not repeat a colour's.
    return {
        name: SHAPES[(number + number // len(SHAPES)) % len(SHAPES)]
        for number, name in enumerate(dict.fromkeys(names))
    }


def diameter(share: float | None, many: int = 1) -> float:
    """Return the diameter in points of a marker whose area shows a share of the time, 0 to 1.

    Where there are `many`, all are smaller.

    >>> diameter(None), diameter(0.0), diameter(1.0), diameter(None, many=2000)
    (5.0, 3.5, 13.0, 3.0)
    """
    scale = 1.0 if many < 100 else 0.8 if many < 500 else 0.6
    if share is None:
        return 5.0 * scale
    within = float(np.clip(share, 0.0, 1.0))
    return scale * float(np.sqrt(SMALLEST**2 + within * (LARGEST**2 - SMALLEST**2)))
