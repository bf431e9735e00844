"""Large `.roof` files to check: the mixture of an ordinary library, repeated under new names."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from string import Template

_FUNCTION = """\
# Sorting as merge sort does it: runs that fit the memory, merged many at a time.
function sort_$n(N, B, M) = 2*ceil(N/B)*ceil(log(max(N/B, 2), max(M/B, 2)))
function misses_$n(N, B, M) = if N < M then N/B else N/B + N^2/(B*sqrt(M))

"""
_MODEL = """\
## Model $n of a generated library: a product of matrices, then a sort of what comes out.
##
## Work is that of one process.
model kernel_$n {
    source "generated, Table $n"

    param N: integer[2..]                    ## order of the matrix
    param P: processes                       ## on a square grid
    param dtype: precision = fp64
    param word = size(dtype)                 ## bytes per element
    param B = 64 B / word                    ## elements per cache line
    param M = 16 KiB / word                  ## elements the cache holds
    param share: real[0..1] = 0.25           # of the elements that are sent
    require sqrt(P) is integer
    require B <= M and share < 1

    let order = N / sqrt(P)
    let blocks = ceil(order / $block)
    let elements = order^2 + 2*order*blocks
    let lines = elements/B + sum(min(order, k*B) / B for k in 1..blocks)
    let stages = if P > 1 then log2(sqrt(P)) else 0
    let moved = (
        misses_$n(elements, B, M)            # what does not fit the cache
        + sort_$n(elements, B, M)
        + lines
    )

    flops   = (2*N^3 + $flops*N^2) / P
    memory  = word * B * moved
    network = 2 * word * elements * share * stages
    tally footprint: B = word * (3*elements + M)
}

"""
_MACHINE = """\
## Machine $n.
machine cluster_$n {
    source "generated, Table $n"
    param nodes: integer = $block
    flops   { fp64 = $block GFLOP/s; fp32 = 2*$block GFLOP/s; default fp64 }
    memory  { L2 = 98 GB/s; DRAM = min(13.9 GB/s, 90 GB/s / nodes); default DRAM }
    network = 1.2 GB/s
    capacity memory = 32 GB
}

"""
_TEST = """\
test "Table $n: the small size is bound by the network, the large one is not" {
    let small = kernel_$n(N = 242, P = 121) on cluster_$machine
    let large = kernel_$n(N = 61952, P = 121, word = 4 B) on cluster_$machine
    expect small.bound is network
    expect large.OI ~ 11.3 flop/B within 5%
    expect large.CAI > 2*small.CAI and large.time > 0 s
    expect kernel_$n(N = 100, P = 120) on cluster_$machine fails "integer"
}

"""


def library(lines: int) -> str:
    """Return the text of a file of that many lines.

    >>> library(1000).count("\\n")
    1000
    """
    text: list[str] = []
    left = lines
    for part in _parts():
        length = part.count("\n")
        if length > left:
            break
        text.append(part)
        left -= length
    return "".join(text) + "#\n" * left


def chain(length: int) -> str:
    """Return a model of that many `let`s, each of which uses the one before.

    >>> print(chain(2))
    model chain {
        param N
        let x0 = N
        let x1 = x0/2 + N
        let x2 = x1/2 + N
        flops = x2
    }
    <BLANKLINE>
    """
    steps = "".join(f"    let x{n} = x{n - 1}/2 + N\n" for n in range(1, length + 1))
    return f"model chain {{\n    param N\n    let x0 = N\n{steps}    flops = x{length}\n}}\n"


def _parts() -> Iterator[str]:
    for n in count():
        names = {"n": n, "machine": n - n % 5, "block": 8 + n % 50, "flops": 1 + n % 7}
        for part in (_FUNCTION, _MODEL, *([] if n % 5 else [_MACHINE]), _TEST):
            yield Template(part).substitute(names)
