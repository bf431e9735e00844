"""Random programs: well-formed ones whose units fit, and such with a few slips in them."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from tests.fuzz.choices import Choices, Drawn
from tests.fuzz.formulas import UNITS, Formulas, Known

# What files of a fuzzed folder hold beside the program.
OTHER = """\
unit element
resource disk: B shares network
function twice(x) = 2*x
function mix(a, b) = if a < b then a/b else sqrt(a) + b
model inner {
    param n: integer[1..] = 4
    param word = 8 B
    flops = n^2; memory = word*n; disk = word*n
}
machine inner_box { flops = 1 GFLOP/s; memory = 1 GB/s; disk = 100 MB/s; network = unlimited }
"""
MEASURED = """\
m, n, time [us]
1, 1, 2.5
4, 4, 20
64, 64, 1e3
"""
RATES = """\
w [kB], rate [GB/s]
1, 2.5
100, 20
1e6, 100
"""
COMPANIONS = {
    "rates.csv": RATES,
    "other.roof": OTHER,
    "times.csv": MEASURED,
    "broken.roof": "model broken { flops = }\n",
    "circle.roof": 'use "./circle.roof" as circle\n',
    "data.csv": "secret,1\n",
}

RESOURCES = {"flops": "flop", "memory": "B", "network": "B", "messages": "message"}
INTENSITIES = {"OI": "flop/B", "CAI": "flop/B", "MI": "1"}
MEMBERS = {"flops": "flop", "memory": "B", "network": "B", **INTENSITIES}
LEVELS = ("L1", "L2", "DRAM", "fp64", "bf16")
BETWEEN = ("\n", "\n\n", "  ## said of it\n", "  # aside\n", ";\n")
KINDS = ("integer", "real", "boolean", "processes", "precision")
PRECISIONS = ("fp64", "fp32", "bf16", "fp8", "int4")


class Programs(Formulas):
    """Writes programs."""

    def __init__(self, choices: Choices, *, slips: bool) -> None:
        super().__init__(choices, slips=slips)
        self.models: list[Known] = []
        self.machines: list[str] = []
        self.resources = dict(RESOURCES)

    # Statements

    def body(self, lines: Sequence[str]) -> str:
        """Return statements in braces, on lines of their own or not."""
        if self.chance(15):
            return "{ " + "; ".join(lines) + " }"
        indent = self.pick(("    ", "\t", ""))
        between = [self.pick(BETWEEN) for _ in lines]
        inside = "".join(f"{indent}{line}{end}" for line, end in zip(lines, between, strict=True))
        return f"{{\n{inside}}}"

    def parameter(self, *, given: bool = False) -> str:
        """Return a parameter; `given`: it has a default, which nobody else could give it."""
        name = self.new_name()
        kind = self.pick((*KINDS, "", "", "B", "flop/s", "s", "1"))
        if kind == "boolean":
            self.truths.append(name)
            default = self.pick((" = true", " = false", " = 1 < 2", "" if not given else " = true"))
            return f"param {name}: boolean{default}"
        if kind == "precision":
            self.precisions.append(name)
            return f"param {name}: precision{self.pick((' = fp64', ' = bf16', ''))}"
        unit = kind if kind in UNITS else "1"
        default = ""
        if kind == "1":
            unit, kind, given = self.pick(("1", "B")), "", True
        if given or self.chance(40):
            default = f" = {self.value(unit, 1) if self.chance(20) else self.pick('1249')}"
            if unit != "1" and " " not in default[3:]:
                default += self.pick(UNITS[unit])
        bounds = ""
        if kind and self.chance(30):
            suffix = self.pick(UNITS.get(kind, ("",)))
            low = self.pick(("", self.pick(("1", "0", "-3")) + suffix))
            high = self.pick(("", f"1e15{suffix}"))
            bounds = f"[{low}..{high}]"
        if self.slip(2):
            default = self.pick((" = machine.cores", " = fp64", " = true", " ="))
        self.names[name] = unit
        return f"param {name}{': ' if kind else ''}{kind}{bounds}{default}"

    def let(self) -> str:
        unit = self.pick(("1", "1", "B", "s", "flop"))
        value = self.value(unit)
        name = self.new_name()
        self.names[name] = unit
        return f"let {name} = {value}"

    def level(self) -> str:
        return self.pick(LEVELS)

    def work(self, resource: str) -> list[str]:
        unit = self.resources[resource]
        form = self.below(10)
        if form == 0:
            levels = [f"{self.level()} = {self.value(unit, 2)}" for _ in range(1 + self.below(2))]
            return [f"{resource} {{ {'; '.join(levels)} }}"]
        if form == 1:
            key = f"{resource}.{self.level()}" if self.chance(50) else resource
            return [f"{key} = {self.value(unit, 2)}"]
        if form == 2 and self.precisions:
            return [f"{resource}[{self.pick(self.precisions)}] = {self.value(unit, 2)}"]
        if form == 3:
            return [f"{resource} = {self.value('1')}"]
        return [f"{resource} = {self.value(unit)}"]

    def rate(self, resource: str) -> list[str]:
        unit = self.resources[resource]
        given = self.pick(("1", "2.5", "13.9", "22 ± 0.4"))
        rate = f"{given} {unit}/s"
        form = self.below(8)
        if form == 0:
            rate = "unlimited"
        elif form == 1:
            rate = f"{given} ns/{unit}"
        elif form == 2:
            rate = f"{self.value('1', 1)} * 1 {unit}/s"
        elif form == 3:
            levels = LEVELS[self.below(3) :]
            lines = [f"{level} = {rate}" for level in levels]
            if self.chance(80):
                lines.append(f"default {self.pick(levels)}")
            return [f"{resource} {self.body(lines)}"]
        return [f"{resource} = {rate}"]

    # Declarations

    def _start(self) -> None:
        self.names, self.truths, self.precisions = {}, [], []

    def function(self) -> str:
        self._start()
        name, count = f"f{len(self.functions)}", 1 + self.below(3)
        parameters = [f"{self.pick(('a', 'b', 'x', 'N'))}{index}" for index in range(count)]
        self.names.update(dict.fromkeys(parameters, "1"))
        body = self.value("1")
        if self.slip(2):
            body = f"{name}({', '.join(parameters)})"
        if self.slip(2):
            parameters.append(parameters[0])
        self.functions.append(Known(name, tuple((each, "1") for each in parameters)))
        return f"function {name}({', '.join(parameters)}) = {body}"

    def step(self, depth: int) -> str:
        """Return a part of a composed model."""
        self.fresh += 1
        form = self.below(8 if depth else 5)
        place = self.pick(("", "", " on gpu"))
        if form < 2:
            known = self.pick((*self.models, Known("ddot", (("N", "1"), ("P", "1")))))
            given = ", ".join(f"{name} = {self.value(unit, 1)}" for name, unit in known.parameters)
            return f"step s{self.fresh} = {known.name}({given}){place}"
        if form < 5:
            names = dict(self.names)
            lines = [self.let()] if self.chance(30) else []
            for resource in ("flops", "memory"):
                lines += self.work(resource) if self.chance(50) else []
            if self.chance(15):
                lines.append(f"time = {self.value('s', 1)}")
            self.names = names
            lines += [self.total()] if self.chance(10) else []
            return f"step s{self.fresh}{place} {self.body(lines)}"
        parts = [self.step(depth - 1) for _ in range(self.below(3))]
        times = "N" if self.names.get("N") == "1" else "1000"
        loop, count = (
            self.pick(("repeat", "iterate", "wait")),
            self.pick(("2", "0", times, "(1+2)")),
        )
        if loop == "wait":
            count = self.pick((count, "1/2", "(2-1/3)"))
        word = "overlap" if form == 5 else f"{loop} {count}"
        if form != 5 and self.chance(15):
            word = f"if {count} > 1"
        if form == 5 and self.chance(20):  # steps of a step
            word = f"step s{self.fresh}{place}"
        return f"{word} {self.body(parts)}"

    def total(self) -> str:
        resource, unit = self.pick((("flops", "flop"), ("memory", "B"), ("flops", "1")))
        return self.pick(("total even", f"total {resource} = {self.value(unit, 2)}"))

    def model(self) -> str:
        self._start()
        name = f"m{len(self.models)}"
        lines = [self.parameter() for _ in range(self.below(5))]
        parameters = tuple(self.names.items())
        lines += [self.let() for _ in range(self.below(4))]
        composed = self.chance(25)
        if composed:
            lines += [self.step(2) for _ in range(1 + self.below(3))]
        for resource in self.resources if not composed or self.slip(10) else ():
            if self.chance(50):
                lines += self.work(resource)
        if self.chance(5):
            lines.append(f"time = {self.value('s', 1)}")
        if self.chance(15):
            lines.append(self.total())
        if self.chance(5):
            lines.append(f"as gemm(m = {self.value('1', 1)}, n = {self.pick('14')})")
        if self.chance(8):
            lines.append(f"require {self.condition(2)}")
        if self.chance(20):
            unit = self.pick(("B", "element", "flop"))
            name_of_it = self.pick(("footprint", "total"))
            lines.append(f"tally {name_of_it}: {unit} = {self.value(unit, 2)}")
        if self.chance(10):
            lines.append('source "a paper, \\"table\\" 3"')
        if self.chance(30):
            lines = self.shuffled(lines)
        self.models.append(Known(name, parameters))
        return f"model {name} {self.body(lines)}"

    def machine(self) -> str:
        self._start()
        name = f"box{len(self.machines)}"
        lines = [self.parameter(given=True) for _ in range(self.below(2))]
        for resource in self.resources:
            if self.chance(97):
                lines += self.rate(resource)
        if self.chance(20):
            lines.append(f"capacity memory = {self.value('B', 1)}")
        if self.chance(50):
            machine = self.pick((name, "box0") if self.slip(5) else ("karst", "jetstream"))
            lines.append(f"device {self.pick(('gpu', 'gpu', 'cpu'))} = {machine}")
        if self.chance(10):
            file = "times.csv"
            if self.slip(20):
                file = self.pick(("./data.csv", "missing.csv", "other.roof"))
            lines.append(f'measured gemm(m, n) from "{file}"{self.pick(("", " interpolate"))}')
        self.machines.append(name)
        return f"machine {name} {self.body(lines)}"

    def test(self) -> str:
        self._start()
        machine = self.pick((*self.machines, "karst"))
        known = self.pick((*self.models, Known("summa", (("N", "1"), ("P", "1")))))
        given = [f"{name} = {self.value(unit, 1)}" for name, unit in known.parameters]
        call = f"{known.name}({', '.join(given)}) on {machine}"
        known_to_work = f"summa(N = 4, P = 4) on {machine}"
        lines = [f"let r = {call if self.chance(70) else known_to_work}"]
        for _ in range(1 + self.below(3)):
            member = self.pick(tuple(MEMBERS))
            unit = MEMBERS[member]
            lines.append(
                self.pick(
                    (
                        f"expect r.{member} ~ {self.number(unit)}",
                        f"expect r.{member} ~ {self.number(unit)} within {self.number('1')}%",
                        f"expect r.{member} <= {self.value(unit, 2)}",
                        f"expect r.bound is {self.pick(tuple(self.resources))}",
                        f"expect r.time > {self.number('s')}",
                        f"expect r.ridge.OI ~ {self.number('flop/B')} within 10%",
                        f'expect {call} fails "{self.pick(("", "integer", "whole"))}"',
                        f"expect {self.condition(2)}",
                        "let r2 = r.OI * 2",
                    )
                )
            )
        title = self.pick(("", "a title", r"§2 \\ \""))
        return f'test "{title}" {self.body(lines)}'

    def program(self) -> str:
        parts: list[str] = []
        for _ in range(self.below(2)):
            parts.append(self.use())
        parts.append("unit element")
        if self.chance(20):
            self.resources["disk_reads"] = "B"
            parts.append("resource disk_reads: B" + self.pick(("", " shares network")))
        parts += [self.function() for _ in range(self.below(3))]
        parts += [self.model() for _ in range(self.pick((1, 1, 2, 1, 0)))]
        parts += [self.machine() for _ in range(self.pick((1, 1, 2, 0)))]
        if self.chance(50):
            parts.append(self.test())
        if self.chance(30):
            parts = self.shuffled(parts)
        between = self.pick(("\n", "\n\n", "\n## documented\n", "\r\n"))
        return between.join(parts) + self.pick(("\n", "", " "))

    def use(self) -> str:
        form = self.below(5)
        if form == 0:
            return self.pick(("use karst", "use linalg.summa as s", "use summa", "use fft"))
        if form == 1 and self.slips:
            return self.pick(
                (
                    'use "./broken.roof" as broken',
                    'use "./circle.roof" as circle',
                    'use "./data.csv" as data',
                    'use "./missing.roof" as missing',
                    'use "../../x.roof" as up',
                    "use nothing",
                )
            )
        self.functions += [
            Known("other.twice", (("x", "1"),)),
            Known("other.mix", (("a", "1"), ("b", "1"))),
        ]
        self.resources["disk"] = "B"
        return 'use "./other.roof" as other'


@st.composite
def programs(draw: st.DrawFn, *, slips: bool = False) -> str:
    """Return a program; with `slips`, about one in two has something wrong with it."""
    return Programs(Drawn(draw), slips=slips).program()
