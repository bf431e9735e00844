"""What parameters are called in rows, where results have names of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from roofdsl.analysis.convention import CONVENTIONS
from roofdsl.model.results import RESULTS, own_resources
from roofdsl.model.tally import tallies_of
from roofdsl.model.types import ModelDefinition

_ALWAYS = {
    *RESULTS,
    "bound",
    "bound_kind",
    "notes",
    "footprint_within_capacity",
    "peak_memory_within_capacity",
}
_ALWAYS |= {f"counted_{convention.name}" for convention in CONVENTIONS}


@lru_cache(maxsize=64)  # rows of one model ask for it again and again
def parameter_columns(model: ModelDefinition) -> Mapping[str, str]:
    """Return the column of each parameter: its name, or `param_NAME` where a result is called so.

    That depends on the model alone: not on what a machine states, such as prices.
    """
    taken = {*_ALWAYS, *own_resources(model)}
    taken |= {f"tally_{name}" for name in tallies_of(model)}
    taken |= {f"metric_{metric.name}" for metric in model.metrics}
    names = [parameter.name for parameter in model.parameters]
    columns: dict[str, str] = {}
    for name in names:
        column = name
        while column in taken or (column != name and column in names):
            column = f"param_{column}"
        columns[name] = column
    return MappingProxyType(columns)


def columns_of(names: Iterable[str], model: ModelDefinition) -> dict[str, str]:
    """Return the columns of some parameters; what is swept of a machine is called as it is."""
    columns = parameter_columns(model)
    return {name: columns.get(name, name) for name in names}
