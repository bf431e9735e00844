"""Names and texts of others as they stand in a `.roof` file."""

from __future__ import annotations

import re

from roofdsl.inert import in_a_line, quoted
from roofdsl.source import Source
from roofdsl.syntax.expressions import NameUse
from roofdsl.syntax.parse import parse_expression

_LONGEST = 60


def as_name(text: str, otherwise: str = "network") -> str:
    """Return a name of the language that is like a text.

    >>> [as_name(text) for text in ("Mistral-7B-v0.1", "3d_unet", "step", "模型")]
    ['mistral_7b_v0_1', 'network_3d_unet', 'network_step', 'network']
    """
    name = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:_LONGEST].rstrip("_")
    if not name:
        return otherwise
    node = parse_expression(Source("name", name))
    return name if isinstance(node, NameUse) and node.name == name else f"{otherwise}_{name}"


def as_text(text: str) -> str:
    r"""Return a text of others in the quotes of the language, on one line.

    >>> print(as_text('the "large" one\n'))
    "the \"large\" one\\x0a"
    """
    return quoted(text)


def as_comment(text: str) -> str:
    """Return a text of others as a doc comment, on one line."""
    return f"## {in_a_line(text)}"
