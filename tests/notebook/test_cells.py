"""Cells in the language, and what a notebook shows of answers."""

from __future__ import annotations

import atexit
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

import roofdsl as rd
from roofdsl.figures.picture import FigureTable
from roofdsl.notebook import CellError, Cells, load_ipython_extension, table_html


def texts(html: str) -> list[list[str]]:
    """Return the rows of the tables in HTML, which must be well-formed."""
    root = ElementTree.fromstring(html)
    return [["".join(cell.itertext()) for cell in row] for row in root.iter("tr")]


class Shell:
    """As much of IPython's shell as an extension uses."""

    def __init__(self) -> None:
        self.magics: dict[str, Any] = {}
        self.names: dict[str, object] = {}
        self.shown: dict[tuple[str, str], Any] = {}
        formatter = SimpleNamespace(
            for_type_by_name=lambda module, name, shown: self.shown.update({(module, name): shown})
        )
        self.display_formatter: Any = SimpleNamespace(formatters={"text/html": formatter})

    def register_magic_function(self, function: Any, magic_kind: str, magic_name: str) -> None:
        assert magic_kind == "cell"
        self.magics[magic_name] = function

    def push(self, variables: Any) -> None:
        self.names.update(variables)


@pytest.fixture
def shell() -> Shell:
    found = Shell()
    load_ipython_extension(found)
    return found


def test_the_package_is_an_extension() -> None:
    assert import_module("roofdsl").load_ipython_extension is load_ipython_extension


def test_a_cell_defines_models_and_machines(shell: Shell) -> None:
    shown = shell.magics["roof"](
        "", "model copy { param n: integer; memory = 16 B*n }\nmachine slow { memory = 1 GB/s }\n"
    )
    assert repr(shown) == "model copy, machine slow"
    copy: Any = shell.names["copy"]
    assert copy.on(shell.names["slow"]).evaluate(n=10**9).time == 16


def test_what_is_wrong_is_shown_at_its_place(shell: Shell) -> None:
    with pytest.raises(CellError) as failed:
        shell.magics["roof"]("", "model m {\n    flops = 2 B\n}\n")
    shown = str(failed.value)
    assert shell.names == {}
    assert "error[R0302]" in shown and "cell:2:13" in shown
    assert "             ^^^" in shown
    assert "&lt;" in Cells().run("model <b> { }")._repr_html_()


def test_a_warning_is_shown_and_the_model_defined(shell: Shell) -> None:
    shown = shell.magics["roof"](
        "", "model m { param n: integer; param word = 8 B; flops = n; memory = 24*n }"
    )
    assert "warning[R0310]" in repr(shown) and repr(shown).endswith("model m")
    assert "m" in shell.names


def test_later_cells_see_earlier_ones(shell: Shell) -> None:
    roof = shell.magics["roof"]
    roof("", "model part { param n: integer; flops = n; memory = 8 B*n }")
    roof("", "machine slow { flops = 1 flop/s; memory = 1 B/s }")
    with pytest.raises(CellError) as failed:
        roof(
            "",
            "model whole { step one = part(n = 2); step other = part(n = 3) }\n"
            'test "together" { let r = whole() on slow; expect r.flops ~ 5 flop }\n'
            'test "on a machine" { let r = whole() on slow; expect r.time ~ 40 s }\n'
            'test "wrong" { let r = part(n = 1) on slow; expect r.flops ~ 2 flop }\n',
        )
    assert str(failed.value).endswith("model whole; 2 of 3 tests passed")
    assert "error[R0601]" in str(failed.value)
    assert "whole" in shell.names  # it is right, though the test is not
    roof("", "model part { param n: integer; flops = 10*n; memory = 8 B*n }")
    test = 'test "anew" { let r = part(n = 1) on slow; expect r.flops ~ 10 flop }'
    assert repr(roof("", test)) == "1 of 1 tests passed"


