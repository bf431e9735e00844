"""Pages of models and machines, and what answers show of their rates."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.analysis.what_if import changed
from roofdsl.answer.definition import DefinitionPage
from roofdsl.answer.formulas import FormulaAnswer
from roofdsl.answer.point import PointAnswer
from roofdsl.cli.main import cli
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.tree import Number
from roofdsl.numeric.scalar import evaluate
from roofdsl.report.text import written
from roofdsl.source import Source
from tests.language.programs import module


def answer(text: str) -> str:
    found = module(text)
    prediction, problems = predict(found.models["m"], found.machines["box"], {})
    assert not problems
    return written(PointAnswer(evaluated(prediction), prediction))


def formulas(text: str) -> str:
    found = module(text)
    prediction, problems = predict(found.models["m"], found.machines["box"], {})
    assert not problems
    return written(FormulaAnswer(prediction))


def line_of(page: str, word: str) -> str:
    (line,) = [line for line in page.splitlines() if line.split()[:1] == [word]]
    return line


# Uncertainties


UNCERTAIN = """
    machine box {
        flops = 22 ± 0.4 GFLOP/s
        memory { DRAM = 12937.6 ± 4.6 MB/s; default DRAM }
        network = 65.9 +- 1 ps/B
        messages = 2 us/message
    }
    model m { flops = 1e9; memory = 1 GB; network = 1 GB }
"""


@pytest.mark.parametrize(
    ("rate", "shown"),
    [
        ("flops", "22 ± 0.4 GFLOP/s"),
        ("memory.DRAM", "12.9376 ± 0.0046 GB/s"),
        ("network", "65.9 ± 1 ps/B"),
        ("messages", "2 µs/message"),
    ],
)
def test_a_page_shows_how_uncertain_a_rate_is(rate: str, shown: str) -> None:
    page = written(DefinitionPage(module(UNCERTAIN).machines["box"], "demo.roof"))
    assert shown in line_of(page, rate)


def test_an_answer_shows_it_too() -> None:
    assert "22 ± 0.4 GFLOP/s" in line_of(answer(UNCERTAIN), "flops")


# Machines that are not complete


OPEN = """
    machine box {
        param ranks: integer
        flops = 22 GFLOP/s
        memory = min(13.9 GB/s, 90 GB/s / (ranks - 1))
    }
    model m { flops = 1 }
