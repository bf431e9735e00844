"""`roofdsl plot`: every kind of figure, written to a file."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from roofdsl.answer.asked import ModelOnMachine
from roofdsl.cli.call import Call
from roofdsl.cli.formats import say, say_written
from roofdsl.cli.options import (
    Asked,
    asked_options,
    check_outputs,
    needed,
    refuse_several,
    typed,
)
from roofdsl.cli.plot_values import allowed, pair_of, pairs_of, ranges_of, settings_of
from roofdsl.cli.row_options import skip_option
from roofdsl.cli.sweep_values import is_range
from roofdsl.model.library import find_model

if TYPE_CHECKING:
    from roofdsl.answer.asked import Values
    from roofdsl.figures.look import Look
    from roofdsl.figures.picture import Picture
    from roofdsl.model.types import MachineDefinition, ModelDefinition
    from roofdsl.plots.cases import Item
    from roofdsl.plots.measured import MeasuredKernel
    from roofdsl.source import Source

# Which kinds an option says something to; to the others it would say nothing.
_SPECIAL = {
    "measured": ("roofline", "communication", "pair", "perfbound", "perdome", "predicted"),
    "level": ("roofline",),
    "tree": ("breakdown",),
    "seconds": ("breakdown",),
    "resource": ("breakdown", "roofline", "pair", "surface", "ridgeline"),
    "cut": ("surface",),
    "quantity": ("curve",),
    "each_machine": ("roofline", "communication", "curve", "breakdown"),
    "isoefficiency": ("scaling",),
    "strong": ("scaling",),
    "intensity": ("perdome",),
    "partition": ("perdome",),
    "skip_invalid": (
        "roofline", "communication", "pair", "surface", "ridgeline", "energy", "breakdown", "curve",
        "scaling", "perfbound",
    ),
}  # fmt: skip


class Special(TypedDict):
    """The options that only some kinds of figures have; see `_SPECIAL`."""

    measured: str | None
    level: str | None
    tree: bool
    seconds: bool
    resource: str | None
    cut: str | None
    quantity: tuple[str, ...]
    each_machine: bool
    isoefficiency: str | None
    strong: bool
    intensity: float | None
    partition: tuple[str, ...]
    skip_invalid: bool


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked for on the command line."""

    kind: str
    models: list[ModelDefinition]
    machines: list[MachineDefinition]
    values: dict[str, Source]
    special: Special
    look: Look

    @property
    def models_on_machines(self) -> list[ModelOnMachine]:
        return [
            ModelOnMachine(model, machine) for machine in self.machines for model in self.models
        ]

    @property
    def items(self) -> list[Item]:
        """What is shown: models on machines, or machines alone."""
        return [*(self.models_on_machines or self.machines)]

    def at(self) -> dict[str, Values]:
        """Return the parameters' values: texts, or arrays where several are given."""
        found = settings_of(self.values, self.models, self.machines)
        if not self.special["skip_invalid"]:
            return found
        kept, notes = allowed(found, self.models_on_machines)
        for note in notes:
            say(f"note: {note}", err=True)
        return kept

    def only(self) -> ModelOnMachine:
        """Return the one model on a machine of a figure that shows one."""
        if len(self.models) == 1 and len(self.machines) == 1:
            return self.models_on_machines[0]
        raise click.UsageError(f"a {self.kind} figure shows one MODEL on one --machine")

    def measured(self) -> Sequence[MeasuredKernel]:
        """Return the kernels of the table of measurements, none without one."""
        from roofdsl.plots.measured import read_measured

        return read_measured(self.special["measured"]) if self.special["measured"] else ()

    def performances(self) -> dict[str, float]:
        """Return the performances [flop/s] of that table, by the names in its column `kernel`."""
        return {item.kernel: item.reached for item in self.measured() if item.reached is not None}


def _refuse_idle(kind: str, options: list[str]) -> None:
    """Refuse options that say nothing to a kind of figure."""
    for name in options:
        if kind not in _SPECIAL[name]:
            kinds = " or ".join(_SPECIAL[name])
            raise click.UsageError(f"--{name.replace('_', '-')} is for {kinds}, not for {kind}")
    if "tree" in options and "seconds" in options:
        raise click.UsageError("--tree and --seconds are two figures: give one of them")


def _charts(request: Request) -> Picture:
    from roofdsl.plots.roofline import communication, pair, roofline

    resource = request.special["resource"]
    each = request.special["each_machine"]
    kinds: dict[str, Callable[..., Picture]] = {
        "roofline": partial(
            roofline,
            level=request.special["level"],
            resource=resource or "memory",
            each_machine=each,
        ),
        "communication": partial(communication, each_machine=each),
        "pair": partial(pair, resource=resource or "network"),
    }
    draw = kinds[request.kind]
    return draw(*request.items, at=request.at(), measured=request.measured(), look=request.look)


