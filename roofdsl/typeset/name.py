"""How a name is typeset: `T_step` with a subscript, `alpha` as a Greek letter, `word` upright."""

from __future__ import annotations

import re
from typing import NamedTuple

_LETTERS = {
    **dict(zip("alpha beta gamma delta epsilon zeta eta theta".split(), "αβγδεζηθ", strict=True)),
    **dict(zip("iota kappa lambda mu nu xi omicron pi rho".split(), "ικλμνξοπρ", strict=True)),
    **dict(zip("sigma tau upsilon phi chi psi omega".split(), "στυφχψω", strict=True)),
}
GREEK = _LETTERS | {name.capitalize(): letter.upper() for name, letter in _LETTERS.items()}
"""The Greek letters by their names in ASCII."""

# As in the grammar; the names of rates have dots.
_PART = "[A-Za-z_\u0370-\u03ff][A-Za-z0-9_\u0370-\u03ff]*"
_NAME = re.compile(rf"{_PART}(\.{_PART})*")
_RESOURCES = ("flops", "memory", "network", "messages")  # not a device: `titan.gpu.flops`
_NUMBERED = re.compile(r"(\D+)([0-9]+)")


class Name(NamedTuple):
    """A name in its parts; `known` is False for one that no file can hold, to be shown as text."""

    base: str
    subscripts: tuple[str, ...] = ()
    known: bool = True


def parts_of(name: str) -> Name:
    """Return a name in its parts, Greek letters as such.

    A subscript only stands at a single letter or at capitals: `word_size` stays together. A
    machine's rate is named for its resource, with the machine, the device and the level as
    subscripts.

    >>> parts_of("T_step"), parts_of("beta2").base, parts_of("word_size").base
    (Name(base='T', subscripts=('step',), known=True), 'β', 'word_size')
    >>> parts_of("BW_intra")
    Name(base='BW', subscripts=('intra',), known=True)
    >>> parts_of("karst.memory.L2")
    Name(base='memory', subscripts=('karst', 'L2'), known=True)
    """
    if not _NAME.fullmatch(name):
        return Name(name, known=False)
    owner, *path = name.split(".")
    if path:
        place = next((at for at, part in enumerate(path) if part in _RESOURCES), 0)
        return Name(path[place], (owner, *path[:place], *path[place + 1 :]))
    first, *rest = name.split("_")
    letter, number = first, ""
    numbered = _NUMBERED.fullmatch(first)
    if numbered:
        letter, number = numbered.groups()
    letter = GREEK.get(letter, letter)
    if (len(letter) != 1 and not letter.isupper()) or not all(rest):
        return Name(name)
    return Name(letter, tuple(GREEK.get(part, part) for part in (number, *rest) if part))
