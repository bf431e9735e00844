"""A question at several values has the answers that it has at each of them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from roofdsl.cli.main import cli, main

Run = Callable[[str], Any]
ON = "-m karst"
QUESTIONS = {
    "solve summa --crossover --for N -m karst {}": ["-p P=4", "-p P=16", "-p P=64"],
    "solve summa --between memory network --for N -m karst -p P=16 {}": [
        "-p dtype=fp64",
        "-p dtype=fp32",
    ],
    "solve summa --crossover --for network -p P=16 -p N=4096 {}": ["-m karst", "-m jetstream"],
    "solve dgemv --such-that 'time <= 1 ms and bound is memory' --for N -m karst {}": [
        "-p P=1",
        "-p P=4",
    ],
    "solve summa --for N -m karst -p P=16 --such-that {}": [
        "'time <= 1 s and OI > 2 flop/B'",
        "'time <= 10 s and OI > 2 flop/B'",
    ],
    "solve summa --such-that 'bound = flops' --for karst.network -m karst -p P=4 {}": [
        "-p N=99",
        "-p N=198",
    ],
    "solve summa --faster --for N -m karst -m jetstream {}": ["-p P=4", "-p P=16"],
    "solve summa dgemv --faster --by memory --for N -m karst {}": ["-p P=4", "-p P=16"],
    "solve summa --for N -m karst -p P=16 --rates {}": ["±5%", "±10%"],
    "solve lenet5 --crossover --for batch -m a100_sxm_80gb {}": ["-p dtype=fp32", "-p dtype=bf16"],
    "study summa --sensitivity -p P=16 -p N=4096 {}": ["-m karst", "-m jetstream"],
    "study summa --scaling -m karst {}": ["-p N=64", "-p N=128", "-p N=256"],
    "study summa --scaling --size N --efficiency 80% -p N=4096 {}": ["-m karst", "-m jetstream"],
    "study summa --asymptotic --for N -m karst {}": ["-p P=4", "-p P=16"],
}
ALL = {
    "-p P=4 -p P=16 -p P=64": "-p P=4..64:x4",
    "-p N=64 -p N=128 -p N=256": "-p N=64..256:x2",
    "'time <= 1 s and OI > 2 flop/B' 'time <= 10 s and OI > 2 flop/B'": (
        "'time <= 1..10 s:x10 and OI > 2 flop/B'"
    ),
}
"""What asks several at once, where that is more than a list of values."""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(line: str) -> Any:
        with pytest.raises(SystemExit) as leaving:
            main([*shlex.split(line), "--format", "json"])
        written = capsys.readouterr()
        assert not leaving.value.code, written.err
        return json.loads(written.out)

    return run


def together(parts: Sequence[str]) -> str:
    """Return how several values are asked at once."""
    joined = " ".join(parts)
    if joined in ALL or parts[0].startswith("-m"):
        return ALL.get(joined, joined)
    start = parts[0][: parts[0].find("=") + 1]
    return start + ",".join(part.removeprefix(start) for part in parts)


@pytest.mark.parametrize("question", QUESTIONS)
def test_several_answers_are_those_of_each(question: str, run: Run) -> None:
    parts = QUESTIONS[question]
    found = run(question.format(together(parts)))
    assert found["answer"] == "combinations"
    alone = [run(question.format(part)) for part in parts]
    assert found["answers"] == alone
    assert found["of"] == alone[0]["answer"]


def without(answer: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in names}


@pytest.mark.parametrize(
    "question",
    [
        "solve summa --crossover --for N -m karst -p P=16",
        "solve summa --such-that 'bound = flops' --for N -m karst -p P=16",
        "solve summa --for N -m karst -p P=16 --rates ±5%",
        "study summa --asymptotic --for N -m karst -p P=16",
    ],
)
def test_several_machines_of_one_are_each_of_them(question: str, run: Run) -> None:
    values = ("1 GB/s", "2 GB/s", "4 GB/s")
    found = run(f"{question} --set karst.network=1..4GB/s:x2")
    alone = [run(f"{question} --set 'karst.network={value}'") for value in values]
    # Each says itself what it was changed to.
    names = ("notes", "params", "units")
    assert [without(each, *names) for each in found["answers"]] == [
        without(each, *names) for each in alone
    ]
    assert [each["params"]["karst.network"] for each in found["answers"]] == [1e9, 2e9, 4e9]


def test_all_combinations_are_asked(run: Run) -> None:
    line = "solve summa --such-that 'time <= 1..10 s:x10' --for N -m karst -m jetstream -p P=4,16"
    found = run(f"{line} --set karst.flops=1x,2x")
    told = [(each["machine"], each["params"]["P"], each["condition"]) for each in found["answers"]]
    assert len(told) == 12 and len({*told}) == 8
    assert found["swept"] == ["karst.flops", "P"]


SKIPPED = {
    "solve summa --crossover --for N -m karst -p P={}": "4 5 16 7",
    "solve summa --faster --for N -m karst -m jetstream -p P={}": "3 4",
    "solve summa --for N -m karst --such-that 'time <= 1 s' -p P={}": "9 8",
    "study summa --sensitivity -m karst -p N=4096 -p P={}": "6 4 9",
}


@pytest.mark.parametrize("question", SKIPPED)
def test_what_is_refused_is_left_out_of_several_answers(question: str, run: Run) -> None:
    asked = SKIPPED[question].split()
    squares = [value for value in asked if value in ("4", "9", "16")]
    found = run(question.format(",".join(asked)) + " --skip-invalid")
    alone = [run(question.format(value)) for value in squares]
    assert found["answers"] == alone
    assert [each["values"]["P"] for each in found["left_out"]] == [
        value for value in asked if value not in squares
    ]
    assert {each["reason"] for each in found["left_out"]} == {"'summa' requires sqrt(P) is integer"}


def test_without_being_asked_to_a_refusal_says_how_it_is_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    line = "study summa --sensitivity -m karst -p N=4096 -p P={}"
    for values, told in (
        ("4,5", "P = 5: --skip-invalid leaves such combinations out"),
        ("6,5 --skip-invalid", "2 of 2 combinations have no answer"),
        ("5 --skip-invalid", "nearest squares"),
    ):
        with pytest.raises(SystemExit) as leaving:
            main(shlex.split(line.format(values)))
        assert leaving.value.code == 1 and told in capsys.readouterr().err


def test_a_closed_form_is_said_to_be_of_the_values_that_have_it(tmp_path: Path) -> None:
    (tmp_path / "s.roof").write_text(
        """
        model s { param n: integer; param P: processes; memory = 8 B*n^3/P; flops = 4*n^2 }
        machine a { memory = 2 B/s; flops = 1 flop/s }
        """
    )
    file = tmp_path / "s.roof"
    asked = [
        "solve",
        f"{file}:s",
        "--crossover",
        "--for",
        "n",
        "--range",
        "2..5",
        "-m",
        f"{file}:a",
    ]
    for values, remark in (("P=1,4", "   for P = 4"), ("P=3,4", "")):
        told = CliRunner().invoke(cli, [*asked, "-p", values]).stdout
        form = told.partition("in closed form\n")[2].splitlines()[0]
        assert form.endswith(f"a.flops){remark}")
