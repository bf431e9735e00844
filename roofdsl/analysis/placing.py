"""Place a model on a machine: its parameters bound, each kernel's work matched with a rate."""

from __future__ import annotations

from dataclasses import replace

from roofdsl.allowance import computing, operations
from roofdsl.analysis import links
from roofdsl.analysis.algebras import constant
from roofdsl.analysis.asking import is_opened
from roofdsl.analysis.binding import (
    Arguments,
    Binding,
    arguments_of,
    bind,
    bind_open,
    computed,
    unmet,
)
from roofdsl.analysis.choosing import Choosing, key_of
from roofdsl.analysis.conditions import conditions, of_job, run_conditions, run_problems
from roofdsl.analysis.counting import counted
from roofdsl.analysis.intensity import is_zero
from roofdsl.analysis.joints import Parts, Sharing
from roofdsl.analysis.load import Load, merged, rate_key, rate_symbol
from roofdsl.analysis.machine_defaults import no_default
from roofdsl.analysis.matching import Served, Skipped, default_key, match, no_device, unplaced
from roofdsl.analysis.node import (
    Held,
    Node,
    Site,
    Tallied,
    arrangement_of,
    as_step,
    most_processes,
    together_of,
)
from roofdsl.analysis.peak import with_peaks
from roofdsl.analysis.rates import bind_machine, has_limit, large, rate_values
from roofdsl.analysis.serving import as_served, start_of
from roofdsl.analysis.tariff import energy_of, tariff, tariff_problems
from roofdsl.analysis.unrun import unrun
from roofdsl.diagnostic import Diagnostic, Label
from roofdsl.expression.order import fold
from roofdsl.expression.substitute import free_symbols, rebuild
from roofdsl.expression.tree import ZERO, Expression, Symbol
from roofdsl.model import types
from roofdsl.model.loop import CHOICES
from roofdsl.model.precision import named
from roofdsl.model.types import Definition, KindName, MachineDefinition, ModelDefinition

_OPERATIONS, _MANY, _OF_MANY = 400, 3000, 2000
"""What a step takes that is like none before, the first many and those after them."""


