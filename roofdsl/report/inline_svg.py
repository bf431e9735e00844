"""Figures inside a page: small, with colours for the dark, nothing other figures have too."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import NamedTuple

_TAG = re.compile(r"(<[^>]+>)")
_DIGITS = re.compile(r"(?<![#\w])(-?\d+\.\d)\d+")
_FAMILY = re.compile(r"\s*font-family:[^;\"]*;?")
_NAME = re.compile(r'\sid="([^"]+)"')
_REFERENCE = re.compile(r'(url\(#|xlink:href="#)([^")]+)')
_STYLE = re.compile(r'style="([^"]*)"')

_STROKE = re.compile(r'<path id="([^"]+)" d="M0 0L([-\d. ]+)" class="(\w+)"/>')
_PLACE = re.compile(r' x="([^"]+)" y="([^"]+)"')
_TICKS = re.compile(
    r'<use href="#([^"]+)" x="[^"]+" y="[^"]+" class="(\w+)"/>'
    r'(?:<use href="#\1" x="[^"]+" y="[^"]+" class="\2"/>)+'
)


class Inline(NamedTuple):
    """A figure for a page, and what its classes stand for: in the light, and in the dark."""

    svg: str
    styles: tuple[tuple[str, str, str], ...]


def inline_svg(svg: str, prefix: str, dark: str = "") -> Inline:
    """Return matplotlib's SVG for use inside a page.

    A style becomes a class, with that of the same element in `dark`, the same figure for dark
    pages; names get a prefix; the page chooses the letters. It is hidden from screen readers: the
    page says what it shows.

    >>> figure = '<?xml?><svg><g><path style="fill: #ffffff" d="M 1.23456 2"/></g></svg>'
    >>> shown = inline_svg(figure, "summa", figure.replace("#ffffff", "#111418"))
    >>> shown.svg
    '<svg aria-hidden="true"><path class="fa1a92" d="M1.2 2"/></svg>'
    >>> shown.styles
    (('fa1a92', 'fill:#ffffff', 'fill:#111418'),)
    """
    svg, dark = _body(svg), _body(dark or svg)
    found, others = _pieces(svg), _pieces(dark)
    if len(found) != len(others):  # two of its elements are one in the other: it stays light
        others = found
    used = {match[2] for match in _REFERENCE.finditer(svg)}
    own = "f" + sha256(prefix.encode()).hexdigest()[:5]
    names = {name: f"{own}-{number}" for number, name in enumerate(sorted(used))}
    styles: dict[str, tuple[str, str]] = {}

    def tag(text: str, other: str) -> str:
        text = _FAMILY.sub("", " ".join(text.split()))
        if match := _STYLE.search(text):
            pair = _style(match), _style(_STYLE.search(other) or match)
            name = "f" + sha256("|".join(pair).encode()).hexdigest()[:5]
            styles[name] = pair
            text = text.replace(match[0], f'class="{name}"', 1)
        text = _NAME.sub(lambda m: f' id="{names[m[1]]}"' if m[1] in names else "", text)
        text = _REFERENCE.sub(lambda m: m[1].removeprefix("xlink:") + names[m[2]], text)
        text = re.sub(r' transform="rotate\(-?0 [^"]*\)"', "", text)
        text = _DIGITS.sub(r"\1", text)
        text = re.sub(r"\.0(?!\d)", "", text)
        text = re.sub(r"(?<=[ML]) | (?=[MLz])| z? ?(?=\")", "", text) if " d=" in text else text
        return re.sub(r"\s+(?=/?>)", "", text)

    # What stands between tags matplotlib has escaped.
    both = zip(found, others, strict=True)
    pieces = [tag(piece, other) if piece.startswith("<") else piece for piece, other in both]
    shown = _with_ticks_merged("".join(_without_groups(pieces)))
    shown = shown.replace(' xmlns:xlink="http://www.w3.org/1999/xlink"', "", 1)
    return Inline(
        shown.replace("<svg", '<svg aria-hidden="true"', 1).strip(),
        tuple((name, *styles[name]) for name in sorted(styles)),
    )


def _body(svg: str) -> str:
    """Return a figure's element without what it says of itself."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<(metadata|title)>.*?</\1>", "", svg, flags=re.DOTALL)
    return re.sub(r"\s*<defs>\s*<style.*?</defs>", "", svg, count=1, flags=re.DOTALL)


def _pieces(svg: str) -> list[str]:
    """Return tags, and what stands between them."""
    return [piece for piece in _TAG.split(svg) if piece.strip()]


def _style(match: re.Match[str]) -> str:
    """Return a style without letters, which the page chooses, and without needless digits."""
    text = _DIGITS.sub(r"\1", _FAMILY.sub("", " ".join(match[1].split())))
    return re.sub(r"\s*([:;])\s*", r"\1", text.strip())


def _with_ticks_merged(svg: str) -> str:
    """Draw tick marks beside one another, which differ only in place, as one path."""
    strokes = {name: (end, style) for name, end, style in _STROKE.findall(svg)}

    def merged(match: re.Match[str]) -> str:
        if match[1] not in strokes:
            return match[0]
        end, style = strokes[match[1]]
        path = "".join(f"M{x} {y}l{end}" for x, y in _PLACE.findall(match[0]))
        return f'<path d="{path}" class="{style}"/>'

    return _TICKS.sub(merged, svg)


def _without_groups(pieces: list[str]) -> list[str]:
    """Leave out groups that say nothing."""
    kept: list[str] = []
    open_groups: list[bool] = []
    for piece in pieces:
        if piece == "<g>":
            open_groups.append(False)
        elif piece == "</g>":
            if open_groups.pop():
                kept.append(piece)
        else:
            if piece.startswith("<g ") and not piece.endswith("/>"):
                open_groups.append(True)
            kept.append(piece)
    return [piece for piece in kept if piece not in ("<g/>", "<defs/>")]
