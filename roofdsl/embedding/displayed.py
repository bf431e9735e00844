"""What notebooks show as cards."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import Result
from roofdsl.answer.titles import on
from roofdsl.contract import public
from roofdsl.diagnostic import Diagnostic, RoofError, did_you_mean
from roofdsl.model.types import Definition, MachineDefinition, ModelDefinition
from roofdsl.read_only import read_only
from roofdsl.unchanging import Unchanging
from roofdsl.units.dimension import DIMENSIONLESS, SECOND, Dimension
from roofdsl.units.quantity import show_quantity

if TYPE_CHECKING:
    import pandas as pd

    from roofdsl.analysis.step_results import StepsOf
    from roofdsl.answer.answer import Shown, Valued
    from roofdsl.answer.blocks import Block
    from roofdsl.answer.plain import Json

    class Answer(Shown, Valued, Protocol):
        """An answer with blocks for people and plain values by name for programs."""

        def values(self) -> dict[str, Json]: ...


K = TypeVar("K")
D = TypeVar("D", bound=ModelDefinition | MachineDefinition)


class Displayed(Unchanging, ABC):
    """Something a notebook shows as a card, or its problems where there is no card.

    Two are equal that say the same of the same: of definitions of one name and of one text, that of
    the files which they use included.
    """

    __slots__ = ()
    _inside: ClassVar[tuple[str, ...]] = ("blocks",)

    @abstractmethod
    def _of(self) -> tuple[Definition, ...]:
        """Return the definitions that it is of."""

    def _says(self) -> object:
        """Return what it says of these, in values that can be compared: by itself nothing more."""

    def _identity(self) -> tuple[object, ...]:
        return type(self), *(each.identity for each in self._of())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Displayed) or self._identity() != other._identity():
            return False
        return self._says() == other._says()

    def __hash__(self) -> int:
        return hash(self._identity())

    @abstractmethod
    def blocks(self) -> list[Block]:
        """Return texts, tables and equations, without a notation."""

    def _repr_html_(self) -> str:
        from roofdsl.report.card import card_html
        from roofdsl.typeset.escape import escape_html

        try:
            return card_html(self.blocks())
        except RoofError as problems:
            return f"<pre>{escape_html(str(problems))}</pre>"

    def _repr_latex_(self) -> str | None:
        from roofdsl.report.card import card_latex

        try:
            return card_latex(self.blocks())
        except RoofError:
            return None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Defined(Displayed, Generic[D]):
    """A model or a machine: its definition, with expression trees, and what its file says of it.

    `warnings` tell what is suspicious in the file, and in those it uses.
    """

    _inside = ("definition",)
    definition: D
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def name(self) -> str:
        """Its name in the language, which names of its rates begin with."""
        return self.definition.name

    def _of(self) -> tuple[Definition, ...]:
        return (self.definition,)

    @property
    def doc(self) -> str:
        """The doc comment."""
        return self.definition.doc

    @property
    def sources(self) -> tuple[str, ...]:
        """Where the formulas or numbers come from."""
        return self.definition.sources

    @property
    def text(self) -> str:
        """The text of the language that it stands in: its whole file, or what Python made of it.

        Files that it names have whole paths, so that it may stand anywhere. Raises RoofError for a
        machine that has been changed, which no text has (R0511).
        """
        from roofdsl.embedding.texts import source_of, text_of

        return text_of(source_of(self.definition))

    @public()
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `text` as a `.roof` file, whole or not at all; what it uses stays where it is.

        Raises RoofError for what is no name of a `.roof` file (R0004), for a file that cannot be
        written (R0802), and as `text` does.
        """
        from roofdsl.embedding.texts import save, source_of

        save(source_of(self.definition), os.fspath(path))


class AnswerShown(Displayed):
    """An answer that a notebook shows, that `print` shows, and that becomes plain values."""

    __slots__ = ()
    _inside: ClassVar[tuple[str, ...]] = (
        "answer",
        "allowed",
        "has_one_bound",
        "of",
        "proof",
        "proof_of_whole",
    )

    @abstractmethod
    def answer(self) -> Answer:
        """Return what formats and notations are made from."""

    def _says(self) -> object:
        return self.to_dict()

    def __str__(self) -> str:
        """Return it as the command line prints it."""
        from roofdsl.report.text import written

        return written(self.answer())

    def to_dict(self) -> dict[str, Json]:
        """Return it in plain values of SI base units, as `--format json` has them."""
        return self.answer().values()

    def to_json(self) -> str:
        """Return it as `--format json` prints it."""
        from roofdsl.report.json import written

        return written(self.answer())

    def to_latex(self) -> str:
        """Return it in LaTeX, ready for `\\input`, as `--format latex` prints it."""
        from roofdsl.report.latex import written

        return written(self.answer())

    def to_markdown(self) -> str:
        """Return it in Markdown, as `--format markdown` prints it."""
        from roofdsl.report.markdown import written

        return written(self.answer())

    def blocks(self) -> list[Block]:
        return self.answer().blocks()