class Placing(Choosing):
    """Places models on one machine; calls with equal arguments share one placing, or one `lent`."""

    def __init__(self, machine: MachineDefinition, lent: Parts | None = None) -> None:
        super().__init__(machine)
        self.parts = Parts(Sharing(self._machines), {})
        if lent is not None:
            self.parts = lent._replace(placed={**lent.placed})
        self._sharing, self._placed = self.parts
        self._bindings = {name: self._bound(each) for name, each in self._machines.items()}
        self.binding = self._bindings[None]
        self._places = {name: (each, self._bindings[name]) for name, each in self._machines.items()}
        self.rates = {
            rate_symbol(machine, rate.key, name).name: self._bindings[name].expand(large(rate))
            for name, each in self._machines.items()
            for rate in each.rates
            if rate.value is not None
        }
        self.tariff = tariff(machine, self._bindings)
        if not self.problems:
            self.problems += tariff_problems(self.tariff)
        self._steps = 0
        self._processes: Expression | None = None
        self._ranks: Expression | None = None  # how many the model counts that states the work
        self._link: str | None = None
        bound = (each for each in self._bindings.values() if not each.free)
        own = [tree for each in bound for tree in each.trees.values()]
        self._is_open = not self.problems and any(map(free_symbols, own))
        for each, binding in self._places.values() if self._is_open else ():
            self._ask(each.name, each, binding)

    def _bound(self, machine: MachineDefinition) -> Binding:
        binding, problems = bind_machine(machine)
        if not problems:
            _, problems = rate_values(machine, binding)
        self.problems += problems
        return binding

    def root(
        self, model: ModelDefinition, arguments: Arguments, free: frozenset[str], *, peaks: bool
    ) -> tuple[Binding, Node]:
        """Place the model that was asked for; parameters in `free` get no value."""
        values = self._machine_values(model, arguments, None)
        binding, problems = bind(model, arguments, values, free)
        self.problems += problems
        if problems:  # what is inside would only say the same again
            return binding, Node(model.name, "sequence", model.span)
        self.asking = bool(binding.free or self._is_open or is_opened(model))
        node = self._node(model.name, Site(model, binding, None))
        self.problems += self._sharing.clashes(node)
        root = self._sharing.named(node)
        return binding, with_peaks(root, self.notes) if peaks else root

    def opened(
        self, model: ModelDefinition, bound: Binding, kept: tuple[KindName, ...], *, peaks: bool
    ) -> Node:
        """Place a model with no parameter bound, not even to its default, but those of some kinds.

        Precisions keep what they are bound to: they choose among a machine's rates."""
        values = {
            parameter.name: (bound.trees[parameter.name], None)
            for parameter in model.parameters
            if parameter.kind in kept and parameter.name in bound.trees
        }
        root = self._node(model.name, Site(model, bind_open(model, values), None))
        root = self._sharing.named(root)
        return with_peaks(root, self.notes, in_short=True) if peaks else root

    def _node(self, name: str, site: Site) -> Node:
        model, binding = site.model, site.binding
        with computing(f"'{name}'", model.span):
            self._steps += 1
            operations().spend(_OPERATIONS if self._steps <= _MANY else _OF_MANY)
        if self.asking:
            self._ask(name, model, binding)
        together, around = together_of(model, binding), self._processes
        self._processes = most_processes(around, together)
        ranks, own = self._ranks, together and together.processes
        self._ranks = ranks if own is None else own
        tallies = tuple(
            Tallied(t.name, t.formula.dimension, binding.expand(t.formula.tree), t.span)
            for t in model.tallies
        )
        expand = binding.expand
        node = Node(
            name,
            "mix" if model.is_mix else "sequence" if model.parts else "kernel",
            model.span,
            tallies=tallies,
            model=model.name,
            together=together,
            site=site,
            tensors=tuple(Held(x, expand(x.size or ZERO)) for x in model.tensors),
            kept=tuple((x, None if x.size is None else expand(x.size)) for x in model.keeps),
        )
        if model.parts:
            node = replace(node, children=self._parts(model.parts, site))
        else:
            node = self._kernel(node, site)
        self._processes, self._ranks = around, ranks
        return node

    def _kernel(self, node: Node, site: Site) -> Node:
        model, binding = site.model, site.binding
        spent = self._measured(site)
        loads: list[Load | None] = []
        for work in model.work:
            for load in self._by_links(work, site, self._load(work, site, spent)):
                loads.append(load and self._priced(load, model))
            if spent is not None and work.resource.name == "flops":
                spent = ZERO  # of several kinds: what was measured is the time of all together
        stated = None if model.time is None else binding.expand(model.time)
        present = self._counted(merged(load for load in loads if load is not None))
        present = as_served(present, self._places, site, self)
        start = start_of(present, self._places, site.device) if stated is None else None
        return replace(node, loads=present, stated=stated, start=start)

    def _ask(self, name: str, asking: Definition, binding: Binding) -> None:
        for text, condition in conditions(asking, binding):
            self._check(text, name, condition)

    def _counted(self, loads: list[Load]) -> tuple[Load, ...]:
        """Return a kernel's loads, each knowing whether it counts as work on its resource."""
        kept: set[int] = set()
        for name in dict.fromkeys(load.resource.name for load in loads):
            device = next(load.device for load in loads if load.resource.name == name)
            default = default_key(self._machines[device], name)
            kept.update(id(load) for load in counted(loads, name, default))
        return tuple(x if id(x) in kept else replace(x, counted=False) for x in loads)

    def _parts(self, parts: tuple[types.Part, ...], site: Site) -> tuple[Node, ...]:
        return tuple(self._part(part, site) for part in parts)

    def _part(self, part: types.Part, site: Site) -> Node:
        match part:
            case types.Step():
                device, link = links.placed_on(part.device, self.machine.devices)
                around, self._link = self._link, link or self._link
                node = self._step(part, site.binding, device or site.device)
                self._link = around
                return node
            case types.Overlap(parts=parts, span=at):
                return Node("overlap", "overlap", at, children=self._parts(parts, site))
            case types.Repeat(times=times, parts=parts, span=span, word=word):
                count, keeping = site.binding.expand(times), site.binding.expand(part.keeping)
                if word in CHOICES:
                    count = self._settled(count)
                    with self._chosen(count):
                        children = self._parts(parts, site)
                    chosen = Node(word, "sequence", span, children=children, count=count)
                    return unrun(chosen) if count is ZERO else chosen
                self.problems += run_problems(part, count, keeping)
                for text, condition in run_conditions(part, count, keeping) if self.asking else ():
                    self._check(text, site.binding.owner, condition)
                known = len(self.problems)
                children = self._parts(parts, site)
                if word == "job":
                    name, found = children[0].name, self.problems[known:]
                    self.problems[known:] = [
                        replace(each, message=of_job(name, each.message)) for each in found
                    ]
                return Node(
                    word,
                    arrangement_of(word),
                    span,
                    children=children,
                    count=count,
                    keeping=keeping,
                )

    def _step(self, step: types.Step, around: Binding, device: str | None) -> Node:
        if device is not None and device not in self.machine.devices:
            self.problems.append(no_device(step, device, self.machine))
            return Node(step.name, "sequence", step.span)
        if step.in_place:
            off = step.model.numbers
            inside = around._replace(trees={**around.trees, **off}) if off else around
            lets = {x.name: inside.expand(x.formula.tree) for x in step.model.intermediates}
            # Formulas are in parameters, which a `let` of the step's own may hide from it.
            trees = lets | inside.trees if lets else around.trees
            own = around._replace(owner=step.name, trees=trees)
            unfit = unmet(step.model, own)
            self.problems += unfit
            if unfit:
                return Node(step.name, "sequence", step.span)
            return self._node(step.name, Site(step.model, own, device))
        arguments = arguments_of(step, around.trees)
        key = key_of(step.model, arguments, device)
        if key is not None and (self._sharing.by_count or self._link):
            key = key, self._processes, self._link
        key = self._where(key)
        if key is not None and key in self._placed:
            return as_step(self._placed[key], step)
        values = self._machine_values(step.model, arguments, device)
        binding, problems = bind(step.model, arguments, values, from_outside=True)
        self.problems += problems
        if problems:
            node = Node(step.name, "sequence", step.span)
        else:
            around_it, self._ranks = self._ranks, None
            node = self._node(step.name, Site(step.model, binding, device))
            self._ranks = around_it
        if key is not None:
            self._placed[key] = node
        return as_step(node, step)

    def _load(self, work: types.Work, site: Site, measured: Expression | None) -> Load | None:
        tree = site.binding.expand(work.value)
        if self._link is not None and work.key == links.NETWORK:
            work = work._replace(key=self._link)
        key = selected(work, site.binding)
        if isinstance(key, Diagnostic):
            self.problems.append(key)
            return None
        place, found = self._match(key, work, site)
        sends = links.sends_by(site.model, self._link)
        if key == links.MESSAGES and sends is not None:
            key = links.latency_of(sends, self._machines[place])
            found = match(key, work, self._machines[place], site.model)
        if measured is not None and work.resource.name == "flops":
            if measured == ZERO and is_zero(constant(fold(tree, rebuild))):
                return None  # of another kind no work was measured
            rate = found.rate if isinstance(found, Served) else None
            roof = self._rate(rate, place) if rate is not None and has_limit(rate) else None
            device, joins = site.device, self._sharing.joins("flops", site.device)
            return Load(key, work.resource, tree, None, work, device, measured, roof, joins=joins)
        idle = not isinstance(found, Served) or found.note is not None
        idle = idle and is_zero(constant(fold(tree, rebuild)))
        if isinstance(found, Diagnostic):
            if idle:  # no work needs no rate
                return Load(key, work.resource, tree, None, work, place)
            if (key, place) not in self._lacking:  # one message for all layers of a network
                self._lacking.add((key, place))
                self.problems.append(found)
            return None
        if found.note is not None and not (idle and isinstance(found, Served)):
            self.notes.setdefault(found.note)
        if isinstance(found, Skipped):
            return None
        rate = found.rate
        symbol = self._rate(rate, place)
        told = symbol is None and work.resource.name == links.MESSAGES and self.machine.name
        if told and not is_zero(constant(fold(tree, rebuild))):
            self.notes.setdefault(links.free(self._machines[place]))
        unit, joins = self._sharing.of(work.resource, key, rate.key, place, sends)
        of = (key, work.resource, tree, symbol, work, place)
        roof = symbol if has_limit(rate) else None
        return Load(*of, roof=roof, unit=unit, served=rate.key, joins=joins)

    def _by_links(self, work: types.Work, site: Site, load: Load | None) -> tuple[Load | None, ...]:
        """Return a load of plain `network` or `messages` by the links that serve it."""
        if load is not None and load.key == links.INSIDE and not is_zero(load.work):
            place, name = self._places[load.device], site.model.name
            told = None if self._ranks is None else links.crowded(name, self._ranks, *place)
            self.notes.update({} if told is None else {told: None})
        if load is None or load.key not in (links.NETWORK, links.MESSAGES) or load.rate is None:
            return (load,)
        machine, served = self._machines[load.device], rate_key(load.rate.name)
        served = served if load.device is None else served.partition(".")[2]
        if load.spent is not None or served == load.key or is_zero(load.work):
            return (load,)
        counted = self._processes is not None
        if load.key == links.NETWORK:
            self.notes.setdefault(links.note(machine, served, counted=counted))
        if self._processes is None or not links.is_node(machine):
            return (load,)
        binding = self._bindings[load.device]
        parts = links.shares(load.work, self._processes, machine, binding)
        return tuple(
            part and replace(part, work=amount, roof=None, unit=load.unit, joins=load.joins)
            for link, amount in zip((links.INSIDE, links.BETWEEN), parts, strict=True)
            for key in [link if load.key == links.NETWORK else links.latency_of(link, machine)]
            for part in [self._load(work._replace(key=key), site, None)]
        )

    def _priced(self, load: Load, model: ModelDefinition) -> Load:
        """Return a load with the energy that serves it, if its place states one."""
        symbol, note = energy_of(load, self.machine, model)
        if note is not None:
            self.notes.setdefault(note)
        return replace(load, energy=symbol)

    def _rate(self, rate: types.Rate, device: str | None) -> Symbol | None:
        """Return the symbol of a rate, None where it is unlimited."""
        return None if rate.value is None else rate_symbol(self.machine, rate.key, device)

    def _match(
        self, key: str, work: types.Work, site: Site
    ) -> tuple[str | None, Served | Skipped | Diagnostic]:
        """Match work on a device, or on the machine itself where the device lacks the resource."""
        model, device, devices = site.model, site.device, self.machine.devices
        having = [name for name, each in devices.items() if _has(each, work.resource.name)]
        if _has(self.machine, work.resource.name):
            if device is None or device not in having:
                return None, match(key, work, self.machine, model)
        elif device is None:
            found = match(key, work, self.machine, model)
            return None, unplaced(model, work, self.machine) if having else found
        return device, match(key, work, devices[device], model)

    def _machine_values(
        self, model: ModelDefinition, arguments: Arguments, device: str | None
    ) -> dict[str, Expression]:
        """Return what `machine.name` means in the defaults of a model, checked against units."""
        machine, binding = self._machines[device], self._bindings[device]
        values: dict[str, Expression] = {}
        dimensions, truths = machine.dimensions(), machine.truths()
        for parameter in model.parameters:
            if parameter.name in arguments or not isinstance(parameter.default, Symbol):
                continue
            if not parameter.default.name.startswith("machine."):
                continue
            name = parameter.default.name.removeprefix("machine.")
            unit, boolean = dimensions.get(name), parameter.kind == "boolean"
            fits = unit == parameter.dimension and (name in truths) == boolean
            if name in binding.trees and fits:
                values[parameter.default.name] = binding.trees[name]
                continue
            self.problems.append(no_default(parameter, model, machine))
        return values


def _has(machine: MachineDefinition, resource: str) -> bool:
    return any(rate.resource.name == resource for rate in machine.rates)


def selected(work: types.Work, binding: Binding) -> str | Diagnostic:
    """Return the resource that work is on, with the kind a precision selects: `flops.fp64`."""
    if work.precision is None:
        return work.key
    tree = binding.expand(work.precision)
    unknown = min((symbol.name for symbol in free_symbols(tree)), default="")
    if not unknown:
        problems: list[Diagnostic] = []
        value = computed(tree, work.selector or "", work.span, problems)
        return problems[0] if value is None else f"{work.key}.{named(value)}"
    label = Label(work.span, "the kind of flops depends on it")
    message = f"'{binding.owner}' needs a value for {unknown}"
    return Diagnostic("R0406", message, (label,), f"give it one: {unknown}=fp64")
