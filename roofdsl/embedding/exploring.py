"""Explorers from Python: models on machines as one offline page with sliders."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from roofdsl.analysis.binding import refuse_unknown
from roofdsl.answer.asked import Given
from roofdsl.contract import public
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.embedding.machine import A_MACHINE, Machine
from roofdsl.embedding.model import A_MODEL, Model
from roofdsl.explorer.build import Explored, build
from roofdsl.explorer.page import page
from roofdsl.model.given import all_of, one_of, one_or_more
from roofdsl.writing import write_whole


@public(
    models=one_or_more(one_of(Model, wanted=A_MODEL)),
    machines=one_or_more(one_of(Machine, wanted=A_MACHINE)),
)
def explore(
    models: Model | Iterable[Model],
    machines: Machine | Iterable[Machine],
    path: str | os.PathLike[str],
    /,
    **values: Given,
) -> Path:
    """Write a page in which models move on machines as its sliders are moved; return its path.

    `values` say where parameters start, as in `evaluate`; each goes to all models that have it.
    Raises RoofError without Plotly (R1102), for a model without values that it allows (R1101), a
    name that no model has (R0401), and a path that cannot be written (R0802).

    >>> import roofdsl as rd
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     page = rd.explore(rd.load_model("summa"), rd.load_machine("karst"), folder + "/s.html")
    ...     page.stat().st_size < 8_000_000
    True
    """
    chosen = [models] if isinstance(models, Model) else list(models)
    targets = [machines] if isinstance(machines, Machine) else list(machines)
    if not chosen or not targets:
        message = "an explorer shows at least one model on one machine"
        hint = 'write it as `rd.explore(model, machine, "explore.html")`'
        raise RoofError([Diagnostic("R1101", message, hint=hint)])
    refuse_unknown(all_of(values), [item.definition for item in chosen])
    explored = []
    for item in chosen:
        own = {name: value for name, value in all_of(values).items() if name in item.parameters}
        arguments = item.on(targets[0]).asked.arguments(own)
        explored.append(Explored(item.definition, arguments, {}))
    built = build(explored, [item.definition for item in targets])
    target = Path(path)
    write_whole(target, page(built).encode("utf-8"))
    return target