"""


def test_a_page_shows_rates_as_written_where_they_have_no_number() -> None:
    page = written(DefinitionPage(module(OPEN).machines["box"], "demo.roof"))
    assert "min(13.9 GB/s, 90 GB/s / (ranks - 1))" in line_of(page, "memory")
    assert "needs a value for ranks" in page


@pytest.mark.parametrize("default", ["", " = 1"])
def test_such_a_machine_answers_with_a_message(tmp_path: Path, default: str) -> None:
    path = tmp_path / "open.roof"
    path.write_text(OPEN.replace("integer", f"integer{default}"), encoding="utf-8")
    for command in (["eval", f"{path}:m", "--machine", str(path)], ["show", f"{path}:box"]):
        result = CliRunner().invoke(cli, command)
        assert result.exception is None or isinstance(result.exception, RoofError)
        message = f"{result.exception}{result.output}"
        assert "ranks" in message and "Traceback" not in message


def test_a_capacity_without_a_value_is_a_message(tmp_path: Path) -> None:
    path = tmp_path / "k.roof"
    path.write_text(
        "machine box { param n: integer = 1; memory = 1 GB/s; capacity memory = 1 GB / (n - 1) }\n"
        "model m { tally footprint: B = 1; memory = 1 GB }\n",
        encoding="utf-8",
    )
    result = CliRunner().invoke(cli, ["eval", f"{path}:m", "--machine", f"{path}:box"])
    assert isinstance(result.exception, RoofError)
    assert "division by zero" in str(result.exception)


def test_a_capacity_beyond_what_a_float_holds_is_shown_as_written(tmp_path: Path) -> None:
    path = tmp_path / "k.roof"
    path.write_text("machine box { memory = 1 GB/s; capacity memory = 9e399 B + 0 B }\n")
    result = CliRunner().invoke(cli, ["show", f"{path}:box"])
    assert result.exception is None
    assert "memory    9e399 B + 0 B" in result.output


def test_a_bound_without_a_value_is_a_message(tmp_path: Path) -> None:
    path = tmp_path / "m.roof"
    path.write_text("model m { param M = 1; param N: real[..3/(M - 1)]; flops = N }\n")
    result = CliRunner().invoke(cli, ["eval", str(path), "--machine", "karst", "-p", "N=2"])
    assert isinstance(result.exception, RoofError)
    assert "division by zero" in str(result.exception)


def test_a_page_names_devices() -> None:
    found = module("""
        machine host { flops = 1 GFLOP/s }
        ## The card.
        ##
        ## More of it.
        machine card { flops = 2 GFLOP/s }
        machine both { device cpu = host; device gpu = card }
    """)
    page = written(DefinitionPage(found.machines["both"], "demo.roof"))
    assert line_of(page, "gpu").split() == ["gpu", "card", "The", "card."]


# Answers


def test_the_bound_is_marked_where_it_is_shared() -> None:
    text = """
        resource lock: B shares network
        model m { flops = 1; lock = 4 GB; memory = 1 GB }
        machine box { flops = 1 GFLOP/s; memory = 1 GB/s; lock = 1 GB/s }
    """
    assert line_of(answer(text), "lock").endswith("← bound")


@pytest.mark.parametrize(
    ("flops", "shown"),
    [
        ("flops = 4 GFLOP/s", True),
        ("flops { fma = 4 GFLOP/s; add = 1 GFLOP/s; default fma }", True),
        ("flops { fma = 4 GFLOP/s }", True),
        ("flops = unlimited", False),
    ],
)
def test_attainable_is_a_share_of_the_peak(flops: str, shown: bool) -> None:
    page = answer(
        f"model m {{ flops = 1e9; memory = 1 GB }}\nmachine box {{ {flops}; memory = 1 GB/s }}"
    )
    assert ("(25 % of the peak)" in line_of(page, "attainable")) == shown


@pytest.mark.parametrize(
    ("flops", "shown"),
    [
        ("2*N", []),
        ("N*2", ["= 2*N"]),
        ("word*2*N", ["= 16*N"]),
        ("2*N + 4*N", ["= 6*N"]),
        ("word*N + word*N", ["= 2*N*word", "= 16*N"]),
        ("N*(N + 1) - N", ["= N^2"]),
        ("2*N + 1", ["→ 2*N as N grows"]),
        ("N^2 + N", ["→ N^2 as N grows"]),
    ],
)
def test_a_leading_term_that_says_nothing_new_is_left_out(flops: str, shown: list[str]) -> None:
    page = formulas(
        f"model m {{ param N: integer; param word = 8; flops = {flops} }}\n"
        "machine box { flops = 1 GFLOP/s }"
    )
    work = page.partition("work of one process")[2].partition("\n\n")[0]
    assert [" ".join(line.split()) for line in work.strip().splitlines()[1:]] == shown


def test_rates_keep_their_uncertainty_as_a_number() -> None:
    rate = module(UNCERTAIN).machines["box"].rates[0]
    assert isinstance(rate.uncertainty, Number)
    assert float(rate.uncertainty.value) == pytest.approx(0.4 / 22)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("40 ± 2 GFLOP/s", 0.05), ("2x", 0.4 / 22), ("40 GFLOP/s", None)],
)
def test_a_rate_that_is_set_has_the_uncertainty_given_with_it(
    text: str, wanted: float | None
) -> None:
    problems: list[Diagnostic] = []
    box = module(UNCERTAIN).machines["box"]
    rate = changed(box, "flops", Source("command line", text), problems.append).rates[0]
    assert problems == []
    found = None if rate.uncertainty is None else evaluate(rate.uncertainty, {})
    assert found == (None if wanted is None else pytest.approx(wanted))


def test_a_page_names_tensors_and_what_is_kept() -> None:
    found = module("""
        model layer {
            param n: integer
            in x = 4 B*n  ## rows
            out y = x
            keep x
            keep places = 8 B*n
            hold gradients = 2 B*n from here
            flops = n
        }
        model m {
            in image = 4 B
            step forward { step a = layer(n = 1); step b = layer(n = 2) in place }
            step backward { step b { flops = 1 }; step a { flops = 1 } }
            keep forward to backward
            keep h = 16 B from forward.b to backward.b
        }
    """)
    pages = {name: written(DefinitionPage(model, "m.roof")) for name, model in found.models.items()}
    lines = {name: [" ".join(x.split()) for x in page.splitlines()] for name, page in pages.items()}
    assert [x for x in lines["layer"] if x.startswith(("in ", "out ", "keep ", "hold "))] == [
        "in x = 4*n [B] kept, rows",
        "out y = 4*n [B] lies in x",
        "hold gradients = 2*n [B] from here",
        "keep places = 8*n [B]",
    ]
    at = lines["m"].index("kept")
    assert lines["m"][at + 2 : at + 4] == [
        "what its steps keep forward backward",
        "h 16 B forward.b backward.b",
    ]
    assert "tensors" in lines["m"]
