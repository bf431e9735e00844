"""Forty edits after which a model or a machine means the same: `diff` is to say nothing."""

from __future__ import annotations

from typing import NamedTuple

from tests.difference.programs import Setting

_T = "training.roof"
_SUMMA = "stdlib/linalg/summa.roof"
_CANNON = "stdlib/linalg/cannon.roof"
_ATTENTION = "stdlib/dnn/attention.roof"
_LINEAR = "stdlib/dnn/linear.roof"


class Silent(NamedTuple):
    """One text in the place of another, all of them; `run` comes out the same."""

    file: str
    name: str
    old: str
    new: str
    run: Setting


def _training(old: str, new: str, name: str = "training") -> Silent:
    return Silent(_T, name, old, new, Setting("training", "box"))


def _summa(old: str, new: str) -> Silent:
    return Silent(_SUMMA, "summa", old, new, Setting("summa", "karst", "N=1000, P=25"))


def _cannon(old: str, new: str) -> Silent:
    return Silent(
        _CANNON, "cannon", old, new, Setting("cannon", "xeon_e5630", "N=1000, B=250, P=25")
    )


def _attention(old: str, new: str) -> Silent:
    run = Setting("attention", "h100_sxm", "B=2, a=8, s=64, d=32, causal=true")
    return Silent(_ATTENTION, "attention", old, new, run)


def _machine(name: str, old: str, new: str, model: str, values: str) -> Silent:
    return Silent(f"machines/{name}.roof", name, old, new, Setting(model, name, values))


SILENT = (
    # Layout, comments, sources.
    _summa("    flops.matrix[dtype] =", "\n\n  # operations\n  flops.matrix[dtype]="),
    _summa("## matrix order", "## order of the matrices"),
    _summa('source "Cardwell 2019, Table 2.4', 'source "Cardwell, Table 2.4'),
    _training("model training {", "## A comment.\nmodel training {"),
    _training("flops  = 2*b*elements", "flops  = (2*b\n        *elements)"),
    _training("step read { memory = 4 B * b*n; disk", "step read {\n memory = 4 B * b*n\n disk"),
    _training("\n", "\r\n"),
    # Order of statements, of work, of definitions.
    _training(
        "    require b >= 1\n    as gemm(m = b, n = n, k = n)\n",
        "    as gemm(k = n, n = n, m = b)\n    require b >= 1\n",
    ),
    _training(
        "    flops  = 2*b*elements + (if gated then b*n else 0)\n    memory = word*(n^2 + 2*b*n)\n",
        "    memory = word*(n^2 + 2*b*n)\n    flops  = 2*b*elements + (if gated then b*n else 0)\n",
    ),
    _training(
        "    tally parameters: B = word*n^2\n    tally footprint: B = word*(n^2 + b*n)\n",
        "    tally footprint: B = word*(n^2 + b*n)\n    tally parameters: B = word*n^2\n",
    ),
    _training("layer(b = b, n = n)", "layer(n = n, b = b)"),
    _training("layer(b = b, n = n)", "layer(b, n)"),
    _training(
        "    memory  = 100 GB/s\n    flops   = cores * 100 GFLOP/s\n",
        "    flops   = cores * 100 GFLOP/s\n    memory  = 100 GB/s\n",
        name="box",
    ),
    _training(
        "    device gpu = card\n    device cpu = host\n",
        "    device cpu = host\n    device gpu = card\n",
        name="box",
    ),
    _training("memory { L1 = 9 TB/s; L2 = 2 TB/s;", "memory { L2 = 2 TB/s; L1 = 9 TB/s;", "box"),
    _machine(
        "karst",
        "    flops   = 22 GFLOP/s\n    memory  = 13.9 GB/s\n",
        "    memory  = 13.9 GB/s\n    flops   = 22 GFLOP/s\n",
        "summa",
        "N=1000, P=25",
    ),
    _training(
        "64,512,512,0.02\n128,512,512,0.03\n", "128,512,512,0.03\n64,512,512,0.02\n", name="box"
    ),
    # Names that no answer shows.
    _training("half", "middle"),
    _training("twice", "double"),
    _training("elements", "entries"),
    _training(
        "padded(x, line) = ceil(x/line)*line", "padded(size, row_of) = ceil(size/row_of)*row_of"
    ),
    _training("padded", "rounded_up"),
    _training("card", "accelerator", name="box"),
    _training("gated", "scaled"),
    _cannon("rounds", "turns_"),
    _attention("heads_per_kv_head", "queries_of_a_key"),
    # Formulas written another way.
    _summa("(2*N^3 + 2*N^2) / P", "2*N^2*(N + 1)/P"),
    _summa("(N/sqrt(P))^2 * log2(sqrt(P))", "N^2/P * log2(P)/2"),
    _summa("16 KiB / word", "16384 B / word"),
    _summa("sqrt(P) is integer", "P^(1/2) is integer"),
    _summa("require sqrt(P) is integer", "require sqrt(P) is integer\n    require N is integer"),
    _cannon("min(P, cores)", "min(cores, P)"),
    _cannon("if P > cores then moved * cores/3 else 0", "if cores < P then cores*moved/3 else 0"),
    _cannon("let b = N/B  ", "let side = N/B; let b = side  "),
    _attention("require not causal or t >= s", "require t >= s or not causal"),
    _attention("require not causal or t >= s", "require not (causal and t < s)"),
    _attention("s*(t - s) + s*(s + 1)/2", "sum(t - s + k for k in 1..s)"),
    _training("require b >= 1", "require b > 0"),
    _training("network  = 2*word*n^2*(P - 1)/P", "network  = 2*word*n^2*(1 - 1/P)"),
    _training("word = 2 B", "word = 16 bit"),
    _training("10 ns/row", "100e6 row/s", name="box"),
    _training("2 us/message", "0.5e6 message/s", name="box"),
    # Calls with other arguments that come to the same.
    _training("layer(b = 2*b, n = n)", "layer(b = 2*b, n = n, word = 4 B)"),
    _training("layer(b = 2*b, n = n)", "layer(b = b + b, n = n, gated = false)"),
    _training("flops = 5*b*n", "flops = 5*b*n; network = 0"),
    Silent(
        _LINEAR,
        "linear_training",
        "linear_update(I = I, O = O, dtype = dtype, bias = bias)",
        "linear_update(I, O, dtype, bias)",
        Setting("linear_training", "karst", "M=32, I=784, O=50, dtype=fp64"),
    ),
)
