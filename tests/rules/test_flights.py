"""What an `iterate` keeps of several rounds at once is that of schedules written out in full."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from roofdsl.analysis.peak import BOUND
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from roofdsl.expression.construct import number
from roofdsl.expression.substitute import substitute
from roofdsl.numeric.scalar import evaluate
from tests.counts import inputs
from tests.rules.flights import Flights
from tests.rules.memory_programs import Writer
from tests.rules.test_memory import differs, told
from tests.rules.timeline import Group, Layer, Model, Step, models_in, written
from tests.unwarned import defined

EACH = inputs(60, 1000)


@pytest.mark.parametrize("part", range(2))
def test_what_is_in_flight_is_as_written_out(part: int) -> None:
    """With more rounds than are kept at once each goes forward, and back, beside all the others."""
    for place in range(EACH):
        main = Writer(f"in flight {part} {place}").pipeline()
        run = Flights(main)
        assert not run.loose
        assert not differs(main, run)


def test_as_many_rounds_as_are_kept_at_once() -> None:
    """GPipe: gradients that are there from a round before meet one round fewer, at the least."""
    as_many = 0
    for place in range(EACH):
        main = Writer(f"all in flight {place}").pipeline()
        main = replace(main, parts=tuple(map(all_kept, main.parts)))
        run = Flights(main, as_many=True)
        if run.spoiled:
            continue
        if any(isinstance(each, Layer) and each.gradients for each in models_in(main).values()):
            found = told(written(main))
            assert found["activations"] == run.activations, written(main)
            assert found["peak_memory"] >= run.peak, written(main)
        else:
            as_many += 1
            assert not differs(main, run)
    assert as_many > 5


def all_kept(part: Step | Group) -> Step | Group:
    if isinstance(part, Step):
        return part
    keeping = part.count if part.sort == "iterate" else 1
    return replace(part, parts=tuple(map(all_kept, part.parts)), keeping=keeping)


@pytest.mark.parametrize("overlaps", [False, True])
def test_what_is_anywhere_in_flight_is_as_written_out(overlaps: bool) -> None:
    """Of what begins to be kept once others are kept no more, all is counted: that is no less."""
    compared = 0
    for place in range(inputs(100, 1000)):
        writer = Writer(f"anywhere {overlaps} {place}", overlaps)
        inner = replace(writer.inference(), name="inner")
        main = Model("main", (Group("iterate", (Step("inner", inner),), writer.count() + 1),))
        main = writer.at_once(main)
        run = Flights(main)
        if run.spoiled or not run.cuts or "keeping" not in written(main):
            continue
        if run.loose:
            found = told(written(main))
            assert found["activations"] >= run.activations, written(main)
            assert found["peak_memory"] >= run.peak, written(main)
        else:
            compared += 1
            assert not differs(main, run)
    assert compared > 10


def test_formulas_in_flight_are_as_numbers() -> None:
    """Also where the number that is kept at once is not whole: then it is between two that are."""
    compared = 0
    for place in range(inputs(15, 200)):
        main = Writer(f"open flight {place}").pipeline()
        if Flights(main).spoiled:
            continue
        text = re.sub(r"iterate \d( keeping \d)?", "iterate n keeping k", written(main))
        text = text.replace("model main {", "model main { param n: integer; param k: real;")
        text = re.sub(r"^(model training \{)", r"\1 param n: integer; param k: real;", text)
        free, wrong = predict(*defined(text), {}, frozenset({"n", "k"}))
        assert wrong == (), text
        formulas = {tally.name: tally.amount for tally in free.tallies()}
        values = {}
        for k in (1, Fraction(5, 2), 2, 3, 4):
            given = {"n": number(4), "k": number(k)}
            known = {name: (value, None) for name, value in given.items()}
            found = evaluated(predict(*defined(text), known)[0]).tallies
            for name in {"activations", "peak_memory"} & found.keys():
                put_in = substitute(formulas[name], {**free.rates, **given})
                assert evaluate(put_in, {}) == found[name], f"{name} at {k}\n{text}"
                values[name, k] = found[name]
                compared += 1
        half = values.get(("activations", Fraction(5, 2)), 0)
        assert 2 * half == values.get(("activations", 2), 0) + values.get(("activations", 3), 0)
    assert compared > 50


# x, y: what is read and made; kept are x and a mask: 12 bytes of a round, which reaches 29 in the
# step back: x, the mask, dy and dx.
LAYERS = """
model front { in x = 10 B; out y = 7 B; keep x; keep mask = 2 B; flops = 1 flop }
model back { in dy = 7 B; out dx = 10 B; flops = 1 flop }
model make { out y = 100 B; flops = 1 flop }
machine box { flops = 1 flop/s }
"""
PAIR = "{ step there = front(); step back = back() }; keep there to back"
BY_HAND = {
    # The first of four stages, 1F1B: three others lie between.
    "stage": (f"in x = 10 B; iterate 8 keeping 4 {PAIR}", 4 * 12, 29 + 3 * 12),
    # Interleaved in two parts, on three stages: 3·(1 + 2/6) rounds are there.
    "interleaved": (
        f"param p = 3; param v = 2; in x = 10 B; iterate 8 keeping p*(1 + (p - 1)/(p*v)) {PAIR}",
        4 * 12,
        29 + 3 * 12,
    ),
    "not whole": (f"in x = 10 B; iterate 8 keeping 5/2 {PAIR}", 2.5 * 12, 29 + 1.5 * 12),
    # What is made before is there once, for all rounds.
    "shared": (
        "step make = make(); iterate 8 keeping 4 " + PAIR.replace("front()", "front() from make"),
        100 + 4 * 2,
        100 + 3 * 2 + 2 + 7 + 10,
    ),
    # Steps before and after see nothing of it.
    "around": (
        "in x = 10 B; step before = make(); iterate 8 keeping 2 "
        + PAIR.replace("front()", "front() from x")
        + "; step after = make()",
        2 * 12,
        10 + 100,
    ),
    # What is kept by itself is no activation.
    "stated": (
        "in x = 10 B; iterate 8 keeping 4 " + PAIR.replace("keep", "keep h = 5 B from"),
        0,
        10 + 5 + 7 + 10 + 3 * 5,
    ),
    # A repeat of three layers in a round, and one of none: x, two times 7 that are read, 3 masks.
    "repeats": (
        f"in x = 10 B; iterate 8 keeping 3 {PAIR}".replace(
            "step there = front()",
            "step there { repeat 3 { step one = front() }; repeat 0 { step two = front() } }",
        ).replace("step back = back()", "step back { repeat 3 { step one = back() } }"),
        3 * (10 + 7 + 7 + 3 * 2),
        # In the first step back: x, 7 and 7 with 3 more that are read, masks, dy and dx.
        10 + 7 + 7 + 3 * 2 + 7 + 10 + 2 * 30,
    ),
    # Two rounds of two: all that they keep is there four times.
    "nested": (
        "in x = 10 B; iterate 5 keeping 2 { iterate 5 keeping 2 " + PAIR.replace("}", "} }"),
        4 * 12,
        29 + 3 * 12,
    ),
    # There are the 10 bytes of `x` alone.
    "none run": (f"in x = 10 B; iterate 0 keeping 0 {PAIR}", 0, 10),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_what_is_in_flight_is_what_is_added_up_by_hand(name: str) -> None:
    text, activations, peak = BY_HAND[name]
    found = told(f"{LAYERS} model main {{ {text} }}")
    assert found["activations"] == Fraction(activations)
    assert found["peak_memory"] == Fraction(peak)


def test_one_round_is_told_apart_where_gradients_are_held() -> None:
    """In the step back 29 bytes, of others 12 each, and 5 of gradients, from before too."""
    back = "model back { in dy = 7 B; hold gradients = 5 B from here;"
    layers = LAYERS.replace("model back { in dy = 7 B;", back)
    head = "model main { param n: integer; param p: integer; in x = 10 B"
    text = f"{layers} {head}; iterate n keeping min(n, p) {PAIR} }}"
    free, wrong = predict(*defined(text), {}, frozenset({"n", "p"}))
    assert wrong == ()
    assert BOUND not in free.notes
    (peak,) = (each.amount for each in free.tallies() if each.name == "peak_memory")
    for n, p, reached in ((1, 1, 34), (2, 1, 29 + 10), (3, 2, 29 + 10 + 12), (9, 4, 29 + 46)):
        assert evaluate(substitute(peak, {"n": number(n), "p": number(p)}), {}) == reached


def test_what_is_computed_again_is_there_of_one_round() -> None:
    """Of a round 10 bytes are kept. Computed again are 10 and a mask of 5, twice, beside dy."""
    found = told(
        """
        model layer { in x = 10 B; out y = 10 B; keep mask = 5 B; flops = 1 flop }
        model layer_back { in dy = 10 B; out dx = 10 B; flops = 1 flop }
        model block { step one = layer(); step two = layer() }
        model undo { in dy; step two = layer_back(); step one = layer_back() }
        model block_back {
            in dy
            recompute { step again = block() }
            step undo = undo() from dy
            keep again to undo
        }
        model main {
            in x = 10 B
            iterate 6 keeping 3 { step there = block(); step back = block_back() }
            keep there to back
        }
        machine box { flops = 1 flop/s }
        """
    )
    assert found["activations"] == 3 * 10
    assert found["peak_memory"] == 10 + 10 + 2 * (10 + 5) + 2 * 10


def test_what_a_step_keeps_for_itself_is_not_there_between() -> None:
    """Only the round that goes forward has the 6 and the 3 bytes that are there until `three`."""
    found = told(
        LAYERS
        + """
        model end { in x = 100 B; out y = 7 B; flops = 1 flop }
        model forward {
            step one = front(); step two = make(); step three = end()
            keep g = 6 B from one to three
        }
        model main {
            in x = 10 B
            iterate 9 keeping 3 { step there = forward(); step back = back() }
            keep there to back
            keep h = 3 B from there.one to there.three
        }
        """
    )
    assert found["activations"] == 3 * 12
    # In `three`: what `one` keeps, these, what is read and what is made.
    assert found["peak_memory"] == 12 + 6 + 3 + 100 + 7 + 2 * 12
