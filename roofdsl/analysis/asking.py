"""What is asked of parameters that are open, collected while a model is placed."""

from __future__ import annotations

from roofdsl.expression.order import weight
from roofdsl.expression.tree import Expression, Number
from roofdsl.model.tally import models_in
from roofdsl.model.types import ModelDefinition

LONGEST_KEY = 60
"""A formula with more nodes is compared, and is no key."""


class Asking:
    """While `asking`, `checks` collects what is asked of what is open, by how it is said."""

    def __init__(self) -> None:
        self.asking = False
        self.checks: dict[str, Expression] = {}
        self._alike: dict[tuple[str, str, Expression | None], list[Expression]] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def _check(self, text: str, name: str, condition: Expression) -> None:
        """Note what is asked of what is open; another condition in the same words says where."""
        if self.checks.setdefault(text, condition) == condition:
            return
        # Many steps may ask the same; what is too long to be a key is compared.
        short = weight(condition, LONGEST_KEY) < LONGEST_KEY
        key = (text, name, condition if short else None)
        alike = self._alike.setdefault(key, [])
        if condition in alike:
            return
        alike.append(condition)
        count = self._counts[text, name] = self._counts.get((text, name), 0) + 1
        where = f"{text} in {name}" if count == 1 else f"{text} in {name} ({count})"
        self.checks[where] = condition


def is_opened(model: ModelDefinition) -> bool:
    """Whether a number of a model, or of those of its steps, was left open."""
    known = (item.tree for each in models_in([model]) for item in each.uncertain.values())
    return any(not isinstance(tree, Number) for tree in known)
