"""`--format latex` and `markdown` on every command that prints results."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roofdsl.answer.document.bibliography import works
from tests.report.samples import run
from tests.report.test_texts import compiled, complaints, engine_or_skip

RUNS = str(Path(__file__).resolve().parents[2] / "examples" / "made_up_runs.csv")
PROFILE = str(Path(__file__).resolve().parents[2] / "examples" / "craypat_profile.csv")
SCORED = str(Path(__file__).resolve().parent / "runs.csv")
AT = "-p N=4096 -p P=121"
COMMANDS = {
    "point": f"eval summa -m karst {AT}",
    "formulas": "eval summa -m karst",
    "range": "eval summa -m karst -p N=242..61952:x4 -p P=121",
    "machines": f"eval summa -m karst -m jetstream {AT}",
    "composition": "eval linalg.cannon -m xeon_e5630 -p N=2000 -p B=200 -p P=16",
    "conventions": "eval lenet5 -m a100_sxm_80gb -p batch=1 --convention all --by layer",
    "crossover": "solve summa --crossover --for N -m karst -p P=121",
    "boundary": "solve summa --crossover --for N -m karst -p P=4..4096:x4",
    "regimes with P open": "solve summa --crossover --for N -m karst",
    "condition": "solve summa --such-that 'time<=10 s' --for N -m karst -p P=121",
    "faster": "solve summa --faster --for N -m karst -m jetstream -p P=121",
    "sensitivity": f"study summa --sensitivity -m karst {AT}",
    "scaling": "study summa --scaling --for P --size N --efficiency 0.8 -m karst -p N=4096",
    "asymptotic": "study summa --asymptotic --for N -m karst -p P=121",
    "projection": f"project {PROFILE} --from blue_waters_xe --to ivy_bridge --to haswell",
    "fit": f"fit {RUNS} --model summa --model dgemv -m karst --constant startup",
    "validation": f"validate {SCORED} -m karst",
    "model": "show summa",
    "machine": "show i7_titan",
    "comparison": f"diff karst jetstream --model summa {AT}",
    "results": f"table summa dgemv -m karst -m jetstream {AT}",
    "rates": "table --rates -m karst -m blue_waters_xe",
    "intensities": "table summa dgemv fft ddot --formulas",
}


def words(command: str) -> list[str]:
    import shlex

    return shlex.split(command)


@pytest.fixture(scope="module")
def pieces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pieces")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_latex(
    name: str, pieces: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(pieces, *words(COMMANDS[name]), "--format", "latex")
    text = capsys.readouterr().out
    (pieces / f"{name}.tex").write_text(text, encoding="utf-8")
    assert any(f"\\begin{{{part}" in text for part in ("table", "align*}", "itemize}"))
    floats = len(re.findall(r"\\begin\{table\*?\}", text))
    assert floats == len(re.findall(r"\\end\{table\*?\}", text)) == text.count("\\caption")
    assert floats == text.count("\\label{tab:") + text.count("\\ContinuedFloat")
    parts = len(re.findall(r"\\begin\{tabular\}\{", text))
    assert floats <= parts == text.count("\\toprule") == text.count("\\bottomrule")
    assert text.isascii()


@pytest.mark.parametrize("name", ["point", "formulas", "crossover", "comparison", "results"])
def test_a_command_prints_markdown(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, *words(COMMANDS[name]), "--format", "markdown")
    text = capsys.readouterr().out
    assert "| :--- |" in text or "$`" in text
    assert "\\begin{table}" not in text


def test_numbers_in_latex_have_their_units(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, *words(COMMANDS["point"]), "--format", "latex")
    text = capsys.readouterr().out
    # 2 N³ + 2 N² over 121 processes; 22 GFLOP/s; the ridge point 22/13.9.
    assert "\\qty{1.136}{GFLOP} & \\qty{22}{GFLOP/s}" in text
    assert "\\qty{1.583}{flop/B}" in text
    run(tmp_path, *words(COMMANDS["formulas"]), "--format", "latex")
    formulas = capsys.readouterr().out
    assert "\\log_2 \\sqrt{P}" in formulas
    assert "\\dfrac{2\\sqrt{M}}{\\mathrm{word}}" in formulas


@pytest.mark.parametrize("engine", ["pdflatex", "lualatex"])
def test_all_of_it_compiles(engine: str, pieces: Path) -> None:
    engine_or_skip(engine)
    packages = "amsmath,amssymb,array,booktabs,caption,graphicx,siunitx"
    names = sorted(path.stem for path in pieces.glob("*.tex") if path.stem != "all")
    assert len(names) == len(COMMANDS)
    inputs = "\n".join(f"\\input{{{name}}}\\clearpage" for name in names if name != "results")
    cited = "\n".join(rf"\bibitem{{{work.key}}} {work.key}" for work in works())
    path = pieces / "all.tex"
    path.write_text(
        f"\\documentclass{{article}}\\usepackage{{{packages}}}\n"
        f"\\begin{{document}}\n{inputs}\n\\begin{{thebibliography}}{{99}}\n{cited}\n"
        "\\end{thebibliography}\n\\end{document}\n",
        encoding="utf-8",
    )
    log = compiled(engine, path)
    # The same prediction is asked for by two of them.
    found = [item for item in complaints(engine, log) if "ultiply" not in item]
    assert found == []
    assert "Overfull" not in log


def test_a_format_is_a_file_and_its_name() -> None:
    from importlib import import_module

    from click import Choice, Command

    from roofdsl.cli.main import COMMANDS, cli

    asked, others = 0, ("plot", "import")  # of pictures, and of what is read
    for name in COMMANDS:
        command = cli.get_command(None, name)  # type: ignore[arg-type]  # it needs no context
        assert isinstance(command, Command)
        for option in command.params:
            if option.name == "form" and isinstance(option.type, Choice) and name not in others:
                asked += 1
                for form in option.type.choices:
                    assert callable(import_module(f"roofdsl.report.{form}").written)
    assert asked == 10


@pytest.mark.parametrize(
    ("name", "asked", "form"),
    [
        ("t.tex", "", "latex"),
        ("t.TEX", "", "latex"),
        ("t.md", "", "markdown"),
        ("t.csv", "", "csv"),
        ("t.json", "", "json"),
        ("t.txt", "", "text"),
        ("t", "", "text"),
        ("t.tex", "--format text", "text"),
        ("t.csv", "--format json", "json"),
    ],
)
def test_a_table_is_in_the_format_of_its_file(
    name: str, asked: str, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = "table --rates -m karst -m jetstream"
    run(tmp_path, *command.split(), "--format", form)
    wanted = capsys.readouterr().out
    run(tmp_path, *command.split(), *asked.split(), "-o", name)
    assert (tmp_path / name).read_text(encoding="utf-8") == wanted
