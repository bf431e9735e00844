"""A hundred edits that change what a model or machine means, and what `diff` is to say of each."""

from __future__ import annotations

from typing import NamedTuple

from tests.difference.programs import Setting

_T = "training.roof"
_TRAINING = Setting("training", "box")
_SUMMA = Setting("summa", "karst", "N=1000, P=25")
_CANNON = Setting("cannon", "xeon_e5630", "N=1000, B=250, P=25")
_ADAM = Setting("adam", "a100_sxm_80gb", "parameters=1e6")


class Edit(NamedTuple):
    """One text in the place of another, all of them; `name` is compared.

    `says` must all be in what `diff` prints. `run` is where a number, a step's name or a message
    must come out another; `only` says why no number can.
    """

    file: str
    name: str
    old: str
    new: str
    says: tuple[str, ...]
    run: Setting | None = _TRAINING
    only: str = ""


def _training(old: str, new: str, *says: str, name: str = "training", only: str = "") -> Edit:
    return Edit(_T, name, old, new, says, None if only else _TRAINING, only)


def _summa(old: str, new: str, *says: str, run: Setting | None = _SUMMA, only: str = "") -> Edit:
    return Edit("stdlib/linalg/summa.roof", "summa", old, new, says, None if only else run, only)


def _cannon(old: str, new: str, *says: str, run: Setting = _CANNON) -> Edit:
    return Edit("stdlib/linalg/cannon.roof", "cannon", old, new, says, run)


def _mlp(old: str, new: str, *says: str, name: str = "mlp_training") -> Edit:
    run = Setting(name, "a100_sxm_80gb", "batch=64")
    return Edit("stdlib/networks/mlp.roof", name, old, new, says, run)


def _gpt2(old: str, new: str, *says: str, name: str = "gpt2") -> Edit:
    run = Setting(name, "a100_sxm_80gb", "batch=2")
    return Edit("tests/difference/network.roof", name, old, new, says, run)


def _block(old: str, new: str, *says: str) -> Edit:
    run = Setting("transformer_block", "h100_sxm", "B=2, s=128, h=768, a=12")
    return Edit("stdlib/dnn/transformer.roof", "transformer_block", old, new, says, run)


def _linear(old: str, new: str, *says: str, name: str = "linear_training") -> Edit:
    run = Setting(name, "a100_sxm_80gb", "M=64, I=784, O=50")
    return Edit("stdlib/dnn/linear.roof", name, old, new, says, run)


def _perdome(old: str, new: str, *says: str, name: str, values: str) -> Edit:
    run = Setting(name, "i7_titan", values)
    return Edit("stdlib/hetero/perdome.roof", name, old, new, says, run)


def _machine(
    name: str, old: str, new: str, *says: str, model: str = "", values: str = "", only: str = ""
) -> Edit:
    run = Setting(model, name, values) if model else None
    return Edit(f"machines/{name}.roof", name, old, new, says, run, only)


