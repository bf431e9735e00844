"""Nothing that a stranger wrote reaches a terminal or a spreadsheet as anything but text."""

from __future__ import annotations

import csv
import json
import re
import unicodedata
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from roofdsl.cli.main import cli
from roofdsl.diagnostic import RoofError
from roofdsl.inert import csv_cell, csv_value, escaped, read_csv_cell, visible
from roofdsl.report import yaml as yaml_format

HOSTILE = "=a\x1b[31m\x9b2J\x07\x7f\u202eb\u200f\u2028c\u2029\ufeff\U000e0041"
FORMATS = ("text", "markdown", "latex", "json", "yaml", "csv")
MODULE = f"""
## {HOSTILE}
model m {{
    source "{HOSTILE}"
    param N: integer  ## {HOSTILE}
    param dtype: precision = fp64
    ## {HOSTILE}
    let half = N/2
    step one = part(n = half)
    step two = part(n = N)
}}
model part {{
    source "{HOSTILE}"
    param n: real
    require n > 3
    flops = n^2
    memory = 8 B*n
}}
## {HOSTILE}
machine c {{
    source "{HOSTILE}"
    flops = 1 GFLOP/s  ## {HOSTILE}
    memory = 1 GB/s
    network = 1 GB/s
}}
test "{HOSTILE}" {{
    expect m(N = 10) on c fails "{HOSTILE}"
    expect (m(N = 10) on c).bound is memory
}}
"""
FILES = {
    "m.roof": MODULE,
    f"f{HOSTILE}.roof": MODULE,
    "wrong.roof": f'model w {{ flops = q }} # {HOSTILE}\nmodel {HOSTILE} {{ "{HOSTILE}" }}\n',
    "m.py": f"# {HOSTILE}\ndef f(x):\n    raise ValueError({HOSTILE!r})  # {HOSTILE}\n",
    "profile.csv": f'group,time [s],kind\n"{HOSTILE}",2,threaded\n@b,1,serial\n+c,1,serial\n',
    "bad.csv": f"group,time [s],kind\n{HOSTILE},{HOSTILE},{HOSTILE}\n",
    "kernels.csv": f'kernel,flops,memory,time\n"{HOSTILE}",1e9,1e9,2\n@k,2e9,1e9,2\n',
    "bad_kernels.csv": f"kernel,flops,{HOSTILE}\n{HOSTILE},{HOSTILE},1\n",
    "bad_runs.csv": f"kernel,time [s],{HOSTILE}\n{HOSTILE},{HOSTILE},{HOSTILE}\n",
    "runs.csv": f'kernel,N,time [s]\n"{HOSTILE}",1,2\n=1+1,2,3\n',
    "counted.csv": f'kernel,time [s],flops,memory\n"{HOSTILE}",1,2,3\n=1+1,2,3,4\n',
    "template.html": "<< " + HOSTILE + " >> << nothing.at.all >>",
}
FILE = f"f{HOSTILE}.roof"
AT = ["--machine", "m.roof:c"]
CALLS: dict[str, list[str]] = {
    "check": ["check", "m.roof", FILE, "wrong.roof", f"no{HOSTILE}.roof"],
    "test": ["test", "m.roof", FILE],
    "explain": ["explain", HOSTILE],
    "list": ["list", HOSTILE],
    "a command": [HOSTILE],
    "an option": ["eval", f"--{HOSTILE}"],
    "a model": ["eval", HOSTILE, *AT],
    "a file": ["eval", f"{FILE}:{HOSTILE}", *AT],
    "a machine": ["eval", "m.roof:m", "--machine", HOSTILE],
    "a parameter": ["eval", "m.roof:m", *AT, "-p", f"{HOSTILE}=1"],
    "a value": ["eval", "m.roof:m", *AT, "-p", f"N={HOSTILE}"],
    "no value": ["eval", "m.roof:m", *AT, "-p", f"N{HOSTILE}"],
    "a range": ["eval", "m.roof:m", *AT, "-p", f"N=1..{HOSTILE}"],
    "a change": ["eval", "m.roof:m", *AT, "-p", "N=8", "--set", f"c.flops={HOSTILE}"],
    "no change": ["eval", "m.roof:m", *AT, "-p", "N=8", "--set", HOSTILE],
    "rates": ["eval", "m.roof:m", *AT, "-p", "N=8", "--rates", HOSTILE],
    "a budget": ["eval", "m.roof:m", *AT, "-p", "N=8", "--budget", HOSTILE],
    "an unknown": ["solve", "m.roof:m", *AT, "--crossover", "--for", HOSTILE],
    "a condition": ["solve", "m.roof:m", *AT, "--such-that", HOSTILE, "--for", "N"],
    "a kernel": ["measure", "kernels", HOSTILE],
    "processes": ["measure", "kernels", "-P", HOSTILE],
    "sizes": ["measure", "kernels", "--sizes", f"{HOSTILE},1"],
    "runs": ["measure", "kernels", "-o", f"no/{HOSTILE}.csv"],
    "a bad profile": ["project", "bad.csv", "--from", "karst", "--to", "karst"],
    "no profile": ["project", f"no{HOSTILE}.csv", "--from", "karst", "--to", "karst"],
    "bad runs": ["validate", "bad_runs.csv", *AT],
    "no runs": ["validate", f"no{HOSTILE}.csv", *AT],
    "kernels nobody knows": ["validate", "runs.csv", *AT],
    "bad kernels": ["plot", "roofline", *AT, "--measured", "bad_kernels.csv", "-o", "a.svg"],
    "a figure": ["plot", HOSTILE, "-o", "a.svg"],
    "an output": ["plot", "roofline", *AT, "-o", f"no/{HOSTILE}.svg"],
    "a template": ["report", "m.roof:m", *AT, "-o", "a.html", "--template", "template.html"],
    "no settings": ["import", f"no{HOSTILE}.json"],
    "a name": ["import", "m.roof", "--from", "huggingface", "--name", HOSTILE],
    "a traced function": ["trace", f"m.py:{HOSTILE}", "x=f64[N]"],
    "a traced script": ["trace", "m.py:f", f"x={HOSTILE}"],
    "a traced argument": ["trace", "m.py:f", f"{HOSTILE}=f64[N]"],
    "a traced size": ["trace", "m.py:f", "x=f64[N]", "--sizes", f"{HOSTILE}=4"],
    "a traced failure": ["trace", "m.py:f", "x=f64[N]"],
    "a paper": ["table", "--paper", HOSTILE],
    "written": ["report", "m.roof:m", *AT, "-o", f"{HOSTILE}.md", "--bib", f"{HOSTILE}.bib"],
    "explored": ["explore", "m.roof:m", *AT, "-o", f"{HOSTILE}.html"],
}
ANSWERS: dict[str, list[str]] = {
    "eval": ["eval", f"{FILE}:m", *AT, "-p", "N=8"],
    "formulas": ["eval", "m.roof:m", *AT],
    "rows": ["eval", "m.roof:m", *AT, "-p", "N=8,9"],
    "refused": ["eval", "m.roof:m", *AT, "-p", "N=5"],
    "solve": ["solve", "m.roof:m", *AT, "--crossover", "--for", "N"],
    "study": ["study", "m.roof:m", *AT, "-p", "N=8", "--sensitivity"],
    "show": ["show", "m.roof:m"],
    "show a machine": ["show", "m.roof:c"],
    "diff": ["diff", "m.roof:part", "m.roof:m"],
    "table": ["table", "m.roof:m", *AT, "-p", "N=8"],
    "validate": ["validate", "counted.csv", *AT],
    "project": ["project", "profile.csv", "--from", "blue_waters_xe", "--to", "haswell"],
}


