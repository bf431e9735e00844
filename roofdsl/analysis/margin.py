"""How firm a bound is: how far the next resource is, and how far all rates may be off.

The tolerance of a bound is the largest relative change, of all rates together, up and down, under
which it stays the bound whatever each of them does (Wendell 1985, "The tolerance approach to
sensitivity analysis in linear programming", Management Science 31, has it of linear programs).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

from roofdsl.analysis.composition import Composed, Composing
from roofdsl.analysis.load import rate_key
from roofdsl.analysis.prediction import Prediction
from roofdsl.diagnostic import listing
from roofdsl.expression.tree import Expression
from roofdsl.model.tally import models_in
from roofdsl.read_only import ByName, ReadOnly

if TYPE_CHECKING:
    from roofdsl.analysis.uncertain_numbers import OpenNumber
    from roofdsl.analysis.uncertainty import Uncertainty

NEVER = 1 - 1e-9
"""A change of the rates by more, short of all, is not told from all."""
_BEYOND = 1e-9
_DIGITS = 3
"""A tolerance within rounding of a number of so many digits is compared with it exactly."""
_ROUNDING = 1e-12


class Turned(NamedTuple):
    """Rates at which another is the bound: each the machine's, times its factor in `rates`.

    None of them is off by more than `change`, relatively.
    """

    change: float
    bound: str
    rates: dict[str, float]


class Margin(NamedTuple):
    """How firm a bound is.

    The time charged to it is `ratio` times that charged to `next`; both are None where all time is
    charged to it. It is the bound for all rates that are off by less than `tolerance`, relatively,
    each up or down; 1 or more where it holds however slow they are. `turned` are rates near by at
    which it is not, None where no rates were found.
    """

    bound: str
    next: str | None
    ratio: float | None
    tolerance: float
    turned: Turned | None


class Within(NamedTuple):
    """What binds for all numbers within their `±`: one for all; or several, each for some; or open.

    `bounds` are those that were found, the one at the numbers as stated first.
    """

    verdict: Literal["all", "depends", "undecided"]
    bounds: tuple[str, ...]


class UncertaintyOf(ByName, Mapping[str, "Uncertainty"]):
    """What the numbers with `±` do to each quantity that depends on them; empty where none has it.

    `why` says why nothing is answered, "" where all is. `numbers` are those with `±`, by name.
    """

    why = ""
    numbers: Mapping[str, OpenNumber] = ReadOnly({})

    def __repr__(self) -> str:
        by = f"by {listing(self.numbers)}" if self.numbers else "nothing"
        return f"<{type(self).__name__} {by}>"

    @property
    def bound(self) -> Within | None:
        """What binds for all numbers within their `±`, None where none has it or nothing binds."""
        return None

    def is_fixed(self, name: str) -> bool:
        """Whether a quantity is known to depend on none of these numbers."""
        return name not in self

    def __getitem__(self, name: str) -> Uncertainty:
        self.__missing__(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


class Rivalry:  # no slots: the margin is worked out once
    """What a margin follows from, which is worked out once it is asked for.

    `amounts` are the values of what the model states, by the formulas, `known` the exact
    values of what is open in these.
    """

    def __init__(
        self,
        prediction: Prediction,
        parts: Composed[float],
        amounts: Mapping[Expression, float],
        known: Mapping[str, Expression],
        composing: Composing,
    ) -> None:
        self.prediction = prediction
        self.parts = parts
        self.amounts = amounts
        self.known = known
        self.composing: Composing = composing

    @cached_property
    def margin(self) -> Margin | None:
        """How firm the bound is, None where nothing competes with it at any rates.

        A stated time is what it is, whatever the rates.
        """
        root, times, bound = self.prediction.root, self.parts.rivals, self.parts.bound
        if root.stated is not None or bound is None:
            return None
        others = [name for name, time in times.items() if name != bound and time > 0]
        following = max(others, key=times.__getitem__, default=None)
        ratio = None if following is None else times[bound] / times[following]
        if not self.prediction.is_largest or not all(load.follows for load in root.loads):
            # Apart, since kernels need none of it.
            from roofdsl.analysis.tolerance import tolerance

            found = tolerance(self)
            return found and Margin(bound, following, ratio, *found)
        if ratio is None or following is None:
            return None
        return Margin(bound, following, ratio, *self._of_kernel(ratio, bound, following))

    @cached_property
    def uncertainty(self) -> UncertaintyOf:
        """What the numbers with `±` do to each quantity, by its name; empty where none has it."""
        if not is_uncertain(self.prediction):
            return UncertaintyOf()
        from roofdsl.analysis.uncertainty import Uncertainties  # few files state any

        return Uncertainties(self)

    @cached_property
    def kind(self) -> str | None:
        """The kind of work on what binds that takes most of the time charged to it."""
        from roofdsl.analysis.bound_kind import bound_kind  # few answers need it

        return bound_kind(self)

    def _of_kernel(self, ratio: float, bound: str, following: str) -> tuple[float, Turned | None]:
        """Return the tolerance of a kernel's bound, and rates that turn it."""
        # Each rate serves one of the times. With one as short, and the other as long, as a change
        # by ε makes them, they are equal where (1 + ε)/(1 - ε) is their ratio.
        change = (ratio - 1) / (ratio + 1)
        beyond = change * (1 + _BEYOND) + _BEYOND
        if beyond > NEVER:
            return NEVER, None
        loads = self.prediction.root.loads
        served = [(load.group, rate_key(load.rate.name)) for load in loads if load.rate is not None]
        rates = {name: 1 + beyond for group, name in served if group == bound}
        rates |= {name: 1 - beyond for group, name in served if group == following}
        return self.rounded(change), Turned(beyond, following, ReadOnly(rates))

    def rounded(self, change: float) -> float:
        """Return a change less what rounding may have added.

        Where it is a short number but for rounding, exact numbers say whether that is right.
        """
        short = float(f"{change:.{_DIGITS}g}")
        if abs(change - short) <= _BEYOND * short:
            from roofdsl.analysis.tolerance import holds_within

            if holds_within(self, short):
                return short
        return less_rounding(change)


def less_rounding(change: float) -> float:
    """Return a change less what rounding may have added to it."""
    less = change * (1 - _ROUNDING) - _ROUNDING
    return less if less > _BEYOND else 0.0


def is_uncertain(prediction: Prediction) -> bool:
    """Whether a model, a step's, the machine or a device of it has a number with `±`."""
    machine = prediction.machine
    models, parts = models_in([prediction.model]), [machine, *machine.devices.values()]
    if any(each.uncertain for each in (*models, *parts)):
        return True
    return any(
        each is not None and each.uncertainty is not None
        for part in parts
        for items in (part.rates, part.energies, part.startups, part.capacities)
        for each in (*items, part.power, part.price)
    )
