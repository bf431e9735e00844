"""A model on a machine with its parameters open, as data that numbers can be put into."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from roofdsl.algebra.simplify import simplify_ratio
from roofdsl.analysis.demands import possible_totals
from roofdsl.analysis.load import Load
from roofdsl.analysis.node import Node
from roofdsl.analysis.open_placing import MEASURED, OpenPlacing
from roofdsl.analysis.prediction import Prediction
from roofdsl.explorer.controls import Described, Units, units
from roofdsl.explorer.formulas import Functions, Templates
from roofdsl.explorer.machines import rate_symbols, tables_of
from roofdsl.explorer.reckoned import reckoned
from roofdsl.expression.tree import ONE, Expression, Symbol
from roofdsl.model.types import MachineDefinition
from roofdsl.units.dimension import DIMENSIONLESS, Dimension

MOST_SHOWN = 12
"""The formulas of a composition of more loads are too long to be read."""
_COUNTED = ("flops", "memory", "network")
_NOT_COUNTED = ("messages",)
UNKNOWN, EVEN = -1, -2
"""What stands for the total of a model that states none, or whose processes all do the same."""


class _Key(NamedTuple):
    """A resource that kernels work on: its name, the group its time adds to, the machine's rate.

    `rate` is -1 where nothing limits it, -2 where the machine has none; `roof` is the rate of flops
    that bounds it even where its time was measured, or -1; `measured` is the place of a lookup, or
    -1. `joins` are what joins the group with others.
    """

    name: str
    group: str
    resource: str
    rate: int
    roof: int
    device: str
    units: Units
    measured: int
    joins: tuple[str, ...]


def variant(
    prediction: Prediction,
    placing: OpenPlacing,
    functions: Functions,
    templates: Templates,
    trees: list[Described],
) -> Described:
    """Return a model on a machine, for one choice of its precisions, as data.

    `tree` is a place in `trees`, which several variants share; `loads` are what the kernels there
    mean by their numbers: a key, a formula, whether it counts as the kernel's work on the resource,
    and the formulas of the work that it needs at the rate of large work, and of its start-up, or
    None. `lookups` are what was measured: one of the machine's tables, and the formulas of its
    arguments and of the work, or None for an operation. `total` is the formula of the flops of all
    processes, or `EVEN` or `UNKNOWN`; `formulas` are shown, by the quantity's name and the place of
    the template; `own` are the roofs of the resources that files declare.
    """
    functions.know(f"{MEASURED}{place}" for place in range(len(placing.lookups)))
    collected = _Loads(prediction.machine, placing, functions)
    tree = collected.tree(prediction.root)
    if tree not in trees:
        trees.append(tree)
    places = rate_symbols(prediction.machine)
    roofs = {name: prediction.roof(name) for name in (*_COUNTED, *prediction.own)}
    at = {name: -1 if each is None else places.get(each.name, -1) for name, each in roofs.items()}
    tables = [id(table) for table in tables_of(prediction.machine)]
    binding = prediction.binding

    def named(name: str, tree: Expression, dimension: Dimension = DIMENSIONLESS) -> Described:
        return {"name": name, "function": functions.place(tree), "units": units(dimension)}

    return {
        "tree": trees.index(tree),
        "keys": [key._asdict() for key in collected.keys],
        "loads": [*collected.loads],
        "lookups": [
            (
                tables.index(id(item.table)),
                [*map(functions.place, item.arguments)],
                functions.place_or_none(item.work),
            )
            for item in placing.lookups
        ],
        "lets": [
            named(item.name, binding.trees[item.name], item.formula.dimension)
            for item in prediction.model.intermediates
        ],
        "requirements": [
            named(text, condition)
            for text, condition in [*placing.checks.items(), *possible_totals(prediction)]
        ],
        "tallies": [named(item.name, item.amount, item.dimension) for item in prediction.tallies()],
        **reckoned(prediction, functions),
        "total": _total(prediction, functions),
        "roof": [at[name] for name in _COUNTED],
        "own": {name: at[name] for name in prediction.own},
        "notes": prediction.notes,
        "formulas": [] if placing.lookups else [*_formulas(prediction, templates)],
    }


def _total(prediction: Prediction, functions: Functions) -> int:
    flops = prediction.together.get("flops")
    if flops is None:
        return UNKNOWN
    stated = prediction.root.together
    return EVEN if stated is not None and stated.even else functions.place(flops)


class _Loads:
    """Collects the loads of all kernels, each once."""

    def __init__(
        self, machine: MachineDefinition, placing: OpenPlacing, functions: Functions
    ) -> None:
        self.keys: dict[_Key, int] = {}
        self.loads: dict[tuple[int, int, int, int | None, int | None], int] = {}
        self._functions = functions
        self._rates = rate_symbols(machine)
        self._unserved = {(id(load.stated), load.name) for load in placing.unserved}

    def tree(self, node: Node) -> Described:
        """Return a part of a composition: `count` is the formula of how often it runs.

        A kernel has `loads`, and `stated` where its time is; `start` is what its start-up is called
        and the formula of that.
        """
        start = node.start
        return {
            "arrangement": node.arrangement,
            "name": node.name,
            "model": node.model,
            "count": None if node.count is ONE else self._functions.place(node.count),
            "stated": self._functions.place_or_none(node.stated),
            "start": None if start is None else [start.name, self._functions.place(start.time)],
            "loads": [self._place(load) for load in node.loads],
            "children": [self.tree(child) for child in node.children],
        }

    def _place(self, load: Load) -> int:
        counted = int(load.counted and load.resource.name not in _NOT_COUNTED)
        key = _Key(
            load.name,
            load.group,
            load.resource.name,
            self._rate(load),
            -1 if load.roof is None else self._rates[load.roof.name],
            load.device or "",
            units(load.resource.dimension),
            _measured(load.spent),
            load.joins,
        )
        place = self.keys.setdefault(key, len(self.keys))
        needed, start = map(self._functions.place_or_none, (load.needed, load.start))
        item = (place, self._functions.place(load.work), counted, needed, start)
        return self.loads.setdefault(item, len(self.loads))

    def _rate(self, load: Load) -> int:
        if load.rate is not None:
            return self._rates[load.rate.name]
        return -2 if (id(load.stated), load.name) in self._unserved else -1


def _measured(spent: Expression | None) -> int:
    if isinstance(spent, Symbol):
        return int(spent.name.removeprefix(MEASURED))
    return -1


def _formulas(prediction: Prediction, templates: Templates) -> Iterator[tuple[str, int]]:
    """Yield the formulas of a kernel, or of a composition that is short."""
    if len(prediction.loads) > MOST_SHOWN or not prediction.is_kernel:
        return
    shown: dict[str, Expression] = {load.name: load.work for load in prediction.loads}
    for name in prediction.intensity_units:
        tree = prediction.intensity(name)
        if tree is not None:
            shown[name] = simplify_ratio(tree)
    for name, tree in prediction.times().items():
        shown[f"time on {name}"] = simplify_ratio(tree)
    shown["time"] = prediction.time()
    shown["attainable"] = prediction.attainable()
    for name, tree in shown.items():
        place = templates.place(tree)
        if place is not None:
            yield name, place
