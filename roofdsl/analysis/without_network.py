"""The original Roofline of a machine: nothing that is sent takes time."""

from __future__ import annotations

from dataclasses import replace

from roofdsl.analysis.links import MESSAGES, NETWORK
from roofdsl.analysis.prediction import Prediction
from roofdsl.model.types import MachineDefinition

_SENT = (NETWORK, MESSAGES)


def without_network(machine: MachineDefinition) -> MachineDefinition:
    """Return a machine, its devices too, on which bytes and messages that are sent take no time.

    What a model predicts on it is the original Roofline: `network` unlimited, no messages.

    >>> from roofdsl.model.library import find_machine
    >>> found = without_network(find_machine("karst")[0])
    >>> [rate.key for rate in found.rates if rate.value is None]
    ['network']
    """
    rates = (
        rate._replace(value=None, parameters=(), most=None) if _is_sent(rate.key) else rate
        for rate in machine.rates
    )
    tables = machine.tables.items()
    return replace(
        machine,
        rates=tuple(rates),
        startups=tuple(item for item in machine.startups if not _is_sent(item.key)),
        operation_rates=tuple(item for item in machine.operation_rates if not _is_sent(item.key)),
        tables={name: table for name, table in tables if not _is_sent(table.key)},
        devices={name: without_network(device) for name, device in machine.devices.items()},
    )


def sends(prediction: Prediction) -> bool:
    """Whether a model states bytes or messages that are sent, were they none at this point."""
    return any(load.resource.name in _SENT for load in prediction.placed)


def _is_sent(key: str) -> bool:
    return key.partition(".")[0] in _SENT
