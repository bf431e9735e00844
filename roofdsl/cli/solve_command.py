"""`roofdsl solve`: the values at which something changes, with proof."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click

from roofdsl.analysis.open_parameters import unknown_name
from roofdsl.cli.call import Call
from roofdsl.cli.certificates import check_package, write_certificate
from roofdsl.cli.combinations import answered, combinations
from roofdsl.cli.formats import echo, format_option
from roofdsl.cli.options import (
    Asked,
    asked_options,
    check_outputs,
    machine_named,
    model_named,
    needed,
    typed,
)
from roofdsl.cli.row_options import skip_option
from roofdsl.cli.solve_questions import answers, changes, holding, lowest, over_rates
from roofdsl.cli.sweep_values import questions_of, split_list
from roofdsl.model.types import ModelDefinition
from roofdsl.source import Source

if TYPE_CHECKING:
    from roofdsl.answer.answer import Shown
    from roofdsl.cli.solve_questions import Question

EXAMPLE = "roofdsl solve summa --crossover --for N --machine karst -p P=121"
_HOLDING = 'roofdsl solve summa --such-that "time <= 10 s" --for N --machine karst -p P=121'
_FASTER = "roofdsl solve summa --faster --for N --machine karst --machine jetstream -p P=121"


@click.command("solve", cls=Call)
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
@click.option("--certificate", metavar="FILE", help="write what proves it, for roofdsl verify")
@skip_option
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
    certificate: str | None,
    skip_invalid: bool,
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
      roofdsl solve summa --crossover --for N -m karst -p P=121 --certificate summa.certificate.json
      roofdsl solve summa --such-that "time <= 10 s" --for N --machine karst -p P=121
      roofdsl solve summa --such-that "bound = flops" --for karst.network -m karst -p N=99 -p P=4
      roofdsl solve summa --faster --for N --machine karst --machine jetstream -p P=121
      roofdsl solve summa dgemv --faster --by memory --for N --machine karst -p P=4
    """
    example = _FASTER if faster else EXAMPLE if condition is None else _HOLDING
    needed(models, f"name a model, as in: {example}")
    crossover |= not (faster or condition is not None) and (between or rates) is not None
    _check([crossover, condition is not None, faster], between, rates, by)
    needed(asked.names, f"name a machine with --machine NAME, as in: {example}")
    if len(models) > 1 and not faster:
        raise _several(models, crossover)
    definitions = [model_named(name)[0] for name in models]
    name = unknown_name(asked_for, definitions, asked.values())
    if faster:
        _check_certified(certificate is None)
        echo(_fastest(definitions, asked, name, range_text, by, skip=skip_invalid), form)
        return
    conditions = questions_of(typed("--such-that ", condition)) if condition is not None else []
    near = split_list("--rates", rates) if rates is not None else []
    found = combinations(asked, times=max(len(conditions), len(near), 1))
    closed = bool(near) or len(conditions) > 1 or len(found.each) > 1
    questions: list[Question] = [partial(over_rates, rates=text) for text in near]
    questions += [partial(holding, condition=text, closed=closed) for text in conditions]
    if not questions:
        questions.append(partial(changes, between=_compared(between), closed=closed))
    ask = partial(answers, questions, definitions[0], name, found.swept, range_text, closed=closed)
    if certificate is not None:
        _check_certified(len(found.each) == 1 and crossover and not near and between is None)
        _check_certificate(certificate, models[0], asked)
    echo(answer := answered(found, ask, skip=skip_invalid), form)
    if certificate is not None:
        write_certificate(certificate, models[0], asked, answer)


def _fastest(
    definitions: Sequence[ModelDefinition],
    asked: Asked,
    name: str,
    range_text: str | None,
    by: str | None,
    *,
    skip: bool,
) -> Shown:
    """Return which of two models, or of a model on two machines, is the faster where."""
    _check_contenders(definitions, asked)
    found = combinations(asked, together=True)
    of = typed("--by ", by or "time")
    least = partial(lowest, definitions, name, found.swept, range_text, of)
    return answered(found, least, skip=skip)


def _check_certificate(name: str, model: str, asked: Asked) -> None:
    check_package()
    check_outputs({"--certificate": name}, [model_named(model)[1], *asked.modules()])


def _check_certified(possible: bool) -> None:
    if not possible:
        raise click.UsageError(
            "--certificate is of one --crossover for what binds, on one machine, at one value each"
        )


def _check_contenders(models: Sequence[ModelDefinition], asked: Asked) -> None:
    several, on = len(models), len(asked.names)
    if several * on < 2 or (several > 1 and on > 1):
        raise click.UsageError(
            "--faster takes two models on one machine, or one model on two machines"
        )
    named = models if several > 1 else [machine_named(name)[0] for name in asked.names]
    names = [each.name for each in named]
    if twice := [name for name in names if names.count(name) > 1]:
        raise click.UsageError(
            f"--faster tells them apart by name, and two are called '{twice[0]}'; "
            "write one of them into a file, under another name"
        )


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