def _surface(request: Request) -> Picture:
    from roofdsl.plots.planes import surface

    text = request.special["cut"]
    cut = pair_of(text, "--cut ") if text else None
    resource = request.special["resource"] or "network"
    return surface(*request.items, at=request.at(), cut=cut, resource=resource, look=request.look)


def _ridgeline(request: Request) -> Picture:
    from roofdsl.plots.planes import ridgeline

    resource = request.special["resource"] or "network"
    return ridgeline(*request.items, at=request.at(), resource=resource, look=request.look)


def _regime(request: Request) -> Picture:
    from roofdsl.plots.regime import regime

    asked = request.only()
    ranges, rest = ranges_of(request.values, asked)
    if len(ranges) != 2:
        raise click.UsageError("a regime map has two ranges: -p P=4..10000 -p N=2..1000000")
    at = settings_of(rest, request.models, request.machines)
    return regime(asked, ranges[0], ranges[1], at, request.look)


def _breakdown(request: Request) -> Picture:
    from roofdsl.plots.breakdown import breakdown

    needed(request.models, "name a MODEL: roofdsl plot breakdown summa --machine karst …")
    special = request.special
    return breakdown(
        *request.models_on_machines,
        at=request.at(),
        form="seconds" if special["seconds"] else "tree" if special["tree"] else "bars",
        resource=special["resource"],
        look=request.look,
        each_machine=special["each_machine"],
    )


def _icicle(request: Request) -> Picture:
    from roofdsl.plots.icicle import icicle

    needed(request.models, "name a MODEL: roofdsl plot icicle lenet5 --machine karst …")
    return icicle(*request.models_on_machines, at=request.at(), look=request.look)


def _energy(request: Request) -> Picture:
    from roofdsl.plots.energy import energy

    return energy(*request.items, at=request.at(), look=request.look)


def _curve(request: Request) -> Picture:
    from roofdsl.plots.curve import curve

    needed(request.models, "name a MODEL: roofdsl plot curve summa --machine karst …")
    asked = needed(request.special["quantity"], "name a quantity: --quantity OI")
    texts = [typed("--quantity ", each) for each in asked]
    shown = request.models_on_machines
    each = request.special["each_machine"]
    return curve(*shown, quantities=texts, at=request.at(), look=request.look, each_machine=each)


def _scaling(request: Request) -> Picture:
    from roofdsl.plots.scaling import scaling

    text = request.special["isoefficiency"]
    kept = text.split(",") if text else ()
    strong = request.special["strong"]
    return scaling(request.only(), request.at(), None, kept, request.look, strong=strong)


def _sensitivity(request: Request) -> Picture:
    from roofdsl.plots.sensitivity import sensitivity

    return sensitivity(request.only(), request.at(), request.look)


def _perfbound(request: Request) -> Picture:
    from roofdsl.plots.perfbound import perfbound

    return perfbound(request.only(), request.at(), request.performances(), request.look)


def _perdome(request: Request) -> Picture:
    from roofdsl.plots.perdome import perdome

    what = "give the whole kernel's intensity: --intensity 1.7"
    intensity = needed(request.special["intensity"], what)
    if len(request.machines) != 1:
        raise click.UsageError("a perdome figure shows one --machine")
    partitions = pairs_of(request.special["partition"])
    reached = request.performances()
    return perdome(request.machines[0], intensity, partitions, reached, request.look)


def _predicted(request: Request) -> Picture:
    from roofdsl.figures.predicted import predicted
    from roofdsl.plots.measured import read_comparison

    table = needed(request.special["measured"], "name a table: --measured layers.csv")
    if not request.machines and not request.models:
        return predicted(read_comparison(table), request.look, Path(table).stem)
    from roofdsl.analysis.models_of_runs import Named
    from roofdsl.cli.scoring import ONE_VALUE, one_machine, scores_of
    from roofdsl.plots.validated import compared, title_of

    several = [source.text for source in request.values.values() if is_range(source.body)]
    refuse_several([("", text) for text in several], ONE_VALUE)
    named = [Named(model, model.name) for model in request.models]
    found = scores_of(table, named, one_machine(request.machines), request.values)
    return predicted(compared(found), request.look, *title_of(found, Path(table).stem))


KINDS: dict[str, tuple[str, Callable[[Request], Picture]]] = {
    "roofline": ("performance over operational intensity", _charts),
    "communication": ("performance over communication arithmetic intensity", _charts),
    "pair": ("both side by side", _charts),
    "surface": ("performance over both, in three dimensions", _surface),
    "ridgeline": ("memory against operational intensity, with regions", _ridgeline),
    "regime": ("what binds over two parameters, and the boundaries between", _regime),
    "energy": ("flops per joule, and power, over operational intensity", _energy),
    "breakdown": ("time by step and resource; --tree; of several; along a parameter", _breakdown),
    "icicle": ("time by step, within the step that each is part of", _icicle),
    "curve": ("a quantity, such as OI or time, along a parameter", _curve),
    "scaling": ("speed-up and efficiency over processes", _scaling),
    "sensitivity": ("elasticities, ranked", _sensitivity),
    "perfbound": ("the bounds over a list of configurations", _perfbound),
    "perdome": ("a workload split between two devices", _perdome),
    "predicted": ("measured against predicted: runs of models, or from a table", _predicted),
}
"""The kinds of figures: what each shows, and the function that draws it."""
_RESOURCE = "whose roof, such as one of your own; breakdown along a parameter: whose share"
_LISTED = "\n".join(f"  {kind:<13}  {text}" for kind, (text, _) in KINDS.items())


