"""Every table in LaTeX, compiled: nothing is too wide, missing, or too small to be read."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from roofdsl.answer.blocks import Table
from roofdsl.answer.compared import TableAnswer, intensity_formulas, rate_table
from roofdsl.answer.document.bibliography import works
from roofdsl.answer.papers import paper_names, paper_table
from roofdsl.cli.main import cli
from roofdsl.model.library import bundled, find_machine, load_module
from roofdsl.report.latex import PAGE, written
from tests.counts import ALL
from tests.report.samples import run
from tests.report.test_texts import RUNS, compiled, engine_or_skip

COLUMN = 240.0  # of a journal with two columns, in pt
NARROWEST = 181.0
SMALLEST = 7  # pt
WIDTHS = {"pdflatex": (NARROWEST,), "lualatex": (PAGE,)}
"""By default each sees the tables at one width; with ROOFDSL_ALL set, both at all three."""
RESULTS = (
    "table summa dgemv fft ddot -m karst -m jetstream -m big_red_ii -p N=4096 -p P=121",
    "table summa -m karst -m jetstream -p N=242..61952:x2 -p P=121",
    "table summa -m karst -p N=242..968:x2 -p P=121",
    "table summa cannon johnson mst sparse_lu hpcg --formulas",
    "table lenet5 alexnet vgg16 resnet50 -m a100_sxm_80gb -m h100_sxm -p batch=8",
    "table gpt3_training -m h100_sxm -p batch=8 --columns OI,CAI,MI,time,attainable,bound",
)
"""What was asked of models on machines: wide columns, long names, many decades."""


@cache
def tables() -> tuple[Table, ...]:
    return tuple(_tables())


def _tables() -> Iterator[Table]:
    for name in paper_names():
        yield paper_table(name)
    for path in bundled("model").values():
        models = [*load_module(path).models.values()]
        if models:
            yield intensity_formulas(models)
    machines = {name: find_machine(name)[0] for name in bundled("machine")}
    yield rate_table([*machines.values()])
    for names in (("karst", "jetstream", "h100_sxm"), ("karst",), ("blue_waters_xe", "i7_titan")):
        yield rate_table([machines[name] for name in names])


def document(folder: Path, widths: tuple[float, ...]) -> Path:
    """Write all tables for a page, then for narrow columns, into one document."""
    labels = 0
    parts = []
    for width in widths:
        narrow = "".join(
            rf"\setlength{{\{name}}}{{{width}pt}}"
            for name in ("textwidth", "columnwidth", "linewidth", "hsize")
        )
        parts.append(rf"\clearpage{narrow}")
        for table in tables():
            text = written(TableAnswer(table), width)
            labels += 1
            parts.append(re.sub(r"\\label\{.*?\}", rf"\\label{{{labels}}}", text) + r"\clearpage")
        for place, command in enumerate(RESULTS):
            name = f"{place}-{width:.0f}.tex"
            inches = ["--width", f"{width / 72.27:.4f}"]
            run(folder, *command.split(), *inches, "--format", "latex", "-o", name)
            text = (folder / name).read_text(encoding="utf-8")
            labels += 1
            parts.append(re.sub(r"\\label\{.*?\}", rf"\\label{{{labels}}}", text) + r"\clearpage")
    needed = re.search(r"\\usepackage\{.*?\}", parts[1])
    assert needed is not None
    cited = "\n".join(rf"\bibitem{{{work.key}}} {work.key}" for work in works())
    body = "\n".join(parts)
    path = folder / "all.tex"
    path.write_text(
        f"\\documentclass{{article}}{needed[0]}\n\\begin{{document}}\n{body}\n"
        f"\\begin{{thebibliography}}{{99}}{cited}\\end{{thebibliography}}\n\\end{{document}}\n",
        encoding="utf-8",
    )
    return path


@pytest.mark.parametrize("engine", RUNS)
def test_every_table_fits_and_can_be_read(engine: str, tmp_path: Path) -> None:
    engine_or_skip(engine)
    path = document(tmp_path, (PAGE, COLUMN, NARROWEST) if ALL else WIDTHS[engine])
    log = compiled(engine, path)
    open_once = r"undefined|Label\(s\) may have changed|Rerun|There were undefined"
    found = [
        line
        for line in log.split("\n")
        if re.search(r"^Overfull|Warning:|^Missing character", line)
        and not (RUNS[engine] == 1 and re.search(open_once, line))
    ]
    assert found == []
    reader = shutil.which("pdffonts")
    if reader is None:
        pytest.skip("no pdffonts, so the sizes of letters are not looked at")
    shown = subprocess.run([reader, path.with_suffix(".pdf")], capture_output=True, check=True)
    names = [line.split()[0].decode() for line in shown.stdout.splitlines()[2:]]
    # TeX's fonts are named by the size they are drawn for.
    sizes = {name: int(size[1]) for name in names if (size := re.search(r"(\d+)(?:-\w+)?$", name))}
    assert len(sizes) > 5
    assert {name for name, size in sizes.items() if size < SMALLEST} == set()


def test_all_forms_of_tables_are_among_them() -> None:
    command = cli.get_command(None, "table")  # type: ignore[arg-type]  # it needs no context
    assert command is not None
    forms = {option.name for option in command.params} & {"formulas", "rates", "paper"}
    assert forms == {"formulas", "rates", "paper"}
    assert len(tables()) > 80
