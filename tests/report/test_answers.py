"""Every form of an answer says all of it: footprints, notes, proofs, ties between parameters."""

from __future__ import annotations

import csv
import json
import math
from contextlib import chdir
from io import StringIO
from pathlib import Path

import pytest
import sympy
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli

DECODE = "eval llama2_70b_decode -m h100_sxm -p batch=1..256:x4"
FORMS = ["text", "csv", "json", "yaml", "latex", "markdown"]


def printed(command: str, form: str = "text") -> str:
    found = CliRunner().invoke(cli, [*command.split(), "--format", form], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.stdout


# Footprints and tallies


@pytest.mark.parametrize("form", ["text", "latex", "markdown"])
@pytest.mark.parametrize("machines", ["", " -m a100_sxm_80gb"])
def test_a_table_says_what_does_not_fit(form: str, machines: str) -> None:
    # 69 G parameters of 2 B are 138 GB, and an H100 holds 81559 MiB, 85.5 GB.
    text = printed(f"eval llama2_70b_decode -m h100_sxm{machines} -p batch=1..16:x16", form)
    rows = 2 * (1 + bool(machines))
    assert text.count("stated tensors beyond the capacity") == rows
    assert "139.3" in text and "parameters" in text
    point = printed(f"eval llama2_70b_decode -m h100_sxm{machines} -p batch=1", form)
    assert point.count("stated tensors beyond the capacity") == 1 + bool(machines)


def test_a_file_of_rows_says_it_too() -> None:
    rows = [*csv.DictReader(StringIO(printed(DECODE, "csv")))]
    assert [row["batch"] for row in rows] == ["1", "4", "16", "64", "256"]
    assert {row["peak_memory_within_capacity"] for row in rows} == {"false"}
    assert all(float(row["tally_peak_memory"]) > 81559 * 2**20 for row in rows)
    assert all("has not measured gemm" in row["notes"] for row in rows)


@pytest.mark.parametrize("form", ["text", "latex", "markdown"])
def test_the_table_of_a_paper_says_it_too(form: str) -> None:
    at = "-m h100_sxm -m karst -p batch=1"
    text = printed(f"table llama2_70b_decode {at}", form).replace("\\_", "_")
    assert text.count("stated tensors beyond the capacity") == 1  # karst states no capacity
    assert text.count("has not measured gemm") == 2
    assert "on karst: 'karst' has not measured gemm" in text.replace("\\textquotesingle{}", "'")


COLUMNS = ["flops", "memory", "network", "OI", "CAI", "MI", "time", "attainable", "bound"]
TALLIES = ["parameters", "multiply_adds", "weights", "footprint", "peak_memory"]
ASKED = "table linear summa -m karst -p M=64 -p I=64 -p O=64 -p N=242 -p P=121"


def test_each_column_of_a_table_is_what_was_asked_for() -> None:
    columns = [*reversed(TALLIES), *COLUMNS]
    told = json.loads(printed(f"{ASKED} --columns {','.join(columns)},OI", "json"))
    linear = rd.load_model("linear").on(rd.load_machine("karst")).evaluate(M=64, I=64, O=64)
    for row in told["rows"]:
        assert [*row] == ["model", "machine", "at", *columns]
    first, second = told["rows"]
    for name in columns:
        value = linear.tallies[name] if name in TALLIES else getattr(linear, name)
        assert first[name] == ("inf" if value == math.inf else value), name
    assert [second[name] for name in TALLIES] == [None] * 5  # summa tallies nothing
    assert told["units"]["rows"]["footprint"] == "B"
    [_, row] = csv.DictReader(StringIO(printed(f"{ASKED} --columns footprint", "csv")))
    assert row["footprint"] == "" and "time" not in row
    assert [*json.loads(printed(ASKED, "json"))["rows"][0]][3:] == [*DEFAULTS, *TALLIES]


DEFAULTS = ["OI", "CAI", "time", "attainable", "bound"]
BOX = """
machine box { param cards: integer; memory = 1 GB/s; capacity memory = 80 GB * cards }
machine two { param cards: integer = 2; memory = 1 GB/s; capacity memory = 80 GB * cards }
model copy { memory = 16 B }
"""


def test_a_capacity_is_shown_with_its_unit(tmp_path: Path) -> None:
    with chdir(tmp_path):
        Path("box.roof").write_text(BOX, encoding="utf-8")
        for machine, shown in (("box", "80 GB * cards"), ("two", "160\N{NO-BREAK SPACE}GB")):
            asked = ["box.roof", "-m", f"box.roof:{machine}", "--no-figures", "-o", "r.md"]
            found = CliRunner().invoke(cli, ["report", *asked], catch_exceptions=False)
            assert found.exit_code == 0, found.output
            _, _, capacities = Path("r.md").read_text(encoding="utf-8").partition("Capacities of")
            assert shown in capacities.partition("##")[0].replace("\\", "")


def test_a_report_says_it_too(tmp_path: Path) -> None:
    asked = ["llama2_70b_decode", "-m", "h100_sxm", "-p", "batch=1", "--no-figures", "-o", "r.md"]
    with chdir(tmp_path):
        found = CliRunner().invoke(cli, ["report", *asked], catch_exceptions=False)
        assert found.exit_code == 0, found.output
        text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "139.3\N{NO-BREAK SPACE}GB (stated tensors beyond the capacity)" in text


def test_a_sweep_says_it_too() -> None:
    import roofdsl as rd

    prediction = rd.load_model("llama2_70b_decode").on(rd.load_machine("h100_sxm"))
    rows = prediction.sweep(batch=[1, 256]).rows()
    assert [row["batch"] for row in rows] == [1, 256]
    assert {row["peak_memory_within_capacity"] for row in rows} == {False}
    single = prediction.evaluate(batch=256)
    assert rows[1]["tally_peak_memory"] == single.tallies["peak_memory"]
    assert rows[1]["time"] == pytest.approx(single.time, rel=1e-12)


# Notes


def test_a_note_stands_once_with_what_it_is_of(tmp_path: Path) -> None:
    (tmp_path / "m.roof").write_text(
        "machine one { flops = 1 GFLOP/s; memory = 1 GB/s }\n"
        "machine two { flops { fp64 = 1 GFLOP/s; fp32 = 2 GFLOP/s }; memory = 1 GB/s }\n"
        "model m { param n: integer; flops.fp32 = n; memory = 8 B*n }\n",
        encoding="utf-8",
    )
    with chdir(tmp_path):
        both = printed("eval m.roof:m -m m.roof:one -m m.roof:two -p n=1..3")
        alone = printed("eval m.roof:m -m m.roof:one -p n=1..3")
    (note,) = [line for line in alone.splitlines() if "note:" in line]
    assert "it serves flops.fp32 too" in note and "on one" not in note
    assert note.replace("note: ", "note: on one: ") in both
    assert both.count("note:") == 1


@pytest.mark.parametrize(
    "command",
    [
        "eval lenet5 -m karst -p batch=1",
        "eval lenet5 -m karst",
        "eval lenet5 -m karst -p batch=1..4",
        "solve lenet5 --crossover --for batch -m karst",
        "solve lenet5 --such-that bound=flops --for batch -m karst",
        "solve lenet5 --faster --for batch -m karst -m a100_sxm_80gb",
        "study lenet5 --sensitivity -m karst -p batch=1",
        "study lenet5 --asymptotic --for batch -m karst",
        "table lenet5 -m karst -p batch=1",
    ],
)
@pytest.mark.parametrize("form", ["text", "latex", "markdown", "json"])
def test_every_answer_has_its_notes(command: str, form: str) -> None:
    assert "it serves fp32 of every unit" in printed(command, form)


def test_a_report_says_where_its_formulas_hold(tmp_path: Path) -> None:
    (tmp_path / "rates.csv").write_text("w [kB],rate [GB/s]\n1,1\n1000,2\n", encoding="utf-8")
    (tmp_path / "m.roof").write_text(
        "machine box { flops = 1 GFLOP/s; memory = 9 GB/s\n"
        '    measured memory(w) from "rates.csv" interpolate }\n'
        "model m { param n: integer = 1000; flops = n^2; memory = 8 B*n }\n",
        encoding="utf-8",
    )
    with chdir(tmp_path):
        found = CliRunner().invoke(cli, ["report", "m.roof:m", "-m", "m.roof:box", "-o", "r.md"])
        assert found.exit_code == 0, found.output
        text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "is interpolated between" in text
    assert "proven over the whole range" in text and "the roof is used" not in text
    assert "formulas hold where 'box' has measured memory: 8\\*n = 1 kB .. 1 MB" in text


# Proofs


@pytest.mark.parametrize("form", ["text", "latex", "markdown"])
@pytest.mark.parametrize(
    "question", ["--crossover", "--such-that time<=10s", "--such-that bound=flops"]
)
def test_a_solution_says_how_far_it_is_proven(form: str, question: str) -> None:
    text = printed(f"solve summa {question} --for N -m karst -p P=121", form)
    assert "proven over the whole range" in text
    faster = printed("solve summa --faster --for N -m karst -m jetstream -p P=121", form)
    assert "proven over the whole range" in faster


@pytest.mark.parametrize("form", ["text", "latex", "markdown"])
@pytest.mark.parametrize("question", ["--crossover", "--such-that bound=flops"])
def test_the_first_value_that_is_allowed_is_said(form: str, question: str, tmp_path: Path) -> None:
    (tmp_path / "m.roof").write_text(
        "machine box { flops = 1 GFLOP/s; memory = 1 GB/s }\n"
        "model m { param n: integer; require n/10 is integer; flops = n^2; memory = 77 B*n }\n",
        encoding="utf-8",
    )
    with chdir(tmp_path):
        text = printed(f"solve m.roof:m {question} --for n -m m.roof:box", form)
    assert "first n that the model allows: 80" in text  # n² = 77 n at 77, or from 78 on


# What is supposed


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("compose", "said"), [("max", "everything"), ("sum", "nothing")])
def test_another_composition_is_said(form: str, compose: str, said: str) -> None:
    for values in ("-p P=4", "-p P=4,16", "-p P=4 -p cores=4 -m dgx_a100"):
        asked = f"eval cannon -m xeon_e5630 -p N=2000 -p B=200 {values} --compose {compose}"
        assert f"supposing that {said} overlaps" in printed(asked, form)
        assert "supposing" not in printed(asked.replace(compose, "written"), form)


