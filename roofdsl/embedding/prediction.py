"""Predictions as Python objects: formulas while parameters are free, numbers once given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from roofdsl.analysis import prediction as analysis
from roofdsl.analysis.intensity import QUANTITIES
from roofdsl.analysis.machine_ridge import machine_ridge
from roofdsl.analysis.result import evaluated, needs_values
from roofdsl.analysis.ridge import Ridge, ridge_formulas
from roofdsl.answer.asked import Given, ModelOnMachine, Numeric, SeveralGiven, Value, Values
from roofdsl.contract import constructed, public
from roofdsl.embedding.displayed import ShownResult, shown, units_shown
from roofdsl.embedding.machine import A_MACHINE, Machine
from roofdsl.embedding.model import A_MODEL, Model
from roofdsl.embedding.studies import Studied, given_ends
from roofdsl.expression.tree import Expression
from roofdsl.model.given import all_of, one_of
from roofdsl.model.types import Definition
from roofdsl.read_only import unchanging
from roofdsl.source import Source

if TYPE_CHECKING:
    import sympy

    from roofdsl.analysis.unknown import Unknown
    from roofdsl.answer.blocks import Block
    from roofdsl.embedding.cards import ShownSweep
    from roofdsl.embedding.shown import (
        ShownCrossovers,
        ShownOrders,
        ShownOverRates,
        ShownRegions,
        ShownThresholds,
    )


@constructed(model=one_of(Model, wanted=A_MODEL), machine=one_of(Machine, wanted=A_MACHINE))
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Prediction(Studied):
    """A model on a machine.

    The attributes are SymPy expressions in the model's parameters and the machine's rates (symbols
    such as `karst.network`); `evaluate` gives numbers.

    >>> import roofdsl as rd
    >>> prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    >>> prediction.evaluate(N=61952, P=121).bound
    'flops'
    """

    model: Model
    machine: Machine
    asked: ModelOnMachine = field(init=False)

    def __post_init__(self) -> None:
        asked = ModelOnMachine(self.model.definition, self.machine.definition)
        object.__setattr__(self, "asked", asked)

    @property
    def time(self) -> sympy.Expr:
        """Time of the kernel [s]: the largest of its resources' times."""
        return self._sympy(self._open().time())

    @property
    @unchanging
    def times(self) -> Mapping[str, sympy.Expr]:
        """Time on each resource [s]: work / rate."""
        return {name: self._sympy(tree) for name, tree in self._open().times().items()}

    @property
    @unchanging
    def units(self) -> Mapping[str, str]:
        """The SI base units of what formulas are of and are in: `{"time": "s", "karst.flops": …}`.

        >>> import roofdsl as rd
        >>> units = rd.load_model("summa").on(rd.load_machine("karst")).units
        >>> units["time"], units["OI"], units["karst.flops"]
        ('s', 'flop/B', 'flop/s')
        """
        stated = {f"{self.machine.name}.{name}": x for name, x in self.machine.units.items()}
        return {**units_shown(QUANTITIES), **self.model.units, **stated}

    @property
    def attainable(self) -> sympy.Expr:
        """Attainable performance [flop/s] (Cardwell 2019, Eq. 2.5)."""
        return self._sympy(self._open().attainable())

    @property
    @unchanging
    def metrics(self) -> Mapping[str, sympy.Expr]:
        """The metrics of the model in its parameters and the machine's rates, where answered."""
        from roofdsl.analysis.metrics import metric_formulas

        found, _ = metric_formulas(self._open())
        return {name: self._sympy(tree) for name, tree in found.items()}

    @property
    @unchanging
    def ridge(self) -> Ridge:
        """The machine's ridge points OI* [flop/B], CAI* [flop/B] and MI* [B/B]."""
        return machine_ridge(self.machine.definition)

    @property
    @unchanging
    def ridge_expressions(self) -> Mapping[str, sympy.Expr]:
        """The ridge points OI*, CAI* and MI* in the rates that this model uses.

        Without those whose rates the machine does not have, or of which the model uses several.

        >>> import roofdsl as rd
        >>> rd.load_model("summa").on(rd.load_machine("karst")).ridge_expressions["CAI"]
        karst.flops/karst.network
        """
        opened = self._open()
        formulas = ridge_formulas(opened.roofs, opened.rates)
        return {name: self._sympy(tree) for name, tree in formulas.items()}

    @public()
    def bound_expression(self, /, **values: Given) -> sympy.Expr:
        """Return what binds as a SymPy `Piecewise` of symbols named after the resources.

        Its conditions compare the times, in the parameters and the machine's rates. With all but
        one parameter given it comes from the proven crossovers instead, and its conditions are
        numbers; with all given it is one symbol. Raises RoofError as `evaluate` does.

        >>> import roofdsl as rd
        >>> prediction = rd.load_model("summa").on(rd.load_machine("karst"))
        >>> prediction.bound_expression(N=4096, P=121)
        network
        >>> prediction.bound_expression(P=121).args[0]
        (network, (N >= 2) & (N <= 5580))
        """
        from roofdsl.embedding.symbolic import bound_of

        if not values:
            return bound_of(self._open().rivals)
        solved = self.asked.bound(all_of(values))
        if not solved.free:
            import sympy

            bound = evaluated(solved).bound
            return sympy.nan if bound is None else sympy.Symbol(bound)
        if len(solved.free) == 1 and solved.free[0].is_number:
            from roofdsl.analysis.crossover import find_crossovers
            from roofdsl.embedding.symbolic import bound_over

            solved, unknown, limits = self._solving(solved.free[0].name, None, None, all_of(values))
            return bound_over(find_crossovers(solved, unknown, *limits))
        return bound_of(solved.rivals)

    @public()
    def time_expression(
        self,
        unknown: str | None = None,
        low: Numeric | str | None = None,
        high: Numeric | str | None = None,
        **values: Given,
    ) -> sympy.Expr:
        """Return the time [s] over a range as a SymPy `Piecewise` in the unknown alone.

        The range is cut where a resource begins to bind a step, or a part of an overlap to take
        longest, proven; each piece is then a plain formula. A choice that is undecided stays in its
        piece. Raises RoofError as `crossovers` does.

        >>> import roofdsl as rd
        >>> prediction = rd.load_model("summa").on(rd.load_machine("karst"))
        >>> time = prediction.time_expression("N", P=121)
        >>> time.args[0]
        (N**2*log(11)/(825000000*log(2)), (N >= 2) & (N <= 5580))
        """
        from roofdsl.analysis.regimes import RegimesOver
        from roofdsl.embedding.symbolic import time_over

        solved, asked, limits = self._solving(unknown, low, high, all_of(values))
        if missing := [each for each in solved.free if each.name != asked.name]:
            raise needs_values(solved, missing)
        return time_over(RegimesOver(solved, asked, *limits))

    @public()
    def evaluate(self, /, **values: Given) -> ShownResult:
        """Return the prediction in numbers, in SI base units.

        Values are numbers (a plain one for a parameter with a unit is in SI base units: 8 means
        8 B) or texts in the language (`"16 KiB"`). Raises RoofError when one is missing, unknown,
        of the wrong unit, out of bounds or against a `require`.

        >>> import roofdsl as rd
        >>> summa, karst = rd.load_model("summa"), rd.load_machine("karst")
        >>> result = summa.on(karst).evaluate(N=4096, P=121, word=8)
        >>> round(result.OI, 2), round(result.CAI, 2)
        (11.19, 13.46)
        """
        bound = self.asked.bound(all_of(values))
        return shown(ShownResult, evaluated(bound), bound)

    @public()
    def sweep(self, /, *, skip_invalid: Values = False, **values: SeveralGiven) -> ShownSweep:
        """Return the prediction over arrays of values, which broadcast against one another.

        Otherwise like `evaluate`; each attribute of the result is an array. With `skip_invalid`,
        points that are refused are NaN, and in no row; `left_out` says which, and why.

        >>> import roofdsl as rd
        >>> sweep = rd.load_model("summa").on(rd.load_machine("karst")).sweep(N=[242, 61952], P=121)
        >>> [str(name) for name in sweep.bound]
        ['network', 'flops']
        >>> summa = rd.load_model("summa").on(rd.load_machine("karst"))
        >>> found = summa.sweep(N=4096, P=[4, 5, 9], skip_invalid=True)
        >>> found.time.round(2).tolist(), [each.place for each in found.left_out]
        ([1.56, nan, 0.69], ['P = 5'])
        """
        from roofdsl.embedding.cards import ShownSweep

        # It is typed as values are, so that `**` of a dictionary of values may stand beside it.
        return ShownSweep.of(self.asked.sweep(all_of(values), skip=skip_invalid is True))

    @public()
    def crossovers(
        self,
        unknown: str | None = None,
        low: Numeric | str | None = None,
        high: Numeric | str | None = None,
        *,
        between: Iterable[str] = (),
        **values: Given,
    ) -> ShownCrossovers | ShownRegions | ShownOrders:
        """Return every change of the bound over a range of a parameter or machine rate, proven.

        `between` compares some resources alone, or quantities of one unit (`"time"`, `"2 s"`).
        Without an unknown it is the one parameter left without a value. `low` and `high` are in SI
        base units; by default the parameter's bounds within 1 … 10^18. Raises RoofError for a name
        that is neither a parameter nor a rate, or a range out of bounds.

        With one other parameter left without a value, of the model or of the machine, it is the
        answer for all values of that one: where the bound changes as a formula, and in which
        regions what binds. With more of them it tells which of each two times takes longer.

        >>> import roofdsl as rd
        >>> found = rd.load_model("summa").on(rd.load_machine("karst")).crossovers(P=121)
        >>> [(c.before, c.after, c.first_integer) for c in found.crossovers], found.complete
        ([(('network',), ('flops',), 5581)], True)
        >>> found.as_piecewise().args[0]
        (network, (N >= 2) & (N <= 5580))
        """
        from roofdsl.analysis.crossover import Crossovers
        from roofdsl.analysis.larger import compared
        from roofdsl.analysis.open_orders import OpenOrders
        from roofdsl.analysis.solving import find_changes
        from roofdsl.embedding.shown import ShownCrossovers, ShownOrders, ShownRegions

        solved, asked, limits = self._solving(unknown, low, high, all_of(values))
        texts = compared([Source("between", text) for text in between])
        found = find_changes(solved, asked, *limits, texts)
        if isinstance(found, Crossovers):
            return shown(ShownCrossovers, found, solved)
        if isinstance(found, OpenOrders):
            return shown(ShownOrders, found, solved)
        return shown(ShownRegions, found, solved)

    @public()
    def over_rates(
        self,
        rates: str | Numeric,
        unknown: str | None = None,
        low: Numeric | str | None = None,
        high: Numeric | str | None = None,
        **values: Given,
    ) -> ShownOverRates:
        """Return what binds over a range on all machines near: proven, or shown to differ.

        `rates` says how far all rates may be off, each up or down by itself (0.1 or "±10%"), or
        "stated" for the uncertainties that the machine states. Raises RoofError for what is none of
        these (R0714), where no uncertainty is stated (R0715), and as `crossovers` does.

        >>> import roofdsl as rd
        >>> prediction = rd.load_model("summa").on(rd.load_machine("karst"))
        >>> for regime in prediction.over_rates(0.1, "N", P=121).regimes:
        ...     print(regime.first, regime.verdict, *regime.bounds)
        2 all network
        4566 depends flops network
        6821 all flops
        """
        from roofdsl.analysis.over_rates import find_over_rates
        from roofdsl.analysis.rate_box import rate_box
        from roofdsl.embedding.shown import ShownOverRates

        solved, asked, limits = self._solving(unknown, low, high, all_of(values))
        found = find_over_rates(solved, asked, *limits, rate_box(rates, solved))
        return shown(ShownOverRates, found, solved)

    @public()
    def where(
        self,
        condition: str,
        unknown: str | None = None,
        low: Numeric | str | None = None,
        high: Numeric | str | None = None,
        **values: Given,
    ) -> ShownThresholds | ShownRegions:
        """Return for which values of a parameter or machine rate a condition holds, proven.

        With one other parameter left without a value it is the answer for all values of that one.

        >>> import roofdsl as rd
        >>> prediction = rd.load_model("summa").on(rd.load_machine("karst"))
        >>> [(i.first, i.last) for i in prediction.where("time <= 10 s", "N", P=121).intervals]
        [(2, 23698)]
        """
        from roofdsl.analysis.solving import find_holding
        from roofdsl.analysis.such_that import read_condition
        from roofdsl.analysis.threshold import Thresholds
        from roofdsl.embedding.shown import ShownRegions, ShownThresholds

        solved, asked, limits = self._solving(unknown, low, high, all_of(values))
        wanted = read_condition(Source("condition", condition), solved)
        found = find_holding(solved, wanted, asked, *limits)
        if isinstance(found, Thresholds):
            return shown(ShownThresholds, found, solved)
        return shown(ShownRegions, found, solved)

    def _solving(
        self,
        name: str | None,
        low: Numeric | str | None,
        high: Numeric | str | None,
        values: Mapping[str, Value],
    ) -> tuple[analysis.Prediction, Unknown, tuple[float, float]]:
        """Return the prediction with an unknown left open, the unknown, and its range."""
        from roofdsl.analysis.open_machine import asked_on, open_domain
        from roofdsl.analysis.open_parameters import unknown_name

        model = self.model.definition
        asked = unknown_name(name, [model], values)
        machine, unknown = asked_on(asked, model, self.machine.definition)
        solved = ModelOnMachine(model, machine).bound(values, unknown.free)
        domain = open_domain(solved, unknown)
        return domain.noted(solved), unknown, domain.within(*given_ends(domain, low, high))

    def _of(self) -> tuple[Definition, ...]:
        return self.model.definition, self.machine.definition

    def _open(self) -> analysis.Prediction:
        return self.asked.opened

    def _sympy(self, tree: Expression) -> sympy.Expr:
        from roofdsl.algebra.to_sympy import to_sympy

        return to_sympy(tree)

    def __repr__(self) -> str:
        return f"<Prediction {self.model.name} on {self.machine.name}>"

    def blocks(self) -> list[Block]:
        from roofdsl.embedding.cards import prediction_card

        return prediction_card(self._open())