@click.command("plot", cls=Call, epilog=f"\b\nKinds:\n{_LISTED}")
@click.argument("kind", type=click.Choice(list(KINDS)), metavar="KIND")
@click.argument("models", nargs=-1, metavar="[MODEL]…")
@asked_options("a parameter's value or range")
@click.option("-o", "--output", metavar="FILE", help="the figure: .svg, .pdf, .png or .pgf")
@click.option("--data", metavar="FILE", help="the data behind it, as CSV")
@click.option("--dark", is_flag=True, help="light lines on a dark ground")
@click.option("--log2", is_flag=True, help="powers of two on the axes")
@click.option("--style", metavar="NAME", help="nature, ieee, acm, slides or poster")
@click.option("--width", type=click.FloatRange(1.5, 30), metavar="INCHES")
@click.option("--height", type=click.FloatRange(1, 30), metavar="INCHES")
@click.option("--title", help='instead of the models and machines; "" for none')
@click.option("--measured", metavar="FILE", help="a CSV table of measured kernels")
@click.option("--level", help="the memory level that counts")
@click.option("--tree", is_flag=True, help="breakdown: the steps over time")
@click.option("--seconds", is_flag=True, help="breakdown of several: times, not shares")
@click.option("--resource", help=_RESOURCE)
@click.option("--quantity", multiple=True, metavar="FORMULA", help="curve: OI, time, 2*network …")
@click.option("--each-machine", is_flag=True, help="a panel for each, with the same axes")
@click.option("--cut", metavar="OI,CAI", help="surface: where the slices go")
@click.option("--isoefficiency", metavar="E,…", help="scaling: efficiencies to keep, such as 80%")
@click.option("--strong", is_flag=True, help="scaling: the problem is the same for all")
@click.option("--intensity", type=click.FloatRange(0, min_open=True), help="perdome: [flop/B]")
@click.option("--partition", multiple=True, metavar="NAME=I_C,I_G", help="perdome: one split")
@skip_option
def command(
    kind: str,
    models: tuple[str, ...],
    asked: Asked,
    output: str | None,
    data: str | None,
    dark: bool,
    log2: bool,
    style: str | None,
    width: float | None,
    height: float | None,
    title: str | None,
    **special: Unpack[Special],
) -> None:
    """Draw a figure of KIND and write it to a file.

    A range (`-p N=242..61952:x2`) is drawn as a trajectory; a model takes the parameters it has.
    The same input gives the same bytes.

    \b
    Examples:
      roofdsl plot roofline --machine karst --machine jetstream -o machines.svg
      roofdsl plot pair summa --machine karst -p N=242..61952:x2 -p P=121 -o summa.pdf
      roofdsl plot surface summa --machine karst -p N=242..61952:x2 -p P=121 -o summa.svg --dark
      roofdsl plot regime summa --machine karst -p P=4..10000 -p N=2..1000000 -o regime.svg
      roofdsl plot roofline --machine karst --measured kernels.csv -o kernels.png --data points.csv
      roofdsl plot predicted summa --machine karst --measured runs.csv -o summa.svg
    """
    needed(output or data, f"name a file: -o {kind}.svg")
    needed(asked.names or kind == "predicted", "name a machine: --machine karst")
    _refuse_idle(kind, [name for name, value in special.items() if value])
    # A home that cannot be written is no concern of who wants a figure.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    from roofdsl.figures.look import Look
    from roofdsl.figures.saving import csv_text, format_of
    from roofdsl.writing import write_together

    form = format_of(Path(output)) if output is not None else None  # before any work is done
    found = [find_model(name) for name in models]
    asked, several = asked.apart()
    outputs = {"-o": output, "--data": data}
    modules = [*(module for _, module in found), *asked.modules()]
    check_outputs(outputs, modules, special["measured"])
    request = Request(
        kind,
        [model for model, _ in found],
        asked.machines(),
        {**asked.values(), **several},
        special,
        Look(dark, log2, width or 0.0, height or 0.0, title, style or ""),
    )
    picture = KINDS[kind][1](request)
    files = {}
    if output is not None and form is not None:
        files[Path(output)] = picture.render(form)
    if data is not None:
        files[Path(data)] = csv_text(picture.table).encode("utf-8")
    write_together(files)
    say_written(outputs.values())
