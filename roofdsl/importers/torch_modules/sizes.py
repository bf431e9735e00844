"""Sizes of PyTorch, which may hang on names, as sizes of the language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofdsl.importers.graph.size import Size, times


class Symbols:
    """The names of open sizes: each is that of the dimension where it is seen first."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self._axes = {axis: name for name, axis in sizes.items()}
        self._names: dict[str, str] = {}

    @property
    def used(self) -> tuple[str, ...]:
        """The names that sizes have, in the order of their dimensions."""
        return tuple(name for name in self._axes.values() if name in self._names.values())

    def name(self, shape: Sequence[object]) -> None:
        """Give the open sizes of an input their names."""
        for axis, size in enumerate(shape):
            formula = getattr(getattr(size, "node", None), "expr", None)
            if axis in self._axes and getattr(formula, "is_Symbol", False):
                self._names.setdefault(str(formula), self._axes[axis])

    def size(self, given: object) -> Size | None:
        """Return a size, None where it cannot be written."""
        if isinstance(given, int):
            return Size.of(given)
        formula = getattr(getattr(given, "node", None), "expr", None)
        return None if formula is None else self._product(formula)

    def _product(self, formula: object) -> Size | None:
        kind, parts = _kind(formula), _parts(formula)
        if kind == "Mul":
            found = [self._product(each) for each in parts]
            known = [each for each in found if each is not None]
            return times(known) if len(known) == len(found) else None
        if kind == "Pow" and _kind(parts[1]) in _INTEGERS and 0 < _number(parts[1]) < 20:
            base = self._product(parts[0])
            return None if base is None else times([base] * _number(parts[1]))
        if kind in _INTEGERS:
            return Size.of(_number(formula))
        text = self._text(formula)
        return None if text is None else Size.of(text)

    def _text(self, formula: object) -> str | None:
        """Return a formula in the language, in brackets where it needs them."""
        kind, parts = _kind(formula), _parts(formula)
        if kind in _INTEGERS:
            return str(_number(formula))
        if kind == "Symbol":
            return self._names.get(str(formula))
        inside = [self._text(each) for each in parts]
        if any(each is None for each in inside):
            return None
        texts = [each for each in inside if each is not None]
        if kind in ("FloorDiv", "CleanDiv"):
            return f"floor({texts[0]}/{texts[1]})"
        if kind in ("Max", "Min"):
            return f"{kind.lower()}({', '.join(texts)})"
        if kind == "Add":
            return f"({' + '.join(texts)})"
        if kind == "Mul":
            return f"({'*'.join(f'({each})' if each.startswith('-') else each for each in texts)})"
        return None


_INTEGERS = ("Integer", "One", "NegativeOne", "Zero")


def _kind(formula: object) -> str:
    return type(formula).__name__


def _parts(formula: object) -> tuple[object, ...]:
    parts = getattr(formula, "args", ())
    return tuple(parts)


def _number(formula: object) -> int:
    return int(str(formula))
