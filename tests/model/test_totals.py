"""What counts as a model's flops, memory and network, with a machine and without."""

from __future__ import annotations

import pytest
import sympy

import roofdsl as rd
from roofdsl.algebra.to_sympy import to_sympy
from roofdsl.analysis.prediction import predict
from tests.language.programs import holds, module
from tests.language.programs import model as model_of

N = sympy.Symbol("N", integer=True, positive=True)

MACHINE = """
    machine box {
        flops { fma = 4 GFLOP/s; add = 2 GFLOP/s; default fma }
        memory { L1 = 400 GB/s; L2 = 200 GB/s; DRAM = 20 GB/s; default DRAM }
        network { inter = 1 GB/s; intra = 10 GB/s }
    }
"""


def test_plain_memory_counts_and_not_the_level_it_means_as_well() -> None:
    holds(f"""
        {MACHINE}
        model both {{ flops = 6; memory = 2 B; memory.DRAM = 3 B; memory.L1 = 60 B }}
        model level {{ flops = 6; memory.DRAM = 3 B; memory.L1 = 60 B }}
        model neither {{ flops = 6; memory.L1 = 60 B; memory.L2 = 4 B }}
        test "t" {{
            expect (both() on box).memory == 2 B
            expect (both() on box).OI == 3 flop/B
            expect (level() on box).OI == 2 flop/B
            expect (neither() on box).OI == 1.5 flop/B
        }}
    """)


def test_each_step_counts_its_own_memory() -> None:
    holds(f"""
        {MACHINE}
        model plain {{ memory = 2 B; memory.L1 = 60 B }}
        model level {{ memory.DRAM = 3 B; memory.L1 = 70 B }}
        model neither {{ memory.L1 = 80 B; memory.L2 = 5 B }}
        model all {{
            step one = plain()
            overlap {{
                step two = level()
                repeat 10 {{ step three = neither(); step four = plain() }}
            }}
        }}
        test "t" {{ expect (all() on box).memory == 75 B }}
    """)


def test_devices_add_up_and_each_has_its_own_default() -> None:
    holds("""
        machine host { memory { L3 = 2 GB/s; DRAM = 1 GB/s; default DRAM } }
        machine card { memory { L2 = 2 GB/s; HBM = 1 GB/s; default HBM } }
        machine both { device cpu = host; device gpu = card }
        model on_host { memory.DRAM = 3 B; memory.L3 = 4 B }
        model on_card { memory.HBM = 10 B; memory.L2 = 20 B }
        model all { step a = on_host() on cpu; step b = on_card() on gpu }
        test "t" { expect (all() on both).memory == 13 B }
    """)


# Without a machine


KERNEL = """
    model m {
        param N: integer
        flops.fma = 2*N^3
        flops.add = N^2
        memory.L1 = 64 B * N^2
        memory.DRAM = 8 B * N^2
        network.inter = 3 B * N
        network.intra = 2 B * N
    }
"""


def test_kinds_and_links_add_up_and_the_last_level_counts() -> None:
    model = model_of(KERNEL)
    assert model.flops == 2 * N**3 + N**2
    assert model.memory == 8 * N**2
    assert model.network == 5 * N
    assert model.work("memory.L1") == 64 * N**2
    assert model.work("network.inter") == 3 * N
    assert model.work("flops.mul") == 0
    assert sympy.simplify(model.OI - (2 * N + 1) / 8) == 0
    assert sympy.simplify(model.CAI - (2 * N**2 + N) / 5) == 0
    assert sympy.simplify(model.MI - 8 * N / 5) == 0


def test_plain_memory_counts_alone() -> None:
    model = model_of("model m { memory = 2 B; memory.L1 = 5 B; memory.L2 = 7 B; flops = 4 }")
    assert model.OI == 2


COMPOSED = """
    function half(x) = x/2
    model inner {
        param n: integer
        param word = 8 B
        let lines = n/8
        flops = 2*n
        memory = word*n + 64 B * lines
    }
    model m {
        param N: integer
        param word = 4 B
        let twice = 2*N
        step one = inner(n = N)
        repeat N {
            step two = inner(n = twice, word = word)
            overlap {
                step three { let bytes = 3 B * twice; network.inter = bytes; flops = half(N) }
                repeat 2 { step four { network.intra = 1 B * N } }
            }
        }
    }
"""


def test_a_composition_is_the_sum_over_its_steps() -> None:
    word = sympy.Symbol("word", positive=True)
    model = model_of(COMPOSED)
    assert sympy.expand(model.flops - (2 * N + N * (4 * N + N / 2))) == 0
    assert sympy.expand(model.memory - (16 * N + N * (2 * N * word + 16 * N))) == 0
    assert sympy.expand(model.network - N * (6 * N + 2 * N)) == 0


@pytest.mark.parametrize("text", [KERNEL, COMPOSED])
def test_a_prediction_has_the_same_totals(text: str) -> None:
    found = module(text + MACHINE)
    model, machine = rd.Model(found.models["m"]), rd.Machine(found.machines["box"])
    result = model.on(machine).evaluate(N=16)
    for name in ("flops", "memory", "network"):
        formula = getattr(model, name)
        values = {s: {"N": 16, "word": 4}[s.name] for s in formula.free_symbols}
        assert float(formula.subs(values)) == getattr(result, name)
    prediction, problems = predict(model.definition, machine.definition, {})
    assert not problems
    for name in ("flops", "memory", "network"):
        full = to_sympy(prediction.opened().work(name))
        assert sympy.expand(full - getattr(model, name)) == 0


def test_names_of_a_step_and_of_what_it_is_part_of_are_kept_apart() -> None:
    text = """
        model inner { param N: integer; param d: precision = fp64; flops = 2*N; memory = size(d) }
        model m {
            param N: integer
            param d: precision = fp32
            step one = inner(N = N, d = d)
            step two = inner(N = 2*N)
        }
    """
    found = module(text + MACHINE)
    model, machine = rd.Model(found.models["m"]), rd.Machine(found.machines["box"])
    assert model.flops == 6 * N
    assert model.on(machine).times["flops"].subs(N, 4) == 24 / sympy.Symbol(
        "box.flops.fma", positive=True
    )
    assert model.on(machine).evaluate(N=4).memory == 12


def test_a_default_of_the_machine_stays_a_name() -> None:
    model = model_of("""
        model inner { param cores: integer = machine.cores; flops = 3*cores }
        model m { step one = inner(); step two = inner(cores = 5) }
    """)
    (cores,) = model.flops.free_symbols
    assert cores.name == "machine.cores"
    assert model.flops.subs(cores, 2) == 21


def test_precisions_of_steps_are_put_in() -> None:
    model = model_of("""
        model inner { param d: precision = fp64; flops[d] = 1; memory = size(d) }
        model m { param d: precision; step one = inner(); step two = inner(d = bf16) }
    """)
    assert model.memory == 10
    assert model.flops == 2


def test_nothing_is_0_and_its_intensities_say_so() -> None:
    copy = model_of("model m { step one { memory = 16 B } }")
    assert (copy.OI, copy.MI) == (0, sympy.oo)
    assert copy.CAI is sympy.nan
    empty = model_of("model m { repeat 3 { } }")
    assert empty.flops == 0