# What total plain work does not show: the first ten are those that `diff` used to miss.
MISSED = (
    _training("overlap {", "repeat 1 {", "changed arrangement of bwd, red overlap → repeat 1"),
    _training(
        "step read { memory = 4 B * b*n; disk = 4 B * b*n }\n    repeat 3 {",
        "step start { memory = 4 B * b*n; disk = 4 B * b*n }\n    repeat 3 {",
        "renamed step start read → start",
    ),
    _training("time = 1 ms", "time = 2 ms", "changed stated time", "in update", "2 the factor"),
    _training(
        "step bwd = layer(b = 2*b, n = n) on gpu",
        "step bwd = layer(b = 2*b, n = n) on cpu",
        "changed device of the step overlap.bwd gpu → cpu",
    ),
    _training(
        "memory.L2 = 2*word*(n^2 + 2*b*n)",
        "memory.L2 = 20000*word*(n^2 + 2*b*n)",
        "changed work memory.L2 of layer",
        "overlap.bwd",
        "10000 the factor",
    ),
    _training(
        "tally footprint: B = word*(n^2 + b*n)",
        "tally footprint: B = word*(n^2 + 2*b*n)",
        "changed tally footprint of layer",
        "in repeat.forward.attention.scores",
    ),
    _training(
        "as gemm(m = b, n = n, k = n)",
        "as gemm_nt(m = b, n = n, k = n)",
        "changed operation of layer",
        "as gemm → as gemm_nt",
        name="training",
    ),
    _training(
        '"gemm.csv" interpolate',
        '"gemm.csv"',
        "changed measured table gemm no longer interpolates",
        name="card",
    )._replace(run=Setting("layer", "card", "b=96, n=512")),
    _training(
        "10 ± 0.5 TFLOP/s",
        "10 TFLOP/s",
        "removed uncertainty of the rate flops",
        name="card",
        only="times are computed without it",
    ),
    _training(
        "step count { atomics = 1 row * n; let twice = 2*n; memory = 1 B * twice }\n"
        "    step update { time = 1 ms; memory = 12 B * n^2; flops = n^2 }",
        "step count { time = 1 ms; atomics = 1 row * n; memory = 1 B * 2*n + 12 B * n^2;"
        " flops = n^2 }",
        "removed step update written in place",
        "added stated time",
        "in count",
    ),
)

