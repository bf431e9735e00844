"""The fold broken by hand: all readers go on agreeing, and only the independent law sees it."""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from roofdsl.analysis import composition
from roofdsl.analysis.result import evaluated
from roofdsl.model.types import MachineDefinition, ModelDefinition
from tests.agreement.points import Point
from tests.agreement.readers import READERS, differences
from tests.analysis import test_law
from tests.analysis.law import spent
from tests.analysis.programs import Program, programs
from tests.counts import inputs

PROGRAMS = 150
ENOUGH = inputs(4, 12)
"""So many programs that a break shows in say what the others would: the readers agree on them."""
N = 2
BREAKS = {
    "an overlap forgets what its parts share": [
        ("if used.count(name) > 1", "if not name"),
    ],
    "a repeat takes a run too long": [
        (
            "time=a.multiply(count, once.time)",
            "time=a.add([once.time, a.multiply(count, once.time)])",
        ),
    ],
    "a sequence takes as long as its longest step": [
        ("time = a.add([child.time", "time = a.largest([child.time"),
    ],
    "stated times are shared": [
        ("busy[STATED] = a.largest(", "busy[STATED] = a.add("),
        ("for name in child.busy if name != STATED", "for name in child.busy"),
    ],
    "kinds of flops and what shares overlap": [
        (
            "return _added(self.algebra, spent)",
            "return {name: self.algebra.largest(times) for name, times in spent.items()}",
        ),
    ],
    "the last of equals binds": [
        (
            "self.algebra, contenders(busy, busy, joined)",
            "self.algebra, contenders(busy, busy, joined)[::-1]",
        ),
    ],
}


@pytest.fixture(params=[None, *BREAKS])
def broken(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str | None:
    """Put the fold with a break into its place; the first time leave it whole."""
    if request.param is None:
        return None
    source = Path(composition.__file__).read_text(encoding="utf-8")
    for old, new in BREAKS[request.param]:
        assert source.count(old) == 1, f"the fold is written otherwise now: {old}"
        source = source.replace(old, new)
    path = tmp_path / "broken_composition.py"
    path.write_text(source, encoding="utf-8")
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, path.stem, module)  # its dataclasses look it up
    spec.loader.exec_module(module)
    monkeypatch.setattr(composition, "_Fold", module._Fold)
    return str(request.param)


@cache
def built() -> list[tuple[Program, tuple[ModelDefinition, MachineDefinition]]]:
    """Return the programs as they are read; predictions keep what the fold said."""
    return [(each, test_law.built(each)) for each in programs("broken", PROGRAMS)]


def test_only_the_law_sees_a_broken_fold(broken: str | None) -> None:
    seen = 0
    readers = {name: READERS[name] for name in ("formulas", "JSON")}
    for program, definitions in built() if broken else built()[: inputs(50, PROGRAMS)]:
        prediction = test_law.prediction_at(definitions, N)
        result, law = evaluated(prediction), spent(program.at(N))
        found = differences(Point({}, prediction, result, first=False), readers)
        # A kernel's attainable performance has a formula of its own, beside the fold.
        assert [each for each in found if "attainable" not in each] == []
        seen += any(test_law.differences(result, law, program.box.capacity, "written"))
        if seen == ENOUGH:
            break
    assert (seen == 0) is (broken is None), f"{seen} programs differ from the law"
