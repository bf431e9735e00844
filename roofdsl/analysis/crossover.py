"""Where the bound of a prediction changes: every crossover over a range, with proof.

A kernel's bound changes where the largest of its resources' times does. On a composition two kinds
are told apart: the bound of one step changes, and what the largest share of the time is charged to.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from roofdsl.allowance import Budget, question
from roofdsl.analysis.domain import NOT_ASKED, Domain, FirstAllowed
from roofdsl.analysis.node import Node, kernels
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.regimes import RegimesOver
from roofdsl.analysis.roots import Leaders, busy, leading_bound, leading_in
from roofdsl.analysis.unknown import Unknown
from roofdsl.diagnostic import Diagnostic, RoofError
from roofdsl.expression.substitute import free_symbols
from roofdsl.expression.tree import Expression
from roofdsl.numeric.allowed import Allowed
from roofdsl.numeric.place import Place
from roofdsl.numeric.proof import Proof, Proven
from roofdsl.numeric.regime import Crossing, Regime, Regimes

_NO_BOUND = ("undecided", "refused")


@dataclass(frozen=True, slots=True)
class Crossover(Crossing, FirstAllowed):
    """One change of what binds.

    `allowed` is the first value from there to the next change that the model allows. `closed_form`
    is in the other parameters and the machine's rates, `closed_form_value` its number here. `step`
    names the step whose bound changes, None where it is the whole's.
    """

    allowed: Allowed[Place]
    closed_form: Expression | None
    closed_form_value: float | None
    step: str | None = None


@dataclass(frozen=True, slots=True)
class Crossovers(Proven):
    """All crossovers over a range and the regimes between, proven as far as said.

    `proof` is that of the whole and of its steps. `allowed` are the first values in each regime
    that the model allows.
    """

    unknown: Unknown
    low: Place
    high: Place
    regimes: tuple[Regime, ...]
    crossovers: tuple[Crossover, ...]
    proof: Proof
    allowed: tuple[Allowed[Place], ...]

    @classmethod
    def of(cls, leaders: Leaders, domain: Domain, low: Place, high: Place) -> Crossovers:
        """Return what leads where, with the first values that are allowed."""
        found, changes = leaders.found, tuple(crossovers_of(leaders, domain))
        allowed = domain.first_of_each(found.regimes)
        return cls(domain.unknown, low, high, found.regimes, changes, found.proof, allowed)

    @property
    def proof_of_whole(self) -> Proof:
        """How far the regimes are proven, whatever is known of the steps."""
        return Proof.of((each.last, each.kind != "undecided") for each in self.regimes)

    @property
    def has_one_bound(self) -> bool:
        """Whether what binds is the same wherever it is decided."""
        decided = {each.leading for each in self.regimes if each.kind not in _NO_BOUND}
        return len(decided) < 2 and all(each.kind != "band" for each in self.regimes)


@question
def find_crossovers(
    prediction: Prediction,
    unknown: Unknown,
    low: Place,
    high: Place,
    between: Sequence[str] = (),
    *,
    steps: bool = True,
    budget: Budget | None = None,
) -> Crossovers:
    """Return every crossover of the bound over a range of the unknown.

    `between` compares some of the resources alone; without `steps`, of the whole alone. Raises
    RoofError where nothing depends on the unknown (R0704).
    """
    check_dependence(prediction.rivals.values(), unknown, prediction)
    over = RegimesOver(prediction, unknown, low, high, budget)
    found = Crossovers.of(leading_bound(over, between), over.domain, low, high)
    if prediction.is_kernel or between or not steps:
        return found
    of_steps: list[Crossover] = []
    proof = found.proof
    for kernel in changing_kernels(prediction, unknown):
        step = leading_in(over, kernel)
        of_steps += crossovers_of(step, over.domain, kernel.name)
        proof = proof.joined(step.found.proof)
    changes = (_rooted(change, of_steps) for change in found.crossovers)
    return replace(found, crossovers=(*changes, *of_steps), proof=proof)


def _rooted(change: Crossover, of_steps: Sequence[Crossover]) -> Crossover:
    """Return a jump of the whole with the closed form of the only step's change that is there."""
    if change.kind != "jump" or change.closed_form is not None:
        return change
    low, high = change.enclosure
    whole = change.first_integer
    there = [
        step
        for step in of_steps
        if step.first_integer == whole and step.enclosure[0] <= high and low <= step.enclosure[1]
    ]
    forms = {step.closed_form for step in there}
    if len(forms) != 1 or None in forms:
        return change
    form, value = there[0].closed_form, there[0].closed_form_value
    return replace(change, closed_form=form, closed_form_value=value)