_STEPS = (
    _training(
        "    param P: processes\n",
        "    param P: integer\n",
        "changed parameter P of ring overlap.red processes → integer",
        only="nothing is said here of all processes",
    ),
    _training(
        "        step bwd = layer(b = 2*b, n = n) on gpu\n        step red = ring(n = n, P = P)\n",
        "        step red = ring(n = n, P = P)\n        step bwd = layer(b = 2*b, n = n) on gpu\n",
        "moved step overlap.",
    ),
    _training(
        "overlap {\n        step bwd = layer(b = 2*b, n = n) on gpu\n",
        "overlap {\n        repeat 2 { step bwd = layer(b = 2*b, n = n) on gpu }\n",
        "added repeat 2 of bwd",
    ),
    _training("repeat 3 {", "repeat 4 {", "changed repeat count of forward = 3 before → 4 after"),
    _training(
        "repeat 3 { step forward = block(b = b, n = n) on gpu }",
        "if n > 8 { step forward = block(b = b, n = n) on gpu }",
        "changed arrangement of forward repeat 3 → if n > 8",
    ),
    _training(
        "    step count { atomics",
        "    if n > 8 { } else { step again { disk = 1 B } }\n    step count { atomics",
        "added else of again",
        "added step again written in place",
    ),
    _training(
        "repeat 3 { step forward = block(b = b, n = n) on gpu }",
        "step forward = block(b = b, n = n) on gpu",
        "removed repeat 3 of forward",
    ),
    _training(
        "        step red = ring(n = n, P = P)\n    }",
        "    }\n    step red = ring(n = n, P = P)",
        "moved step red overlap.red → red",
    ),
    _training(
        "    step count { atomics",
        "    repeat 2 { step again { disk = 1 B } }\n    step count { atomics",
        "added repeat 2 of again",
        "added step repeat.again written in place",
    ),
    _training(" on gpu }\n    overlap", " }\n    overlap", "removed device of the step", "gpu"),
    _training(
        "step read { memory = 4 B * b*n; disk = 4 B * b*n }\n",
        "",
        "removed step read written in place",
    ),
    _training(
        "step forward = block(b = b, n = n)",
        "step forward = attention(b = b, n = n)",
        "changed step repeat.forward calls block → calls attention",
    ),
    _training(
        "step red = ring(n = n, P = P)",
        "step red = ring(n = n, P = P, word = 2 B)",
        "argument word",
        "in overlap.red",
        "2 B",
    ),
    _training(
        "step scores = layer(b = b, n = n)",
        "step scores = layer(b = b, n = n, gated = true)",
        "argument gated of attention repeat.forward.attention.scores",
        "true",
    ),
    _training(
        "step scores = layer(b = b, n = n)\n    step softmax = softmax(b = b, n = n)",
        "step softmax = softmax(b = b, n = n)\n    step scores = layer(b = b, n = n)",
        "moved step of attention repeat.forward.attention",
    ),
    _training(
        "flops = 5*b*n",
        "flops = 6*b*n",
        "changed work flops of softmax",
        "in repeat.forward.attention.softmax",
        "= 1.2 the factor",
    ),
    _training(
        "param word = 4 B\n    param gated",
        "param word = 8 B\n    param gated",
        "changed default word of layer",
        "overlap.bwd",
    ),
    _training("param gated = false", "param gated = true", "changed default gated of layer"),
    _training(
        "as gemm(m = b, n = n, k = n)",
        "as gemm(m = b, n = 2*n, k = n)",
        "changed argument of gemm: n of layer",
    ),
    _training("    as gemm(m = b, n = n, k = n)\n", "", "removed operation of layer", "as gemm"),
    _training(
        "messages = 2*(P - 1)",
        "messages = P - 1",
        "changed work messages of ring",
        "in overlap.red",
        "0.5 the factor",
    ),
    _training(
        "network  = 2*word",
        "network.intra = 2*word",
        "removed work network of ring",
        "added work network.intra of ring",
    ),
    _training(
        "require b >= 1",
        "require b >= 100",
        "removed requirement b >= 1 of layer",
        "added requirement b >= 100 of layer",
    ),
    _training(
        "function padded(x, line) = ceil(x/line)*line",
        "function padded(x, line) = ceil(x/line)*line + line",
        "changed work flops of layer",
    ),
    _training(
        "atomics: row shares memory",
        "atomics: row shares network",
        "changed resource atomics count shares memory → shares network",
    ),
    _training(
        "atomics: row shares memory",
        "atomics: row",
        "changed resource atomics shares memory → shares nothing",
        name="box",
    ),
    _training(
        "disk = 4 B * b*n }", "disk = 4 B * b }", "changed work disk", "in read", "1/n the factor"
    ),
    _training("let twice = 2*n", "let twice = 3*n", "changed work memory", "in count"),
    _training(
        "step save on gpu { memory.L1 = 1 B * half; memory.L2 = 2 B * half }",
        "step save on gpu { memory.L2 = 2 B * half; memory.L1 = 1 B * half }",
        "changed memory that counts save memory.L2 → memory.L1",
    ),
    _training(
        "step update { time = 1 ms; memory = 12 B * n^2; flops = n^2 }",
        "step update { time = 1 ms; flops = n^2; memory = 12 B * n^2 }",
        "changed bound of the stated time update memory → flops",
    ),
    _training("    tally footprint: B = 4 B * n\n", "", "removed tally footprint"),
    _training(
        "param b: integer = 64",
        "param b: integer = 128",
        "changed default b 64 → 128",
    ),
    _training(
        "param n: integer[8..4096] = 512",
        "param n: integer[8..2048] = 512",
        "changed parameter n integer[8..4096] = 512 → integer[8..2048] = 512",
        only="the value is within both",
    ),
    _training(
        "param P: processes = 4",
        "param P: integer = 4",
        "changed parameter P processes = 4 → integer = 4",
    ),
    _training("let half = b/2", "let half = b/4", "changed intermediate half", "in save"),
    _training(
        "require n is integer",
        "require n is integer and n < 100",
        "added requirement n is integer and n < 100",
    ),
    _training(
        "param b: integer = 64\n    param n: integer[8..4096] = 512",
        "param n: integer[8..4096] = 512\n    param b: integer = 64",
        "moved parameters b, n, P → n, b, P",
        only="values are given by name here",
    ),
)

