"""PGF: what LaTeX makes of it says what the SVG says, in every engine, without a complaint."""

from __future__ import annotations

import html
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import chdir
from pathlib import Path
from unicodedata import normalize

import pytest

from examples.figures.gallery import commands
from roofdsl.cli.main import main
from roofdsl.figures.look import Look
from roofdsl.figures.saving import save
from tests.figures.samples import SAMPLES

ROOT = Path(__file__).resolve().parents[2]
ENGINES = ("pdflatex", "xelatex", "lualatex")
COMPLAINT = re.compile(
    r"^!.*|.*[Ww]arning.*|.*[Mm]issing character.*|^(?:Over|Under)full.*", re.MULTILINE
)
# LaTeX has bent quotation marks for straight ones, and a sign that looks like a letter.
ALIKE = str.maketrans("’”∆", "'\"Δ")
NASTY = {
    r"\input{secret}": r"\input{secret}",
    r"\write18{touch shell}": r"\write18{touch shell}",
    "50 % of #1 & $x_1$": "50 % of #1 & $x_1$",
    "}{ ^^5c ~ \\": "}{ ^^5c ~ \\",
    "<b> | `x` \"y\" 'z'": "<b> | `x` \"y\" 'z'",
    "--x ,,y ``z''": "--x ,,y ``z''",
    "[a]{b}*": "[a]{b}*",
    "αβ ΔΩ 3 µs": "αβ ΔΩ 3 µs",
    "√2 N² 10⁻⁷ × ∞ ≤ −1": "√2 N² 10⁻⁷ × ∞ ≤ −1",
    "é ñ ü Ł ß Å …": "é ñ ü Ł ß Å …",
    # What the fonts of LaTeX lack is shown by its number.
    "中ą🚀": "U+4E2DU+0105U+1F680",
    "a\u202eb": "aU+FFFDb",
}
"""Names of users, and what LaTeX shows of them."""


def drawn(words: Sequence[str], folder: Path, name: str) -> None:
    """Draw what a command of `roofdsl plot` draws in both formats."""
    for form in ("pgf", "svg"):
        with chdir(folder), pytest.raises(SystemExit) as ended:
            main([*words, "-o", f"{name}.{form}"])
        assert not ended.value.code, words


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all figures of the gallery, of one in a column, and of nasty names."""
    folder = tmp_path_factory.mktemp("pgf")
    for command in commands(ROOT / "docs" / "figures.md"):
        _, *words = shlex.split(command)
        at = words.index("-o")
        output = words[at + 1]
        del words[at : at + 2]
        drawn(words, folder, Path(output).stem)
    column = "plot pair summa --machine karst -p N=242..61952:x2 -p P=121 --width 3.5"
    drawn(column.split(), folder, "column")
    rows = "".join(f'"{name.replace(chr(34), chr(34) * 2)}",1,2\n' for name in NASTY)
    (folder / "nasty.csv").write_text(f"name,measured,predicted\n{rows}", encoding="utf-8")
    (folder / "secret.tex").write_text("REVEALED", encoding="utf-8")
    drawn(["plot", "predicted", "--measured", "nasty.csv"], folder, "nasty")
    return folder


def texts_of(svg: Path) -> list[str]:
    return re.findall("<text[^>]*>(.*?)</text>", svg.read_text(encoding="utf-8"), re.DOTALL)


def texts(svg: Path) -> Iterator[str]:
    """Yield the texts of a figure; of formulas, whose letters have places of their own, these."""
    for text in texts_of(svg):
        for part in re.findall("<tspan[^>]*>(.*?)</tspan>", text, re.DOTALL) or [text]:
            shown = html.unescape(part)
            assert "\u202e" not in shown
            yield NASTY.get(shown.replace("\ufffd", "\u202e"), shown)


def plain(text: str) -> str:
    """Return a text without spaces, its exponents on the line, its letters as LaTeX has them."""
    return "".join(normalize("NFKC", text.translate(ALIKE)).split())


@pytest.mark.parametrize("engine", ENGINES)
def test_every_figure_says_in_latex_what_its_svg_says(engine: str, folder: Path) -> None:
    for program in (engine, "pdftotext"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed, so its figures are not compiled")
    names = sorted(path.stem for path in folder.glob("*.pgf"))
    inputs = "\n\\clearpage\n".join(f"\\noindent\\input{{{name}.pgf}}" for name in names)
    (folder / f"{engine}.tex").write_text(
        "\\documentclass{article}\n\\usepackage[paper=a3paper,margin=1in]{geometry}\n"
        f"{preamble(folder / 'roofline.pgf', engine)}\n\\pagestyle{{empty}}\n"
        f"\\begin{{document}}\n{inputs}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    result = subprocess.run(
        [engine, "-no-shell-escape", "-interaction=nonstopmode", f"{engine}.tex"],
        cwd=folder,
        env={**os.environ, "max_print_line": "1000"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    log = (folder / f"{engine}.log").read_text(encoding="utf-8", errors="replace")
    assert result.returncode == 0, log[-3000:]
    assert COMPLAINT.findall(log) == []
    assert not (folder / "shell").exists()
    reading = ["pdftotext", "-raw", "-enc", "UTF-8", f"{engine}.pdf", "-"]
    told = subprocess.run(reading, cwd=folder, capture_output=True, check=True).stdout.decode()
    pages = told.removesuffix("\f").split("\f")
    assert len(pages) == len(names) >= 17
    for name, page in zip(names, pages, strict=True):
        wanted = [plain(text) for text in texts(folder / f"{name}.svg")]
        found = plain(page)
        assert [text for text in wanted if text not in found] == [], name
        assert sorted(found) == sorted("".join(wanted)), name


def preamble(figure: Path, engine: str) -> str:
    """Return the packages that a figure says it needs."""
    head, _, _ = figure.read_text(encoding="ascii").partition("\\begingroup")
    lines = re.findall(r"^% +(\\usepackage\S*)(?: % (\w+) only)?$", head, re.MULTILINE)
    assert len(lines) == 2
    return "\n".join(line for line, only in lines if only in ("", engine))


def test_no_letters_are_smaller_than_seven_points(folder: Path) -> None:
    for path in folder.glob("*.pgf"):
        sizes = re.findall(r"\\fontsize\{([0-9.]+)bp\}", path.read_text(encoding="ascii"))
        assert len(sizes) == len(texts_of(path.with_suffix(".svg")))
        assert {7.0} <= set(map(float, sizes)) <= {7.0, 8.0, 8.5}, path


@pytest.mark.parametrize("kind", ["roofline", "perdome"])
def test_pgf_asks_no_tex_repeats_and_leaves_the_figure_as_it_was(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    figure = SAMPLES[kind](Look())
    before = figure.render("svg")
    save(figure, tmp_path / "first.pgf")
    figure.savefig(tmp_path / "second.pgf")
    first = (tmp_path / "first.pgf").read_bytes()
    assert first == (tmp_path / "second.pgf").read_bytes() == SAMPLES[kind](Look()).render("pgf")
    assert b"\\begin{pgfpicture}" in first
    assert first.isascii()
    assert len(first) < 2_000_000
    assert b"includegraphics" not in first
    assert figure.render("svg") == before
