"""What notebooks show of models, machines, predictions and results."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Protocol
from xml.etree import ElementTree

import pytest

import roofdsl as rd
from roofdsl.embedding.machine import Machine
from roofdsl.embedding.model import Model
from roofdsl.model.library import bundled, check_text, load_module
from roofdsl.source import Source
from tests.typeset.test_latex import assert_well_formed


class Shown(Protocol):
    def _repr_html_(self) -> str: ...
    def _repr_latex_(self) -> str | None: ...


TAGS = set("div p strong table caption tr th td pre math".split())
SAFE_ATTRIBUTES = set(
    "aria-label class scope style display displaystyle form lspace rspace stretchy".split()
)


def page(shown: Shown) -> ElementTree.Element:
    """Parse the HTML and check that it brings nothing along."""
    html = shown._repr_html_()
    assert html == shown._repr_html_()
    root = ElementTree.fromstring(html)
    for element in root.iter():
        assert element.tag in TAGS or element.tag.startswith("m")
        assert set(element.attrib) <= SAFE_ATTRIBUTES
        assert "url" not in element.get("style", "") and "color" not in element.get("style", "")
    return root


def rows(shown: Shown) -> dict[str, list[list[str]]]:
    """Return the tables of the HTML by their titles."""
    found = {}
    for table in page(shown).iter("table"):
        title = "".join(table.find("caption").itertext())  # type: ignore[union-attr] # each has one
        found[title] = [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
    return found


def latex(shown: Shown) -> str:
    text = shown._repr_latex_()
    assert text is not None and text == shown._repr_latex_()
    assert text.startswith("$\\displaystyle ") and text.endswith("$")
    assert_well_formed(text)
    return text


def declared(text: str) -> tuple[dict[str, Model], dict[str, Machine]]:
    module, problems = check_text(Source("here", text))
    assert not [problem for problem in problems if problem.severity == "error"]
    models = {name: Model(item) for name, item in module.models.items()}
    return models, {name: Machine(item) for name, item in module.machines.items()}


def test_a_model() -> None:
    tables = rows(rd.load_model("summa"))
    assert tables["parameters"][:4] == [
        ["name", "kind or unit", "bounds", "default", "meaning"],
        ["N", "integer", "N≥2", "", "matrix order"],
        ["P", "processes", "P≥1", "", "processes, on a square grid"],
        ["word", "B", "word>0", "size(dtype)", "bytes per element"],
    ]
    assert tables["requires"] == [["what must hold"], ["P∈ℤ"]]
    worked = ["flops.matrix[dtype]", "memory", "network"]
    assert [row[0] for row in tables["work of one process"]] == worked
    assert [row[0] for row in tables["intensities"]] == ["OI", "CAI", "MI"]
    assert len(tables["sources"]) == 2


def test_a_model_in_latex() -> None:
    models, _ = declared("model scale { param N: integer; flops = N; memory = 16 B*N }")
    assert latex(models["scale"]) == (
        r"""$\displaystyle \begin{array}{l}
\textbf{model scale} \\
\text{parameters} \\
\quad \begin{array}{lll} \text{name} & \text{kind or unit} & \text{bounds} \\[0.5ex] """
        r"""\displaystyle N & \text{integer} & \displaystyle N \geq 1 \end{array} \\
\text{work of one process} \\
\quad \begin{array}{lllll} \text{flops} & = & \displaystyle N & \text{flop} &  \\[0.5ex] """
        r"""\text{memory} & = & \displaystyle 16N & \text{B} &  \end{array} \\
