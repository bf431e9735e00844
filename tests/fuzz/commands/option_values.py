"""What is put behind options: what they are for, and what they may be broken by."""

from __future__ import annotations

USUAL = {
    "processes": ("4", "16", "64", "121", "1", "1024"),
    "integer": ("4", "16", "64", "1000", "4096", "1", "2"),
    "real": ("0.5", "2", "100", "1e6", "0.5 ± 0.1", "2 ± 5 %"),
    "boolean": ("true", "false"),
    "precision": ("fp64", "fp32", "bf16", "int8"),
    "B": ("8 B", "4 kB", "1 MiB", "64"),
    "s": ("1 s", "3 ms"),
    "flop": ("1 flop", "1e6 flop"),
}
"""Values of parameters by kind."""
RANGES_OF_UNITS = {"B": ("8 B,64 B", "1 kB..1 GB:x16"), "s": ("1 s..9 s:4",)}
RANGES = (
    "2..64:x2", "4..1024:x4", "1,4,16", "16,64,256,1024", "2..1e6", "4..10000", "1..100:5log",
    "1..9:4", "0.5..8", "[4, 16]", "4:64", "range(4, 64)", "4-64", "4..64..4", "1,2,4 GB",
    "1..1e18", "1 GB/s..1 TB/s", "1..1e18:20log", "fp64,fp32", "9,7,5", "4,4",
)  # fmt: skip
"""Ranges of numbers; the first four suit every number."""
QUANTITIES = (
    "time", "flops", "memory", "network", "OI", "CAI", "MI", "bound", "attainable", "N", "P", "2 s",
    "energy", "energy.work", "cost", "power",
    "1e9", "messages", "peak", "memory.L2", "time(karst)", "word", "1/N", "efficiency", "speedup",
)  # fmt: skip
CONDITIONS = (
    "time <= 10 s", "time >= 1 ms", "OI >= 2 flop/B", "bound = flops", "bound = network", "MI > 1",
    "attainable >= 1 GFLOP/s", "network <= 1 GB", "flops > memory", "CAI < 1e-300 flop/B",
    "energy <= 5 J", "power > 1 kW", "energy.constant < energy.work",
    "time <= 1..10 s:x10", "OI >= 1..4 flop/B and bound = memory", "time < 1..", "time < 1..2..3 s",
    "sum(k for k in 1..3) < 7", "time <= 4..1 s", "time <= 1 ms..1 s:3log", "N > 1..1e9",
    "time < 1e300 s", "flops >= 1e400 flop", "memory = 1e18 B", "time > 0 s", "bound = memory",
)  # fmt: skip
RELATIONS = (" <= ", " < ", " >= ", " > ", " = ", " == ", " is ", "", "<=>", " within ")
TEXTS = (
    "", "x", "SUMMA on Karst", "α·β ≤ $x^2$", "\\frac{a}{b}", "<b>&amp;</b>", "a\nb", "%s{}",
    "_^%#&", "\x1b[31m", "\u202e", "x" * 300,
)  # fmt: skip
OF_OPTION: dict[str, tuple[str, ...]] = {
    "--sizes": (
        "N=4..24:4", "N=8", "M=2..6", "N=2..256:x2", "N=3,4", "N=0", "N=1..", "N=", "=4", "N=4,x",
        "N=1e9", "N=4..24:4 B", "N=9,7,5", "K=4",
        "64,256", "256..4096:x2", "1", "0", "1e13", "4..1", "64,,256", "1.5",
    ),
    "--seconds": ("1", "0.5", "0", "-1", "1e9", "nan", "1 s", ""),
    "--threads": ("1", "2", "all", "0", "-1", "1e3", "9999999999", "two"),
    "--hosts": ("mine.roof", "hosts", "folder", "nowhere/hosts"),
    "-P": ("1", "1,2,4", "0", "1025", "1..16:x2", "many"),
    "--rates": (
        "±10%", "±1%", "stated", "±50%", "±0%", "±100%", "10%",
        "±1e-9%", "±99.999%", "±1e400%", "+-5%", "±nan%", "±5%,±10%", "±1%,", "stated,±2%",
    ),
    "--range": (
        "2..1e18", "1..100", "0..1", "-5..5", "1..1e400", "1e-400..1", "5..5", "9..1", "1..",
        "0.1 GB/s..1 TB/s", "1..2^53", "1e308..1e309", "nan..1", "1..inf",
    ),
    "--certificate": ("c.json", "folder", "nowhere/c.json", "mine.roof", "", "-"),
    "--efficiency": (
        "80%", "0.8", "0", "100%", "1e-9", "101%", "-1", "1e-400", "99.9999999999%", "nan",
    ),
    "--isoefficiency": ("0.5,0.8", "80%", "0", "1", "0.5,,0.8", "1e-300", "nan", "99.99%,1%"),
    "--cut": ("1,10", "0,0", "1e300,1e-300", "1", "1,2,3", "nan,1", "-1,1", "1e400,1"),
    "--partition": (
        "CP1=0.4,5.4", "CPU=1.7,0", "x=0,0", "=1,2", "x=1e308,1e-308", "x=nan,1", "GPU=1",
    ),
    "--quantity": (*QUANTITIES, "network/memory", "time.network", "karst.memory", "OI - CAI"),
    "--level": ("L1", "L2", "DRAM", "memory", "nothing", ""),
    "--resource": ("network", "flops", "memory", "disk", "nothing", "time", ""),
    "--measured": (
        "haswell=9 s", "haswell=1293 s", "ivy_bridge=1e400 s", "x", "=", "haswell=0 s",
        "haswell=-1 s", "haswell=1 GB", "haswell=1 ± 2 s",
    ),
    "--max-mape": ("25", "0", "1e9", "-1", "nan", "inf", "25%", "1e-400"),
    "--columns": (
        "OI,time,bound", "time", "nothing", "", "N,P,flops", ",", "OI,OI", "time,ranks,batch",
        "machine,model,price", "time.low,time.high", "karst.network,machine.memory", "bound.kind",
    ),
    "--sort": ("time", "-attainable", "bound,-time", "-", "nothing", ",", "machine,N", "--time"),
    "--best": ("time", "-attainable", "attainable", "cost", "energy", "bound", "-OI", "-", "x.y"),
    "--paper": (
        "cardwell2019:3.6", "cardwell2019:2.4", "tang2015:1", "tang2015:2", "kwack2018:1",
        "cardwell2019", ":", "../x:1", "cardwell2019_dnn:3.8", "cardwell2019:99",
    ),
    "--constant": (
        "startup", "startup network", "flops.matrix", "memory.L2", "messages", "word", "N", "dtype",
        "karst.flops", "summa.word", "", "nothing", "flops.matrix.fp64", "capacity memory",
        "startup x",
    ),
    "--keep": ("memory", "flops", "network", "karst.memory", "nothing", "", "startup"),
    "--folds": ("2", "5", "100", "1", "101", "-1", "10^18"),
    "--label": TEXTS,
    "--caption": TEXTS,
    "--style": ("nature", "ieee", "acm", "slides", "poster", "", "natrue"),
    "--title": TEXTS,
    "--decimal": (".", ",", ";", ""),
    "--name": ("mine", "net_2", "step", "7b", "a b", "", "α", "x" * 300),
    "--rename": ("L3=DRAM", "L1=L1", "x=", "=y", "", "L1=step", "a=b=c"),
    "--drop": ("L1", "DRAM", "", "flops"),
    "--budget": ("1x", "0.5x", "0.1x", "0.001x", "2x", "0x", "nanx", "1e-400x"),
    "--intensity": ("1.7", "4.4", "0", "-1", "nan", "inf", "1e308", "1e-320"),
    "--width": ("3.5", "1.5", "30", "31", "nan", "1e9"),
    "--height": ("2", "1", "30", "nan"),
    "--of": ("energy", "power", "cost", "energy.work", "time", "flops", ""),
    "--top": ("1", "3", "0", "-1", "10^18", "99999999999999999999"),
}  # fmt: skip
OUTPUTS = (
    "folder", "nowhere/x.svg", "", "mine.roof", ".svg", "x", "x.SVG", "a b.html", "é.md",
    "x" * 300, "\x1b[31m.svg", "out.svg/", "-",
)  # fmt: skip
