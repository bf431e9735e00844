"""What tells answers to one question apart, as plain values: columns of the rows of all."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from roofdsl.answer.plain import Json, inside

_ASKED = ("model", "machine", "of", "condition", "within")


class Differing(NamedTuple):
    """The values of each answer that are not the same in all, by column; and their units."""

    values: list[dict[str, Json]]
    units: dict[str, Json]


def differing(answers: Sequence[Mapping[str, Json]], others: Collection[str]) -> Differing:
    """Return what answers differ in: what is asked, and parameters.

    A parameter that is called as one of the `others` is, or as what is asked, is `param_NAME`.
    """
    taken = {*others, *_ASKED}
    columns: dict[str, str] = {}
    found: list[dict[str, Json]] = []
    for answer in answers:
        values = {name: answer[name] for name in _ASKED if name in answer}
        for name, value in _given(answer):
            column = f"param_{name}" if name in taken else name
            columns[column] = name
            values[column] = value
        found.append(values)
    names = dict.fromkeys(name for values in found for name in values)
    varied = [name for name in names if any(x.get(name) != found[0].get(name) for x in found)]
    units = [inside(inside(answer, "units"), "params") for answer in answers]
    return Differing(
        [{name: values.get(name) for name in varied} for values in found],
        {name: own[columns[name]] for name in varied for own in units if columns.get(name) in own},
    )


def _given(answer: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    """Yield the parameters; of several contenders with the name of one where they differ."""
    contenders = answer.get("contenders")
    if not isinstance(contenders, list):
        yield from {**inside(answer, "tied"), **inside(answer, "params")}.items()
        return
    own = {
        str(each): inside(inside(answer, "tied"), str(each))
        | inside(inside(answer, "params"), str(each))
        for each in contenders
    }
    for name in dict.fromkeys(name for values in own.values() for name in values):
        told = [values.get(name) for values in own.values()]
        if all(value == told[0] for value in told):
            yield name, told[0]
        else:
            yield from ((f"{name} of {each}", x[name]) for each, x in own.items() if name in x)