# What takes no time

UNLIMITED = """
machine box { flops = unlimited; memory = 1 GB/s; network = 1 GB/s }
model kernel { param n: integer; flops = n }
model steps { param n: integer; step a { flops = n } step b { flops = 2*n } }
model idle { param n: integer; flops = 0; memory = 0 B }
machine even { flops = 1 GFLOP/s; memory = 1 GB/s; network = 1 GB/s }
model tie { param n: integer; memory = n; network = n; flops = n }
"""


@pytest.mark.parametrize("model", ["kernel", "steps", "idle"])
def test_what_takes_no_time_is_said_alike_by_all(model: str, tmp_path: Path) -> None:
    (tmp_path / "m.roof").write_text(UNLIMITED, encoding="utf-8")
    infinite = model != "idle"
    why = "no work takes time" if infinite else "there is no work"
    with chdir(tmp_path):
        asked = f"eval m.roof:{model} -m m.roof:box"
        point = printed(f"{asked} -p n=3")
        formulas = json.loads(printed(asked, "json"))["formulas"]
        opened = printed(asked)
        prediction = rd.load_model(f"m.roof:{model}").on(rd.load_machine("m.roof:box"))
        report = f"report m.roof:{model} -m m.roof:box -p n=3 --no-figures -o r.md".split()
        assert CliRunner().invoke(cli, report).exit_code == 0
        assert f"Nothing binds: {why}." in Path("r.md").read_text(encoding="utf-8")
    assert f"none: {why}" in point and "nan" not in point
    assert formulas["attainable"]["full"] == ("∞" if infinite else "0/0")
    assert prediction.attainable == (sympy.oo if infinite else sympy.nan)
    performance = prediction.evaluate(n=3).attainable
    assert performance == math.inf if infinite else math.isnan(performance)
    assert "the smallest of" not in opened and "intensities" not in opened


