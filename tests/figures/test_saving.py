"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from roofdsl.diagnostic import RoofError
from roofdsl.figures.look import Look
from roofdsl.figures.picture import Picture
from roofdsl.figures.saving import save, save_data
from roofdsl.writing import write_whole
from tests.figures.samples import SAMPLES

STARTS = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG", "pgf": b"% A figure"}


@pytest.fixture(scope="module")
def picture() -> Picture:
    return SAMPLES["sensitivity"](Look())


def code(error: pytest.ExceptionInfo[RoofError]) -> str:
    (diagnostic,) = error.value.diagnostics
    return diagnostic.code


@pytest.mark.parametrize("form", STARTS)
def test_the_ending_is_the_format(form: str, picture: Picture, tmp_path: Path) -> None:
    path = tmp_path / f"figure.{form.upper()}"
    save(picture, path)
    assert path.read_bytes().startswith(STARTS[form])
    assert path.read_bytes() == picture.render(form)


def test_matplotlibs_own_savefig_gives_the_same_bytes(picture: Picture, tmp_path: Path) -> None:
    picture.savefig(tmp_path / "figure.svg")
    assert (tmp_path / "figure.svg").read_bytes() == picture.render("svg")


@pytest.mark.parametrize("name", ["figure.bmp", "figure", "figure.svg.gz", ".svg"])
def test_an_unknown_format(name: str, picture: Picture, tmp_path: Path) -> None:
    with pytest.raises(RoofError) as error:
        save(picture, tmp_path / name)
    assert code(error) == "R0801"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there(picture: Picture, tmp_path: Path) -> None:
    with pytest.raises(RoofError) as error:
        save(picture, tmp_path / "nowhere" / "figure.svg")
    assert code(error) == "R0802"
    assert "there is no folder" in str(error.value)


def test_a_folder_in_place_of_a_file(picture: Picture, tmp_path: Path) -> None:
    (tmp_path / "figure.svg").mkdir()
    with pytest.raises(RoofError) as error:
        save_data(picture, tmp_path / "figure.svg")
    assert code(error) == "R0802"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(picture: Picture, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(RoofError) as error:
        save(picture, tmp_path / "figure.svg")
    assert code(error) == "R0802"


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_an_interrupted_write_leaves_what_was_there(
    step: str, failure: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "figure.svg"
    path.write_bytes(b"old")

    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(os if step == "fsync" else Path, step, fail)
    with pytest.raises((RoofError, KeyboardInterrupt)):
        write_whole(path, b"a new figure")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert [item.name for item in tmp_path.iterdir()] == ["figure.svg"]


def test_a_files_mode_and_a_link_to_it_are_kept(tmp_path: Path) -> None:
    path, link = tmp_path / "figure.svg", tmp_path / "link.svg"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, b"new")
    assert link.is_symlink() and path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_device_is_written_to() -> None:
    write_whole(Path("/dev/null"), b"anything")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
