"""One browser for all tests of the explorer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from roofdsl.explorer.build import Built, Explored, build
from roofdsl.explorer.page import page as page_of
from roofdsl.model.arguments import read_arguments
from roofdsl.model.library import check_text, find_machine, find_model
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module
from roofdsl.source import Source
from tests.explorer.browser import CHROMIUM, Browser


class Written(NamedTuple):
    """A page on disk, and what it was built from."""

    path: Path
    built: Built
    models: tuple[ModelDefinition, ...]
    machines: tuple[MachineDefinition, ...]


Write = Callable[..., Written]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no browser: chromium is not installed, so no explorer is opened")
    running = Browser()
    yield running
    running.close()


@pytest.fixture(scope="session")
def write(tmp_path_factory: pytest.TempPathFactory) -> Write:
    """Return a function that writes the page of models on machines, once."""
    known: dict[object, Written] = {}

    def written(
        models: Sequence[str], machines: Sequence[str], text: str = "", **values: str
    ) -> Written:
        key = (tuple(models), tuple(machines), text, tuple(values.items()))
        if key not in known:
            module = _module(text) if text else None
            chosen = tuple(_model(name, module) for name in models)
            targets = tuple(_machine(name, module) for name in machines)
            built = build([_explored(model, values) for model in chosen], targets)
            path = tmp_path_factory.mktemp("explorer") / "explore.html"
            path.write_text(page_of(built), encoding="utf-8")
            known[key] = Written(path, built, chosen, targets)
        return known[key]

    return written


def _module(text: str) -> Module:
    module, problems = check_text(Source("here.roof", text))
    assert [problem for problem in problems if problem.severity == "error"] == []
    return module


def _model(name: str, module: Module | None) -> ModelDefinition:
    return module.models[name] if module and name in module.models else find_model(name)[0]


def _machine(name: str, module: Module | None) -> MachineDefinition:
    return module.machines[name] if module and name in module.machines else find_machine(name)[0]


def _explored(model: ModelDefinition, values: dict[str, str]) -> Explored:
    own = {item.name for item in model.parameters}
    given = {name: value for name, value in values.items() if name in own}
    arguments, problems = read_arguments(model, given)
    assert not problems, problems
    return Explored(model, arguments, {})
