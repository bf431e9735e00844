"""What is printed as JSON is what the schema says, and the schema says no more than is printed."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from roofdsl.cli.main import cli

SCHEMA = json.loads((files("roofdsl.answer") / "schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
PROFILE = str(Path(__file__).resolve().parents[2] / "examples" / "craypat_profile.csv")
RUNS = str(Path(PROFILE).with_name("made_up_runs.csv"))
SCORED = str(Path(__file__).resolve().parent / "runs.csv")
AT = "-p N=4096 -p P=121"
OPEN = f"{Path(__file__).resolve().parent / 'open_machines.roof'}:two"
COMMANDS = {
    f"eval summa -m karst {AT}": "point",
    f"eval summa -m karst {AT} --rates ±20%": "point",
    f"eval summa -m karst {AT} --set karst.network=1.2±0.05GB/s": "point",
    "eval resnet50 -m a100_sxm_80gb -p batch=64 --convention all": "point",
    "eval papers.checconi2022:mlp_training -m cascade_lake -p batch=8 -p P=4": "point",
    "eval linalg.cannon -m xeon_e5630 -p N=2000 -p B=200 -p P=16": "point",
    "eval llama2_70b_decode -m h100_sxm -m karst -p batch=1..256:x16": "points",
    f"eval summa -m karst -m jetstream {AT}": "points",
    "eval dgemv -m karst -p P=4..64:x4 -p N=64*P": "points",
    f"eval summa -m karst {AT} --set karst.network=1x,2x": "points",
    f"eval summa -m karst {AT} --columns time,bound,P": "rows",
    "eval summa -m karst -p N=9 -p P=1,2,4 --best time --skip-invalid": "points",
    "eval summa -m karst -p N=9 -p P=1,2,4 --best time --columns OI --skip-invalid": "rows",
    "eval summa -m karst": "formulas",
    "eval linalg.cannon -m xeon_e5630 --lets": "formulas",
    "eval linalg.cannon -m xeon_e5630 -p N=2000 -p B=200 -p P=16 --lets": "point",
    "eval summa -p N=4096 -p P=121": "work",
    "eval summa": "work_formulas",
    "eval linalg.cannon": "work_formulas",
    "eval summa -p N=4096 -p P=1..9 --skip-invalid": "rows",
    "eval lenet5 -m karst -m a100_sxm_80gb --convention mac": "answers",
    "solve summa --crossover --for N -m karst -p P=121": "crossovers",
    "solve summa --crossover --for karst.network -m karst -p N=4096 -p P=121": "crossovers",
    "solve lenet5 --crossover --for batch -m a100_sxm_80gb": "crossovers",
    "solve summa --crossover --for N -m karst -p P=4..4096:x4": "combinations",
    "study summa --sensitivity -m karst -p N=9 -p P=4,5 --skip-invalid": "combinations",
    f"project {PROFILE} --from haswell --to haswell --set haswell.memory=1x,2x": "projection",
    "solve summa --crossover --for N -m karst": "open_crossovers",
    "solve dgemv --such-that time<=1ms --for N -m karst": "open_crossovers",
    "solve dgemv --between OI CAI --for N -m karst": "open_crossovers",
    f"solve dgemv --crossover --for N -m {OPEN}": "open_orders",
    "solve linalg.cannon --crossover --for N -m xeon_e5630 -p B=200": "open_crossovers",
    "solve summa --crossover --for N -m karst -p P=121 --rates ±10%": "over_rates",
    "solve summa --such-that time<=10s --for N -m karst -p P=121": "thresholds",
    "solve summa --faster --for N -m karst -m jetstream -p P=121": "faster",
    "solve summa dgemv --faster --by network --for N -m karst -p P=4": "faster",
    "solve summa dgemv --faster --for N -m karst -p P=4": "faster",
    f"study summa --sensitivity -m karst {AT}": "sensitivity",
    "study summa --scaling --for P --size N --efficiency 0.8 -m karst -p N=4096": "scaling",
    "study summa --scaling --for P -m karst -p N=4096": "scaling",
    "study summa --asymptotic --for N -m karst -p P=121": "asymptotics",
    f"project {PROFILE} --from blue_waters_xe --to haswell": "projection",
    f"project {PROFILE} --from blue_waters_xe --to haswell --measured haswell=1293s": "projection",
    f"fit {RUNS} --model summa --model dgemv -m karst --constant startup": "fit",
    f"fit {RUNS} --model dgemv -m karst --hold-out half --compose sum": "fit",
    f"validate {SCORED} -m karst": "validation",
    f"validate {SCORED} -m karst --model summa --quantity time": "validation",
    f"diff karst jetstream --model summa {AT}": "difference",
    f"table summa dgemv -m karst -m jetstream {AT}": "table",
    "table --rates -m karst -m blue_waters_xe": "table",
    "table summa dgemv fft --formulas": "table",
    "list": "list",
}


def answer(command: str) -> Any:
    found = CliRunner().invoke(cli, [*command.split(), "--format", "json"], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_answer_is_as_the_schema_says(command: str) -> None:
    found = answer(command)
    assert found["answer"] == COMMANDS[command]
    (kind,) = [each for each in kinds() if each["properties"]["answer"]["const"] == found["answer"]]
    problems = Draft202012Validator({**kind, "$defs": SCHEMA["$defs"]}).iter_errors(found)
    assert [f"{problem.json_path}: {problem.message}"[:300] for problem in problems] == []
    VALIDATOR.validate(found)


def test_every_kind_of_answer_is_looked_at() -> None:
    assert {each["properties"]["answer"]["const"] for each in kinds()} == set(COMMANDS.values())


def kinds() -> list[Any]:
    """Return the schema of each kind of answer, references followed."""
    return [
        SCHEMA["$defs"][each["$ref"].rpartition("/")[2]] if "$ref" in each else each
        for each in SCHEMA["oneOf"]
    ]


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("bound", ["network"]),
        ("ties", "network"),
        ("margin", {}),
        ("values", {"time": "soon"}),
        ("schema", 1),
        ("more", 1),
        ("within_capacity", {"footprint": 1}),
    ],
)
def test_another_answer_is_refused(field: str, wrong: object) -> None:
    found = answer(f"eval summa -m karst {AT}")
    VALIDATOR.validate(found)
    assert not VALIDATOR.is_valid({**found, field: wrong})
    del found["notes"]
    assert not VALIDATOR.is_valid(found)


@pytest.mark.parametrize("command", [c for c, kind in COMMANDS.items() if kind == "point"])
def test_every_number_has_its_unit(command: str) -> None:
    found = answer(command)
    for section, known in found["units"].items():
        numbers = {
            n for n, v in found[section].items() if not isinstance(v, bool | str) or v == "inf"
        }
        assert numbers <= set(known), section
    assert found["units"]["values"]["OI"] == "flop/B"
    assert {"work", "times", "rates", "values", "total", "tallies"} <= set(found["units"])


def test_units_are_those_of_the_model() -> None:
    units = answer(f"eval summa -m karst {AT}")["units"]
    assert units["params"] == {"N": "1", "P": "1", "word": "B", "B": "1", "M": "1"}
    assert units["rates"] == {"flops": "flop/s", "memory": "B/s", "network": "B/s"}
    assert units["work"] == {"flops.matrix.fp64": "flop", "memory": "B", "network": "B"}


def test_python_has_the_same_values() -> None:
    import roofdsl as rd

    prediction = rd.load_model("summa").on(rd.load_machine("karst"))
    assert prediction.evaluate(N=4096, P=121).to_dict() == answer(f"eval summa -m karst {AT}")
    asked = "solve summa --crossover --for N -m karst -p P=121"
    assert prediction.crossovers("N", P=121).to_dict() == answer(asked)
    asked = "solve summa --crossover --for N -m karst -p P=121 --rates ±10%"
    assert prediction.over_rates(0.1, "N", P=121).to_dict() == answer(asked)
    asked = "solve summa --such-that time<=10s --for N -m karst -p P=121"
    assert prediction.where("time<=10s", "N", P=121).to_dict() == answer(asked)
    asked = f"study summa --sensitivity -m karst {AT}"
    assert prediction.sensitivity(N=4096, P=121).to_dict() == answer(asked)


def test_the_text_of_json_is_json() -> None:
    from roofdsl.report.json import written

    class Said:
        def values(self) -> Any:
            return VALUE

    assert json.loads(written(Said())) == VALUE


VALUE: Any = {
    "empty": [{}, [], "", None],
    "deep": {"a": [{"b": [[1, 2.5], [True, False]]}] * 3, 'quo"te': "é\n"},
    "long": ["x" * 50] * 5,
    "rows": [{"n": n, "text": "y" * 1500} for n in range(3)] + [{"more": ["z" * 900] * 3}],
}
