"""`roofdsl explore`: an offline page with sliders for every parameter and rate."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofdsl.cli.call import Call
from roofdsl.cli.formats import check_ending, say_written
from roofdsl.cli.options import (
    Asked,
    asked_options,
    check_outputs,
    model_named,
    needed,
    own_values,
    refuse_several,
    with_changes,
)
from roofdsl.cli.progress import progress
from roofdsl.cli.sweep_values import choices_of, is_range, sweep_values
from roofdsl.diagnostic import raise_if_any
from roofdsl.model.arguments import Argument, read_arguments
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.source import Source

if TYPE_CHECKING:
    from roofdsl.explorer.build import Explored
    from roofdsl.explorer.controls import Ranges

_MOST_STARTS = 1000
"""How many places are tried to start from."""


@click.command("explore", cls=Call)
@click.argument("models", nargs=-1, metavar="[MODEL]…")
@asked_options("where a parameter starts, or the range of its slider")
@click.option("-o", "--output", metavar="FILE", help="the page: explore.html")
def command(models: tuple[str, ...], asked: Asked, output: str | None) -> None:
    """Write a page in which MODELs move on machines as you move sliders.

    One file, which needs neither a server nor a network. Every parameter and every rate has a
    slider and a field; two machines can be compared, and the link of the page holds what is seen.
    A range says from where to where a slider goes: -p N=242..61952, --set karst.network=1..8GB/s.

    \b
    Examples:
      roofdsl explore summa --machine karst -o explore.html
      roofdsl explore summa --machine karst --machine jetstream -p N=242..61952 -p P=121 -o ab.html
      roofdsl explore summa cannon fft --machine karst -o three.html
    """
    needed(models, "name a MODEL: roofdsl explore summa --machine karst -o summa.html")
    needed(asked.names, "name a machine: --machine karst")
    output = needed(output, "name a file: -o explore.html")
    from roofdsl.analysis.binding import refuse_unknown
    from roofdsl.explorer.build import build
    from roofdsl.explorer.page import page
    from roofdsl.writing import write_whole

    found = [model_named(name) for name in models]
    check_outputs({"-o": output}, [*(module for _, module in found), *asked.modules()])
    check_ending(output, "a page", [".html", ".htm"])
    definitions = [definition for definition, _ in found]
    sources = asked.values()
    refuse_unknown(sources, definitions)
    explored = [_explored(definition, sources) for definition in definitions]
    targets, sliders = _sliders(asked)
    with progress(len(explored)) as done:
        built = build(explored, targets, done, sliders)
    write_whole(Path(output), page(built).encode("utf-8"))
    say_written([output])


def _sliders(asked: Asked) -> tuple[list[MachineDefinition], dict[str, Ranges]]:
    """Return the machines, and the ends of sliders by machine; these start in the middle."""
    from roofdsl.explorer.machines import slid

    asked, several = asked.apart()
    targets, found = asked.machines(), dict[str, dict[str, tuple[float, float]]]()
    choices = choices_of(several)
    start = targets
    for name, values in choices.items():

        def number(value: Source, name: str = name) -> float:
            owner = name.partition(".")[0]
            tried = with_changes(targets, [f"{name}={value.body}"])
            (machine,) = (each for each in tried if each.name == owner)
            found = slid(machine, machine.changes[-1].key)
            return 0.0 if found is None else found[1]

        start = with_changes(start, [f"{name}={values[_middle(values, number)].body}"])
    for name, values in choices.items():
        owner, _, _ = name.partition(".")
        ends: list[float] = []
        place = ""
        for value in values:
            (machine,) = (
                each for each in with_changes(start, [f"{name}={value.body}"]) if each.name == owner
            )
            moved = slid(machine, machine.changes[-1].key)
            if moved is None:
                refuse_several([("--set ", f"{name}={several[name].body}")], "has no slider")
            else:
                place, end = moved
                ends.append(end)
        found.setdefault(owner, {})[place] = min(ends), max(ends)
    return start, {**found}


def _explored(definition: ModelDefinition, sources: dict[str, Source]) -> Explored:
    """Return a model to explore: its values, the ranges of sliders, which start in the middle.

    Where it is refused there, they start at what is allowed nearby.
    """
    from roofdsl.analysis.binding import bind
    from roofdsl.explorer.build import Explored
    from roofdsl.numeric.scalar import evaluate

    single = own_values(definition, sources)
    ranges: dict[str, tuple[float, float]] = {}
    starts: dict[str, list[Source]] = {}
    for name, source in single.items():
        if is_range(source.body):
            values = sweep_values(name, source)

            def number(value: Source, name: str = name) -> float:
                return evaluate(_read(definition, {name: value})[name][0], {})

            low, high = sorted((number(values[0]), number(values[-1])))
            middle, ranges[name] = _middle(values, number), (low, high)
            away = [abs(place - middle) for place in range(len(values))]
            starts[name] = [
                values[place] for place in sorted(range(len(values)), key=away.__getitem__)
            ]
    near = int(_MOST_STARTS ** (1 / max(1, len(starts))))
    tried = product(*(values[:near] for values in starts.values()))
    given = (_read(definition, single | dict(zip(starts, at, strict=True))) for at in tried)
    first = next(given)
    for arguments in chain([first], given):
        if all(problem.code != "R0403" for problem in bind(definition, arguments)[1]):
            return Explored(definition, arguments, ranges)
    return Explored(definition, first, ranges)


def _middle(values: Sequence[Source], number: Callable[[Source], float]) -> int:
    """Return the place of the value nearest to the middle of a slider, of two the larger one."""
    from roofdsl.explorer.controls import asked_slider

    low, high, logarithmic = asked_slider(*sorted((number(values[0]), number(values[-1]))))
    middle = math.sqrt(low) * math.sqrt(high) if logarithmic else (low + high) / 2

    def away(place: int) -> float:
        value = number(values[place])
        return max(value / middle, middle / value) if logarithmic else abs(value - middle)

    after = bisect_left(values, middle, key=number)
    near = [place for place in (after, after - 1) if 0 <= place < len(values)]
    return min(near, key=away)


def _read(definition: ModelDefinition, sources: dict[str, Source]) -> dict[str, Argument]:
    arguments, problems = read_arguments(definition, sources)
    raise_if_any(problems)
    return arguments
