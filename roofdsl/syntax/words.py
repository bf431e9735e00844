"""The words of the language, and how each declaration and statement is written."""

from __future__ import annotations

# Kind of token to the word it is and to an example of its use.
DECLARATIONS = {
    "MODEL": "model NAME { … }` or `model small = layer with { … }",
    "MIX": "mix month { job a = 10 * model(N = 4) }` or `mix june = month with { … }",
    "MACHINE": "machine NAME { … }` or `machine fast = karst with { … }",
    "TEST": 'test "title" { … }',
    "USE": 'use linalg.summa` or `use "./mine.roof" as mine',
    "FUNCTION": "function f(x, y) = x*y",
    "UNIT": "unit element` or `unit Mtoken = 1e6 token",
    "RESOURCE": "resource disk: B",
}
STATEMENT_WORDS = {
    "SOURCE": 'source "paper, table"',
    "PARAM": "param N: integer[2..] = 4096",
    "LET": "let name = formula",
    "REQUIRE": "require N > 1",
    "TALLY": "tally footprint: B = formula",
    "HOLD": "hold weights = 4 B * N",
    "OUT": "out y = 4 B * N",
    "KEEP": "keep x`, `keep index = 8 B * N` or `keep forward to backward",
    "TOTAL": "total flops = 2*N^3` or `total even",
    "METRIC": "metric rate: GFLOP/s = flops / time",
    "JOB": "job a = 10 * model(N = 4)",
    "CAPACITY": "capacity memory = 80 GB",
    "ENERGY": "energy memory = 40 pJ/B",
    "STARTUP": "startup network = 10 us",
    "SERIAL": "serial memory, disk",
    "CONCURRENT": "concurrent flops.matrix, flops.vector",
    "DEFAULT": "default L2",
    "DEVICE": "device gpu = gtx_titan` or `device gpu { … }",
    "STEP": "step name = model(N = 4)",
    "OVERLAP": "overlap { step a = …; step b = … }",
    "IF": "if N > 3 { step a = … } else { step b = … }",
    "ELSE": "if N > 3 { step a = … } else { step b = … }",
    "REPEAT": "repeat 12 { step a = … }",
    "ITERATE": "iterate 12 { step a = … }",
    "RECOMPUTE": "recompute { step again = … }",
    "WAIT": "wait (p - 1)/2 { step a = … }",
    "EXPECT": "expect r.OI ~ 11.3 flop/B within 1%",
}
EXPRESSION_WORDS = {
    "IF": "if N > 3 then 2 else 1",
    "THEN": "if … then … else …",
    "ELSE": "if … then … else …",
    "SUM": "sum(k^2 for k in 1..N)",
    "FOR": "sum(k^2 for k in 1..N)",
    "IN": "sum(k^2 for k in 1..N)",
    "AND": "a and b",
    "OR": "a or b",
    "NOT": "not a",
    "IS": "N is integer",
    "ON": "model(N = 4) on machine",
    "TRUE": "true",
    "FALSE": "false",
    "FAILS": 'expect model(N = 0) on machine fails "N"',
    "WITHIN": "expect a ~ b within 1%",
    "PRINTED": 'expect r.OI ~ 11.3 flop/B printed "an intensity of 11.3"',
    "READ": 'expect karst.memory ~ 13.9 GB/s read "Karst 13.9"',
    "AS": 'use "./mine.roof" as mine',
    "TO": "keep forward to backward",
    "KEEPING": "iterate 12 keeping 4 { step a = … }",
    "WITH": "machine fast = karst with { … }",
    "SHARES": "resource disk: B shares network",
}
KEYWORDS = frozenset((*DECLARATIONS, *STATEMENT_WORDS, *EXPRESSION_WORDS))

_PARTS = ("step", "overlap", "if", "repeat", "iterate", "wait", "recompute")
_TENSORS = ("in", "out", "keep", "hold")
_MACHINE = (
    "param", "let", "require", "source", "function", "capacity", "energy", "startup", "measured",
    "serial", "concurrent", "device",
)  # fmt: skip
# What may stand where.
IN = {
    "file": ("model", "mix", "machine", "test", "use", "function", "unit", "resource"),
    "model": (
        "param", "let", "require", "source", "function", "tally", "total", "metric", *_TENSORS,
        *_PARTS,
    ),
    "mix": ("param", "let", "require", "source", "function", "metric", "job"),
    "machine": _MACHINE,
    "device": _MACHINE,
    "test": ("let", "expect"),
    "step": ("let", "require", "tally", "total", *_TENSORS, *_PARTS),
    "overlap": _PARTS,
    "if": _PARTS,
    "else": _PARTS,
    "repeat": _PARTS,
    "iterate": _PARTS,
    "wait": _PARTS,
    "recompute": _PARTS,
    "block": ("default",),
}  # fmt: skip
_HOMES = ("model", "mix", "machine", "device", "test", "repeat", "wait", "recompute")
HOMES = {
    "file": "at the top of a file",
    "block": "in a block, such as `memory { … }`",
    "step": "in a step of its own, `step name { … }`",
    "overlap": "in an `overlap`",
    "if": "in an `if`",
    "else": "in an `else`",
    "iterate": "in an `iterate`",
    **{home: f"in a `{home}`" for home in _HOMES},
}
LIKE_OTHERS = frozenset(("mix", "device", "if", "else", "iterate", "wait", "recompute"))
"""They hold much of what others do, which are named before them."""
# What gets a formula there, among others.
NAMES_SET = dict.fromkeys(
    ("model", "machine", "device", "step"), ("flops", "memory", "network", "messages")
)
