"""Which runs of a file are of which model."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.analysis.runs import Run, Runs
from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean, listing
from roofdsl.model.types import ModelDefinition


def runs_of(
    runs: Runs, models: Mapping[str, ModelDefinition]
) -> tuple[list[tuple[Run, str]], dict[str, ModelDefinition]]:
    """Return the runs of models, each with the name of its model, and the models by name.

    `models` are by how they are referred to: a kernel of a run is called so, or as the model is.
    Runs of other kernels are left aside. Raises RoofError where a model has no run (R1516).
    """
    names = {
        **{key.rpartition(":")[2]: each.name for key, each in models.items()},
        **{key: each.name for key, each in models.items()},
        **{each.name: each.name for each in models.values()},
    }
    alone = next(iter(models.values())).name if len(models) == 1 else ""
    found: list[tuple[Run, str]] = []
    for run in runs.runs:
        name = names.get(run.kernel, "") if run.kernel else alone
        if name:
            found.append((run, name))
    known = {name for _, name in found}
    lacking = [each.name for each in models.values() if each.name not in known]
    if lacking:
        kernels = dict.fromkeys(run.kernel for run in runs.runs if run.kernel)
        hint = "its column `kernel` is missing: give one --model"
        if kernels:
            hint = did_you_mean(lacking[0], kernels) or f"its kernels are {listing(kernels)}"
        message = f"'{runs.name}' has no run of {listing(lacking)}"
        raise RoofError([Diagnostic("R1516", message, (), hint)])
    return found, {each.name: each for each in models.values()}
