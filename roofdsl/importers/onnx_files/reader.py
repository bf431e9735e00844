"""Read a file of ONNX: a graph of operators with the shapes of their tensors."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from roofdsl.diagnostic import Diagnostic
from roofdsl.importers.given import Given, Import, Imported
from roofdsl.importers.graph.network import Network, composed
from roofdsl.importers.onnx_files.broken import Broken
from roofdsl.importers.onnx_files.graph import operators_of
from roofdsl.importers.onnx_files.rules import rule_of
from roofdsl.importers.onnx_files.shapes import shaped
from roofdsl.importers.written import as_name
from roofdsl.inert import in_a_line
from roofdsl.reading import LARGEST as LARGEST_TEXT

if TYPE_CHECKING:
    import onnx

LARGEST = 2_000_000_000
"""Bytes; a message of protobuf has no more."""

_MOST_NODES = 50_000


def recognises(name: str, data: bytes) -> bool:
    """Whether a file is one of ONNX, by its name."""
    del data  # nothing marks the bytes
    return name.lower().endswith(".onnx")


def read(given: Given) -> Import:
    """Return the network of a file as a text in the language, or what is wrong with it."""
    if find_spec("onnx") is None:
        message = f"'{given.shown}' needs the package 'onnx', which is not installed"
        return None, (Diagnostic("R1211", message, hint="pip install 'roofdsl[onnx]'"),)
    try:
        return _imported(given, _parsed(given.data)), ()
    except Broken as problem:
        message = f"'{given.shown}' {in_a_line(str(problem))}"
        return None, (Diagnostic("R1212", message, hint=problem.hint),)


def _parsed(data: bytes) -> onnx.ModelProto:
    """Return the message in a file, without the contents of its weights."""
    import onnx

    try:
        model = onnx.ModelProto.FromString(data)
    except Exception:  # noqa: BLE001 - protobuf says in errors of its own that it cannot
        hint = "it may be cut off: compare its size with that at its source"
        raise Broken("is no file of ONNX", hint) from None
    if not model.graph.node:
        raise Broken("is no file of ONNX: it has no graph with operators")
    if len(model.graph.node) > _MOST_NODES:
        count = len(model.graph.node)
        raise Broken(f"has {count:,} operators; at most {_MOST_NODES:,} are read")
    return model


def _imported(given: Given, model: onnx.ModelProto) -> Imported:
    graph = shaped(model)
    operators, inputs, weights = operators_of(graph)
    name = given.name or as_name(given.path.stem)
    producer = " ".join(filter(None, (model.producer_name, model.producer_version)))
    made = f", written by {producer[:60]}" if producer else ""
    heading = f"{model.graph.name[:60] or given.path.stem}, forward: imported from ONNX{made}."
    network = Network(
        name, heading, given.source, graph.sizes, inputs, operators, weights, graph.notes
    )
    found = composed(network, rule_of)
    if not found.steps:
        raise Broken("has no operator that there is a rule for", "; ".join(found.notes[:3]))
    if len(found.text.encode()) > LARGEST_TEXT:
        raise Broken("makes a text that is too long to be read again")
    return Imported(found.text, found.notes)
