"""What the peak of memory decides, and what is said where something is not in it."""

from __future__ import annotations

import re

import pytest

import roofdsl as rd

KARST = rd.load_machine("karst")
CARD = rd.load_machine("a100_sxm_80gb")
TWO_STEPS = """
model training {
    param b: integer
    let weights = 5
    step forward = linear(M = b, I = 10, O = 5)
    step backward = linear_backward(M = b, I = 10, O = 5)
}
"""


def test_vgg_16_with_1400_images_does_not_fit_a_card() -> None:
    """Autograd saves 73.25 MB an image, of which 102.5 GB are beyond 80 GiB."""
    training = rd.load_model("vgg16:vgg16_training").on(CARD)
    found = training.evaluate(batch=1400)
    assert found.tallies["activations"] > 80 * 2**30
    assert found.fits == {"peak_memory": False}
    told = re.search(r"holds for 1 ≤ batch ≤ ([0-9]+)", str(training.where("fits", "batch")))
    assert told is not None
    last = int(told[1])
    assert training.evaluate(batch=last).fits["peak_memory"]
    assert not training.evaluate(batch=last + 1).fits["peak_memory"]


def test_what_gradients_need_and_nothing_keeps_is_said() -> None:
    found = rd.loads(TWO_STEPS).models["training"].on(KARST).evaluate(b=8)
    assert any("keep forward to backward" in note for note in found.notes)
    kept = TWO_STEPS.replace("\n}\n", "\n    keep forward to backward\n}\n")
    told = rd.loads(kept).models["training"].on(KARST).evaluate(b=8)
    assert not any("keep forward to backward" in note for note in told.notes)
    assert told.tallies["activations"] == 4 * 8 * 10
    assert told.tallies["peak_memory"] == found.tallies["peak_memory"]  # x was there anyway


def test_a_let_of_the_name_of_a_tally_leaves_it_its_unit() -> None:
    text = str(rd.loads(TWO_STEPS).models["training"].on(KARST).evaluate(b=8))
    assert "220 B" in text


def test_micro_batches_have_the_weights_once_and_layers_theirs() -> None:
    """Eight micro-batches of a layer of 55 weights; eight layers of 55 weights."""
    step = "step layer = linear(M = 2, I = 10, O = 5)"
    text = f"model again {{ iterate 8 {{ {step} }} }}\nmodel deep {{ repeat 8 {{ {step} }} }}"
    models = rd.loads(text).models
    again, deep = (models[name].on(KARST).evaluate().tallies for name in ("again", "deep"))
    assert again["weights"] == 4 * 55
    assert deep["weights"] == 8 * 4 * 55
    assert again["multiply_adds"] == deep["multiply_adds"] == 8 * 2 * 50


@pytest.mark.parametrize("count", [1, 2, 7])
def test_recomputed_blocks_have_their_weights_once(count: int) -> None:
    text = f"""
        model block {{ in x = 8 B; out y = 8 B; keep x; keep inside = 100 B; hold weights = 40 B
                       flops = 1 }}
        model block_backward {{ in dy = 8 B; out dx = 8 B; hold gradients = 40 B from here
                                flops = 2 }}
        model block_recomputed {{
            in dy
            recompute {{ step again = block() }}
            step backward = block_backward() from dy
            keep again to backward
        }}
        model training {{
            step forward {{ repeat {count} {{ step block = block() }} }}
            step backward {{ repeat {count} {{ step block = block_recomputed() }} }}
            keep forward to backward
        }}
    """
    found = rd.loads(text).models["training"].on(KARST).evaluate()
    assert found.tallies["weights"] == 40 * count
    assert found.tallies["activations"] == 8 * count
    assert found.flops == (1 + 1 + 2) * count
