"""Find the place where two formulas cross, in an interval in which they cross exactly once."""

from __future__ import annotations

from math import exp, inf, isfinite, log, sqrt, ulp

from roofdsl.allowance import Budget
from roofdsl.numeric.pair import Pair

_MOST_STEPS = 80
# An enclosure of so many units in the last place is good enough to do without more than floats.
NARROW = 8
# The same where what counts is proven otherwise, as for whole numbers: a relative 1e-12, which is
# more than anybody prints. Exact signs take a library of their own, and time.
WIDE = 4096


def approximate_root(pair: Pair, low: float, high: float, direction: int) -> float:
    """Return about where `left / right` crosses 1 between two numbers > 0.

    By Newton's iteration in log x, where most formulas are nearly straight, kept between what is
    known. `direction`: 1 where the ratio grows, else -1.
    """
    # Nothing here is rounded outwards, as nothing is proven: the root is a place to begin at, and
    # whoever uses it asks for signs. `low` and `high` close in, whatever the slopes say.
    x = sqrt(low) * sqrt(high)
    for _ in range(_MOST_STEPS):
        a, b = pair.left.over(x, x), pair.right.over(x, x)
        left, right = (a[0] + a[1]) / 2, (b[0] + b[1]) / 2
        if (left - right) * direction > 0:
            high = x
        else:
            low = x
        better = sqrt(low) * sqrt(high)
        if left > 0 and right > 0 and left < inf and right < inf:
            slope = (a[2] + a[3] - b[2] - b[3]) / 2
            if slope and isfinite(slope):
                step = -(log(left / right) if 0.5 < left / right < 2 else log(left) - log(right))
                step /= slope
                if abs(step) < 700 and low < x * exp(step) < high:
                    better = x * exp(step)
        if abs(better - x) <= ulp(x):
            return better
        x = better
    return x


def enclose_root(
    pair: Pair,
    low: int | float,
    high: int | float,
    direction: int,
    budget: Budget,
    *,
    units: int = NARROW,
) -> tuple[float, float]:
    """Return floats close together between which `left - right` changes its sign.

    It does so between `low` and `high`, and is continuous there; its sign at `high` is `direction`.
    `units`: how far apart they may be, in units of the last place.
    """
    bottom, top = float(low), float(high)
    budget.spend(10 * pair.cost)
    root = approximate_root(pair, bottom, top, direction)
    bottom, root = _narrowed(pair, (bottom, root, top), direction, budget, units)
    return bottom, root


def _narrowed(
    pair: Pair, places: tuple[float, float, float], direction: int, budget: Budget, units: int
) -> tuple[float, float]:
    low, root, high = places
    # Places to both sides of the root, ever further, until the sign at each is proven: by the
    # intermediate value theorem the change lies between them.
    step = ulp(root)
    below, above = low, high
    width = 4
    while width < 2**20:
        if below == low and (x := root - width * step) > low and pair.order_near(x) == -direction:
            below = x
        if above == high and (x := root + width * step) < high and pair.order_near(x) == direction:
            above = x
        if below > low and above < high:
            break
        width *= 2
    # Floats have come as far as they can; the exact sign goes further, at a price. Wherever this
    # ends, the signs at both ends are proven.
    while above - below > units * step and budget.left:
        middle = below + (above - below) / 2
        if not below < middle < above:
            break
        order = pair.order_at(middle, budget)
        if order == direction:
            above = middle
        elif order == -direction:
            below = middle
        elif order == 0:
            return middle, middle
        else:
            break  # not even exact numbers tell: what is enclosed so far is true as it stands
    return below, above
