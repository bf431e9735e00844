"""The papers' tables, worked out from the library, against what the papers print."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import roofdsl as rd
from roofdsl import resources
from roofdsl.analysis.counting import total_works
from roofdsl.answer.cells import Cell, Printed
from roofdsl.answer.compared import TableAnswer
from roofdsl.answer.papers import paper_names, paper_table
from roofdsl.expression.tree import Divide
from roofdsl.model.library import load_module
from roofdsl.numeric.scalar import evaluate
from roofdsl.report.latex import written
from roofdsl.report.plain import rows_of
from roofdsl.typeset.latex import latex
from roofdsl.typeset.text import text
from tests.library import test_cardwell2019 as formulas
from tests.library.test_cardwell2019 import Work, in_bytes
from tests.report.samples import run
from tests.typeset.writing import formula as parsed

# Cardwell 2019; family and model of a processor in one cell, systems in rows.
TABLE_2_1 = """
Big Red II | HPC | AMD Opteron 6380 | 16 | 2 | 64 | Gemini | Cray Linux
Karst | HTC | Intel Xeon E5-2650 | 8 | 2 | 32 | 10GbE | Red Hat 6
Jetstream | Cloud | Intel Xeon E-2680v3 | 12 | 2 | 128 | 10GbE | CentOS 7
"""
TABLE_2_2 = """
Peak floating-point performance | Benchmark | System-specific
Peak memory bandwidth | Benchmark | System-specific
Peak communication bandwidth | Benchmark | System-specific
Operational intensity | Theoretical | Algorithm-specific
Communication arithmetic intensity | Theoretical | Algorithm-specific
"""
TABLE_2_3 = """
Big Red II | 13.4 | 5.7  | 14.7
Karst      | 13.9 | 1.2  | 22
Jetstream  | 13.1 | 0.34 | 43.4
"""
TABLE_2_5 = """
SUMMA | 242–61,952 | 242–61,952 | 242–61,952
FFT | 256–536,870,912 | 256–268,435,456 | 256–67,108,864
Stencil | 256–131,072 | 256–131,072 | 256–65,536
MST | 65,536–67,108,864 | 65,536–67,108,864 | 65,536–67,108,864
DDOT | 256–1,073,741,824 | 256–1,073,741,824 | 256–1,073,741,824
DGEMV | 256–524,288 | 256–262,144 | 256–131,072
Dijkstra | 256–32,768 | 256–32,768 | 256–16,384
"""
TABLE_3_1 = """
Fc1 | 50 × 784 | β × 50
Fc2 | 10 × 50 | β × 10
"""
TABLE_3_2 = """
Carbonate | Intel Xeon E5-2680 v3 | 12 | 2 | 256 | 10GbE | Red Hat
Bridges | Intel Xeon E5-2695 v3 | 14 | 2 | 128 | 10GbE | Red Hat
"""
TABLE_3_3 = "143 74 15 5 157 50 30 10 207 64 64 27"  # microseconds, in the table's order
TABLE_3_4 = "102 28 11 3 169 46 19 5 326 102 41 10"
TABLE_3_6 = """
fc1 | 32 | 0.000103 | 0.000143 | 38.83
relu | 32 | 0.000033 | 0.000000 | 98.50
fc2 | 32 | 0.000008 | 0.000005 | 37.50
sigmoid | 32 | 0.000011 | 0.000003 | 73.02
fc1 | 64 | 0.000249 | 0.000157 | 36.95
relu | 64 | 0.000066 | 0.000001 | 98.50
fc2 | 64 | 0.000013 | 0.000010 | 23.08
sigmoid | 64 | 0.000022 | 0.000006 | 73.02
fc1 | 128 | 0.000206 | 0.000207 | 0.49
relu | 128 | 0.000144 | 0.000002 | 98.63
fc2 | 128 | 0.000028 | 0.000027 | 3.57
sigmoid | 128 | 0.000047 | 0.000012 | 74.74
"""
TABLE_3_7 = """
fc1 | 32 | 0.000093 | 0.000102 | 9.68
relu | 32 | 0.000034 | 0.000001 | 98.35
fc2 | 32 | 0.000005 | 0.000003 | 40.00
sigmoid | 32 | 0.000011 | 0.000003 | 69.49
fc1 | 64 | 0.000183 | 0.000169 | 7.65
relu | 64 | 0.000067 | 0.000001 | 98.33
fc2 | 64 | 0.000008 | 0.000005 | 37.50
sigmoid | 64 | 0.000021 | 0.000007 | 68.04
fc1 | 128 | 0.000349 | 0.000326 | 6.59
relu | 128 | 0.000130 | 0.000002 | 98.28
fc2 | 128 | 0.000018 | 0.000010 | 44.44
sigmoid | 128 | 0.000040 | 0.000013 | 66.44
"""
TABLE_3_8 = """
Carbonate | 32 | 61.96
Carbonate | 64 | 57.89
Carbonate | 128 | 44.36
Bridges | 32 | 54.38
Bridges | 64 | 52.88
Bridges | 128 | 53.94
"""
CHECCONI_1 = """
F | FLOPS per work unit |
B_M | Memory bytes accessed per work unit |
B_N | Bytes transferred over the network per work unit |
I_A | Operational (Arithmetic) Intensity | F/B_M
I_M | Memory Intensity | B_M/B_N
I_N | Network Intensity | F/B_N
"""
# With the elements at a batch of 512 and 4096 features each way.
CHECCONI_2 = """
O | batch size × output feature map size | 2097152
I | batch size × input feature map size | 2097152
W | input feature map size × output feature map size | 16777216
b | output feature map size | 4096
"""
# Tang, Hu, Barrett 2015; the GPUs' clocks are in MHz.
TANG_1 = """
i7 2600K | 4 | 3.4 GHz | 73.5 | 65.9
i3 2100T | 2 | 2.5 GHz | 200 | 73
GTX Titan | 2688 | 837 MHz | 0.4 | 4.1
GTX 750 | 512 | 1.02 GHz | 1.9 | 14.8
"""
TANG_2 = """
CPU-only (DA) | 4.4 | 4.4 | 0
GPU-only (DA) | 4.4 | 0 | 4.4
p-DP (DA) | 4.4 | 4.4 | 4.4
CP1 (DA) | 4.4 | 0.4 | 5.4
CP2 (DA) | 4.4 | 1.5 | 9.2
CPU-only (SA) | 1.7 | 1.7 | 0
GPU-only (SA) | 1.7 | 0 | 1.7
p-DP (SA) | 1.7 | 1.7 | 1.7
CP (SA) | 1.7 | 0.1 | 2.0
"""
# Kwack et al. 2018; 385.9 is not the largest of its column.
KWACK_1 = """
DP Vector FMA | gcc/4.9.3 | 223.7 | 833.1 | 383.0 | 62.0
 | gcc/6.3.0 | 222.5 | 812.7 | 386.5 | 62.6
 | cce/8.5.8 | 228.2 | 943.9 | 388.0 | 62.2
 | pgi/17.5.0 | 211.4 | 980.0 | 398.1 | 62.2
 | Max | 228.2 | 980.0 | 398.1 | 62.6
