"""A condition on a prediction, as it is asked: `bound = flops`, `time <= 10 s and 2*memory > M`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from roofdsl.analysis.claim import Claim, Leads, Word, bound_claim, claim_of, compared, joined
from roofdsl.analysis.prediction import Prediction
from roofdsl.analysis.quantities import QuantityScope, read_truth
from roofdsl.diagnostic import Diagnostic, Label, RoofError, did_you_mean
from roofdsl.expression.construct import multiply
from roofdsl.expression.tree import Expression, Number, Symbol
from roofdsl.model.arguments import read_value
from roofdsl.model.elaborate import fits, is_zero
from roofdsl.model.metric import MetricScope
from roofdsl.model.results import own_name
from roofdsl.model.tally import FOOTPRINT, has_to_fit
from roofdsl.model.types import Formula
from roofdsl.source import Source, Span
from roofdsl.syntax.unreadable import unreadable
from roofdsl.units.dimension import DIMENSIONLESS

_BOUND = re.compile(r"bound(\.kind)?\s*(<=|>=|==|!=|<|>|=|\bis\s+not\b|\bis\b)\s*(.*)", re.DOTALL)
_PART = re.compile(r"<=|>=|==|!=|[<>=()]|\b(?:and|or)\b")
_NOT = re.compile(r"not\b\s*")
_DEEPEST = 50
FITS = "fits"
_MEANING = {"==": "=", "is": "=", "is not": "!="}
_HOW = 'write "bound = flops", "time <= 10 s", "fits" or "memory/network >= 3"'


@dataclass(frozen=True, slots=True)
class Condition:
    """What is asked for, as it was written and as a claim."""

    text: str
    claim: Claim

    @property
    def leads(self) -> Iterator[Leads]:
        """All that it is made of."""
        waiting = [self.claim]
        while waiting:
            claim = waiting.pop()
            if isinstance(claim, Leads):
                yield claim
            else:
                waiting += claim.parts


_FOREIGN = re.compile(r"&&?|\|\|?|=[<>!]|<>|!(?!=)")


def read_condition(source: Source, prediction: Prediction) -> Condition:
    """Read `bound != network`, `time <= 10 s`, `footprint <= 16 GiB and memory/network >= 3`.

    Raises RoofError for what is no condition (R0706), an unknown quantity (R0707) or resource
    (R0703), two sides of different units (R0405), and for what the language refuses.
    """
    foreign = _FOREIGN.search(source.text, source.begin)
    if foreign:
        raise RoofError([unreadable(Span(source, *foreign.span()))])
    claim = _ConditionReader(source, prediction).claim(source.begin, len(source.text), True, 0)
    return Condition(source.body, claim)


def lacks_to_fit(prediction: Prediction) -> tuple[str, str] | None:
    """Return why it is not known whether a model fits, and what to do; None where it is."""
    machine = prediction.runs_on
    if has_to_fit(prediction.formulas.tallies) is None:
        why = f"'{prediction.model.name}' states no tensors, and no tally {FOOTPRINT}"
        return why, f"state what it reads, makes and holds, or `tally {FOOTPRINT}: B = …`"
    if machine.memory_capacity is None:
        hint = f"state one, or ask with one: --set '{machine.name}.capacity memory=64 GB'"
        return f"'{machine.name}' states no capacity of memory", hint
    return None


class _ConditionReader:
    """Reads parts of a text as claims: what is refused of them is claimed to hold not."""

    def __init__(self, source: Source, prediction: Prediction) -> None:
        self.source = source
        self.prediction = prediction

    def claim(self, start: int, end: int, wanted: bool, depth: int) -> Claim:
        """Read a part of the text; not `wanted`: the opposite of what it says."""
        text = self.source.text
        written = text[start:end].strip()
        if not written:
            raise self._refused("a condition is missing", end, end, _HOW)
        start = text.index(written, start)
        end = start + len(written)
        if depth > _DEEPEST:
            raise self._refused("a condition is nested too deeply", start, end, "ask for less")
        words = [*self._outside(start, end)]
        for word in get_args(Word):
            cuts = [each for each in words if each[0] == word]
            if cuts:
                starts = [start, *(each.end() for each in cuts)]
                ends = [*(each.start() for each in cuts), end]
                spans = zip(starts, ends, strict=True)
                parts = tuple(self.claim(*span, wanted, depth + 1) for span in spans)
                return joined(word, *parts, wanted=wanted)
        negated = _NOT.match(text, start, end)
        if negated:
            return self.claim(negated.end(), end, not wanted, depth + 1)
        if text.startswith("(", start) and text.endswith(")", start, end) and not words:
            return self.claim(start + 1, end - 1, wanted, depth + 1)
        return self._comparison(start, end, wanted, words)

    def _outside(self, start: int, end: int) -> Iterator[re.Match[str]]:
        """Yield the signs and words that stand outside of parentheses."""
        depth = 0
        for match in _PART.finditer(self.source.text, start, end):
            depth += {"(": 1, ")": -1}.get(match[0], 0)
            if match[0] not in "()" and depth == 0:
                yield match

    def _comparison(
        self, start: int, end: int, wanted: bool, signs: Sequence[re.Match[str]]
    ) -> Claim:
        text = self.source.text
        bound = _BOUND.fullmatch(text, start, end)
        if bound:
            return self._of_bound(bound, wanted)
        if not signs:
            return self._named(start, end, wanted)
        if len(signs) > 1:
            places = tuple(Label(Span(self.source, *each.span())) for each in signs)
            message = f"'{text[start:end]}' compares more than once"
            hint = 'join comparisons: "1 s <= time and time <= 10 s"; an `if` goes in parentheses'
            raise RoofError([Diagnostic("R0706", message, places, hint)])
        (sign,) = signs
        quantities = self._sides((start, sign.start()), (sign.end(), end))
        return compared("==" if sign[0] == "=" else sign[0], *quantities, wanted)

    def _named(self, start: int, end: int, wanted: bool) -> Claim:
        """Read what is true or false by itself: a metric, or a test as metrics have them."""
        source, prediction = self.source, self.prediction
        problems: list[Diagnostic] = []
        model, machine = prediction.model, prediction.runs_on
        if source.text[start:end] == FITS and own_name(model, FITS) is None:
            return self._within_capacity(wanted)
        units = {**machine.own_units, **model.own_units}
        scope = MetricScope(model, problems.append, units, {}, machine.units())
        tree = read_truth(Source(source.name, source.text, begin=start), scope, end)
        claim = None if tree is None else claim_of(tree, prediction, wanted)
        if claim is None:
            known = [metric.name for metric in model.metrics if metric.formula.truth]
            hint = did_you_mean(source.text[start:end], known) or _HOW
            message = f"'{source.text[start:end]}' is not a condition"
            raise self._refused(message, start, end, hint)
        return claim

    def _within_capacity(self, wanted: bool) -> Claim:
        """Return that what is stated is within the machine's capacity, as results say it."""
        lacking, memory = lacks_to_fit(self.prediction), self.prediction.runs_on.memory_capacity
        held = has_to_fit(self.prediction.formulas.tallies)
        if lacking is not None or memory is None or held is None:
            why, hint = lacking or ("", None)
            raise RoofError([Diagnostic("R0610", f"`{FITS}` is not answered: {why}", hint=hint)])
        sides = [Symbol(name) for name in (held, f"machine.capacity.{memory.key}")]
        return compared("<=", sides[0], sides[1], wanted)

    def _sides(
        self, left: tuple[int, int], right: tuple[int, int]
    ) -> tuple[Expression, Expression]:
        """Read the two sides of a comparison, of one unit."""
        source, scope = self.source, QuantityScope(self.prediction)
        one, other = (
            read_value(Source(source.name, source.text, begin=first), scope, last)
            for first, last in (left, right)
        )
        if one is None or other is None:
            raise RoofError(scope.problems)
        one, other = self._in_unit(one, other), self._in_unit(other, one)
        if not (fits(other, one.dimension) or is_zero(one)):
            written = " ".join(source.text[slice(*left)].split())
            message = (
                f"{written} is compared with {other.dimension.describe()}, "
                f"but it is {one.dimension.describe()}"
            )
            plain = one.dimension == DIMENSIONLESS
            hint = "a plain number" if plain else f"write the value in {one.dimension}"
            first, last = right
            first += len(source.text[first:last]) - len(source.text[first:last].lstrip())
            raise RoofError(
                [Diagnostic("R0405", message, (Label(Span(source, first, last)),), hint)]
            )
        return one.tree, other.tree

    def _in_unit(self, side: Formula, beside: Formula) -> Formula:
        """Return a plain number beside a metric alone as one in the unit that the metric states."""
        if side.dimension != DIMENSIONLESS or not isinstance(side.tree, Number):
            return side
        metrics = {item.name: item for item in self.prediction.model.metrics}
        name = beside.tree.name if isinstance(beside.tree, Symbol) else ""
        if name not in metrics or metrics[name].statement.unit is None:
            return side
        factor = Number(metrics[name].factor)
        return Formula(multiply(side.tree, factor), beside.dimension)

    def _of_bound(self, match: re.Match[str], wanted: bool) -> Claim:
        relation = " ".join(match[2].split())
        relation, resource = _MEANING.get(relation, relation), match[3]
        # Waiting keeps nothing busy, and may yet take most of the time.
        names = list(dict.fromkeys([*self.prediction.times(), *self.prediction.rivals]))
        if match[1]:
            within = self.prediction.kinds_within
            names = [kind for name in names for kind in within.get(name, [name])]
        if relation not in ("=", "!="):
            hint = 'write "bound = flops" or "bound != network"'
            raise self._refused("a bound is or is not a resource", *match.span(3), hint)
        if resource not in names:
            hint = did_you_mean(resource, names) or f"what takes time: {', '.join(names)}"
            message = f"{resource} takes no time here, so it cannot be the bound"
            if not resource:
                message = f"a resource is missing after `{match[2]}`"
            place = Label(Span(self.source, *match.span(3)))
            raise RoofError([Diagnostic("R0703", message, (place,), hint)])
        alike = (relation == "=") == wanted
        return bound_claim(self.prediction, resource, alike, of_kind=bool(match[1]))

    def _refused(self, message: str, start: int, end: int, hint: str) -> RoofError:
        return RoofError(
            [Diagnostic("R0706", message, (Label(Span(self.source, start, end)),), hint)]
        )
