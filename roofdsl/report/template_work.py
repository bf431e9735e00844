"""What values in a user's template weigh, and what is charged for a filter or a method of them.

All is charged before it is done, by an upper bound of what it goes through and makes, in operations
of `roofdsl.allowance`. Where memory is what runs out first, in that: as many texts as there may be
take some 300 MB.
"""

from __future__ import annotations

import re
import sys
from collections.abc import ItemsView, Iterator, KeysView, Sequence, ValuesView
from string import Formatter

from jinja2.exceptions import SecurityError
from jinja2.runtime import Undefined
from markupsafe import Markup

from roofdsl.allowance import operations

LOOKUP = 1
"""The operations for an item of a collection that is looked up, or gone through."""
CALL = 10
"""Those for a filter, a call or an operator, besides what it goes through."""
COPIED, COMPARED = 1 / 12, 1 / 64
"""Those for a character that is copied, and for one that is only looked at."""
ESCAPED = 6
"""A text that is not escaped yet may become so many times as long."""
COLLECTION = (str, list, tuple, dict, range)
_ALONE = 30
"""A character takes so much more room on its own than in a text."""
_KEPT = 160
"""An item that is gone through and kept takes as long as so many characters."""
_DIGITS = 350
"""The most characters of a number where no width is given."""
_BITS = 1024
"""The most bits of a whole number."""

METHODS = frozenset(
    "capitalize casefold center changed copy count cycle endswith expandtabs find format format_map"
    " get index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric"
    " isprintable isspace istitle isupper items join keys ljust lower lstrip partition removeprefix"
    " removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith"
    " strip swapcase title translate upper values zfill".split()
)
"""What may be called of texts, lists, dictionaries and loops."""
_APART = frozenset(
    "batch dictsort groupby join list map max min reject rejectattr reverse rsplit select"
    " selectattr slice sort split splitlines sum title unique urlencode wordcount wordwrap".split()
)
"""Filters and methods that take a text apart."""
_SHALLOW = frozenset(
    "batch copy get items keys list reject rejectattr reverse select selectattr slice"
    " values".split()
)
"""Those that do not look into the items that they go through."""
_WIDE = frozenset("batch center expandtabs indent ljust rjust round slice zfill".split())
"""Those that make more for a larger number."""
_NO_TEXT = frozenset("round odd even divisibleby".split())
"""Filters and tests that take products and remainders, which texts have too."""


def charge(name: str, first: object, others: Sequence[object]) -> None:
    """Charge a filter of a value, or a method of it (`.name`)."""
    operations().spend(CALL)
    plain = name.removeprefix(".")
    length = len(first) if isinstance(first, COLLECTION) else 1
    weight = sum(weight_of(each) for each in others)
    if plain in ("format", "format_map"):
        weight = _weight_shown(first, weight, braces=name != plain)
    else:
        widths = [each for each in others if isinstance(each, int) and plain in _WIDE]
        # To the bits, as a power of ten of so many digits takes more than their number.
        weight = (1 + length) * (weight + sum(abs(each) * each.bit_length() for each in widths))
        if plain in _SHALLOW and isinstance(first, COLLECTION):
            weight += _KEPT * length
        else:
            apart = isinstance(first, str) and plain in _APART
            weight += weight_of(first) * (_ALONE if apart else 1)
    refuse_text(plain, first)
    if plain == "wordwrap" and isinstance(first, str):  # a long word is cut off bit by bit
        weight += max((len(word) for word in first.split()), default=0) ** 2 // _ALONE
    if plain == "sum" and not all(isinstance(each, str | int | float) for each in others):
        raise SecurityError("a sum that begins with no number is not allowed in templates")
    operations().spend(COPIED * weight)


def refuse_text(name: str, value: object) -> None:
    """Refuse a filter, or a test, that would take the product or the remainder of a collection."""
    if name in _NO_TEXT and isinstance(value, COLLECTION):
        raise SecurityError(f"'{name}' of what is no number is not allowed in templates")


def _weight_shown(pattern: object, weight: int, *, braces: bool) -> int:
    """Return about how long a pattern is with values put in; refuse widths that these give."""
    if not isinstance(pattern, str):
        raise SecurityError("a pattern that is no text is not allowed in templates")
    if braces:
        given = any("{" in (each[2] or "") for each in Formatter().parse(pattern))
    else:
        given = re.search(r"%[^a-zA-Z%(]*\*", pattern) is not None
    if given:
        raise SecurityError("a width that a value gives is not allowed in templates")
    widths = sum(int(digits) for digits in re.findall(r"\d+", pattern))
    places = pattern.count("{" if braces else "%")
    return ESCAPED * len(pattern) + places * (_DIGITS + widths + weight)


def room_of(text: str) -> int:
    """Return how long a text is; where characters take four bytes each of them counts twice."""
    return len(text) * (2 if sys.getsizeof(text) > 4 * len(text) > 400 else 1)


def weight_of(value: object) -> int:
    """Return about how many characters a value has as text, charging what is gone through.

    A list that holds a list twice, which holds a list twice, has no end: what is met twice counts
    twice, as it does where it is shown or compared.
    """
    if isinstance(value, Markup):
        return room_of(value)
    weight, parts = 0, [value]
    while parts:
        part = parts.pop()
        if isinstance(part, str):
            weight += ESCAPED * room_of(part)
        elif isinstance(part, COLLECTION):
            operations().spend((1 + LOOKUP) * (1 + len(part)))
            weight += 8 * (1 + len(part))
            if not isinstance(part, range):
                parts += part
            if isinstance(part, dict):
                parts += part.values()
        elif isinstance(part, int):
            weight += 20 + part.bit_length() // 3
        elif part is None or isinstance(part, float | Undefined):
            weight += 20
        else:
            raise SecurityError("a loop, a macro or a namespace is no value")
    return weight


def weighed(value: object, share: float = COMPARED) -> object:
    """Return a value, charged for all that is in it."""
    operations().spend(CALL / 2 + share * weight_of(value))
    return value


def bounded(made: object) -> object:
    """Return what was made; refuse a number that is too large, and hide no items."""
    if isinstance(made, int) and made.bit_length() > _BITS:
        raise SecurityError("a number is too large for templates")
    return [*made] if isinstance(made, Iterator | KeysView | ValuesView | ItemsView) else made