SP Vector FMA | gcc/4.9.3 | 447.0 | 823.9 | 382.2 | 62.2
 | gcc/6.3.0 | 450.8 | 815.4 | 385.0 | 61.7
 | pgi/17.5.0 | 414.3 | 592.1 | 360.7 | 62.2
 | Max | 450.8 | 823.9 | 385.0 | 62.2
DP Vector Add | gcc/4.9.3 | 114.6 | 824.2 | 383.6 | 62.2
 | gcc/6.3.0 | 115.8 | 715.0 | 389.2 | 62.2
 | cce/8.5.8 | 117.8 | 940.5 | 382.1 | 62.2
 | Max | 117.8 | 940.5 | 389.2 | 62.2
SP Vector Add | gcc/4.9.3 | 225.5 | 816.8 | 385.9 | 61.8
 | gcc/6.3.0 | 234.6 | 822.5 | 386.3 | 62.0
 | cce/8.5.8 | 235.3 | 934.9 | 382.6 | 62.1
 | Max | 235.3 | 934.9 | 385.9 | 62.1
DP Scalar Add | gcc/4.9.3 | 60.1 | 495.0 | 357.5 | 62.1
 | gcc/6.3.0 | 64.7 | 492.4 | 362.3 | 62.4
 | cce/8.5.8 | 60.3 | 547.9 | 379.8 | 62.2
 | Max | 64.7 | 547.9 | 379.8 | 62.4