def test_a_change_to_a_tie_is_not_after_it(tmp_path: Path) -> None:
    (tmp_path / "m.roof").write_text(UNLIMITED, encoding="utf-8")
    with chdir(tmp_path):
        asked = "solve m.roof:tie -m m.roof:even --for even.flops -p n=3"
        text = printed(f"{asked} --crossover")
    tie = "memory and network and flops"
    assert f"flops → {tie} at even.flops = 1 GFLOP/s, to an exact tie" in text
    assert f"{tie} → memory and network at even.flops = 1 GFLOP/s, after an exact tie" in text


# Parameters that follow others


@pytest.mark.parametrize("form", ["text", "latex", "markdown"])
def test_a_tied_parameter_is_no_fixed_one(form: str) -> None:
    command = ["eval", "dgemv", "-m", "karst", "-p", "P=4..64:x4", "-p", "N=64*P"]
    text = CliRunner().invoke(cli, [*command, "--format", form]).stdout.replace("\\*", "*")
    assert "N = 64*P" in text
    assert "N = 256" not in text
    for order in ("256", "1024", "4096"):
        assert text.count(order) == 1


def test_a_default_that_follows_is_no_fixed_one(tmp_path: Path) -> None:
    (tmp_path / "m.roof").write_text(
        "model m { param n: integer; param k: integer = 2*n; flops = n*k }\n", encoding="utf-8"
    )
    with chdir(tmp_path):
        text = printed("eval m.roof -m karst -p n=1..3")
    head, _, names, *rows = text.splitlines()
    assert head == "m on karst   k = 2*n"
    assert names.split()[:2] == ["n", "k"]
    assert [row.split()[:2] for row in rows] == [["1", "2"], ["2", "4"], ["3", "6"]]


