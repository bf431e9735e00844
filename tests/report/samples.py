"""Reports for the tests, of models with hostile texts among them."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path

import pytest

from roofdsl.cli.main import main

HOSTILE = (
    "<script>alert(1)</script> <img src=x onerror=alert(1)> \\input{secret} \\write18{touch shell} "
    "{{ 7*7 }} {% raw %} << 6*7 >> <% if %> 50 % of #1 & $x_1$ ^ ~ \\ `code` *bold* [link](x) "
    "a|b é 中 \u202eabc\u200f --> ]]> ''"
)
"""Markup of every notation; no number 49 or 42 may come of it."""

MODEL = f"""
## {HOSTILE}
model hostile {{
    source "{HOSTILE.replace(chr(92), chr(92) * 2)}"
    param n: integer                         ## {HOSTILE}
    tally rows: flop = 1 flop * n            ## {HOSTILE}
    step first {{ flops = 2*n; memory = 8 B * n }}
    step second {{ flops = n; memory = 24 B * n }}
}}

## {HOSTILE}
machine wild {{
    source "{HOSTILE.replace(chr(92), chr(92) * 2)}"
    flops  = 10 GFLOP/s                      ## {HOSTILE}
    memory = 5 GB/s
    measured gemm(m, n, k) from "100 % <b>_#.csv"
}}
"""
FILE = "50% <b>_#&{x}.roof"


CHAPTERS = (
    *("report", "dgemm", "collectives.mpi:broadcast_binomial", "dgemv", "softmax", "relu"),
    *("collectives.mpi:reduce_binomial", "collectives.mpi:all_reduce_ring", "dropout"),
    *("collectives.mpi:all_gather_ring", "collectives.mpi:reduce_scatter_ring", "stencil.jacobi2d"),
    *("collectives.mpi:all_reduce_tree", "collectives.mpi:all_to_all_pairwise", "stencil.jacobi3d"),
    *("-m", "karst"),
)
"""A report of so many models that they stand in chapters."""


def hostile_files(folder: Path) -> None:
    """Write the model, and the table it has measured, under hostile names."""
    (folder / FILE).write_text(MODEL, encoding="utf-8")
    (folder / "100 % <b>_#.csv").write_text("m,n,k,time [s]\n1,2,3,0.5\n", encoding="utf-8")
    (folder / "secret.tex").write_text("REVEALED", encoding="utf-8")


def run(folder: Path, *arguments: str) -> None:
    """Run a command in a folder; it must end well."""
    with chdir(folder), pytest.raises(SystemExit) as leaving:
        main(arguments)
    assert not leaving.value.code


def hostile_report(folder: Path, ending: str, *more: str) -> str:
    """Return the report of the hostile model."""
    hostile_files(folder)
    name = f"{FILE}:hostile"
    machine = f"{FILE}:wild"
    run(folder, "report", name, "-m", machine, "-m", "karst", "-o", f"r.{ending}", *more)
    return (folder / f"r.{ending}").read_text(encoding="utf-8")
