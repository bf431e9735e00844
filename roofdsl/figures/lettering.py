"""Texts in figures: how wide they are, how long names are shortened, numbers on axes."""

from __future__ import annotations

import math
import warnings
from functools import lru_cache

import matplotlib as mpl
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from roofdsl.figures.look import NOTE_SIZE

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def extent(text: str, size: float = NOTE_SIZE, bold: bool = False) -> tuple[float, float]:
    """Return the width and line height of a text in the font in force, in points.

    >>> width, height = extent("memory", 8.0)
    >>> 30 < width < 40, 8 < height < 12
    (True, True)
    """
    return _extent(text, size, bold, tuple(mpl.rcParams["font.family"]))


@lru_cache(maxsize=4096)
def _extent(text: str, size: float, bold: bool, families: tuple[str, ...]) -> tuple[float, float]:
    font = FontProperties(family=[*families], size=size, weight="bold" if bold else "normal")
    with warnings.catch_warnings():
        # A name may hold letters the font has not; they are drawn as boxes.
        warnings.filterwarnings("ignore", message="Glyph")
        widths = [
            text_to_path.get_text_width_height_descent(line, font, ismath=False)[0]
            for line in text.split("\n")
        ]
    return max(widths), 1.2 * size * len(widths)


def shortened(text: str, width: float, size: float = NOTE_SIZE, bold: bool = False) -> str:
    """Return a text cut in its middle so that it is at most `width` points wide.

    >>> shortened("a_kernel_with_a_very_long_name_indeed", 80.0, 7.0)
    'a_kernel_wit…_indeed'
    """
    if extent(text, size, bold)[0] <= width:
        return text
    low, high = 0, len(text)
    while low < high:
        kept = (low + high + 1) // 2
        low, high = (
            (kept, high) if extent(_cut(text, kept), size, bold)[0] <= width else (low, kept - 1)
        )
    return _cut(text, low)


def _cut(text: str, kept: int) -> str:
    back = kept * 2 // 5
    return f"{text[: kept - back]}…{text[len(text) - back :]}"


def power(base: int, exponent: int) -> str:
    """Return a power as it stands at an axis: a plain number where that is short.

    >>> power(10, -1), power(10, 3), power(10, 7), power(2, -3), power(2, 40)
    ('0.1', '1000', '10⁷', '1/8', '2⁴⁰')
    """
    if base == 10 and -3 <= exponent <= 3:
        return f"{10.0**exponent:.{max(0, -exponent)}f}"
    if base == 2 and 0 <= exponent <= 13:
        return str(2**exponent)
    if base == 2 and -6 <= exponent < 0:
        return f"1/{2**-exponent}"
    return f"{base}{str(exponent).translate(_SUPERSCRIPTS)}"


def three_digits(value: float) -> str:
    """Return a number as it stands in a figure: three digits, no trailing zeros.

    >>> [three_digits(x) for x in (1.5827, 18.333, 127.6, 61952.0, 0.04166, 1.2e9, 5e-7)]
    ['1.58', '18.3', '128', '61952', '0.0417', '1.2×10⁹', '5×10⁻⁷']
    """
    if value == 0 or math.isnan(value):
        return "0" if value == 0 else "?"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) < 1e7 and value == int(value):
        return str(int(value)).replace("-", "−")
    mantissa, _, exponent = f"{value:.2e}".partition("e")
    if -4 < int(exponent) < 6:
        text = f"{value:.{max(0, 2 - int(exponent))}f}"
        return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")
    short = mantissa.rstrip("0").rstrip(".").replace("-", "−")
    return f"{short}×10{str(int(exponent)).translate(_SUPERSCRIPTS)}"


def printable(text: str) -> str:
    """Return a text without what cannot be shown: control characters, marks that turn its order.

    >>> printable("a\\x00b\\u202ec")
    'a�b�c'
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else "�" for char in text)
