"""Kong, Pouchet, Sadayappan 2015: the models against Python written from Eq. 1-24.

The functions below were typed from the paper, not from the `.roof` files.
"""

from __future__ import annotations

import random
from contextlib import redirect_stdout
from io import StringIO
from math import ceil
from typing import NamedTuple

import pytest

import roofdsl as rd
from roofdsl.analysis.result import Result
from roofdsl.analysis.what_if import changed
from roofdsl.cli.main import main
from roofdsl.diagnostic import Diagnostic
from roofdsl.embedding.machine import Machine
from roofdsl.source import Source

INTRA, INTER, CORES = 25000.0, 1250.0, 8  # Table III: MB/s, MB/s, 2 sockets × 4 cores
RATE = 8e9  # the machine's kernel, within what Eq. 3 gives for §V-C's 60-70 and 130-140 GFLOPS
MAPPINGS = (1, 4, 8, 16, 32)  # Table V
SIZES = [(N, N // part) for N in (2000, 8000) for part in (10, 5)]  # §V-A
CONFIGURATIONS = [(N, B, P) for N, B in SIZES for P in MAPPINGS]
MIB = 2**20 / 1e6  # a MiB in MB


class Estimate(NamedTuple):
    F_ser: int
    V_intra: float
    V_inter: float
    T_comp: float
    T_intra: float
    T_inter: float

    @property
    def T_comm(self) -> float:
        return self.T_intra + self.T_inter

    @property
    def T(self) -> float:
        return self.T_comp + self.T_comm


def estimate(
    algorithm: str,
    N: int,
    B: int,
    P: int,
    T_step: float,
    c_node: int = CORES,
    mega: float = 1.0,
    either: bool = False,
) -> Estimate:
    """Eq. 1-12, with 13-18 for Cannon and 19-24 for Johnson; `mega` is what a MB of Eq. 12 is.

    `either` is what the text says, inside a node or between nodes; Eq. 6 adds both.
    """
    b = N // B
    steps = b**3
    L = 4 * B**2 / 2**20
    if algorithm == "cannon":
        msgs, F_overhead, F_par, part = 3, 1.5, min(P, b**2), 3
    else:
        msgs, F_overhead, F_par, part = 2, 1.0, min(P, b**3), 2
    F_ser = ceil(steps / F_par)
    V = F_ser * L * msgs * F_overhead
    V_intra = V * min(P, c_node) * (min(P, c_node) - 1) * (not (either and P > c_node))
    V_inter = V * (c_node / part if P > c_node else 0)
    return Estimate(
        F_ser,
        V_intra,
        V_inter,
        F_ser * T_step,
        V_intra * mega / INTRA,
        V_inter * mega / INTER,
    )


def step_time(B: int, rate: float = RATE) -> float:
    return 2 * B**3 / rate


def printed(algorithm: str, **values: float | str) -> Result:
    model = rd.load_model(f"papers.kong2015:{algorithm}_as_printed")
    return model.on(rd.load_machine("xeon_e5630")).evaluate(**values)


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-12, abs=0)


def assert_is(result: Result, wanted: Estimate) -> None:
    for name in ("F_ser", "V_intra", "V_inter", "T_comp", "T_intra", "T_inter", "T_comm", "T"):
        assert result.named[name] == close(getattr(wanted, name)), name
    assert result.time == close(wanted.T)
    assert [step.time for step in result.breakdown.children] == [
        close(time) for time in (wanted.T_comp, wanted.T_intra, wanted.T_inter)
    ]


@pytest.mark.parametrize("algorithm", ["cannon", "johnson"])
@pytest.mark.parametrize(("N", "B", "P"), CONFIGURATIONS)
def test_as_printed_is_the_equations(algorithm: str, N: int, B: int, P: int) -> None:
    assert_is(printed(algorithm, N=N, B=B, P=P), estimate(algorithm, N, B, P, step_time(B)))


@pytest.mark.parametrize("algorithm", ["cannon", "johnson"])
def test_as_printed_is_the_equations_anywhere(algorithm: str) -> None:
    draw = random.Random(algorithm)
    for _ in range(50):
        B, b, P = draw.randint(1, 500), draw.randint(1, 40), draw.randint(1, 3000)
        cores, time = draw.randint(1, 64), draw.uniform(1e-6, 1.0)
        result = printed(algorithm, N=B * b, B=B, P=P, c_node=cores, T_step=time)
        assert_is(result, estimate(algorithm, B * b, B, P, time, cores))


@pytest.mark.parametrize("algorithm", ["cannon", "johnson"])
@pytest.mark.parametrize(("N", "B", "P"), CONFIGURATIONS)
def test_the_library_is_the_equations_in_bytes(algorithm: str, N: int, B: int, P: int) -> None:
    result = rd.load_model(algorithm).on(rd.load_machine("xeon_e5630")).evaluate(N=N, B=B, P=P)
    wanted = estimate(algorithm, N, B, P, step_time(B), mega=MIB)
    assert result.time == close(wanted.T)
    assert result.named["rounds"] == wanted.F_ser
    assert result.flops == wanted.F_ser * 2 * B**3
    assert result.network == close((wanted.V_intra + wanted.V_inter) * 2**20)


@pytest.mark.parametrize("algorithm", ["cannon", "johnson"])
@pytest.mark.parametrize(("name", "mega"), [("papers.kong2015:{}_as_printed", 1.0), ("{}", MIB)])
def test_figures_13_to_16_show_what_all_cores_reach_together(
    algorithm: str, name: str, mega: float
) -> None:
    """§V-C: the bounds are 2N³ / T_comp and 2N³ / T_comm, the estimate is 2N³ / T.

    Not F_ser·2B³ on each core: on 32 of them, 5 rounds of 5² blocks leave seven idle.
    """
    prediction = rd.load_model(name.format(algorithm)).on(rd.load_machine("xeon_e5630"))
    for N, B in SIZES:
        picture = rd.plot.perfbound(prediction, at={"N": N, "B": B, "P": list(MAPPINGS)})
        for P, row in zip(MAPPINGS, picture.table.rows, strict=True):
            wanted = estimate(algorithm, N, B, P, step_time(B), mega=mega)
            network = 2 * N**3 / wanted.T_comm if wanted.T_comm else float("inf")
            limits = [2 * N**3 / wanted.T_comp, network, 2 * N**3 / wanted.T]
            assert list(row[1:4]) == [close(limit) for limit in limits], (N, B, P)


def test_figure_13_at_32_processes_and_5_blocks() -> None:
    cannon = rd.load_model("cannon").on(rd.load_machine("xeon_e5630"))
    picture = rd.plot.perfbound(cannon, at={"N": 2000, "B": [200, 400], "P": list(MAPPINGS)})
    name, compute, _, together, _ = picture.table.rows[-1]
    assert name == "B400 P32"
    assert [round(float(str(value)) / 1e9, 1) for value in (compute, together)] == [200.0, 111.9]


def test_the_mappings_take_the_nodes_and_sockets_of_table_v() -> None:
    nodes = {P: ceil(P / CORES) for P in MAPPINGS}
    sockets = {P: ceil(P / 4) for P in MAPPINGS}
    assert nodes == {1: 1, 4: 1, 8: 1, 16: 2, 32: 4}
    assert sockets == {1: 1, 4: 1, 8: 2, 16: 4, 32: 8}
    assert {P: printed("cannon", N=2000, B=200, P=P).named["M"] for P in MAPPINGS} == nodes


def test_what_a_core_may_reach_by_the_link_between_nodes() -> None:
    """§V-C: 156.25 MB/s and 100 flop/B, so 15.6, printed 16; Cannon's own factors give 10.4."""
    assert INTER / CORES == 156.25
    assert 2 * 200**3 / (4 * 200**2) == 100
    for algorithm, wanted in (("johnson", 15.625), ("cannon", 15.625 / 1.5)):
        result = printed(algorithm, N=2000, B=200, P=32, MB="1 MiB")
        assert result.flops / result.named["T_inter"] / 1e9 == close(wanted)


def test_compute_times_are_identical_but_for_one_configuration_in_each_size() -> None:
    """§V-B says identical; on 32 processes and 5³ blocks Cannon has 25 at work, Johnson 32."""
    different = [
        (N, B, P)
        for N, B, P in CONFIGURATIONS
        if estimate("cannon", N, B, P, 1.0).T_comp != estimate("johnson", N, B, P, 1.0).T_comp
    ]
    assert different == [(2000, 400, 32), (8000, 1600, 32)]
    for N, B, P in CONFIGURATIONS:
        times = [printed(name, N=N, B=B, P=P).named["T_comp"] for name in ("cannon", "johnson")]
        assert (times[0] != times[1]) == ((N, B, P) in different)


# Where 2N³ / T lies within 60-70 GFLOPS on 16 cores and 130-140 on 32 (§V-C): the rates in GFLOP/s
# that the errata print, cut off to the inside. By hand: F_ser·2B³ / (2N³/performance - T_comm).
INTERVALS = {
    ("johnson", 1.0, False): (7.32, 8.13),
    ("johnson", MIB, False): (7.60, 8.47),
    ("johnson", 1.0, True): (5.58, 6.03),
    ("johnson", MIB, True): (5.67, 6.14),
    ("cannon", 1.0, False): (18.98, 25.59),
    ("cannon", MIB, False): (22.95, 33.38),
    ("cannon", 1.0, True): (6.72, 7.39),
    ("cannon", MIB, True): (6.93, 7.64),
}


@pytest.mark.parametrize(("algorithm", "mega", "either"), INTERVALS)
def test_the_kernel_is_solved_for_from_section_v_c(
    algorithm: str, mega: float, either: bool
) -> None:
    low, high = INTERVALS[algorithm, mega, either]
    for rate in (low - 0.01, low, (low + high) / 2, high, high + 0.01):
        inside = []
        for P, least, most in ((16, 60, 70), (32, 130, 140)):
            values = {"N": 2000, "B": 200, "P": P, "kernel": rate * 1e9, "either": either}
            result = printed(algorithm, **values, MB="1 MB" if mega == 1 else "1 MiB")
            step = step_time(200, rate * 1e9)
            T = estimate(algorithm, 2000, 200, P, step, mega=mega, either=either).T
            assert result.named["performance"] == close(2 * 2000**3 / T)
            inside.append(least * 1e9 <= 2 * 2000**3 / T <= most * 1e9)
        assert all(inside) == (low <= rate <= high), rate


def test_the_machines_kernel_is_the_one_whole_number_that_both_readings_allow() -> None:
    ends = [INTERVALS["johnson", mega, False] for mega in (1.0, MIB)]
    whole = range(ceil(max(low for low, _ in ends)), int(min(high for _, high in ends)) + 1)
    assert [*whole] == [8]
    assert rd.load_machine("xeon_e5630").rates["flops.matrix.fp32"] == RATE == 8e9


@pytest.mark.parametrize("factor", [1, 4])
@pytest.mark.parametrize("mega", [1.0, MIB])
@pytest.mark.parametrize("end", [0, 1])
def test_what_is_bound_by_bandwidth_with_every_kernel_of_the_interval(
    factor: int, mega: float, end: int
) -> None:
    """§V-C and §VI; T_comp falls as the kernel's rate rises, so what is bound at both ends is all.

    §VI's "with the exceptions of P = 1" is too strong for Cannon: P = 4 is one, too.
    """
    rate = INTERVALS["johnson", mega, False][end] * 1e9 * factor
    bound = BOUND[factor]
    for algorithm in ("cannon", "johnson"):
        found = set()
        for N, B, P in CONFIGURATIONS:
            wanted = estimate(algorithm, N, B, P, step_time(B, rate), mega=mega)
            result = printed(
                algorithm, N=N, B=B, P=P, kernel=rate, MB="1 MB" if mega == 1 else "1 MiB"
            )
            assert result.time == close(wanted.T)
            if result.named["T_comm"] > result.named["T_comp"]:
                found.add((B, P))
        assert found == bound[algorithm]


BOUND = {
    1: {"cannon": {(200, 16), (200, 32)}, "johnson": set()},
    4: {
        "cannon": {(B, P) for B in (200, 400) for P in (8, 16, 32)} | {(800, 16), (800, 32)},
        "johnson": {(200, 8), (200, 16), (200, 32), (400, 16), (400, 32)},
    },
}


def test_four_times_the_kernel_is_a_change_of_the_machine() -> None:
    for algorithm in ("cannon", "johnson"):
        for N, B, P in CONFIGURATIONS:
            result = faster("xeon_e5630", "4x").evaluate_printed(algorithm, N=N, B=B, P=P)
            assert result.time == close(estimate(algorithm, N, B, P, step_time(B) / 4).T)


class Faster(NamedTuple):
    machine: Machine

    def evaluate_printed(self, algorithm: str, **values: float) -> Result:
        model = rd.load_model(f"papers.kong2015:{algorithm}_as_printed")
        return model.on(self.machine).evaluate(**values)


def faster(name: str, factor: str) -> Faster:
    """Return a machine with `--set NAME.kernel=factor`."""
    problems: list[Diagnostic] = []
    definition = rd.load_machine(name).definition
    machine = changed(definition, "kernel", Source("test", factor), problems.append)
    assert problems == []
    return Faster(Machine(machine))


def test_johnson_is_faster_from_two_processes_on() -> None:
    machine = rd.load_machine("xeon_e5630")
    cannon, johnson = (rd.load_model(name).on(machine) for name in ("cannon", "johnson"))
    for N, B in SIZES:
        assert cannon.evaluate(N=N, B=B, P=1).time == johnson.evaluate(N=N, B=B, P=1).time
        for P in range(2, 130):
            slower = cannon.evaluate(N=N, B=B, P=P).time
            assert johnson.evaluate(N=N, B=B, P=P).time < slower


@pytest.mark.parametrize(("name", "B", "most"), [("johnson", 200, 1000), ("cannon", 400, 25)])
def test_no_more_processes_than_tasks_that_run_at_once_are_of_use(
    name: str, B: int, most: int
) -> None:
    """The time is a staircase of `ceil`: flat almost everywhere, and falling all the same."""
    study = ["study", name, "--scaling", "--for", "P", "--machine", "xeon_e5630"]
    with pytest.raises(SystemExit) as left, redirect_stdout(StringIO()) as shown:
        main([*study, "-p", "N=2000", "-p", f"B={B}"])
    assert left.value.code == 0
    (line,) = (line for line in shown.getvalue().splitlines() if "never" in line)
    assert line.replace(" ", "").startswith(f"morethan{most}processes")
