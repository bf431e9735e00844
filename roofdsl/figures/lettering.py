"""Texts in figures: how wide they are, how long names are shortened, numbers on axes."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import matplotlib as mpl
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

from roofdsl.figures.formula import Formula, math_of
from roofdsl.figures.look import NOTE_SIZE

MOST_LINES = 6
_LONGEST_WORD = 4000
# Behind these a name is broken where it is wider than a line.
_MARKS = "_.:/-"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def extent(text: str, size: float = NOTE_SIZE, bold: bool = False) -> tuple[float, float]:
    """Return the width and line height of a text in the font in force, in points.

    >>> width, height = extent("memory", 8.0)
    >>> 30 < width < 40, 8 < height < 12
    (True, True)
    """
    families, math = tuple(mpl.rcParams["font.family"]), math_of(text)
    if math:
        return _math_extent(math, size, bold, families, mpl.rcParams["mathtext.fontset"])
    return _extent(text, size, bold, families)


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


@lru_cache(maxsize=4096)
def _math_extent(
    math: str, size: float, bold: bool, families: tuple[str, ...], fontset: str
) -> tuple[float, float]:
    """Return the width and height of a formula; `fontset` is the one in force."""
    font = FontProperties(
        family=[*families], size=size, weight="bold" if bold else "normal", math_fontfamily=fontset
    )
    width, height, _ = text_to_path.get_text_width_height_descent(math, font, ismath=True)
    return width, max(1.2 * size, height + 0.2 * size)


def typeset(text: str) -> dict[str, Any]:
    """Return the arguments of a text of matplotlib: what it says, and whether that is mathtext."""
    math = math_of(text)
    return {"text": math or printable(text), "parse_math": bool(math)}


def shortened(text: str, width: float, size: float = NOTE_SIZE, bold: bool = False) -> str:
    """Return a text cut in its middle so that it is at most `width` points wide.

    A formula without the room is plain text.

    >>> shortened("a_kernel_with_a_very_long_name_indeed", 80.0, 7.0)
    'a_kernel_wit…_indeed'
    """
    if extent(text, size, bold)[0] <= width:
        return text
    if isinstance(text, Formula):
        return shortened(str(text), width, size, bold)

    def cut(kept: int) -> str:
        back = kept * 2 // 5
        return f"{text[: kept - back]}…{text[len(text) - back :]}"

    return cut(_most(len(text), cut, width, size, bold))


def _most(count: int, shown: Callable[[int], str], width: float, size: float, bold: bool) -> int:
    """Return how many letters, of so many, are shown within a width: found by doubling, halving.

    So no text is set that is much longer than the width.
    """

    def fits(kept: int) -> bool:
        return extent(shown(kept), size, bold)[0] <= width

    low, high = 0, 1
    while high <= count and fits(high):
        low, high = high, 2 * high
    high = min(high - 1, count)
    while low < high:
        kept = (low + high + 1) // 2
        low, high = (kept, high) if fits(kept) else (low, kept - 1)
    return low


def wrapped(text: str, width: float, size: float = NOTE_SIZE, bold: bool = False) -> list[str]:
    """Return a text in lines of at most `width` points: whole words, as far as they fit.

    Of very many lines the first and the last ones are kept.

    >>> wrapped("gpt3_training on dgx_a100_training", 120.0, 8.5, bold=True)
    ['gpt3_training on', 'dgx_a100_training']
    """
    lines: list[str] = []
    for word in text.split(" "):
        if lines and extent(f"{lines[-1]} {word}", size, bold)[0] <= width:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines += _pieces(word, width, size, bold)
    kept = MOST_LINES // 2
    return lines if len(lines) <= MOST_LINES else [*lines[:kept], "…", *lines[-kept:]]


def _pieces(word: str, width: float, size: float, bold: bool) -> list[str]:
    """Return a word in pieces that are at most `width` points wide, each of whole parts if it can.

    >>> _pieces("a_cluster_of_many_nodes_of_the_newest_kind", 100.0, 8.5, True)
    ['a_cluster_of_many_', 'nodes_of_the_', 'newest_kind']
    """
    if len(word) > _LONGEST_WORD:  # it fills more lines than are kept
        word = f"{word[: _LONGEST_WORD // 2]}…{word[-_LONGEST_WORD // 2 :]}"
    pieces, start = [], 0

    def piece(kept: int) -> str:
        return word[start : start + kept]

    while start < len(word):
        kept = max(1, _most(len(word) - start, piece, width, size, bold))
        if start + kept < len(word):
            whole = 1 + max(piece(kept).rfind(mark) for mark in _MARKS)
            kept = whole if 2 * whole > kept else kept  # not a short piece before a long part
        pieces.append(piece(kept))
        start += kept
    return pieces or [""]


def powers(base: int, exponents: Sequence[int]) -> list[str]:
    """Return powers as they stand at one axis: plain numbers where all are short, else none.

    >>> powers(10, [-1, 1, 3]), powers(10, [0, 4, 8])
    (['0.1', '10', '1000'], ['10⁰', '10⁴', '10⁸'])
    >>> powers(2, [-3, 0, 3]), powers(2, [-4, 16])
    (['1/8', '1', '8'], ['2⁻⁴', '2¹⁶'])
    """
    low, high = (-3, 4) if base == 10 else (-6, 13)
    if not all(low <= exponent <= high for exponent in exponents):
        return [f"{base}{str(exponent).translate(_SUPERSCRIPTS)}" for exponent in exponents]
    if base == 2:
        return [str(2**e) if e >= 0 else f"1/{2**-e}" for e in exponents]
    return [f"{10.0**exponent:.{max(0, -exponent)}f}" for exponent in exponents]


def alike(values: Sequence[float]) -> list[str]:
    """Return evenly spaced numbers as they stand at one axis: of one power of ten, if of any.

    >>> alike([0.0, 0.5, 1.0]), alike([0.0, 0.0005, 0.001]), alike([0.0, 5e-5, 1e-4])
    (['0', '0.5', '1'], ['0', '0.0005', '0.001'], ['0', '5×10⁻⁵', '10×10⁻⁵'])
    """
    largest = max(map(abs, values), default=0.0)
    if 1e-3 <= largest < 1e7 or not largest:
        return [f"{value:.12g}".replace("-", "−") for value in values]
    exponent = math.floor(math.log10(min(abs(value) for value in values if value)) + 1e-9)
    unit = f"×10{str(exponent).translate(_SUPERSCRIPTS)}"
    return [f"{v / 10.0**exponent:.6g}{unit}".replace("-", "−") if v else "0" for v in values]


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


def raised(unit: str) -> str:
    """Return a unit with its whole exponents above the line, as axes have it.

    >>> raised("s^-1"), raised("flop^2/B"), raised("GB/s")
    ('s⁻¹', 'flop²/B', 'GB/s')
    """
    return re.sub(r"\^(-?\d+)", lambda found: found[1].translate(_SUPERSCRIPTS), unit)


def printable(text: str) -> str:
    """Return a text without what cannot be shown: control characters, marks that turn its order.

    >>> printable("a\\x00b\\u202ec")
    'a�b�c'
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else "�" for char in text)
