"""In the bundled library a warning is an error, and every number has a source."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofdsl.model.library import bundled, check_module
from roofdsl.model.types import Definition

FILES = [*bundled("model").values(), *bundled("machine").values()]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_bundled_file_is_checked_without_a_word(path: Path) -> None:
    module, diagnostics = check_module(path)
    assert diagnostics == ()
    assert module is not None
    definitions: list[Definition] = [*module.models.values()]
    for definition in [*definitions, *module.machines.values()]:
        assert definition.sources, f"{definition.name} names no source"
