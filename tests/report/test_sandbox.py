"""A user's template takes no more than a command may: it is counted, and ends with a message."""

from __future__ import annotations

import os
import resource
from contextlib import ExitStack
from pathlib import Path

import pytest

import roofdsl
from roofdsl.allowance import OPERATIONS
from roofdsl.diagnostic import RoofError
from roofdsl.report.html import Html
from roofdsl.report.templates import check_template, render
from roofdsl.report.view import view
from tests.report.samples import run

HTML = Html()
ROOM = 400 * 2**20
SECONDS = 60  # of the processor: where they are used up, it hangs


def again(value: str, start: str = "'x'", then: str = "{{ ns.x }}", times: int = 60) -> str:
    """Return a template that sets a name again and again, and then does something with it."""
    loop = f"{{% for i in range({times}) %}}{{% set ns.x = {value} %}}{{% endfor %}}"
    return f"{{% set ns = namespace(x={start}) %}}{loop}{then}"


def nested(then: str) -> str:
    """Return a template that does something with a pair of pairs of pairs, sixty deep."""
    return again("(ns.x, ns.x)", "(1,)", then)


def loops(body: str, before: str = "") -> str:
    """Return a template that does something ten thousand million times."""
    outer = "{% for i in range(99999) %}"
    return f"{before}{outer}{outer.replace('i', 'j', 1)}{body}{{% endfor %}}{{% endfor %}}"


def kept(value: str, start: str) -> str:
    """Return a template that keeps what it makes of a long text, many times."""
    text = again("ns.x ~ ns.x", start, "", 12)
    keep = f"{{% set all.x = all.x + [{value}] %}}"
    return f"{text}{{% set all = namespace(x=[]) %}}{loops(keep)}"