@question
def find_regimes(prediction: Prediction, unknown: Unknown, low: Place, high: Place) -> Regimes:
    """Return what binds where in a range of the unknown, without closed forms or single steps.

    Raises RoofError where nothing depends on the unknown (R0704).
    """
    check_dependence(prediction.rivals.values(), unknown, prediction)
    over = RegimesOver(prediction, unknown, low, high)
    return over.regimes(over.parts())


def check_dependence(
    trees: Iterable[Expression],
    unknown: Unknown,
    prediction: Prediction,
    besides: Collection[str] = (),
    *,
    asked: str = "",
) -> None:
    """Raise RoofError unless the formulas depend on the unknown (R0704) and it alone (R0406).

    Names `besides` may be open, too; `asked`: what else than the bound the formulas are of.
    """
    rates = {name: tree for name, tree in prediction.rates.items() if name not in besides}
    known = unknown.known(rates)
    named = {symbol.name: symbol for tree in trees for symbol in free_symbols(tree)}
    put_in = [known.get(name, symbol) for name, symbol in named.items()]
    names = {symbol.name for tree in put_in for symbol in free_symbols(tree)}
    if unknown.symbol.name not in names:
        of = f"'{prediction.model.name}' on '{prediction.machine.name}'"
        message = f"nothing of {of} depends on {unknown.symbol.name}"
        hint = "its bound is the same for every value"
        if asked:
            message = f"{asked} does not depend on {unknown.symbol.name}"
            hint = "it is the same for every value"
        raise RoofError([Diagnostic("R0704", message, hint=hint)])
    others = names - {unknown.symbol.name, *besides}
    if others:
        message = f"'{prediction.model.name}' needs a value for {', '.join(sorted(others))}"
        own = [name for name in sorted(others) if name in prediction.model.dimensions()]
        hint = (
            f"give one: -p {own[0]}=… (in Python {own[0]}=…)"
            if own
            else "give the machine's parameter a default"
        )
        raise RoofError([Diagnostic("R0406", message, hint=hint)])


def crossovers_of(leaders: Leaders, domain: Domain, step: str | None = None) -> Iterator[Crossover]:
    """Yield the crossings with their closed forms, and with the first values that are allowed."""
    for each in leaders.found.crossings:
        allowed = _allowed_after(each, leaders.found, domain)
        where = each.before, each.after, each.enclosure, each.first_integer, each.kind
        yield Crossover(*where, allowed, *leaders.root_at(each), step)


def _allowed_after(crossing: Crossing, found: Regimes, domain: Domain) -> Allowed[Place]:
    """Return the first value that is allowed from a crossing to the next one."""
    start: Place | None = crossing.first_integer
    if start is None:
        start = None if domain.unknown.integer else crossing.enclosure[1]
    after = (each for each in found.regimes if start is not None and start <= each.last)
    regime = next(after, None)
    if start is None or regime is None:
        return NOT_ASKED
    return domain.first_of(max(start, regime.first), regime.last)


def changing_kernels(prediction: Prediction, unknown: Unknown) -> Iterator[Node]:
    """Yield each kernel of a composition whose bound may change with the unknown."""
    known = unknown.known(prediction.rates)
    for kernel in {id(node): node for node in kernels(prediction.root)}.values():
        if kernel.stated is None and len(times := busy(kernel)) > 1:
            named = {s.name: s for tree in times.values() for s in free_symbols(tree)}
            put_in = [known.get(name, symbol) for name, symbol in named.items()]
            if any(s.name == unknown.name for tree in put_in for s in free_symbols(tree)):
                yield kernel
