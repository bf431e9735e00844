"""Models as Python objects."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from roofdsl.analysis.counting import total_work, total_works
from roofdsl.analysis.intensity import (
    QUANTITIES,
    intensity,
    intensity_of,
    intensity_units,
    is_zero,
    quotient_of,
)
from roofdsl.analysis.of_jobs import refuse_of_mix
from roofdsl.contract import as_given, constructed, public
from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean
from roofdsl.embedding.displayed import Defined, units_shown
from roofdsl.embedding.machine import A_MACHINE, Machine
from roofdsl.expression.tree import ZERO
from roofdsl.model.given import all_of, by_name, each, joined, one_of, said
from roofdsl.model.library import find_model
from roofdsl.model.resource import BUILT_IN
from roofdsl.model.results import own_resources
from roofdsl.model.tally import tallies_of
from roofdsl.model.types import ModelDefinition, Module
from roofdsl.read_only import unchanging

if TYPE_CHECKING:
    import sympy

    from roofdsl.answer.asked import Given
    from roofdsl.answer.blocks import Block
    from roofdsl.embedding.composing import ModelCall
    from roofdsl.embedding.formulas import FormulaLike
    from roofdsl.embedding.prediction import Prediction

NOTHING: Mapping[str, FormulaLike] = MappingProxyType({})
A_MODEL = 'a Model, which load_model("summa") loads'


@constructed(
    definition=one_of(ModelDefinition, wanted="a definition, as another Model has it"),
    warnings=each(one_of(Diagnostic, wanted="a Diagnostic")),
)
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Model(Defined[ModelDefinition]):
    """A model: what an algorithm asks of a machine, as formulas in its parameters.

    >>> summa = load_model("summa")
    >>> summa.parameters
    ('N', 'P', 'word', 'B', 'M', 'dtype')
    >>> summa.flops
    (2*N**3 + 2*N**2)/P
    """

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters, in the order written."""
        return tuple(parameter.name for parameter in self.definition.parameters)

    @property
    @unchanging
    def symbols(self) -> Mapping[str, sympy.Symbol]:
        """The symbols of the parameters that are numbers, as they stand in formulas.

        >>> summa = load_model("summa")
        >>> summa.flops.subs(summa.symbols["N"], 10)
        2200/P
        """
        from roofdsl.algebra.to_sympy import symbol_to_sympy

        numbers = (each for each in self.definition.parameters if each.is_number)
        return {each.name: symbol_to_sympy(each.symbol) for each in numbers}

    @property
    @unchanging
    def units(self) -> Mapping[str, str]:
        """The units of parameters, `let`s, tallies and metrics, and of work and intensities.

        They are SI base units, those that formulas and numbers are in; "" for a plain number.

        >>> units = load_model("summa").units
        >>> units["word"], units["N"], units["OI"]
        ('B', '', 'flop/B')
        """
        model = self.definition
        own = own_resources(model)
        found = {name: QUANTITIES[name] for name in BUILT_IN if name in QUANTITIES}
        found |= {**own, **intensity_units(own), **model.dimensions()}
        found |= tallies_of(model)
        found |= {each.name: each.formula.dimension for each in model.metrics}
        return units_shown(found)

    @property
    def flops(self) -> sympy.Expr:
        """Floating-point operations of one process [flop]."""
        return self.work("flops")

    @property
    def memory(self) -> sympy.Expr:
        """Memory traffic of one process [B]."""
        return self.work("memory")

    @property
    def network(self) -> sympy.Expr:
        """Network traffic of one process [B]."""
        return self.work("network")

    @property
    def OI(self) -> sympy.Expr:
        """Operational intensity, flops / memory [flop/B]."""
        return self._intensity("OI")

    @property
    def CAI(self) -> sympy.Expr:
        """Communication arithmetic intensity, flops / network [flop/B]."""
        return self._intensity("CAI")

    @property
    def MI(self) -> sympy.Expr:
        """Memory intensity, memory / network [B/B]."""
        return self._intensity("MI")

    @public()
    def intensity(self, resource: str) -> sympy.Expr:
        """Return flops for each unit of work on a resource: that on `memory` is OI.

        Raises RoofError for what is no resource (R0214).

        >>> load_model("summa").intensity("memory") == load_model("summa").OI
        True
        """
        self.work(resource)
        return self._intensity(intensity_of(resource))

    @public()
    def work(self, resource: str) -> sympy.Expr:
        """Return the work on a resource as a SymPy expression, 0 where the model states none.

        That of all steps adds up, and so do kinds of flops and links of the network. Of several
        levels of memory plain `memory` counts, else the last one stated: a machine may mean another
        (`Prediction`). `memory.L2` asks for one level alone. Raises RoofError for what is no
        resource (R0214), or for a mix, whose jobs have work of their own (R0610).
        """
        from roofdsl.algebra.to_sympy import to_sympy

        refuse_of_mix(self.definition, resource)
        work = total_work(self.definition, resource)
        if work == ZERO and resource.partition(".")[0] not in BUILT_IN:
            message = f"'{self.name}' works on no resource '{resource}', nor has the language one"
            raise RoofError([Diagnostic("R0214", message, (), did_you_mean(resource, BUILT_IN))])
        return to_sympy(work)

    @public(machine=one_of(Machine, wanted=A_MACHINE))
    def on(self, machine: Machine) -> Prediction:
        """Return the prediction of this model on a machine, its parameters free.

        >>> from roofdsl.embedding.machine import load_machine
        >>> load_model("summa").on(load_machine("karst")).evaluate(N=4096, P=121).bound
        'network'
        """
        from roofdsl.embedding.prediction import Prediction

        return Prediction(self, machine)

    @public(arguments=as_given, values=as_given)
    def __call__(
        self, arguments: Mapping[str, FormulaLike] = NOTHING, /, **values: FormulaLike
    ) -> ModelCall:
        """Return this model with arguments, for a step of another model or a job of a mix.

        Arguments are formulas in the names of that model: texts, numbers or SymPy expressions; a
        number for a parameter with a unit is in SI base units.

        >>> load_model("summa")(N="n/2", P=64)
        <ModelCall linalg_summa.summa(N = n/2, P = 64)>
        """
        from roofdsl.embedding.composing import call

        given: object = arguments  # by place, as functions take them
        if not isinstance(given, Mapping):
            first = self.parameters[0] if self.parameters else "NAME"
            shown = f"{self.name}({first}={given if isinstance(given, int | float) else '…'})"
            raise TypeError(f"{self.name} takes arguments by name, {shown}, not {said(given)}")
        return call(self, joined(by_name(as_given)("arguments", given), values))

    @public()
    @unchanging
    def evaluate(self, /, **values: Given) -> Mapping[str, float | str | bool | None]:
        """Return by name what no machine changes, in SI base units: what `eval` answers without.

        Work, intensities, totals of all processes (`total.flops`), tallies, `let`s, and the metrics
        that are made of these. Raises RoofError for values that are refused, or missing (R0406).

        >>> found = load_model("summa").evaluate(N=4096, P=121)
        >>> round(found["OI"], 2), found["total.flops"]
        (11.19, 137472507904.0)
        """
        from roofdsl.analysis import without_machine
        from roofdsl.answer.asked import ModelOnMachine
        from roofdsl.answer.columns import entry

        model = without_machine.without_defaults_of_machines(self.definition)
        result = ModelOnMachine(model, without_machine.unlimited(model)).evaluate(all_of(values))
        assert result.rivalry is not None
        sections = without_machine.named_without_machine(result.rivalry.prediction)
        answers = ((name, entry(result, name)) for names in sections.values() for name in names)
        return {name: found.value for name, found in answers if found is not None}

    def _intensity(self, name: str) -> sympy.Expr:
        from roofdsl.algebra.simplify import simplify_ratio
        from roofdsl.algebra.to_sympy import to_sympy

        refuse_of_mix(self.definition, name)
        works = quotient_of(name)
        work = total_works(self.definition, works)
        tree = intensity(work, name)
        if tree is None:
            import sympy

            return sympy.nan if is_zero(work[works[0]]) else sympy.oo
        return to_sympy(simplify_ratio(tree))

    def __repr__(self) -> str:
        return f"<Model {self.name}({', '.join(self.parameters)})>"

    def blocks(self) -> list[Block]:
        from roofdsl.embedding.cards import model_card

        return model_card(self.definition)


@public()
def load_model(reference: str | os.PathLike[str]) -> Model:
    """Load a model by path, `path:name` or bundled name (`summa`, `summa.roof`, `linalg.summa`).

    Raises RoofError when there is no such model or its file has errors.

    >>> load_model("summa")
    <Model summa(N, P, word, B, M, dtype)>
    """
    definition, module = find_model(os.fspath(reference))
    return Model(definition, tuple(module.warnings))


def last_model(module: Module) -> Model:
    """Return the model or mix that a text ends with."""
    return Model([*module.models.values()][-1], tuple(module.warnings))
