"""Cardwell 2019, ch. 2: the library against Python written from the paper's tables.

The functions below were typed from Table 2.4, not from the `.roof` files. Eq. 2.2 and 2.4 divide
the first of their three values by the second and by the third.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from math import log2, sqrt
from pathlib import Path

import pytest

import roofdsl as rd
from roofdsl.diagnostic import RoofError
from roofdsl.model.library import bundled, check_module, load_module

Numbers = dict[str, float]
Work = tuple[float, float, float]  # flops, memory, network

POINTS = 50

# §2.5, item 1: elements of a 64-byte line, and of a cache of 16·2^10 bytes (printed "16MB").
LINE = 64 / 8
CACHE = 16 * 2**10 / 8


# Table 2.4 as printed


def summa(N: float, P: float, B: float = LINE, M: float = CACHE) -> Work:
    return (
        (2 * N**3 + 2 * N**2) / P,
        (B * (1 + (N**2 / B) + N**3 / (B * sqrt(M)))) / P,
        2 * sqrt(P) * (8 * (N / sqrt(P)) ** 2 * log2(sqrt(P))),
    )


def dgemv(N: float, P: float) -> Work:
    return (2 * N**2 + 2 * N) / P, (8 * N**2 + 24 * N) / P, 8 * (N / P) * (P - 1)


def ddot(N: float, P: float) -> Work:
    return 2 * (N / P) - 1, 16 * (N / P) + 8, 8 * log2(P)


def fft(N: float, P: float) -> Work:
    return (5 * N * log2(N)) / P, (48 * N) / P, 32 * (N / P) * log2(P)


def stencil(N: float, P: float) -> Work:
    return 4 * ((N - 2) / P) * (N - 2), 56 * ((N - 2) / P) * (N - 2), 32 * N


def sort(n: float, B: float, M: float) -> float:
    """Lines moved by a cache-oblivious sort; the table names it and leaves it out."""
    return (n / B) * (log2(n / B) / log2(M / B))


def mst(E: float, V: float, P: float, B: float = LINE, M: float = CACHE) -> Work:
    return (
        (E * log2(V)) / P,
        (B * (sort(E, B, M) * log2(V))) / P,
        12 * V * (log2(V) / 2) * log2(P) + 12 * V * log2(V),
    )


def dijkstra(E: float, V: float, P: float, n: float, M: float, B: float = LINE) -> Work:
    return (
        (E + V * log2(V)) / P,
        (B * (n + (M / B) * log2(n / B))) / P,
        V * (16 * log2(P)) + 4 * (V / P) * log2(P),
    )


def whole(low: int, high: int) -> Callable[[random.Random], int]:
    """Draw whole numbers, evenly over the orders of magnitude."""
    return lambda draw: round(low * (high / low) ** draw.random())


def square(low: int, high: int) -> Callable[[random.Random], int]:
    return lambda draw: draw.randint(low, high) ** 2


def real(low: float, high: float) -> Callable[[random.Random], float]:
    return lambda draw: draw.uniform(low, high)


Draws = dict[str, Callable[[random.Random], float]]

# Ranges as in Table 2.5 and §2.6.1; P stays below N/2, where DDOT has flops.
SIZE: Draws = {"N": whole(4096, 2**30), "P": whole(1, 2000)}
GRAPH: Draws = {"E": whole(2**16, 2**30), "V": whole(2**10, 2**26), "P": whole(1, 2000)}
LINES: Draws = {"B": real(2, 16), "M": real(256, 2**20)}

AS_PRINTED: dict[str, tuple[Callable[..., Work], Draws]] = {
    "summa_as_printed": (summa, {"N": whole(242, 61952), "P": square(2, 44), **LINES}),
    "dgemv_as_printed": (dgemv, SIZE),
    "ddot_as_printed": (ddot, SIZE),
    "fft_as_printed": (fft, SIZE),
    "stencil_as_printed": (stencil, SIZE),
    "mst_as_printed": (mst, {**GRAPH, **LINES}),
    "dijkstra_as_printed": (dijkstra, {**GRAPH, **LINES, "n": whole(32, 2**26)}),
}


def points(name: str, draws: Draws) -> list[Numbers]:
    draw = random.Random(name)
    drawn = [{key: value(draw) for key, value in draws.items()} for _ in range(POINTS)]
    return [simple_graph(values) if "V" in values else values for values in drawn]


def simple_graph(values: Numbers) -> Numbers:
    """Move E into what a connected graph without double edges can have."""
    E, V = values["E"], values["V"]
    return {**values, "E": min(max(E, V), V * (V - 1) // 2)}


def work(reference: str, values: Numbers) -> Work:
    karst = rd.load_machine("karst")
    result = rd.load_model(reference).on(karst).evaluate(**values)
    return result.flops, result.memory, result.network


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-12, abs=0)


def assert_close(value: float | None, expected: float) -> None:
    assert value == close(expected)


def compare(reference: str, values: Numbers, expected: Work) -> None:
    got = work(reference, values)
    for amount, wanted in zip(got, expected, strict=True):
        assert amount == close(wanted), f"{reference} at {values}"


@pytest.mark.parametrize("name", AS_PRINTED)
def test_as_printed_is_the_table(name: str) -> None:
    printed, draws = AS_PRINTED[name]
    for values in points(name, draws):
        compare(f"papers.cardwell2019:{name}", values, printed(**values))


@pytest.mark.parametrize("name", AS_PRINTED)
def test_as_printed_has_the_tables_intensities(name: str) -> None:
    printed, draws = AS_PRINTED[name]
    prediction = rd.load_model(f"papers.cardwell2019:{name}").on(rd.load_machine("karst"))
    for values in points(name, draws):
        flops, memory, network = printed(**values)
        result = prediction.evaluate(**values)
        assert_close(result.OI, flops / memory)
        if network:
            assert_close(result.CAI, flops / network)


def test_cache_and_line_default_to_those_of_section_2_5() -> None:
    compare("papers.cardwell2019:summa_as_printed", {"N": 7744, "P": 121}, summa(7744, 121))
    graph: Numbers = {"E": 2**20, "V": 2**16, "P": 128}
    compare("papers.cardwell2019:mst_as_printed", graph, mst(2**20, 2**16, 128))


def test_dijkstras_n_and_m_default_to_vertices_and_edges() -> None:
    graph: Numbers = {"E": 2**20, "V": 2**14, "P": 128}
    expected = dijkstra(2**20, 2**14, 128, n=2**14, M=2**20)
    compare("papers.cardwell2019:dijkstra_as_printed", graph, expected)


# What the table means: the same with bytes where it counts elements.


def in_bytes(printed: Work) -> Work:
    flops, memory, network = printed
    return flops, 8 * memory, network


@pytest.mark.parametrize("reference", ["summa", "papers.cardwell2019:summa_in_bytes"])
def test_summa_in_bytes(reference: str) -> None:
    for values in points(reference, AS_PRINTED["summa_as_printed"][1]):
        compare(reference, values, in_bytes(summa(**values)))


@pytest.mark.parametrize("reference", ["mst", "papers.cardwell2019:mst_in_bytes"])
def test_mst_in_bytes(reference: str) -> None:
    for values in points(reference, {**GRAPH, **LINES, "P": whole(2, 2000)}):
        compare(reference, values, in_bytes(mst(**values)))


@pytest.mark.parametrize("reference", ["dijkstra", "papers.cardwell2019:dijkstra_in_bytes"])
def test_dijkstra_in_bytes(reference: str) -> None:
    for values in points(reference, {**GRAPH, "B": real(2, 16)}):
        expected = dijkstra(**values, n=values["V"], M=values["E"])
        compare(reference, values, in_bytes(expected))


@pytest.mark.parametrize(("name", "printed"), [("dgemv", dgemv), ("ddot", ddot), ("fft", fft)])
def test_the_library_is_the_table(name: str, printed: Callable[..., Work]) -> None:
    for values in points(name, SIZE):
        compare(name, values, printed(**values))


def test_the_library_counts_one_direction_of_the_stencils_exchange() -> None:
    for values in points("stencil2d", {**SIZE, "P": whole(3, 2000)}):
        flops, memory, network = stencil(**values)
        compare("stencil2d", values, (flops, memory, network / 2))


# The models of the library with another word size, from their definitions.


def library_summa(N: float, P: float, word: float) -> Work:
    misses = 1 + N**2 / (64 / word) + N**3 / (64 / word * sqrt(16384 / word))
    block = word * N**2 / P
    return 2 * N**2 * (N + 1) / P, 64 * misses / P, 2 * sqrt(P) * log2(sqrt(P)) * block


def library_dgemv(N: float, P: float, word: float) -> Work:
    return 2 * N * (N + 1) / P, word * N * (N + 3) / P, word * N * (P - 1) / P


def library_ddot(N: float, P: float, word: float) -> Work:
    return 2 * N / P - 1, word * (2 * N / P + 1), word * log2(P)


def library_fft(N: float, P: float, word: float) -> Work:
    point = 2 * word
    return 5 * N * log2(N) / P, 3 * point * N / P, 2 * point * N / P * log2(P)


def library_stencil(N: float, P: float, word: float) -> Work:
    inner = (N - 2) ** 2 / P
    neighbours = 0 if P == 1 else 1 if P == 2 else 2
    return 4 * inner, 7 * word * inner, neighbours * word * N


def library_mst(E: float, V: float, P: float, word: float) -> Work:
    rounds = log2(V)
    lines = sort(E, 64 / word, 16384 / word)
    sent = 12 * V * rounds * (log2(P) / 2 + 1) if P > 1 else 0.0
    return E * rounds / P, 64 * lines * rounds / P, sent


def library_dijkstra(E: float, V: float, P: float, word: float) -> Work:
    lines = V + E * word / 64 * log2(V * word / 64)
    return (E + V * log2(V)) / P, 64 * lines / P, (16 * V + 4 * V / P) * log2(P)


LIBRARY: dict[str, tuple[Callable[..., Work], Draws]] = {
    "linalg.summa": (library_summa, {"N": whole(242, 61952), "P": square(1, 44)}),
    "linalg.dgemv": (library_dgemv, SIZE),
    "linalg.ddot": (library_ddot, SIZE),
    "spectral.fft": (library_fft, SIZE),
    "stencil.stencil2d": (library_stencil, SIZE),
    "graph.mst": (library_mst, GRAPH),
    "graph.dijkstra": (library_dijkstra, GRAPH),
}


@pytest.mark.parametrize("name", LIBRARY)
def test_the_library_at_any_word_size(name: str) -> None:
    model, draws = LIBRARY[name]
    for index, values in enumerate(points(name, {**draws, "word": whole(1, 16)})):
        if index < 3:
            values["P"] = 1 if name == "linalg.summa" else index + 1
        compare(name, values, model(**values))


@pytest.mark.parametrize("name", LIBRARY)
def test_one_process_sends_nothing(name: str) -> None:
    sizes: Numbers = {"E": 4096, "V": 256} if name.startswith("graph") else {"N": 4096}
    assert work(name, {**sizes, "P": 1})[2] == 0


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("summa", {"N": 100, "P": 120}, "sqrt(P) is integer"),
        ("dgemv", {"N": 100, "P": 128}, "P <= N"),
        ("ddot", {"N": 127, "P": 128}, "P <= N"),
        ("fft", {"N": 100, "P": 128}, "P <= N"),
        ("stencil2d", {"N": 129, "P": 128}, "P <= N - 2"),
        ("mst", {"E": 100, "V": 256, "P": 4}, "E >= V - 1"),
        ("mst", {"E": 8, "V": 5, "P": 4}, "E > B"),
        ("mst", {"E": 2**26, "V": 4096, "P": 128}, "E <= V*(V - 1)/2"),
        ("dijkstra", {"E": 2**18, "V": 512, "P": 128}, "E <= V*(V - 1)/2"),
        ("papers.cardwell2019:mst_as_printed", {"E": 7, "V": 4, "P": 1}, "E <= V*(V - 1)/2"),
        ("papers.cardwell2019:mst_as_printed", {"E": 2, "V": 4, "P": 1}, "E >= V - 1"),
        ("papers.cardwell2019:dijkstra_as_printed", {"E": 7, "V": 4, "P": 1}, "E <= V*(V - 1)/2"),
        ("mst", {"E": 4096, "V": 256, "P": 4, "M": 8}, "M > B"),
        ("dijkstra", {"E": 16, "V": 8, "P": 4}, "V > B"),
    ],
)
def test_values_that_mean_nothing_are_refused(name: str, values: Numbers, message: str) -> None:
    with pytest.raises(RoofError) as caught:
        rd.load_model(name).on(rd.load_machine("karst")).evaluate(**values)
    assert message in str(caught.value)


def test_ddot_as_printed_has_negative_flops() -> None:
    assert ddot(63, 128)[0] < 0
    with pytest.raises(RoofError, match="negative"):
        work("papers.cardwell2019:ddot_as_printed", {"N": 63, "P": 128})


# Tables 2.3 and 3.2, §3.6: GFLOPS/s, memory GB/s, network GB/s.

MACHINES: dict[str, dict[str, float]] = {
    "big_red_ii": {"flops": 14.7e9, "memory": 13.4e9, "network": 5.7e9},
    "karst": {"flops": 22e9, "memory": 13.9e9, "network": 1.2e9},
    "jetstream": {"flops": 43.4e9, "memory": 13.1e9, "network": 0.34e9},
    "carbonate": {"memory": 12_937.6e6},
    "bridges": {"memory": 11_442.7e6},
}

# Tables 2.1 and 3.2; the numbers of these tables are those of tests/report/test_paper_tables.py.
PROCESSORS = {
    "big_red_ii": "AMD Opteron 6380",
    "karst": "Intel Xeon E5-2650",
    "jetstream": "Intel Xeon E5-2680v3",
    "carbonate": "Intel Xeon E5-2680 v3",
    "bridges": "Intel Xeon E5-2695 v3",
}


@pytest.mark.parametrize("name", MACHINES)
def test_machine_rates_are_those_of_the_tables(name: str) -> None:
    machine = rd.load_machine(name)
    assert machine.rates == {key: close(rate) for key, rate in MACHINES[name].items()}
    assert any("Cardwell 2019" in source for source in machine.sources)
    assert PROCESSORS[name] in " ".join(machine.doc.split())


@pytest.mark.parametrize("name", ["big_red_ii", "karst", "jetstream"])
def test_ridge_points_are_ratios_of_table_2_3(name: str) -> None:
    rates, ridge = MACHINES[name], rd.load_machine(name).ridge
    assert_close(ridge.OI, rates["flops"] / rates["memory"])
    assert_close(ridge.CAI, rates["flops"] / rates["network"])
    assert_close(ridge.MI, rates["memory"] / rates["network"])


# Where FFT's operational intensity, 5 log2(N)/48, passes the ridge (§2.6.4).


@pytest.mark.parametrize(
    ("machine", "exponent", "largest"),
    [("big_red_ii", 10.5, 29), ("karst", 15.2, 28), ("jetstream", None, 26)],
)
def test_fft_passes_the_ridge(machine: str, exponent: float | None, largest: int) -> None:
    """`largest` is the exponent of the largest size in Table 2.5."""
    ridge = MACHINES[machine]["flops"] / MACHINES[machine]["memory"]
    crossing = 48 * ridge / 5
    assert (crossing < largest) == (exponent is not None)
    if exponent is not None:
        assert crossing == pytest.approx(exponent, abs=0.05)
    prediction = rd.load_model("fft").on(rd.load_machine(machine))
    for k in range(8, largest + 1):
        result = prediction.evaluate(N=2**k, P=128)
        assert (result.OI / ridge > 1) == (k > crossing)


# §2.6.4: over all sizes of Table 2.5, powers of two (SUMMA: 242 doubled up to 61,952).

SUMMA_SIZES = [242 * 2**k for k in range(9)]
THREE = ["big_red_ii", "karst", "jetstream"]


def powers(low: int, high: int) -> list[int]:
    return [2**k for k in range(low.bit_length() - 1, high.bit_length())]


SIZES = {
    "fft": {"big_red_ii": 536_870_912, "karst": 268_435_456, "jetstream": 67_108_864},
    "stencil2d": {"big_red_ii": 131_072, "karst": 131_072, "jetstream": 65_536},
    "ddot": dict.fromkeys(THREE, 1_073_741_824),
    "dgemv": {"big_red_ii": 524_288, "karst": 262_144, "jetstream": 131_072},
}


def test_summas_sizes_are_nine() -> None:
    assert (SUMMA_SIZES[0], SUMMA_SIZES[-1]) == (242, 61_952)


@pytest.mark.parametrize(
    ("machine", "bound_by_network"), [("big_red_ii", 2), ("karst", 5), ("jetstream", 8)]
)
def test_summa_over_all_sizes(machine: str, bound_by_network: int) -> None:
    prediction = rd.load_model("summa").on(rd.load_machine(machine))
    results = [prediction.evaluate(N=N, P=121) for N in SUMMA_SIZES]
    assert all(result.OI > result.ridge.OI for result in results if result.ridge.OI)
    intensities = [result.CAI for result in results]
    assert intensities == sorted(intensities)
    assert [result.bound for result in results] == ["network"] * bound_by_network + ["flops"] * (
        9 - bound_by_network
    )


@pytest.mark.parametrize(
    ("model", "P", "more"),
    [
        ("summa", 1936, 2),
        ("summa", 576, 3),
        ("summa", 121, 5),
        ("summa", 36, 6),
        ("papers.cardwell2019:summa_as_printed", 1936, 0),
        ("papers.cardwell2019:summa_as_printed", 576, 0),
        ("papers.cardwell2019:summa_as_printed", 121, 2),
        ("papers.cardwell2019:summa_as_printed", 36, 3),
    ],
)
def test_sizes_at_which_summas_cai_is_above_its_oi(model: str, P: int, more: int) -> None:
    """§2.6.8 says most: true in bytes, counting nodes (121, 36), not processes (1936, 576)."""
    prediction = rd.load_model(model).on(rd.load_machine("karst"))
    results = [prediction.evaluate(N=N, P=P) for N in SUMMA_SIZES]
    assert sum(result.CAI > result.OI for result in results) == more


@pytest.mark.parametrize("machine", THREE)
@pytest.mark.parametrize("model", SIZES)
def test_intensities_over_all_sizes(model: str, machine: str) -> None:
    prediction = rd.load_model(model).on(rd.load_machine(machine))
    results = [prediction.evaluate(N=N, P=128) for N in powers(256, SIZES[model][machine])]
    communication = [result.CAI for result in results]
    assert communication == sorted(set(communication))
    operational = [result.OI for result in results]
    if model == "stencil2d":
        assert operational == [close(4 / 56)] * len(operational)
    else:
        assert operational == sorted(set(operational))
    if model == "fft":
        assert all(result.CAI < result.OI for result in results)
        assert {result.bound for result in results} == {"network"}


@pytest.mark.parametrize("machine", THREE)
@pytest.mark.parametrize("degree", [1, 2, 16, 128])
def test_mst_over_all_sizes(machine: str, degree: int) -> None:
    prediction = rd.load_model("mst").on(rd.load_machine(machine))
    results = [prediction.evaluate(E=degree * V, V=V, P=128) for V in powers(65_536, 67_108_864)]
    assert all(result.OI > result.CAI for result in results)
    assert [result.CAI for result in results] == [close(degree / (12 * 128 * 4.5))] * len(results)


@pytest.mark.parametrize(
    ("machine", "largest"), [(n, 32_768) for n in THREE[:2]] + [("jetstream", 16_384)]
)
def test_dijkstra_is_bound_by_the_network_with_few_edges(machine: str, largest: int) -> None:
    prediction = rd.load_model("dijkstra").on(rd.load_machine(machine))
    for V in powers(256, largest):
        assert prediction.evaluate(E=16 * V, V=V, P=128).bound == "network"


# The shipped files: no warning, a source for every number, a line for every parameter.


@pytest.mark.parametrize("path", sorted([*bundled("model").values(), *bundled("machine").values()]))
def test_the_library_has_no_errors_and_no_warnings(path: Path) -> None:
    assert check_module(path)[1] == ()


@pytest.mark.parametrize("name", ["summa", "mst", "dijkstra"])
def test_the_byte_warning_catches_the_slip_of_table_2_4(name: str, tmp_path: Path) -> None:
    text = bundled_text(name)
    assert text.count("  memory  = word * B * ") == 1
    copy = tmp_path / f"{name}.roof"
    copy.write_text(text.replace("  memory  = word * B * ", "  memory  = B * "), encoding="utf-8")
    (warning,) = check_module(copy)[1]
    assert (warning.code, warning.severity) == ("R0310", "warning")
    assert "memory" in warning.message


def bundled_text(name: str) -> str:
    (path,) = (path for path in bundled("model").values() if path.stem == name)
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("dotted", sorted(bundled("model")))
def test_every_model_has_a_source_and_documents_its_parameters(dotted: str) -> None:
    for model in load_module(bundled("model")[dotted]).models.values():
        assert model.sources and model.doc
        assert all(parameter.doc for parameter in model.parameters), model.name


@pytest.mark.parametrize("name", sorted(bundled("machine")))
def test_every_machine_has_a_source(name: str) -> None:
    for machine in load_module(bundled("machine")[name]).machines.values():
        assert machine.sources and machine.doc
