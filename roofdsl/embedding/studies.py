"""Studies of a model on a machine: sensitivity, scaling, what it comes to, which is faster."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from roofdsl.answer.asked import Given, ModelOnMachine, Numeric
from roofdsl.contract import public
from roofdsl.diagnostic import RoofError
from roofdsl.embedding.displayed import AnswerShown, shown
from roofdsl.model.given import all_of, number_in, one_of, one_or_more, some
from roofdsl.source import Source

if TYPE_CHECKING:
    from roofdsl.analysis.domain import Domain
    from roofdsl.embedding.displayed import Answer
    from roofdsl.embedding.shown import (
        ShownAsymptotics,
        ShownFaster,
        ShownScaling,
        ShownSensitivity,
    )
    from roofdsl.numeric.place import Place


def _predictions(name: str, value: object) -> object:
    """Read a prediction, or several."""
    from roofdsl.embedding.prediction import Prediction

    one = one_of(Prediction, wanted="a Prediction, which model.on(machine) makes")
    return some(one_or_more(one), "prediction")(name, value)


class Studied(AnswerShown):
    """What a model on a machine is asked of the time as something changes."""

    __slots__ = ()
    _inside: ClassVar[tuple[str, ...]] = ("asked",)
    asked: ModelOnMachine

    def answer(self) -> Answer:
        """Return what `eval` says without a value: formulas, or numbers if nothing is open."""
        prediction = self.asked.bound({})
        if prediction.free:
            from roofdsl.answer.formulas import FormulaAnswer

            return FormulaAnswer(prediction)
        from roofdsl.analysis.result import evaluated
        from roofdsl.answer.point import PointAnswer

        return PointAnswer(evaluated(prediction), prediction)

    def _says(self) -> object:
        """Return nothing more than what it is of: formulas follow from that."""
        return None

    def __str__(self) -> str:
        """Return it as the command line prints it, or why there is no answer."""
        try:
            return super().__str__()
        except RoofError as problems:
            return str(problems)

    @public()
    def sensitivity(
        self, /, *, partial: bool = False, of: str = "time", **values: Given
    ) -> ShownSensitivity:
        """Return the elasticities d ln time / d ln x at a point, the largest first.

        What follows from x by default changes with it; with `partial`, each parameter changes
        alone. They may be `of` "energy", "power" or "cost" in place of the time.

        >>> import roofdsl as rd
        >>> prediction = rd.load_model("summa").on(rd.load_machine("karst"))
        >>> {e.name: e.value for e in prediction.sensitivity(N=4096, P=121).elasticities[:3]}
        {'N': 2.0, 'word': 1.0, 'karst.network': -1.0}
        """
        from roofdsl.analysis.sensitivity import sensitivity
        from roofdsl.embedding.shown import ShownSensitivity

        asked, given = self.asked.with_arguments(all_of(values))
        found = sensitivity(asked.model, asked.machine, given, partial=partial, of=of)
        return shown(ShownSensitivity, found, asked.at(given))

    @public()
    def scaling(
        self,
        processes: str | None = None,
        /,
        *,
        strong: bool = False,
        size: str | None = None,
        efficiency: str | Numeric | None = None,
        **values: Given,
    ) -> ShownScaling:
        """Return speed-up and efficiency over counts of processes, and how many are of use.

        Efficiency is T₁ / (P·T(P)), T₁ the time of one process for the same problem. `processes` is
        the parameter that counts them, by default the one without a value; several are a grid.
        `strong`: the problem is the same for all, whatever each process does. With a `size` come
        its least values that keep an `efficiency`, 0.8 or "80%", by default one half; with that
        alone those of the one number without a default. Raises RoofError where there is nothing to
        count or to compare with, and for several such numbers (R0713).

        >>> import roofdsl as rd
        >>> summa = rd.load_model("summa").on(rd.load_machine("karst"))
        >>> found = summa.scaling(N="1000*sqrt(P)")
        >>> found.law.kind, [round(point.efficiency, 3) for point in found.points[:3]]
        ('weak', [1.0, 1.0, 1.0])
        >>> summa.scaling(N=64).useful.complete
        True
        """
        from roofdsl.answer.scaling import scaled
        from roofdsl.embedding.shown import ShownScaling

        found, prediction = scaled(
            self.asked, all_of(values), processes, strong=strong, size=size, efficiency=efficiency
        )
        return shown(ShownScaling, found, prediction)

    @public()
    def asymptotic(self, growing: str | None = None, /, **values: Given) -> ShownAsymptotics:
        """Return the leading term of each time as a parameter grows, and the bound in the end.

        Without a name it is the one parameter left without a value. Tie another to it to grow along
        a path: `P="N^2"`. Raises RoofError as `crossovers` does.

        >>> import roofdsl as rd
        >>> found = rd.load_model("summa").on(rd.load_machine("karst")).asymptotic("N", P=121)
        >>> found.bound, found.leading["network"]
        ('flops', 16*N**2*log(11)/(11*karst.network*log(2)))
        """
        from roofdsl.analysis.asymptotic import asymptotics
        from roofdsl.analysis.open_machine import asked_on
        from roofdsl.analysis.open_parameters import unknown_name
        from roofdsl.embedding.shown import ShownAsymptotics

        model = self.asked.model
        name = unknown_name(growing, [model], all_of(values))
        machine, unknown = asked_on(name, model, self.asked.machine, closed=True)
        prediction = ModelOnMachine(model, machine).bound(all_of(values), unknown.free)
        return shown(ShownAsymptotics, asymptotics(prediction, unknown), prediction)

    @public(others=_predictions)
    def faster(
        self,
        others: Studied | Iterable[Studied],
        unknown: str | None = None,
        low: Numeric | str | None = None,
        high: Numeric | str | None = None,
        *,
        by: str = "time",
        **values: Given,
    ) -> ShownFaster:
        """Return where this is faster than other predictions, and where they are, proven.

        They are of other models, on other machines, or both, all with one unknown. A value goes to
        those that have such a parameter. `by` compares another quantity than the time, such as
        "energy", "cost" or "memory": the least is told. Raises RoofError as `crossovers` does, and
        where two have one name (R0202): `machine.named` gives another.

        >>> import roofdsl as rd
        >>> summa, karst = rd.load_model("summa"), rd.load_machine("karst")
        >>> found = summa.on(karst).faster(summa.on(rd.load_machine("jetstream")), P=121)
        >>> [(change.before, change.after, change.first_integer) for change in found.crossovers]
        [(('karst',), ('jetstream',), 19698)]
        >>> found.complete
        True
        """
        from roofdsl.answer.contest import contest
        from roofdsl.embedding.shown import shown_faster

        def within(domain: Domain) -> tuple[Place, Place]:
            return domain.within(*given_ends(domain, low, high))

        compared = [others] if isinstance(others, Studied) else [*others]
        subjects = [each.asked for each in (self, *compared)]
        return shown_faster(contest(subjects, all_of(values), unknown, within, Source("by", by)))


def given_ends(
    domain: Domain, low: Numeric | str | None, high: Numeric | str | None
) -> Iterator[Fraction]:
    """Yield the ends of a range in SI base units; those of the domain where none is given."""
    unknown = domain.unknown
    read = number_in(unknown.dimension, unknown.units)
    for name, end, given in zip(("low", "high"), domain.range(), (low, high), strict=True):
        yield Fraction(end) if given is None else read(name, given)
