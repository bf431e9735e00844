"""What a model or machine is made of: layers of statements, and what each changes below it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from roofdsl.units.dimension import Dimension
from roofdsl.units.unit import Unit

if TYPE_CHECKING:
    from roofdsl.model.types import (
        FunctionDefinition,
        MachineDefinition,
        ModelDefinition,
        Resource,
    )


NO_MACHINES: Mapping[str, MachineDefinition] = {}
NO_MODELS: Mapping[str, ModelDefinition] = {}


class Changed(NamedTuple):
    """What a definition states otherwise than the one it is made from, or beyond it (`added`).

    `key` is its name as people read it, `gpu.memory` or `capacity memory`, and `written` what it is
    given. `asked` says that no file has it: it comes from a command line, or from Python. Of one of
    several values, `swept` is how all of them were written: `1..64`.
    """

    key: str
    written: str
    added: bool
    asked: bool
    swept: str = ""

    @property
    def text(self) -> str:
        return f"{self.key} = {self.swept or self.written}"


class Varied(NamedTuple):
    """What a machine has of several: the value as written, and as a number in SI base units."""

    written: str
    value: float
    dimension: Dimension


class Words(NamedTuple):
    """What statements of a file know beside their own names; `folder` is where its tables are."""

    units: Mapping[str, Unit]
    resources: Mapping[str, Resource]
    functions: Mapping[str, FunctionDefinition]
    folder: Path


class Layer(NamedTuple):
    """Statements about the model or machine `name`, the words they know, and what they name.

    These are machines that are devices of it, or models that are steps. `asked` says that no file
    has them.
    """

    name: str
    items: tuple[object, ...]
    words: Words
    machines: Mapping[str, MachineDefinition] = NO_MACHINES
    asked: bool = False
    models: Mapping[str, ModelDefinition] = NO_MODELS
