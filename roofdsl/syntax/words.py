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
    "CAPACITY": "capacity memory = 80 GB",
    "DEFAULT": "default L2",
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
    "AS": 'use "./mine.roof" as mine',
    "SHARES": "resource disk: B shares network",
}
KEYWORDS = frozenset((*DECLARATIONS, *STATEMENT_WORDS, *EXPRESSION_WORDS))

# What may stand where.
IN = {
    "file": ("model", "machine", "test", "use", "function", "unit", "resource"),
    "model": ("param", "let", "require", "source", "function", "tally"),
    "machine": ("param", "let", "require", "source", "function", "capacity"),
    "test": ("let", "expect"),
    "block": ("default",),
}
NAMES_SET = {
    "model": ("flops", "memory", "network", "messages"),
    "machine": ("flops", "memory", "network", "messages"),
}
