"""What answers are of, in words: the model, the machine, the values of parameters; and notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from roofdsl.analysis.binding import show_setting
from roofdsl.analysis.prediction import Prediction
from roofdsl.answer.blocks import Block, Notes
from roofdsl.typeset.text import text


def on(prediction: Prediction) -> str:
    """Return the names of a prediction's model and machine: `summa on karst`."""
    return f"{prediction.model.name} on {prediction.machine.name}"


def title_text(prediction: Prediction) -> str:
    """Return what an answer is of, and at which values: `summa on karst   N = 4096`."""
    return f"{on(prediction)}   {parameters_text(prediction)}".rstrip()


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
    wanted = shown.keys() if only is None else set(only)
    return ", ".join(f"{name} = {value}" for name, value in shown.items() if name in wanted)


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