SP Scalar Add | gcc/4.9.3 | 60.8 | 266.6 | – | 62.3
 | gcc/6.3.0 | 64.1 | 274.4 | – | 62.3
 | cce/8.5.8 | 61.1 | 260.1 | – | 62.2
 | Max | 64.1 | 274.4 | – | 62.3
"""
KWACK_2 = """
Inline | OM(i,j) = 1.0 + M(i,j) + M(i,j)^2 + ... + M(i,j)^n | 1 | 57
Recursive loops | OM(i,j) = 1.0; for k from 1 to n: OM(i,j) = OM(i,j)*M(i,j) + 1.0 | 2 | 58
Flat loops | OM(i,j) = 1.0; for k from 1 to n: OM(i,j) = OM(i,j) + M(i,j)^k | 1 | 435
"""
KWACK_4 = """
5-point 2D | 4 | 5 | 0.1 | 0.2
7-point 3D | 6 | 7 | 0.1071 | 0.2143
"""
KWACK_5 = """
L1_DCA | 1.798 | 5.87 | 38.3
DCR_GOOD | 0.569 | 0.812 | 1.281
"""
KWACK_6 = """
L1_DCA | 0.0261 | 0.1703 | 0.556 | 21.3
DCR_GOOD | 0.781 | 1.231 | 1.757 | 2.25
"""
# The last two columns are 4/5 and 6/7 of a word.
KWACK_7 = """
2D: (2048+2)^2 | 0.10002 | 0.20008 | 0.10000 | 0.20000
3D: (256+2)^3 | 0.10726 | 0.21477 | 0.10714 | 0.21429
"""
KWACK_8 = """
U/VLL | 997.6 | 33.1 | multi-threaded
U/main | 761.3 | 25.3 | serial
U/OT | 757.8 | 25.2 | multi-threaded
U/VLL_B | 31.1 | 1.0 | multi-threaded
Others | 464.1 | 15.4 |
Total | 3011.9 | 100 |
"""
KWACK_9 = """
Dual Interlagos | 59.6 | 14.9
Dual Ivy Bridge EP (E5-2670V2) | 93.5 | 46.7
Dual Haswell (E5-2680V3) | 112.3 | 56.2
Dual Broadwell (E5-2680V4) | 125.1 | 62.5
"""
KWACK_10 = {"Ivy": (1715.3, 1.76), "Haswell": (1427.7, 2.11), "Broadwell": (1282.2, 2.35)}
KWACK_11 = {"Ivy": (1603.0, 7.00), "Haswell": (1293.0, 10.42), "Broadwell": (1168.0, 9.78)}

# Kong, Pouchet, Sadayappan 2015.
KONG_1 = """
N | Problem size (along one dimension)
B | Block size (along one dimension)
M | Number of nodes
P | Number of MPI processes/ranks
BW_intra | Intra-node bandwidth (MB/s)
BW_inter | Inter-node bandwidth (MB/s)
c_node | Cores per node
"""
KONG_2 = """
b | Number of data blocks per dimension (algorithm independent)
steps | Number of steps (algorithm independent)
msgs | Number of messages per step (algorithm dependent)
F_par | Parallel factor (algorithm dependent)
F_ser | Serial factor (algorithm dependent)
W_intra | Intra-socket work fraction (algorithm dependent)
W_inter | Inter-socket work fraction (algorithm dependent)
T | Program time
T_comp | Compute time
T_comm | Communication time
T_step | Step compute time
T_intra | Intra-socket communication time
T_inter | Inter-socket communication time
L | Message (data block) length in MB
V | Total communication volume (MB)
V_intra | Intra-socket communication volume (MB)
V_inter | Inter-socket communication volume (MB)
"""
KONG_3 = """
Nodes | 4
Processor | Intel Xeon E5630 @ 2.5 GHz
Sockets per node | 2
Cores per socket | 4
Intra-node bandwidth | 25000 MB/s
Inter-node bandwidth | 1250 MB/s
L1 Cache | 32 KB per core
L2 Cache | 256 KB per core
L3 Cache | 12 MB per socket
CnC | 1.01
MPI run-time | Intel MPI 5.0
Compiler | ICPC 13
"""
KONG_4 = """
ICPC | -xhost -O3 -fno-alias -std=c99
CNC | DIST_CNC=MPI CNC_NUM_THREADS=1 CNC_MPI_SPAWN=T
I_MPI | I_MPI_EAGER_THRESHOLD=20MB I_MPI_SHM_BYPASS=1 \
I_MPI_INTRANODE_EAGER_THRESHOLD=20MB I_MPI_DAPL_TRANSLATION_CACHE=0
Slurm | -nodes=M -ntasks=T -ntasks-per-socket=min(T, 4) -threads-per-core=1 \
-distribution=block -contiguous
"""
KONG_5 = """
map1 | 1 | 1 | 1
map4 | 1 | 4 | 1
map8 | 1 | 8 | 2
map16 | 2 | 16 | 4
map32 | 4 | 32 | 8
"""

FIGURES = Path(__file__).resolve().parents[2] / "examples" / "figures"


def cells(name: str) -> list[list[str]]:
    return rows_of(paper_table(name))[1:]


def same(found: str, printed: str) -> bool:
    """Whether two cells say the same, in as many digits; 0.0 is 0."""
    return found == printed or (found, printed) == ("0.0", "0")


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("cardwell2019:2.1", TABLE_2_1),
        ("cardwell2019:2.2", TABLE_2_2),
        ("cardwell2019:2.3", TABLE_2_3),
        ("cardwell2019:2.5", TABLE_2_5),
        ("cardwell2019:3.1", TABLE_3_1),
        ("cardwell2019:3.2", TABLE_3_2),
        ("cardwell2019:3.6", TABLE_3_6),
        ("cardwell2019:3.7", TABLE_3_7),
        ("cardwell2019:3.8", TABLE_3_8),
        ("checconi2022:I", CHECCONI_1),
        ("checconi2022:II", CHECCONI_2),
        ("kong2015:I", KONG_1),
        ("kong2015:II", KONG_2),
        ("kong2015:III", KONG_3),
        ("kong2015:IV", KONG_4),
        ("kong2015:V", KONG_5),
        ("tang2015:1", TANG_1),
        ("tang2015:2", TANG_2),
        ("kwack2018:I", KWACK_1),
        ("kwack2018:II", KWACK_2),
        ("kwack2018:IV", KWACK_4),
        ("kwack2018:V", KWACK_5),
        ("kwack2018:VI", KWACK_6),
        ("kwack2018:VII", KWACK_7),
        ("kwack2018:VIII", KWACK_8),
        ("kwack2018:IX", KWACK_9),
    ],
)
def test_a_table_is_as_printed(name: str, printed: str) -> None:
    wanted = [[cell.strip() for cell in line.split("|")] for line in printed.strip().split("\n")]
    found = cells(name)
    assert len(found) == len(wanted)
    for line, other in zip(found, wanted, strict=True):
        assert all(same(*pair) for pair in zip(line, other, strict=True)), (line, other)


@pytest.mark.parametrize(
    ("name", "printed"), [("cardwell2019:3.3", TABLE_3_3), ("cardwell2019:3.4", TABLE_3_4)]
)
def test_microbenchmarks_are_as_printed(name: str, printed: str) -> None:
    times = [f"0.{int(time):06d}" for time in printed.split()]
    sizes = [(m, n, k) for m in (32, 64, 128) for n in (784, 50) for k in (50, 10)]
    wanted = [[*map(str, size), time] for size, time in zip(sizes, times, strict=True)]
    assert cells(name) == wanted


@pytest.mark.parametrize(("system", "table"), [("carbonate", "3.6"), ("bridges", "3.7")])
def test_the_layers_of_figures_3_1_and_3_2_are_those_of_the_tables(system: str, table: str) -> None:
    """The figures draw a list of times; the tables work the predicted ones out by the models."""
    text = (FIGURES / f"{system}_layers.csv").read_text(encoding="utf-8")
    drawn = []
    for line in [*csv.reader(text.replace("batch ", "").splitlines())][1:]:
        measured, predicted = map(float, line[2:])
        error = 100 * abs(measured - predicted) / measured
        drawn.append([*line[:2], f"{measured:.6f}", f"{predicted:.6f}", f"{error:.2f}"])
    assert drawn == cells(f"cardwell2019:{table}")


def test_where_a_table_differs_from_the_paper_a_note_says_so() -> None:
    differs = {name: paper_table(f"kwack2018:{name}").notes for name in ("I", "III", "X", "XI")}
    for name, word in (("I", "386.3"), ("III", "over k"), ("X", "1715.3"), ("XI", "7.00")):
        assert word in " ".join(differs[name])


def test_the_loops_of_the_stencils() -> None:
    rows = [line[1:3] for line in cells("kwack2018:III")]
    assert rows == [["yes", "i and j"], ["no", "i and j"], ["yes", "i, j and k"], ["no", "i and j"]]


def test_projections_are_as_printed_within_what_rounding_moves_them() -> None:
    for line in cells("kwack2018:X"):
        (time, speedup) = next(v for key, v in KWACK_10.items() if key in line[0])
        assert float(line[1]) == pytest.approx(time, abs=0.3)
        assert float(line[2]) == speedup
    for line in cells("kwack2018:XI"):
        (time, error) = next(v for key, v in KWACK_11.items() if key in line[0])
        assert float(line[1]) == time
        assert float(line[2]) == pytest.approx(error, abs=0.03)


# Table 2.4: numerator and denominators as printed, where `log` has the base 2.
TABLE_2_4 = {
    "SUMMA": (
        "(2N^3 + 2N^2)/P",
        r"B\,(1 + N^2/B + N^3/(B\sqrt{M}))/P",
        r"2\sqrt{P} \cdot 8(N/\sqrt{P})^2 \log_2 \sqrt{P}",
    ),
    "DGEMV": ("(2N^2 + 2N)/P", "(8N^2 + 24N)/P", "8(N/P)(P - 1)"),
    "DDOT": ("2(N/P) - 1", "16(N/P) + 8", r"8 \log_2 P"),
    "FFT": (r"5N \log_2(N)/P", "48N/P", r"32(N/P) \log_2 P"),
    "Stencil": ("4((N - 2)/P)(N - 2)", "56((N - 2)/P)(N - 2)", "32N"),
    "MST": (
        r"|E| \log_2(|V|)/P",
        r"B \operatorname{Sort}(|E|) \log_2(|V|)/P",
        r"12|V|(\log_2(|V|)/2) \log_2 P + 12|V| \log_2 |V|",
    ),
    "Dijkstra": (
        r"(|E| + |V| \log_2 |V|)/P",
        r"B\,(n + (M/B) \log_2(n/B))/P",
        r"|V| \cdot 16 \log_2 P + 4(|V|/P) \log_2 P",
    ),
}


def test_the_intensities_of_table_2_4_are_as_printed() -> None:
    rows = {str(row[0]): row[1:] for row in paper_table("cardwell2019:2.4").rows}
    assert list(rows) == list(TABLE_2_4)
    for name, (flops, memory, network) in TABLE_2_4.items():
        shown = [
            re.sub(r"\\lvert (\w) \\rvert", r"|\1|", latex(ratio(cell))) for cell in rows[name]
        ]
        assert shown == [rf"\dfrac{{{flops}}}{{{below}}}" for below in (memory, network)]


def ratio(cell: Cell) -> Divide:
    assert isinstance(cell, Divide)
    return cell


SORT = "(abs(E)/B)*log(abs(E)/B, M/B)"


@pytest.mark.parametrize("name", TABLE_2_4)
def test_what_table_2_4_shows_is_what_its_model_computes(name: str) -> None:
    module = load_module(resources.folder("stdlib") / "papers" / "cardwell2019.roof")
    model = module.models[f"{name.lower()}_as_printed"]
    work = total_works(model, ("flops", "memory", "network"))
    row = next(row for row in paper_table("cardwell2019:2.4").rows if row[0] == name)
    draw = Random(name)
    for below, cell in zip(("memory", "network"), row[1:], strict=True):
        for _ in range(20):
            values = {parameter.name: draw.uniform(20, 900) for parameter in model.parameters}
            shown = text(ratio(cell)).replace("Sort(abs(E))", SORT)
            assert evaluate(parsed(shown), values) == pytest.approx(
                evaluate(work["flops"], values) / evaluate(work[below], values), rel=1e-12
            )


# Table 2.5 as powers of two, by system (of SUMMA 242 times one), and the library's models from
# Table 2.4: in bytes, a stencil's exchange in one direction, 16 edges a vertex.
ALGORITHMS: dict[str, tuple[Callable[[float], Work], int, tuple[int, int, int]]] = {
    "SUMMA": (lambda N: in_bytes(formulas.summa(242 * N, 121)), 0, (8, 8, 8)),
    "FFT": (lambda N: formulas.fft(N, 128), 8, (29, 28, 26)),
    "Stencil": (lambda N: one_direction(formulas.stencil(N, 128)), 8, (17, 17, 16)),
    "MST": (lambda V: in_bytes(formulas.mst(16 * V, V, 128)), 16, (26, 26, 26)),
    "DGEMV": (lambda N: formulas.dgemv(N, 128), 8, (19, 18, 17)),
    "DDOT": (lambda N: formulas.ddot(N, 128), 8, (30, 30, 30)),
    "Dijkstra": (lambda V: in_bytes(formulas.dijkstra(16 * V, V, 128, V, 16 * V)), 8, (15, 15, 14)),
}
SYSTEMS = {
    "Big Red II": (14.7e9, 13.4e9, 5.7e9),
    "Karst": (22e9, 13.9e9, 1.2e9),
    "Jetstream": (43.4e9, 13.1e9, 0.34e9),
}


def one_direction(work: Work) -> Work:
    return work[0], work[1], work[2] / 2


def test_the_network_lowers_the_bound_as_the_two_rooflines_say() -> None:
    rows = iter(cells("cardwell2019:2.6-like"))
    for algorithm, (formula, first, last) in ALGORITHMS.items():
        means = []
        for (system, (peak, memory, network)), largest in zip(SYSTEMS.items(), last, strict=True):
            losses = []
            for exponent in range(first, largest + 1):
                flops, loaded, sent = formula(2.0**exponent)
                original = min(peak, memory * flops / loaded)
                losses.append(100 * (1 - min(original, network * flops / sent) / original))
            means.append(sum(losses) / len(losses))
            assert next(rows) == [algorithm, system, f"{means[-1]:.1f}"]
        assert means == sorted(means)  # the slower the network, the more
    assert list(rows) == []


@pytest.mark.parametrize("name", paper_names())
def test_every_table_is_ready_for_input(name: str) -> None:
    text = written(TableAnswer(paper_table(name)))
    assert text.count(r"\label{") == text.count(r"\caption{") == 1
    assert text.count(r"\begin{table") == text.count(r"\caption")
    for word in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert text.count(word) == text.count(r"\begin{tabular}{")
    assert rf"\label{{tab:{name.lower().replace(':', '-').replace('.', '-')}}}" in text
    numbers = [cell for row in paper_table(name).rows for cell in row if isinstance(cell, Printed)]
    assert bool(numbers) == ("S[table-format=" in text)


def test_the_command_writes_one_to_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ("table", "--paper", "cardwell2019:3.8", "--format", "latex", "-o", "t.tex")
    run(tmp_path, *command, "--label", "mape", "--caption", "50 % off")
    text = (tmp_path / "t.tex").read_text(encoding="utf-8")
    assert "\\label{tab:mape}" in text
    assert "\\caption{50 \\% off}" in text
    assert capsys.readouterr().out == "t.tex\n"
    assert {"cardwell2019:2.6-like", "kwack2018:XI", "tang2015:2"} <= set(paper_names())


@pytest.mark.parametrize("algorithm", ["cannon", "johnson"])
def test_what_tables_i_and_ii_of_kong_2015_name_is_in_the_models(algorithm: str) -> None:
    machine = rd.load_machine("xeon_e5630")
    model = rd.load_model(f"papers.kong2015:{algorithm}_as_printed").on(machine)
    named = model.evaluate(N=2000, B=200, P=32).named
    inputs, derived = ([row[0] for row in cells(f"kong2015:{table}")] for table in ("I", "II"))
    assert {*inputs, *derived} <= {*named}
    assert "F_overhead" in named
    assert "F_overhead" not in derived  # an erratum
