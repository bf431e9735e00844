"""The same input gives the same bytes; nothing is there by half."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from roofdsl.cli.main import main
from tests.report.samples import run
from tests.report.test_texts import engine_or_skip

ROOT = Path(__file__).resolve().parents[2]
ASKED = ("report", "summa", "-m", "karst", "-p", "N=4096", "-p", "P=121")
SHORT = ("report", "dgemv", "-m", "karst", "-p", "N=4096", "-p", "P=121", "--no-figures")


def made(folder: Path, ending: str, asked: tuple[str, ...] = ASKED) -> dict[str, bytes]:
    """Return all files that a report in a folder of its own consists of."""
    folder.mkdir()
    run(folder, *asked, "-o", f"r.{ending}")
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("ending", ["html", "tex", "md"])
def test_bytes_repeat(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    once, again = made(tmp_path / "a", ending), made(tmp_path / "b", ending)
    assert once == again
    assert f"r.{ending}" in once
    assert b"2023-11-14" in once[f"r.{ending}"]
    assert len(once) == (1 if ending == "html" else 3)  # two figures


def test_documents_in_one_folder_keep_their_figures(tmp_path: Path) -> None:
    stems = ("r", "R", "ä", "ö", "a b", "a-b", "a  b")
    for stem in stems:
        run(tmp_path, *ASKED, "-o", f"{stem}.md")
    folders = [path.name for path in tmp_path.iterdir() if path.is_dir()]
    assert len(folders) == len(stems)
    assert {"r-figures", "a-b-figures"} < {*folders}
    assert all(re.fullmatch("[a-z0-9-]+", folder) for folder in folders)


def test_figures_drawn_in_another_process_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    pytest.importorskip("numpy")  # once that is loaded, this process draws by itself
    here = made(tmp_path / "a", "html")["r.html"]
    # One of its own has not loaded it yet, and splits.
    command = [sys.executable, "-m", "roofdsl", *ASKED, "-o", "fresh.html"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert (tmp_path / "fresh.html").read_bytes() == here


def test_units_stand_in_one_order() -> None:
    command = "eval resnet50_training -m a100_sxm_80gb -p batch=8 -p ranks=8 --format json"
    written = [
        subprocess.run(
            [sys.executable, "-m", "roofdsl", *command.split()],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in ("1", "2", "3")
    ]
    assert written[0] == written[1] == written[2]


def test_only_the_date_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    once = made(tmp_path / "a", "html", SHORT)["r.html"].decode()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    again = made(tmp_path / "b", "html", SHORT)["r.html"].decode()
    assert once != again
    assert once.replace("1970-01-01", "2023-11-14") == again


@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_a_pdf_repeats_too(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine_or_skip(engine)
    monkeypatch.setattr("roofdsl.report.pdf.ENGINES", (engine,))
    monkeypatch.setattr("roofdsl.report.pdf._MOST_RUNS", 1)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    once = made(tmp_path / "a", "pdf", SHORT)
    assert list(once) == ["r.pdf"]
    assert once["r.pdf"].startswith(b"%PDF-")
    assert once == made(tmp_path / "b", "pdf", SHORT)


@pytest.mark.parametrize(
    "wrong",
    [
        ("--template", "mine.html"),
        ("-p", "N=-4"),
        ("-m", "nowhere"),
    ],
)
def test_what_fails_leaves_what_was_there(
    wrong: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.html").write_text("a lot\n" * 9 + "{{ report.nothing }}", encoding="utf-8")
    (tmp_path / "r.html").write_text("what was there", encoding="utf-8")
    with chdir(tmp_path), pytest.raises(SystemExit) as leaving:
        main(["report", "dgemv", "-m", "karst", "--no-figures", "-o", "r.html", *wrong])
    assert leaving.value.code == 1
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == "what was there"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.html", "r.html"]
    if wrong[0] == "--template":
        told = capsys.readouterr().err
        assert "mine.html:10:1" in told
        assert "nothing" in told


def test_a_library_has_a_bar_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = ("dgemv", "ddot", "summa")
    run(tmp_path, "report", *models, "-m", "karst", "--no-figures", "-o", "r.md")
    shown = capsys.readouterr()
    assert shown.out == "r.md\n"
    assert shown.err.startswith("models")


def test_a_report_says_what_it_was_made_from(tmp_path: Path) -> None:
    from hashlib import sha256

    (tmp_path / "mine.roof").write_text("model mine { flops = 1; memory = 8 B }\n", "utf-8")
    (tmp_path / "user.roof").write_text(
        'use "./mine.roof" as other\nmodel user { step a = other.mine() }\n', "utf-8"
    )
    run(tmp_path, "report", "user.roof", "-m", "carbonate", "--no-figures", "-o", "r.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    for name in ("mine.roof", "user.roof"):
        assert sha256((tmp_path / name).read_bytes()).hexdigest() in text
    assert "carbonate_gemm.csv" in text


def test_the_references_are_written_as_bibtex(tmp_path: Path) -> None:
    run(tmp_path, *SHORT, "-o", "r.md", "--bib", "r.bib")
    entries = (tmp_path / "r.bib").read_text(encoding="utf-8")
    assert "@mastersthesis{cardwell2019," in entries
    assert "cited-as" not in entries
    assert "roofline" not in entries.lower()  # only what these files name


def test_a_file_of_two_names_is_named_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from roofdsl.answer.document.provenance import files_of
    from roofdsl.model.library import load_module

    monkeypatch.chdir(tmp_path)
    Path("mine.roof").write_text("machine own { memory = 1 GB/s }", encoding="utf-8")
    Path("test.roof").write_text('use "./mine.roof" as mine', encoding="utf-8")
    modules = [load_module(Path("test.roof")), load_module(Path("mine.roof"))]
    assert [file.name for file in files_of(modules)] == ["mine.roof", "test.roof"]
