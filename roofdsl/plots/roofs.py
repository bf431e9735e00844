"""Machines' roofs: ceilings and bandwidth lines, with the peaks of what is drawn below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isclose
from typing import NamedTuple

from roofdsl.analysis.joints import unit_of
from roofdsl.analysis.rates import machine_rates
from roofdsl.analysis.result import Result
from roofdsl.diagnostic import Diagnostic, Label, RoofError, did_you_mean
from roofdsl.figures.chart import Line, Roof
from roofdsl.model.types import MachineDefinition
from roofdsl.units.dimension import FLOP, SECOND
from roofdsl.units.quantity import show_quantity


def roofs_of(
    machine: MachineDefinition, resource: str, level: str | None, results: Sequence[Result]
) -> Iterator[Roof]:
    """Yield the roof of a machine, or, where it has no rates of its own, those of its devices.

    The ceilings that count are the peaks of `results`, the plain one without any. `level` picks the
    bandwidth line that counts, as `L2` or `memory.L2`. Raises RoofError where the machine has no
    rate for the resource, or not that level (R0804).
    """
    if machine.devices and not any(rate.resource.name == "flops" for rate in machine.rates):
        for name, device in machine.devices.items():
            peaks = tuple(_peaks(results, f"{name}."))
            yield _roof(f"{machine.name}.{name}", device, resource, level, peaks, f"{name}.")
    else:
        yield _roof(machine.name, machine, resource, level, tuple(_peaks(results, "")), "")


class _Peak(NamedTuple):
    """A peak [flop/s] of predicted flops: what it is called, its kinds, what binds there."""

    value: float
    name: str
    kinds: frozenset[str]
    binds: tuple[str, ...]


def _peaks(results: Sequence[Result], prefix: str) -> Iterator[_Peak]:
    """Yield the peaks of predictions, of a mix those of its jobs."""
    for result in results:
        whole = result.breakdown
        for part in whole.children if whole.arrangement == "mix" else (whole,):
            kinds = {
                name.removeprefix(prefix): work
                for name, work in part.work.items()
                if name.startswith(f"{prefix}flops") and work > 0
            }
            spent = {x: t for x, t in (part.peaks or {}).items() if x.startswith(prefix) and t > 0}
            peak = result.peak
            if (prefix or part is not whole) and spent:
                peak = sum(kinds.values()) / max(spent.values())
            if peak is None or not kinds:
                continue
            # Units that run at once add up with those that do not: `flops+flops.matrix`.
            longest = max(spent, key=spent.__getitem__, default=f"{prefix}flops")
            names = longest.removeprefix(prefix).split("+")
            binds = [f"{prefix}{name}" for name in names if name.partition(".")[0] == "flops"]
            of = "the mix" if part is whole else part.children[0].name
            if units := [name.removeprefix("flops.") for name in names if name != "flops"]:
                of += f", {units[0]} longest"
            short = {name.removeprefix("flops.") for name in kinds}
            yield _Peak(peak, f"peak of {of}", frozenset(short), tuple(binds))


def _roof(
    name: str,
    machine: MachineDefinition,
    resource: str,
    level: str | None,
    peaks: Sequence[_Peak],
    prefix: str,
) -> Roof:
    slopes = lines(machine, resource, level, prefix)
    if level is not None and not any(line.main for line in slopes):
        raise RoofError([_lacks(machine, resource, level, [line.name for line in slopes])])
    if not any(rate.resource.name == resource for rate in machine.rates):
        raise RoofError([_lacks(machine, resource, None, [])])
    ceilings = lines(machine, "flops", None, prefix)
    if not peaks:
        return Roof(name, ceilings, slopes)
    default = [line for line in ceilings if line.main]
    known = [replace(line, main=False) for line in ceilings]
    for peak in peaks:
        alike = [n for n, line in enumerate(known) if isclose(line.value, peak.value)]
        named = [n for n in alike if known[n].name in peak.kinds]
        plain = [n for n in alike if ceilings[n:] and ceilings[n] in default]
        if alike:
            line = known[chosen := (named or plain or alike)[0]]
            binds = tuple(dict.fromkeys((*line.binds, *peak.binds)))
            known[chosen] = replace(line, main=True, binds=binds)
        else:
            text = show_quantity(peak.value, FLOP / SECOND)
            known.append(Line(peak.name, peak.value, text, True, peak.binds))
    return Roof(name, tuple(known), slopes)


def lines(
    machine: MachineDefinition, resource: str, level: str | None = None, prefix: str = ""
) -> tuple[Line, ...]:
    """Return a machine's lines for a resource; `prefix` stands before the names of what binds."""
    rates = machine_rates(machine)
    keys = [rate.key for rate in machine.rates if rate.resource.name == resource]
    wanted = level.removeprefix(f"{resource}.") if level is not None else None
    default = machine.defaults.get(resource, keys[0] if len(keys) == 1 else resource)
    found = []
    for rate in machine.rates:
        if rate.resource.name != resource or rate.key not in rates:
            continue
        plain = "peak" if resource == "flops" else resource
        name = rate.key.removeprefix(f"{resource}.") if "." in rate.key else plain
        main = rate.key == default if wanted is None else name == wanted
        text = show_quantity(rates[rate.key], rate.resource.dimension / SECOND)
        # Kinds of flops share one unit, which is what binds, or have one each that runs beside
        # others; levels are each by itself.
        binds = [resource] if rate.key == default else []
        binds = [unit_of(rate.key, machine)] if resource == "flops" else binds
        binds += [rate.key] if rate.key not in binds and resource != "flops" else []
        found.append(
            Line(name, rates[rate.key], text, main, tuple(f"{prefix}{bound}" for bound in binds))
        )
    if wanted is None and found and not any(line.main for line in found):
        # No level is the default one: the slowest memory, the fastest unit counts.
        chosen = (max if resource == "flops" else min)(found, key=lambda line: line.value)
        found = [replace(line, main=line is chosen) for line in found]
    return tuple(found)


def _lacks(
    definition: MachineDefinition, resource: str, level: str | None, known: list[str]
) -> Diagnostic:
    what = resource if level is None else level
    rates = ", ".join(rate.key for rate in definition.rates) or "none"
    hint = did_you_mean(what, known) if level is not None else None
    return Diagnostic(
        "R0804",
        f"machine '{definition.name}' has no rate for {what}, so there is no line to draw",
        (Label(definition.span, "the machine"),),
        hint or f"rates of '{definition.name}': {rates}",
    )