LONG = again("ns.x ~ ns.x", "'xy '", "", 14)
SMILE = "\N{GRINNING FACE}"
COPIED = "{% set y %}{{ ns.x }}{{ ns.x }}{% endset %}{% set ns.x = y %}{% endfor %}"
CAPTURED = "{% set ns = namespace(x='SMILE') %}{% for i in range(60) %}" + COPIED
UNENDING = [
    "{{ '%0999999999d' % 1 }}",
    "{{ '%0999999999d'|format(1) }}",
    "{{ '%.999999999f' % 1 }}",
    "{{ '%(a(b)c)0999999999d' % {'a(b)c': 1} }}",
    "{{ '{:999999999}'.format(1) }}",
    "{{ '{:\uff19\uff19\uff19\uff19\uff19\uff19\uff19\uff19\uff19}'.format(1) }}",
    "{{ 'x'|center(999999999) }}",
    "{{ 'x'.center(999999999) }}",
    "{{ 'x'.ljust(999999999) }}",
    "{{ 'x'.rjust(999999999) }}",
    "{{ 'x'.zfill(999999999) }}",
    "{{ '\\t'.expandtabs(999999999) }}",
    "{{ 'a\nb'|indent(999999999) }}",
    "{{ [1]|batch(999999999, 'x')|list }}",
    "{{ [1]|slice(999999999, 'x')|list }}",
    "{{ 1|round(-999999999) }}",
    "{{ 1|round(99999999, 'ceil') }}",
    "{% autoescape 'x'|center(999999999) %}{% endautoescape %}",
    again("ns.x ~ ns.x"),
    again("ns.x ~ ns.x", "text"),
    again("ns.x + ns.x"),
    again("ns.x + ns.x", "[1]", ""),
    again("ns.x|replace('x', 'xx')"),
    again("ns.x.replace('x', 'xx')"),
    again("ns.x.join([ns.x, ns.x, ns.x])"),
    again("[ns.x, ns.x]|join(ns.x)"),
    again("[ns.x, ns.x]|string"),
    again("'%s%s' % (ns.x, ns.x)"),
    again("'%s%s'|format(ns.x, ns.x)"),
    again("'{0}{0}'.format(ns.x)"),
    again("'{a}{a}'.format_map({'a': ns.x})"),
    again("'%(a)s%(a)s' % {'a': ns.x}"),
    again("ns.x.translate({120: 'xx'})"),
    again("ns.x|indent(ns.x)", "'x\\nx'"),
    again("ns.x|wordwrap(1, true, ns.x)", "'x y'"),
    "{% macro m(a) %}{{ a }}{{ a }}{% endmacro %}" + again("m(ns.x)"),
    CAPTURED.replace("SMILE", "&"),
    CAPTURED.replace(
        "{{ ns.x }}{{ ns.x }}", "{% filter upper %}{{ ns.x }}{{ ns.x }}{% endfilter %}"
    ),
    "{% macro m(a, n) %}{% if n %}{{ m(a ~ a, n - 1) }}{% endif %}{% endmacro %}{{ m('x', 200) }}",
    nested("{{ ns.x }}"),
    nested("{{ ns.x == ns.x[0] }}"),
    nested("{{ ns.x is eq(ns.x[0]) }}"),
    nested("{{ ns.x is lower }}"),
    nested("{{ {ns.x: 1} }}"),
    nested("{{ report[ns.x] }}"),
    nested("{{ report.get(ns.x) }}"),
    nested("{{ ns.x in report }}"),
    nested("{{ [ns.x]|unique|list }}"),
    nested("{{ [ns.x, ns.x[0]]|sort }}"),
    nested("{{ [{'a': ns.x}, {'a': ns.x[0]}]|sort(attribute='a') }}"),
    nested("{{ [ns.x]|select('in', [1])|list }}"),
    nested("{{ ns.x.count(ns.x[0]) }}"),
    nested("{{ {'a': ns.x}.values() }}"),
    nested("{{ '%s' % ns.x }}"),
    nested("{{ ns.x|wordwrap }}"),
    nested("{{ [ns.x, 1]|sum(attribute='a') }}"),
    nested("{{ '{}'.format(ns.x) }}"),
    nested("{% for a in [1] %}{{ loop.changed(ns.x) }}{% endfor %}"),
    again("[ns.x, ns.x]", "[1]"),
    again("{'a': ns.x, 'b': ns.x}", "{}"),
    loops(""),
    loops("x"),
    loops("{% if false %}{% endif %}"),
    loops("").replace("99999) %}{% endfor", "99999) if false %}{% endfor"),
    loops("{% include 'blocks.html' %}"),
    loops("{% include 'nothing' ignore missing %}"),
    loops("{% include names ignore missing %}", "{% set names = range(9999)|list %}"),
    loops("{% import 'report.css' as whole with context %}"),
    "{% import 'blocks.html' as b %}{{ b.block({'kind': 'notes', 'list': range(99999)}) }}",
    loops("{{ text.strip() }}"),
    loops("{% set y = j in all %}", "{% set all = range(99999)|list %}"),
    loops("{{ self.b() }}", "{% block b %}{% endblock %}"),
    loops("{% call m() %}x{% endcall %}", "{% macro m() %}{{ caller() }}{% endmacro %}"),
    loops("{% set y = m(*ns.x) %}", LONG + "{% macro m() %}{{ varargs|length }}{% endmacro %}"),
    loops("{% set y = 'z' in ns.x %}", LONG),
    loops("{% set y = ns.x[1:] %}", LONG),
    loops("{% set y = ns.x is lower %}", LONG),
    loops("{% set l.x = [l.x] %}", "{% set l = namespace(x=1) %}"),
    loops("{% include 'report.js' %}", "".join(f"{{% set a{n} = 1 %}}" for n in range(300))),
    loops("{% block c scoped %}{% endblock %}", "{% for k in [1] %}{% set a = k %}")
    + "{% endfor %}",
    "\n" * 3_000_000 + "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "{{ 0x" + "f" * 3_000_000 + " }}",
    kept("ns.x.split()", "'xy '"),
    kept("'{}'.format", "1"),
    kept("{1: 1, 2: 2, 3: 3, 4: 4, 5: 5}", "1"),
    kept("ns.x|list", f"'{SMILE}'"),
    kept("range(9999)|list", "1"),
    kept("range(9999)|batch(1)|list", "1"),
    again("ns.x", "'xy'", "", 0) + "{{ (ns.x|center(9999)|replace(' ', 'y'))|wordwrap(1) }}" * 99,
    "{{ range(99999)|select('in', range(99999)|list)|list }}",
    "{% for i in range(99999)" + "|select" * 90 + " %}{% endfor %}",
    "{% macro m(n) %}{{ m(n - 1) if n }}{{ m(n - 1) if n }}{% endmacro %}{{ m(60) }}",
    "{% for i in range(9) recursive %}{{ loop(range(9)) if loop.depth < 30 }}{% endfor %}",
    "{{ a }}" * 100_000,
    "{{ [" + "1," * 500_000 + "] }}",
    "{% for i in [1] %}" * 3000 + "{% endfor %}" * 3000,
]
REFUSED = [
    ("{{ 'x' * 9 }}", "'*' of a text or list is not allowed in templates"),
    ("{{ 9 ** 9 }}", "'**' is not allowed in templates"),
    ("{{ '%*d'|format(999999999, 1) }}", "a width that a value gives is not allowed in templates"),
    ("{{ '{:{}}'.format(1, 99) }}", "a width that a value gives is not allowed in templates"),
    ("{{ '{0[}]:{1}}'.format({'}': 1}, 9) }}", "a width that a value gives is not allowed"),
    ("{{ '%0999999999d' is odd }}", "'odd' of what is no number is not allowed in templates"),
    ("{{ ['%0999999999d']|select('even')|list }}", "'even' of what is no number is not allowed"),
    ("{{ '%0999999999d' is divisibleby(num=1) }}", "'divisibleby' of what is no number"),
    ("{{ 'x'|round(9, 'floor') }}", "'round' of what is no number is not allowed in templates"),
    ("{{ [1]|round(9, 'ceil') }}", "'round' of what is no number is not allowed in templates"),
    ("{{ ['%0999999999d']|format(1) }}", "a pattern that is no text is not allowed in templates"),
    (nested("{{ ns.x|format(1) }}"), "a pattern that is no text is not allowed in templates"),
    ("{{ (1).to_bytes(999999999, 'big') }}", "'to_bytes' cannot be called in templates"),
    ("{{ 'x'.encode() }}", "'encode' cannot be called in templates"),
    (again("ns.x + ns.x", "9", times=9999), "a number is too large for templates"),
    (again("ns.x * ns.x", "9"), "a number is too large for templates"),
    (again("ns.x - -ns.x", "9", times=9999), "a number is too large for templates"),
    ("{{ [[1], [2]]|sum(start=[]) }}", "a sum that begins with no number is not allowed"),
    (again("[ns]"), "a loop, a macro or a namespace is no value"),
    (nested("{{ ns }}"), "a loop, a macro or a namespace is no value"),
    (nested("{% for a in [ns.x, ns.x] %}{{ loop|join }}{% endfor %}"), "a loop, a macro or a"),
    ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "it is nested too deeply"),
    ("{% block b %}{{ self.b() }}{% endblock %}", "it is nested too deeply"),
    (
        "{% for i in range(9) recursive %}{{ loop(range(9)) }}{% endfor %}",
        "it is nested too deeply",
    ),
    ("{{ 'hello world'|truncate(1) }}", "expected length >= 3, got 1"),
    (LONG + "{{ report[ns.x] }}", "this part of the document has no attribute 'xy xy"),
]
NONE = [
    "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
    "{{ " + "[" * 500 + "]" * 500 + " }}",
    "{{ " + "-" * 5000 + "1 }}",
    "{{ " + "1+" * 5000 + "1 }}",
    "{{ 1" + "|abs" * 3000 + " }}",
    "{{ a" + ".b" * 3000 + " }}",
    "{% for i in [1] %}" * 30 + "{% endfor %}" * 30,
    "{% if 1 %}" * 300 + "{% endif %}" * 300,
    "{% filter upper %}" * 1500 + "{% endfilter %}" * 1500,
    "{{ " + "9" * 5000 + " }}",
    "{{ 1e999 }}",
]


