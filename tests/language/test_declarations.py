"""Names are declared once; bounds, defaults and resources fit each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.language.programs import checked, codes, file_codes, files, holds, module


@pytest.mark.parametrize(
    "text",
    [
        "model m { tally a: B = 1\ntally a: B = 2\nflops = 1 }",
        "model m { tally a: B = 1\nparam a\nflops = a }",
        "model m { let a = 1\ntally a: B = 2\nflops = 1 }",
        "machine k { memory = 1 GB/s\ncapacity memory = 1 GB\ncapacity memory = 2 GB }",
        "use summa\nmodel summa { flops = 1 }",
        "use summa as own\nmodel own { flops = 1 }",
        "use summa as own\nmachine own { flops = 1 GFLOP/s }",
    ],
)
def test_a_name_is_declared_once(text: str) -> None:
    assert codes(text) == ["R0202"]


def test_capacities_of_two_levels_are_two() -> None:
    module("""
        machine k {
            memory { HBM = 1 TB/s; DRAM = 1 GB/s; default HBM }
            capacity memory.HBM = 16 GB
            capacity memory.DRAM = 256 GB
        }
    """)


@pytest.mark.parametrize(
    ("declared", "code"),
    [
        ("N: integer[3..2]", "R0223"),
        ("N: integer[2.2..2.8]", "R0223"),
        ("N: processes[..0]", "R0223"),
        ("N: real[..0]", "R0223"),
        ("N: real[2..1]", "R0223"),
        ("N: B[2 KiB..2 kB]", "R0223"),
        ("N: integer = 2.5", "R0404"),
        ("N: processes = 1/2", "R0404"),
        ("N: integer = 0", "R0402"),
        ("N = 0", "R0402"),
        ("N = -3", "R0402"),
        ("N: real[0..1] = 2", "R0402"),
        ("N: integer[2..] = 1", "R0402"),
        ("N: s[1 us..] = 999 ns", "R0402"),
    ],
)
def test_bounds_and_defaults_that_cannot_be_are_reported(declared: str, code: str) -> None:
    assert codes(f"model m {{ param {declared}\n flops = 1 }}") == [code]
    assert codes(f"machine k {{ param {declared}\n flops = 1 GFLOP/s }}") == [code]


@pytest.mark.parametrize(
    "declared",
    [
        "N: integer[3..3] = 3",
        "N: integer[2.2..3]",
        "N: real[1..1]",
        "N: real[0..] = 0",
        "N: real[-3..3] = -3",
        "N: B[2 kB..2 KiB] = 2 kB",
        "N: integer[Q..2]",
        "N: integer[..Q] = Q/2",
        "N: integer = machine.cores",
        "N: boolean = false",
        "N: precision = fp64",
    ],
)
def test_bounds_and_defaults_that_can_be_are_left_alone(declared: str) -> None:
    module(f"model m {{ param Q: integer = 4\n param {declared}\n flops = 1 }}")


def test_a_model_has_no_default_level() -> None:
    block = "memory { L1 = 8 B\n default L1 }"
    assert codes(f"model m {{ {block} }}") == ["R0216"]
    assert codes(f"model m {{ step one {{ {block} }} }}") == ["R0216"]


# Resources


def test_sharing_leads_to_the_last_resource() -> None:
    found = module("""
        resource c: B shares b
        resource b: B shares a
        resource a: B shares messages
        resource d: B
        model m { a = 1 B }
    """)
    shares = {name: found.resources[name].shares for name in "abcd"}
    assert shares == {"a": "network", "b": "network", "c": "network", "d": None}


def test_the_times_of_all_that_share_add_up() -> None:
    holds("""
        resource lock: B shares messages
        resource wait: B shares lock
        model m { network = 1 GB; messages = 2; lock = 3 GB; wait = 4 GB; memory = 5 GB }
        model waiting { wait = 4 GB; memory = 3 GB }
        machine box {
            network = 1 GB/s
            messages = 1 s/message
            lock = 1 GB/s
            wait = 1 GB/s
            memory = 1 GB/s
        }
        test "t" {
            let r = m() on box
            expect r.time == 10 s
            expect r.bound is network
            expect (waiting() on box).bound is network
        }
    """)


@pytest.mark.parametrize(
    "text",
    [
        "resource a: B shares a",
        "resource a: B shares b\nresource b: B shares a",
        "resource a: B shares b\nresource b: B shares c\nresource c: B shares b",
    ],
)
def test_resources_do_not_share_in_a_circle(text: str) -> None:
    assert codes(f"{text}\nmodel m {{ flops = 1 }}") == ["R0203"]


def test_a_resource_shares_one_that_is_there() -> None:
    text = "resource a: B shares b\nresource b: B shares c\nmodel m { a = 1 B }"
    _, (problem,) = checked(text)
    assert (problem.code, problem.span and problem.span.text) == ("R0214", "c")


def test_thousands_of_resources_share_in_a_row() -> None:
    chain = "".join(f"resource r{n}: B shares r{n + 1}\n" for n in range(5000))
    found = module(f"{chain}resource r5000: B shares network\nmodel m {{ flops = 1 }}")
    assert {found.resources[f"r{n}"].shares for n in range(5001)} == {"network"}


@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("resource disk: B shares network", []),
        ("resource disk: B shares messages", []),
        ("resource disk: B", ["R0202"]),
        ("unit block\nresource disk: block shares network", ["R0202"]),
    ],
)
def test_a_resource_is_the_same_in_all_files(tmp_path: Path, own: str, expected: list[str]) -> None:
    path = files(
        tmp_path,
        {
            "main.roof": f'use "./other.roof" as other\n{own}\nmodel m {{ disk = 3 }}\n',
            "other.roof": "resource disk: B shares network\n",
        },
    )
    assert file_codes(path) == expected


def test_two_files_that_are_used_agree_on_resources(tmp_path: Path) -> None:
    path = files(
        tmp_path,
        {
            "main.roof": 'use "./one.roof" as one\nuse "./two.roof" as two\nmodel m { disk = 3 }\n',
            "one.roof": "resource disk: B\n",
            "two.roof": "resource disk: B shares memory\n",
        },
    )
    assert file_codes(path) == ["R0202"]
