"""Answers as JSON."""

from __future__ import annotations

import json

from roofdsl.answer.answer import Valued


def written(answer: Valued) -> str:
    """Return an answer as JSON in SI base units; infinite is "inf", undefined is null.

    Each of many answers stands in a line of its own.
    """
    values = answer.values()
    if isinstance(values, list):
        encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
        return "[\n" + ",\n".join(map(encode, values)) + "\n]"
    return json.dumps(values, indent=2, ensure_ascii=False, allow_nan=False)
