"""A machine made from another: what it states otherwise, what follows from that, what it keeps."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from roofdsl.analysis.rates import machine_rates
from roofdsl.diagnostic import RoofError
from roofdsl.expression.tree import Number
from roofdsl.model.library import check_text, find_machine
from roofdsl.model.types import MachineDefinition
from roofdsl.source import Source


def machines(text: str) -> dict[str, MachineDefinition]:
    module, problems = check_text(Source("test", text))
    assert problems == (), [str(problem) for problem in problems]
    return module.machines


def codes(text: str) -> list[str]:
    return [problem.code for problem in check_text(Source("test", text))[1]]


def test_a_rate_is_changed_and_another_added() -> None:
    fast = machines("machine fast = karst with { network = 10 GB/s; messages = 2 us/message }")
    rates = machine_rates(fast["fast"])
    assert rates == {"flops": 22e9, "memory": 13.9e9, "network": 10e9, "messages": 5e5}
    karst = find_machine("karst")[0]
    made_from = "karst with network = 10 GB/s, messages = 2 us/message"
    assert fast["fast"].made_from == made_from
    assert fast["fast"].sources == (*karst.sources, f"fast is {made_from}")
    assert [(x.key, x.added) for x in fast["fast"].changes] == [
        ("network", False),
        ("messages", True),
    ]
    assert machine_rates(karst)["network"] == 1.2e9


def test_what_follows_from_a_name_follows() -> None:
    found = machines("""
        machine node {
            param ranks: integer = 4
            let memory_of_all = 80 GB/s
            flops  = 10 GFLOP/s
            memory = memory_of_all / ranks
            capacity memory = 64 GiB / ranks
        }
        machine eight = node with { ranks = 8 }
        machine wide = node with { memory_of_all = 160 GB/s }
        machine both = eight with { memory_of_all = 160 GB/s; param spare: integer = ranks - 1
                                    flops = spare * 1 GFLOP/s }
    """)
    rates = {name: machine_rates(each) for name, each in found.items()}
    assert [rates[name]["memory"] for name in rates] == [20e9, 10e9, 40e9, 20e9]
    assert rates["both"]["flops"] == 7e9
    assert found["both"].base == "eight"


def test_a_name_declared_again_is_a_new_one() -> None:
    found = machines("""
        machine a { param n: integer = 4; flops = n * 1 GFLOP/s }
        machine b = a with { param n: integer[..2] = 2 }
        machine c = a with { let n = 3 }
    """)
    assert [machine_rates(each)["flops"] for each in found.values()] == [4e9, 2e9, 3e9]
    assert len(found["b"].parameters) == 1
    assert not found["c"].parameters


def test_levels_and_defaults_are_those_of_both() -> None:
    found = machines("""
        machine a { flops = 1 GFLOP/s; network { near = 4 GB/s; far = 1 GB/s; default far } }
        machine b = a with { network.far = 2 GB/s; network { default near } }
        machine c = a with { network.middle = 3 GB/s }
    """)
    assert machine_rates(found["b"]) == {"flops": 1e9, "network.near": 4e9, "network.far": 2e9}
    assert found["b"].defaults == {"network": "network.near"}
    assert found["c"].defaults == {"network": "network.far"}
    assert [rate.key for rate in found["c"].rates][-1] == "network.middle"


def test_capacities_stand_alone_or_in_a_block() -> None:
    found = machines("""
        machine a { flops = 1 GFLOP/s; capacity { memory.L3 = 32 MiB; memory.DRAM = 80 GB } }
        machine b = a with { capacity { memory.DRAM = 64 GiB }; capacity memory.L2 = 1 MB }
    """)
    held = {item.key: item.formula.tree for item in found["b"].capacities}
    bytes_of = {"memory.L3": 32 * 2**20, "memory.DRAM": 64 * 2**30, "memory.L2": 10**6}
    assert held == {key: Number(Fraction(size)) for key, size in bytes_of.items()}
    assert [change.key for change in found["b"].changes if change.added] == ["capacity memory.L2"]


def test_a_device_is_changed_in_one_value_or_becomes_another() -> None:
    found = machines("""
        machine hybrid = i7_titan with {
            gpu.memory = 6.25 ps/B
            gpu { flops = 3 TFLOP/s }
            device cpu = i3_2100t
            network = 16 GB/s
        }
    """)["hybrid"]
    titan = machine_rates(find_machine("gtx_titan")[0])
    assert machine_rates(found.devices["gpu"]) == {**titan, "memory": 160e9, "flops": 3e12}
    assert found.devices["cpu"].name == "i3_2100t"
    assert found.devices["gpu"].base == "gtx_titan"
    changed = [(change.key, change.added) for change in found.changes]
    assert changed == [
        ("gpu.memory", False),
        ("gpu.flops", False),
        ("device cpu", False),
        ("network", True),
    ]


DEVICES = """
    machine card { param clock: Hz = 1 GHz; flops = 4 flop/cycle*clock; memory = 2 GB/s }
    machine node {
        param cards: integer = 4
        param clock: Hz = 2 GHz
        let share = 80 GB/s / cards
        device cpu { flops = 1 flop/cycle*clock; memory = share }
        device gpu = card with { memory = share; param clock: Hz = 3 GHz }
        network = 8 GB/s
    }
    machine eight = node with { cards = 8; clock = 5 GHz }
    machine slow = eight with { gpu.clock = 7 GHz }
