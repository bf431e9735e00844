"""axe-core, run in a page: what people who see, hear or move otherwise could not use."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.explorer.browser import Page

PACKAGES = ("axe_playwright_python", "axe_core_python")
"""What brings axe-core along, the newer one first; neither is imported."""
VIEWS = (("light", 1100), ("dark", 400))
"""Colours do not depend on the width, nor the layout on colours."""


@cache
def script() -> str:
    """Return axe-core's script; skip the test where no package brings it."""
    for name in PACKAGES:
        spec = find_spec(name)
        for folder in (spec.submodule_search_locations or []) if spec else []:
            path = Path(folder, "axe.min.js")
            if path.exists():
                return path.read_text(encoding="utf-8")
    pytest.skip("no axe-core: axe-core-python is not installed, so no page is examined")


def found(page: Page) -> list[str]:
    """Return what axe-core has against a page as it is now: the rule, and where."""
    page.run(f"{script()}; 0")
    problems: list[str] = page.run(
        """axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
          violations.flatMap(({ id, help, nodes }) => nodes.map(
            (node) => `${id}: ${help}: ${node.html.slice(0, 120)}`)))"""
    )
    return problems
