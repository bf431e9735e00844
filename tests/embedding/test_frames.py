"""Sweeps over all that can be given several values, and the tables that they become."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli
from roofdsl.embedding.displayed import Listed
from tests.counts import ALL
from tests.report.test_schema import VALIDATOR

if TYPE_CHECKING:
    import pandas as pd

NETWORKS = ("resnet50", "vgg16", "lenet5")
MACHINES = ("h100_sxm", "a100_sxm_80gb", "karst")


@pytest.fixture(scope="module")
def summa() -> rd.Prediction:
    return rd.load_model("summa").on(rd.load_machine("karst"))


def agree(swept: Any, place: tuple[int, ...], result: rd.Result) -> None:
    """Say that a point of a sweep is what a result says."""
    for name in ("flops", "memory", "network", "time", "attainable", "OI", "CAI"):
        whole = np.broadcast_to(getattr(swept, name), swept.time.shape)
        np.testing.assert_allclose(whole[place], getattr(result, name), rtol=1e-12)
    assert swept.bound[place] == (result.bound or "")
    assert swept.bound_kind[place] == (result.bound_kind or "")
    for table in ("tallies", "totals", "shares", "metrics", "own_work", "spending"):
        own = getattr(result, table)
        for name, values in getattr(swept, table).items():
            value = values[place]
            if name in own:
                np.testing.assert_allclose(value, own[name], rtol=1e-12)
            else:  # of another choice
                assert np.isnan(value) or value == 0, (table, name)
        assert own.keys() <= getattr(swept, table).keys() | {
            name for name, value in own.items() if not value
        }
    for name, within in result.fits.items():
        assert swept.fits[name][place] == within


@pytest.mark.parametrize(
    ("model", "machine"),
    [*(product(NETWORKS, MACHINES) if ALL else zip(NETWORKS, MACHINES, strict=True))],
)
def test_precisions_are_swept_as_one_by_one(model: str, machine: str) -> None:
    prediction = rd.load_model(model).on(rd.load_machine(machine))
    precisions, batches = ["fp32", "bf16", "fp16"], [1, 64]
    swept = prediction.sweep(dtype=[[name] for name in precisions], batch=batches)
    assert swept.time.shape == (3, 2) and swept.axes == ("dtype", "batch")
    for (i, dtype), (j, batch) in product(enumerate(precisions), enumerate(batches)):
        agree(swept, (i, j), prediction.evaluate(dtype=dtype, batch=batch))


def test_truths_are_swept_beside_numbers_and_precisions() -> None:
    prediction = rd.load_model("resnet50").on(rd.load_machine("v100"))
    padding, precisions = [True, False, True], ["fp32", "fp16"]
    swept = prediction.sweep(
        count_padding=padding, batch=[1, 2, 3], dtype=[[name] for name in precisions]
    )
    assert swept.axes == ("dtype", "point")
    for (i, dtype), (j, counted) in product(enumerate(precisions), enumerate(padding)):
        agree(swept, (i, j), prediction.evaluate(dtype=dtype, batch=j + 1, count_padding=counted))


def test_choices_go_with_what_a_machine_states(summa: rd.Prediction) -> None:
    rates = ["1 GB/s", "2 GB/s", "8 GB/s"]
    swept = summa.sweep(**{"karst.network": rates}, dtype=[["fp64"], ["fp32"]], N=4096, P=121)
    for (i, dtype), (j, rate) in product(enumerate(("fp64", "fp32")), enumerate(rates)):
        agree(swept, (i, j), summa.evaluate(**{"karst.network": rate}, dtype=dtype, N=4096, P=121))
    assert swept.bound.tolist()[0] == ["network", "flops", "flops"]


def test_what_is_said_of_one_choice_is_said(summa: rd.Prediction) -> None:
    swept = summa.sweep(dtype=["fp64", "fp32"], N=4096, P=121)
    assert [note.partition(" it serves ")[2] for note in swept.prediction.notes] == [
        "fp64 of every unit",
        "fp32 of every unit",
    ]
    assert swept.parameters["word"].tolist() == [8, 4]


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"dtype": []}, "R0404"),
        ({"dtype": ["fp64", "fp65"]}, "R0201"),
        ({"dtype": ["fp64", 3]}, "R0308"),
        ({"dtype": [True]}, "R0308"),
        ({"dtype": ["fp64", None]}, "R0308"),
        ({"dtype": ["fp64", "fp32"], "N": [1, 2, 3]}, "R0404"),
        ({"dtype": ["fp64", "fp32"], "N": [1, 2]}, "R0402"),
        ({"dtype": {"fp64": 1}}, "R0308"),
    ],
)
def test_choices_that_cannot_be_are_refused(
    values: dict[str, Any], code: str, summa: rd.Prediction
) -> None:
    with pytest.raises(rd.RoofError, match=code):
        summa.sweep(**{"N": 4096, "P": 4, **values})


def test_no_points_of_some_choices(summa: rd.Prediction) -> None:
    assert summa.sweep(dtype=[["fp64"], ["fp32"]], N=[], P=4).time.shape == (2, 0)


@pytest.mark.parametrize(
    ("values", "axes"),
    [
        ({"N": [4, 8], "P": 4}, ("N",)),
        ({"N": [4, 8], "P": [1, 4]}, ("point",)),
        ({"N": [[4], [8]], "P": [1, 4]}, ("N", "P")),
        ({"N": [[4, 6], [8, 10]], "P": 4}, ("point_0", "point_1")),
        ({"N": [[4, 6], [8, 10]], "P": [1, 4]}, ("point_0", "point_1")),
        ({"N": [[4]], "P": [1, 4, 16]}, ("N", "P")),
        ({"N": [4, 4], "P": 4}, ("N",)),
        ({"N": 4, "P": 4}, ()),
    ],
)
def test_axes_are_named_after_what_varies_along_them_alone(
    values: dict[str, Any], axes: tuple[str, ...], summa: rd.Prediction
) -> None:
    swept = summa.sweep(**values)
    data = swept.to_xarray()
    assert swept.axes == axes == data["time"].dims
    assert data["time"].values.tolist() == swept.time.tolist()
    for name, array in swept.parameters.items():
        spread, _ = np.broadcast_arrays(data[name].broadcast_like(data["time"]).values, array)
        assert spread.tolist() == array.tolist()


def test_a_data_set_says_units_and_what_it_is_of() -> None:
    prediction = rd.load_model("resnet50").on(rd.load_machine("a100_sxm_80gb"))
    data = prediction.sweep(batch=[1, 64], dtype="bf16").to_xarray()
    assert {name: data[name].attrs.get("units") for name in ("time", "OI", "MI", "bound")} == {
        "time": "s",
        "OI": "flop/B",
        "MI": None,
        "bound": None,
    }
    assert data["tally_footprint"].units == "B" and data["batch"].dims == ("batch",)
    assert data.attrs["model"] == "resnet50" and data.attrs["machine"] == "a100_sxm_80gb"


def test_a_frame_has_the_rows_and_a_category_of_bounds(summa: rd.Prediction) -> None:
    swept = summa.sweep(N=[[242], [61952]], P=[1, 121])
    frame, rows = swept.to_pandas(), swept.rows()
    assert [*frame] == [*rows[0]] and len(frame) == 4
    assert str(frame["bound"].dtype) == "category"
    plain = frame.astype({"bound": object, "bound_kind": object}).to_dict("records")
    assert plain == rows
    assert frame.attrs["units"] == {
        "word": "B",
        "flops": "flop",
        "memory": "B",
        "network": "B",
        "OI": "flop/B",
        "CAI": "flop/B",
        "time": "s",
        "attainable": "flop/s",
    }


def test_where_nothing_works_no_category_is_named() -> None:
    idle = rd.model_from_expressions("idle", parameters={"N": ": integer[0..]"}, flops="N")
    frame = idle.on(rd.load_machine("karst")).sweep(N=[0, 1]).to_pandas()
    assert frame["bound"].isna().tolist() == [True, False]
    assert frame["bound"].cat.categories.tolist() == ["flops"]


def test_several_predictions_are_one_table(summa: rd.Prediction) -> None:
    machines = [summa.machine, rd.load_machine("jetstream")]
    found = rd.sweep([summa.model.on(machine) for machine in machines], N=[4096, 16384], P=121)
    assert [len(found), found[1].machine] == [2, "jetstream"]
    frame, data = found.to_pandas(), found.to_xarray()
    assert frame["machine"].tolist() == ["karst"] * 2 + ["jetstream"] * 2
    assert data["time"].dims == ("machine", "N")
    for machine in machines:
        one = summa.model.on(machine).evaluate(N=16384, P=121)
        at = data.sel(machine=machine.name, N=16384)
        assert (at["time"].item(), at["bound"].item()) == (pytest.approx(one.time), one.bound)
        row = frame[(frame["machine"] == machine.name) & (frame["N"] == 16384)].iloc[0]
        assert (row["time"], row["bound"]) == (at["time"].item(), one.bound)
    assert [row["time"] for row in found.rows()] == frame["time"].tolist()
    assert "jetstream" in found._repr_html_() and "karst" in found._repr_html_()


def test_several_models_are_told_apart(summa: rd.Prediction) -> None:
    dgemv = rd.load_model("dgemv")
    both = rd.sweep([summa, dgemv.on(summa.machine)], N=[4096, 16384], P=16, M=4096)
    assert both.to_xarray()["time"].dims == ("model", "N")
    assert both[0].parameters["M"].tolist() == [4096, 4096] and "M" not in both[1].parameters
    crossed = rd.sweep([summa, dgemv.on(rd.load_machine("jetstream"))], N=[4096], P=16)
    assert [*crossed.to_xarray()["model_on_machine"].values] == [
        "summa on karst",
        "dgemv on jetstream",
    ]
    with pytest.raises(rd.RoofError, match="R0401"):
        rd.sweep([summa, dgemv.on(summa.machine)], N=[4096], P=16, Q=1)
    with pytest.raises(rd.RoofError, match="R0202"):
        rd.sweep([summa, summa], N=[4096], P=16).to_xarray()
    fast = summa.model.on(summa.machine.changed(network="2x"))
    with pytest.raises(rd.RoofError, match="two are 'karst'"):
        rd.sweep([summa, fast], N=[4096], P=16)
    with pytest.raises(rd.RoofError, match="R0404"):
        rd.sweep([], N=[4096])


def test_answers_with_a_list_are_tables(summa: rd.Prediction) -> None:
    scaling = summa.scaling(N=4096).to_pandas()
    assert scaling["speedup"].tolist()[:2] == [
        point.speedup for point in summa.scaling(N=4096).points[:2]
    ]
    holding = summa.where("time < 1 s", "N", P=121)
    assert holding.to_pandas()["to"].tolist() == [10999]
    assert summa.sensitivity(N=4096, P=121).to_pandas()["name"].iloc[0] == "N"
    over = summa.over_rates(0.1, "N", P=121).to_pandas()
    assert over["verdict"].tolist() == ["all", "depends", "all"]
    other = summa.model.on(rd.load_machine("jetstream"))
    faster = summa.faster(other, P=121).to_pandas()
    assert faster["fastest"].tolist() == ["karst", "jetstream"]


BOX = """
model t {
    param n: integer; param P: processes; param Q: processes; param size = 8 B
    flops = 2*n/(P*Q); memory = 3*size*n/(P*Q); network = size*(P+Q)
}
machine b { flops = 1 GFLOP/s; memory = 12 GB/s; network = 1 GB/s }
"""


def told(prediction: rd.Prediction, other: rd.Prediction) -> dict[str, Listed]:
    return {
        "crossovers": prediction.crossovers("n", P=2, Q=2),
        "sizes": prediction.crossovers("size", "1 B", "1 MB", n=640, P=2, Q=2),
        "where": prediction.where("time < 1 us", "size", "1 B", "1 MB", n=640, P=2, Q=2),
        "regions": prediction.crossovers("n", Q=2),
        "orders": prediction.crossovers("n"),
        "rates": prediction.over_rates(0.1, "n", P=2, Q=2),
        "faster": prediction.faster(other, "n", P=2, Q=2),
        "scaling": prediction.scaling(n=64),
        "sensitivity": prediction.sensitivity(n=64, P=2, Q=2),
        "asymptotic": prediction.asymptotic("n", P=2, Q=2),
    }


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    module = rd.loads(BOX)
    box = module.machines["b"]
    first, second = (module.models["t"].on(each) for each in (box, box.changed().named("c")))
    return {name: each.to_pandas() for name, each in told(first, second).items()}


def test_cells_of_frames_are_numbers_and_texts(frames: dict[str, pd.DataFrame]) -> None:
    for frame in frames.values():
        for name in frame:
            assert not any(isinstance(cell, list | dict) for cell in frame[name])


@pytest.mark.parametrize(
    ("answer", "column", "cells"),
    [
        ("crossovers", "ties", ["network", "flops, memory and network", "flops and memory"]),
        ("crossovers", "bound", ["network", "flops", "flops"]),
        ("rates", "bounds", ["network", "network or flops or memory", "flops or memory"]),
        ("faster", "fastest", ["b and c"]),
    ],
)
def test_what_binds_is_a_category_of_texts(
    answer: str, column: str, cells: list[str], frames: dict[str, pd.DataFrame]
) -> None:
    found = frames[answer][column]
    assert str(found.dtype) == "category"
    assert found.tolist() == cells
    assert found.cat.categories.tolist() == [*dict.fromkeys(found)]


@pytest.mark.parametrize(
    ("answer", "units"),
    [
        ("crossovers", {}),
        ("sizes", dict.fromkeys(["from", "to", "first_valid"], "B")),
        ("scaling", {"time": "s"}),
        ("sensitivity", {"smaller.time": "s", "larger.time": "s"}),
    ],
)
def test_frames_of_answers_have_units(
    answer: str, units: dict[str, str], frames: dict[str, pd.DataFrame]
) -> None:
    assert frames[answer].attrs["units"] == units


def test_frames_of_conditions_have_units(frames: dict[str, pd.DataFrame]) -> None:
    assert frames["where"].attrs["units"]["last_holding"] == "B"
    assert frames["scaling"]["grid"].tolist()[:3] == ["1 × 1", "1 × 2", "2 × 2"]
    assert "larger.share" in frames["sensitivity"] and "larger" not in frames["sensitivity"]
    assert frames["asymptotic"]["of"].tolist() == ["flops", "memory", "network"]
    assert frames["regions"]["before"].tolist()[0] == "network"
    assert "flops and memory" in frames["orders"]["names"].tolist()


def test_answers_in_one_table_begin_with_what_differs(summa: rd.Prediction) -> None:
    found = rd.combined(summa.crossovers(P=count) for count in (4, 121))
    rows = found.rows()
    assert [*rows[0]][:2] == ["P", "from"] and [row["P"] for row in rows] == [4, 4, 121, 121]
    assert {name: x for name, x in rows[3].items() if name != "P"} == found[1].rows()[1]
    frame = found.to_pandas()
    assert str(frame["bound"].dtype) == "category" and frame["P"].tolist() == [4, 4, 121, 121]
    words = rd.combined(summa.sensitivity(N=64, P=4, word=word) for word in (4, 8)).to_pandas()
    assert words.attrs["units"] == {"word": "B", "smaller.time": "s", "larger.time": "s"}
    jetstream = summa.model.on(rd.load_machine("jetstream"))
    asked = [(each, text) for each in (summa, jetstream) for text in ("time < 1 s", "time < 2 s")]
    both = rd.combined(each.where(text, "N", P=4) for each, text in asked).rows()
    assert [(row["machine"], row["condition"]) for row in both] == [
        (each.machine.name, text) for each, text in asked
    ]


def test_parameters_that_are_called_as_a_column_are_told_apart() -> None:
    text = "model m { param n: integer; param time = 1; param value; flops = n*time*value }"
    module = rd.loads(text + " machine b { flops = 1 GFLOP/s }")
    prediction = module.models["m"].on(module.machines["b"])
    found = rd.combined(prediction.sensitivity(n=4, value=x, time=2) for x in (1, 2))
    assert {(row["param_value"], row["name"]) for row in found.rows()} >= {(1, "n"), (2, "n")}


def test_contenders_in_one_table_say_whose_a_parameter_is(summa: rd.Prediction) -> None:
    dgemv = rd.load_model("dgemv").on(summa.machine)
    found = rd.combined(summa.faster(dgemv, "N", P=P, M=4096) for P in (4, 16))
    assert [row["P"] for row in found.rows()][:: len(found[0].rows())] == [4, 16]


@pytest.mark.parametrize("library", ["pandas", "xarray"])
def test_without_the_library_it_is_said_how_to_get_it(library: str) -> None:
    code = (
        f"import sys; sys.modules['{library}'] = None\n"
        "import roofdsl as rd\n"
        "swept = rd.load_model('summa').on(rd.load_machine('karst')).sweep(N=[4, 8], P=4)\n"
        f"try: swept.to_{library}()\n"
        "except ImportError as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    said = f"{library} is not installed; it is an extra: pip install 'roofdsl[{library}]'"
    assert done.stdout.strip() == said


def answers(prediction: rd.Prediction, values: dict[str, Any]) -> rd.Result | None:
    try:
        return prediction.evaluate(**values)
    except rd.RoofError:
        return None


@pytest.mark.parametrize(
    ("model", "machine", "swept"),
    [
        ("summa", "karst", {"N": [[64], [4096]], "P": [3, 4, 5, 9, 16]}),
        ("resnet50", "v100", {"dtype": ["fp8", "fp32", "bf16"], "batch": [[1], [8]]}),
        ("resnet50", "a100_sxm_80gb", {"dtype": ["bf16", "fp8"], "batch": [[8], [0], [2]]}),
        ("summa", "karst", {"karst.network": [["1 GB/s"], ["2 GB/s"]], "N": 4096, "P": [4, 7]}),
    ],
)
def test_what_is_refused_is_left_out_and_the_rest_is_as_one_by_one(
    model: str, machine: str, swept: dict[str, Any]
) -> None:
    prediction = rd.load_model(model).on(rd.load_machine(machine))
    found = prediction.sweep(**swept, skip_invalid=True)
    spread = dict(zip(swept, np.broadcast_arrays(*swept.values()), strict=True))
    kept, refused = 0, 0
    for place in np.ndindex(found.time.shape):
        result = answers(prediction, {name: x[place].item() for name, x in spread.items()})
        assert found.answered[place] == (result is not None)
        if result is not None:
            agree(found, place, result)
            kept += 1
            continue
        assert found.bound[place] == "" and found.bound_kind[place] == ""
        point = found.left_out[refused]
        assert {*point.values} == {name for name in swept if np.size(swept[name]) > 1}
        for name in (name for name in point.values if "." not in name):
            assert point.values[name] == str(spread[name][place])
            assert found.parameters[name][place] == spread[name][place]
        refused += 1
        for table in (found.quantities, found.tallies, found.totals, found.shares, found.spending):
            assert all(np.isnan(values[place]) for values in table.values())
    assert len(found.left_out) == refused > 0
    assert len(found.rows()) == len(found.to_pandas()) == kept > 0
    assert found.to_xarray().time.isnull().sum() == refused
    assert f"{refused} of {refused + kept} combinations left out" in found._repr_html_()
    with pytest.raises(rd.RoofError):
        prediction.sweep(**swept)


def test_where_all_points_are_refused_there_is_no_sweep(summa: rd.Prediction) -> None:
    with pytest.raises(rd.RoofError, match="2 of 2 combinations have no answer"):
        summa.sweep(N=4096, P=[3, 5], skip_invalid=True)
    with pytest.raises(rd.RoofError, match="dtype"):  # no value of a name that is none
        summa.sweep(N=4096, dtype=["a", "b"], skip_invalid=True)
    with pytest.raises(TypeError, match="skip_invalid takes True or False"):
        summa.sweep(N=4096, P=[4, 5], skip_invalid=1)


def test_a_sweep_at_one_place_is_one_row() -> None:
    pytest.importorskip("pandas")
    found = rd.load_model("summa").on(rd.load_machine("karst")).sweep(N=4096, P=121)
    (row,) = found.rows()
    assert row["bound"] == "network"
    assert [str(each) for each in found.to_pandas().bound] == ["network"]


@pytest.mark.parametrize(
    ("name", "texts", "numbers", "kind"),
    [
        ("N", ["4", "8"], [4, 8], "int64"),
        ("N", ["4", 8], [4, 8], "int64"),
        ("word", ["4 B", "8 B"], [4, 8], "int64"),
        ("karst.network", ["1 GB/s", "2 GB/s"], [10**9, 2 * 10**9], "int64"),
        ("karst.network", ["1 GB/s", "2.5 B/s"], [1e9, 2.5], "float64"),
        ("N", ["1e17 + 1", "8"], [10**17 + 1, 8], "int64"),
        (
            "word",
            ["1e17 B + 1 B", "0.5 B"],
            [10**17 + 1, 0.5],
            "object",
        ),  # a double has fewer digits
    ],
)
def test_texts_are_swept_as_numbers(
    name: str, texts: list[Any], numbers: list[float], kind: str, summa: rd.Prediction
) -> None:
    values: dict[str, Any] = {"N": 4096, "P": 4, name: texts}
    swept = summa.sweep(**values)
    assert swept.parameters[name].tolist() == numbers
    assert str(swept.parameters[name].dtype) == kind == str(swept.to_pandas().dtypes[name])
    assert str(swept.to_xarray()[name].dtype) == kind


def test_sweeps_print_and_are_written_as_answers_are(summa: rd.Prediction) -> None:
    swept = summa.sweep(N=[4, 8], P=[4, 5], skip_invalid=True)
    assert str(swept).startswith("summa on karst\n") and "106.7 ns" in str(swept)
    assert "| 106.7" in swept.to_markdown() and "\\begin{tab" in swept.to_latex()
    jetstream = summa.model.on(rd.load_machine("jetstream"))
    both = rd.sweep([summa, jetstream], N=[4, 8], P=4)
    for each, count in ((swept, 1), (both, 4)):
        written = json.loads(each.to_json())
        VALIDATOR.validate(written)
        assert [row["time"] for row in written["rows"]] == [row["time"] for row in each.rows()]
        assert len(written["rows"]) == count and written["units"]["rows"]["time"] == "s"
        assert {*written["rows"][0]} - {"machine"} == {*written["columns"]}
    assert json.loads(swept.to_json())["swept"] == ["N", "P"]
    assert both.to_dict()["machine"] == ["karst", "karst", "jetstream", "jetstream"]
    assert both.to_dict()["time"] == [row["time"] for row in both.rows()]
    many = summa.sweep(N=range(2, 400), P=4)
    assert "and 198 more" in str(many) and "and 378 more" in many._repr_html_()


def test_a_prediction_prints_as_eval_does(summa: rd.Prediction) -> None:
    printed = CliRunner().invoke(cli, ["eval", "summa", "-m", "karst"]).stdout
    assert str(summa) == printed.rstrip("\n")
    assert json.loads(summa.to_json())["answer"] == summa.to_dict()["answer"] == "formulas"
    assert summa == summa.model.on(summa.machine) and repr(summa) == "<Prediction summa on karst>"
    plain = rd.loads("model m { flops = 1 } machine b { memory = 1 GB/s }")
    refused = plain.models["m"].on(plain.machines["b"])
    assert "error[" in str(refused)
    fast = plain.models["m"].on(rd.load_machine("karst"))
    assert str(fast) == str(fast.evaluate())
