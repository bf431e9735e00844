"""What is bundled, as command lines name it."""

from __future__ import annotations

from functools import cache

from roofdsl.model.library import bundled
from tests.fuzz.commands.roof_files import Parameter, defined

HEAVY = (
    "resnet",
    "vgg",
    "gpt",
    "bert",
    "llama",
    "alexnet",
    "inception",
    "transformer",
    "dlrm",
    "lstm",
)


@cache
def bundled_models() -> list[tuple[str, tuple[Parameter, ...]]]:
    """Return how each bundled model is named on the command line, and its parameters."""
    found = []
    for path in bundled("model").values():
        for name, parameters in defined(path.read_text(encoding="utf-8")).models.items():
            found.append((name if name == path.stem else f"{path.stem}:{name}", parameters))
    return found


@cache
def bundled_machines() -> list[str]:
    """Return the bundled machines, those that say all that a model may need more often."""
    return [*bundled("machine"), *("karst", "jetstream", "h100_sxm", "a100_sxm_80gb") * 12]