def test_later_cells_know_functions_units_and_resources(shell: Shell) -> None:
    roof = shell.magics["roof"]
    roof("", "unit element\nresource disk: B shares memory\nfunction twice(x) = 2*x")
    roof("", "function four(x) = twice(twice(x))\nmachine box { memory = 1 B/s; disk = 4 B/s }")
    shown = roof(
        "",
        "model m { param n: element; memory = four(n) * 1 B/element; disk = 4 B }\n"
        'test "all of it" {\n'
        "    expect (m(n = 2 element) on box).time == 9 s\n"
        "    expect four(1 element) == 4 element\n}\n",
    )
    assert repr(shown) == "model m; 1 of 1 tests passed"
    roof("", "function twice(x) = 3*x\nresource disk: flop")  # run again, and changed
    assert repr(roof("", 'test "t" { expect twice(1) == 3 }')) == "1 of 1 tests passed"


def test_a_file_used_in_one_cell_is_known_in_the_next(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    roof = shell.magics["roof"]
    roof("own.roof", "function f(x) = 2*x\nmodel walk { param n: integer; memory = 16 B*n }")
    roof("", 'use "./own.roof" as mine')
    shown = roof("", 'test "t" { expect (mine.walk(n = mine.f(2)) on karst).memory == 64 B }')
    assert repr(shown) == "1 of 1 tests passed"


def test_what_has_errors_is_not_known_later(shell: Shell) -> None:
    roof = shell.magics["roof"]
    with pytest.raises(CellError):
        roof("", "function f(x) = 2*x\nmodel m { flops = 2 B }")
    with pytest.raises(CellError, match="R0204"):
        roof("", "model m { flops = f(2) }")


def test_names_of_python_are_left_alone(shell: Shell) -> None:
    roof = shell.magics["roof"]
    shown = roof("", "model print { memory = 16 B }\nmachine lambda { memory = 1 B/s }")
    assert sorted(shell.names) == ["lambda_", "print_"]
    assert "warning: 'print' is a name of Python" in repr(shown)
    assert "`print_`" in repr(shown) and "`lambda_`" in shown._repr_html_()
    assert "print" in shown.models
    assert repr(roof("", 'test "t" { expect (print() on lambda).time == 16 s }')).endswith("passed")


CELLS_THAT_FAIL = {
    "an error": ("model m { flops = 2 + }", "error[R0110]"),
    "a failed test": ('test "t" { expect 1 == 2 }', "error[R0601]"),
    "a test that expects nothing": ('test "t" { let x = 1 }', "error[R0606]"),
}


@pytest.mark.parametrize("name", CELLS_THAT_FAIL)
def test_ipython_fails_a_cell_and_shows_what_is_wrong(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interactive = pytest.importorskip("IPython.core.interactiveshell")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    text, code = CELLS_THAT_FAIL[name]
    running = interactive.InteractiveShell()
    try:
        assert running.run_cell("%load_ext roofdsl").success
        result = running.run_cell(f"%%roof\nmodel right {{ memory = 16 B }}\n{text}\n")
        assert not result.success
        shown = capsys.readouterr()
        assert code in shown.out + shown.err
        assert "Traceback" not in shown.out + shown.err
        assert ".py" not in shown.out + shown.err
        assert running.run_cell("%%roof\nmodel other { memory = 16 B }\n").success
    finally:
        atexit.unregister(running.atexit_operations)
        running.atexit_operations()


def test_a_cell_is_kept_as_a_file(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "model copy { memory = 16 B }\n"
    shell.magics["roof"]("copy.roof", text)
    assert Path("copy.roof").read_text(encoding="utf-8") == text


def test_regimes_and_crossovers() -> None:
    prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    rows = texts(prediction.crossovers("N", P=121)._repr_html_())
    assert rows[1:3] == [["network", "for 2 ≤ N ≤ 5580"], ["flops", "for 5581 ≤ N ≤ 10^18"]]
    assert rows[3][:2] == ["network → flops from N = 5581", "N"]
    latex = prediction.crossovers("N", P=121)._repr_latex_()
    assert latex is not None
    assert latex.startswith("$") and latex.endswith("$") and "5581" in latex
    row, *_notes = texts(prediction.where("time <= 10 s", "N", P=121)._repr_html_())
    assert row == ["holds for 2 ≤ N ≤ 23698"]
    elasticities = texts(prediction.sensitivity(N=4096, P=121)._repr_html_())
    assert elasticities[1][1] == "2" and elasticities[2][1] == "1"


def test_a_sweep_is_a_table() -> None:
    sweep = rd.load_model("summa").on(rd.load_machine("karst")).sweep(N=[242, 61952], P=121)
    head, first, last, *_notes = texts(sweep._repr_html_())
    given, results = ["N", "P", "word", "B", "M", "dtype"], ["time", "attainable", "OI", "CAI"]
    assert head == [*given, *results, "bound"]
    assert (first[0], first[-1], last[0], last[-1]) == ("242", "network", "61952", "flops")
    many = rd.load_model("summa").on(rd.load_machine("karst")).sweep(N=range(2, 102), P=4)
    assert ["and 80 more"] in texts(many._repr_html_())


def test_a_sweep_shows_all_digits_of_what_was_given() -> None:
    prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    for n in (10_000_001, 1_234_567_890):
        sweep = prediction.sweep(N=[2, n], P=4)
        head, _, last, *_notes = texts(sweep._repr_html_())
        assert last[head.index("N")] == str(n)


def test_a_sweep_shows_values_as_an_answer_does() -> None:
    text = """
        unit row
        model m {
            param n: integer
            param t: precision = fp32
            param fused = true
            param line = 64 B
            tally rows: row = 2 row * n
            tally footprint: B = line * n
            flops[t] = if fused then n else 2*n
        }
        machine node { flops { fp64 = 1 GFLOP/s; fp32 = 2 GFLOP/s } }
        """
    cell = Cells().run(text)
    prediction = cell.models["m"].on(cell.machines["node"])
    sweep = prediction.sweep(n=[2, 3], fused=False)
    head, *rows = texts(sweep._repr_html_())
    shown = [dict(zip(head, row, strict=True)) for row in rows]
    for n, row, said in zip((2, 3), sweep.rows(), shown, strict=True):
        assert {name: row[name] for name in ("n", "t", "fused", "line")} == {
            **prediction.evaluate(n=n, fused=False).parameters
        }
        cells = [said[name] for name in ("n", "t", "fused", "line", "rows", "footprint")]
        assert cells == [str(n), "fp32", "false", "64 B", f"{2 * n} row", f"{64 * n} B"]
    assert sweep.to_dict()["t"] == ["fp32", "fp32"]
    assert sweep.parameters["fused"].tolist() == [False, False]


def test_the_table_behind_a_figure(shell: Shell) -> None:
    assert shell.shown == {("roofdsl.figures.picture", "FigureTable"): table_html}
    table = FigureTable(("<b>", "n"), (("</table><script>", 1.5), (None, 2)))
    assert texts(table_html(table)) == [["<b>", "n"], ["</table><script>", "1.5"], ["", "2"]]
    assert texts(table_html(FigureTable(("n",), ((1,),) * 99)))[-1] == ["and 39 more"]


@pytest.mark.parametrize(
    "line",
    ["--help", "q.roof # c", "# q.roof", "q", "-f.roof", "'q.roof'", "q.roof --force", "a\0b.roof"],
)
def test_what_is_no_file_behind_the_magic_is_refused(
    shell: Shell, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shell.magics["roof"]("", "model copy { param n: integer; memory = 16 B*n }")
    old = shell.names["copy"]
    with pytest.raises(CellError, match=r"R0004|R0802") as failed:
        shell.magics["roof"](line, "model copy { param n: integer; memory = 24 B*n }")
    assert list(tmp_path.iterdir()) == [] and shell.names["copy"] is old
    assert failed.value._render_traceback_() == str(failed.value).splitlines()
    # Below it is the old one that is known.
    shell.magics["roof"]("", "model twice { param n: integer; step one = copy(n = n) }")
    twice: Any = shell.names["twice"]
    assert str(twice.memory) == "16*n"


def test_a_cell_that_fails_leaves_the_old_definitions(shell: Shell) -> None:
    shell.magics["roof"]("", "model copy { param n: integer; memory = 16 B*n }")
    old = shell.names["copy"]
    for wrong in ("model copy { memory = 24 B*n }", "model copy {", "model copy { flops = 2 B }"):
        with pytest.raises(CellError):
            shell.magics["roof"]("", wrong)
        assert shell.names["copy"] is old


def test_a_file_of_an_odd_name_is_kept(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shell.magics["roof"]("  my models é.roof ", "model copy { memory = 16 B }")
    assert [path.name for path in tmp_path.iterdir()] == ["my models é.roof"]
