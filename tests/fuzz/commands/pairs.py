"""Pairs of files and a command, each the same for its seed, command and number."""

from __future__ import annotations

from dataclasses import dataclass, field
from shlex import join

from roofdsl.cli.main import COMMANDS
from tests.fuzz.choices import Seeded
from tests.fuzz.commands.lines import Lines
from tests.fuzz.commands.scripts import notebook, script
from tests.fuzz.programs import COMPANIONS

SCRIPTS = {"python": script, "notebook": notebook}
SORTS = (*COMMANDS, *SCRIPTS)
WEIGHTS = {
    "check": 110, "eval": 200, "test": 80, "show": 40, "list": 3, "explain": 10, "diff": 70,
    "table": 55, "project": 50, "validate": 30, "fit": 10, "study": 80, "solve": 100,
    "plot": 50, "report": 20, "explore": 12, "measure": 8, "import": 60, "trace": 20,
    "verify": 30, "python": 100, "notebook": 40,
}  # fmt: skip
"""Of 1000 pairs: many of what is cheap."""
SCRIPT = "call.py"
SHOWN = {"": "", "full": " > /dev/full", "closed": " >&-", "latin-1": "  # in Latin-1"}
"""Where output may go, as a shell has it."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A command with its arguments, or a program in Python, and the files it finds."""

    sort: str
    line: tuple[str, ...]
    files: dict[str, bytes] = field(repr=False)
    stream: str = ""
    """Where its output goes, if not into a file: `full`, `closed` or `latin-1`."""

    @property
    def is_script(self) -> bool:
        return self.sort in SCRIPTS

    def shown(self) -> str:
        """Return what to type to see it."""
        line = f"python {SCRIPT}" if self.is_script else join(("roofdsl", self.sort, *self.line))
        return line + SHOWN[self.stream]


def pair(sort: str, seed: str, number: int) -> Pair:
    choices = Seeded(f"{sort} {seed} {number}")
    files: dict[str, str] = {}
    line: list[str] = []
    text = ""
    if sort in SCRIPTS:
        text, files = SCRIPTS[sort](choices)
    else:
        lines = Lines(choices, sort)
        line, files = lines.written(), lines.files
    found = {name: _bytes(choices, text) for name, text in files.items()}
    beside = {name: text.encode() for name, text in COMPANIONS.items()}
    program = {SCRIPT: text.encode()} if text else {}
    stream = "" if text or choices.chance(96) else choices.pick([*SHOWN])
    return Pair(sort, tuple(line), {**beside, **found, **program}, stream)


def _bytes(choices: Seeded, text: str) -> bytes:
    """Return a text as bytes, seldom with one that is no UTF-8 or no line's end here."""
    data = text.encode("utf-8", "surrogatepass")
    match choices.below(100):
        case 0:
            place = choices.below(len(data) + 1)
            return data[:place] + bytes([choices.below(256)]) + data[place:]
        case 1:
            return data.replace(b"\n", b"\r\n")
        case 2:
            return b"\xef\xbb\xbf" + data
        case 3:
            return data[: choices.below(len(data) + 1)]
    return data


def shares(count: int) -> dict[str, int]:
    """Return how many of so many pairs are of each sort, at least one."""
    whole = sum(WEIGHTS[sort] for sort in SORTS)
    return {sort: max(1, round(count * WEIGHTS[sort] / whole)) for sort in SORTS}
