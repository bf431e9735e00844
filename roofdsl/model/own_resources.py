"""The resources that a file declares: their units, and whose time theirs adds to."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.diagnostic import Diagnostic, Reporter, did_you_mean
from roofdsl.model.literal import unit_at
from roofdsl.model.scope import Scope, arrows
from roofdsl.model.tariff import RESULTS
from roofdsl.model.types import Module, Resource
from roofdsl.source import Span
from roofdsl.syntax.nodes import ResourceDeclaration


def add_resources(
    declared: Mapping[str, ResourceDeclaration], module: Module, report: Reporter
) -> None:
    """Enter the resources of a file into its module, those of the files it uses being there."""
    shared = _shared(declared, module, report)
    scope = Scope(report, module.units, {})
    for name, declaration in declared.items():
        if name in RESULTS:
            message = f"'{name}' is a result of every prediction"
            hint = "name the resource otherwise"
            scope.refuse("R0218", message, declaration.name.span, hint=hint)
            continue
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
