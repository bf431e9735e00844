"""Which rate serves which work: the rules of docs/language.md, "Levels and kinds", one by one."""

from __future__ import annotations

import pytest

from roofdsl.analysis.matching import Served, Skipped, match
from roofdsl.diagnostic import Diagnostic
from roofdsl.model.library import check_text
from roofdsl.source import Source

# How a hint ends that leaves work out of account.
LEFT_OUT = "state one, or let it take no time: --set box."
PLAIN = "flops = 1 flop/s; memory = 2 B/s"
LEVELS = (
    "flops { fma = 1 flop/s; add = 2 flop/s; default add }; memory { L2 = 3 B/s; DRAM = 4 B/s }"
)
ONE_LEVEL = "flops { fma = 1 flop/s }; memory { L2 = 3 B/s }; network = unlimited"
BESIDE = "flops = 1 flop/s; flops.fma = 2 flop/s; memory = 2 B/s; memory.L2 = 9 B/s"
UNITS = (
    "flops { matrix.bf16 = 9 flop/s; matrix.fp64 = 8 flop/s; vector.fp64 = 4 flop/s; "
    "vector.fp32 = 5 flop/s; special.fp32 = 1 flop/s; fp16 = 3 flop/s; matrix.fp8 = 7 flop/s; "
    "default vector.fp32; default matrix.bf16 }"
)
OF_UNITS = "flops { matrix = 9 flop/s; vector = 5 flop/s; default vector }"
OWN_UNIT = "flops { cube.int8 = 9 flop/s; vector.fp32 = 5 flop/s }"
LACKS_DEFAULT = (
    "'box' has memory.L2, memory.DRAM: say which of them is meant with `default` in its `memory` "
    "block"
)


def found(machine: str, work: str) -> Served | Skipped | Diagnostic:
    """Return what serves the first work of a model."""
    source = Source("case", f"model m {{ {work} }}\nmachine box {{ {machine} }}")
    module, problems = check_text(source)
    assert [x for x in problems if x.severity == "error"] == []
    model = module.models["m"]
    return match(model.work[0].key, model.work[0], module.machines["box"], model)


@pytest.mark.parametrize(
    ("machine", "work", "key"),
    [
        (PLAIN, "memory = 1 B", "memory"),
        (LEVELS, "memory.L2 = 1 B", "memory.L2"),
        (ONE_LEVEL, "flops = 1", "flops.fma"),  # the only one
        (ONE_LEVEL, "memory = 1 B", "memory.L2"),
        (ONE_LEVEL, "network = 1 B", "network"),
        (BESIDE, "flops = 1", "flops"),
        (BESIDE, "flops.fma = 1", "flops.fma"),
        (BESIDE, "memory = 1 B", "memory"),
        (UNITS, "flops.matrix.fp64 = 1", "flops.matrix.fp64"),
        (UNITS, "flops.fp16 = 1", "flops.fp16"),
        (UNITS, "flops.matrix[fp64] = 1", "flops.matrix.fp64"),
        (OWN_UNIT, "flops.cube[int8] = 1", "flops.cube.int8"),
        (OF_UNITS, "flops.matrix = 1", "flops.matrix"),
    ],
)
def test_a_rate_of_the_same_name_the_default_or_the_only_one_serves(
    machine: str, work: str, key: str
) -> None:
    served = found(machine, work)
    assert isinstance(served, Served)
    assert (served.rate.key, served.note) == (key, None)


def test_the_default_kind_serves_plain_flops_with_a_note() -> None:
    served = found(LEVELS, "flops = 1")
    assert isinstance(served, Served)
    assert served.rate.key == "flops.add"
    assert served.note == "flops of no stated kind run at the default of 'box': flops.add"


def test_one_plain_rate_of_flops_serves_every_kind_with_a_note() -> None:
    served = found(PLAIN, "flops.fp64 = 1")
    assert isinstance(served, Served)
    assert served.rate.key == "flops"
    assert served.note == "'box' has one rate for all flops: it serves flops.fp64 too"


@pytest.mark.parametrize(
    ("machine", "work", "key", "note"),
    [
        # A kind of no unit: the default of its precision, or the only rate, of the vector unit.
        (UNITS, "flops[bf16] = 1", "flops.matrix.bf16", "the default of 'box' for bf16"),
        (UNITS, "flops.fp32 = 1", "flops.vector.fp32", "the default of 'box' for fp32"),
        (OWN_UNIT, "flops.fp32 = 1", "flops.vector.fp32", "the only rate of 'box' for fp32"),
        (UNITS, "flops = 1", "flops.vector.fp32", "flops of no stated kind run at the default of"),
        # What other units lack, the vector unit does; never the other way round.
        (UNITS, "flops.matrix.fp32 = 1", "flops.vector.fp32", "'box' has no flops.matrix.fp32: it"),
        (UNITS, "flops.special.fp64 = 1", "flops.vector.fp64", "'box' has no flops.special.fp64"),
        (OF_UNITS, "flops.special.fp64 = 1", "flops.vector", "it runs at flops.vector"),
        (OF_UNITS, "flops.matrix.fp64 = 1", "flops.matrix", "runs at flops.matrix of 'box'"),
        # A unit of no kind is its default, or the only one.
        (UNITS, "flops.vector = 1", "flops.vector.fp32", "flops.vector runs at flops.vector.fp32"),
        (UNITS, "flops.special = 1", "flops.special.fp32", "runs at flops.special.fp32 of 'box'"),
        # Machines of no units: one rate serves all of them.
        (UNITS, "flops.vector.fp16 = 1", "flops.fp16", "one rate for fp16 of every unit"),
        (UNITS, "flops.special.fp16 = 1", "flops.fp16", "one rate for fp16 of every unit: flops."),
        (PLAIN, "flops.matrix.fp64 = 1", "flops", "all flops: it serves fp64 of every unit"),
        (PLAIN, "flops.vector = 1", "flops", "it serves flops of every unit"),
    ],
)
def test_what_stands_in_for_a_kind_says_so(machine: str, work: str, key: str, note: str) -> None:
    served = found(machine, work)
    assert isinstance(served, Served)
    assert served.rate.key == key
    assert note in (served.note or "")


