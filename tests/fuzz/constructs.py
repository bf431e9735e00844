"""What files say of time, energy and money beyond work and rates, put into any file."""

from __future__ import annotations

import re

from tests.fuzz.choices import Choices

_HEAD = re.compile(r"^[ \t]*(model|machine)[ \t]+(\w+)[^\n{=]*\{", re.MULTILINE)
_WORD = re.compile(r"~[a-z]")
_IN_MACHINE = (
    "startup = ~t",
    "startup ~r = ~t",
    "flops(w) = ~v TFLOP/s * w/(w + ~v GFLOP)",
    "memory(w) = if w < ~v kB then ~v GB/s else ~v GB/s",
    "network(w, messages) = ~v GB/s * w/(w + messages*~v kB/1 message)",
    "flops as gemm(m, n, k) = ~v GFLOP/s * k/(k + ~v)",
    "flops.matrix.bf16(w) = ~v TFLOP/s * (1 - exp(-w/1 MFLOP))",
    'measured ~r(w) from "rates.csv"~i',
    'measured ~r as gemm(m, n) from "times.csv"~i',
    "serial ~r, ~r",
    "serial ~r, ~r, memory.L2",
    "concurrent flops.matrix, flops.vector",
    "energy ~r = ~v nJ/~u",
    "energy { flops = ~v pJ/flop; memory = ~v pJ/B; network = 0 J/B; messages = ~v uJ/message }",
    "energy flops.matrix = ~v pJ/flop",
    "power = ~v W",
    "price = ~v euro/h",
    "device gpu { flops = ~v TFLOP/s; memory = ~v GB/s; power = ~v W }",
    "device gpu = a100_sxm_80gb with { network.intra = ~v GB/s; ~m }",
    "device gpu = karst with { ~m }",
    "param ranks: processes = 8",
    "network { intra = ~v GB/s; inter = ~v GB/s }",
    "network { intra = ~v GB/s; inter = ~v GB/s; default inter }",
    "capacity { memory = ~v GiB }",
    "param fuzzed_p = ~v ± ~e; flops = fuzzed_p*1 GFLOP/s",
    "let fuzzed_l = ~v ± ~e ns/B; memory = fuzzed_l",
    "memory = ~v ± ~e GB/s; startup = ~v ± ~e us; price = ~v +- ~e euro/h",
    "energy flops = ~v ± ~e nJ/flop; capacity memory = ~v ± ~e GB",
    "flops { matrix.bf16 = ~v TFLOP/s; vector.fp32 = ~v TFLOP/s; default vector.fp32 }",
)
_IN_MODEL = (
    "metric fuzzed_a = ~q",
    "metric fuzzed_b: euro/Mtoken = cost/(~v*1 token)",
    "metric fuzzed_c: 1/s = ~v/time",
    "metric fuzzed_d = bound is ~r or ~q > ~q",
    "metric fuzzed_e = if time > ~t then ~v else 1/time * ~t",
    "metric fuzzed_f = machine.~k",
    "flops.matrix[bf16] = ~v",
    "flops { vector.fp32 = ~v MFLOP; special[fp32] = ~v }",
    "as gemm(m = ~v, n = 4, k = ~v)",
    "total even",
    "iterate ~c { step fuzzed_i { flops = ~v; memory = ~v kB } }",
    "if ~v > ~v { step fuzzed_y { flops = ~v } } else { step fuzzed_n { memory = ~v kB } }",
    "iterate ~c keeping ~v { step fuzzed_k { flops = ~v; memory = ~v kB } }",
    "wait ~c { step fuzzed_w { flops = ~v; time = ~t } }",
    "step fuzzed_s { overlap { step one { network = ~v B } step two { memory = ~v GB } } }",
    "metric fuzzed_g = fuzzed_i.share + fuzzed_i.count",
    "let fuzzed_l = ~v ± ~e; step fuzzed_u { let fuzzed_l = ~v ± ~e; flops = fuzzed_l^2 }",
    "param fuzzed_p: real[0..5] = ~v ± ~e; metric fuzzed_j = fuzzed_p*time",
    "metric fuzzed_h = fuzzed_w.time/time",
)
_IN_VARIANT = (
    "let N = ~v",
    "N = ~v",
    "param N: integer = ~v",
    "let P = ~v; let n = ~v",
    "param fuzzed_o: real = ~v; require fuzzed_o < ~v",
    "metric fuzzed_v = ~q",
    "function fuzzed_f(x) = x + ~v; let fuzzed_x = fuzzed_f(~v)",
    "flops = ~v",
)
_PLACES = {
    "r": ("flops", "memory", "network", "messages", "memory.L2", "flops.matrix.bf16", "disk"),
    "u": ("flop", "B", "B", "message"),
    "v": ("0.5", "1", "3", "64", "1e3", "7", "2.5", "1e9", "1e-9", "4096", "0", "1e308"),
    "t": ("1 us", "0 s", "10 ms", "3 ns", "1 h", "0.5 us", "1e-300 s"),
    "e": ("1 %", "0.1", "5%", "50 %", "100 %", "0", "1e-300", "1e300", "99.999%", "0.3"),
    "i": ("", " interpolate"),
    "c": ("0", "1", "3", "2", "1000", "10^9", "1/2"),
    "q": (
        "time", "cost", "energy", "power", "time.memory", "OI", "MI", "flops/time", "attainable",
        "total.flops", "energy.work/energy", "ridge.OI/OI", "time.startup/time", "ridge.energy.OI",
        "memory.L2", "intensity.disk", "machine.flops", "energy.memory", "flops.matrix",
    ),
    "k": ("price", "power", "memory", "capacity.memory", "energy.flops", "ranks", "startup"),
    "m": (
        "memory = ~v GB/s", "startup = ~t", "price = ~v euro/h", "flops = ~v GFLOP/s",
        "power = ~v W", "serial flops, memory", "energy memory = ~v pJ/B", "network = ~v MB/s",
        "capacity memory = ~v GB",
    ),
}  # fmt: skip


