"""What a pair may come to: an answer, diagnostics or a usage error, soon, and no litter."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from tests.fuzz.commands.forks import Outcome, run
from tests.fuzz.commands.pairs import SCRIPT, SCRIPTS, Pair
from tests.fuzz.commands.roof_files import texts
from tests.fuzz.judge import FOREIGN

SECONDS = 2.0
MEMORY = 500 * 10**6
ENDS = ("answered", "refused", "usage error")
"""By exit code."""
FAILURES = ("crash", "overrun", "words", "left over")
INTERNAL = re.compile(
    r"\binternal(?: error)?\b|\bbug\b|Aborted!|\bassert|Errno|0x[0-9a-f]{8,}", re.IGNORECASE
)
CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufffe\uffff]"
)
NETWORKS = ("lenet5:lenet5_training", "gpt3", "vgg16", "resnet152:resnet152_training")
"""Those that take long: of many layers, of many kinds of them, or of many steps each."""
_ON = ("-m", "h100_sxm", "-p", "batch=4")
_PYTHON = """\
import roofdsl as rd
prediction = rd.load_model({name!r}).on(rd.load_machine("h100_sxm"))
print(prediction.{asked}, prediction._repr_html_())
"""
_NOTEBOOK = """\
from pathlib import Path
from roofdsl.notebook import load_ipython_extension
from tests.notebook.test_cells import Shell
shell = Shell()
load_ipython_extension(shell)
print(repr(shell.magics['roof']('', Path('cell.txt').read_text())))
"""
_CALLS = (
    "evaluate(batch=4)",
    "crossovers('batch')",
    "sensitivity(batch=4)",
    "time_expression('batch')",
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a pair came to, and what is wrong with it."""

    end: str
    wrong: tuple[str, ...]
    outcome: Outcome

    @property
    def kind(self) -> str:
        """What is wrong without the numbers and names in it: one failure or another of its kind."""
        return re.sub(r"'[^']*'|\"[^\"]*\"|\d+(\.\d+)?", "…", self.wrong[0])


def judged(pair: Pair) -> Verdict:
    """Run a pair, and judge it; one that takes too long is run again: the machine may be busy."""
    outcome = run(pair)
    if outcome.code >= 0 and outcome.seconds > SECONDS and outcome.seconds > allowed(pair.sort):
        again = run(pair)
        outcome = min(outcome, again, key=lambda each: each.seconds)
    crash, foreign = [*_crashes(outcome)], [*_words(pair, outcome)]
    overrun, left = [*_overruns(pair, outcome)], [*_left(pair, outcome)]
    problems = dict(zip(FAILURES, (crash, overrun, foreign, left), strict=True))
    end = next((name for name, found in problems.items() if found), "")
    wrong = tuple(f"{name}: {each}" for name, found in problems.items() for each in found)
    return Verdict(end or ENDS[outcome.code], wrong, outcome)


def _crashes(outcome: Outcome) -> list[str]:
    if outcome.code < 0:
        return [] if outcome.code in (-24, -14) else [f"signal {-outcome.code}"]
    if "Traceback (most recent call last)" in outcome.errors:
        return [outcome.errors.strip().splitlines()[-1][:300]]
    return [f"exit code {outcome.code}"] if outcome.code not in (0, 1, 2) else []


def _overruns(pair: Pair, outcome: Outcome) -> list[str]:
    found = []
    if outcome.code in (-24, -14):
        found.append(f"ended after {outcome.seconds:.1f} s")
    elif outcome.seconds > SECONDS and outcome.seconds > allowed(pair.sort):
        found.append(f"{outcome.seconds:.1f} s of {allowed(pair.sort):.1f} s")
    if outcome.growth > MEMORY:
        found.append(f"{outcome.growth / 1e6:.0f} MB")
    return found