_LIBRARY = (
    Edit(
        "stdlib/linalg/dgemv.roof",
        "dgemv",
        "    total even\n",
        "",
        ("removed total even",),
        Setting("dgemv", "karst", "N=16, P=16"),
    ),
    _summa("(2*N^3 + 2*N^2) / P", "(2*N^3 + 3*N^2) / P", "changed work flops"),
    _summa("N^2/B + N^3", "N^2/B + 2*N^3", "changed work memory"),
    _summa("log2(sqrt(P))", "log2(P)", "changed work network [B]", "= 2 the factor"),
    _summa(
        "    network = 2*",
        "    network.inter = 2*",
        "removed work network",
        "added work network.inter",
    ),
    _summa("precision = fp64", "precision = fp32", "changed default dtype fp64 → fp32"),
    _summa("M = 16 KiB / word", "M = 32 KiB / word", "changed default M"),
    _summa("B = 64 B / word", "B = 128 B / word", "changed default B"),
    _summa(
        "N: integer[2..]",
        "N: integer[4..]",
        "changed parameter N integer[2..] → integer[4..]",
        only="the value is within both",
    ),
    _summa(
        "N: integer[2..]",
        "N: real[2..]",
        "changed parameter N integer[2..] → real[2..]",
        run=Setting("summa", "karst", "N=1000.5, P=25"),
    ),
    _summa(
        "    require sqrt(P) is integer\n",
        "",
        "removed requirement sqrt(P) is integer",
        run=Setting("summa", "karst", "N=1000, P=26"),
    ),
    _summa("sqrt(P) is integer", "log2(P) is integer", "added requirement log2(P) is integer"),
    Edit(
        "stdlib/linalg/dgemv.roof",
        "dgemv",
        "    require P <= N\n",
        "    require P < N\n",
        ("removed requirement P <= N", "added requirement P < N"),
        Setting("dgemv", "karst", "N=16, P=16"),
    ),
    _summa(
        "    total flops = 2*N^3 + 2*N^2\n",
        "    total flops = 2*N^3\n",
        "changed total flops",
    ),
    _summa(
        "    total flops = 2*N^3 + 2*N^2\n",
        "",
        "removed total flops",
    ),
    _cannon(
        "repeat rounds", "repeat rounds + 1", "changed repeat count of multiply, inside, across"
    ),
    _cannon("2*B^3", "2*B^2", "changed work flops.matrix[dtype]", "in repeat.multiply"),
    _cannon("cores/3", "cores/2", "changed work network.inter", "in repeat.across"),
    _cannon("min(P, b^2)", "min(P, b^3)", "changed intermediate rounds"),
    _cannon(
        "overhead: real[1..] = 1.5",
        "overhead: real[1..] = 1.6",
        "changed default overhead",
        "1.5 → 1.6",
    ),
    _cannon("machine.cores_per_node", "4", "changed default cores"),
    _cannon(
        "    repeat rounds {", "    overlap {", "changed arrangement of multiply, inside, across"
    ),
    _cannon(
        "step inside { network.intra",
        "step within_node { network.intra",
        "renamed step repeat.within_node inside → within_node",
    ),
    _cannon(
        "P > cores",
        "P >= cores",
        "changed work network.inter",
        "in repeat.across",
        run=Setting("cannon", "xeon_e5630", "N=1000, B=250, P=8"),
    ),
    _mlp("O = hidden, dtype", "O = 2*hidden, dtype", "changed argument O of mlp", "in forward.fc1"),
    _mlp(
        "step relu = relu(E = batch*hidden, dtype = dtype)\n    step fc2",
        "step relu = sigmoid(E = batch*hidden, dtype = dtype)\n    step fc2",
        "changed step relu calls relu → calls sigmoid",
        name="mlp",
    ),
    _mlp("overlap {", "repeat 1 {", "changed arrangement of backward, reduce overlap → repeat 1"),
    _mlp(
        "all_reduce_ring(",
        "all_reduce_tree(",
        "changed step overlap.reduce calls all_reduce_ring → calls all_reduce_tree",
    ),
    _mlp("ranks: processes = 1", "ranks: processes = 8", "changed default ranks"),
    _mlp("dtype: precision = fp32", "dtype: precision = bf16", "changed default dtype fp32 → bf16"),
    _mlp("step update = sgd", "step update = momentum", "calls sgd → calls momentum"),
    _mlp(
        "(hidden + 1)*outputs",
        "hidden*outputs",
        "changed intermediate trained",
        "argument bytes",
        "in overlap.reduce",
    ),
    _gpt2("repeat 12", "repeat 24", "changed repeat count of block = 12 before → 24 after"),
    _gpt2("h = 768, a = 12, causal", "h = 768, a = 16, causal", "argument a", "in repeat.block"),
    _gpt2("tied = true", "tied = false", "changed argument tied logits true → false"),
    _gpt2(
        "seq: integer[..1024] = 1024",
        "seq: integer[..2048] = 2048",
        "integer[..1024] = 1024 → integer[..2048] = 2048",
    ),
    _gpt2("fused = true ", "fused = false ", "changed default fused"),
    _gpt2(
        "step norm = layer_norm(M", "step norm = rms_norm(M", "calls layer_norm → calls rms_norm"
    ),
    _gpt2(
        "master = size(dtype) < 4 B",
        "master = size(dtype) < 2 B",
        "argument master update",
        name="gpt2_training",
    ),
    _block("f: integer = 4*h", "f: integer = 3*h", "changed default f"),
    _block(
        "O = (heads + 2*kv_heads)*d, bias",
        "O = (heads + kv_heads)*d, bias",
        "changed argument O",
        "in qkv",
    ),
    _block(
        "    step residual_2 = add(E = M*h, dtype = dtype) from down, residual\n}\n\n## Its",
        "}\n\n## Its",
        "removed step residual_2 calls add",
    ),
    _block("let M = B*s\n", "let M = 2*B*s\n", "changed intermediate M", "argument E", "in gelu"),
    Edit(
        "stdlib/dnn/transformer.roof",
        "transformer_block",
        "require width is integer",
        "require width > 8",
        ("removed requirement width is integer", "added requirement width > 8"),
        Setting("transformer_block", "h100_sxm", "B=2, s=128, h=768, a=12, ways=12, f=100"),
    ),
    _linear(
        "flops.vector[arithmetic] = M*added",
        "flops.vector[arithmetic] = 2*M*added",
        "changed work flops.vector[arithmetic] of linear",
        "in forward",
    ),
    _linear(
        "flops.matrix[dtype] = 2*M*I*O\n    flops.vector",
        "flops = 2*M*I*O\n    flops.vector",
        "removed work flops.matrix[dtype] of linear",
        "added work flops of linear",
    ),
    _linear(
        "as gemm(m = M, n = I, k = O)",
        "as gemm(m = M, n = O, k = I)",
        "argument of gemm: n of linear_input_gradient",
        "in backward.input",
    )._replace(run=Setting("linear_training", "carbonate", "M=32, I=784, O=50")),
    _linear(
        "tally parameters: element = I*O + added",
        "tally parameters: element = I*O",
        "changed tally parameters of linear",
        "in forward",
    ),
    _linear(
        "step input = linear_input_gradient(M = M, I = I, O = O, dtype = dtype) from dy\n    ",
        "",
        "removed step of linear_backward backward.input",
    ),
    Edit(
        "stdlib/dnn/optimizer.roof",
        "adam",
        "operations = 12 ",
        "operations = 14 ",
        ("changed default operations 12 → 14",),
        _ADAM,
    ),
    Edit(
        "stdlib/dnn/optimizer.roof",
        "adam",
        "3 else 2 ",
        "4 else 2 ",
        ("changed intermediate kept", "changed tally footprint"),
        _ADAM._replace(values="parameters=1e6, master=true"),
    ),
    _perdome(
        "step tail on cpu { flops = N_fC",
        "step tail on gpu { flops = N_fC",
        "changed device of the step overlap.tail cpu → gpu",
        name="perdome",
        values="I=1.7 flop/B, I_C=0.1 flop/B, I_G=2 flop/B",
    ),
    _perdome(
        "    require I_C != I_G ",
        "    require I_C > I_G ",
        "added requirement I_C > I_G",
        name="perdome",
        values="I=1.7 flop/B, I_C=0.1 flop/B, I_G=2 flop/B",
    ),
    _perdome(
        "repeat groups - 1 ",
        "repeat groups ",
        "changed repeat count of tail, head",
        name="perdome_dependent",
        values="I=1.7 flop/B, I_C=0.1 flop/B, I_G=2 flop/B, groups=4",
    ),
    _perdome(
        "step last on cpu { flops = I_C * N_bC; memory = N_bC }",
        "",
        "removed step last",
        name="perdome_dependent",
        values="I=1.7 flop/B, I_C=0.1 flop/B, I_G=2 flop/B, groups=4",
    ),
    Edit(
        "stdlib/collectives/mpi.roof",
        "all_reduce_tree",
        "ceil(log2(p))",
        "floor(log2(p))",
        ("changed work network",),
        Setting("all_reduce_tree", "karst_with_latency", "bytes=1e6 B, ranks=5"),
    ),
    Edit(
        "stdlib/collectives/parallel.roof",
        "tensor_parallel",
        "let sums = 2*passes*layers ",
        "let sums = 4*passes*layers ",
        ("changed repeat count of results",),
        Setting("tensor_parallel", "dgx_a100", "B=1, s=8, h=64, layers=2, inside=8, nodes=2"),
    ),
    Edit(
        "stdlib/collectives/parallel.roof",
        "data_parallel",
        "2*bytes/inside",
        "bytes/inside",
        (
            "network.inter of all_reduce_two_level",
            "in gradients.across",
        ),
        Setting("data_parallel", "dgx_a100", "parameters=1e6, inside=8, nodes=2"),
    ),
)

