"""Values on the command line of `roofdsl plot`: ranges as arrays, the two ranges of a map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from roofdsl.analysis.open_machine import asked_on
from roofdsl.analysis.varied import values_on
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.left_out import LeftOut, left_out_notes
from roofdsl.cli.options import each_read
from roofdsl.cli.solve_range import read_ends
from roofdsl.cli.sweep_values import is_range, outside, sweep_values
from roofdsl.diagnostic import raise_if_any
from roofdsl.expression.substitute import free_symbols
from roofdsl.numeric.scalar import evaluate
from roofdsl.source import Source

if TYPE_CHECKING:
    from roofdsl.answer.asked import Values
    from roofdsl.model.types import MachineDefinition, ModelDefinition


def settings_of(
    values: Mapping[str, Source],
    models: Sequence[ModelDefinition],
    machines: Sequence[MachineDefinition],
) -> dict[str, Values]:
    """Return parameters' values: a text for one value, an array in SI base units for several.

    What a machine states is one of them, by its name there: `karst.network`.

    Of a parameter that takes names, such as a precision, several values stay texts.
    """
    named = {
        parameter.name
        for model in models
        for parameter in model.parameters
        if not parameter.is_number
    }
    found: dict[str, Values] = {}
    for name, source in values.items():
        if name in named and "," in source.body:
            found[name] = [value.strip() for value in source.body.split(",")]
        elif is_range(source.body):
            sources = sweep_values(name, source)
            of_machine = next((x for x in machines if name.startswith(f"{x.name}.")), None)
            if of_machine is None:
                found[name] = _array(name, sources, models)
            else:
                found[name] = values_on(of_machine, name.partition(".")[2], sources)
        else:
            found[name] = source.body.strip()
    return found


def allowed(
    at: Mapping[str, Values], shown: Sequence[ModelOnMachine]
) -> tuple[dict[str, Values], list[str]]:
    """Return settings without the values of one parameter that are refused, and what is left out.

    Raises a usage error where several parameters, or none, are given several values.
    """
    from roofdsl.plots.cases import divided

    several = divided(at)[1]
    if len(several) != 1:
        raise click.UsageError("--skip-invalid is for figures along one parameter")
    ((name, values),) = several.items()
    given = [int(x) if isinstance(x, float) and x.is_integer() else x for x in values.tolist()]
    kept, left_out = [True] * values.size, list[LeftOut]()
    for asked in shown:
        own = {x: value for x, value in at.items() if x in asked.parameters_of(at)}
        if name in own:
            sweep = asked.sweep({**own, name: given}, skip=True)
            kept = [*(kept & sweep.answered)]
            left_out += sweep.left_out
    return {**at, name: values[kept]}, left_out_notes(left_out, values.size * len(shown))


def _array(name: str, sources: Sequence[Source], models: Sequence[ModelDefinition]) -> list[float]:
    """Return several values as numbers in SI base units."""
    model = next((model for model in models if any(p.name == name for p in model.parameters)), None)
    if model is None:
        return [0.0]  # no model has it, which is said where the settings are used
    values: list[float] = []
    for arguments, problems in each_read(model, name, sources):
        raise_if_any(problems)
        tree, _ = arguments[name]
        if free_symbols(tree):
            raise click.UsageError(f"several values of {name} must be numbers, not formulas")
        values.append(evaluate(tree, {}))
    return values


def ranges_of(
    values: Mapping[str, Source], asked: ModelOnMachine
) -> tuple[list[tuple[str, float, float]], dict[str, Source]]:
    """Return the ranges `low..high` among values, and the other values.

    A name may be a rate of the machine, `karst.network=1 GB/s..1 TB/s`.
    """
    ranges: list[tuple[str, float, float]] = []
    rest: dict[str, Source] = {}
    for name, source in values.items():
        if ".." not in outside(source.body):
            rest[name] = source
            continue
        _, unknown = asked_on(name, asked.model, asked.machine, closed=True)
        low, high = read_ends(source.body.strip(), unknown, f"-p {name}=")
        ranges.append((name, float(low), float(high)))
    return ranges, rest


def split_numbers(text: str, option: str, count: int = 0) -> list[float]:
    """Return the numbers of a list such as `0.5,0.8`.

    >>> split_numbers("0.5, 0.8", "--isoefficiency ")
    [0.5, 0.8]
    """
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if not found or (count and len(found) != count) or any(not 0 <= n < 1e300 for n in found):
        wanted = f"{count} numbers" if count else "numbers"
        raise click.UsageError(f"'{option}{text}' needs {wanted} with a comma between")
    return found


def pair_of(text: str, option: str) -> tuple[float, float]:
    """Return the two numbers of `1.5,20`."""
    first, second = split_numbers(text, option, 2)
    return first, second


def pairs_of(texts: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Return `NAME=I_C,I_G` by name.

    >>> pairs_of(["CP=0.083,2"])
    {'CP': (0.083, 2.0)}
    """
    found: dict[str, tuple[float, float]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.UsageError(f"'--partition {text}' is not of the form NAME=I_C,I_G")
        found[name.strip()] = pair_of(value, f"--partition {name}=")
    return found
