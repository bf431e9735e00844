"""The words of a file: the units, resources and functions it declares or takes from others."""

from __future__ import annotations

from collections.abc import Sequence

from roofdsl.diagnostic import Diagnostic, Reporter
from roofdsl.model.neighbours import Neighbours
from roofdsl.model.own_functions import check, define
from roofdsl.model.own_resources import add_resource, add_resources
from roofdsl.model.own_units import add_unit, add_units
from roofdsl.model.resource import BUILT_IN as RESOURCES
from roofdsl.model.scope import defined_twice
from roofdsl.model.types import Module
from roofdsl.source import Source, Span
from roofdsl.syntax import nodes
from roofdsl.syntax.expressions import Identifier
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
        source.uses.append(earlier.source.digest)
        source.earlier = earlier.source
        redeclared = {x.name.name for x in declarations if isinstance(x, nodes.UnitDeclaration)}
        module.units.update({n: x for n, x in earlier.units.items() if n not in redeclared})
        module.functions.update(earlier.functions)
        module.imports.update(earlier.imports)
        anew = [item for item in declarations if isinstance(item, nodes.ResourceDeclaration)]
        names = {item.name.name for item in anew}
        kept = {name: item for name, item in earlier.resources.items() if name not in names}
        module.resources.update(kept)
    places: dict[str, Span] = {}
    units: dict[str, nodes.UnitDeclaration] = {}
    resources: dict[str, nodes.ResourceDeclaration] = {}
    functions: list[str] = []
    for declaration in declarations:
        match declaration:
            case nodes.UseDeclaration():
                _use(declaration, module, places, neighbours, report)
            case nodes.UnitDeclaration(name=name):
                if _new(name, places, report, "unit" if unit_named(name.name) else ""):
                    units[name.name] = declaration
            case nodes.ResourceDeclaration(name=name):
                if _new(name, places, report, "resource" if name.name in RESOURCES else ""):
                    resources[name.name] = declaration
            case nodes.FunctionDeclaration(name=name):
                if _new(name, places, report):
                    define(declaration, module.functions, module.units, report)
                    functions.append(name.name)
    add_units(units, module, report)
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
    module.source.uses.append(used.source.digest)
    for unit in used.units.values():
        add_unit(unit, name.span, module, report)
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
