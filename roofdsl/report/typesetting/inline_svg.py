"""Figures inside a page: smaller, their colours by name, nothing that other figures have too."""

from __future__ import annotations

import re

_TAG = re.compile(r"<[^>]+>")
_DIGITS = re.compile(r"(?<![#\w])(-?\d+\.\d\d)\d+")
_COLOUR = re.compile(r"#([0-9a-f]{6})\b")
_FAMILY = re.compile(r"\s*font-family:[^;\"]*;?")
_NAME = re.compile(r'\bid="([^"]+)"')
_REFERENCE = re.compile(r'(url\(#|href="#)([^")]+)')


def inline_svg(svg: str, prefix: str) -> str:
    """Return matplotlib's SVG for use inside a page.

    Colours become `var(--f-0072b2, #0072b2)`, so that a page can have a dark form; names get a
    prefix; the page chooses the letters. It is hidden from screen readers: the page says what it
    shows.

    >>> inline_svg('<?xml?><svg><path style="fill: #ffffff" d="M 1.23456 2"/></svg>', "f")
    '<svg aria-hidden="true"><path style="fill: var(--f-ffffff, #ffffff)" d="M 1.23 2"/></svg>'
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"\s*<(metadata|title)>.*?</\1>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"\s*<defs>\s*<style.*?</defs>", "", svg, count=1, flags=re.DOTALL)
    used = {match[2] for match in _REFERENCE.finditer(svg)}

    def tag(match: re.Match[str]) -> str:
        text = _FAMILY.sub("", " ".join(match[0].split()))
        text = _DIGITS.sub(r"\1", text)
        text = re.sub(r"(\d\.\d)0\b|(\d)\.00\b", lambda m: m[1] or m[2], text)
        text = _NAME.sub(lambda m: f'id="{prefix}-{m[1]}"' if m[1] in used else "", text)
        text = _REFERENCE.sub(rf"\g<1>{prefix}-\2", text)
        text = re.sub(r' transform="rotate\(-?0 [^"]*\)"', "", text)
        return re.sub(r"\s+(?=/?>)|(?<=<g)\s+(?=>)", "", _COLOUR.sub(r"var(--f-\1, #\1)", text))

    svg = _TAG.sub(tag, svg)
    svg = re.sub(r">\s+<", "><", svg)
    while True:
        emptied = re.sub(r"<g></g>|<defs></defs>", "", svg)
        if emptied == svg:
            break
        svg = emptied
    return svg.replace("<svg", '<svg aria-hidden="true"', 1).strip()