def raw(text: str) -> set[str]:
    """Return what of a text moves a cursor, turns the direction of writing or is not seen."""
    sorts = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    return {char for char in text if unicodedata.category(char) in sorts} - {"\n", "\t"}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[list[str]], str]:
    """Run a command beside the files; return all that it says."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")

    def ran(words: list[str]) -> str:
        found = CliRunner().invoke(cli, words)
        error = found.exception
        assert error is None or isinstance(error, RoofError | SystemExit), error
        return f"{found.stdout}{found.stderr}{error if isinstance(error, RoofError) else ''}"

    return ran


@pytest.mark.parametrize("name", CALLS)
def test_what_was_typed_is_shown_as_text(name: str, run: Callable[[list[str]], str]) -> None:
    said = run(CALLS[name])
    assert said
    assert raw(said) == set()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ANSWERS)
def test_every_format_shows_text(name: str, form: str, run: Callable[[list[str]], str]) -> None:
    assert raw(run([*ANSWERS[name], "--format", form])) == set()


def test_people_see_what_stood_there(run: Callable[[list[str]], str]) -> None:
    for form in ("text", "markdown"):
        page = re.sub(r"\\([^\w\s])", r"\1", run([*ANSWERS["show"], "--format", form]))
        assert r"\x1b[31m\x9b2J\x07\x7f" in page
        assert "<U+202E>" in page.replace("&lt;", "<").replace("&gt;", ">")


def test_programs_read_what_stood_there(run: Callable[[list[str]], str]) -> None:
    profile = json.loads(run([*ANSWERS["project"], "--format", "json"]))
    assert HOSTILE in {group["name"] for group in profile["targets"][0]["groups"]}


def test_files_for_people_hold_text(run: Callable[[list[str]], str]) -> None:
    for ending in ("md", "tex", "html"):
        run(["report", "m.roof:m", *AT, "-o", f"out.{ending}", "--bib", "out.bib"])
        for name in (f"out.{ending}", "out.bib"):
            assert raw(Path(name).read_text(encoding="utf-8")) == set(), name


def test_no_cell_is_a_formula(run: Callable[[list[str]], str]) -> None:
    written = run([*ANSWERS["project"], "--format", "csv"])
    cells = [cell for row in csv.reader(StringIO(written)) for cell in row]
    assert {"'@b", "'+c"} <= {*cells}
    assert [cell for cell in cells if re.match(r"[=+@\t\r-]", cell) and not _number(cell)] == []


def test_figures_data_hold_no_formula_and_read_back(run: Callable[[list[str]], str]) -> None:
    call = ["plot", "roofline", "--machine", "karst", "-o", "a.svg", "--data", "a.csv"]
    run([*call, "--measured", "kernels.csv"])
    written = Path("a.csv").read_text(encoding="utf-8")
    assert raw(written.replace("\r\n", "\n")) == set()
    names = {row["name"] for row in csv.DictReader(StringIO(written))}
    assert "'@k" in names
    assert read_csv_cell("'@k") == "@k"


def _number(cell: str) -> bool:
    try:
        return bool(float(cell)) or True
    except ValueError:
        return False


@given(st.text())
def test_a_cell_comes_back_as_it_was(text: str) -> None:
    assert read_csv_cell(csv_cell(text)) == visible(text)


@given(st.floats(allow_nan=False))
def test_a_number_in_a_cell_comes_back_as_it_was(number: float) -> None:
    assert float(str(csv_value(number))) == number


@given(st.text(st.characters()))
def test_nothing_is_left_raw(text: str) -> None:
    assert raw(visible(text)) == set()
    assert raw(csv_cell(text)) == set()
    assert raw(escaped(json.dumps(text, ensure_ascii=False))) == set()
    assert json.loads(escaped(json.dumps(text, ensure_ascii=False))) == text
    assert visible(visible(text)) == visible(text)


def test_yaml_escapes_it_too() -> None:
    assert raw("\n".join(yaml_format._lines({"source": HOSTILE}))) == set()