def ending(folder: Path, template: str, factor: float = 1) -> str:
    """Return what came of a template, in a process that may take so much more memory and no more.

    That is a message with its code, or what was written.
    """
    path = folder / "mine"
    path.write_text(template, encoding="utf-8")
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        own = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        room = own * os.sysconf("SC_PAGE_SIZE") + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        os.write(writing, said(path, factor).encode()[:4000])
        os._exit(0)
    os.close(writing)
    with ExitStack() as closing:
        closing.callback(os.close, reading)
        assert os.waitpid(child, 0)[1] == 0
        return os.read(reading, 5000).decode()


def said(path: Path, factor: float = 1) -> str:
    try:
        with roofdsl.budget(factor):
            check_template("report.html", HTML, path)
            data = {"report": {}, "text": view("a <b> & {c}", HTML)}
            return render("report.html", HTML, data, path)
    except RoofError as error:
        (problem,) = error.diagnostics
        assert problem.labels[0].span.source.path == path
        return f"{problem.code} {problem.message} {problem.hint}"
    except BaseException as error:  # noqa: BLE001 - what it is, is told
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("template", UNENDING)
def test_what_has_no_end_is_counted(template: str, tmp_path: Path) -> None:
    told = ending(tmp_path, template, 0.02)
    assert told.startswith("R0412 the 200,000 operations of a command are used up before"), told
    assert "the template is computed `--budget 10x`" in told


