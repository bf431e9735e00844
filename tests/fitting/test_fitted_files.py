"""What is fitted as a file: it is sound, says where it comes from, and predicts what was fitted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import exp, sin
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli

pytest.importorskip("scipy", reason="constants are fitted by SciPy")
BOX = """
machine card { flops = 100 GFLOP/s; memory = 50 GB/s; startup = 4 us }
machine box {
    flops = 10 GFLOP/s
    memory { L2 = 100 GB/s; DRAM = 10 GB/s; default DRAM }
    network = 1 GB/s
    messages = 2 us/message
    device gpu = card
}
model halo {
    param n: integer
    param P: processes
    let words = 3
    flops = 2*n
    memory = 8 B*n*words
    network = 8 B*n/P
    messages = P
}
model layer { param n: integer; step a on gpu { flops = 2*n^2; memory = 8 B*n } }
"""
SIZES = [int(3**k) for k in range(5, 16)]


def wobble(place: int) -> float:
    """Return a factor that is off by up to 3 %, another one for each place."""
    return exp(0.03 * sin(7.3 * place))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    Path("box.roof").write_text(BOX, encoding="utf-8")
    rows = ["n,P,time [us]"]
    for n in SIZES:
        for p in (1, 4, 32):
            time = 8 * n * 5 / 8e9 + 8 * n / p / 0.5e9 + p * 3e-6
            rows.append(f"{n},{p},{1e6 * time * wobble(len(rows))!r}")
    Path("halo.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    rows = ["n,time [s]"]
    for n in SIZES:
        time = max(2 * n**2 / 70e9, 8 * n / 30e9) + 7e-6
        rows.append(f"{n},{time * wobble(len(rows))!r}")
    Path("layer.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Callable[[str], str]:
    def ran(words: str) -> str:
        found = CliRunner().invoke(cli, words.split(), catch_exceptions=False)
        assert found.exit_code == 0, found.output
        return found.stdout

    assert folder.is_dir()
    return ran


def scores(run: Callable[[str], str], words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(f"validate {words} --format json"))
    return found


@pytest.mark.parametrize("how", ["rate", "efficiency"])
@pytest.mark.parametrize("law", ["written", "apart", "sum"])
def test_a_machine_predicts_what_was_fitted(law: str, how: str, run: Callable[[str], str]) -> None:
    words = f"halo.csv --model box.roof:halo -m box.roof:box --compose {law} --as {how}"
    found = json.loads(run(f"fit {words} -o out.roof --format json"))
    assert run("check out.roof") == "out.roof: no problems\n"
    (score,) = scores(run, "halo.csv --model box.roof:halo -m out.roof")["kernels"]
    assert score["mape"]["extended"] == pytest.approx(found["total"]["fitted"], rel=1e-3)


def test_a_file_says_where_it_comes_from_and_nothing_of_the_folder(
    folder: Path, run: Callable[[str], str]
) -> None:
    (folder / "sub").mkdir()
    run("fit halo.csv --model box.roof:halo -m box.roof:box -o sub/out.roof --name mine")
    text = Path("sub/out.roof").read_text(encoding="utf-8")
    assert 'use "../box.roof" as box_file' in text
    assert re.search(r"fitted to 33 runs of halo\.csv, SHA-256 [0-9a-f]{64}, on 1970-01-01", text)
    assert str(folder) not in text
    assert "machine mine = box_file.box with {" in text
    assert re.search(r"messages = [\d.]+ ± [\d.]+ µs/message", text)


def test_the_name_of_a_file_is_no_statement(folder: Path, run: Callable[[str], str]) -> None:
    odd = 'x\n}\nmachine "y" {\u202e.csv'
    (folder / odd).write_text(Path("halo.csv").read_text("utf-8"), encoding="utf-8")
    arguments = ["fit", odd, "--model", "box.roof:halo", "-m", "box.roof:box", "-o", "out.roof"]
    assert CliRunner().invoke(cli, arguments, catch_exceptions=False).exit_code == 0
    assert run("check out.roof") == "out.roof: no problems\n"
    assert [*rd.load("out.roof").machines] == ["fitted"]
    assert "\u202e" not in Path("out.roof").read_text("utf-8")


def test_a_device_is_fitted_by_its_names(run: Callable[[str], str]) -> None:
    run("fit layer.csv --model box.roof:layer -m box.roof:box -o out.roof")
    machine = rd.load_machine("out.roof")
    gpu = machine.definition.devices["gpu"]
    assert {rate.key: rate.uncertainty is not None for rate in gpu.rates}["flops"]
    (score,) = scores(run, "layer.csv --model box.roof:layer -m out.roof")["kernels"]
    assert score["mape"]["original"] < 3  # each time is off by less


def test_a_constant_of_a_model_becomes_a_model(run: Callable[[str], str]) -> None:
    run(
        "fit halo.csv --model box.roof:halo -m box.roof:box --constant words --keep memory.DRAM"
        " --compose sum -o out.roof"
    )
    module = rd.load("out.roof")
    assert [*module.models] == ["fitted_halo"]
    (words,) = module.models["fitted_halo"].definition.intermediates
    # Of 5 words at 8 GB/s; at 10 GB/s, less two flops at 10 GFLOP/s, they are 6.
    # Its flops add up with its bytes: which of the two takes the time, the runs do not tell.
    text = Path("out.roof").read_text(encoding="utf-8")
    assert "words and flops cannot be told apart by these runs; flops is as stated" in text
    found = re.search(r"words = ([\d.]+)", text)
    assert found is not None
    assert float(found[1]) == pytest.approx(6.0, rel=0.03)
    assert words.name == "words"
    fitted = module.models["fitted_halo"].on(module.machines["fitted"])
    own = rd.load_model("box.roof:halo").on(module.machines["fitted"])
    assert fitted.evaluate(n=10**6, P=1).time > own.evaluate(n=10**6, P=1).time


def test_half_of_the_sizes_are_held_out(run: Callable[[str], str]) -> None:
    told = run(
        "fit halo.csv --model box.roof:halo -m box.roof:box --hold-out half --compose sum"
        " --format json"
    )
    found = json.loads(told)
    assert found["held_out"] == "half"
    assert found["total"]["fitted"] < 3  # each time is off by less
    assert found["total"]["held_out"] < 15
    # Its constants are those of the other half: as if that were all there is.
    lines = Path("halo.csv").read_text(encoding="utf-8").splitlines()
    kept = {str(n) for n in SIZES[::2]}
    rest = [line for line in lines[1:] if line.partition(",")[0] in kept]
    Path("halo.csv").write_text("\n".join([lines[0], *rest]), encoding="utf-8")
    words = "fit halo.csv --model box.roof:halo -m box.roof:box --compose sum --format json"
    again = json.loads(run(words))
    values = {name: item["value"] for name, item in found["constants"].items()}
    assert {n: item["value"] for n, item in again["constants"].items()} == pytest.approx(values)


def test_python_answers_as_the_command_does(folder: Path, run: Callable[[str], str]) -> None:
    words = "halo.csv --model box.roof:halo -m box.roof:box"
    told = run(f"fit {words} --format json")
    box, halo = rd.load_machine("box.roof:box"), rd.load_model("box.roof:halo")
    found = rd.fit(folder / "halo.csv", box, halo)
    assert {**found.to_dict(), "runs": "halo.csv"} == json.loads(told)
    assert str(found).startswith(str(folder / "halo.csv"))
    assert found.held_out["halo"] == json.loads(told)["errors"]["halo"]["held_out"]
    assert found == rd.fit(folder / "halo.csv", box, halo)
    found.save("kept.roof")
    run(f"fit {words} -o out.roof")
    assert Path("kept.roof").read_text("utf-8") == Path("out.roof").read_text("utf-8")
    prediction = halo.on(found.module.machines["fitted"])
    assert prediction.evaluate(n=1000, P=4).time == pytest.approx(
        halo.on(rd.load_machine("kept.roof")).evaluate(n=1000, P=4).time
    )


def test_interrupted_or_refused_it_leaves_no_file(folder: Path) -> None:
    words = "fit halo.csv --model box.roof:halo -m box.roof:box --constant nothing -o out.roof"
    found = CliRunner().invoke(cli, words.split())
    assert found.exit_code != 0
    assert sorted(path.name for path in folder.iterdir()) == ["box.roof", "halo.csv", "layer.csv"]
