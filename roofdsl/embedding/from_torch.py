"""Modules of PyTorch as models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from roofdsl.contract import as_given, public
from roofdsl.diagnostic import Diagnostic, raise_if_any
from roofdsl.embedding.formulas import a_name
from roofdsl.embedding.model import Model
from roofdsl.embedding.module import loads
from roofdsl.importers.torch_modules.reader import read
from roofdsl.importers.written import as_name
from roofdsl.model.given import by_name, said

BATCH: Mapping[str, int] = MappingProxyType({"batch": 0})
_MOST_DIMENSIONS = 64


def _dimension(name: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_DIMENSIONS:
        return value
    raise TypeError(f"{name} is the place of a dimension, 0 for the first, not {said(value)}")


@public(module=as_given, inputs=as_given, sizes=by_name(_dimension))
def from_torch(
    module: object,
    inputs: object,
    *,
    sizes: Mapping[str, int] = BATCH,
    name: str | None = None,
) -> Model:
    """Return what a module of PyTorch does forward, as a model of layers; its `text` can be saved.

    `module` is a `torch.nn.Module`, `inputs` are tensors to trace it with: one, several by place,
    or several by name. `sizes` names the dimensions of theirs that stay open, as parameters of the
    model: `{"batch": 0, "seq": 1}`. A parameter of the module counts once, however many layers
    share it. Operators without a rule are in no number: `warnings` of the model name them, and its
    tally `left_out` counts them. Without a `name` the model is called like the module's class.

    Raises RoofError where there is no PyTorch (R1211), and for a module that `torch.export` cannot
    trace (R1213).

    >>> from_torch(torch.nn.Linear(784, 50), torch.zeros(1, 784))  # doctest: +SKIP
    <Model linear(batch, dtype)>
    """
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(module).__name__)
    called = a_name("name", name, "a model") if name else as_name(words)
    open_sizes = {a_name("sizes", each, "a parameter"): axis for each, axis in sizes.items()}
    found, problems = read(module, inputs, open_sizes, called)
    raise_if_any(problems)
    assert found is not None  # else there are problems
    model = loads(found.text, f"{called}.roof").models[called]
    left_out = (Diagnostic("R1214", note, severity="warning") for note in found.notes)
    return Model(model.definition, (*model.warnings, *left_out))
