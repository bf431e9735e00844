"""Random calls of the command: models, machines, values and ranges as people mistype them."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.fuzz.mutations import CHARACTERS, PIECES

REFERENCES = (
    "summa", "summa.roof", "linalg.summa", "dgemv", "fft", "stencil2d", "mst", "dijkstra", "ddot",
    "karst", "jetstream", "big_red_ii", "other.roof", "./other.roof:inner",
    "other.roof:inner_box", "other.roof:nobody", "other.inner", "broken.roof", "circle.roof",
    "data.csv", "missing.roof", "cardwell2019", "papers.cardwell2019:summa_as_printed", "", ".",
    "..", "/", "/dev/zero", "/dev/null", "fifo.roof", "folder.roof", "loop.roof", "~", ":",
    "a:b:c", "summa:", ":summa", "\n", "x" * 5000, "-", "../" * 40 + "etc/passwd", "%s", "{}",
    "summa\u200b", "SUMMA", "sumna", "con", "__init__", "summa.summa",
)  # fmt: skip
NAMES = (
    "N", "P", "word", "B", "M", "n", "V", "E", "Q", "", " N ", "self", "N.x", "word=", "α", "-p",
)  # fmt: skip
VALUES = (
    "4", "16", "4096", "121", "0", "-1", "1e3", "4.5", "8 B", "64 kB", "2^10", "N", "P^2", "16*V",
    "P/N", "1..8", "1..8:x2", "2..100:20log", "0..1:0.5", "8..1", "1..1e18", "1..1e18:x1.0001",
    "1..9:", "1..9:0", "1..9:log", "1..9:2log", "1 B..8 B:x2", "1 GB..8 B", "1,2,4", "1,,2", ",",
    "1,2 B", "..", "1..", "..5", "nan", "inf", "1e400", "1e-400", "true", "fp64", "1..8:-1",
    "1..8:x0", "0..8:x2", "if N > 1 then 2 else 3", "sum(k for k in 1..P)", "9" * 5000, "(" * 300,
    "-" * 300 + "1", "N" * 300, "4 on karst", "machine.x",
)  # fmt: skip
FORMATS = ("text", "json", "csv", "text", "latex")
CHANGES = (
    "network=2x", "memory=20 GB/s", "flops=0x", "nodes=4", "karst.network=1/2x", "=",
    "gpu.flops=2x", "messages=2us/message", "capacity memory=64 GiB", "network=1..4GB/s:x2",
    "memory=1x,2x", "energy.memory=2 pJ/B", "power=2x", "startup=3 us", "ram_per_node=2x",
    "sockets_per_node=1..3", "capacity.memory=", "network.intra=2x", "network.far=2 GB/s",
    "network=1.2 ± 0.1 GB/s", "memory=20 ± 5 % GB/s", "nodes=4 ± 1", "capacity memory=64 ± 1 GiB",
)  # fmt: skip


def values() -> st.SearchStrategy[str]:
    """Return what stands behind `-p NAME=`."""
    pieces = st.lists(st.sampled_from((*VALUES, *PIECES)), min_size=1, max_size=4)
    return st.one_of(
        st.sampled_from(VALUES),
        pieces.map("".join),
        pieces.map(" ".join),
        st.text(CHARACTERS, max_size=12),
    )


def references() -> st.SearchStrategy[str]:
    """Return what stands for a model or a machine."""
    return st.one_of(
        st.sampled_from(REFERENCES),
        st.sampled_from(REFERENCES[:12]),
        st.text(CHARACTERS, max_size=12),
    )


def _is_no_root(name: str) -> bool:
    """Whether a name is not the root folder: all files of a disk are not looked through soon."""
    return not name.startswith("/") or bool(name.strip("/."))


@st.composite
def command_lines(draw: st.DrawFn) -> list[str]:
    """Return the arguments of one call of `roofdsl`."""
    command = draw(st.sampled_from(("eval",) * 8 + ("check", "test", "show", "explain", "list")))
    if command == "list":
        return [command, *draw(st.lists(st.sampled_from(FORMATS), max_size=1))]
    if command == "explain":
        codes = st.sampled_from(("R0301", "r0103", "R9999", "../R0301"))
        return [command, draw(st.one_of(codes, references()))]
    if command != "eval":
        return [command, "--", draw(references().filter(_is_no_root))]
    plain = draw(st.integers(0, 3)) > 0
    line = [command]
    if plain:
        line += draw(st.sampled_from(([], ["-p", "P=4"], ["-p", "P=16", "-p", "N=64"])))
    for _ in range(draw(st.integers(0, 2))):
        name = draw(st.sampled_from(("word", "M", "B") if plain else NAMES))
        line += ["-p", f"{name}={draw(values())}"]
    machines = st.just("karst") if plain else references()
    for machine in draw(st.lists(machines, min_size=int(plain), max_size=2)):
        line += ["--machine", machine]
    if draw(st.integers(0, 5)) == 0:
        line += ["--set", f"karst.{draw(st.sampled_from(CHANGES))}"]
    if draw(st.integers(0, 5)) == 0:
        line += ["--compose", draw(st.sampled_from(("max", "sum", "written", "all")))]
    if draw(st.booleans()):
        line += ["--format", draw(st.sampled_from(FORMATS))]
    return [*line, "--", "summa" if plain else draw(references())]
