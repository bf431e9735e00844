"""What `--set` changes or adds, and that every answer says so."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from click.testing import CliRunner

from roofdsl.analysis.rates import machine_rates
from roofdsl.analysis.what_if import changed
from roofdsl.cli.main import cli
from roofdsl.diagnostic import Diagnostic
from roofdsl.model.library import check_text, find_machine
from roofdsl.model.types import MachineDefinition
from roofdsl.source import Source

AT = ("-m", "karst", "-p", "N=4096", "-p", "P=121")


def run(*words: str) -> str:
    result = CliRunner().invoke(cli, [*words])
    assert result.exit_code == 0, result.output
    return result.output


def altered(machine: MachineDefinition, *changes: str) -> MachineDefinition:
    problems: list[Diagnostic] = []
    for change in changes:
        key, _, value = change.partition("=")
        machine = changed(machine, key, Source("test", value), problems.append)
    assert not problems, problems
    return machine


def test_rates_are_changed_in_their_order() -> None:
    karst = find_machine("karst")[0]
    rates = machine_rates(altered(karst, "network=2x", "network=3x", "memory=1 GB/s", "memory=2x"))
    assert rates == {"flops": 22e9, "memory": 2e9, "network": 7.2e9}
    assert machine_rates(altered(karst, "network=2x", "network=3 GB/s"))["network"] == 3e9


def test_a_rate_and_a_capacity_are_added() -> None:
    found = altered(find_machine("karst")[0], "messages=2us/message", "capacity memory=64 GiB")
    assert machine_rates(found)["messages"] == 5e5
    held = found.memory_capacity
    assert held is not None
    assert held.formula.tree.value == Fraction(64 * 2**30)  # type: ignore[union-attr]  # a number
    assert found.altered == ("changed: karst with messages = 2us/message, capacity memory = 64 GiB")


def test_a_parameter_a_let_and_a_device_are_changed() -> None:
    module, problems = check_text(
        Source(
            "test",
            """
        machine node {
            param cards: integer = 4
            let link = 8 GB/s
            device gpu { flops = cards * 1 GFLOP/s; memory = 3 GB/s }
            network = link / cards
            capacity memory = 8 GB
        }""",
        )
    )
    assert not problems
    found = altered(module.machines["node"], "cards=2x", "link=16 GB/s", "gpu.memory=2x",
                    "capacity.memory=3x")  # fmt: skip
    assert machine_rates(found) == {"network": 2e9}
    assert machine_rates(found.devices["gpu"]) == {"flops": 8e9, "memory": 6e9}
    held = found.memory_capacity
    assert held is not None
    assert held.formula.tree.value == 24e9  # type: ignore[union-attr]  # a number


SAID = "changed: karst with network = 2x, messages = 2us/message"
CHANGES = ("--set", "karst.network=2x", "--set", "karst.messages=2us/message")


@pytest.mark.parametrize(
    "command",
    [
        ("eval", "summa", *AT),
        ("eval", "summa", "-m", "karst"),
        ("eval", "summa", "-m", "karst", "-m", "jetstream", "-p", "N=4096", "-p", "P=121"),
        ("eval", "summa", "-m", "karst", "-p", "N=1024,2048", "-p", "P=121"),
        ("eval", "summa", "-m", "karst", "-p", "N=1024,2048", "-p", "P=121", "--format", "csv"),
        ("eval", "summa", *AT, "--format", "json"),
        ("table", "summa", *AT),
        ("table", "summa", *AT, "--format", "latex"),
        ("table", "--rates", "-m", "karst"),
        ("table", "--rates", "-m", "karst", "--format", "latex"),
        ("solve", "summa", "--crossover", "--for", "N", "-m", "karst", "-p", "P=121"),
        ("study", "summa", "--sensitivity", *AT),
    ],
)
def test_every_answer_says_what_was_set(command: tuple[str, ...]) -> None:
    text = " ".join(run(*command, *CHANGES).split())
    assert SAID in text.replace("\\", "").replace("~", " ")


def test_a_point_in_json_says_it() -> None:
    found = json.loads(run("eval", "summa", *AT, *CHANGES, "--format", "json"))
    assert found["notes"][0] == SAID
