"""The words of a file: the units, resources and functions it declares or takes from others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofdsl.diagnostic import Diagnostic, Reporter, did_you_mean
from roofdsl.model.literal import unit_at
from roofdsl.model.own_functions import check, define
from roofdsl.model.resource import BUILT_IN as RESOURCES
from roofdsl.model.scope import Scope, arrows, defined_twice
from roofdsl.model.types import Module, Neighbours, Resource
from roofdsl.source import Source, Span
from roofdsl.syntax import nodes
from roofdsl.syntax.expressions import Identifier
from roofdsl.syntax.nodes import ResourceDeclaration
from roofdsl.units.dimension import Dimension
from roofdsl.units.unit import unit_named


def vocabulary(
    source: Source,
    declarations: Sequence[nodes.Declaration],
    neighbours: Neighbours,
    report: Reporter,
    earlier: Module | None = None,
) -> Module:
    """Return a module that knows its words, and does not hold its models and machines yet.

    It knows those of `earlier`, too, unless it declares them anew.
    """
    tests = tuple(item for item in declarations if isinstance(item, nodes.TestDeclaration))
    module = Module(source, tests=tests)
    module.resources.update(RESOURCES)
    if earlier is not None:
        module.units.update(earlier.units)
        module.functions.update(earlier.functions)
        module.imports.update(earlier.imports)
        anew = [item for item in declarations if isinstance(item, nodes.ResourceDeclaration)]
        names = {item.name.name for item in anew}
        kept = {name: item for name, item in earlier.resources.items() if name not in names}
        module.resources.update(kept)
    places: dict[str, Span] = {}
    resources: dict[str, nodes.ResourceDeclaration] = {}
    functions: list[str] = []
    for declaration in declarations:
        match declaration:
            case nodes.UseDeclaration():
                _use(declaration, module, places, neighbours, report)
            case nodes.UnitDeclaration(name=name):
                if _new(name, places, report, "unit" if unit_named(name.name) else ""):
                    module.units[name.name] = Dimension.base(name.name)
            case nodes.ResourceDeclaration(name=name):
                if _new(name, places, report, "resource" if name.name in RESOURCES else ""):
                    resources[name.name] = declaration
            case nodes.FunctionDeclaration(name=name):
                if _new(name, places, report):
                    define(declaration, module.functions, module.units, report)
                    functions.append(name.name)
    add_resources(resources, module, report)
    check(functions, module.functions, report)
    return module


def _use(
    declaration: nodes.UseDeclaration,
    module: Module,
    places: dict[str, Span],
    neighbours: Neighbours,
    report: Reporter,
) -> None:
    used = neighbours.used(declaration, report)
    name = declaration.name
    if not _new(name, places, report) or used is None:
        return
    module.imports[name.name] = used
    module.units.update(used.units)
    for resource in used.resources.values():
        add_resource(resource, name.span, module, report)
    for key, function in used.functions.items():
        if "." not in key:
            module.functions[f"{name.name}.{key}"] = function


def _new(name: Identifier, places: dict[str, Span], report: Reporter, known: str = "") -> bool:
    """Whether a name is new in a file; report what has it: a `known` thing, or a declaration."""
    if known:
        why = f"'{name.name}' is a {known} of the language"
        report(Diagnostic.at("R0218", why, name.span, hint="choose another name"))
        return False
    first = places.setdefault(name.name, name.span)
    if first is not name.span:
        report(defined_twice(name, first))
    return first is name.span


def add_resources(
    declared: Mapping[str, ResourceDeclaration], module: Module, report: Reporter
) -> None:
    """Enter the resources of a file into its module, those of the files it uses being there."""
    shared = _shared(declared, module, report)
    scope = Scope(report, module.units, {})
    for name, declaration in declared.items():
        unit = unit_at(declaration.unit.name, declaration.unit.span, scope)
        if unit is not None:
            resource = Resource(name, unit[1], shared.get(name))
            add_resource(resource, declaration.name.span, module, report)


def add_resource(resource: Resource, place: Span, module: Module, report: Reporter) -> None:
    """Enter a resource; report, at `place`, that the module has another one of its name."""
    known = module.resources.get(resource.name, resource)
    module.resources[resource.name] = resource
    if known.dimension != resource.dimension:
        here, there = resource.dimension.describe(), known.dimension.describe()
        what = f"is measured in {here} here, and in {there} elsewhere"
    elif known.shares != resource.shares:
        here, there = resource.shares or "nothing", known.shares or "nothing"
        what = f"shares {here} here, and {there} elsewhere"
    else:
        return
    hint = "files that are used share their resources: rename one of the two"
    report(Diagnostic.at("R0202", f"'{resource.name}' {what}", place, hint=hint))


def _shared(
    declared: Mapping[str, ResourceDeclaration], module: Module, report: Reporter
) -> dict[str, str]:
    """Return whose time that of each resource adds to in the end: never one that shares itself."""
    direct = {name: item.shares for name, item in declared.items() if item.shares is not None}
    final: dict[str, str] = {}
    for name in direct:
        chain = {name: None}
        end = name
        while end in direct and end not in final:
            target = direct[end]
            if target.name in chain:
                circle = [*list(chain)[list(chain).index(target.name) :], target.name]
                message = f"resources share each other in a circle: {arrows(circle)}"
                hint = "one of them must stand alone"
                report(Diagnostic.at("R0203", message, target.span, hint=hint))
                final[end] = end
            else:
                end = target.name
                chain[end] = None
                known = [*module.resources, *declared]
                if end not in known:
                    hint = did_you_mean(end, known) or f"resources: {', '.join(known)}"
                    message = f"there is no resource '{end}'"
                    report(Diagnostic.at("R0214", message, target.span, hint=hint))
        if end in module.resources:
            end = module.resources[end].shares or end
        final.update(dict.fromkeys(chain, final.get(end, end)))
    return {name: final[name] for name in direct}
