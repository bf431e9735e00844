"""Sizes of a network that must fit together."""

from __future__ import annotations

from collections.abc import Mapping

from roofdsl.importers.huggingface.fields import Fields

_DIVIDED = (("heads", "hidden"), ("kv_heads", "heads"), ("patch", "image"))
"""Of two arguments the first must divide the second."""


def check_sizes(fields: Fields, found: Mapping[str, int]) -> None:
    """Add a problem (R1205) for sizes of which one does not divide or exceeds another."""
    for part, whole in _DIVIDED:
        own = part == "heads" and "head_size" in found  # then a head has a size of its own
        if part in found and whole in found and found[whole] % found[part] and not own:
            _say(fields, found, part, whole, "does not divide")
    if found.get("top", 0) > found.get("experts", 0):
        _say(fields, found, "top", "experts", "is more than")


def _say(fields: Fields, found: Mapping[str, int], one: str, other: str, what: str) -> None:
    name, against = fields.name_of(one), fields.name_of(other)
    message = f"'{name}' is {found[one]}, which {what} {found[other]}, the '{against}'"
    hint = None if fields.has(name) else f"where '{name}' is absent, it is {found[one]}"
    fields.refuse(name, message, hint, code="R1205")
