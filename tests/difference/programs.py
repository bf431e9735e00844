"""Small programs that edits are made to, how to run what they define, and what `diff` says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from roofdsl.analysis.difference.machines import compare_machines
from roofdsl.analysis.difference.models import compare_models
from roofdsl.analysis.prediction import predict
from roofdsl.analysis.result import Result, evaluated
from roofdsl.answer.difference import Difference, DifferenceAnswer
from roofdsl.diagnostic import RoofError
from roofdsl.model.arguments import read_arguments
from roofdsl.model.library import find_machine, find_model, load_module
from roofdsl.model.types import MachineDefinition, ModelDefinition, Module
from roofdsl.report.text import written

ROOT = Path(__file__).resolve().parents[2]

TRAINING = """
unit row
resource disk: B
resource atomics: row shares memory
function padded(x, line) = ceil(x/line)*line

## One layer.
model layer {
    param b: integer
    param n: integer
    param word = 4 B
    param gated = false
    let elements = padded(n, 8)*n
    require b >= 1
    as gemm(m = b, n = n, k = n)
    tally parameters: B = word*n^2
    tally footprint: B = word*(n^2 + b*n)
    flops  = 2*b*elements + (if gated then b*n else 0)
    memory = word*(n^2 + 2*b*n)
    memory.L2 = 2*word*(n^2 + 2*b*n)
}

model softmax {
    param b: integer
    param n: integer
    flops = 5*b*n
    memory = 8 B * b*n
}

model ring {
    param n: integer
    param P: processes
    param word = 4 B
    network  = 2*word*n^2*(P - 1)/P
    messages = 2*(P - 1)
}

model attention {
    param b: integer
    param n: integer
    step scores = layer(b = b, n = n)
    step softmax = softmax(b = b, n = n)
}

model block {
    param b: integer
    param n: integer
    step attention = attention(b = b, n = n)
    step mlp = layer(b = b, n = 2*n, word = 2 B)
}

model training {
    param b: integer = 64
    param n: integer[8..4096] = 512
    param P: processes = 4
    let half = b/2
    require n is integer
    tally footprint: B = 4 B * n
    step read { memory = 4 B * b*n; disk = 4 B * b*n }
    repeat 3 { step forward = block(b = b, n = n) on gpu }
    overlap {
        step bwd = layer(b = 2*b, n = n) on gpu
        step red = ring(n = n, P = P)
    }
    step count { atomics = 1 row * n; let twice = 2*n; memory = 1 B * twice }
    step update { time = 1 ms; memory = 12 B * n^2; flops = n^2 }
    step save on gpu { memory.L1 = 1 B * half; memory.L2 = 2 B * half }
}

machine card {
    flops  = 10 ± 0.5 TFLOP/s
    memory { L1 = 9 TB/s; L2 = 2 TB/s; DRAM = 900 GB/s; default DRAM }
    capacity memory = 16 GB
    measured gemm(m, n, k) from "gemm.csv" interpolate
}

machine host { flops = 1 TFLOP/s; memory = 50 GB/s }

machine box {
    param cores: integer = 4
    require cores >= 2
    memory  = 100 GB/s
    flops   = cores * 100 GFLOP/s
    atomics = 10 ns/row
    disk    = unlimited
    network = 10 GB/s
    messages = 2 us/message
    capacity memory = 64 GB
    device gpu = card
    device cpu = host
}
"""

SERVER = """
unit euro
unit token

model layer {
    param b: integer = 64
    flops { matrix.bf16 = 2e6*b; vector.fp32 = 1e4*b; special.fp32 = 1e3*b }
    memory = 1e5 B + 100 B*b
    network = 200 B*b
    metric speed: token/s = b*1 token / time
    metric fast = time < 1 s
}

model pipeline {
    param p: integer = 4
    iterate 8 { step work = layer() }
    wait p - 1 { step bubble = layer() }
}

mix month { job small = 100 * layer(); job large = 3 * pipeline() }

machine card {
    flops { matrix.bf16 = 1 TFLOP/s; vector.fp32 = 100 GFLOP/s; special.fp32 = 10 GFLOP/s
            default vector.fp32 }
    memory(w) = 10 GB/s * w/(w + 10 kB)
    network = 1 GB/s
    startup = 4 us
    startup network = 2 us
    serial memory, network
    concurrent flops.matrix, flops.vector
    power = 60 W
    price = 2 euro/h
    energy { flops = 1 pJ/flop; memory = 40 pJ/B; network = 0 J/B }
}
"""

GEMM = """m,n,k,time [ms]
64,512,512,0.02
128,512,512,0.03
64,1024,1024,0.05
"""

INLINE = {"training.roof": TRAINING, "server.roof": SERVER}


class Setting(NamedTuple):
    """Where a definition is run: a model on a machine, at values of its parameters."""

    model: str
    machine: str
    values: str = ""


def texts(file: str) -> tuple[str, dict[str, str]]:
    """Return the text of a program, and of the tables beside it."""
    if file in INLINE:
        return INLINE[file], {"gemm.csv": GEMM}
    path = ROOT / file
    tables = {found.name: found.read_text("utf-8") for found in path.parent.glob("*.csv")}
    return path.read_text("utf-8"), tables


def two_versions(folder: Path, file: str, old: str, new: str) -> tuple[Module, Module]:
    """Return a file as it is and edited; the edit may be in a table beside it."""
    text, tables = texts(file)
    assert any(each.count(old) for each in (text, *tables.values())), old
    versions = []
    for side in ("old", "new"):
        where = folder / side
        where.mkdir()
        for name, content in {file.rpartition("/")[2]: text, **tables}.items():
            edited = content.replace(old, new) if side == "new" else content
            (where / name).write_text(edited, "utf-8")
        versions.append(load_module(where / file.rpartition("/")[2]))
    return versions[0], versions[1]


def said(old: Module, new: Module, name: str) -> str:
    """Return what `diff` says of a model or a machine, in one line."""
    if name in old.models:
        changes = compare_models(old.models[name], new.models[name])
        comparison = Difference("model", name, changes, ())
    else:
        changes = compare_machines(old.machines[name], new.machines[name])
        comparison = Difference("machine", name, changes, ())
    return re.sub(r"\s+", " ", written(DifferenceAnswer((comparison,))))


def outcome(module: Module, setting: Setting) -> Result | str:
    """Return a prediction, or the message that is there instead."""
    model = _model(module, setting.model)
    machine = _machine(module, setting.machine)
    given = dict(each.split("=", 1) for each in setting.values.split(", ") if each)
    arguments, problems = read_arguments(model, given)
    if problems:
        return problems[0].message
    prediction, problems = predict(model, machine, arguments)
    if problems:
        return problems[0].message
    try:
        return evaluated(prediction)
    except RoofError as error:
        return error.diagnostics[0].message


def _model(module: Module, name: str) -> ModelDefinition:
    return module.models[name] if name in module.models else find_model(name)[0]


def _machine(module: Module, name: str) -> MachineDefinition:
    return module.machines[name] if name in module.machines else find_machine(name)[0]
