"""What a terminal shows: how wide it is, and the codes of its colours, which are made here alone.

Each colour has a contrast of at least 4.5 on black and on white (`tests/report/test_terminal.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from roofdsl.inert import visible
from roofdsl.lines import Line
from roofdsl.roles import Bad, Binding, Good, Open, Role

COLOURS: dict[type[Role], int] = {Binding: 63, Good: 29, Bad: 163, Open: 131}
"""Of the 256 that terminals have: blue, green, red and brown, as far as these are legible."""
_END = "\x1b[0m"


class Terminal(NamedTuple):
    """How wide it is, None where nothing is broken; and whether it shows colours.

    `fuller` says what has the columns for which there is no room: `--format csv has all`.
    """

    width: int | None = None
    colour: bool = False
    fuller: str = ""


PIPE = Terminal()
"""A file or another program: it has all, without colours."""


def painted(lines: Iterable[Line], terminal: Terminal = PIPE) -> str:
    """Return lines as a terminal shows them; whatever stands in them is inert.

    >>> painted([("bound  ", Binding("net\\x1b[1mwork"))], Terminal(colour=True))
    'bound  \\x1b[1;38;5;63mnet\\\\x1b[1mwork\\x1b[0m'
    """
    if not terminal.colour:
        return visible("\n".join(map("".join, lines)))
    return "\n".join("".join(map(_painted, line)) for line in lines)


def _painted(piece: str) -> str:
    shown = visible(piece)
    if not isinstance(piece, Role) or not shown:
        return shown
    return f"\x1b[1;38;5;{COLOURS[type(piece)]}m{shown}{_END}"