_MACHINES = (
    _machine(
        "karst",
        "22 GFLOP/s",
        "23 GFLOP/s",
        "changed rate flops",
        model="summa",
        values="N=1000, P=25",
    ),
    _machine(
        "karst",
        "22 GFLOP/s",
        "22 ± 0.4 GFLOP/s",
        "added uncertainty of the rate flops",
        only="times are computed without it",
    ),
    _machine(
        "karst",
        "1.2 GB/s",
        "unlimited",
        "changed rate network",
        "now unlimited",
        model="summa",
        values="N=1000, P=25",
    ),
    _machine(
        "karst",
        "    network = 1.2 GB/s\n",
        "",
        "removed rate network",
        model="summa",
        values="N=1000, P=25",
    ),
    _machine(
        "a64fx",
        "default fp64",
        "default fp32",
        "changed default level flops",
        "flops.fp64 → flops.fp32",
        model="synthetic",
        values="n=1000",
    ),
    _machine(
        "a64fx",
        "capacity memory = 32 GiB",
        "capacity memory = 32 GB",
        "changed capacity memory",
        model="linear",
        values="M=1e3, I=6e4, O=69e3, dtype=fp64",
    ),
    _machine(
        "a64fx",
        "0.49 us",
        "0.59 us",
        "changed rate messages",
        model="all_reduce_ring",
        values="bytes=1e3 B, ranks=8",
    ),
    _machine(
        "epyc_7763",
        "clock: Hz = 2.45 GHz",
        "clock: Hz = 2.55 GHz",
        "changed default clock",
        model="adam",
        values="parameters=1e6",
    ),
    _machine(
        "blue_waters_xe",
        "let node = 62.6 GB/s",
        "let node = 59.6 GB/s",
        "changed intermediate node",
        "changed rate memory.DRAM",
        model="adam",
        values="parameters=1e6",
    ),
    _machine(
        "blue_waters_xe",
        "L2_per_core = L2_per_unit * units/cores",
        "L2_per_core = L2_per_unit",
        "changed intermediate L2_per_core",
        model="jacobi2d",
        values="n=250",
    ),
    _machine(
        "i7_titan",
        "device gpu = gtx_titan",
        "device gpu = gtx_750",
        "changed device gpu gtx_titan → gtx_750",
        "gpu.memory",
        model="perdome",
        values="I=1.7 flop/B, I_C=0.1 flop/B, I_G=2 flop/B",
    ),
    _machine(
        "i7_titan",
        "device gpu",
        "device card",
        "removed device gpu",
        "added device card",
        model="perdome",
        values="I=1.7 flop/B, I_C=0.1 flop/B, I_G=2 flop/B",
    ),
    _machine(
        "carbonate",
        "32,50,784,0.000143",
        "32,50,784,0.000153",
        "changed measured table gemm m = 32, n = 50, k = 784: 143 µs → 153 µs",
        model="linear",
        values="M=32, I=784, O=50",
    ),
    _machine(
        "carbonate",
        "32,50,784,0.000143\n",
        "",
        "k = 784: 143 µs → no entry",
        model="linear",
        values="M=32, I=784, O=50",
    ),
    _machine(
        "carbonate",
        "measured gemm(m",
        "measured gemm_nn(m",
        "removed measured table gemm",
        "added measured table gemm_nn",
        model="linear",
        values="M=32, I=784, O=50",
    ),
    _machine(
        "mi25",
        '"mi25_gemm_nt.csv"',
        '"mi25_gemm_tn.csv"',
        "changed measured table gemm_nt",
        only="no model asks for it at these arguments",
    ),
    _machine(
        "xeon_e5630",
        "default matrix.fp32",
        "default vector.fp32",
        "flops.matrix.fp32 → flops.vector.fp32",
        only="no model that runs there has flops of no stated kind",
    ),
    _training(
        "    capacity memory = 64 GB\n",
        "    capacity memory = 64 GB\n    power = 5 W\n",
        "added constant power",
        name="box",
    ),
    _training(
        "    capacity memory = 64 GB\n",
        "    capacity memory = 64 GB\n    energy memory = 3 ± 1 nJ/B\n",
        "added energy memory",
        "added uncertainty of the energy of memory",
        name="box",
    ),
    _training(
        "require cores >= 2", "require cores >= 8", "removed requirement cores >= 2", name="box"
    ),
    _training(
        "900 GB/s; default DRAM", "900 GB/s; default L2", "default level gpu.memory", name="box"
    ),
)


