"""The words of the language, and how each declaration and statement is written."""

from __future__ import annotations

# Kind of token to the word it is and to an example of its use.
DECLARATIONS = {
    "MODEL": "model NAME { … }",
    "MACHINE": "machine NAME { … }",
    "TEST": 'test "title" { … }',
    "USE": 'use linalg.summa` or `use "./mine.roof" as mine',
    "FUNCTION": "function f(x, y) = x*y",
    "UNIT": "unit element",
    "RESOURCE": "resource disk: B",
}
STATEMENT_WORDS = {
    "SOURCE": 'source "paper, table"',
    "PARAM": "param N: integer[2..] = 4096",
    "LET": "let name = formula",
    "REQUIRE": "require N > 1",
    "TALLY": "tally footprint: B = formula",
    "TOTAL": "total flops = 2*N^3` or `total even",
    "CAPACITY": "capacity memory = 80 GB",
    "DEFAULT": "default L2",
    "DEVICE": "device gpu = gtx_titan",
    "STEP": "step name = model(N = 4)",
    "OVERLAP": "overlap { step a = …; step b = … }",
    "REPEAT": "repeat 12 { step a = … }",
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
    "SHARES": "resource disk: B shares network",
}
KEYWORDS = frozenset((*DECLARATIONS, *STATEMENT_WORDS, *EXPRESSION_WORDS))

# What may stand where.
IN = {
    "file": ("model", "machine", "test", "use", "function", "unit", "resource"),
    "model": (
        "param", "let", "require", "source", "function", "tally", "total", "step",
        "overlap", "repeat",
    ),
    "machine": ("param", "let", "require", "source", "function", "capacity", "device"),
    "test": ("let", "expect"),
    "step": ("let", "total"),
    "overlap": ("step", "overlap", "repeat"),
    "repeat": ("step", "overlap", "repeat"),
    "block": ("default",),
}  # fmt: skip
HOMES = {
    "file": "at the top of a file",
    "block": "in a block, such as `memory { … }`",
    "step": "in a step of its own, `step name { … }`",
    "overlap": "in an `overlap`",
    **{home: f"in a `{home}`" for home in ("model", "machine", "test", "repeat")},
}
# What gets a formula there, among others.
NAMES_SET = dict.fromkeys(("model", "machine", "step"), ("flops", "memory", "network", "messages"))
