"""What binds a prediction over the plane of two unknowns: decided in boxes, by intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from roofdsl.analysis.composition import composed
from roofdsl.analysis.open_machine import open_domain
from roofdsl.analysis.plan import Plan
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.unknown import Unknown
from roofdsl.expression.condition import truth
from roofdsl.expression.defined import Definedness
from roofdsl.expression.order import bottom_up
from roofdsl.expression.substitute import substitute_each
from roofdsl.expression.tree import ONE, ZERO, Comparison, Expression, Function, Logic
from roofdsl.numeric import plane_bounds
from roofdsl.numeric.array_program import Truths
from roofdsl.numeric.plane_algebra import OverBoxes
from roofdsl.numeric.plane_bounds import PlaneBounds
from roofdsl.numeric.plane_cells import UNDECIDED, Codes
from roofdsl.numeric.plane_program import Boxes, PlaneProgram, Value, truth_of

OUTSIDE, NO_VALUE, NOTHING = -2, -3, -4
"""Codes of boxes in which the model allows no values, has none, or takes no time."""
# What the law of composition does with each load, in operations.
_OF_A_LOAD = 8


class Plane:
    """A prediction over the plane of two unknowns, both taken for real numbers.

    `names` are what may bind, in the order of their codes; `size` is what a box takes, in
    operations.
    """

    def __init__(self, prediction: Prediction, x: Unknown, y: Unknown) -> None:
        self.names: tuple[str, ...] = ()
        self._root = prediction.root
        self._composing = prediction.composing
        self._charging = not prediction.is_largest
        plan, names = Plan(prediction), (x.name, y.name)
        domain = open_domain(prediction, x).also(open_domain(prediction, y))
        demands = domain.demands
        unsigned = [Comparison(">=", tree, ZERO) for tree in demands.unsigned]
        defined = [*Definedness(demands.valued, x.name, whole=False).needed(), *unsigned]
        allowed = [*map(_without_places, domain.conditions)]
        loads = prediction.placed
        rates = {
            each.name: each for load in loads for each in (load.rate, load.roof) if each is not None
        }
        self._groups = {
            "amounts": plan.amounts,
            "allowed": allowed,
            "valued": [*map(_without_places, defined)],
            "rates": [*rates.values()],
        }
        self._rates = [*rates]
        known = {n: tree for n, tree in prediction.rates.items() if n not in names}
        every = tuple(tree for group in self._groups.values() for tree in group)
        self._program = PlaneProgram(substitute_each(every, known), names)
        self.size = self._program.size + _OF_A_LOAD * len(loads)

    def decide(self, boxes: Boxes) -> Codes:
        """Return for each box what binds at all values in it that are allowed: a code."""
        small: list[str] = []

        def noted(kind: str, _: int) -> None:
            small.append(kind)

        # Errors are relative, but for what is too small: of boxes with such values nothing is told.
        with np.errstate(all="ignore", under="call", call=noted):
            codes = self._decided(boxes)
        if small:
            codes[:] = UNDECIDED
        return codes

    def _decided(self, boxes: Boxes) -> Codes:
        count = len(boxes.middle[0])
        found = self._found(boxes)
        amounts = zip(self._groups["amounts"], _numbers(found["amounts"]), strict=True)
        values = {id(ONE): plane_bounds.ONE} | {id(tree): value for tree, value in amounts}
        rates = dict(zip(self._rates, _numbers(found["rates"]), strict=True))
        algebra = OverBoxes(boxes, values, rates)
        root = composed(self._root, algebra, self._composing, charging=self._charging)
        self.names = tuple(root.rivals)
        place, decided = algebra.bound([*root.rivals.values()], count)
        idle = algebra.are_nothing([*root.rivals.values()])
        codes = np.where(decided, place, np.where(idle, np.int8(NOTHING), np.int8(UNDECIDED)))
        for name, code in (("valued", NO_VALUE), ("allowed", OUTSIDE)):
            for certain, possible in map(truth_of, found[name]):
                codes[~_everywhere(certain, count)] = UNDECIDED
                codes[~_everywhere(possible, count)] = code
        return codes

    def _found(self, boxes: Boxes) -> Mapping[str, list[Value]]:
        values = iter(self._program.over(boxes))
        return {name: [next(values) for _ in group] for name, group in self._groups.items()}


def _numbers(values: Iterable[Value]) -> list[PlaneBounds]:
    return [x if isinstance(x, PlaneBounds) else plane_bounds.UNKNOWN for x in values]


def _everywhere(found: Truths, count: int) -> Truths:
    return np.broadcast_to(found, (count,))


def _without_places(condition: Expression) -> Expression:
    """Take what asks for a whole number, or for none, for what holds.

    The one holds at single places, the other everywhere but there: neither has an area.
    """
    if isinstance(condition, Logic) and condition.operator != "not":
        return Logic(condition.operator, tuple(map(_without_places, condition.operands)))
    asks = (isinstance(x, Function) and x.name == "is_integer" for x in bottom_up(condition))
    return truth(True) if any(asks) else condition
