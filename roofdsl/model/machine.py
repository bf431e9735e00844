"""Machines out of their statements: its own on top of those of the machines it is made from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeVar

from roofdsl.diagnostic import Diagnostic, Label, Reporter, did_you_mean, listing
from roofdsl.expression.construct import multiply
from roofdsl.expression.tree import Number
from roofdsl.model.around import Around, outer, seen
from roofdsl.model.body import Body
from roofdsl.model.joining import concurrent_of, serial_of
from roofdsl.model.layer import Layer
from roofdsl.model.made_from import made_from
from roofdsl.model.rate import rates_of
from roofdsl.model.replaced import Replacement
from roofdsl.model.resource import flattened, levels_under, several_levels
from roofdsl.model.scope import Scope
from roofdsl.model.stacked import OfDevice, Scaled, stacked
from roofdsl.model.startup import STARTUP, startups_of
from roofdsl.model.tariff import ENERGY, POWER, PRICE, Tariff, tariff_of
from roofdsl.model.types import (
    Capacity,
    Energy,
    Formula,
    MachineDefinition,
    Parameter,
    Rate,
    Resource,
    Standing,
)
from roofdsl.model.uncertain import Uncertain
from roofdsl.model.varying import MeasuredTable, OperationRate, Startup
from roofdsl.source import Span
from roofdsl.syntax import nodes

_T = TypeVar("_T", Rate, Capacity, Energy, Startup)
VALUES = (POWER, PRICE, STARTUP)
"""What a machine states beside the rates of its resources, as they are stated."""


class _Part(NamedTuple):
    """A layer as it is built: its statements, and what they see."""

    items: tuple[object, ...]
    layer: Layer
    scope: Scope
    resources: Mapping[str, Resource]
    body: Body
    assignments: tuple[nodes.Assignment | nodes.RateStatement, ...]
    defaults: dict[str, str]
    tariff: Tariff


def _scaled(part: _Part, sort: str) -> Iterator[tuple[str, Number]]:
    """Yield what a layer scales of what is stated before, "" for rates and names, by key."""
    for item in part.items:
        if isinstance(item, Scaled) and item.sort == sort:
            yield item.path.text, Number(item.factor)


def _times(factor: Number, formula: Formula) -> Formula:
    return formula._replace(tree=multiply(factor, formula.tree))


class MachineBuilder:
    """Builds one machine, and its devices; reports what is wrong with it.

    Each layer has a scope of its own with the words of its file; the names of all are in one.
    """

    def __init__(
        self, name: str, layers: Sequence[Layer], report: Reporter, around: Scope | None = None
    ) -> None:
        self._name = name
        self._layers = tuple(layers)
        self._report = report
        self._stack = stacked(layers)
        self._names = Scope(report, dict(layers[0].words.units), {}, parent=around)
        self._parts: list[_Part] = []
        self._rates: dict[str, Rate] = {}
        scopes = [Scope(report, {}, {}, self._names.expansion, parent=self._names) for _ in layers]
        for items, layer, scope in zip(self._stack.items, layers, scopes, strict=True):
            replaced = {
                name: [Replacement(new.value, scopes[new.layer], new.span) for new in given]
                for name, given in self._stack.given.items()
            }
            self._add(items, layer, scope, replaced)

    def _add(
        self,
        items: tuple[object, ...],
        layer: Layer,
        scope: Scope,
        replaced: Mapping[str, Sequence[Replacement]],
    ) -> None:
        """Add a layer, which sees the words of those below it, too."""
        below = self._parts[-1] if self._parts else None
        scope.units.update(below.scope.units if below else {})
        scope.units.update(layer.words.units)
        scope.functions.update(layer.words.functions)
        if below is not None:
            inner = below.scope.functions.items()
            scope.functions.update({k: v for k, v in inner if k not in scope.functions})
        resources = {**(below.resources if below else {}), **layer.words.resources}
        body = Body(items, scope, self._names, replaced)
        levels = [item.path.text for part in self._parts for item in part.assignments]
        tariff, others = tariff_of(items, scope, resources)
        assignments, defaults = flattened(others, scope, levels)
        if below is not None:
            assignments = tuple(x for x in assignments if self._suits(x, levels, resources, scope))
        part = _Part(items, layer, scope, resources, body, assignments, defaults, tariff)
        self._parts.append(part)

    def _suits(
        self,
        item: nodes.Assignment | nodes.RateStatement,
        levels: Sequence[str],
        resources: Mapping[str, Resource],
        scope: Scope,
    ) -> bool:
        """Whether a statement says which rate of the machine below it means, or which it adds."""
        first, key = item.path.names[0], item.path.text
        base = self._parts[-1].layer.name
        known = levels_under(key, levels)
        if first.name not in (*resources, *VALUES) and scope.place(first.name) is None:
            names = [*dict.fromkeys((*levels, *scope.names(), *self._stack.devices))]
            message = f"'{base}' has no '{first.name}', nor is there a resource of this name"
            new = f"; a parameter of its own is added with `param {first.name} = …`"
            near = did_you_mean(first.name, [*names, *resources])
            hint = near or f"it has {listing(names)}{new}"
            scope.refuse("R0502", message, first.span, hint=hint)
            return False
        if known and key not in levels:
            self._report(several_levels(base, known, item.path.span))
            return False
        return True

    def built(self, span: Span, doc: str, outer: Iterable[Parameter] = ()) -> MachineDefinition:
        """Return the machine; `outer` are the parameters of the one around it, as it has them."""
        bodies = [part.body for part in self._parts]
        parameters = tuple(item for body in bodies for item in body.parameters())
        intermediates = tuple(item for body in bodies for item in body.intermediates())
        rates = self._by_key(self._rates_of)
        units = [concurrent_of(part.items, rates, part.scope) for part in self._parts]
        concurrent = next((each for each in reversed(units) if each), ())
        return MachineDefinition(
            name=self._name,
            parameters=(*parameters, *outer),
            intermediates=intermediates,
            requirements=tuple(item for body in bodies for item in body.requirements()),
            rates=rates,
            defaults={key: level for part in self._parts for key, level in part.defaults.items()},
            devices=self._devices(parameters),
            tables=self._tables(rates),
            capacities=self._by_key(self._capacities_of),
            energies=self._by_key(self._energies_of),
            power=self._standing(POWER),
            price=self._standing(PRICE),
            startups=self._by_key(partial(self._startups_of, rates)),
            operation_rates=self._operation_rates(rates),
            serial=tuple(
                names
                for part in self._parts
                for names in serial_of(part.items, rates, concurrent, part.scope, part.resources)
            ),
            concurrent=concurrent,
            sources=tuple(item for body in bodies for item in body.sources()),
            own_units=self._parts[-1].scope.units,
            uncertain=self._uncertain(),
            doc=doc,
            span=span,
            layers=self._layers,
        )

    def _uncertain(self) -> dict[str, Uncertain]:
        return {key: x for part in self._parts for key, x in part.body.uncertain().items()}

    def _by_key(self, of: Callable[[_Part, dict[str, _T]], Iterable[_T]]) -> tuple[_T, ...]:
        """Return what all layers state, of what has one key the last."""
        found: dict[str, _T] = {}
        for part in self._parts:
            found.update((item.key, item) for item in of(part, found))
        return tuple(found.values())

    def _rates_of(self, part: _Part, below: Mapping[str, Rate]) -> Iterable[Rate]:
        rated = [item for item in part.assignments if item.path.text != STARTUP]
        for rate in rates_of(rated, part.scope, part.resources):
            old = below.get(rate.key) if part.layer.asked and rate.value is not None else None
            if old is None or old.value is None or not (old.parameters or self._is_varied(rate)):
                yield rate
            else:  # it goes on to depend on the work as it did
                changed = rate.value, rate.uncertainty, rate.inverse
                yield old._replace(most=changed[0], uncertainty=changed[1], inverse=changed[2])
        for item in part.items:
            if isinstance(item, Scaled) and not item.sort and item.path.text in below:
                rate = below[item.path.text]
                if rate.value is None or not item.factor:
                    why = "is unlimited, and stays so" if rate.value is None else "cannot be 0"
                    hint = None if rate.value is None else "`0.5x` is half of what is stated"
                    message = f"the rate of {rate.key} {why}"
                    part.scope.refuse("R0408", message, item.span, hint=hint)
                else:
                    factor = Number(item.factor)
                    most = rate.most and multiply(factor, rate.most)
                    yield rate._replace(value=multiply(factor, rate.value), most=most)

    def _is_varied(self, rate: Rate) -> bool:
        """Whether an operation has a rate of its own beside one."""
        return any(
            isinstance(item, nodes.RateStatement) and item.path.text == rate.key
            for part in self._parts
            for item in part.assignments
        )

    def _capacities_of(self, part: _Part, below: Mapping[str, Capacity]) -> Iterable[Capacity]:
        yield from part.body.capacities(part.resources)
        for key, factor in _scaled(part, "capacity"):
            yield below[key]._replace(formula=_times(factor, below[key].formula))

    def _energies_of(self, part: _Part, below: Mapping[str, Energy]) -> Iterable[Energy]:
        yield from part.tariff.energies
        for key, factor in _scaled(part, ENERGY):
            yield below[key]._replace(value=multiply(factor, below[key].value))

    def _startups_of(
        self, rates: Sequence[Rate], part: _Part, below: Mapping[str, Startup]
    ) -> Iterable[Startup]:
        yield from startups_of(part.items, part.scope, part.resources, rates)
        of_each = [("", factor) for name, factor in _scaled(part, "") if name == STARTUP]
        for key, factor in (*of_each, *_scaled(part, STARTUP)):
            if key in below:
                yield below[key]._replace(value=multiply(factor, below[key].value))

    def _operation_rates(self, rates: Sequence[Rate]) -> tuple[OperationRate, ...]:
        """Return the rates of operations; a factor of what they are on is one of them, too."""
        found: dict[str, OperationRate] = {}
        for part in self._parts:
            if any(isinstance(item, nodes.RateStatement) for item in part.assignments):
                from roofdsl.model.work_rate import operation_rates_of  # few machines have one

                own = operation_rates_of(part.assignments, part.scope, part.resources, rates)
                found.update((item.name, item) for item in own)
            for key, factor in _scaled(part, ""):
                for name, rate in found.items():
                    if key == rate.key:
                        found[name] = rate._replace(value=multiply(factor, rate.value))
        return tuple(found.values())

    def _standing(self, name: str) -> Standing | None:
        """Return the power or the price: what is stated last, times the factors behind it."""
        found: Standing | None = None
        for part in self._parts:
            found = (part.tariff.power if name == POWER else part.tariff.price) or found
            for key, factor in _scaled(part, ""):
                if key == name and found is not None:
                    found = found._replace(formula=_times(factor, found.formula))
        return found

    def _tables(self, rates: Sequence[Rate]) -> dict[str, MeasuredTable]:
        found: dict[str, MeasuredTable] = {}
        for part in self._parts:
            folder = part.layer.words.folder
            own: set[str] = set()
            for item in part.items:
                if not isinstance(item, nodes.MeasuredStatement):
                    continue
                from roofdsl.model.measured import table
                from roofdsl.model.work_rate import has_a_roof

                entries = table(item, folder, part.resources, part.scope)
                if entries is None:
                    continue
                name, key, place = entries.name, entries.key, item.path.span
                if name in own:
                    message, hint = f"'{name}' is measured twice", "keep one table"
                    self._report(Diagnostic.at("R0202", message, place, hint=hint))
                elif not key or has_a_roof(name, key, place, rates, part.scope):
                    found[name] = entries
                own.add(name)
        return found

    def _devices(self, parameters: Sequence[Parameter]) -> dict[str, MachineDefinition]:
        """Return the devices; those with statements of their own see the names around them."""
        devices = {key: parts[0].statement for key, parts in self._stack.devices.items()}
        for again in self._stack.again:
            self._taken(again, "another device", devices[again.name.name])
        found: dict[str, MachineDefinition] = {}
        for key, parts in self._stack.devices.items():
            statement = parts[0].statement
            assert statement is not None  # what is about a device stands behind it
            if key in self._parts[parts[0].layer].resources:
                self._taken(statement, "a resource", None)
                continue
            device = self._device(statement, parts, parameters)
            if device is not None:
                found[key] = device
        return found

    def _taken(
        self,
        statement: nodes.DeviceStatement,
        what: str,
        first: nodes.DeviceStatement | None,
    ) -> None:
        name = statement.name
        labels = [Label(name.span, "again here" if first else "")]
        if first:
            labels.append(Label(first.name.span, "first here"))
        message = f"'{name.name}' is the name of {what} already"
        self._report(Diagnostic("R0202", message, tuple(labels), "rename it"))

    def _device(
        self,
        statement: nodes.DeviceStatement,
        parts: Sequence[OfDevice],
        parameters: Sequence[Parameter],
    ) -> MachineDefinition | None:
        name, path = statement.name, statement.path
        base = None
        if path is not None:
            base = self._layers[parts[0].layer].machines.get(path.text)
            if base is None:
                return None
        inside = [x for part in parts for x in part.items if isinstance(x, nodes.DeviceStatement)]
        if (base is not None and base.devices) or inside:
            held = f"'{name.name if base is None or inside else base.name}'"
            place = inside[0].name.span if inside or path is None else path.span
            message = f"{held} has devices itself, so it cannot be one"
            hint = "name its devices one by one"
            self._report(Diagnostic.at("R0221", message, place, hint=hint))
            return None
        if base is not None and statement.items is None and len(parts) == 1:
            return base
        title = f"{self._name}.{name.name}"
        own = [self._layers[x.layer]._replace(name=title, items=x.items) for x in parts]
        layers = [*(base.layers if base else ()), *own]
        builder = MachineBuilder(title, layers, self._report, Around(self._names))
        around = map(outer, parameters)
        found = builder.built(name.span, base.doc if base else "", around)
        found = replace(found, uncertain={**seen(self._uncertain()), **found.uncertain})
        return found if base is None else made_from(base, found, own)
