"""What is said of an answer over a range carries its proof, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from roofdsl.cli.main import cli
from roofdsl.numeric.proof import Proof

# 0, though this is not proven.
HIDDEN = "log2(1 + sqrt(2)) + log2(sqrt(2) - 1)"
BOX = "machine box { flops = 1 flop/s; memory = 1 B/s; network = 1 B/s }"


def written(tmp_path: Path, text: str) -> tuple[str, ...]:
    """Write a model m on a machine whose rates are 1; return how to ask of them."""
    path = tmp_path / "m.roof"
    path.write_text(f"{text} {BOX}", encoding="utf-8")
    return (f"{path}:m", "-m", f"{path}:box")


def said(*question: str) -> str:
    result = CliRunner().invoke(cli, ["solve", *question])
    assert not result.exit_code, result.output
    return result.output


def told(*question: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(said(*question, "--format", "json"))
    return answer


def test_of_two_proofs_both_must_hold() -> None:
    whole, part, none = Proof(True, 100), Proof(False, 9), Proof(False, None)
    assert whole.joined(whole) == whole
    assert whole.joined(part) == part.joined(whole) == part
    assert part.joined(none) == none.joined(whole) == none


@pytest.mark.parametrize("form", ["text", "markdown", "latex"])
def test_where_all_is_undecided_nothing_is_said_to_be_absent(tmp_path: Path, form: str) -> None:
    body = f"param N: integer; flops = N*(1 + {HIDDEN}); memory = 1 B * N"
    asked = (*written(tmp_path, f"model m {{ {body} }}"), "--for", "N")
    text = said(*asked, "--crossover", "--format", form)
    assert "whether there is a crossover in N is undecided" in text
    assert "no crossover" not in text
    text = said(*asked, "--such-that", "bound = memory", "--format", form)
    assert "whether it holds anywhere is undecided" in text and "nowhere" not in text


def test_a_boundary_is_proven_where_all_of_its_points_are(tmp_path: Path) -> None:
    body = f"param N: integer; param k: integer; flops = N + (k - 1)*{HIDDEN}; memory = 10 B"
    asked = (*written(tmp_path, f"model m {{ {body} }}"), "--for", "N", "--crossover")
    found = told(*asked, "-p", "k=1..2")
    assert [each["complete"] for each in found["points"]] == [True, False]
    assert [each["proven_up_to"] for each in found["points"]] == [10**18, 9]
    assert "not all proven" in said(*asked, "-p", "k=1..2")


def test_steps_that_are_undecided_count(tmp_path: Path) -> None:
    step = f"step s {{ flops = N + {HIDDEN}; memory = 10 B }}"
    body = f"param N: integer; {step} step t {{ network = 1e20 B }}"
    found = told(*written(tmp_path, f"model m {{ {body} }}"), "--for", "N", "--crossover")
    assert [each["bound"] for each in found["regimes"]] == ["network"]
    assert (found["complete"], found["proven_up_to"]) == (False, 9)
