"""Which times take longer while several numbers are open: a sentence for each two of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roofdsl.analysis.open_orders import OpenOrder, OpenOrders
from roofdsl.analysis.prediction import Prediction
from roofdsl.answer import places
from roofdsl.answer.blocks import Block, Finding, Findings, Form, Text
from roofdsl.answer.head import answered
from roofdsl.answer.plain import Json, as_json
from roofdsl.answer.titles import notes_blocks, notes_of, on
from roofdsl.typeset.text import text
from roofdsl.units.quantity import show_quantity


@dataclass(frozen=True, slots=True)
class OpenOrdersAnswer:
    """How each two times of a prediction lie, for all values of what is open."""

    found: OpenOrders
    prediction: Prediction

    def values(self) -> dict[str, Json]:
        found = self.found
        own: dict[str, Json] = {
            "unknown": found.unknown.name,
            "others": [each.name for each in found.others],
            "pairs": [
                {
                    "names": as_json(pair.names),
                    "order": pair.kind,
                    "closed_form": as_json(pair.closed_form),
                    "condition": as_json(pair.condition),
                    "above": {name: float(low) for name, low in pair.above},
                }
                for pair in found.pairs
            ],
            "complete": found.complete,
        }
        units = {each.name: each.dimension for each in (found.unknown, *found.others)}
        return answered("open_orders", self.prediction, own, {"unknown": units})

    def blocks(self) -> list[Block]:
        found = self.found
        names = ", ".join(each.name for each in found.others)
        title = places.heading(
            f"crossovers in {found.unknown.name}, for any {names}", self.prediction
        )
        items = tuple(self._finding(pair) for pair in found.pairs)
        proof = "proven for every value of what is open"
        if not found.complete:
            proof = "not everything is decided"
        rest = f"what takes longest of all binds; {proof}" if self._of_times else proof
        caption = f"Crossovers of {on(self.prediction)} over {found.unknown.name}"
        blocks: list[Block] = [title, Findings(items, caption=caption), Text(rest)]
        return [*blocks, *notes_blocks(notes_of(self.prediction))]

    def _finding(self, pair: OpenOrder) -> Finding:
        unknown = self.found.unknown
        sentence, details = self._sentence(pair), tuple(self._details(pair))
        if pair.closed_form is None:
            return Finding(sentence, details)
        return Finding(sentence, details, unknown.symbol, (Form("=", pair.closed_form),))

    @property
    def _of_times(self) -> bool:
        """Whether what is compared are times on resources."""
        return self.found.times.keys() <= self.prediction.rivals.keys()

    def _sentence(self, pair: OpenOrder) -> str:
        name = self.found.unknown.name
        first, second = pair.names
        longer, equal = "is larger", "are equal"
        if self._of_times:
            longer, equal = "takes longer", "take equally long"
        match pair.kind:
            case "longer":
                return f"{first} {longer} than {second} for every {name}"
            case "equal":
                return f"{first} and {second} {equal}"
            case "undecided":
                return f"not decided: whether {first} or {second} {longer}"
        if pair.closed_form is None:
            return f"{first} {longer} than {second} up to one {name} at most, {second} beyond"
        return f"{first} {longer} for {name} < {name}*, {second} for {name} > {name}*"

    def _details(self, pair: OpenOrder) -> Iterator[str]:
        if pair.above:
            found = self.found
            units = {each.name: each.dimension for each in (found.unknown, *found.others)}
            limits = (
                f"{name} > {show_quantity(float(low), units[name], 6)}" for name, low in pair.above
            )
            yield f"for {', '.join(limits)}"
        if pair.condition is not None:
            least = "takes at least as long" if self._of_times else "is at least as large"
            yield f"where {text(pair.condition)}; elsewhere {pair.names[1]} {least}"
