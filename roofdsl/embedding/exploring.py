"""Explorers from Python: models on machines as one offline page with sliders."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from roofdsl.analysis.binding import Arguments
from roofdsl.diagnostic import RoofError
from roofdsl.embedding.machine import Machine
from roofdsl.embedding.model import Model
from roofdsl.explorer.build import Explored, build
from roofdsl.explorer.page import page
from roofdsl.model.arguments import python_value, read_arguments
from roofdsl.writing import write_whole


def explore(
    models: Model | Sequence[Model],
    machines: Machine | Sequence[Machine],
    path: str | os.PathLike[str],
    /,
    **values: float | bool | str,
) -> Path:
    """Write a page in which models move on machines as its sliders are moved; return its path.

    `values` say where parameters start, as in `evaluate`. Raises RoofError without Plotly (R1102),
    for a model without values that it allows (R1101), and for a path that cannot be written
    (R0802).

    >>> import roofdsl as rd
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     page = rd.explore(rd.load_model("summa"), rd.load_machine("karst"), folder + "/s.html")
    ...     page.stat().st_size < 8_000_000
    True
    """
    chosen = [models] if isinstance(models, Model) else list(models)
    targets = [machines] if isinstance(machines, Machine) else list(machines)
    explored = [Explored(item.definition, _arguments(item, values), {}) for item in chosen]
    built = build(explored, [item.definition for item in targets])
    target = Path(path)
    write_whole(target, page(built).encode("utf-8"))
    return target


def _arguments(model: Model, values: dict[str, float | bool | str]) -> Arguments:
    own = {name: value for name, value in values.items() if name in model.parameters}
    texts = {name: value for name, value in own.items() if isinstance(value, str)}
    arguments, problems = read_arguments(model.definition, texts)
    if problems:
        raise RoofError(problems)
    for name, value in own.items():
        tree = None if isinstance(value, str) else python_value(value)
        if tree is not None:
            arguments[name] = (tree, None)
    return arguments
