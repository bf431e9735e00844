"""Nothing is left where one stands, whatever the home, and matplotlib's settings stop nobody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from roofdsl.syntax import kept
from tests.files.program import environment, home_of, run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="homes as on POSIX")
PLOT = ("plot", "roofline", "--machine", "karst", "-o", "a.svg")
REPORT = ("report", "summa", "--machine", "karst", "-p", "N=64", "-p", "P=4", "-o", "a.html")
HOMES: dict[str, dict[str, str]] = {
    "none": {"HOME": ""},
    "relative": {"HOME": "relative"},
    "not there": {"HOME": "/nowhere"},
    "the root": {"HOME": "/"},
    "no folder": {"HOME": "/dev/null"},
    "relative places": {"XDG_CACHE_HOME": "cache", "XDG_CONFIG_HOME": "config"},
    "a relative place of matplotlib's": {"MPLCONFIGDIR": "settings"},
}


@pytest.mark.parametrize("home", HOMES)
def test_no_folder_is_left(home: str, tmp_path: Path) -> None:
    arguments = REPORT if home in ("none", "relative places") else PLOT
    here, scratch = tmp_path / "here", tmp_path / "scratch"
    here.mkdir()
    scratch.mkdir()
    before = sorted(Path("/").iterdir())
    found = run(arguments, here, TMPDIR=str(scratch), **HOMES[home])
    assert found == (0, f"{arguments[-1]}\n", "")
    assert [path.name for path in here.iterdir()] == [arguments[-1]]
    assert sorted(Path("/").iterdir()) == before
    assert list(scratch.iterdir()) == []


def test_matplotlibs_settings_stop_no_figure(tmp_path: Path) -> None:
    settings = "backend: nonsense\nno such: thing\nfont.size: huge\n?\n"
    here = tmp_path / "here"
    here.mkdir()
    whole = run(PLOT, here)
    assert whole == (0, "a.svg\n", "")
    drawn = (here / "a.svg").read_bytes()
    (here / "matplotlibrc").write_text(settings, encoding="utf-8")
    for arguments in (PLOT, REPORT):
        found = run(arguments, here, MPLBACKEND="nonsense")
        assert found == (0, f"{arguments[-1]}\n", "")
    assert (here / "a.svg").read_bytes() == drawn


@pytest.mark.parametrize("arguments", [PLOT, REPORT], ids=["plot", "report"])
def test_settings_that_are_no_text_are_said(arguments: tuple[str, ...], tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "matplotlibrc").write_bytes(b"\xff\xfe")
    found = run(arguments, here)
    assert (found.code, found.shown) == (1, "")
    assert found.told.startswith("error[R0002]: the settings of matplotlib cannot be read: ")
    assert "Traceback" not in found.told
    assert [path.name for path in here.iterdir()] == ["matplotlibrc"]


def test_a_damaged_cache_is_built_anew_and_nothing_said(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    check = ("check", "karst.roof")
    whole = run(check, here)
    assert whole.code == 0
    (tables,) = (home_of(here) / ".cache" / "roofdsl").iterdir()
    saved = tables.read_bytes()
    for damage in (bytes(4), b"", saved[:1000]):
        tables.write_bytes(damage)
        assert run(check, here) == whole
        # What is kept is whole: its checksum is right, and it is as long but for the order of sets.
        assert kept.read(tables) is not None
        assert abs(len(tables.read_bytes()) - len(saved)) < len(saved) / 50


def test_a_backend_that_is_one_is_kept(tmp_path: Path) -> None:
    """Figures need none, but a notebook says there which one its own figures take."""
    code = "import roofdsl.figures, matplotlib; print(matplotlib.rcParams['backend'])"
    found = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(home_of(tmp_path), MPLBACKEND="svg"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "svg\n"
