"""The models and machines of a file, each built when first needed: order does not matter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from roofdsl.diagnostic import Diagnostic, Reporter, RoofError, did_you_mean, listing
from roofdsl.model.layer import Layer, Words
from roofdsl.model.machine import MachineBuilder
from roofdsl.model.made_from import made_from
from roofdsl.model.model_builder import ModelSyntax, built_model, variant
from roofdsl.model.neighbours import Neighbours, Sort
from roofdsl.model.scope import defined_twice
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module
from roofdsl.source import Span
from roofdsl.syntax import nodes
from roofdsl.syntax.comments import doc_comment
from roofdsl.syntax.expressions import PathSyntax

DEEPEST = 60
_Declared = TypeVar("_Declared", ModelSyntax, nodes.MachineDeclaration)
_Definition = TypeVar("_Definition", ModelDefinition, MachineDefinition)


class Definitions:
    """Builds the models and machines that a file declares into its module."""

    def __init__(
        self,
        module: Module,
        declarations: Sequence[nodes.Declaration],
        neighbours: Neighbours,
        report: Reporter,
    ) -> None:
        self._module = module
        self._neighbours = neighbours
        self._reported = report
        self._errors = 0
        self._unsound: set[str] = set()
        self._active: list[str] = []
        self._broken: set[str] = set()
        self._models: dict[str, ModelSyntax] = {}
        self._machines: dict[str, nodes.MachineDeclaration] = {}
        uses = [item.name for item in declarations if isinstance(item, nodes.UseDeclaration)]
        path = module.source.path
        folder = path.parent if path is not None else Path.cwd()
        self._words = Words(module.units, module.resources, module.functions, folder)
        self._used = {name.name: name.span for name in uses}
        self._places = dict(self._used)
        self.add(declarations)

    def add(self, declarations: Sequence[nodes.Declaration]) -> None:
        """Take note of models and machines, to be built when they are asked for."""
        for item in declarations:
            if isinstance(item, ModelSyntax | nodes.MachineDeclaration):
                name = item.name
                first = self._places.setdefault(name.name, name.span)
                if first is not name.span:
                    self._report(defined_twice(name, first))
                elif not isinstance(item, nodes.MachineDeclaration):
                    self._models[name.name] = item
                else:
                    self._machines[name.name] = item

    def _report(self, problem: Diagnostic) -> None:
        self._errors += problem.severity == "error"
        self._reported(problem)

    def build(self) -> None:
        """Build all of them, in the order of the text."""
        for name, model in self._models.items():
            self.model(name, model.name.span)
        for name, machine in self._machines.items():
            self.machine(name, machine.name.span)
        # Those built early, because another needed them, go back to their place.
        _reorder(self._module.models, self._models)
        _reorder(self._module.machines, self._machines)

    def model(self, name: str, use: Span) -> ModelDefinition | None:
        """Return a model by the name it has in this file; report why there is none."""
        own, build = self._models, self._build_model
        return self._definition("model", name, use, own, build, lambda module: module.models)

    def machine(self, name: str, use: Span) -> MachineDefinition | None:
        """Return a machine by the name it has in this file; report why there is none."""
        own, build = self._machines, self._build_machine
        return self._definition("machine", name, use, own, build, lambda module: module.machines)

    def _definition(
        self,
        sort: Sort,
        name: str,
        use: Span,
        own: Mapping[str, _Declared],
        build: Callable[[_Declared], _Definition | None],
        table: Callable[[Module], dict[str, _Definition]],
    ) -> _Definition | None:
        if name not in own:
            return self._elsewhere(sort, name, use, own, table)
        built = table(self._module)
        if name not in built and self._enter(name, use):
            errors = self._errors
            try:
                found = build(own[name])
            finally:
                self._active.pop()
            if self._errors > errors:
                self._unsound.add(name)
            if found is None:
                self._broken.add(name)
            else:
                built[name] = found
        return built.get(name)

    def _enter(self, name: str, use: Span) -> bool:
        """Note that a definition is being built; report a circle of them, and refuse it."""
        if name in self._broken:
            return False
        if name not in self._active and len(self._active) < DEEPEST:
            self._active.append(name)
            return True
        self._broken.add(name)
        if name in self._active:
            circle = " → ".join([*self._active[self._active.index(name) :], name])
            around = self._active[self._active.index(name) :]
            based = any(each in self._models and self._models[each].base for each in around)
            sort = "machines" if name in self._machines else "models" if based else "steps"
            hint = f"a circle of {sort} never ends"
            message = f"'{name}' is made of itself: {circle}"
        else:
            message = f"models nest deeper than {DEEPEST} levels here"
            hint = "write some of the steps out in one model"
        self._report(Diagnostic.at("R0219", message, use, hint=hint))
        return False

    def _elsewhere(
        self,
        sort: Sort,
        name: str,
        use: Span,
        own: Iterable[str],
        table: Callable[[Module], dict[str, _Definition]],
    ) -> _Definition | None:
        """Return a definition of a used or bundled module."""
        first, _, rest = name.partition(".")
        used = self._module.imports.get(first)
        if used is None and (first in self._used or (rest and self._used_wrongly(first))):
            return None  # why it cannot be used has been reported
        try:
            found = (used, rest or None) if used else self._neighbours.bundled(name, sort)
        except RoofError as error:
            message = f"the bundled {sort} '{name}' has errors"
            self._report(Diagnostic.at("R0005", message, use, notes=(str(error),)))
            return None
        if found is not None:
            module, inner = found
            definitions = table(module)
            if inner is None and len(definitions) == 1:
                return next(iter(definitions.values()))
            for stem in (inner or first, name.rpartition(".")[2]):
                if stem in definitions:
                    return definitions[stem]
        known = [*own, *self._neighbours.names(sort)]
        other = f"`roofdsl list` names the bundled {sort}s"
        if used is not None:
            known = [f"{first}.{each}" for each in table(used)]
            other = f"there are {listing(known)}" if known else f"'{first}' holds no {sort}"
        hint = did_you_mean(name, known) or other
        held = [each for each, module in self._module.imports.items() if name in table(module)]
        if held:
            hint = f"write `{held[0]}.{name}`: it stands in a file that is used"
        if name in self._models or name in self._machines:
            hint = f"'{name}' is a {'machine' if sort == 'model' else 'model'}"
        self._report(Diagnostic.at("R0207", f"there is no {sort} '{name}'", use, hint=hint))
        return None

    def _used_wrongly(self, name: str) -> bool:
        """Whether a `use` that could not be read would have given a file this name."""
        pattern = rf"^[ \t]*use\b[^\n#]*\b{name}\b[^\w\n#]*$"
        return re.search(pattern, self._module.source.text, re.MULTILINE) is not None

    def _build_model(self, declaration: ModelSyntax) -> ModelDefinition | None:
        name, is_mix = declaration.name, isinstance(declaration, nodes.MixDeclaration)
        models: dict[str, ModelDefinition] = {}
        own = Layer(name.name, declaration.items, self._words, models=models)
        if declaration.base is not None:
            base = self._base(declaration.base, self.model)
            if base is None or not self._of_one_sort(declaration, base):
                return None
            return variant(declaration, base, own, self._report)
        if is_mix and not any(isinstance(x, nodes.JobStatement) for x in declaration.items):
            message, hint = "a mix without a job", "add one: `job name = 3 * model(…)`"
            self._report(Diagnostic.at("R0225", message, name.span, hint=hint))

        def find(name: str, use: Span) -> ModelDefinition | None:
            found = self.model(name, use)
            if found is not None:
                models[name] = found
            return found

        return built_model(declaration, [own], find, self._report)

    def _base(
        self, path: PathSyntax, find: Callable[[str, Span], _Definition | None]
    ) -> _Definition | None:
        """Return what a definition is made from, None where that has errors, which are reported."""
        found = find(path.text, path.span)
        return None if path.text in self._unsound else found

    def _of_one_sort(self, declaration: ModelSyntax, base: ModelDefinition) -> bool:
        """Whether a model is made from a model, a mix from a mix; report where not."""
        assert declaration.base is not None
        if base.is_mix == isinstance(declaration, nodes.MixDeclaration):
            return True
        sort, other = ("mix", "model") if base.is_mix else ("model", "mix")
        message = f"'{base.name}' is a {sort}, so no {other} is made from it"
        hint = f"write `{sort} {declaration.name.name} = {declaration.base.text} with {{ … }}`"
        self._report(Diagnostic.at("R0219", message, declaration.base.span, hint=hint))
        return False

    def _build_machine(self, declaration: nodes.MachineDeclaration) -> MachineDefinition | None:
        name, path = declaration.name, declaration.base
        base = None if path is None else self._base(path, self.machine)
        if path is not None and base is None:
            return None
        own = Layer(name.name, declaration.items, self._words, self._machines_of(declaration))
        layers = (*(base.layers if base else ()), own)
        doc = doc_comment(declaration.span)
        machine = MachineBuilder(name.name, layers, self._report).built(name.span, doc)
        return machine if base is None else made_from(base, machine, [own])

    def _machines_of(self, declaration: nodes.MachineDeclaration) -> dict[str, MachineDefinition]:
        """Return the machines that devices of a machine are, by the names they have there."""
        paths = {
            item.path.text: item.path.span
            for item in declaration.items
            if isinstance(item, nodes.DeviceStatement) and item.path is not None
        }
        found = {path: self.machine(path, place) for path, place in paths.items()}
        return {path: machine for path, machine in found.items() if machine is not None}


def _reorder(built: dict[str, _Definition], order: Iterable[str]) -> None:
    for name in order:
        if name in built:
            built[name] = built.pop(name)