class Listed(AnswerShown):
    """An answer whose plain values have a list, which is a table too: `listed` names it."""

    __slots__ = ()
    _inside: ClassVar[tuple[str, ...]] = ("listed",)
    listed: ClassVar[str]

    def rows(self) -> list[dict[str, Json]]:
        """Return a dictionary of plain values for each range, point or rate that is told of."""
        found = self.to_dict()[type(self).listed]
        assert isinstance(found, list)
        return [row for row in found if isinstance(row, dict)]

    def to_pandas(self) -> pd.DataFrame:
        """Return these rows as a data frame of pandas, which is an extra.

        What binds is a categorical, of several that do one text, `flops and memory`; what is inside
        something has a column of its own, `larger.time`. `attrs["units"]` has the units of the
        columns. Raises ImportError without pandas.

        >>> import roofdsl as rd
        >>> summa = rd.load_model("summa").on(rd.load_machine("karst"))
        >>> summa.crossovers(P=121).to_pandas()[["from", "to", "bound"]].values.tolist()[0]
        [2, 5580, 'network']
        >>> summa.scaling(N=4096).to_pandas().set_index("processes").efficiency[4].round(3)
        np.float64(1.0)
        """
        from roofdsl.embedding.frames import frame_of_rows

        return frame_of_rows(self.rows(), [self.to_dict()])


class Answered(AnswerShown):
    """An answer of the analysis of one prediction."""

    __slots__ = ()
    _inside: ClassVar[tuple[str, ...]] = ("answered", "prediction")
    prediction: Prediction
    answered: ClassVar[Callable[..., Answer]]

    def _of(self) -> tuple[Definition, ...]:
        return self.prediction.model, self.prediction.machine

    def answer(self) -> Answer:
        return type(self).answered(self, self.prediction)

    def __repr__(self) -> str:
        """Return what it is of; the text has all of it."""
        return f"<{type(self).__name__} {on(self.prediction)}>"


class WithMetrics:
    """What has the model's metrics as attributes, too: numbers, or arrays of them."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a checker is to see that a name is not there

        def __dir__(self) -> list[str]:
            """What completion offers: the public names, and the model's metrics."""
            return sorted({*super().__dir__(), *self.metrics})

        def __getattr__(self, name: str) -> object:
            """Return a metric of the model by its name."""
            if name.startswith("_") or name in type(self).__dataclass_fields__:
                raise AttributeError(name)  # asked for by Python; not set yet, while one is copied
            if name in self.metrics:
                return self.metrics[name]
            near = did_you_mean(name, dir(self))
            reason = f"; {near}" if near else ""
            if name in self.unanswered:
                reason = f": {self.unanswered[name]}"
            raise AttributeError(f"'{type(self).__name__}' has no '{name}'{reason}")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ShownResult(WithMetrics, Answered, Result):
    """A prediction in numbers that a notebook shows."""

    prediction: Prediction = field(kw_only=True)

    count = public()(Result.count)
    over_rates = public()(Result.over_rates)

    def __repr__(self) -> str:
        time = show_quantity(self.time, SECOND)
        return f"<{type(self).__name__} {on(self.prediction)}: {time}, bound by {self.bound}>"

    @property
    def steps(self) -> StepsOf[ShownResult]:
        """Its steps by name, those inside its overlaps and repeats too, each as a result."""
        from roofdsl.analysis.step_results import StepResults

        return StepResults(self, _alone)

    def answer(self) -> Answer:
        from roofdsl.answer.point import PointAnswer

        return PointAnswer(self, self.prediction)


def _alone(step: Result) -> ShownResult:
    """Return the result of a step as one that a notebook shows, as that of its model alone."""
    assert step.rivalry is not None
    whole = replace(step.breakdown, name=step.model)
    return shown(ShownResult, replace(step, breakdown=whole), step.rivalry.prediction)


def shown(kind: Callable[..., K], found: object, prediction: Prediction) -> K:
    """Return an answer as one of the kind that a notebook shows.

    `kind` has the fields of the answer, which is a dataclass, and the prediction that it is of.
    """
    assert is_dataclass(found)
    values = {item.name: getattr(found, item.name) for item in fields(found)}
    return kind(**read_only(values), prediction=prediction)


def units_shown(units: Mapping[str, Dimension]) -> dict[str, str]:
    """Return units as texts; "" is that of a plain number."""
    return {name: "" if unit == DIMENSIONLESS else str(unit) for name, unit in units.items()}
