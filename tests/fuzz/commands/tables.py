"""Files of other formats from good ones: tables of measurements, profiles, templates."""

from __future__ import annotations

import csv
import io
from functools import cache
from pathlib import Path

from tests.fuzz.choices import Seeded
from tests.fuzz.commands.roof_files import changed, disguised, odd_number

ROOT = Path(__file__).resolve().parents[3]
KERNELS = """\
kernel,flops,memory,network,time,share,level,machine
triad,2e9,24e9,0,2.0,0.25,,karst
dgemm,1e12,8e9,1e6,60,0.5,memory,karst
fft,5e9,3.2e9,1e9,0.9,0.25,,jetstream
"""
INTENSITIES = """\
kernel,OI,CAI,performance
CPU,1.7,10,2.2e9
GPU,4.4,1e3,1e10
p-DP,0.25,0,22e9
"""
LAYERS = "name,group,measured,predicted\nfc1,batch 32,0.0001,0.00012\nrelu,batch 32,3e-5,3e-5\n"
RUNS = """\
kernel,N,P,n,dtype,time [ms],time_low [ms],repeats,flops [GFLOP],memory [MB],memory.L2 [MB]
summa,1024,4,,fp64,120,119,5,,,
dgemm,,,1024,fp32,90,,3,,,
spmv,,,,,25,,,0.6,3100,
summa,,,,,90,,,1.5,3,12
"""
TIMES = "N,P,performance [GFLOPS]\n1024,16,2.5\n4096,16,9\n"
CELLS = (
    "", " ", "nan", "inf", "-inf", "-1", "0", "1e400", "1e-400", "1,5", "1.5 s", "12 ms", "=1+1",
    "@SUM(A1)", "+1", "-1+1", "=cmd|'/c'!A0", "\x1b[31mred\x1b[0m", "\x9b31m", "\u202eabc",
    "x" * 4000, '"', "'", "a\nb", "Total", "total", "threaded", "serial", "N", "karst", "fp64",
    "1 ± 2", "α", "\0", "<script>", "{{ 7*7 }}", "$x_1$", "\\input{x}", "true", "None", "1_000",
    "0x10", "٣",
)  # fmt: skip
TEMPLATE = """\
{{% extends "report.{form}" %}}
{{% block header %}}
{{{{ report.title }}}} {{% for model in report.models %}}{{{{ model.name }}}}{{% endfor %}}
{{% endblock %}}
"""
TEMPLATES = (
    "{{ report }}", "{{ report.nothing.more }}", "{{ report.models[99] }}", "{{ 1/0 }}",
    "{% if %}", "{% extends 'nothing.html' %}",
    "{% extends 'report.html' %}{% extends 'report.md' %}", "{% include '/etc/passwd' %}",
    "{% include 'page.html' %}", "{{ report.__class__.__mro__ }}", "{{ ''.__class__ }}",
    "{% for m in report.machines %}{{ m|attr('x') }}{{ m.name|nothing }}",
    "{% for m in report.models %}{{ m.name|round }}{% endfor %}", "{{ report.title|int + 'x' }}",
    "{% set x = 1 %}{{ x() }}", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "",
    "{{ self.body() }}", "{% block a %}{% block a %}{% endblock %}{% endblock %}",
    "{{ range(10) | list }}", "{#", "{{", "{{ report.title.format(1) }}",
    "{{ '%s %s' % report.title }}", "{{ lipsum() }}", "{{ cycler() }}",
    "{% import 'blocks.html' as b %}{{ b.nothing(report) }}", "{{ report | tojson }}",
    "{{ 10**9999 }}", "{{ '%0999999999d' % 1 }}", "{{ 'x'.center(99999999) ~ report.title }}",
    "{% for a in range(99999) %}{% for b in range(99999) %}{{ a }}{% endfor %}{% endfor %}",
    "{% set n = namespace(x='x') %}{% for a in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}",
    "{% set n = namespace(x=[]) %}{% for a in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}",
    "{{ report|string|list|sort|join(report) }}", "{{ report.models == report.models[::-1] }}",
    "{% macro f(n) %}{{ f(n - 1) }}{{ f(n - 1) }}{% endmacro %}{{ f(99) }}",
    "{% for m in report.models recursive %}{{ loop(m.blocks) }}{% endfor %}",
)  # fmt: skip


@cache
def _tables() -> dict[str, list[str]]:
    """Return good tables by what reads them."""
    examples, machines = ROOT / "examples", ROOT / "machines"
    return {
        "profile": [(examples / "craypat_profile.csv").read_text(encoding="utf-8")],
        "runs": [RUNS, TIMES, (examples / "made_up_runs.csv").read_text(encoding="utf-8")],
        "compared": [LAYERS, *_read(examples / "figures"), KERNELS],
        "kernels": [KERNELS, INTENSITIES, KERNELS, INTENSITIES, LAYERS],
        "measured": ["m, n, time [us]\n1, 1, 2.5\n4, 4, 20\n64, 64, 1e3\n", *_read(machines)],
    }


def _read(folder: Path) -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.csv"))]


def table(choices: Seeded, use: str, *, most: int = 3) -> str:
    """Return a table for a use, with up to `most` changes."""
    text = choices.pick(_tables()[use])
    for _ in range(choices.below(most + 1)):
        text = _changed(choices, text)
    return text


def _changed(choices: Seeded, text: str) -> str:
    if choices.chance(20):
        return changed(choices, text) if choices.chance(50) else disguised(choices, text)
    rows = [*csv.reader(io.StringIO(text.replace("\0", ""), newline=""))] or [[""]]
    row = choices.pick(rows) or [""]
    place = choices.below(len(row))
    match choices.below(8):
        case 0:
            del row[place]
        case 1:
            row[place:place] = [choices.pick(CELLS)]
        case 2:
            rows.append(row)
        case 3:
            rows = [each for each in rows if each is not row]
        case 4:
            rows += [row] * choices.pick((5, 3000))
        case 5:
            row[place] = odd_number(choices)
        case _:
            row[place] = choices.pick(CELLS)
    written = io.StringIO(newline="")
    ends = choices.pick(("\n", "\n", "\n", "\r\n", "\r"))
    csv.writer(written, lineterminator=ends).writerows(rows)
    return written.getvalue()


def template(choices: Seeded, form: str) -> str:
    """Return a template of a report: one of ours changed, or one with something odd in it."""
    text = TEMPLATE.format(form=form)
    match choices.below(4):
        case 0:
            return changed(choices, text)
        case 1:
            return choices.pick(TEMPLATES)
        case 2:
            return text.replace("{{ report.title }}", choices.pick(TEMPLATES))
        case _:
            ours = (ROOT / "reports" / f"report.{form}").read_text(encoding="utf-8")
            return changed(choices, ours)
