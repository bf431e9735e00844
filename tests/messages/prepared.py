"""Files that are too long, or too strange, to be written out in a snapshot."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

_MODEL = "model m {{\n    param N = 4\n    param b = true\n    flops = {}\n}}\n"


def _formula(text: str) -> Callable[[Path], None]:
    return lambda path: _write(path, _MODEL.format(text))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _bytes(data: bytes) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_bytes(data)

    return make


def _fifty_megabytes(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(50_000_000)


def _link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


_COPY = "model copy {\n    memory = 16 B\n}\n"

_CHAIN = "".join(f"function f{index + 1}(x) = f{index}(x)\n" for index in range(100))
_LETS = "".join(f"    let a{index} = a{index + 1} + 1\n" for index in range(2_000))


def _chain_of_files(path: Path) -> None:
    names = [path.name, *(f"file{index}.roof" for index in range(1, 40))]
    for name, following in pairwise(names):
        _write(path.parent / name, f'use "./{following}" as other\n')
    _write(path.parent / names[-1], "function f(x) = x\n")


_DOUBLING = "".join(
    f"model m{index + 1} {{ step a = m{index}(); step b = m{index}() }}\n" for index in range(17)
)


def _graph(*kinds: str, given: str = "x", part: float = 1) -> Callable[[Path], None]:
    """A file of ONNX: operators one after another, or the first part of its bytes."""

    def write(path: Path) -> None:
        from onnx import TensorProto, helper

        names = [given, *(f"t{place}" for place, _ in enumerate(kinds))]
        nodes = [
            helper.make_node(kind, [names[place]], [names[place + 1]], f"node {place}", domain="my")
            if kind.startswith("My")
            else helper.make_node(kind, [names[place]], [names[place + 1]])
            for place, kind in enumerate(kinds)
        ]
        x, y = (
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 8])
            for name in ("x", names[-1])
        )
        versions = [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)]
        graph = helper.make_graph(nodes, "net", [x], [y])
        data = helper.make_model(graph, opset_imports=versions).SerializeToString()
        path.write_bytes(data[: int(part * len(data))])

    return write


PREPARED: dict[str, Callable[[Path], None]] = {
    "a_folder": lambda path: path.mkdir(),
    "a_fifo": os.mkfifo,
    "a_chain_of_files": _chain_of_files,
    "a_link_to_itself": _link_to_itself,
    "fifty_megabytes": _fifty_megabytes,
    "counters_cut_off": _bytes(b"Kernel_Name,Start_Timestamp,End_Timestamp\ncopy,100,20"),
    "cut_off_latency": _bytes(
        b"# OSU MPI Latency Test v7.5\n# Size  Latency (us)\n0  2.00\n8  2.5"
    ),
    "cut_off_all_reduce": _bytes(
        b"# Rank  0 Group  0 Pid 1 on node17 device  0 [0x16] A card\n"
        b"#  size  count  type  redop  root  time  algbw  busbw  #wrong\n"
        b"#   (B)  (elements)   (us)  (GB/s)  (GB/s)\n  1000  250  float  sum  -1  10.0  0.10  0.1"
    ),
    "cut_off_bench": _bytes(b"LIKWID MICRO BENCHMARK\nTest: load\nMFlops/s:\t0.00\nMByte/s:\t40"),
    "cut_off_roofs": _bytes(b"device,HBMBw,L2Bw\n0,1300,45"),
    "cut_off_carm": _bytes(
        b"Name:,node17,L1 Size:,32,L2 Size:,1024,L3 Size:,22528,,L1\n"
        b"Date,ISA,Precision,Threads,Loads,Stores,Interleaved,DRAM Bytes,FP Inst.,GB/s\n"
        b"today,avx2,dp,4,2,1,No,524288,add,15"
    ),
    "cut_off_programs": _bytes(
        b"Date,Method,Name,ISA,Precision,Threads,AI,Gflops,Bandwidth,Time\n"
        b"today,PMU,triad,avx2,dp,4,0.0625,2.5,320,1"
    ),
    "cut_off_perfctr": _bytes(
        b"TABLE,Group 1 Metric,MEM_DP,2\nMetric,HWThread 0\nRuntime (RDTSC) [s],1\nDP [MFLOP/s],10"
    ),
    "many_values_of_yaml": lambda path: _write(
        path, f"clock: 2.5 GHz\ncores per socket: 4\nmemory hierarchy: [{'1,' * 50_000}1]\n"
    ),
    "nothing": _bytes(b""),
    "utf16": _bytes(_COPY.encode("utf-16")),
    "utf16_without_mark": _bytes(_COPY.encode("utf-16-le")),
    "latin1": _bytes(b"# na\xefve\n" + _COPY.encode()),
    "binary": _bytes(bytes(range(256)) * 4),
    "nul_byte": _bytes(_COPY.encode().replace(b"16", b"1\x006")),
    "crlf": _bytes(b"model m {\r\n    flops = q\r\n}\r\n"),
    "cr": _bytes(b"model m {\r    flops = q\r}\r"),
    "byte_order_mark": _bytes(b"\xef\xbb\xbfmodel m { flops = q }\n"),
    "terminal_codes": _bytes(b'model m { source "\x1b[31m\xe2\x80\xae"; flops = q }\n'),
    "a_chain_of_models": lambda path: _write(
        path,
        "".join(f"model m{n} {{ step a = m{n + 1}() }}\n" for n in range(100))
        + "model m100 { flops = 1 }\n",
    ),
    "a_chain_of_functions": lambda path: _write(
        path, f"function f0(x) = x\n{_CHAIN}model m {{ flops = f100(1) }}\n"
    ),
    "two_thousand_definitions_backwards": lambda path: _write(
        path, f"model m {{\n    param N\n{_LETS}    let a2000 = N\n    flops = a0 + q\n}}\n"
    ),
    "a_thousand_unknown_names": lambda path: _write(
        path,
        "model m {\n" + "".join(f"    let a{n} = zz{n}\n" for n in range(1_000)) + "}\n",
    ),
    "sixty_repeats": lambda path: _write(
        path, f"model m {{ {'repeat 2 { ' * 60}step a {{ flops = 1 }} {'} ' * 61}\n"
    ),
    "models_that_double": lambda path: _write(path, "model m0 { flops = 1 }\n" + _DOUBLING),
    "ten_thousand_parentheses": _formula("(" * 10_000 + "1" + ")" * 10_000),
    "ten_thousand_open_parentheses": _formula("(" * 10_000 + "1"),
    "ten_thousand_minus_signs": _formula("-" * 10_000 + "1"),
    "three_thousand_ifs": _formula("if b then 1 else " * 3_000 + "2"),
    "three_thousand_nested_ifs": _formula("if b then (" * 3_000 + "1" + ") else 2" * 3_000),
    "ten_thousand_powers": _formula("^".join("N" * 10_000)),
    "ten_thousand_calls": _formula("abs(" * 10_000 + "N" + ")" * 10_000),
    "ten_thousand_members": _formula("N" + ".x" * 10_000),
    "two_hundred_thousand_digits": _formula("1" * 200_000),
    "ten_thousand_lists": lambda path: _write(path, "[" * 10_000),
    "three_hundred_thousand_values": lambda path: _write(path, f"[{'1,' * 300_000}1]"),
    "half_a_graph": _graph("Relu", "Sigmoid", "Tanh", part=0.5),
    "a_graph_without_rules": _graph("MyMixer"),
    "a_graph_with_a_gap": _graph("Relu", given="nothing"),
    "a_graph_with_an_unknown_operator": _graph("Relu", "MyMixer", "Relu"),
    "hundred_thousand_letters": _formula("n" * 100_000),
}
