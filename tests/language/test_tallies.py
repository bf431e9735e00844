"""Tallies of a composed model: summed over steps and repeats, checked for one unit."""

from __future__ import annotations

from pathlib import Path

import pytest

import roofdsl as rd

LAYERS = """
unit element
model layer {
    param I: integer
    param O: integer
    tally parameters: element = I*O
    tally footprint: B = 4 B * I*O
    flops = 2*I*O
}
machine small { flops = 1 GFLOP/s; capacity memory = 100 B }
"""


def result(folder: Path, text: str, **values: int | float | str) -> rd.Result:
    file = folder / "net.roof"
    file.write_text(LAYERS + text, encoding="utf-8")
    model = rd.load_model(f"{file}:net")
    return model.on(rd.load_machine(f"{file}:small")).evaluate(**values)


def test_tallies_add_up_over_steps_repeats_and_overlaps(tmp_path: Path) -> None:
    found = result(
        tmp_path,
        """
        model net {
            param n: integer = 3
            tally parameters: element = 5
            step a = layer(I = 2, O = 3)
            repeat n { step b = layer(I = 1, O = 4); overlap { step c = layer(I = 1, O = 1) } }
            step d { memory = 0 B }
        }
        """,
    )
    assert found.tallies == {"parameters": 5 + 6 + 3 * (4 + 1), "footprint": 4 * 21}
    assert found.fits == {"footprint": True}
    assert found.named["parameters"] == 26


def test_tallies_of_steps_of_steps(tmp_path: Path) -> None:
    found = result(
        tmp_path,
        """
        model block { step a = layer(I = 2, O = 3); step b = layer(I = 3, O = 2) }
        model net { repeat 10 { step block = block() } }
        """,
    )
    assert found.tallies == {"parameters": 120, "footprint": 480}
    assert found.fits == {"footprint": False}


def test_a_parameter_called_like_a_tally_keeps_its_name(tmp_path: Path) -> None:
    text = "model net { param parameters = 7; step a = layer(I = 2, O = 3) }"
    found = result(tmp_path, text)
    assert found.named["parameters"] == 7
    assert found.tallies["parameters"] == 6


def test_tallies_of_one_name_have_one_unit(tmp_path: Path) -> None:
    text = "model net { tally parameters: B = 1; step a = layer(I = 2, O = 3) }"
    with pytest.raises(rd.RoofError, match="the tally 'parameters' adds up different units"):
        result(tmp_path, text)
