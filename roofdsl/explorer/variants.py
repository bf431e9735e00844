"""A model on a machine with its parameters open, as data that numbers can be put into."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from roofdsl.algebra.simplify import simplify_ratio
from roofdsl.analysis.algebras import Formulas
from roofdsl.analysis.intensity import INTENSITIES
from roofdsl.analysis.load import Load
from roofdsl.analysis.node import Node
from roofdsl.analysis.open_placing import OpenPlacing
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.totals import totals
from roofdsl.explorer import data
from roofdsl.explorer.controls import units
from roofdsl.explorer.formulas import Functions, Templates
from roofdsl.explorer.machines import rate_symbols, tables_of
from roofdsl.expression.construct import multiply
from roofdsl.expression.tree import ONE, Comparison, Expression, Logic, Number, Symbol
from roofdsl.model.types import MachineDefinition
from roofdsl.numeric.decision import NEARLY

MOST_SHOWN = 12
"""The formulas of a composition of more loads are too long to be read."""
_COUNTED = ("flops", "memory", "network")
_NEARLY = Fraction(NEARLY)


def variant(
    prediction: Prediction,
    placing: OpenPlacing,
    functions: Functions,
    templates: Templates,
    trees: dict[data.StepTree, int],
) -> data.Variant:
    """Return a prediction as data; its tree goes into `trees`, which several variants share."""
    collected = _Loads(prediction.machine, placing, functions)
    tree = collected.tree(prediction.root)
    places = rate_symbols(prediction.machine)
    roofs = [prediction.roof(resource) for resource in _COUNTED]
    main = [places.get(symbol.name, -1) if symbol is not None else -1 for symbol in roofs]
    tables = [id(table) for table in tables_of(prediction.machine)]
    binding = prediction.binding
    return data.Variant(
        trees.setdefault(tree, len(trees)),
        tuple(collected.keys),
        tuple(collected.loads),
        tuple(
            (tables.index(id(item.table)), tuple(map(functions.place, item.arguments)))
            for item in placing.lookups
        ),
        tuple(
            data.Named(
                item.name,
                functions.place(binding.trees[item.name]),
                units(item.formula.dimension),
            )
            for item in prediction.model.intermediates
        ),
        tuple(
            data.Named(text, functions.place(condition))
            for text, condition in [*placing.checks.items(), *_possible(prediction)]
        ),
        tuple(
            data.Named(item.name, functions.place(item.amount), units(item.dimension))
            for item in prediction.tallies()
        ),
        _total(prediction, functions),
        (main[0], main[1], main[2]),
        prediction.notes,
        () if placing.lookups else tuple(_formulas(prediction, templates)),
    )


def _total(prediction: Prediction, functions: Functions) -> int:
    flops = prediction.together.get("flops")
    if flops is None:
        return data.UNKNOWN
    stated = prediction.root.together
    return data.EVEN if stated is not None and stated.even else functions.place(flops)


def _possible(prediction: Prediction) -> Iterator[tuple[str, Expression]]:
    """Yield what the totals that are stated must lie between, as `totals.refuted` has it."""
    found = totals(prediction.root, prediction.formulas, Formulas())
    for stated, total, processes, work in found.claims:
        least = multiply(Number(1 - _NEARLY), work)
        most = multiply(Number(1 + _NEARLY), processes, work)
        within = (Comparison("<=", least, total), Comparison("<=", total, most))
        text = f"total {stated.key} must lie between what one process does and what all can do"
        yield text, Logic("and", within)


class _Loads:
    """Collects the loads of all kernels, each once."""

    def __init__(
        self, machine: MachineDefinition, placing: OpenPlacing, functions: Functions
    ) -> None:
        self.keys: dict[data.Key, int] = {}
        self.loads: dict[tuple[int, int, int], int] = {}
        self._functions = functions
        self._rates = rate_symbols(machine)
        self._unserved = {id(load) for load in placing.unserved}

    def tree(self, node: Node) -> data.StepTree:
        return data.StepTree(
            node.arrangement,
            node.name,
            node.model,
            None if node.count is ONE else self._functions.place(node.count),
            None if node.stated is None else self._functions.place(node.stated),
            tuple(self._place(load) for load in node.loads),
            tuple(self.tree(child) for child in node.children),
        )

    def _place(self, load: Load) -> int:
        counted = int(load.counted and load.resource.name in _COUNTED)
        key = data.Key(
            load.name,
            load.group,
            load.resource.name,
            self._rate(load),
            -1 if load.roof is None else self._rates[load.roof.name],
            load.device or "",
            units(load.resource.dimension),
            _measured(load.spent),
        )
        place = self.keys.setdefault(key, len(self.keys))
        item = (place, self._functions.place(load.work), counted)
        return self.loads.setdefault(item, len(self.loads))

    def _rate(self, load: Load) -> int:
        if load.rate is not None:
            return self._rates[load.rate.name]
        return -2 if id(load) in self._unserved else -1


def _measured(spent: Expression | None) -> int:
    if isinstance(spent, Symbol):
        return int(spent.name.removeprefix("measured:"))
    return -1


def _formulas(prediction: Prediction, templates: Templates) -> Iterator[tuple[str, int]]:
    """Yield the formulas of a kernel, or of a composition that is short."""
    if len(prediction.loads) > MOST_SHOWN or not prediction.is_kernel:
        return
    shown: dict[str, Expression] = {load.name: load.work for load in prediction.loads}
    for name in INTENSITIES:
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