# The bound of a composition


def test_the_arrow_is_explained_by_its_row(tmp_path: Path) -> None:
    # Memory is busy for 99 + 10 s, flops for 100 s; but of the 110 s, 100 are charged to flops.
    (tmp_path / "m.roof").write_text(
        "machine box { flops = 1 flop/s; memory = 1 B/s }\n"
        "model m { step a { flops = 100; memory = 99 B }\n step b { memory = 10 B } }\n",
        encoding="utf-8",
    )
    with chdir(tmp_path):
        text = printed("eval m.roof:m -m m.roof:box")
    head, flops, memory = [" ".join(line.split()) for line in text.splitlines()[2:5]]
    assert head == "work rate busy share of the time"
    assert flops == "flops 100 flop 1 flop/s 100 s 90.9 % ← bound"
    assert memory == "memory 109 B 1 B/s 109 s 9.09 %"


# Formats for programs


@pytest.mark.parametrize(
    "command",
    [
        DECODE,
        "eval summa -m karst -p N=4096 -p P=121",
        "eval summa -m karst",
        "eval linalg.cannon -m xeon_e5630 -p N=2000 -p B=200 -p P=16",
        "eval ddot -m karst -p N=100000000 -p P=1",
    ],
)
def test_yaml_says_what_json_says(command: str) -> None:
    import yaml

    assert yaml.safe_load(printed(command, "yaml")) == json.loads(printed(command, "json"))


def test_yaml_takes_no_text_for_something_else() -> None:
    import yaml

    from roofdsl.report.yaml import written

    texts = ["no", "Y", "~", "null", "1e3", "0x1F", "012", ".inf", "2001-01-01", "", " a", "a "]
    texts += ["a: b", "a:", "- a", "[a]", "{a}", "*a", "&a", "!a", "|", ">", "%a", "@a", "`a`"]
    texts += ['"', "'a'", "\\", "#a", "a #b", "a\nb", "\t", "\x00", "\x7f", "\x85", "\u2028"]
    texts += ["é", "😀", "1_000", "="]
    numbers = [0, 1, -1, 2**70, 1e-05, 1e16, -2.5e-300, 0.1, True, False, None]
    value = {"texts": texts, "numbers": numbers, **{text: text for text in texts}}
    value |= {"nested": [[1, [2]], {"a": [{"b": {}}, []]}]}

    class Said:
        def values(self):
            return value

    text = written(Said())
    assert yaml.safe_load(text) == value
    assert json.dumps(yaml.safe_load(text)) == json.dumps(value)  # of the same types as well


@pytest.mark.parametrize(
    "question",
    [
        "solve dgemv --crossover --for P",
        "solve dgemv --such-that time<=1s --for P",
        "study dgemv --asymptotic --for P",
        "study dgemv --scaling --for P",
    ],
)
def test_answers_over_what_others_follow_say_how(question: str) -> None:
    asked = f"{question} -m karst -p N=64*P"
    assert "N = 64*P" in printed(asked)
    assert json.loads(printed(asked, "json"))["tied"] == {"N": "64*P"}
    assert "N = 64" in printed(asked, "latex").replace("$", "")


@pytest.mark.parametrize("form", ["text", "latex", "markdown"])
def test_answers_about_several_say_at_what_values(form: str) -> None:
    faster = "solve summa --faster --for N -m karst -m jetstream -p P=121"
    rows = "solve summa --crossover --for N -m karst -p P=4,16"
    for asked in (faster, rows):
        assert "word = 4 B" in printed(f"{asked} -p word=4B", form).replace("\\", "")
    assert json.loads(printed(faster, "json"))["params"]["karst"]["P"] == 121


def test_rows_at_several_points_say_whose_change_each_is() -> None:
    words = "solve mlp:mlp_training -m h100_sxm --crossover --for batch -p ranks=1,8".split()
    rows = [line.split() for line in CliRunner().invoke(cli, words).output.splitlines()]
    assert ["ranks", "of", "from", "to", "at", "kind"] in rows
    whole = [row for row in rows if row[1:3] == ["the", "whole"]]
    assert [row[0] for row in whole] == ["1", "8"]
    assert any(row[1:2] == ["fc1"] for row in rows)
