"""In a browser, the explorer's numbers are Python's, wherever its sliders and fields are."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random

import pytest

from roofdsl.analysis.composition import Composing
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import evaluated
from tests.explorer.browser import Browser, Page
from tests.explorer.conftest import Write
from tests.explorer.settings import DRIVER, choose, differences, drive, expected, moves
from tests.explorer.test_page import wait

SETTINGS = int(os.environ.get("ROOFDSL_EXPLORER_SETTINGS", "10"))
"""Of each model; `make fuzz` takes 50."""
PAGES = {
    "karst": (
        "summa",
        "dgemv",
        "ddot",
        "fft",
        "stencil2d",
        "mst",
        "dijkstra",
        "papers.cardwell2019:summa_as_printed",
    ),
    "h100_sxm": (
        "networks.mlp:mlp_training",
        "networks.wide_mlp:wide_mlp_training",
        "networks.lstm_lm",
        "word",
        "networks.alexnet",
    ),
    "i7_titan": ("hetero.synthetic:synthetic_data", "hetero.perdome"),
    "xeon_e5630": ("cannon", "johnson"),
    "blue_waters_xe": ("jacobi2d", "jacobi3d", "geometric_series", "hpcg", "tfqmr", "sparse_lu"),
}


# Kinds of flops and devices that work at once; charges that jump; equals; totals; a capacity; sums.
LAW = """
    unit euro
    model mix {
        param N: integer = 1000
        param P: processes = 4
        flops { low = 30*N; high = 2*N }
        memory = 8 B*N
        total flops = 100*N
        tally footprint: B = 3 B*N
    }
    model even {
        param N: integer = 1000
        param P: processes = 3
        total even
        flops = N
        memory = 0 B
    }
    model product { param N: integer = 1000; flops = 40*N }
    model lopsided {
        param N: integer = 1000
        step a { flops = 100*N; memory = 99 B*N }
        step b { memory = 10 B*N }
    }
    model equals {
        param N: integer = 1000
        step a { memory = 0.1 B*N }
        step b { flops.high = 0.3*N }
        step c { memory = 0.2 B*N }
    }
    model at_once {
        param N: integer = 1000
        overlap {
            repeat 3 { step a = mix(N = N, P = 1) on left }
            step b = product(N = N) on right
            step c { flops.high = 5*N; memory = 20 B*N }
        }
        step d { time = 3 us*N }
    }
    model pipeline {
        param N: integer = 1000
        param stages: integer = 5
        iterate 2*N { step work { flops.low = 30*N; memory = 8 B*N; tally footprint: B = 1 B*N } }
        wait (stages - 1)/3 { step bubble = mix(N = N, P = 1) }
        step inside {
            let M = 2*N
            overlap {
                wait 0.7 { step other { time = 1 s*M } }
                step a on left { flops = M }
                step b { repeat 3 { step c { flops.high = N } } }
            }
        }
    }
    model worked_out {
        param N: integer = 1000
        param P: processes = 4
        overlap {
            repeat 3 { step a = even(N = N, P = P) }
            step b { memory = 8 B*N }
            step c { flops.high = N/3 }
        }
        step d { flops.low = 5*N }
        total even
        tally footprint: B = 3 B*N
        metric speed = total.flops / time
        metric parts = a.share + 2*b.share + 3*d.share
        metric often = a.count*a.time/time
        metric spare = b.time - c.time
        metric room = footprint / machine.capacity.memory
        metric link = machine.memory * d.time
        metric hidden = b.time < a.time or bound is memory
        metric most = if hidden then attainable else 2*OI*machine.memory
    }
    model layer {
        param N: integer = 10
        in x = 3 B*N; out y = 5 B*N; keep x; keep places = 1 B*N; hold weights = 7 B*N
        memory = 8 B*N
    }
    model back {
        param N: integer = 10
        in dy = 5 B*N; out dx = 3 B*N; hold gradients = 7 B*N from here
        memory = 9 B*N
    }
    model tensors {
        param N: integer = 10
        step forward { repeat 3 { step a = layer(N = N) }; step b = layer(N = 2*N) in place }
        step backward { step b = back(N = 2*N); repeat 3 { step a = back(N = N) } }
        keep forward to backward
        metric share = activations / peak_memory
        metric room = machine.capacity.memory - peak_memory
    }
    model sums {
        param N: integer = 1000000
        flops = sum(k*(N - k/3) for k in 1..N)
        memory = 8 B*sum(N*log2(k + 1) + 1/k for k in 1..N)
    }
    mix month {
        param N: integer = 1000
        param weight: real[0..] = 3
        job products = weight * even(N = N, P = 2)
        job pipelines = 0.7 * pipeline(N = N)
    }
    machine mixed {
        flops { low = 40 flop/s; high = 1 flop/s; default high }
        memory = 1 B/s
        network = unlimited
        capacity memory = 5 kB
        device left = one
        device right = other
        param watts: W = 3 W
        power = 2*watts
        price = 0.25 euro/h
        energy { flops.low = 2 J/flop; flops.high = watts * 1 s/flop; memory = 0.5 J/B }
    }
    machine one {
        flops { low = 7 flop/s; high = 2 flop/s; default low }
        memory = 3 B/s
        power = 1 W
        energy { flops = 1 J/flop; memory = 0 J/B }
    }
    machine other { flops = 11 flop/s; memory = 3 B/s; power = 0; price = 1 euro/h }
