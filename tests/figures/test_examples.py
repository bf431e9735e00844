"""The papers' figures: one command each, all of which run; the gallery shows every kind."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.figures.gallery import commands
from roofdsl.cli.main import main
from roofdsl.cli.plot_command import KINDS

ROOT = Path(__file__).resolve().parents[2]
LISTS = sorted((ROOT / "examples" / "figures").glob("*.sh"))


def listed(path: Path) -> Iterator[list[str]]:
    """Yield the words of the commands in a list, without their first."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            program, *words = shlex.split(line.replace("$HERE", str(path.parent)))
            assert program == "roofdsl"
            yield words


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_every_command_of_a_paper_draws(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = []
    for words in listed(path):
        # The data take all but the rendering, which other tests do.
        words[words.index("-o")] = "--data"
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert not ended.value.code, words
        names.append(words[words.index("--data") + 1])
    assert sorted(names) == sorted(file.name for file in tmp_path.iterdir())
    assert len(set(names)) == len(names)
    assert all(file.stat().st_size > 100 for file in tmp_path.iterdir())


# What the papers number, and of it what shows neither data nor a model: programs, drawings, a
# screenshot, and the spread of counts that are not printed.
FIGURES = {
    "cardwell2019": {f"2.{n}" for n in range(1, 14)} | {"3.1", "3.2"},
    "checconi2022": {str(n) for n in range(1, 7)} - {"5"},
    "kong2015": {str(n) for n in range(1, 21)} - {"2", "3", "4"},
    "kwack2018": {*map(str, (1, 4, 6, 7, 8, 10, 11, 12, 14, 15, 18, 19, 20, 22))},
    "tang2015": {"2", "3"},
}


@pytest.mark.parametrize("paper", FIGURES)
def test_each_figure_of_a_paper_has_its_command(paper: str) -> None:
    path = ROOT / "examples" / "figures" / f"{paper}.sh"
    names = [words[words.index("-o") + 1] for words in listed(path)]
    made = {name.removeprefix(f"{paper}-").removesuffix(".svg").rstrip("abcdefg") for name in names}
    assert {name for name in made if not name.startswith("table")} == FIGURES[paper]


def test_the_gallery_shows_every_kind() -> None:
    page = ROOT / "docs" / "figures.md"
    shown = {shlex.split(command)[2] for command in commands(page)}
    # A pair is both of its charts.
    assert shown == set(KINDS) - {"communication"}


def test_the_gallery_shows_the_pictures_it_makes() -> None:
    page = ROOT / "docs" / "figures.md"
    text = page.read_text(encoding="utf-8")
    for command in commands(page):
        words = shlex.split(command)
        assert f"](images/{words[words.index('-o') + 1]})" in text
