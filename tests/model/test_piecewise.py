"""Models of a bundled file read one by one are those of the file read as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofdsl.model import library
from roofdsl.model.library import bundled, load_module
from roofdsl.model.piecewise import Piecewise
from roofdsl.reading import read_source
from roofdsl.source import Source

FILES = bundled("model")


def piecewise(path: Path) -> Piecewise:
    source = read_source(path)
    assert isinstance(source, Source)
    return Piecewise(source, library.Imports(path))


@pytest.mark.parametrize("dotted", FILES)
def test_each_model_of_a_file(dotted: str) -> None:
    whole = load_module(FILES[dotted])
    for name, model in whole.models.items():
        alone = piecewise(FILES[dotted])
        assert alone.build(name)
        found = alone.module.models[name]
        assert [p.symbol for p in found.parameters] == [p.symbol for p in model.parameters]
        assert [work.value for work in found.work] == [work.value for work in model.work]
        assert [t.formula.tree for t in found.tallies] == [t.formula.tree for t in model.tallies]
        assert len(found.parts) == len(model.parts)
        assert alone.module.units.keys() == whole.units.keys()


def test_only_what_is_needed_is_read() -> None:
    file = piecewise(FILES["dnn.linear"])
    assert file.build("linear_backward")
    needed = {"linear_backward", "linear_input_gradient", "linear_weight_gradient"}
    assert set(file.module.models) == needed
    assert file.build("linear")
    assert set(file.module.models) == needed | {"linear"}


def test_what_a_file_does_not_have() -> None:
    assert not piecewise(FILES["dnn.linear"]).build("quadratic")


@pytest.mark.parametrize(
    "wrong",
    ["model b { flops = N }", "model b { flops = ", "model a { flops = 3 }", "unit B"],
)
def test_where_anything_is_wrong_nothing_is_built(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "file.roof"
    text = f"model a {{ step s = b() }}\n{wrong}\n"
    assert not Piecewise(Source(str(path), text), library.Imports(path)).build("a")
