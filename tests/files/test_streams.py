"""What is printed goes where it can; where it cannot, that is said, and never with a traceback."""

from __future__ import annotations

import os
from pathlib import Path
from shutil import copytree

import pytest

from tests.files.program import Ended, home_of, run, shell

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a shell as on POSIX")
EVAL = "roofdsl eval summa --machine karst -p N=4096 -p P=121"
PRINTING = {
    "eval": EVAL,
    "json": f"{EVAL} --format json",
    "solve": "roofdsl solve summa --crossover --for N --machine karst -p P=121",
    "study": "roofdsl study summa --sensitivity --machine karst -p N=4096 -p P=121",
    "diff": "roofdsl diff karst jetstream",
    "table": "roofdsl table --rates --machine karst",
    "check": "roofdsl check summa.roof",
    "test": "roofdsl test summa.roof",
    "list": "roofdsl list",
    "show": "roofdsl show summa",
    "explain": "roofdsl explain R0802",
    "help": "roofdsl --help",
    "help of a command": "roofdsl eval --help",
    "version": "roofdsl --version",
    "many rows": "roofdsl eval summa --machine karst -p N=2..4000 -p P=1",
    "project": "roofdsl project {craypat} --from blue_waters_xe --to ivy_bridge",
    "validate": "roofdsl validate {runs} --machine karst",
    "plot": "roofdsl plot roofline --machine karst --data points.csv",
    "import": "roofdsl import {settings}",
}


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home in which commands ran: what they keep there is made once."""
    folder = tmp_path_factory.mktemp("used")
    for name in ("eval", "check", "project", "plot"):
        assert shell(command(name), folder).code == 0
    return home_of(folder)


@pytest.fixture(autouse=True)
def kept(used: Path, tmp_path: Path) -> None:
    copytree(used / ".cache", home_of(tmp_path) / ".cache")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """What is printed where nothing is in the way."""
    folder = tmp_path_factory.mktemp("whole")
    return {name: shell(command(name), folder) for name in ("eval", "show")}


def command(name: str) -> str:
    profile = Path(__file__).parents[2] / "examples" / "craypat_profile.csv"
    settings = Path(__file__).parents[1] / "importers" / "configs" / "gpt2.json"
    runs = Path(__file__).parents[1] / "report" / "runs.csv"
    command = PRINTING[name].replace("{settings}", f"'{settings}'").replace("{runs}", f"'{runs}'")
    return command.replace("{craypat}", f"'{profile}'")


@pytest.mark.parametrize("name", PRINTING)
def test_a_full_disk_is_said(name: str, tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    found = shell(f"{command(name)} > /dev/full", tmp_path)
    message = "error[R0802]: standard output cannot be written: no space left on device\n"
    assert found == (1, "", message)


@pytest.mark.parametrize("name", ["eval", "help", "plot"])
def test_a_closed_standard_output_is_said(name: str, tmp_path: Path) -> None:
    message = "error[R0802]: standard output cannot be written: it is closed\n"
    assert shell(f"{command(name)} >&-", tmp_path) == (1, "", message)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_may_not_grow_is_said(tmp_path: Path) -> None:
    found = shell(f"ulimit -f 1; {command('many rows')} > rows.txt", tmp_path)
    assert found == (1, "", "error[R0802]: standard output cannot be written: file too large\n")
    unbuffered = f"ulimit -f 1; export PYTHONUNBUFFERED=1; {command('many rows')} > rows.txt"
    assert shell(unbuffered, tmp_path) == found


@pytest.mark.parametrize("name", ["many rows", "show", "help"])
@pytest.mark.parametrize("reader", ["true", "head -1", "sleep 0.1"])
def test_a_reader_that_leaves_is_no_error(name: str, reader: str, tmp_path: Path) -> None:
    assert shell(f"{command(name)} | {reader} > /dev/null", tmp_path).told == ""


@pytest.mark.parametrize("closed", ["2>&-", "<&-", "<&- 2>&-", "2>/dev/full"])
def test_other_streams_are_not_needed(closed: str, tmp_path: Path, whole: dict[str, Ended]) -> None:
    assert whole["eval"].code == 0 and "bound" in whole["eval"].shown
    assert shell(f"{EVAL} {closed}", tmp_path) == whole["eval"]
    wrong = shell(f"roofdsl check nowhere.roof {closed}", tmp_path)
    assert (wrong.code, wrong.shown) == (1, "")


def test_with_no_stream_at_all_a_file_is_written_whole(tmp_path: Path) -> None:
    line = "roofdsl explore summa --machine karst -p N=64 -p P=4 -o a.html"
    assert shell(f"{line} <&- 2>&- > /dev/null", tmp_path).code == 0
    assert (tmp_path / "a.html").read_bytes().rstrip().endswith(b"</html>")


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "latin-1"},
        {"PYTHONIOENCODING": "cp1252:strict"},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["eval", "show"])
def test_what_is_printed_is_utf_8_whatever_the_locale(
    name: str, locale: dict[str, str], tmp_path: Path, whole: dict[str, Ended]
) -> None:
    found = shell(command(name), tmp_path, **locale)
    assert found == whole[name]
    assert found.code == 0


def test_a_name_that_is_no_text_is_printed_all_the_same(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xff.csv")
    found = run(("plot", "roofline", "--machine", "karst", "--data", name), tmp_path)
    assert found == (0, "<U+DCFF>.csv\n", "")
    assert (tmp_path / name).exists()
