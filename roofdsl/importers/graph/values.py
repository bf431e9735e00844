"""What flows between operators: tensors that are computed, weights, constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from roofdsl.importers.graph.size import Shape, Size, times
from roofdsl.model.precision import PRECISIONS

Attribute: TypeAlias = int | float | bool | str | tuple["Attribute", ...] | None
"""What an operator says of itself, beside its inputs."""


class NoRule(Exception):
    """Raised where a rule does not hold for an operator: it is left out, for this reason."""


@dataclass(frozen=True, slots=True)
class Weight:
    """A parameter of the network, or a part of one.

    `root` is what it is known by, however many operators use it; `whole` the elements of all of it.
    """

    root: str
    elements: int
    whole: int
    part: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor: `shape` is None where it is not known, `dtype` a precision, `bool`, or another.

    One with a `weight` is that parameter, in this or another shape; a `constant` one is known
    before the network runs.
    """

    name: str
    shape: Shape | None
    dtype: str = "fp32"
    weight: Weight | None = None
    constant: bool = False

    @property
    def computed(self) -> bool:
        """Whether it is known only as the network runs."""
        return self.weight is None and not self.constant

    @property
    def sides(self) -> Shape:
        """Its shape; raises NoRule where that is not known."""
        if self.shape is None:
            raise NoRule("its shapes are not known")
        return self.shape

    def of_rank(self, least: int, most: int | None = None) -> Shape:
        """Its shape; raises NoRule where that has fewer or more dimensions, or is not known."""
        if not least <= len(self.sides) <= (least if most is None else most):
            raise NoRule(f"'{self.name}' has {len(self.sides)} dimensions")
        return self.sides

    @property
    def elements(self) -> Size:
        """The number of its elements; raises NoRule where its shape is not known."""
        return times(self.sides)

    @property
    def is_real(self) -> bool:
        """Whether it holds real numbers, not whole ones or what is true or false."""
        return self.dtype in PRECISIONS and not self.dtype.startswith("int")

    @property
    def bytes_of_one(self) -> str:
        """The bytes of one element, as the language has them."""
        size = PRECISIONS.get(self.dtype)
        return f"{size} B" if size is not None and size.denominator == 1 else "1 B"

    def as_part(self, name: str, shape: Shape | None, part: str) -> Value:
        """Return the part of a weight that an operator takes from it, as a weight of its own."""
        assert self.weight is not None
        elements = times(shape).value if shape is not None else None
        if elements is None or elements == self.weight.elements:
            return replace(self, name=name, shape=shape)
        weight = replace(self.weight, elements=elements, part=f"{self.weight.part}/{part}")
        return replace(self, name=name, shape=shape, weight=weight)


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator of a graph; `kind` is what its framework calls it.

    An input that is left out is None. `names` are the places, from and to, of inputs with names.
    """

    kind: str
    name: str
    inputs: tuple[Value | None, ...]
    outputs: tuple[Value, ...]
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    names: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def given(self, place: int) -> Value | None:
        """Return an input, None where it is left out."""
        return self.inputs[place] if place < len(self.inputs) else None

    def named(self, name: str) -> tuple[Value, ...]:
        """Return the inputs that have a name, none where it is left out."""
        begin, end = self.names.get(name, (0, 0))
        return tuple(each for each in self.inputs[begin:end] if each is not None)

    def need(self, place: int) -> Value:
        """Return an input; raises NoRule where it is left out."""
        found = self.given(place)
        if found is None:
            raise NoRule("one of its inputs is left out")
        return found

    @property
    def result(self) -> Value:
        """Its first output."""
        return self.outputs[0]
