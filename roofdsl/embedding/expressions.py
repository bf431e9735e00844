"""Models written in Python: formulas as texts of the language, SymPy expressions or numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from roofdsl.contract import as_given, public
from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.embedding.model import Model
from roofdsl.model.given import as_text, by_name, each, exact, held, no_number
from roofdsl.model.library import check_text
from roofdsl.source import Source, Span
from roofdsl.syntax.names import names_used
from roofdsl.syntax.parse import parse_expression

if TYPE_CHECKING:
    import sympy

    from roofdsl.answer.asked import Numeric

FormulaLike: TypeAlias = "str | Numeric | sympy.Expr"


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
    free: dict[str, bool] = {}
    for resource, formula in work.items():
        text, names = _formula(formula, resource)
        formulas.append(_line(resource, f"= {text}"))
        for key, whole in names.items():
            free[key] = free.get(key, False) or whole
    for key, whole in free.items():
        if key not in given:
            declared.append(f"    param {key}: {'integer' if whole else 'real'}")
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


def _formula(formula: object, resource: str) -> tuple[str, dict[str, bool]]:
    """Return a formula as text, and the names in it: whether each is known to be whole."""
    formula = held(formula)
    if isinstance(formula, str):
        node = parse_expression(Source(resource, formula))
        if isinstance(node, Diagnostic):
            raise RoofError([node])
        return formula, dict.fromkeys(names_used(node), False)
    number = None if hasattr(formula, "free_symbols") else exact(formula)  # SymPy's keep decimals
    if number is not None:
        return f"{number.numerator}/{number.denominator}", {}
    from roofdsl.algebra.from_sympy import UnsupportedExpression, from_sympy
    from roofdsl.expression.substitute import free_symbols
    from roofdsl.typeset.text import text

    try:
        tree = from_sympy(formula)
    except UnsupportedExpression as error:
        raise RoofError([Diagnostic("R0204", f"{resource}: {error}")]) from None
    except TypeError:
        raise RoofError([no_number(resource, formula)]) from None
    return text(tree), {symbol.name: symbol.integer for symbol in free_symbols(tree)}


def _line(keyword: str, rest: str) -> str:
    """Return one statement on one line, so that a text cannot bring another statement with it."""
    source = Source(keyword, rest)
    if any(char in rest for char in "\n\r;{}#"):
        message = f"'{' '.join(rest.split())}' is more than one expression"
        place = Span(source, 0, len(source.line(1)))
        raise RoofError([Diagnostic("R0111", message, (Label(place),))])
    return f"    {keyword} {rest}"


def _quoted(text: str) -> str:
    flat = " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{flat}"'
