"""Answers as JSON."""

from __future__ import annotations

import json

from roofdsl.answer.answer import Valued


def written(answer: Valued) -> str:
    """Return an answer as JSON in SI base units; infinite is "inf", undefined is null."""
    return json.dumps(answer.values(), indent=2, ensure_ascii=False, allow_nan=False)