"""


def test_devices_in_place_see_the_names_around_them() -> None:
    found = machines(DEVICES)
    rates = {
        name: [machine_rates(found[name].devices[device]) for device in ("cpu", "gpu")]
        for name in ("node", "eight", "slow")
    }
    assert rates == {
        "node": [{"flops": 2e9, "memory": 20e9}, {"flops": 12e9, "memory": 20e9}],
        "eight": [{"flops": 5e9, "memory": 10e9}, {"flops": 12e9, "memory": 10e9}],
        "slow": [{"flops": 5e9, "memory": 10e9}, {"flops": 28e9, "memory": 10e9}],
    }
    assert machine_rates(found["card"]) == {"flops": 4e9, "memory": 2e9}


def test_a_machine_of_another_file_keeps_its_words(tmp_path: Path) -> None:
    (tmp_path / "base.roof").write_text("""
        unit page
        resource disk: page
        function half(x) = x/2
        machine box { param n: integer = 4; flops = half(n) * 1 GFLOP/s; disk = 3 page/s }
    """)
    (tmp_path / "mine.roof").write_text("""
        use "base.roof" as base
        function half(x) = x/4
        machine quick = base.box with { n = 8; disk = 6 page/s; memory = half(8) * 1 GB/s }
    """)
    quick = find_machine(f"{tmp_path}/mine.roof")[0]
    assert machine_rates(quick) == {"flops": 4e9, "disk": 6, "memory": 2e9}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("machine a = karst with { netwrk = 2 GB/s }", "R0502"),
        ("machine a = dgx_a100 with { network = 2 GB/s }", "R0508"),
        ("machine a = h100_sxm with { flops = 2 TFLOP/s }", "R0508"),
        ("machine a = h100_sxm with { flops.bf16 = 2 TFLOP/s }", "R0508"),
        ("machine a = a with { flops = 2 TFLOP/s }", "R0219"),
        ("machine a = karst with { network = 0 GB/s }", "R0408"),
        ("machine a = epyc_7763 with { clock = 2*clock }", "R0203"),
        ("machine a = karst with { network = 2 GB/s; network = 3 GB/s }", "R0202"),
    ],
)
def test_what_does_not_fit_is_said(text: str, code: str) -> None:
    assert codes(text) == [code]


def test_a_machine_of_another_stands_in_no_formula() -> None:
    text = 'model m { flops = 2 }\ntest "t" { expect (m() on karst with { flops = 3 }).time > 0 s }'
    assert codes(text)
    with pytest.raises(RoofError):
        find_machine("karst with { flops = 3 GFLOP/s }")


def test_a_plain_link_is_refused_in_the_name_of_the_machine_that_was_changed() -> None:
    """Not in that of the machine which that one is made from in its turn."""
    (problem,) = check_text(Source("test", "machine fast = dgx_h100 with { network = 1 GB/s }"))[1]
    assert problem.message == "'dgx_h100' has 'network.intra' and 'network.inter': say which"