def _filled(choices: Choices, form: str) -> str:
    """Return a form with something in each of its places."""
    while found := _WORD.search(form):
        form = form.replace(found[0], choices.pick(_PLACES[found[0][1:]]), 1)
    return form


def with_constructs(choices: Choices, text: str) -> str:
    """Return a file with more in its models and machines, perhaps with a mix."""
    units = ("unit euro\n", "unit token\n", "unit Mtoken = 1e6 token\n")
    pieces, place = [unit for unit in units if unit.rstrip() not in text], 0
    added: dict[str, list[str]] = {"model": [], "machine": []}
    for head in _HEAD.finditer(text):
        sort, name = head.groups()
        added[sort].append(name)
        forms: tuple[str, ...] = _IN_MACHINE
        if sort == "model":
            here = text[head.end() :].partition("\n}")[0]
            part, metrics = ("step ", "metric ") if "step " in here else ("flops", "metric ")
            fitting = [form for form in _IN_MODEL if part in form or form.startswith(metrics)]
            forms = tuple(fitting) if choices.chance(85) else _IN_MODEL
        lines = [_filled(choices, choices.pick(forms)) for _ in range(choices.below(4))]
        pieces += [text[place : head.end()], *(f"\n    {line}" for line in lines), "\n"]
        place = head.end()
    pieces.append(text[place:])
    if added["machine"] and choices.chance(40):
        changes = [_filled(choices, "~m") for _ in range(1 + choices.below(2))]
        base = choices.pick(added["machine"])
        pieces.append(f"\nmachine fuzzed = {base} with {{ {'; '.join(changes)} }}\n")
    if added["model"] and choices.chance(40):
        base = choices.pick(added["model"])
        changes = [_filled(choices, choices.pick(_IN_VARIANT)) for _ in range(choices.below(4))]
        pieces.append(f"\nmodel fuzzed_model = {base} with {{ {'; '.join(changes)} }}\n")
    if added["model"] and choices.chance(40):
        jobs = [
            f"job j{place} = {_filled(choices, '~v')} * {choices.pick(added['model'])}()"
            for place in range(1 + choices.below(2))
        ]
        asked = _filled(choices, choices.pick(("metric days = time/24 h", "metric x = ~q")))
        pieces.append(f"\nmix fuzzed_mix {{ {'; '.join([*jobs, asked])} }}\n")
    return "".join(pieces)
