"""A module of PyTorch as a text in the language."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.given import Import, Imported
from roofdsl.importers.graph.network import Network, composed
from roofdsl.importers.torch_modules.graph import Read
from roofdsl.importers.torch_modules.rules import has_rule, rule_of
from roofdsl.importers.torch_modules.tracing import Untraceable, traced
from roofdsl.inert import in_a_line
from roofdsl.model.given import said

_DOCUMENTED = {"batch": "inputs at once", "seq": "tokens of an input"}


def read(module: object, inputs: object, sizes: Mapping[str, int], name: str) -> Import:
    """Return what a module does with such inputs as a text, or what is wrong with it.

    `sizes` names the dimensions of inputs that are left open.
    """
    called = type(module).__name__
    if find_spec("torch") is None:
        message = f"'{called}' needs the package 'torch', which is not installed"
        return None, (Diagnostic("R1211", message, hint="pip install torch"),)
    import torch

    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"module is a torch.nn.Module, not {said(module)}")
    try:
        program = traced(module, inputs, sizes, has_rule)
    except Untraceable as reason:
        message = f"'{called}' cannot be traced: {in_a_line(str(reason))}"
        hint = "torch.export traces it: no branch may hang on what tensors hold"
        return None, (Diagnostic("R1213", message, hint=hint),)
    graph = Read(module, program, sizes)
    documented = {each: _DOCUMENTED.get(each, "as of the inputs") for each in graph.symbols.used}
    notes = [
        f"'{each}' is a number here: the module has it only as it was given"
        for each in sizes
        if each not in documented
    ]
    network = Network(
        name,
        f"{called}, forward: imported from PyTorch.",
        f"{called}, a module of PyTorch {torch.__version__}, by torch.export",
        documented,
        tuple(graph.inputs),
        tuple(graph.operators),
        graph.weights,
        tuple(notes),
    )
    found = composed(network, rule_of)
    return Imported(found.text, found.notes), ()
