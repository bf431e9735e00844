"""Models written in Python: formulas as texts of the language, SymPy expressions or numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from roofdsl.contract import as_given, public
from roofdsl.diagnostic import RoofError
from roofdsl.embedding.formulas import FormulaLike, formula, on_a_line
from roofdsl.embedding.model import Model
from roofdsl.model.given import as_text, by_name, each
from roofdsl.model.library import check_text
from roofdsl.source import Source


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
    given, declares = dict(parameters or {}), dict(resources or {})
    declared = [_line("param", f"{key} {text}") for key, text in given.items()]
    formulas: list[str] = []
    free: dict[str, str] = {}
    for resource, written in work.items():
        read = formula(resource, written)
        formulas.append(_line(resource, f"= {read.text}"))
        for key in read.names:
            free.setdefault(key, "real")
        free.update(kind for kind in read.symbols if free.get(kind[0], "real") == "real")
    declared += [f"    param {key}: {kind}" for key, kind in free.items() if key not in given]
    lines = [_line("unit", unit).strip() for unit in units]
    lines += [_line("resource", f"{key}: {text}").strip() for key, text in declares.items()]
    lines += [f"## {' '.join(line.split())}" for line in doc.splitlines()]
    lines.append(f"{_line('model', name).strip()} {{")
    if source:
        lines.append(f"    source {_quoted(source)}")
    lines += [*declared, *(_line("require", condition) for condition in require), *formulas, "}"]
    return _model("\n".join(lines) + "\n", name)


def _model(text: str, name: str) -> Model:
    module, problems = check_text(Source(f"model {name}", text))
    if any(problem.severity == "error" for problem in problems) or name not in module.models:
        raise RoofError(problems)
    return Model(module.models[name], tuple(module.warnings))


def _line(keyword: str, rest: str) -> str:
    """Return one statement on one line, so that a text cannot bring another statement with it."""
    return f"    {keyword} {on_a_line(keyword, rest)}"


def _quoted(text: str) -> str:
    flat = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{flat}"'
