"""`roofdsl solve`: the values at which something changes, with proof."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from roofdsl.analysis.crossover import Crossovers
from roofdsl.analysis.open_machine import asked_on, open_domain
from roofdsl.analysis.open_parameters import refuse_given, unknown_name
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.solving import find_changes, find_holding
from roofdsl.analysis.unknown import Unknown
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.crossovers import BoundaryAnswer, CrossoverAnswer
from roofdsl.cli.formats import echo, format_option
from roofdsl.cli.options import Asked, Points, asked_options, model_named, needed, typed
from roofdsl.cli.solve_range import read_range
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.numeric.place import Place
from roofdsl.source import Source

if TYPE_CHECKING:
    from roofdsl.answer.open_crossovers import OpenCrossoverAnswer
    from roofdsl.answer.open_orders import OpenOrdersAnswer
    from roofdsl.answer.over_rates import OverRatesAnswer
    from roofdsl.answer.solved import FasterAnswer, ThresholdAnswer

EXAMPLE = "roofdsl solve summa --crossover --for N --machine karst -p P=121"


@click.command("solve")
@click.argument("models", nargs=-1, metavar="MODEL…")
@click.option("--crossover", is_flag=True, help="every change of the bound")
@click.option("--such-that", "condition", metavar="CONDITION", help='"time <= 10 s"')
@click.option("--faster", is_flag=True, help="which of two models or machines is faster")
@click.option(
    "--by", metavar="QUANTITY", help="of --faster: which has less of it, such as energy, not time"
)
@click.option(
    "--for", "asked_for", metavar="NAME", help="what to solve for; the one open parameter"
)
@asked_options()
@click.option("--range", "range_text", metavar="LOW..HIGH", help="where to look: 2..1e18")
@click.option(
    "--between", nargs=2, metavar="A B", help="compare two resources alone, or two quantities"
)
@click.option(
    "--rates",
    metavar="±X%|stated",
    help="on all machines whose rates are off by so much, or within their own ±",
)
@format_option("json")
def command(
    models: tuple[str, ...],
    crossover: bool,
    condition: str | None,
    faster: bool,
    by: str | None,
    asked_for: str | None,
    asked: Asked,
    range_text: str | None,
    between: tuple[str, str] | None,
    rates: str | None,
    form: str,
) -> None:
    """Solve for the values of a parameter or machine rate at which something changes.

    Each answer says how far it is proven over the range, by default the parameter's bounds within
    1..1e18.

    \b
    Examples:
      roofdsl solve summa --crossover --machine karst -p P=121
      roofdsl solve summa --crossover --for N --machine karst -p P=4..4096:x4
      roofdsl solve summa --crossover --for karst.network --machine karst -p N=4096 -p P=121
      roofdsl solve summa --crossover --for N --machine karst -p P=121 --rates ±10%
      roofdsl solve summa --such-that "time <= 10 s" --for N --machine karst -p P=121
      roofdsl solve summa --such-that "bound = flops" --for karst.network -m karst -p N=99 -p P=4
      roofdsl solve summa --faster --for N --machine karst --machine jetstream -p P=121
      roofdsl solve summa dgemv --faster --by memory --for N --machine karst -p P=4
    """
    needed(models, f"name a model, as in: {EXAMPLE}")
    swept = asked.ranges()
    crossover |= not (faster or condition is not None) and (between or rates) is not None
    _check([crossover, condition is not None, faster], between, rates, swept, by)
    needed(asked.names, f"name a machine with --machine NAME, as in: {EXAMPLE}")
    if len(models) > 1 and not faster:
        raise _several(models, crossover)
    definitions = [model_named(name)[0] for name in models]
    targets = asked.machines(swept=crossover)
    name = unknown_name(asked_for, definitions, asked.values())
    if faster:
        echo(_faster(definitions, targets, name, asked, range_text, by), form)
        return
    if len(asked.names) > 1:
        raise click.UsageError("only --faster takes several machines")
    closed, texts = bool(swept) or rates is not None, _compared(between)
    found = [asked_on(name, definitions[0], target, closed=closed) for target in targets]
    unknown = found[0][1]
    subjects = [ModelOnMachine(definitions[0], one) for one, _ in found]
    if swept:
        echo(_boundary(subjects, unknown, asked, range_text, texts), form)
        return
    prediction = subjects[0].bound(asked.values(), unknown.free)
    domain = open_domain(prediction, unknown)
    prediction, limits = domain.noted(prediction), read_range(range_text, domain)
    if condition is not None:
        echo(_holding(prediction, unknown, limits, condition), form)
    elif rates is not None:
        echo(_over_rates(prediction, unknown, limits, rates), form)
    else:
        echo(_changes(prediction, unknown, limits, texts), form)


def _compared(between: tuple[str, str] | None) -> Sequence[Source]:
    if between is None:
        return ()
    from roofdsl.analysis.larger import compared

    return compared([typed("--between ", text) for text in between])


def _several(models: Sequence[str], crossover: bool) -> click.UsageError:
    """Return what is said of several models where one is meant: most are words of an option."""
    hint = ""
    if values := [name for name in models if "=" in name]:
        hint = f"; each value has a -p of its own: -p {' -p '.join(values)}"
    elif crossover and len(models) > 2:
        hint = f"; to compare two, write --between {' '.join(models[-2:])}"
    return click.UsageError(f"only --faster takes several models{hint}")


def _check(
    asked: Sequence[bool],
    between: tuple[str, str] | None,
    rates: str | None,
    swept: Sequence[str],
    by: str | None,
) -> None:
    """Raise a usage error for options that do not go together; `asked` says which questions are."""
    if sum(asked) != 1:
        raise click.UsageError(
            f"ask one of --crossover, --such-that CONDITION and --faster, as in: {EXAMPLE}"
        )
    crossover = asked[0]
    if by is not None and not asked[2]:
        raise click.UsageError("--by is for --faster: it says what is compared")
    if between is not None and not crossover:
        raise click.UsageError("--between is for --crossover: it says what is compared")
    if rates is not None and (not crossover or between is not None):
        raise click.UsageError(
            "with --rates, --crossover alone is answered, for what binds; ask anything else of one "
            "machine at a time, as with --set karst.network=0.9x"
        )
    if swept and not crossover:
        raise click.UsageError(
            f"'{swept[0]}' gives several values, which only --crossover takes; give one"
        )
    if swept and rates is not None:
        raise click.UsageError(f"--rates takes one value of each, not '{swept[0]}'")


def _holding(
    prediction: Prediction, unknown: Unknown, limits: tuple[Place, Place], condition: str
) -> ThresholdAnswer | OpenCrossoverAnswer:
    from roofdsl.analysis.such_that import read_condition
    from roofdsl.analysis.threshold import Thresholds
    from roofdsl.answer.solved import ThresholdAnswer

    wanted = read_condition(typed("--such-that ", condition), prediction)
    found = find_holding(prediction, wanted, unknown, *limits)
    if isinstance(found, Thresholds):
        return ThresholdAnswer(found, prediction)
    from roofdsl.answer.open_crossovers import OpenCrossoverAnswer

    return OpenCrossoverAnswer(found, prediction)


def _over_rates(
    prediction: Prediction, unknown: Unknown, limits: tuple[Place, Place], rates: str
) -> OverRatesAnswer:
    from roofdsl.analysis.over_rates import find_over_rates
    from roofdsl.analysis.rate_box import rate_box
    from roofdsl.answer.over_rates import OverRatesAnswer

    near = find_over_rates(prediction, unknown, *limits, rate_box(rates, prediction))
    return OverRatesAnswer(near, prediction)


def _changes(
    prediction: Prediction,
    unknown: Unknown,
    limits: tuple[Place, Place],
    between: Sequence[Source],
) -> CrossoverAnswer | OpenCrossoverAnswer | OpenOrdersAnswer:
    """Return every change of the bound, in numbers or in what else is open."""
    found = find_changes(prediction, unknown, *limits, between)
    if isinstance(found, Crossovers):
        return CrossoverAnswer(found, prediction)
    from roofdsl.analysis.open_regimes import OpenRegions
    from roofdsl.answer.open_crossovers import OpenCrossoverAnswer
    from roofdsl.answer.open_orders import OpenOrdersAnswer

    if isinstance(found, OpenRegions):
        return OpenCrossoverAnswer(found, prediction)
    return OpenOrdersAnswer(found, prediction)


def _boundary(
    subjects: Sequence[ModelOnMachine],
    unknown: Unknown,
    asked: Asked,
    range_text: str | None,
    between: Sequence[Source],
) -> BoundaryAnswer:
    """Return the crossovers at every point of ranges: a boundary curve.

    `subjects` are on one machine each, of those with several values of something.
    """
    from roofdsl.analysis.larger import find_between

    points = Points(subjects[0].model, asked.values())
    predictions = [subject.at(point, unknown.free) for subject in subjects for point in points]
    machine = subjects[0].machine
    several = {f"{machine.name}.{x.key.replace(' ', '.')}": x for x in machine.changes if x.swept}
    refuse_given(unknown.name, several)
    limits = [read_range(range_text, open_domain(each, unknown)) for each in predictions]
    found = (
        (each, find_between(each, unknown, *ends, between))
        for each, ends in zip(predictions, limits, strict=True)
    )
    return BoundaryAnswer((*predictions[0].varied, *points.swept), tuple(found))


def _faster(
    models: list[ModelDefinition],
    machines: list[MachineDefinition],
    name: str,
    asked: Asked,
    range_text: str | None,
    by: str | None,
) -> FasterAnswer:
    if len(models) * len(machines) < 2 or (len(models) > 1 and len(machines) > 1):
        raise click.UsageError(
            "--faster takes two models on one machine, or one model on two machines"
        )
    names = [each.name for each in (models if len(models) > 1 else machines)]
    if twice := [name for name in names if names.count(name) > 1]:
        raise click.UsageError(
            f"--faster tells them apart by name, and two are called '{twice[0]}'; "
            "write one of them into a file, under another name"
        )
    from roofdsl.answer.contest import contest

    subjects = [ModelOnMachine(model, machine) for model in models for machine in machines]
    source = typed("--by ", by or "time")
    return contest(subjects, asked.values(), name, partial(read_range, range_text), source)