"""
PAGES_OF_LAW = (
    "mix",
    "even",
    "lopsided",
    "equals",
    "at_once",
    "pipeline",
    "worked_out",
    "tensors",
    "sums",
)
# Start-ups, rates that depend on the work, an operation with a rate of its own, tables.
FOLDER = Path(__file__).parent
SIZED = f"""
    unit euro
    model small {{
        param N: integer = 1000
        flops = N*(N - 1)
        memory = 8 B*N
        network = 3 B*(N - 1)
        messages = 2
    }}
    model product {{
        param m: integer[1..100] = 30
        param n: integer[1..100] = 20
        as product(m = m, n = n)
        flops.half = 2*m*n
        memory = 2 B*m*n
        memory.L2 = 3 B*m
    }}
    model other {{
        param m: integer = 30
        as other(m = m)
        flops {{ half = m; single = m^2 }}
        memory = 2 B*m
    }}
    model steps {{
        param N: integer[1..100] = 10
        repeat 3 {{ step a = small(N = N) }}
        overlap {{
            step b = small(N = 2*N) on card
            step c = product(m = N, n = 2) on card
            step d {{ flops = N; network = 1 B }}
        }}
        step e {{ time = 1 us*N }}
    }}
    mix products {{
        param m: integer[1..100] = 30
        job one = 3 * product(m = m)
        job two = product(m = 2, n = 2)
    }}
    machine sized {{
        param half: B = 30 B
        flops(w) = 1 GFLOP/s * w/(w + 300 flop)
        memory(w) = if w < 1 kB then 2 GB/s else 8 GB/s * (1 - exp(-w/1 MB)/2)
        memory.L2 = 3 GB/s
        network(w, messages) = 1 GB/s * w/(w + messages*half/1 message)
        messages = 1 us/message
        startup = 0.5 us
        startup network = 0.3 us
        startup flops = 0.1 us
        device card = sized_card
    }}
    machine sized_card {{
        param best = 3 GFLOP/s
        flops {{
            half(w) = best * w/(w + 1 flop)
            single = 1 GFLOP/s
            half as other(m) = best * m/(m + 8)
            default single
        }}
        memory {{ L2 = 9 GB/s; DRAM(w) = 1 MB/s*w/1 B; default DRAM }}
        startup = 2 us
        price = 2 euro/h
        measured flops.half as product(m, n) from "{FOLDER}/products.csv" interpolate
        measured memory.L2(w) from "{FOLDER}/cache.csv" interpolate
    }}
"""
# One word of GPT-2: two precisions, and ranks in a node; beyond it the machine has no links.
WORD = """
    model word = gpt2_decode with {
        param t: processes[1..4] = 1
        param node: integer[2..8] = 8
    }
"""
PAGES_OF_SIZES = {"sized": ("small", "steps"), "sized_card": ("product", "other")}


@pytest.mark.parametrize("machine", [*PAGES, "mixed", *PAGES_OF_SIZES])
def test_numbers_are_those_of_python(machine: str, browser: Browser, write: Write) -> None:
    models = {**PAGES, **PAGES_OF_SIZES, "mixed": PAGES_OF_LAW}[machine]
    own = {"mixed": LAW, "h100_sxm": WORD, **dict.fromkeys(PAGES_OF_SIZES, SIZED)}
    text = own.get(machine, "")
    written = write(models, [machine], text)
    data = json.loads(written.built.json)
    # So low that no figure is in sight: numbers alone are quick.
    page = browser.page(written.path, height=60, link="#views=surface")
    page.run(DRIVER)
    random = Random(machine)
    for place, model in enumerate(written.models):
        choose(page, place)
        sound = 0
        for attempt in range(5 * SETTINGS):
            moved = moves(random, data, place) if attempt else []  # first as it starts
            found = drive(page, moved)
            result = expected(written.models[place], written.machines[0], found["controls"])
            if result is None:
                assert found["problems"], f"{model.name}: Python refuses {moved}"
                continue
            assert not found["problems"], f"{model.name}: Python allows {moved}"
            wrong = differences(found, result, written.machines[0])
            assert wrong == [], f"{model.name} after {moved}"
            sound += 1
            if sound == SETTINGS:
                break
        assert sound == SETTINGS, f"{model.name}: only {sound} settings are allowed"
    assert page.problems() == []
    page.close()


def test_there_are_twenty_models_at_least() -> None:
    assert sum(map(len, PAGES.values())) >= 20


# What a job costs depends on its time, so on rates, here measured ones; B pays and draws otherwise.
SPENT = f"""
    unit euro
    unit credit
    model looked_up {{
        param m: integer[1..100] = 30
        param P: processes = 2
        let large = 187863.4
        step a {{ flops.half = m^2; as product(m = m, n = m) }}
        step b {{ memory = 6 B*m^2 }}
        total even
        metric each: J = energy / P
        metric later = a.time / b.time
    }}
    mix inner {{ param m: integer[1..100] = 30; job two = 2 * looked_up(m = m, P = 3) }}
    mix outer {{
        param m: integer[1..100] = 30
        job one = 0.5 * looked_up(m = m)
        job others = m * inner(m = 2*m/2)
    }}
    machine here {{
        flops {{ half = 2 GFLOP/s }}
        memory = 3 GB/s
        power = 5 W
        price = 7 euro/s
        energy {{ flops = 1 nJ/flop; memory = 2 nJ/B }}
        measured flops.half as product(m, n) from "{FOLDER}/products.csv" interpolate
    }}
    machine there = here with {{ price = 11 credit/s }}
    machine silent {{ flops.half = 2 GFLOP/s; memory = 3 GB/s; price = 3 euro/s }}
