"""References of `source` lines: the works the library knows, as BibTeX."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from roofdsl import resources
from roofdsl.inert import visible

_ENTRY = re.compile(r"^@(\w+)\{([\w:-]+),\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_PLACE = re.compile(
    r"(?!.*\b(?:of|from|my|our)\b)(?:[^:]{1,60}: )?"
    r"(?:§|(?:Tables?|Fig(?:ure)?s?|Eqs?|Lemmas?|Theorems?|Algorithms?|item)\b)"
)
"""A place in the work before it, after a few words such as `B and M: `, and of no other work."""
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
    """A `source` line, the keys of the works it names, and the parts of it that name none."""

    text: str
    keys: tuple[str, ...] = ()
    without_work: tuple[str, ...] = ()


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
    """Return a `source` line with the keys of the works it names, and what it says of no work.

    Semicolons part it. A part names a work at its beginning, or behind a few words and a colon, or
    two; one that names a place, such as `B: §2.5`, goes on with the part before it.

    >>> source("Cardwell 2019, Table 2.4; algorithm: van de Geijn and Watts 1997").keys
    ('cardwell2019', 'vandegeijn1997')
    >>> source("Kwack et al. 2018 and my own count; unlike Cardwell 2019")[1:]
    (('kwack2018',), ('my own count', 'unlike Cardwell 2019'))
    """
    keys: dict[str, None] = {}
    others: list[str] = []
    named = False
    parts = re.split("; ?", " ".join(text.split()))[::-1]
    while parts:
        part = parts.pop()
        if match := _beginning().match(part):
            named = True
            keys[_names()[match[1]]] = None
            parts += [match[2]] if match[2] else []
        elif _PLACE.match(part) and (named or others):
            others[-1:] = others[-1:] if named else [f"{others[-1]}; {part}"]
        elif part:
            named = False
            others.append(part)
    return SourceLine(text, tuple(keys), tuple(others) if keys else (text,))


@cache
def _names() -> dict[str, str]:
    """Return the keys of works by their names: by these keys, and by authors and year."""
    names = {name: work.key for work in works() for name in (work.key, *work.cited_as) if name}
    short = [(_short(work.fields), work.key) for work in works()]
    times = Counter(name for name, _ in short)
    return {**{name: key for name, key in short if times[name] == 1}, **names}


@cache
def _beginning() -> re.Pattern[str]:
    """Return what a part of a line is that names a work, and what an `and` right behind adds."""
    names = "|".join(map(re.escape, sorted(_names(), key=len, reverse=True)))
    return re.compile(rf"(?:[^:]{{1,60}}: ?){{0,2}}?({names})(?!\w)(?:,? (?:and|&) (.+))?")


def _short(fields: dict[str, str]) -> str:
    """Return a work as sentences name it: one author or both, or the first of more, and the year.

    >>> _short({"author": "Kong, M. and Pouchet, L.-N. and Sadayappan, P.", "year": "2015"})
    'Kong et al. 2015'
    """
    names = [name.partition(",")[0] for name in plain(fields["author"]).split(" and ")]
    several = len(names) > 2 or names[-1] == "others"
    who = f"{names[0]} et al." if several else " and ".join(names)
    return f"{who} {fields['year']}"


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
    """Return the sources, and parts of them, each once, that name no work the library knows."""
    return tuple(dict.fromkeys(text for item in sources for text in item.without_work))


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
