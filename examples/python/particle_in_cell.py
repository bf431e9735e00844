"""A time step of an electrostatic particle-in-cell code in 3-D, linear shapes; the field by FFT."""

import roofdsl as rd

flops = "flops.vector[dtype]"

pic = rd.make_model(
    "pic",
    doc="A time step of an electrostatic code in 3-D, linear shapes; the field by FFT.",
    sources=["Birdsall and Langdon 1991, Plasma Physics via Computer Simulation, ch. 2 and 14"],
    units=["particle"],
    parameters={
        "cells": "integer  ## along a side, of one process",
        "per_cell": "integer = 64",
        "P": "processes",
        "leave": "real[0..1] = 1/64  ## part of the particles that leaves",
        "dtype": "precision = fp64",
    },
    lets={
        "word": "size(dtype)",
        "n": "cells^3",
        "count": "per_cell*n*1 particle",
        "record": "7*word/1 particle  ## position, velocity, weight",
    },
    steps=[
        rd.step(
            "push",
            {flops: "250 flop/particle*count"},
            memory="2*record*count + 3*word*n",
        ),
        rd.step(
            "deposit",
            {flops: "60 flop/particle*count"},
            memory="4*word/1 particle*count + 2*word*n",
        ),
        rd.overlap(
            rd.step("migrate", network="leave*record*count", messages=26),
            rd.step("sort", memory="2*record*count/16"),  # all of them every 16 steps
        ),
        rd.step(
            "field",
            {flops: "10*n*log2(n*P)"},
            memory="12*word*n",
            network="8*word*n",
            messages="4*sqrt(P)",
        ),
    ],
    tallies={"footprint": "B = record*count + 4*word*n"},
    totals="even",
    metrics={
        "pushes": "particle/s = P*count / time",
        "hidden": "min(sort.time/migrate.time, 1)",  # part of the migration
    },
)
