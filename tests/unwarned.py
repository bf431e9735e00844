"""Random programs without their warnings: to look for those takes as long as to read a program."""

from __future__ import annotations

from unittest.mock import patch

from roofdsl.model import build
from roofdsl.model.library import check_text
from roofdsl.model.types import MachineDefinition, ModelDefinition
from roofdsl.source import Source


def defined(text: str) -> tuple[ModelDefinition, MachineDefinition]:
    """Return the model `main` and the machine `box` of a text without an error."""
    with patch.object(build, "CHECKS", ()):
        module, problems = check_text(Source("program.roof", text))
    assert problems == (), text
    return module.models["main"], module.machines["box"]
