"""How much may still be worked: counted, never timed.

Seconds would give another answer on another machine, or on a busy one; a count gives the same
everywhere. Each question has a `Budget` of its own, so that its answer is the same whatever else is
asked. What merely computes (terms of sums, formulas at many points, steps) is charged to one count
of operations for a whole command. A `factor` that the user sets raises both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ContextDecorator, contextmanager, suppress
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, SupportsFloat, TypeVar

from roofdsl.diagnostic import Diagnostic, Label, RoofError
from roofdsl.source import Span

WORK = 40_000.0
"""What one question may use where nothing else is said: some tenths of a second.

A unit is about what it takes to enclose two short formulas over one interval.
"""
OPERATIONS = 10_000_000
"""What one command may compute: about a second of plain arithmetic, one number after another."""
NUMBERS = 200_000_000
"""What the arrays of one sweep may hold: 1.6 GB, which a kernel has at ten million points."""
_OPERATIONS_OF_A_UNIT = 100
_LEAST_SHARE = 1 / 4
"""Each of many questions may use so much of what those before it left."""
_FACTOR = r"\s*((?:\d{1,99}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*[x×]?\s*"
_LEAST_FACTOR, _LARGEST_FACTOR = 1e-6, 1e300
_P = ParamSpec("_P")
_R = TypeVar("_R")

_factor: ContextVar[float] = ContextVar("factor", default=1.0)
_count: ContextVar[Operations | None] = ContextVar("count", default=None)
_outside: ContextVar[tuple[tuple[float, Operations | None], ...]] = ContextVar(
    "outside", default=()
)


class Exhausted(Exception):
    """Raised where a command has done all the operations that it may.

    `what` was being computed, as far as it is known, at `place`.
    """

    def __init__(self, limit: float) -> None:
        super().__init__(limit)
        self.limit = limit
        self.what = ""
        self.place: Span | None = None

    def diagnostic(self) -> Diagnostic:
        """Return what the user is told, and how to go on."""
        before = f" before {self.what} is computed" if self.what else ""
        message = f"the {in_words(self.limit)} are used up{before}"
        return Diagnostic("R0412", message, (Label(self.place),) if self.place else (), RAISE)


RAISE = "`--budget 10x` (in Python `with roofdsl.budget(10):`) lets a command do ten times as many"


def in_words(limit: float) -> str:
    """Return how much a command may compute: `10,000,000 operations of a command`."""
    return f"{limit:,.0f} operations of a command"


def check_numbers(numbers: int, what: str) -> None:
    """Raise RoofError (R0412) where arrays of something would hold more numbers than they may."""
    limit = NUMBERS * _factor.get()
    if numbers > limit:
        message = f"the arrays of {what} would hold more than {limit:,.0f} numbers"
        hint = "give fewer values; `with roofdsl.budget(10):` lets them hold ten times as many"
        raise RoofError([Diagnostic("R0412", message, hint=hint)])


class Operations:
    """The operations that may still be done: those of a command, or of one of its questions.

    `ran_out`: something wanted more than a `Budget` of the question had, and went without.

    >>> count = Operations(100)
    >>> count.spend(60)
    >>> count.left
    40
    """

    __slots__ = ("left", "limit", "ran_out")

    def __init__(self, limit: float) -> None:
        self.limit = self.left = limit
        self.ran_out = False

    def spend(self, operations: float) -> None:
        """Charge operations that are about to be done; raise Exhausted if they are too many."""
        if operations > self.left:
            # What comes after it would not do: it would depend on what is the shorter.
            self.left = 0
            raise Exhausted(self.limit)
        self.left -= operations


def operations() -> Operations:
    """Return the count that is open, or one for a single computation where none is."""
    return _count.get() or Operations(OPERATIONS * _factor.get())


@contextmanager
def limited(most: float) -> Iterator[None]:
    """Give what is computed inside a count of its own, of so many operations; raise Exhausted."""
    token = _count.set(Operations(most * _factor.get()))
    try:
        yield
    finally:
        _count.reset(token)


@contextmanager
def counting(*, afresh: bool = False) -> Iterator[None]:
    """Open one count for all that is computed inside, unless one is open already.

    `afresh` opens one all the same: what it counts does not depend on what was computed before.
    Raises RoofError where it is used up (R0412).
    """
    if _count.get() is not None and not afresh:
        yield
        return
    try:
        with limited(OPERATIONS):
            yield
    except Exhausted as error:
        raise RoofError([error.diagnostic()]) from None


@contextmanager
def computing(what: str, place: Span | None = None) -> Iterator[None]:
    """Say what is computed inside, should the operations not do for it; the innermost counts."""
    try:
        yield
    except Exhausted as error:
        if not error.what:
            error.what, error.place = what, place
        raise


def question(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Give each call of a function that asks for a verdict a count of its own.

    Its answer is then the same whatever else a command has computed.
    """

    @wraps(function)
    def asked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        model = getattr(args[0] if args else None, "model", None)
        what = "the answer" if model is None else f"the answer for '{model.name}'"
        with counting(afresh=True), computing(what):
            return function(*args, **kwargs)

    return asked


def ran_out() -> bool:
    """Return whether the question that is asked would work more if its budget were raised."""
    count = _count.get()
    return count is not None and count.ran_out


