"""Conjugate gradients: 27 non-zeros a row in CSR, the rows in bricks over P processes."""

import roofdsl as rd

mpi = rd.load("collectives.mpi").models
all_reduce = mpi["all_reduce_recursive_doubling"](bytes="word", ranks="P", dtype="dtype")
flops = "flops.vector[dtype]"

cg_iteration = rd.make_model(
    "cg_iteration",
    doc="One iteration. Traffic counts each array once.",
    sources=["Hestenes and Stiefel 1952, J. Res. NBS 49(6), 409"],
    parameters={
        "N": "integer  ## rows",
        "P": "processes",
        "dtype": "precision = fp64",
        "index": "= 4 B  ## of a column",
    },
    lets={"word": "size(dtype)", "n": "N/P"},
    steps=[
        rd.step("halo", network="6*word*n^(2/3)", messages=6, totals="even"),
        rd.step("spmv", {flops: "54*n"}, memory="n*(27*(word + index) + 3*word)", totals="even"),
        rd.step("dot", {flops: "2*n"}, memory="2*word*n", totals="even"),
        rd.step("dot_sum", all_reduce),
        rd.step("axpys", {flops: "6*n"}, memory="9*word*n", totals="even"),
        rd.step("norm", {flops: "2*n"}, memory="word*n", totals="even"),
        rd.step("norm_sum", all_reduce),
    ],
    tallies={"footprint": "B = n*(27*(word + index) + 4*word)"},
)

cg = rd.make_model(
    "cg",
    doc="All iterations: the same rows each time.",
    parameters={"N": "integer", "P": "processes", "iterations": ("integer", 100)},
    steps=[rd.iterate("iterations", rd.step("iteration", cg_iteration(N="N", P="P")))],
    metrics={
        "per_iteration": "ms = iteration.time",
        "reductions": "iteration.dot_sum.share + iteration.norm_sum.share",
        "energy_per_row": "uJ = energy / N",
    },
)