"""


def said(page: Page) -> dict[str, list[str]]:
    """Return the rows of the panel of numbers: what stands beside each name."""
    rows = page.run(
        "[...document.querySelectorAll('#numbers tr')].filter((row) => !row.hidden)"
        ".map((row) => [...row.children].map((cell) => cell.textContent))"
    )
    return {name: cells for name, *cells in rows}


def test_energy_and_metrics_are_worked_out_of_the_times_of_the_page(
    browser: Browser, write: Write
) -> None:
    written = write(["outer", "looked_up"], ["here", "there", "silent"], SPENT)
    page = browser.page(written.path, height=60, link="#views=surface")
    page.run(DRIVER)
    asked: list[tuple[int, Composing]] = [(0, "written"), (0, "max"), (1, "written"), (1, "max")]
    for place, compose in asked:
        page.run(f"location.hash = 'views=surface&compose={compose}'")
        choose(page, place)
        found = drive(page, [])
        prediction, _ = predict(written.models[place], written.machines[0], {})
        result = evaluated(prediction, compose)
        names = ["energy", "power", "cost", "energy.memory", "energy.constant", "energy.work"]
        for name in names:
            assert float(found["numbers"][name]) == pytest.approx(result.spending[name], 1e-12)
        if (place, compose) == (1, "written"):  # of times that are measured
            later = float(found["numbers"]["later"])
            assert later == pytest.approx(result.metrics["later"], rel=1e-12)
    assert float(found["numbers"]["each"]) == pytest.approx(result.metrics["each"], rel=1e-12)
    assert said(page)["large"] == ["187863"]  # with its whole part, as in texts
    page.close()


def test_what_two_machines_take_is_what_each_states(browser: Browser, write: Write) -> None:
    written = write(["outer", "looked_up"], ["here", "there", "silent"], SPENT)
    page = browser.page(written.path, height=60, link="#views=surface&model=looked_up&B=there")
    # Two processes pay 7 euro/s and 11 credit/s: two kinds of money are not compared.
    cost, credit, compared = said(page)["cost"]
    assert float(cost.split()[0]) / float(credit.split()[0]) == pytest.approx(7 / 11, rel=5e-4)
    assert cost.endswith("euro") and credit.endswith("credit") and compared == ""
    assert said(page)["energy"][2] == "= "
    page.run("location.hash = 'views=surface&model=looked_up&A=silent&B=here'")
    wait(page, "document.querySelector('#verdict').textContent.startsWith('A')")
    wait(page, "[...document.querySelectorAll('#numbers td')].some((x) => x.className === 'why')")
    cells = said(page)
    why = "– ('silent' states no energy)"
    assert cells["energy"][0] == why and cells["energy"][1].endswith("J")
    assert cells["energy.memory"][0] == "–"
    assert cells["each"][0] == why
    assert page.problems() == []
    page.close()


def test_a_metric_is_shown_in_the_unit_of_its_file(write: Write) -> None:
    text = """
        unit euro
        unit word
        unit Mword = 1e6 word
        model m {
            param n: integer = 1000
            flops = n; memory = 8 B*n
            metric each: euro/Mword = cost / (n*1 word)
            metric large: euro/TB = cost / memory
            metric fast: B/s = memory / time
        }
        machine box { flops = 1 GFLOP/s; memory = 1 GB/s; price = 2 euro/h }
    """
    data = json.loads(write(["m"], ["box"], text).built.json)
    (variant,) = data["models"][0]["placements"][0]["variants"].values()
    shown = {item["name"]: item["units"] for item in variant["metrics"]}
    assert shown["each"] == [[-6, "euro/Mword"]]
    assert shown["large"] == [[-12, "euro/TB"]]
    assert len(shown["fast"]) > 1