\text{intensities} \\
\quad \begin{array}{lllll} \text{OI} & = & \displaystyle 0.0625 & \text{flop/B} &  \end{array}
\end{array}$"""
    )


def test_a_model_of_steps() -> None:
    steps = "\n".join(f"    step s{number} = copy(N = N)" for number in range(90))
    models, _ = declared(
        "model copy { param N: integer; memory = 16 B*N }\n"
        f"model many {{\n    param N: integer\n    overlap {{ step first = copy(N = 2*N) }}\n"
        f"    repeat N {{ step inner {{ memory = 8 B }} }}\n{steps}\n}}\n"
    )
    shown = rows(models["many"])["steps"]
    assert shown[:6] == [
        ["step", "model"],
        ["at once", ""],
        ["\u2003first", "copy"],
        ["N times", ""],
        ["\u2003inner", "in place"],
        ["s0", "copy"],
    ]
    assert shown[-1] == ["and 34 more", ""] and len(shown) == 62


def test_a_machine() -> None:
    tables = rows(rd.load_machine("karst"))
    assert tables["rates"] == [
        ["resource", "rate"],
        ["flops", "22 GFLOP/s"],
        ["memory", "13.9 GB/s"],
        ["network", "1.2 GB/s"],
    ]
    assert tables["ridge points"][1] == ["OI*", "1.583 flop/B", "flops rate / memory rate"]
    assert r"\text{13.9 GB/s}" in latex(rd.load_machine("karst"))


def test_a_prediction() -> None:
    tables = rows(rd.load_model("summa").on(rd.load_machine("karst")))
    assert [row[0] for row in tables["time on each resource"]] == ["flops", "memory", "network"]
    assert [row[0] for row in tables["prediction"]] == ["time", "attainable"]
    assert tables["rates"][0][:3] == ["flopskarst", "=", "22 GFLOP/s"]


def test_a_result() -> None:
    result = rd.load_model("summa").on(rd.load_machine("karst")).evaluate(N=4096, P=121)
    tables = rows(result)
    assert "word = 8 B" in "".join(page(result).itertext())
    loads = tables["Work and time of summa on karst"]
    assert loads[3] == ["network", "84.42 MB", "1.2 GB/s", "70.35 ms", "← bound"]
    intensities = tables["Intensities of summa on karst"]
    assert intensities[1] == ["OI", "11.19 flop/B", "1.583 flop/B"]
    prediction = tables["Prediction of summa on karst"]
    assert prediction[:2] == [["bound", "network"], ["time", "70.35 ms"]]
    assert r"\text{16.15 GFLOP/s}" in latex(result)


def test_no_work_and_no_end() -> None:
    models, machines = declared(
        "model copy { param N: integer; memory = 16 B*N }\n"
        "model nothing { memory = 0 B }\n"
        "machine m { flops = 1 GFLOP/s; memory = 1 GB/s; network = unlimited }"
    )
    machine = machines["m"]
    result = models["copy"].on(machine).evaluate(N=10)
    assert rows(result)["Intensities of copy on m"][1:] == [
        ["OI", "0 flop/B", "1 flop/B"],
        ["CAI", "undefined", "–"],
        ["MI", "∞", "–"],
    ]
    assert r"\text{$\infty$}" in latex(result)
    everything: list[Shown] = [*models.values(), machine, models["nothing"].on(machine)]
    for shown in everything:
        page(shown)
        latex(shown)
    assert rows(models["nothing"].on(machine).evaluate())["Prediction of nothing on m"][0] == [
        "bound",
        "none: there is no work",
    ]


HOSTILE = r"""
## <script>alert(1)</script> \input{secret} {{ 7*7 }} 50 % _ # & ^ ~ $x$
model evil {
    source "</table><img src=x onerror=alert(1)> \\write18{ls} RTLtxt"
    param x_1: integer   ## <b onmouseover='alert(1)'> & "quotes"
    flops = x_1; memory = 8 B*x_1
}
## <iframe src="javascript:alert(1)">
machine worse {
    source "<svg/onload=alert(1)>"
    flops = 1 GFLOP/s    ## <script>
    memory = 1 GB/s
}
"""


def test_hostile_text_is_text() -> None:
    models, machines = declared(HOSTILE.replace("RTL", "\u202e"))
    model, machine = models["evil"], machines["worse"]
    result = model.on(machine).evaluate(x_1=4)
    for shown in (model, machine, model.on(machine), result):
        page(shown)
        latex(shown)
    text = "".join(page(model).itertext())
    assert r"<script>alert(1)</script> \input{secret} {{ 7*7 }} 50 % _ # & ^ ~ $x$" in text
    assert "</table><img src=x onerror=alert(1)>" in text
    assert "<b onmouseover='alert(1)'> & \"quotes\"" in text
    assert "\u202e" not in text


def test_problems_are_shown_in_place() -> None:
    models, machines = declared(
        "model sends { param N: integer; network = 8 B*N }\nmachine m { flops = 1 GFLOP/s }"
    )
    prediction = models["sends"].on(machines["m"])
    assert "R05" in "".join(page(prediction).itertext())
    assert prediction._repr_latex_() is None


@pytest.mark.parametrize("path", bundled("model").values(), ids=bundled("model"))
def test_every_bundled_model_is_shown(path: Path) -> None:
    for definition in load_module(path).models.values():
        page(Model(definition))
        latex(Model(definition))


@pytest.mark.parametrize("path", bundled("machine").values(), ids=bundled("machine"))
def test_every_bundled_machine_is_shown(path: Path) -> None:
    for definition in load_module(path).machines.values():
        page(Machine(definition))
        latex(Machine(definition))


def test_a_composition_without_end_stays_small() -> None:
    steps = "\n".join(
        f"    step s{number} {{ flops = N^{number % 7}*{number}; memory = 8 B*N }}"
        for number in range(500)
    )
    models, machines = declared(
        f"model long {{\n    param N: integer\n{steps}\n}}\n"
        "machine m { flops = 1 GFLOP/s; memory = 1 GB/s }"
    )
    prediction = models["long"].on(machines["m"])
    for shown in (models["long"], prediction, prediction.evaluate(N=3)):
        page(shown)
        latex(shown)
        assert len(shown._repr_html_()) < 100_000


def test_numbers_alone_do_not_load_what_typesets() -> None:
    code = (
        "import sys, roofdsl as rd\n"
        "rd.load_model('summa').on(rd.load_machine('karst')).evaluate(N=4096, P=121)\n"
        "print('roofdsl.report.card' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "False"
