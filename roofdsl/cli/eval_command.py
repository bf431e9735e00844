"""`roofdsl eval`: what a model means on a machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from roofdsl.analysis.composition import Composing
from roofdsl.analysis.convention import CONVENTIONS, Convention
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.result import evaluated
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.breakdown import By
from roofdsl.cli.call import Call
from roofdsl.cli.formats import echo, format_option, say
from roofdsl.cli.options import Asked, Points, asked_options, model_named
from roofdsl.cli.row_options import RowsAsked, row_options
from roofdsl.cli.sweep_values import split_list
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.model.uncertain_values import taken_up

if TYPE_CHECKING:
    from roofdsl.answer.point import PointAnswer
    from roofdsl.answer.rows import RowsAnswer

_WHOLE = ("json", "yaml")
"""The formats that tell the steps of each row, and its margin."""
_ROWS = {"csv": 50, "text": 120}
"""What a row takes, in operations; in other formats 300."""


@click.command("eval", cls=Call)
@click.argument("model")
@asked_options("a parameter's value or range")
@format_option("json", "yaml", "csv")
@click.option(
    "--compose",
    type=click.Choice(["written", "max", "sum"]),
    default="written",
    help="overlap as the model says, everything, or nothing",
)
@click.option(
    "--by",
    type=click.Choice(["step", "phase", "layer", "resource", "device"]),
    default="step",
    help="what the breakdown of a composition lists",
)
@click.option(
    "--convention",
    "names",
    type=click.Choice([*(item.name for item in CONVENTIONS), "all"]),
    multiple=True,
    help="count operations another way too; may be repeated",
)
@click.option(
    "--rates",
    metavar="±X%|stated",
    help="what binds on all machines whose rates are off by so much, or within their own ±",
)
@row_options("what rows show: time,bound,OI,fc.time,price")
@click.option("--lets", is_flag=True, help="the `let`s of MODEL too")
@click.option("--top", type=click.IntRange(1), metavar="K", help="only the K longest steps")
def command(
    model: str,
    asked: Asked,
    rows: RowsAsked,
    form: str,
    compose: Composing,
    by: By,
    names: tuple[str, ...],
    rates: str | None,
    lets: bool,
    top: int | None,
) -> None:
    """Derive what MODEL means on a machine; without one, what needs none.

    Numbers where every parameter has a value, else formulas. MODEL and NAME are a path, path:name,
    or a bundled name (`roofdsl list`). A value is an expression with units (`-p "word=4 B"`), may
    use other parameters (`-p E=16*V`), or is a range: every combination is then a row.

    \b
    Examples:
      roofdsl eval summa.roof
      roofdsl eval summa.roof --machine karst
      roofdsl eval summa --machine karst -p N=4096 -p P=121
      roofdsl eval summa -m karst -p N=4096 -p P=121 --set karst.network=1..8GB/s:x2
      roofdsl eval summa --machine karst -p N=1000..64000:7log -p P=4,16 --format csv
      roofdsl eval summa -m karst -m jetstream -p N=4096 -p P=4,16 --columns time,bound --sort time
      roofdsl eval summa --machine karst -p N=4096 -p P=4..256:x4 --best time
      roofdsl eval summa -m karst -p N=1024..8192:x2 -p P=121 --rates ±5%,±10%
      roofdsl eval resnet50 --machine a100_sxm_80gb -p batch=64 --convention all
    """
    conventions = tuple(item for item in CONVENTIONS if item.name in names or "all" in names)
    near = () if rates is None else tuple(split_list("--rates", rates))
    idle = {"by": by != "step", "top": top is not None}
    composed = {"compose": compose != "written", "rates": bool(near)}
    definition, values = taken_up(model_named(model)[0], asked.values())
    if lets and not definition.intermediates:
        say(f"note: '{definition.name}' has no `let`", err=True)
    if not asked.names:
        from roofdsl.cli.eval_alone import answer_alone

        idle |= {"set": bool(asked.changes), **composed, "convention": bool(conventions)}
        _refuse_idle(idle, "needs a machine: name one with --machine karst")
        echo(answer_alone(definition, values, rows, form), form)
        return
    targets = asked.machines(swept=True)
    points = Points(definition, values)
    several = bool(points.swept) or len(targets) > 1 or bool(rows.wanted.names) or form == "csv"
    first = _placed(definition, targets, points, several=several)
    if any(prediction.free for prediction in first):
        idle |= {**rows.options(), **composed}
        _refuse_idle(idle, "is for numbers: give each parameter a value")
        if several:  # what is placed for rows leaves out what has no rate
            first = _placed(definition, targets, points, several=False)
        _echo_formulas(first, points, form, conventions, lets=lets)
    elif not several:
        echo(_point(first[0], compose, by, top, conventions, near, lets=lets), form)
    else:
        _refuse_idle({**idle, "lets": lets}, f"is for {_no_row(targets, points, rows)}")
        found = _rows(definition, targets, points, rows.near(near), conventions, compose, form)
        echo(found, form)


def _placed(
    definition: ModelDefinition,
    targets: Sequence[MachineDefinition],
    points: Points,
    *,
    several: bool,
) -> list[Prediction]:
    """Return a prediction on each machine at the first point; of `several` it may be refused."""
    if several:
        from roofdsl.answer.ranges import placed_at

        return [placed_at(definition, target, points.first()) for target in targets]
    return [ModelOnMachine(definition, target).at(points.first()) for target in targets]


def _no_row(targets: Sequence[MachineDefinition], points: Points, asked: RowsAsked) -> str:
    """Return what takes the options that rows have no room for."""
    if asked.wanted.names:
        return "an answer that is no row"
    if points.swept:
        return "one point: give each parameter one value"
    return "one machine" if len(targets) > 1 else "the other formats: CSV has no room for it"


def _point(
    prediction: Prediction,
    compose: Composing,
    by: By,
    top: int | None,
    conventions: tuple[Convention, ...],
    near: Sequence[str],
    *,
    lets: bool,
) -> PointAnswer:
    from roofdsl.answer.point import PointAnswer

    result = evaluated(prediction, compose)
    verdicts = [result.over_rates(text) for text in near]
    found = PointAnswer(result, prediction, by, top, conventions, verdicts)
    if not lets:
        return found
    from roofdsl.answer.columns import lets_of

    return found._replace(lets=lets_of(result))


def _rows(
    definition: ModelDefinition,
    targets: Sequence[MachineDefinition],
    points: Points,
    asked: RowsAsked,
    conventions: Sequence[Convention],
    compose: Composing,
    form: str,
) -> RowsAnswer:
    from roofdsl.answer.left_out import check_left_out
    from roofdsl.answer.ranges import rows_at
    from roofdsl.answer.rows import RowsAnswer

    wanted, swept = asked.wanted, points.swept
    whole, row = form in _WHOLE and not wanted.columns, _ROWS.get(form, 300)
    found = rows_at(definition, targets, points, swept, wanted, compose, whole=whole, row=row)
    check_left_out(found.left_out, found.asked, skip=asked.skip_invalid)
    return RowsAnswer.of(found, wanted, swept, points.tied, conventions)


def _refuse_idle(options: Mapping[str, bool], why: str) -> None:
    """Refuse options that say nothing to an answer."""
    for name, value in options.items():
        if value:
            raise click.UsageError(f"--{name} {why}")


def _echo_formulas(
    predictions: list[Prediction],
    points: Points,
    form: str,
    conventions: tuple[Convention, ...],
    *,
    lets: bool,
) -> None:
    if form == "csv" or points.swept:
        what = "a range" if points.swept else "CSV"
        free = ", ".join(parameter.name for parameter in predictions[0].free)
        raise click.UsageError(f"{what} needs a value for every parameter; give {free} too")
    from roofdsl.answer.formulas import FormulaAnswer, FormulaAnswers

    answers = [FormulaAnswer(prediction, conventions, lets) for prediction in predictions]
    echo(answers[0] if len(answers) == 1 else FormulaAnswers(answers), form)