@pytest.mark.parametrize(
    ("machine", "work", "known"),
    [
        (UNITS, "flops[fp64] = 1", "flops.matrix.fp64, flops.vector.fp64"),
        (UNITS, "flops[fp8] = 1", "flops.matrix.fp8"),  # elementwise work is no product
        (OWN_UNIT, "flops[int8] = 1", "flops.cube.int8"),
    ],
)
def test_of_several_units_the_machine_says_which_is_meant(
    machine: str, work: str, known: str
) -> None:
    lacking = found(machine, work)
    assert isinstance(lacking, Diagnostic)
    kind = work[6 : work.index("]")]
    ways = " or ".join(f"`flops.{each.split('.')[1]}[{kind}]`" for each in known.split(", "))
    assert lacking.code == "R0509"
    assert lacking.message == f"'box' states no default for {kind}: it has {known}"
    assert lacking.hint == f"write {ways}, or a `default` in the machine's `flops` block"


@pytest.mark.parametrize(
    ("machine", "work"),
    [
        (UNITS, "flops.vector.bf16 = 1"),
        (UNITS, "flops.vector.fp8 = 1"),
        ("flops { matrix.fp64 = 1 flop/s }", "flops = 1"),
        ("flops { matrix.fp64 = 1 flop/s }", "flops.vector = 1"),
        ("flops { special.fp64 = 1 flop/s }", "flops.matrix.fp64 = 1"),
        (UNITS, "flops.cube.fp64 = 1"),
    ],
)
def test_nothing_falls_back_on_the_matrix_unit(machine: str, work: str) -> None:
    lacking = found(machine, work)
    assert isinstance(lacking, Diagnostic)
    assert lacking.code == "R0501"


@pytest.mark.parametrize(
    ("machine", "work"),
    [
        (PLAIN, "memory.L2 = 1 B; memory = 2 B"),
        (LEVELS, "memory.L1 = 1 B; memory = 2 B"),
        (LEVELS, "memory.L1 = 1 B; memory.DRAM = 2 B"),
        (LEVELS, "memory.L1 = 1 B; flops = 3; memory.L2 = 2 B"),
    ],
)
def test_a_level_that_the_machine_lacks_is_left_out_beside_one_it_has(
    machine: str, work: str
) -> None:
    skipped = found(machine, work)
    level = work.partition(" ")[0]
    assert skipped == Skipped(f"'box' has no {level}; it is left out")


@pytest.mark.parametrize(
    ("machine", "work", "hint"),
    [
        # A level alone, or beside others that the machine lacks as well, is all the traffic.
        (LEVELS, "memory.L1 = 1 B", "did you mean 'memory.L2'?"),
        (
            LEVELS,
            "memory.scratchpad_of_tiles = 1 B; memory.L1 = 2 B; flops = 1",
            "'box' has memory.L2, memory.DRAM",
        ),
        (PLAIN, "memory.scratchpad_of_tiles = 1 B; flops = 1", "'box' has memory"),
        (
            LEVELS,
            "memory = 1 B",
            LACKS_DEFAULT,
        ),
        # A kind that a machine with several kinds lacks; a precision is no misspelling of another.
        (BESIDE, "flops.fp64 = 1", "'box' has flops, flops.fma"),
        (
            "flops { fp64 = 1 flop/s; fp32 = 2 flop/s }",
            "flops.fp16 = 1",
            "'box' has flops.fp64, flops.fp32",
        ),
        (LEVELS, "flops.adds = 1", "did you mean 'flops.add'?"),
        (PLAIN, "network = 2 B", f"rates of 'box': flops, memory; {LEFT_OUT}network=unlimited"),
        ("network = 1 B/s", "flops = 2", f"rates of 'box': network; {LEFT_OUT}flops=unlimited"),
        ("param n: integer = 1", "flops = 2", f"rates of 'box': none; {LEFT_OUT}flops=unlimited"),
        # A machine without any memory leaves out no level of it.
        (
            "flops = 1 flop/s",
            "memory.L1 = 1 B; memory = 2 B",
            f"rates of 'box': flops; {LEFT_OUT}memory.L1=unlimited",
        ),
    ],
)
def test_anything_else_is_an_error_that_says_what_there_is(
    machine: str, work: str, hint: str
) -> None:
    lacking = found(machine, work)
    assert isinstance(lacking, Diagnostic)
    key = work.partition(" ")[0]
    assert lacking.code == "R0501"
    assert lacking.message == f"'m' works on {key}, but machine 'box' has no rate for it"
    assert [label.text for label in lacking.labels] == ["work stated here", "the machine"]
    assert lacking.hint == hint
