"""Reports in LaTeX and Markdown: hostile text stays text; LaTeX compiles without a complaint."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.report.samples import HOSTILE, hostile_files, hostile_report, run

RUNS = {"pdflatex": 2, "lualatex": 1}
"""Only the second run knows the references; for one engine that is enough."""
COMPLAINT = re.compile(
    r"^! .*|.*LaTeX Error.*|.*[Mm]issing (?:package|character).*|.*not found.*"
    r"|.*undefined.*|.*[Mm]ultiply.defined.*|.*Token not allowed.*",
    re.MULTILINE,
)


def engine_or_skip(name: str) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"no TeX: {name} is not installed, so nothing is compiled")
    styles = ("siunitx.sty", "booktabs.sty", "caption.sty", "longtable.sty", "microtype.sty")
    finder = shutil.which("kpsewhich")
    for style in styles:
        if finder is None or not subprocess.run([finder, style], capture_output=True).stdout:
            pytest.skip(f"TeX without {style}, so nothing is compiled")


def compiled(engine: str, path: Path) -> str:
    """Compile a document, with pdflatex twice, as an author does; return its log."""
    for number in range(RUNS[engine]):
        # Before the last run nobody looks at the pages.
        draft = ["-draftmode"] if number + 1 < RUNS[engine] else []
        result = subprocess.run(
            [engine, *draft, "-no-shell-escape", "-interaction=nonstopmode", path.name],
            cwd=path.parent,
            env={**os.environ, "openin_any": "p", "openout_any": "p", "max_print_line": "1000"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
    log = path.with_suffix(".log").read_text(encoding="utf-8", errors="replace")
    assert result.returncode == 0, log[-3000:]
    assert path.with_suffix(".pdf").exists()
    return log


def complaints(engine: str, log: str) -> list[str]:
    """Return what a log complains of; after one run, references may be open."""
    found = COMPLAINT.findall(log)
    return [line for line in found if RUNS[engine] > 1 or "undefined" not in line]


def written(path: Path) -> str:
    """Return the text of a PDF, "" where nothing can read it."""
    reader = shutil.which("pdftotext")
    if reader is None:
        return ""
    output = subprocess.run([reader, "-raw", str(path), "-"], capture_output=True, check=True)
    return output.stdout.decode("utf-8")


@pytest.mark.parametrize("engine", RUNS)
def test_the_latex_compiles_and_hostile_text_is_text(engine: str, tmp_path: Path) -> None:
    engine_or_skip(engine)
    hostile_report(tmp_path, "tex")
    log = compiled(engine, tmp_path / "r.tex")
    assert complaints(engine, log) == []
    assert not (tmp_path / "shell").exists()
    told = " ".join(written(tmp_path / "r.pdf").split())
    if told:
        assert "REVEALED" not in told
        for word in ("\\input{secret}", "{{ 7*7 }}", "50 % of #1 & $x_1$", "<script>", "U+202E"):
            assert word in told, word


@pytest.mark.parametrize("engine", RUNS)
def test_the_report_of_a_kernel_compiles(engine: str, tmp_path: Path) -> None:
    engine_or_skip(engine)
    values = ("-p", "N=4096", "-p", "P=121")
    run(tmp_path, "report", "summa", "-m", "karst", "-m", "jetstream", *values, "-o", "summa.tex")
    log = compiled(engine, tmp_path / "summa.tex")
    assert complaints(engine, log) == []
    assert "Overfull" not in log
    assert (tmp_path / "summa-figures" / "summa-roofline.pdf").exists()


def test_commands_of_tex_are_not_in_the_latex(tmp_path: Path) -> None:
    text = hostile_report(tmp_path, "tex", "--no-figures")
    assert "\\input{" not in text
    assert "\\write18" not in text
    assert text.count("\\textbackslash{}input\\{secret\\}") >= 4
    assert text.isascii()
    unescaped = re.findall(r"(?<!\\)%.*", text)
    assert all(found.startswith("% Made by roofdsl") for found in unescaped)


def test_markdown_holds_the_text_as_text(tmp_path: Path) -> None:
    text = hostile_report(tmp_path, "md", "--no-figures")
    assert "<script" not in text
    assert "<img" not in text
    assert "\u202e" not in text
    assert text.count("&lt;script&gt;alert(1)&lt;/script&gt;") >= 4
    assert "\\*bold\\*" in text
    assert "\\[link\\](x)" in text
    assert "\\`code\\`" in text
    for line in text.splitlines():
        if line.startswith("|"):  # all rows of a table have as many cells
            cells = re.findall(r"(?<!\\)\|", line)
            assert len(cells) >= 2
    assert "a\\|b" in text


def test_markdown_tables_have_rows_of_one_length(tmp_path: Path) -> None:
    text = hostile_report(tmp_path, "md", "--no-figures")
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        lengths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(lengths) == 1, block


def test_hostile_groups_of_a_profile_are_text_in_latex(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile_files(tmp_path)
    rows = "group,time [s],kind\n\\input{secret} 50 %,2,threaded\n<b>|{{ 7*7 }},1,serial\n"
    (tmp_path / "p_%.csv").write_text(rows, encoding="utf-8")
    command = ("project", "p_%.csv", "--from", "blue_waters_xe", "--to", "haswell", "--format")
    run(tmp_path, *command, "latex")
    text = capsys.readouterr().out
    assert "\\textbackslash{}input\\{secret\\} 50 \\%" in text
    assert "\\input{" not in text
    assert "p\\_\\%.csv" in text
    run(tmp_path, *command, "markdown")
    text = capsys.readouterr().out
    assert "&lt;b&gt;\\|\\{\\{ 7\\*7 \\}\\}" in text


def test_the_sample_has_what_every_notation_takes_for_markup() -> None:
    for mark in ("<script>", "\\input{", "\\write18", "{{", "{%", "<<", "%", "_", "#", "\u202e"):
        assert mark in HOSTILE
