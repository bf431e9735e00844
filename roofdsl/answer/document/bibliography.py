"""References of `source` lines: the works the library knows, as BibTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from roofdsl import resources
from roofdsl.inert import visible

_ENTRY = re.compile(r"^@(\w+)\{([\w:-]+),\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^\s*([\w-]+)\s*=\s*\{(.*)\},?\s*$", re.MULTILINE)


class Reference(NamedTuple):
    """A work in references.bib: its key, how it is read, its BibTeX entry, and what that says.

    `cited_as` are the ways in which `source` lines name it.
    """

    key: str
    text: str
    entry: str
    fields: dict[str, str]
    cited_as: tuple[str, ...]


class SourceLine(NamedTuple):
    """A `source` line, and the keys of the references it names where the library knows them."""

    text: str
    keys: tuple[str, ...] = ()


@cache
def works() -> tuple[Reference, ...]:
    """Return the works in reports/references.bib."""
    text = (resources.folder("reports") / "references.bib").read_text(encoding="utf-8")
    found = []
    for kind, key, body in _ENTRY.findall(text):
        fields = dict(_FIELD.findall(body))
        names = tuple(name.strip() for name in fields.pop("cited-as", "").split(";"))
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
        entry = "\n".join([f"@{kind}{{{key},", *lines, "}"])
        found.append(Reference(key, _read(fields), entry, fields, names))
    return tuple(found)


def source(text: str) -> SourceLine:
    """Return a `source` line with the keys of the works it names.

    >>> source("Cardwell 2019, Table 2.4; algorithm: van de Geijn and Watts 1997").keys
    ('cardwell2019', 'vandegeijn1997')
    """
    found = [
        (text.find(name), work.key)
        for work in works()
        for name in work.cited_as
        if name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    ]
    return SourceLine(text, tuple(dict.fromkeys(key for _, key in sorted(found))))


def references(sources: Iterable[SourceLine]) -> tuple[Reference, ...]:
    """Return the works that sources name, each once, by key."""
    keys = {key for item in sources for key in item.keys}
    return tuple(sorted(work for work in works() if work.key in keys))


def bibtex(sources: Iterable[SourceLine]) -> str:
    """Return the works that sources name as a BibTeX file; other sources are comments in it.

    >>> print(bibtex([source("my own measurement"), source("Cannon 1969")]).partition(" title")[0])
    % There is no entry for these sources:
    % my own measurement
    <BLANKLINE>
    @phdthesis{cannon1969,
      author = {Cannon, L. E.},
    """
    given = tuple(sources)
    head = [f"% {visible(' '.join(text.split()))}" for text in without_work(given)]
    if head or not given:
        head.insert(
            0, "% There is no entry for these sources:" if head else "% There are no sources."
        )
    # BibTeX skips what stands between entries, up to the next at sign.
    comments = ["\n".join(head).replace("@", " at ")] if head else []
    return "\n\n".join([*comments, *(item.entry for item in references(given))]) + "\n"


def without_work(sources: Iterable[SourceLine]) -> tuple[str, ...]:
    """Return the sources, each once, that name no work the library knows."""
    return tuple(dict.fromkeys(item.text for item in sources if not item.keys))


def _read(entry: dict[str, str]) -> str:
    """Return a work as a line of text: authors, title, where, when."""
    fields = {name: plain(value) for name, value in entry.items()}
    names = fields.get("author", "").split(" and ")
    authors = ", ".join(" ".join(reversed(name.split(", "))) for name in names if name)
    places = ("journal", "booktitle", "school", "publisher", "howpublished")
    place = next((fields[name] for name in places if fields.get(name)), "")
    parts = [authors, fields.get("title", ""), place, fields.get("year", "")]
    return ". ".join(part for part in parts if part) + "."


_ACCENTS = {
    '"': "\u0308",
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    "~": "\u0303",
    "u": "\u0306",
}


def plain(value: str) -> str:
    r"""Return a BibTeX value as text.

    >>> plain(r"{J}{\"a}hne, P. -- {FFT}")
    'Jähne, P. – FFT'
    """
    from unicodedata import normalize

    def accented(match: re.Match[str]) -> str:
        return normalize("NFC", match[2] + _ACCENTS[match[1]])

    value = re.sub(r"\{?\\([\"'`^~u])\{?(\w)\}?\}?", accented, value)
    return value.replace("{", "").replace("}", "").replace("--", "–")
