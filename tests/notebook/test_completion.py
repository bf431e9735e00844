"""What `dir` and the Tab key offer: public names, metrics, steps, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell

import roofdsl as rd

SERVE = """
unit token
machine box { flops = 1 TFLOP/s; memory = 100 ± 5 GB/s }
model serve {
    param batch: integer
    flops = 2e9*batch; memory = 1e9 B
    metric rate: token/s = batch * 1 token / time
}
"""


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[InteractiveShell]:
    with pytest.MonkeyPatch.context() as patch:  # a home may not be writable
        patch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))
        made = InteractiveShell()  # type: ignore[no-untyped-call]  # IPython's has no types
    # Jedi keeps what it reads in the home; without one, IPython completes from `dir` alone.
    made.Completer.use_jedi = os.access(Path.home(), os.W_OK)
    made.run_line_magic("load_ext", "roofdsl")
    model, machine = rd.load_model("resnet50"), rd.load_machine("v100")
    module = rd.loads(SERVE)
    serve = module.models["serve"].on(module.machines["box"])
    prediction = model.on(machine)
    made.user_ns.update(
        rd=rd,
        module=module,
        model=model,
        machine=machine,
        prediction=prediction,
        result=prediction.evaluate(batch=1),
        served=serve.evaluate(batch=1),
        swept=serve.sweep(batch=[1, 2]),
    )
    yield made
    if made.history_manager is not None:
        made.history_manager.end_session()


def completed(shell: InteractiveShell, line: str) -> list[str]:
    with provisionalcompleter():
        found = shell.Completer.completions(line, len(line))
        return [each.text.removeprefix(".") for each in found]  # without Jedi, the dot as well


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("rd.load_m", ["load_machine", "load_model"]),
        ("rd.plot.roof", ["roofline"]),
        ("model.par", ["parameters"]),
        ("machine.ridge", ["ridge", "ridge_expressions"]),
        ("prediction.cross", ["crossovers"]),
        ("result.sha", ["shares"]),
        ("served.rat", ["rate", "rates"]),
        ("swept.to_", ["to_dict", "to_json", "to_latex", "to_markdown", "to_pandas", "to_xarray"]),
        ('result.steps["stage1', ["stage1", "stage1_first"]),
        ('result.steps["conv"].bound', ["bound", "bound_kind"]),
        ('result.tallies["foot', ["footprint"]),
        ('machine.rates["mem', ["memory"]),
        ('module.models["ser', ["serve"]),
        ('module.machines["bo', ["box"]),
        ('model.units["count_p', ["count_padding"]),
        ('model.symbols["bat', ["batch"]),
        ('prediction.times["mem', ["memory"]),
        ('swept.quantities["att', ["attainable"]),
        ('swept.units["tim', ["time"]),
        ('served.uncertainty["attain', ["attainable"]),
        ('result.steps["stage1"].steps["resid', ["residual"]),
        ('rd.load_model("su', ["summa"]),
        ("rd.load_machine('kar", ["karst"]),
        ('summa = rd.load_model( "linalg.su', ["linalg.summa"]),
        ('rd.load("collectives.m', ["collectives.mpi"]),
    ],
)
def test_tab_completes(line: str, offered: list[str], shell: InteractiveShell) -> None:
    if "]." in line and not shell.Completer.use_jedi:
        pytest.skip("what an item has is known by Jedi, which needs a home that may be written")
    assert completed(shell, line) == offered


@pytest.mark.parametrize("jedi", [True, False])
def test_names_of_the_library_stand_beside_files_and_nothing_else(
    jedi: bool, shell: InteractiveShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shell.Completer, "use_jedi", jedi and shell.Completer.use_jedi)
    assert completed(shell, 'rd.load_model("su') == ["summa"]  # not Python's `sum`, `super`
    Path("summers.roof").write_text("model m { flops = 1 }", encoding="utf-8")
    assert set(completed(shell, 'rd.load_model("su')) == {"summa", "summers.roof"}
    assert completed(shell, 'rd.load_model("summe') == ["summers.roof"]


def test_nothing_private_is_offered(shell: InteractiveShell) -> None:
    names = ("model", "machine", "prediction", "result", "served", "swept")
    objects = [shell.user_ns[name] for name in names]
    objects += [rd, rd.plot, shell.user_ns["result"].steps, rd.loads(SERVE)]
    for each in objects:
        assert dir(each) and not [name for name in dir(each) if name.startswith("_")]
        for name in dir(each):
            assert name in ("energy", "power", "cost") or hasattr(each, name), name


def test_metrics_are_attributes_that_are_offered(shell: InteractiveShell) -> None:
    assert "rate" in dir(shell.user_ns["served"]) and "rate" not in dir(shell.user_ns["result"])
