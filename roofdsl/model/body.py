"""What models and machines have in common: parameters, `let`s, requirements, sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from roofdsl.diagnostic import Diagnostic, Label, did_you_mean
from roofdsl.expression.constant import constant
from roofdsl.expression.tree import ONE, ZERO, Expression, Symbol
from roofdsl.model import mismatch
from roofdsl.model.elaborate import elaborate, is_zero, truth, value
from roofdsl.model.literal import unit_at
from roofdsl.model.scope import Scope
from roofdsl.model.types import Formula, Intermediate, KindName, Parameter, Requirement
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.nodes import (
    FunctionDeclaration,
    LetStatement,
    ParameterStatement,
    RequireStatement,
    SourceStatement,
)
from roofdsl.units.dimension import DIMENSIONLESS, Dimension
from roofdsl.units.unit import UnknownUnit, read_unit

KINDS: dict[str, KindName] = {
    "integer": "integer",
    "real": "real",
    "boolean": "boolean",
    "processes": "processes",
}


class Body:
    """Collects the common statements of a model or machine; `finish` resolves them in order."""

    def __init__(
        self,
        report: Callable[[Diagnostic], None],
        units: dict[str, Dimension],
        functions: Mapping[str, FunctionDeclaration],
    ) -> None:
        self.scope = Scope(report, units, dict(functions))
        self.report = report
        self._parameters: list[ParameterStatement] = []
        self._lets: list[LetStatement] = []
        self._requirements: list[RequireStatement] = []
        self._sources: list[str] = []
        self._built: dict[str, Parameter] = {}

    def take(self, item: object) -> bool:
        """Take a statement if it is one of the common ones; return whether it was."""
        match item:
            case ParameterStatement(name=name):
                if self.scope.declare(name, lambda: self._parameter(item)):
                    self._parameters.append(item)
            case LetStatement(name=name):
                if self.scope.declare(name, lambda: self._let(item)):
                    self._lets.append(item)
            case RequireStatement():
                self._requirements.append(item)
            case SourceStatement(text=text):
                self._sources.append(text.value)
            case FunctionDeclaration(name=name):
                self.scope.functions[name.name] = item
            case _:
                return False
        return True

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(self._sources)

    def parameters(self) -> tuple[Parameter, ...]:
        for statement in self._parameters:
            self.scope.formula(statement.name.name, statement.name.span)
        names = [statement.name.name for statement in self._parameters]
        return tuple(self._built[name] for name in names if name in self._built)

    def intermediates(self) -> tuple[Intermediate, ...]:
        found: list[Intermediate] = []
        for statement in self._lets:
            formula = self.scope.formula(statement.name.name, statement.name.span)
            if formula is not None:
                doc = doc_comment(statement.span)
                found.append(Intermediate(statement.name.name, formula, doc, statement.span))
        return tuple(found)

    def requirements(self) -> tuple[Requirement, ...]:
        found: list[Requirement] = []
        for statement in self._requirements:
            condition = truth(statement.condition, self.scope)
            if condition is not None:
                span = statement.condition.span
                found.append(Requirement(condition, " ".join(span.text.split()), span))
        return tuple(found)

    def _let(self, statement: LetStatement) -> Formula | None:
        return elaborate(statement.value, self.scope)

    def _parameter(self, statement: ParameterStatement) -> Formula | None:
        kind = self._kind(statement)
        if kind is None:
            return None
        name, unit, factor, dimension = kind
        default = None
        if statement.default is not None:
            default = elaborate(statement.default, self.scope)
            if default is None:
                return None
            if statement.kind is None:
                name, dimension = (
                    ("boolean", DIMENSIONLESS) if default.truth else (name, default.dimension)
                )
                unit = "" if dimension == DIMENSIONLESS else str(dimension)
            elif not self._fits(statement, default, name, dimension):
                return None
        bounds = self._bounds(statement, dimension)
        if bounds is None:
            return None
        low, high, low_open = bounds
        if low is None and name != "boolean":
            low, low_open = (ONE, False) if name in ("integer", "processes") else (ZERO, True)
        smallest = constant(low) if low is not None else None
        positive = smallest is not None and (smallest > 0 or (smallest == 0 and low_open))
        integer = name in ("integer", "processes")
        symbol = Symbol(statement.name.name, integer, positive)
        self._built[statement.name.name] = Parameter(
            name=statement.name.name,
            kind=name,
            dimension=dimension,
            unit=unit,
            unit_factor=factor,
            low=low,
            high=high,
            low_open=low_open,
            default=default.tree if default else None,
            doc=doc_comment(statement.span),
            span=statement.name.span,
            symbol=symbol,
        )
        return Formula(symbol, dimension, truth=name == "boolean")

    def _kind(
        self, statement: ParameterStatement
    ) -> tuple[KindName, str, Fraction, Dimension] | None:
        if statement.kind is None:
            return "real", "", Fraction(1), DIMENSIONLESS
        text, span = statement.kind.unit.name, statement.kind.unit.span
        if text in KINDS:
            return KINDS[text], "", Fraction(1), DIMENSIONLESS
        if isinstance(read_unit(text, self.scope.units), UnknownUnit):
            meant = did_you_mean(text, KINDS)
            if meant is not None or "/" not in text:
                self.report(
                    Diagnostic(
                        "R0206",
                        f"'{text}' is neither a kind of parameter nor a unit",
                        (Label(span),),
                        meant or f"kinds: {', '.join(KINDS)}; or a unit such as `GB/s`",
                    )
                )
                return None
        unit = unit_at(text, span, self.scope)
        return None if unit is None else ("real", text, unit[0], unit[1])

    def _fits(
        self,
        statement: ParameterStatement,
        default: Formula,
        kind: KindName,
        dimension: Dimension,
    ) -> bool:
        assert statement.default is not None and statement.kind is not None
        span = statement.default.span
        if default.truth != (kind == "boolean"):
            (mismatch.not_a_number if default.truth else mismatch.not_a_truth)(span, self.scope)
            return False
        if default.dimension != dimension and not is_zero(default):
            target = f"the default of '{statement.name.name}'"
            declared = statement.kind.unit.span
            mismatch.assigned(target, default, span, dimension, declared, self.scope)
            return False
        return True

    def _bounds(
        self, statement: ParameterStatement, dimension: Dimension
    ) -> tuple[Expression | None, Expression | None, bool] | None:
        bounds = statement.kind.bounds if statement.kind else None
        if bounds is None:
            return None, None, False
        trees: list[Expression | None] = []
        for node in (bounds.low, bounds.high):
            formula = value(node, self.scope) if node is not None else None
            if node is not None and formula is None:
                return None
            fits = formula is None or formula.dimension == dimension or is_zero(formula)
            if node is not None and formula is not None and not fits:
                target, place = f"a bound of '{statement.name.name}'", statement.name.span
                mismatch.assigned(target, formula, node.span, dimension, place, self.scope)
                return None
            trees.append(formula.tree if formula else None)
        return trees[0], trees[1], False


def functions_of(items: Sequence[object]) -> dict[str, FunctionDeclaration]:
    """Return the functions declared among items, by name."""
    return {item.name.name: item for item in items if isinstance(item, FunctionDeclaration)}