class Raised(ContextDecorator):
    """A budget raised inside `with`, which may be used again, inside itself, and by threads."""

    __slots__ = ("_by",)

    def __init__(self, by: float) -> None:
        self._by = by

    def __repr__(self) -> str:
        return f"<budget of {self._by:g}x>"

    def __enter__(self) -> None:
        _outside.set((*_outside.get(), (_factor.get(), _count.get())))
        _factor.set(self._by)
        # A count that is open is for what is outside.
        _count.set(None)

    def __exit__(self, *_: object) -> None:
        *further, (factor, count) = _outside.get()
        _outside.set(tuple(further))
        _factor.set(factor)
        _count.set(count)


def budget(factor: str | SupportsFloat) -> Raised:
    """Let each call inside work `factor` times as much as it would: 10, 0.1 or "10x".

    Work is counted, not timed, and each call has a count of its own: two inside may work twice as
    much as one. What a verdict leaves undecided may then be proven further, and more
    may be computed; limits of files (nesting, sizes) stay. Raises RoofError for what is no factor
    from 1e-6 to 1e300 (R0717).

    >>> import roofdsl as rd
    >>> with rd.budget(10):
    ...     found = rd.load_model("summa").on(rd.load_machine("karst")).crossovers(P=121)
    >>> found.complete
    True
    """
    return Raised(factor_of(factor))


def factor_of(given: str | SupportsFloat) -> float:
    """Return by how much a budget is raised; raise RoofError for what is no factor (R0717).

    >>> factor_of("10x"), factor_of("0.1x"), factor_of(3)
    (10.0, 0.1, 3.0)
    """
    number = 0.0
    if isinstance(given, str):
        found = re.fullmatch(_FACTOR, given, re.ASCII)
        number = float(found[1]) if found else 0.0
    else:
        with suppress(OverflowError):
            number = float(given)
    if not _LEAST_FACTOR <= number <= _LARGEST_FACTOR:
        shown = str(given)[:41]
        shown = f"{shown[:40]}…" if len(shown) > 40 else shown
        message = f"a budget is raised by a factor from 1e-6 to 1e300, not by '{shown}'"
        hint = "write it as `10x` (in Python `roofdsl.budget(10)`); `0.1x` is a tenth"
        raise RoofError([Diagnostic("R0717", message, hint=hint)])
    return number


def _noticed() -> None:
    """Note that a budget did not do for what is asked."""
    count = _count.get()
    if count is not None:
        count.ran_out = True


class Budget:
    """Work for one question, handed to all who help to answer it.

    `spent`: the work done so far, which may end a little above the budget: whoever works asks
    `left` before each step, and is charged for the step afterwards. One without a `parent` is a
    question's: what the user sets raises it, and with it its parts, but for those that are `fixed`.
    That one of them had nothing left, or too little, when it was asked is told by `ran_out`.

    >>> whole = Budget(100)
    >>> half = whole.share(1 / 2)
    >>> half.spend(60)
    >>> half.left, whole.left, whole.spent
    (0.0, 40.0, 60.0)
    """

    __slots__ = ("_fixed", "_limit", "_parent", "spent")

    def __init__(
        self, work: float = WORK, parent: Budget | None = None, *, fixed: bool = False
    ) -> None:
        self._limit = work if parent is not None else work * _factor.get()
        self._parent = parent
        self._fixed = fixed
        self.spent: float = 0.0

    @property
    def left(self) -> float:
        """The work that may still be done; 0 once it is used up, here or above."""
        own = max(0.0, self._limit - self.spent)
        if not own and not self._fixed:
            _noticed()
        return own if self._parent is None else min(own, self._parent.left)

    def affords(self, work: float) -> bool:
        """Return whether so much is left.

        >>> Budget(100).affords(60), Budget(100).affords(160)
        (True, False)
        """
        enough = work <= self.left
        if not enough and not self._fixed:
            _noticed()
        return enough

    def spend(self, work: float) -> None:
        """Charge some work, here and above."""
        self.spent += work
        if self._parent is not None:
            self._parent.spend(work)

    @contextmanager
    def computing(self) -> Iterator[None]:
        """Charge the operations that are done inside, here and above."""
        count = operations()
        before = count.left
        yield
        self.spend((before - count.left) / _OPERATIONS_OF_A_UNIT)

    def share(self, part: float) -> Budget:
        """Return a budget for a part of what is left; what it does not use stays here.

        >>> Budget(100).share(1 / 4).left
        25.0
        """
        return Budget(part * self.left, self)

    def limited(self, work: float) -> Budget:
        """Return a budget for some work, as far as it is left; what it does not use stays here.

        >>> Budget(100).limited(30).left
        30.0
        """
        left = self.left
        return Budget(min(work, left), self, fixed=work <= left)

    def shares(self, count: int) -> Iterator[Budget]:
        """Yield a budget for each of some questions that follow each other.

        Each may use its fair part of what those before it left, or a quarter of it where there are
        many: a hard one leaves something to the others, and what is not used serves them.

        >>> [share.left for share in Budget(100).shares(2)]
        [50.0, 100.0]
        """
        for following in range(count, 0, -1):
            yield self.share(max(_LEAST_SHARE, 1 / following))

    def shares_without_end(self, count: int) -> Iterator[Budget]:
        """Yield a budget for each of about so many questions, and for as many more as there are."""
        yield from self.shares(count)
        while True:
            yield self.share(_LEAST_SHARE)
