"""Every network's verdict in its first parameter is complete, and `eval` says the same.

By default each network is on one of the machines; with ROOFDSL_ALL set, on all of them.
"""

from __future__ import annotations

import pytest

from roofdsl.analysis.result import evaluated
from roofdsl.embedding.machine import load_machine
from roofdsl.embedding.model import load_model
from tests.counts import ALL
from tests.library.verdicts import MACHINES, networks, verdicts


@pytest.mark.parametrize("machine", MACHINES)
def test_verdicts_of_networks_are_complete(machine: str) -> None:
    names = networks()
    assert len(names) == len({*names}) > 80
    if not ALL:
        names = names[MACHINES.index(machine) :: len(MACHINES)]
    for name, verdict in zip(names, verdicts(machine, names), strict=True):
        found = verdict.find()
        assert found.complete, name
        for regime in found.regimes:
            assert regime.certain, name


@pytest.mark.parametrize("name", ["resnet50", "gpt2_training", "lenet5_training", "mlp"])
def test_verdicts_of_networks_are_those_of_eval(name: str) -> None:
    for machine in MACHINES:
        (verdict,) = verdicts(machine, [name])
        asked = load_model(name).on(load_machine(machine)).asked
        given = {
            parameter.name: 64.0
            for parameter in verdict.prediction.model.parameters
            if parameter.is_number and parameter.default is None
        }
        for regime in verdict.find().regimes:
            for place in (regime.first, min(regime.last, 10**9)):
                values = {**given, verdict.unknown.name: float(place)}
                assert evaluated(asked.bound(values)).ties == regime.labels
