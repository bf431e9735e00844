"""What is bundled leaves room: no command on it takes more than a fifth of its operations."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path

import pytest

from roofdsl.allowance import OPERATIONS, Operations
from tests.messages.case import run_command

MACHINE = ("-m", "h100_sxm")
COMMANDS = {
    "eval": ("eval", "{}", *MACHINE, "-p", "batch=4"),
    "formulas": ("eval", "{}", *MACHINE),
    "rows": ("eval", "{}", *MACHINE, "-p", "batch=1..100"),
    "report": ("report", "{}", *MACHINE, "-p", "batch=4", "-o", "r.html"),
    "explore": ("explore", "{}", *MACHINE, "-p", "batch=4", "-o", "e.html"),
    "sensitivity": ("study", "{}", *MACHINE, "-p", "batch=4", "--sensitivity"),
    "solve": ("solve", "{}", *MACHINE, "--crossover", "--for", "batch"),
    "breakdown": ("plot", "breakdown", "{}", *MACHINE, "-p", "batch=4", "-o", "b.svg"),
}
# Those with the most steps, and a kernel.
LARGEST = ("resnet152:resnet152_training", "gpt3:gpt3_training")


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> list[Operations]:
    """Every count that is opened."""
    found: list[Operations] = []
    begin = Operations.__init__

    def noted(self: Operations, limit: float) -> None:
        begin(self, limit)
        found.append(self)

    monkeypatch.setattr(Operations, "__init__", noted)
    return found


@pytest.mark.parametrize("model", LARGEST)
@pytest.mark.parametrize("command", COMMANDS)
def test_the_largest_networks_leave_room(
    command: str, model: str, counts: list[Operations], tmp_path: Path
) -> None:
    with chdir(tmp_path):
        ending, message = run_command([part.format(model) for part in COMMANDS[command]])
    assert ending == "exit 0", message
    assert counts and max(count.limit - count.left for count in counts) <= OPERATIONS / 5


def test_the_tests_of_each_file_leave_room(counts: list[Operations]) -> None:
    """All tests of the library are right: `make test` runs them here, and nowhere else."""
    assert run_command(["test", "--library"]) == ("exit 0", "")
    assert max(count.limit - count.left for count in counts) <= OPERATIONS / 5


def test_a_model_may_compute_as_much_among_others_as_alone(
    counts: list[Operations], tmp_path: Path
) -> None:
    """So that the whole library can be reported, on some machines."""

    def most(*models: str) -> float:
        counts.clear()
        with chdir(tmp_path):
            words = ["report", *models, *MACHINE, "-m", "karst", "-o", "r.md"]
            ending, message = run_command(words)
        assert ending == "exit 0", message
        return max(count.limit - count.left for count in counts)

    models = ("alexnet", "vgg16", "lenet5:lenet5_training")
    assert most(*models) == max(most(model) for model in models)
