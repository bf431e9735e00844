"""Answers that take numbers with `±` as they are stated say so; those at a point carry them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli

BY_A_LET = """
machine box {
    let h = 22 ± 5
    flops = h*1 GFLOP/s; memory = 10 ± 0.1 GB/s
}
machine even = box with { memory = 10 GB/s }
model main {
    param n: integer
    let kept = 1 ± 0.5
    flops = 2.4*n; memory = 1 B*n
    tally footprint: B = kept*1 B
}
"""


def asked(tmp_path: Path, *arguments: str, text: str = BY_A_LET) -> str:
    """Return what a command prints, or is refused for."""
    file = tmp_path / "box.roof"
    file.write_text(text, encoding="utf-8")
    found = CliRunner().invoke(cli, [each.replace("FILE", f"{file}") for each in arguments])
    return f"{found.exception}" if isinstance(found.exception, rd.RoofError) else found.output


ON_BOX = ("FILE:main", "-m", "FILE:box")


@pytest.mark.parametrize(
    ("question", "named"),
    [
        (("solve", *ON_BOX, "--crossover", "--for", "n"), "kept, box.h, box.memory"),
        (("solve", *ON_BOX, "--such-that", "time < 1 s", "--for", "n"), "kept, box.h, box.memory"),
        (("solve", *ON_BOX, "-m", "FILE:even", "--faster", "--for", "n"), "kept, even.h"),
        (("solve", *ON_BOX, "--crossover", "--for", "n", "--rates", "stated"), "kept, box.h\n"),
        (("study", *ON_BOX, "--sensitivity", "-p", "n=4"), "kept, box.h, box.memory"),
        (("study", *ON_BOX, "--asymptotic", "--for", "n"), "kept, box.h, box.memory"),
        (("eval", *ON_BOX), "kept, box.h, box.memory"),
        (("eval", *ON_BOX, "-p", "n=4,8"), "kept, box.h, box.memory; "),
        (("table", *ON_BOX, "-p", "n=4"), "kept, box.h, box.memory; "),
    ],
)
def test_what_takes_numbers_as_stated_says_so(
    question: tuple[str, ...], named: str, tmp_path: Path
) -> None:
    shown = asked(tmp_path, *question)
    assert f"with ±, but taken as stated here: {named}" in shown
    if question[0] == "solve":
        answer = json.loads(asked(tmp_path, *question, "--format", "json"))
        assert f"with ±, but taken as stated here: {named.strip()}" in " ".join(answer["notes"])


def test_rows_with_ends_take_nothing_as_stated(tmp_path: Path) -> None:
    shown = asked(tmp_path, "eval", *ON_BOX, "-p", "n=4,8", "--columns", "time,time.low")
    assert "as stated" not in shown


def test_rates_within_their_own_leave_out_what_they_follow_from(tmp_path: Path) -> None:
    shown = asked(tmp_path, "eval", *ON_BOX, "-p", "n=1000", "--rates", "stated")
    assert "within ±                   it depends on them: flops binds here, memory" in shown
    assert "within the ± of its rates  flops on every machine, proven" in shown
    assert "note: within the ± of its rates: others are as stated: kept, box.h" in shown
    refused = asked(
        tmp_path, "eval", "FILE:main", "-m", "FILE:even", "-p", "n=4", "--rates", "stated"
    )
    assert "error[R0715]: 'even' states no rate with ±" in refused
    assert "what other numbers with ± do is told by `eval` at one point" in refused


LENT = """
machine box { flops = 20 GFLOP/s; memory = 10 GB/s; capacity memory = 1 GB }
model main { param eff: real = 0.5; flops = 1e9*eff; tally footprint: B = 2e9*eff*1 B }
"""


def test_a_value_with_an_end_is_one_alone(tmp_path: Path) -> None:
    ends = ["--columns", "time.low,time.high"]
    for command in ("eval", "table"):
        shown = asked(tmp_path, command, *ON_BOX, "-p", "eff=0.4 ± 0.1", *ends, text=LENT)
        assert "15 ms" in shown and "25 ms" in shown
        refused = asked(tmp_path, command, *ON_BOX, "-p", "eff=0.4 ± 0.1,0.5", *ends, text=LENT)
        assert "R0211" in refused and "of a parameter with one value" in refused
    told = json.loads(
        asked(tmp_path, "eval", *ON_BOX, "-p", "eff=0.4 ± 0.2", "--format", "json", text=LENT)
    )
    assert told["within_capacity"] == {"footprint": True}
    assert told["uncertainty"]["fits"] == {"footprint": None}
    lent = rd.loads(LENT)
    with pytest.raises(rd.RoofError, match="R0211"):
        lent.models["main"].on(lent.machines["box"]).sweep(eff=["0.4 ± 0.1", "0.5"])
