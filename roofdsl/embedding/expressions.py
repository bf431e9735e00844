"""Models written in Python: formulas as texts of the language, SymPy expressions or numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from roofdsl.contract import as_given, public
from roofdsl.embedding.formulas import FormulaLike
from roofdsl.embedding.model import Model, last_model
from roofdsl.embedding.statements import Statements, declared
from roofdsl.embedding.texts import Declarations
from roofdsl.model.given import as_text, by_name, each


@public(parameters=by_name(as_text), resources=by_name(as_text), units=each(as_text), work=as_given)
def model_from_expressions(
    name: str,
    *,
    parameters: Mapping[str, str] | None = None,
    resources: Mapping[str, str] | None = None,
    units: Iterable[str] = (),
    require: Iterable[str] = (),
    doc: str = "",
    source: str = "",
    **work: FormulaLike,
) -> Model:
    """Return a model whose work is given by formulas, one for each resource.

    A formula is a text of the language, a number, or a SymPy expression. Names that `parameters`
    does not declare become parameters: whole if SymPy knows them to be, else positive reals.
    `parameters` maps a name to what stands behind `param NAME` in a file: `": integer[2..] = 16"`,
    or `"= 8 B"`; `resources` what stands behind `resource NAME:`, `"B"` or `"edge shares memory"`,
    where `units` declares `edge`. Raises RoofError for what a file with these formulas would be
    refused for.

    >>> axpy = model_from_expressions("axpy", flops="2*N", memory="24*N", network=0)
    >>> axpy.OI
    1/12
    >>> model_from_expressions("scale", parameters={"word": "= 8 B"}, flops="N", memory="2*word*N")
    <Model scale(word, N)>
    >>> join = model_from_expressions("join", resources={"nvme": "B"}, flops="2*N", nvme="64 B*N")
    >>> join.intensity("nvme")
    1/32
    """
    body = Statements()
    at = body.begin([source] if source else (), parameters or {}, {}, require, {})
    for resource, written in work.items():
        read = body.give(resource, f"{resource} =", written)
        body.take((key, "real") for key in read.names)
    body.symbols_as_parameters(at)
    module = declared(
        f"model {name}", doc, body, Declarations(), units=units, resources=resources or {}
    )
    return last_model(module)
