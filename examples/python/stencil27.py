"""A sweep of a 27-point stencil on n^3 points of each process, its halo hidden or waited for."""

import sympy

import roofdsl as rd

n = sympy.Symbol("n", integer=True, positive=True)
word = sympy.Symbol("word", positive=True)
inner = (n - 2) ** 3
halo = rd.step("halo", network=word * (6 * n**2 + 12 * n + 8), messages=26)
flops = "flops.vector[dtype]"


def sweep(name: str, points: sympy.Expr) -> rd.Part:
    """Return the step that computes so many points."""
    return rd.step(name, {flops: 30 * points}, memory=2 * word * points)


parameters = {"n": "integer[3..]", "P": "processes", "dtype": "precision = fp64"}
lets = {"word": "size(dtype)"}

stencil27 = rd.make_model(
    "stencil27",
    doc="The halo travels while the points that do not need it are computed.",
    units=["point"],
    parameters=parameters,
    lets=lets,
    steps=[rd.overlap(halo, sweep("interior", inner)), sweep("boundary", n**3 - inner)],
    totals="even",
    metrics={
        "updates": "point/s = P*n^3*1 point / time",
        "exposed": "us = max(halo.time - interior.time, 0 us)",
    },
)

stencil27_waiting = rd.make_model(
    "stencil27_waiting",
    doc="The same with the halo sent first.",
    parameters=parameters,
    lets=lets,
    steps=[halo, sweep("sweep", n**3)],
    totals="even",
)
