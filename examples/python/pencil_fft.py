"""A 3-D FFT of N^3 complex points in pencils, on a grid of Pr × Pc processes."""

import sympy

import roofdsl as rd

ranks = sympy.Symbol("ranks", positive=True, integer=True)

lines = rd.make_model(
    "lines",
    {"flops.vector[dtype]": "5*points*log2(N)"},
    doc="Transforms of length N, read and written once.",
    parameters={"points": "real", "N": "integer", "dtype": "precision"},
    memory="4*size(dtype)*points",
)

transpose = rd.make_model(
    "transpose",
    doc="What each of `ranks` processes has of the others' `bytes`, packed, sent and unpacked.",
    parameters={"bytes": "B", "ranks": "integer"},
    steps=[
        rd.step("pack", memory="2*bytes"),
        rd.step("send", network="bytes*(ranks - 1)/ranks", messages=ranks - 1),
        rd.step("unpack", memory="2*bytes"),
    ],
)

along = lines(points="points", N="N", dtype="dtype")

fft3d = rd.make_model(
    "fft3d",
    doc="A 3-D FFT of N^3 complex points in pencils, on a grid of Pr × Pc processes.",
    sources=["Pekurovsky 2012 (P3DFFT), SIAM J. Sci. Comput. 34(4), C192"],
    parameters={
        "N": "integer[2..]",
        "Pr": "integer",
        "Pc": "integer",
        "P": "processes = Pr*Pc",
        "dtype": "precision = fp64",
    },
    lets={"points": "N^3/P", "bytes": "2*size(dtype)*points"},
    require=["N/Pr is integer and N/Pc is integer"],
    steps=[
        rd.step("along_x", along),
        rd.step("rows", transpose(bytes="bytes", ranks="Pr")),
        rd.step("along_y", along),
        rd.step("columns", transpose(bytes="bytes", ranks="Pc")),
        rd.step("along_z", along),
    ],
    totals="even",
    metrics={
        "sustained": "TFLOP/s = total.flops / time",
        "exchange": "rows.share + columns.share",
    },
)