def _words(pair: Pair, outcome: Outcome) -> list[str]:
    """Return what is said in words of ours or of libraries, or what a terminal would obey."""
    found = []
    given = " ".join(pair.line) + "".join(
        data.decode("utf-8", "replace") for data in pair.files.values()
    )
    for words in (FOREIGN, INTERNAL):
        foreign = words.search(outcome.errors)
        if foreign is not None and foreign[0].lower() not in given.lower():
            found.append(f"says '{foreign[0]}'")
    if outcome.code == 1 and not _is_coded(pair, outcome):
        found.append("no code, or nothing said")
    if outcome.code == 2 and "error[R1401]" not in outcome.errors:
        found.append("a usage error that says nothing")
    for stream in ("output", "errors"):
        control = CONTROL.search(getattr(outcome, stream))
        if control is not None:
            found.append(f"{stream} holds {control[0]!r} raw")
    return found


def _is_coded(pair: Pair, outcome: Outcome) -> bool:
    if pair.is_script and re.match(r"(Type|Attribute)Error: .", outcome.errors):
        return True
    both = outcome.errors + (outcome.output if pair.sort in ("check", "test") else "")
    return bool(re.search(r"error\[R\d{4}\]", both))


def _left(pair: Pair, outcome: Outcome) -> list[str]:
    """Return what was made or changed that nobody asked for."""
    named = outcome.code == 0 or not outcome.made or bool(pair.stream)
    stems = {text.rpartition(".")[0] or text for text in pair.line}
    text = pair.files.get(SCRIPT, b"").decode("utf-8")
    asked = [
        any(name.startswith(stem) for stem in stems if stem)
        or repr(name)[1:-1].partition(".")[0] in text
        for name in (*outcome.made, *outcome.changed)
    ]
    told = zip((*outcome.made, *outcome.changed), asked, strict=True)
    found = [f"'{name[:60]}' was not asked for" for name, is_asked in told if not is_asked]
    if not named and not pair.is_script:
        found.append(f"'{outcome.made[0][:60]}' is left of a command that failed")
    return found


@cache
def allowed(sort: str) -> float:
    """Return the seconds a pair may take: three times those of the slowest bundled network.

    Raises AssertionError where one of them is refused: no limit may be in their way.
    """
    found = [(each, run(each)) for each in _networks(sort)]
    refused = [f"{each.shown()}: {outcome.errors}" for each, outcome in found if outcome.code]
    assert not refused, "\n".join(refused)
    return max(SECONDS, 3 * max((outcome.seconds for _, outcome in found), default=0))


def _networks(sort: str) -> list[Pair]:
    """Return what a command is asked of the bundled networks."""
    if sort == "python":
        return [
            _script(_PYTHON.format(name=name, asked=call)) for name in NETWORKS for call in _CALLS
        ]
    if sort == "notebook":
        longest = max(texts("file"), key=len)
        return [_script(_NOTEBOOK, {"cell.txt": longest.encode()}, "notebook")]
    lines: dict[str, Callable[[str], tuple[str, ...]]] = {
        "eval": lambda name: (name, *_ON[:2]),
        "solve": lambda name: (name, "--crossover", *_ON[:2]),
        "study": lambda name: (name, "--sensitivity", *_ON),
        "plot": lambda name: ("breakdown", name, *_ON, "-o", "out.svg"),
        "diff": lambda name: (name, "lenet5", *_ON[:2], "-m", "a100_sxm_80gb"),
        "table": lambda name: (name, *_ON),
        "report": lambda name: (name, *_ON, "-o", "out.html"),
        "explore": lambda name: (name, *_ON, "-o", "out.html"),
        "show": lambda name: (name,),
    }
    if sort in lines:
        return [Pair(sort, lines[sort](name), {}) for name in NETWORKS]
    if sort in ("check", "test"):
        long = sorted(texts("file"), key=len)[-3:]
        return [Pair(sort, ("mine.roof",), {"mine.roof": text.encode()}) for text in long]
    return []


def _script(text: str, files: dict[str, bytes] | None = None, sort: str = "python") -> Pair:
    assert sort in SCRIPTS
    return Pair(sort, (), {**(files or {}), SCRIPT: text.encode()})