@pytest.mark.parametrize(
    "template",
    [
        CAPTURED.replace("SMILE", SMILE),
        CAPTURED.replace("SMILE", "\u2192"),
        again("ns.x ~ ns.x", f"'&{SMILE}'"),
        kept("ns.x|list", f"'{SMILE}'"),
        kept("ns.x.split()", "'xy '"),
    ],
)
def test_all_that_there_is_fits_into_the_memory(template: str, tmp_path: Path) -> None:
    assert ending(tmp_path, template).startswith("R0412 ")


@pytest.mark.parametrize(("template", "told"), REFUSED, ids=[each[:40] for each, _ in REFUSED])
def test_what_cannot_be_counted_is_refused(template: str, told: str, tmp_path: Path) -> None:
    found = ending(tmp_path, template)
    assert found.startswith(f"R1002 the template fails: {told}")
    assert len(found) < 400


@pytest.mark.parametrize("template", NONE)
def test_what_cannot_be_compiled_is_no_template(template: str, tmp_path: Path) -> None:
    told = ending(tmp_path, template)
    assert told.startswith("R1001 this is no template: ")
    reasons = (
        "it is nested too deeply",
        "a number is too large",
        "exceeds the limit (4300 digits)",
    )
    assert told.split(": ", 1)[1].lower().startswith(reasons)


