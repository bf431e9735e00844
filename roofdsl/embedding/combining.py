"""Answers to one question at several values, in one table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from roofdsl.answer.combined import Combinable, CombinedAnswer
from roofdsl.answer.contest import refuse_one_name
from roofdsl.answer.differing import differing
from roofdsl.answer.plain import Json
from roofdsl.answer.table_part import TablePart
from roofdsl.contract import public
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.embedding.displayed import AnswerShown, Listed
from roofdsl.model.given import each, said
from roofdsl.model.types import Definition

if TYPE_CHECKING:
    import pandas as pd

A = TypeVar("A", bound=AnswerShown)
_METHODS = {
    "ShownAsymptotics": "asymptotic",
    "ShownCrossovers": "crossovers",
    "ShownFaster": "faster",
    "ShownOverRates": "over_rates",
    "ShownScaling": "scaling",
    "ShownSensitivity": "sensitivity",
    "ShownThresholds": "where",
}
"""What returns the answers that a table of several may have."""


def _answer(name: str, value: object) -> AnswerShown:
    if isinstance(value, AnswerShown):
        return value
    wanted = "an answer, such as prediction.crossovers() returns"
    raise TypeError(f"{name} takes {wanted}, not {said(value)}")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Combined(AnswerShown, Generic[A]):
    """Answers to one question: `combined[0]` is the first, and all are a table.

    >>> import roofdsl as rd
    >>> summa = rd.load_model("summa").on(rd.load_machine("karst"))
    >>> found = rd.combined(summa.crossovers(P=count) for count in (4, 121))
    >>> isinstance(found, rd.Combined), [each.crossovers[-1].first_integer for each in found]
    (True, [293, 5581])
    """

    answers: tuple[A, ...]

    def __iter__(self) -> Iterator[A]:
        return iter(self.answers)

    def __len__(self) -> int:
        return len(self.answers)

    def __getitem__(self, place: int) -> A:
        return self.answers[place]

    def answer(self) -> CombinedAnswer:
        """Return what formats and notations are made from."""
        parts = (each.answer() for each in self.answers)
        return CombinedAnswer.of([part for part in parts if isinstance(part, Combinable)])

    def rows(self) -> list[dict[str, Json]]:
        """Return the rows of all answers; each begins with the values that are not the same in all.

        They are the model, the machine, what is asked, and parameters: one that is called as
        another column is `param_NAME`.
        """
        return self._table()[0]

    def _table(self) -> tuple[list[dict[str, Json]], Mapping[str, Json]]:
        """Return the rows, and the units of what they begin with."""
        told = [each.rows() for each in self.answers if isinstance(each, Listed)]
        others = {name for rows in told for row in rows for name in row}
        values, units = differing([each.to_dict() for each in self.answers], others)
        rows = [{**own, **row} for own, rows in zip(values, told, strict=True) for row in rows]
        return rows, units

    def to_pandas(self) -> pd.DataFrame:
        """Return these rows as a data frame of pandas, as that of each answer is.

        Raises ImportError without pandas.

        >>> import roofdsl as rd
        >>> summa = rd.load_model("summa").on(rd.load_machine("karst"))
        >>> found = rd.combined(summa.crossovers(P=count) for count in (4, 121))
        >>> found.to_pandas()[["P", "from", "bound"]].values.tolist()[-2:]
        [[121, 2, 'network'], [121, 5581, 'flops']]
        """
        from roofdsl.embedding.frames import frame_of_rows

        rows, units = self._table()
        return frame_of_rows(rows, [each.to_dict() for each in self.answers], units)

    def _of(self) -> tuple[Definition, ...]:
        return tuple(found for each in self.answers for found in each._of())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {', '.join(map(repr, self.answers))}>"


@public(answers=each(_answer))
def combined(answers: Iterable[A], /) -> Combined[A]:
    """Return answers to one question at several values, or of several predictions, as one table.

    They are what `crossovers`, `where`, `over_rates`, `faster`, `sensitivity`, `scaling` or
    `asymptotic` return, all of one of them. Raises RoofError for answers to different questions,
    two at the same values, or some for all values of what is left open (R0720); and for different
    machines or models of one name (R0202).

    >>> import roofdsl as rd
    >>> prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    >>> found = rd.combined(prediction.where("time <= 10 s", "N", P=P) for P in (4, 16, 64))
    >>> [answer.intervals[0].last for answer in found]
    [7605, 12073, 19165]
    """
    found = tuple(answers)
    if not found:
        raise _refused("no answer is given", "give at least one")
    parts: list[TablePart] = []
    for place, answer in enumerate(found):
        told = answer.answer()
        if not isinstance(told, Combinable):
            message = f"answers[{place}], {answer!r}, is none that a table of several has"
            raise _refused(message, "give all a value but what is solved for, or is evaluated")
        parts.append(told.part())
    types = dict.fromkeys(_METHODS.get(type(answer).__name__, "") for answer in found)
    unknown = (getattr(answer, "unknown", None) for answer in found)
    about = dict.fromkeys(getattr(answer, "name", "") for answer in unknown)
    for apart in (types, about, dict.fromkeys(part.kind for part in parts)):
        if len(apart) > 1:
            message = f"these are answers to different questions: {', '.join(apart)}"
            raise _refused(message, "put those of one question together")
    _told_apart(found, parts)
    return Combined(found)


def _told_apart(answers: Sequence[AnswerShown], parts: Sequence[TablePart]) -> None:
    """Raise RoofError where a table does not say which of the answers a row is of."""
    refuse_one_name(definition for answer in answers for definition in answer._of())
    says = [(part.model, part.machine, part.question, part.over, part.settings) for part in parts]
    for place, values in enumerate(says):
        if (first_place := says.index(values)) < place:
            message = f"answers[{first_place}] and answers[{place}] are at the same values"
            raise _refused(message, "give each values of its own")


def _refused(message: str, hint: str) -> RoofError:
    return RoofError([Diagnostic("R0720", message, hint=hint)])
