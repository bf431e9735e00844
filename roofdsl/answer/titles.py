"""What answers are of, in words: the model, the machine, the values of parameters; and notes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from roofdsl.analysis.binding import show_setting
from roofdsl.analysis.margin import is_uncertain
from roofdsl.analysis.prediction import Prediction
from roofdsl.answer.blocks import Block, Notes
from roofdsl.typeset.text import text

_MOST_NAMED = 4
_MOST_DEFAULTS = 20
"""Values that nobody gave, of a model with so many parameters, are left to `roofdsl show`."""
_AS_STATED = "with ±, but taken as stated here"


def on(prediction: Prediction) -> str:
    """Return the names of a prediction's model and machine: `summa on karst`."""
    return f"{prediction.model.name} on {prediction.machine.name}"


def title_text(prediction: Prediction) -> str:
    """Return what an answer is of, and at which values: `summa on karst   N = 4096`."""
    return f"{on(prediction)}   {parameters_text(prediction)}".rstrip()


def notes_of(prediction: Prediction, *, rates: bool = True) -> tuple[str, ...]:
    """Return the notes of a prediction, and which numbers with `±` have their stated values in it.

    Without `rates`, those of rates are carried through.
    """
    named = with_uncertainty(prediction, rates=rates)
    return (*prediction.notes, *([f"{_AS_STATED}: {named}"] if named else []))


def notes_of_rows(predictions: Sequence[Prediction], columns: Iterable[str]) -> Iterator[str]:
    """Yield which numbers with `±` have their stated values in rows, if no end is a column."""
    from roofdsl.analysis.ends import FIRST_ORDER, HIGH, LOW  # a single point needs none of it

    if not any(name.rpartition(".")[2] in (LOW, HIGH, FIRST_ORDER) for name in columns):
        names = dict.fromkeys(filter(None, map(with_uncertainty, predictions)))
        yield from (f"{_AS_STATED}: {named}; `--columns time.low,time.high`" for named in names)


def with_uncertainty(prediction: Prediction, *, rates: bool = True) -> str:
    """Return what a prediction's numbers with `±` are called, but those of `rates`; "" for none."""
    if not is_uncertain(prediction):
        return ""
    from roofdsl.analysis.rate_box import rates_within  # few files state any
    from roofdsl.analysis.uncertain_sources import sources_of

    found = [each.name for each in sources_of(prediction.model, prediction.machine).numbers]
    if not rates:
        carried = rates_within(prediction)
        found = [name for name in found if name not in carried]
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return f"{', '.join(found[:_MOST_NAMED])}{more}"


def notes_blocks(notes: Iterable[str]) -> list[Block]:
    """Return notes as a block, nothing where there are none."""
    items = tuple(notes)
    return [Notes(items)] if items else []


def shared_notes(noted: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Yield the notes of several, by name, each once; with the names if it is not of all.

    >>> [*shared_notes([("a", ["x", "y"]), ("b", ["x"])])]
    ['x', 'on a: y']
    """
    for note in dict.fromkeys(note for _, notes in noted for note in notes):
        names = [name for name, notes in noted if note in notes]
        yield note if len(names) == len(noted) else f"on {', '.join(names)}: {note}"


def parameters_text(prediction: Prediction, only: Iterable[str] | None = None) -> str:
    """Return the values of the parameters that have one, or of some: `N = 4096, word = 8 B`."""
    shown = settings_shown(prediction)
    if only is None:
        return in_short(shown, {*prediction.given, *prediction.varied})
    wanted = set(only)
    return in_short({name: value for name, value in shown.items() if name in wanted}, wanted)


def in_short(settings: Mapping[str, str], given: Collection[str]) -> str:
    """Return the values of parameters; of very many those that nobody has `given` are counted.

    >>> in_short({"N": "4096", "word": "8 B"}, {"N"})
    'N = 4096, word = 8 B'
    >>> in_short({"N": "4096", **{f"p{n}": "0" for n in range(30)}}, {"N"})
    'N = 4096, and 30 parameters at their defaults'
    """
    defaults = [name for name in settings if name not in given]
    if len(defaults) <= _MOST_DEFAULTS:
        return ", ".join(f"{name} = {value}" for name, value in settings.items())
    said = [f"{name} = {value}" for name, value in settings.items() if name in given]
    return ", and ".join(
        [*filter(None, [", ".join(said)]), f"{len(defaults)} parameters at their defaults"]
    )


def settings_shown(prediction: Prediction) -> dict[str, str]:
    """Return the value of each parameter that is known, as people read it, or its formula.

    What the machine has of several values comes first: `karst.network`.
    """
    binding = prediction.binding
    varied = {name: item.written for name, item in prediction.varied.items()}
    return varied | {
        p.name: show_setting(binding.setting(p), p)
        if p.name in binding.values
        else text(binding.trees[p.name])
        for p in prediction.model.parameters
        if p.name in binding.trees
    }
