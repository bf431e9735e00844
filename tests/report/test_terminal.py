"""What a terminal shows: no line is too long, nothing goes unnamed, colours say nothing alone."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import roofdsl.cli.formats
import roofdsl.cli.terminal
from roofdsl.cli.main import main
from roofdsl.cli.terminal import has_colour, terminal_of
from roofdsl.lines import columns_of, within
from roofdsl.report.terminal import COLOURS, Terminal, painted
from roofdsl.roles import Bad, Binding, Good

ROOT = Path(__file__).resolve().parents[2]
WIDTHS = (40, 80, 120)
FORMATS = ("csv", "json", "latex", "markdown")
_CODE = re.compile(r"\x1b\[[0-9;]*m")
_NUMBER = re.compile(r"\d+\.\d+")

POINT = "summa -m karst -p N=4096 -p P=121"
COMMANDS = (
    f"eval {POINT}",
    f"eval {POINT} -m jetstream -m h100_sxm",
    "eval summa -m karst -m h100_sxm -p N=1024..8192:x2 -p P=4,121",
    "eval summa -m karst -p N=1024,2048 -p P=121 --columns OI,MI,CAI,flops,time,memory,attainable",
    "eval summa -m karst -p N=1024,2048 -p P=121 --rates ±5%,±10%",
    "eval summa",
    "eval summa -p N=4096 -p P=121",
    "eval resnet50 -m h100_sxm -p batch=8",
    "eval resnet50 -m h100_sxm -p batch=1..64:x4",
    "solve summa --crossover --for N -m karst -p P=121",
    "solve summa --crossover --for N -m karst -p P=4..64:x4",
    'solve summa --such-that "time <= 10 s" --for N -m karst -p P=121',
    "solve summa --faster --for N -m karst -m jetstream -p P=121",
    f"study {POINT} --sensitivity",
    "study summa -m karst -p N=4096 --scaling",
    "study summa -m karst -p P=121 --asymptotic --for N",
    "table summa dgemv -m karst -m jetstream -p N=4096 -p P=121",
    "table --rates -m karst -m jetstream -m h100_sxm",
    "table summa dgemv --formulas",
    "diff karst jetstream",
    "project {profile} --from blue_waters_xe --to ivy_bridge --to haswell",
    "fit {runs} --model summa --model dgemv -m karst --constant startup",
    "validate tests/report/runs.csv -m karst",
    "list",
    "list ring",
    "show summa",
    "show h100_sxm",
    "test stdlib/linalg/summa.roof -v",
    "test {wrong} -v",
    "check {wrong} {broken} stdlib/linalg/summa.roof",
    "eval summa -m karst -p N=4096",
    "eval nosuchmodelwithaverylongnamethatdoesnotfitaline -m karst",
    "evall summa -m karst",
    "eval --nope",
    "eval summa --machine",
    "eval summa -m karst --format toml",
    "plot",
    "solve summa -m karst -p P=121",
)
WRONG = """\
model long_named_model_of_a_kernel {
  param N: integer[1..]
  flops = 2*N^3
  memory = 8 B * N^2
}
test "a test that does not hold, and has such a long title that no terminal shows it in a line" {
  let r = long_named_model_of_a_kernel(N = 10) on karst
  expect r.bound is network
}
"""
BROKEN = """\
model other_long_named_model_of_a_kernel {
  flops = 2 flop + some_undefined_name_that_is_long * another_undefined_name * 8 flop
  memory = 2 flop
}
"""

Say = Callable[[str], str]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    found = {name: tmp_path / f"{name}.roof" for name in ("wrong", "broken")}
    found["wrong"].write_text(WRONG)
    found["broken"].write_text(BROKEN)
    found["runs"] = ROOT / "examples" / "made_up_runs.csv"
    found["profile"] = tmp_path / "profile.csv"
    found["profile"].write_text("group,time [s],kind\nassembly,10,threaded\nsolver,2.5,serial\n")
    return found


@pytest.fixture
def say(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, Terminal | None], str]:
    monkeypatch.chdir(ROOT)
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)

    def say(line: str, terminal: Terminal | None) -> str:
        """Return what a command prints to a terminal, or to a pipe."""
        if terminal is not None:
            fuller = terminal._replace(fuller="--format json has all")
            monkeypatch.setattr(roofdsl.cli.formats, "terminal_of", lambda _: fuller)
            monkeypatch.setattr(roofdsl.cli.terminal, "terminal_of", lambda _: fuller)
        with pytest.raises(SystemExit):
            main([word.strip('"').format(**files) for word in re.findall(r'".*?"|\S+', line)])
        monkeypatch.undo()
        monkeypatch.chdir(ROOT)
        written = capsys.readouterr()
        return written.out + written.err

    return say


@pytest.mark.parametrize("line", COMMANDS)
def test_no_line_is_wider_than_the_terminal(line: str, say: Callable[..., str]) -> None:
    whole = say(line, None)
    assert whole
    assert "Usage" not in whole, whole
    numbers = {*_NUMBER.findall(whole)}
    for width in WIDTHS:
        page = say(line, Terminal(width))
        assert [x for x in page.split("\n") if columns_of(x) > width] == []
        assert {*_NUMBER.findall(page)} <= numbers  # none is cut
    assert say(line, Terminal(1000)).split() == whole.split()


@pytest.mark.parametrize("line", COMMANDS)
def test_colours_add_nothing_to_the_text(line: str, say: Callable[..., str]) -> None:
    for width in (None, 80):
        plain, coloured = (say(line, Terminal(width, colour)) for colour in (False, True))
        assert "\x1b" not in plain
        assert _CODE.sub("", coloured) == plain


def test_the_verdict_is_always_shown_and_what_is_not_is_named(say: Callable[..., str]) -> None:
    line = "eval summa -m karst -m h100_sxm -p N=1024..8192:x2 -p P=4,121"
    whole = {*say(line, None).split("\n")[2].split()}
    for width in (40, 50, 60, 80, 100):
        page = say(line, Terminal(width))
        shown = {*page.split("\n\n")[1].split("\n")[0].split()}
        assert {"machine", "N", "P", "time", "bound"} <= shown
        named = re.search(r"not shown at this width: ([^;]*);", " ".join(page.split()))
        told = {*named[1].split(", ")} if named else set()
        assert shown | told == whole
        assert not shown & told


def test_columns_that_are_asked_for_stand_below_rather_than_nowhere(
    say: Callable[..., str],
) -> None:
    asked = "OI,MI,CAI,flops,time,memory,attainable"
    page = say(f"eval summa -m karst -p N=1024,2048 -p P=121 --columns {asked}", Terminal(40))
    assert "not shown" not in page
    assert {*asked.split(",")} <= {*page.split()}
    parts = [part for part in page.split("\n\n") if re.match(r"\s+N ", part)]
    assert len(parts) > 1  # each begins with what tells its rows apart
    assert all("1024" in part and "2048" in part for part in parts)


def test_a_machine_beyond_the_width_stands_below(say: Callable[..., str]) -> None:
    page = say(f"eval {POINT} -m jetstream -m h100_sxm", Terminal(40))
    assert {"karst", "jetstream", "h100_sxm"} <= {*page.split()}
    assert page.count("  bound ") == page.count("  time ") == page.count("  OI ") > 1


def test_a_list_has_a_line_for_each(say: Callable[..., str]) -> None:
    whole = say("list", None).split("\n")
    names = [line.split()[0] for line in whole if line.startswith("  ")]
    for width in WIDTHS:
        page = say("list", Terminal(width)).split("\n")
        rows = [line for line in page if line.startswith("  ") and not line.startswith("   ")]
        shown = [line.split()[0] for line in rows if not line.startswith("  … stands for")]
        for name, row in zip(names, shown, strict=True):
            assert name.startswith(row.removesuffix("…"))


@pytest.mark.parametrize(
    ("environment", "tty", "colour"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"TERM": "xterm-256color"}, True, True),
        ({"TERM": "dumb"}, True, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"NO_COLOR": "0"}, True, False),  # of any value but none, as no-color.org says
        ({"FORCE_COLOR": "1"}, False, True),
        ({"CLICOLOR_FORCE": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"CLICOLOR_FORCE": "0"}, False, False),
        ({"FORCE_COLOR": "3", "TERM": "dumb"}, True, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
        ({"CLICOLOR": "0"}, True, False),
        ({"CLICOLOR": "0", "CLICOLOR_FORCE": "1"}, False, True),
    ],
)
def test_colours_are_as_the_environment_says(
    environment: dict[str, str], tty: bool, colour: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert has_colour(tty=tty) == colour


def test_a_pipe_has_no_width_whatever_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert terminal_of(io.StringIO()).width is None


class _Typewriter(io.StringIO):
    """A terminal that does not know how wide it is."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("said", "width"),
    [("40", 40), ("", 80), ("0", 80), ("wide", 80), ("-3", 80), ("5", 20), ("9" * 5000, 80)],
)
def test_the_width_is_what_columns_says(
    said: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", said)
    assert terminal_of(_Typewriter()).width == width


@pytest.mark.parametrize("form", FORMATS)
def test_formats_for_programs_have_no_colours(
    form: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for more, coloured in ((["--format", form], False), ([], True)):
        with pytest.raises(SystemExit):
            main(["eval", *POINT.split(), *more])
        assert ("\x1b" in capsys.readouterr().out) == coloured


def test_colours_are_legible_on_black_and_on_white() -> None:
    for number in COLOURS.values():
        light = _luminance(number)
        assert (light + 0.05) / 0.05 >= 4.5
        assert 1.05 / (light + 0.05) >= 4.5


def _luminance(number: int) -> float:
    """Return how light a colour of the 6 × 6 × 6 cube is, as WCAG 2 has it."""
    parts = [(number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6]
    levels = [(0 if part == 0 else 55 + 40 * part) / 255 for part in parts]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in levels]
    return sum(weight * x for weight, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_a_text_of_others_makes_no_codes() -> None:
    hostile = "\x1b[31mred\x1b]0;title\x07\x9b2J"
    shown = painted([(hostile, Binding(hostile), Bad(hostile))], Terminal(colour=True))
    assert not {"\x07", "\x9b"} & {*shown}
    assert _CODE.sub("", shown).count("\x1b") == 0
    assert len(_CODE.findall(shown)) == 4  # begin and end of two roles


def test_lines_keep_their_roles_and_all_their_words() -> None:
    line = ("  bound  ", Good("fits a capacity of 22 GB/s and a_very_long_name.of_several.parts"))
    for width in range(8, 90):
        lines = within(line, width)
        assert max(sum(map(columns_of, each)) for each in lines) <= width
        joined = "".join("".join(each) for each in lines)
        assert joined.replace(" ", "") == "".join(line).replace(" ", "")
        words = [piece for each in lines for piece in each if piece.strip()]
        assert all(isinstance(piece, Good) for piece in words[1:])


@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")
def test_a_terminal_of_its_own() -> None:
    page = "".join(_typed("eval summa -m karst -m h100_sxm -p N=1024,2048 -p P=121", 40))
    assert "\x1b[1;38;5;63mnetwork\x1b[0m" in page
    assert "not shown at this width" in page
    assert all(len(line) <= 40 for line in _CODE.sub("", page).split("\n"))
    assert "\x1b" not in "".join(_typed(f"eval {POINT} --format json", 40))


@pytest.mark.skipif(os.name != "posix", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("line", ["evall", "eval summa --machine", "eval summa --format toml"])
def test_a_wrong_call_is_told_as_other_problems_are(line: str) -> None:
    page = "".join(_typed(line, 40, ending=2))
    assert page.startswith(f"\x1b[1;38;5;{COLOURS[Bad]}merror[R1401]\x1b[0m: ")
    assert all(len(line) <= 40 for line in _CODE.sub("", page).split("\n"))
    plain = "".join(_typed(line, 40, ending=2, NO_COLOR="1"))
    assert plain == _CODE.sub("", page)


def _typed(line: str, width: int, ending: int = 0, **more: str) -> Iterator[str]:
    """Yield what a command prints in a pseudo-terminal of a width."""
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    hidden = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    command = [sys.executable, "-m", "roofdsl", *line.split()]
    running = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**environment, "TERM": "xterm", **more},
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        written += part
    os.close(ours)
    assert running.wait() == ending
    yield written.decode().replace("\r\n", "\n")
