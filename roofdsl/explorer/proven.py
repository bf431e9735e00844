"""What `roofdsl solve --crossover` proves from the start of a page, along each of its sliders."""

from __future__ import annotations

from collections.abc import Iterator

from roofdsl.allowance import Budget, counting
from roofdsl.analysis.binding import Arguments
from roofdsl.analysis.crossover import Crossover, Crossovers, find_crossovers
from roofdsl.analysis.domain import Domain
from roofdsl.analysis.node import kernels
from roofdsl.analysis.open_machine import asked_on, open_domain
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.answer import places
from roofdsl.answer.asked import ModelOnMachine
from roofdsl.answer.crossovers import change
from roofdsl.answer.titles import on
from roofdsl.diagnostic import RoofError
from roofdsl.explorer.controls import MOST, NARROW, Described
from roofdsl.explorer.formulas import Templates
from roofdsl.explorer.machines import rate_symbols
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Number
from roofdsl.numeric.place import Place

_MOST_KERNELS = 200
"""Of more, what is proven of a rate takes longer than a page is to: it is sampled."""


def proven(at_start: Prediction, start: Arguments, templates: Templates) -> dict[str, Described]:
    """Return what is proven of the crossovers in each parameter and each rate, by name.

    All else is as at the start, whose arguments `start` are. They share the work of one question;
    where it is used up, less is proven, and is said to be. What has no answer is not there.
    """
    model, machine = at_start.model, at_start.machine
    named = {symbol.name for tree in at_start.rivals.values() for symbol in free_symbols(tree)}
    numbers = [item.name for item in model.parameters if item.is_number]
    rates = [*rate_symbols(machine)]
    found = {name: _independent(name, at_start) for name in rates if name not in named}
    few = len(kernels(at_start.root)) <= _MOST_KERNELS
    questions = [*numbers, *(name for name in rates if few and name in named)]
    for name, budget in zip(questions, Budget().shares(len(questions)), strict=True):
        try:
            with counting(afresh=True):  # each is a question of its own
                there, unknown = asked_on(name, model, machine, closed=True)
                others = {each: value for each, value in start.items() if each != name}
                prediction = ModelOnMachine(model, there).at(others, unknown.free, peaks=False)
                now = at_start.binding.values.get(name)
                limits = _limits(open_domain(prediction, unknown), now)
                answer = find_crossovers(prediction, unknown, *limits, steps=False, budget=budget)
            found[name] = _described(answer, templates)
        except RoofError as error:
            if error.diagnostics[0].code == "R0704":
                found[name] = _independent(name, at_start)
    return found


def _limits(domain: Domain, value: float | None) -> tuple[Place, Place]:
    """Return where to look: where `solve` does, and as far as the slider goes."""
    low, high = domain.range()
    least, most = domain.ends
    if value and not domain.unknown.integer:
        low = min(low, max(value / NARROW, float(least or 0)))
        high = max(high, value * NARROW) if most is None else high
    return low, high


def _independent(name: str, prediction: Prediction) -> Described:
    """Return what is said of what changes nothing: its bound is the same for every value."""
    return {
        "covers": [0, MOST],
        "complete": True,
        "upTo": MOST,
        "proof": "proven for every value",
        "none": [f"nothing of {on(prediction)} depends on {name}"],
        "changes": [],
    }


def _described(found: Crossovers, templates: Templates) -> Described:
    """Return an answer of the solver: its sentences, and the formulas of its changes.

    `covers` is where nothing else is allowed, or all of it was asked.
    """
    unknown = found.unknown
    whole = unknown.integer
    return {
        "covers": [min(found.low, 1), max(found.high, MOST)] if whole else [found.low, found.high],
        "complete": found.complete,
        "upTo": found.proven_up_to,
        "proof": places.proof(found.proof, unknown).text,
        "none": [] if found.crossovers else [*places.without_crossover(found)],
        "changes": [*_changes(found, unknown, templates)],
    }


def _changes(found: Crossovers, unknown: Unknown, templates: Templates) -> Iterator[Described]:
    for item in found.crossovers:
        said = change(item, unknown)
        yield {
            "value": _place(item),
            "kind": item.kind,
            "enclosure": item.enclosure,
            "before": item.before[0] if item.before else "",
            "after": item.after[0] if item.after else "",
            "sentence": said.text,
            "details": said.details,
            "form": _form(item, templates),
            "root": item.closed_form_value,
        }


def _place(item: Crossover) -> float:
    """Return the first value that is proven to lie behind a change."""
    return float(item.enclosure[1] if item.first_integer is None else item.first_integer)


def _form(item: Crossover, templates: Templates) -> int | None:
    """Return the place of the template of a change's closed form, None for a plain number."""
    form = item.closed_form
    return None if form is None or isinstance(form, Number) else templates.place(form)