@pytest.mark.parametrize(
    ("template", "written"),
    [
        ("{{ 'a-b-c'.replace('-', '+') }} {{ 'a-b'|replace('-', ' ') }}", "a+b+c a b"),
        ("{{ ['a', 'b']|join(', ') }} {{ '-'.join(['a', 'b']) }}", "a, b a-b"),
        ("{{ '%05.1f|%-4s|' % (3.14159, 'x') }}", "003.1|x   |"),
        ("{{ '%s of %s, 2024'|format(1, 2) }}", "1 of 2, 2024"),
        ("{{ '{:>6} {a}'.format('x', a=1) }}", "     x 1"),
        ("{{ 'a,b'.split(',')|last }} {{ 'Ab'.upper() }} {{ ' x '.strip() }}", "b AB x"),
        ("{{ 'ab'|center(6) }}|{{ 'ab'.ljust(4) }}|", "  ab  |ab  |"),
        ("{{ 'a\nb'|indent(2) }}", "a\n  b"),
        ("{{ 'one two three'|wordwrap(7) }} {{ 'one two'|title }}", "one two\nthree One Two"),
        ("{{ 'one two three four'|truncate(9) }} {{ 'one two'|wordcount }}", "one... 2"),
        ("{{ [1, 2, 3]|batch(2, 0)|list }}", "[[1, 2], [3, 0]]"),
        ("{{ [1, 2, 3]|slice(2)|list }}", "[[1, 2], [3]]"),
        ("{{ [3, 1, 2]|sort|join }} {{ [1, 2]|sum }} {{ [1, 2]|max }}", "123 3 2"),
        ("{{ [1, 2, 3]|select('odd')|list }} {{ 2.567|round(1) }}", "[1, 3] 2.6"),
        ("{{ ([{'a': 2}, {'a': 1}]|sort(attribute='a')|first).a }}", "1"),
        (
            "{% for g, l in [{'a': 1}, {'a': 1}]|groupby('a') %}{{ g }}{{ l|length }}{% endfor %}",
            "12",
        ),
        ("{% for k, v in {'b': 1, 'a': 2}|dictsort %}{{ k }}{{ v }}{% endfor %}", "a2b1"),
        ("{% for k, v in {'a': 1}.items() %}{{ k }}={{ v }}{% endfor %}", "a=1"),
        ("{% for i in range(3) if i != 1 %}{{ loop.index }}{{ i }}{% else %}x{% endfor %}", "1022"),
        ("{% for i in [] %}{% else %}none{% endfor %}{{ [1, 2, 3][1:] }}", "none[2, 3]"),
        (
            "{% for i in [1, 1, 2] %}{{ loop.cycle('a', 'b') }}{{ loop.last }}{% endfor %}",
            "aFalsebFalseaTrue",
        ),
        ("{% for i in [1, 1, 2] %}{{ i if loop.changed(i) else '-' }}{% endfor %}", "1-2"),
        (
            "{% for i in [[1], 3] recursive %}{{ loop(i) if i is iterable else i }}{% endfor %}",
            "13",
        ),
        (again("ns.x + i", "0", "{{ ns.x }}", 5), "10"),
        (
            "{% macro m(a, b=2) %}{{ a }}{{ b }}{{ varargs }}{% endmacro %}{{ m(1, 2, *[3]) }}",
            "12(3,)",
        ),
        (
            "{% macro m() %}<{{ caller(1) }}>{% endmacro %}{% call(x) m() %}{{ x }}{% endcall %}",
            "<1>",
        ),
        ("{% macro m(n) %}{{ n }}{{ m(n - 1) if n else '' }}{% endmacro %}{{ m(3) }}", "3210"),
        ("{% set x %}a{{ 1 }}{% endset %}{{ x ~ '<' ~ 2 }}", "a1&lt;2"),
        ("{% filter upper %}b{% endfilter %}{{ 'abc'[::-1] }}", "Bcba"),
        ("{{ 7 // 2 }} {{ 7 % 2 }} {{ 2 * 3 - 1 }} {{ 1 / 4 }} {{ '7'|int + 1 }}", "3 1 5 0.25 8"),
        ("{{ 1 < 2 < 3 }} {{ 'b' not in 'abc' }} {{ text == text }}", "True False True"),
        ("{{ nothing|default('x') }} {{ 1 if nothing is defined else 2 }}", "x 2"),
        ("{% block a %}1{% endblock %}{{ self.a() }}{% with b = 2 %}{{ b }}{% endwith %}", "112"),
    ],
)
def test_what_templates_do_is_what_it_was(template: str, written: str, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text(template, encoding="utf-8")
    assert said(tmp_path / "mine") == written


@pytest.mark.parametrize("form", ["html", "tex", "md"])
def test_a_copy_of_ours_writes_what_ours_writes(form: str, tmp_path: Path) -> None:
    command = ("report", "dgemv", "-m", "karst", "--no-figures", "-o", f"r.{form}")
    run(tmp_path, *command)
    ours = (tmp_path / f"r.{form}").read_text(encoding="utf-8")
    copy = roofdsl.resources.folder("reports") / f"report.{form}"
    run(tmp_path, *command, "--template", str(copy))
    mine = (tmp_path / f"r.{form}").read_text(encoding="utf-8")
    assert [line for line in mine.split("\n") if line] == [
        line for line in ours.split("\n") if line
    ]


def test_a_line_is_that_of_the_users_own_template(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    for last, code in (("{{ blocks.table(1) }}", "R1002"), (loops("\n"), "R0412")):
        path.write_text("{% import 'blocks.html' as blocks %}\n\n\n" + last, encoding="utf-8")
        with pytest.raises(RoofError) as refused, roofdsl.budget(0.05):
            render("report.html", HTML, {}, path)
        (problem,) = refused.value.diagnostics
        assert problem.code == code
        span = problem.labels[0].span
        assert span.source.position(span.start)[0] == 4


def test_a_text_of_so_many_characters_is_what_may_be_written(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    for times, enough in ((10_000, True), (13_000, False)):
        path.write_text(f"{{% for i in range({times}) %}}{'x' * 1000}{{% endfor %}}", "utf-8")
        assert (said(path, 0.1) == "x" * 1000 * times) == enough
    assert OPERATIONS == 10_000_000


def test_what_differs_from_run_to_run_is_no_filter(tmp_path: Path) -> None:
    assert ending(tmp_path, "{{ [1, 2]|random }}").startswith("R1001 ")