def _server(name: str, old: str, new: str, *says: str, run: str = "layer") -> Edit:
    return Edit("server.roof", name, old, new, says, Setting(run, "card"))


_SERVER = (
    _server("card", "    startup = 4 us\n", "    startup = 5 us\n", "changed start-up of a kernel"),
    _server("card", "    startup network = 2 us\n", "", "removed start-up network"),
    _server("card", "    serial memory, network\n", "", "removed serial memory, network"),
    _server("card", "matrix, flops.vector\n", "matrix, flops.special\n", "changed concurrent"),
    _server("card", "w + 10 kB", "w + 20 kB", "changed rate memory"),
    _server("card", "power = 60 W", "power = 61 W", "changed constant power"),
    _server("card", "    price = 2 euro/h\n", "", "removed constant price"),
    _server("card", "memory = 40 pJ/B", "memory = 41 pJ/B", "changed energy memory"),
    _server("layer", "b*1 token", "2*b*1 token", "changed metric speed"),
    _server("layer", "time < 1 s", "time > 1 s", "changed metric fast time < 1 → time > 1"),
    _server("layer", "special.fp32 = 1e3", "vector.fp64 = 1e3", "removed work flops.special.fp32"),
    _server("pipeline", "iterate 8", "iterate 9", "changed iterate count of work", run="pipeline"),
    Edit(
        "server.roof",
        "pipeline",
        "iterate 8",
        "iterate 8 keeping p",
        ("changed rounds kept at once of work",),
        None,
        only="nothing keeps a tensor here",
    ),
    _server("pipeline", "wait p - 1", "wait p", "changed wait count of bubble", run="pipeline"),
    _server("month", "100 * layer", "101 * layer", "changed weight of small", run="month"),
    _server("month", "3 * pipeline()", "3 * pipeline(p = 5)", "argument p", run="month"),
)

EDITS = (*MISSED, *_STEPS, *_LIBRARY, *_MACHINES, *_SERVER)
