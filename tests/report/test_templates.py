"""A user's template: it can be anything that writes text, and reaches nothing but the document."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofdsl.diagnostic import RoofError
from roofdsl.report.html import Html
from roofdsl.report.latex import Latex
from roofdsl.report.notation import CellNotation
from roofdsl.report.templates import render
from roofdsl.report.view import view
from tests.report.samples import run
from tests.report.test_texts import engine_or_skip, written

HTML, LATEX = Html(), Latex()


def made(
    folder: Path, template: str, text: str = "a <b> & {c}", notation: CellNotation = HTML
) -> str:
    path = folder / "mine"
    path.write_text(template, encoding="utf-8")
    name = "report.tex" if notation is LATEX else "report.html"
    return render(name, notation, {"report": {}, "text": view(text, notation)}, path)


@pytest.mark.parametrize(
    "attempt",
    [
        "{{ ''.__class__ }}",
        "{{ text.__class__.__mro__ }}",
        "{{ text.__init__.__globals__ }}",
        "{{ report.__class__.__base__.__subclasses__() }}",
        "{{ (text|attr('__class__')) }}",
        "{{ ''.format.__self__ }}",
        "{{ '{0.__class__}'.format(text) }}",
        "{{ '{0.__class__}'.format_map({'0': text}) }}",
        "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
        "{{ lipsum.__globals__ }}",
        "{{ joiner }}",
        "{{ self.__init__.__globals__ }}",
        "{{ self._TemplateReference__context }}",
        "{{ config }}",
        "{{ open('/etc/passwd').read() }}",
        "{{ range.__self__ }}",
        "{{ namespace.__init__.__globals__ }}",
        "{% include '/etc/passwd' %}",
        "{% include '../pyproject.toml' %}",
        "{% include '../../pyproject.toml' %}",
        "{% include 'tables/cardwell2019.toml' %}",
        "{% import 'os' as os %}",
        "{% extends '../mine' %}",
        "{{ report.update({'a': 1}) }}",
        "{{ [].append(1) }}",
        "{{ text|safe }}",
        "{{ text|tojson }}",
        "{{ text|pprint }}",
        "{{ [text]|map(attribute='__class__')|list }}",
        "{{ range(10**9)|list }}",
        "{{ 'a' * 10**12 }}",
        "{{ [1] * 10**9 }}",
        "{{ 9**9**9 }}",
        "{{ 1 // 0 }}",
    ],
)
def test_a_template_reaches_nothing(attempt: str, tmp_path: Path) -> None:
    with pytest.raises(RoofError) as refused:
        made(tmp_path, attempt)
    (problem,) = refused.value.diagnostics
    assert problem.code in ("R1001", "R1002")
    assert problem.labels[0].span.source.path == tmp_path / "mine"
    assert problem.labels[0].span.source.position(problem.labels[0].span.start)[0] == 1


def test_what_is_put_into_a_plain_text_is_escaped_twice_rather_than_not_at_all(
    tmp_path: Path,
) -> None:
    assert made(tmp_path, "{{ '%s' % text }}", "<b>") == "&amp;lt;b&amp;gt;"
    assert made(tmp_path, "{{ '%s'|format(text) }}", "<b>") == "&amp;lt;b&amp;gt;"


@pytest.mark.parametrize(
    "template",
    [
        "{{ text }}",
        "{{ text ~ '' }}",
        "{{ '' ~ text }}",
        "{{ [text]|join('') }}",
        "{{ text|e }}",
        "{{ text|escape }}",
        "{{ text|trim }}",
        "{{ text|default('x') }}",
        "{% macro m(x) %}{{ x }}{% endmacro %}{{ m(text) }}",
        "{% set x %}{{ text }}{% endset %}{{ x }}",
        "{% filter trim %}{{ text }}{% endfilter %}",
        "{% autoescape false %}{{ text }}{% endautoescape %}",
        "{% for x in [text] %}{{ x }}{% endfor %}",
        "{{ text if true }}",
    ],
)
@pytest.mark.parametrize(
    ("notation", "text", "shown"),
    [
        (HTML, "<script>&", "&lt;script&gt;&amp;"),
        (LATEX, "\\input{x}%", "\\textbackslash{}input\\{x\\}\\%"),
    ],
    ids=["HTML", "LaTeX"],
)
def test_text_stays_text_however_it_is_put_together(
    template: str, notation: CellNotation, text: str, shown: str, tmp_path: Path
) -> None:
    if notation is LATEX:
        for old, new in (("{{", "<<"), ("}}", ">>"), ("{%", "<%"), ("%}", "%>")):
            template = template.replace(old, new)
    assert made(tmp_path, template, text, notation) == shown


def test_a_template_may_extend_ours_and_use_our_pieces(tmp_path: Path) -> None:
    template = """{% extends "report.html" %}
{% block header %}<h1>{{ report.title }}, for review</h1>{% endblock %}
"""
    (tmp_path / "mine.html").write_text(template, encoding="utf-8")
    command = ("report", "dgemv", "-m", "karst", "--no-figures", "-o", "r.html")
    run(tmp_path, *command, "--template", "mine.html")
    text = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<h1>dgemv on karst, for review</h1>" in text
    assert "Work of one process" in text


def test_a_template_of_ones_own(tmp_path: Path) -> None:
    template = """{% import "blocks.md" as blocks %}
{% for model in report.models %}{{ model.name }}: {{ model.doc[0] }}
{% for part in model.predictions %}{{ part.machine }}: {{ part.verdict }}{% endfor %}
{% endfor %}"""
    (tmp_path / "mine.md").write_text(template, encoding="utf-8")
    values = ("-p", "N=4096", "-p", "P=121")
    command = ("report", "summa", "-m", "karst", *values, "--no-figures", "-o", "r.md")
    run(tmp_path, *command, "--template", "mine.md")
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert text.startswith("summa: Dense matrix-matrix product")
    assert "karst: Bound by network: 70.35 ms, 16.15 GFLOP/s, 73.4 % of the peak." in text


def test_a_template_of_ones_own_reaches_no_file_through_tex(tmp_path: Path) -> None:
    engine_or_skip("pdflatex")
    (tmp_path / "secret.tex").write_text("REVEALED", encoding="utf-8")
    template = r"""\documentclass{article}\begin{document}
begin \newread\file \openin\file=%s/secret.tex \ifeof\file shut\else OPEN\fi
\immediate\write18{touch %s/shell} \newwrite\out \immediate\openout\out=inside.txt
\ifdefined\directlua LUA\fi end
\end{document}
""".replace("%s", str(tmp_path))
    (tmp_path / "mine.tex").write_text(template, encoding="utf-8")
    command = ("report", "dgemv", "-m", "karst", "--no-figures", "-o", "r.pdf")
    run(tmp_path, *command, "--template", "mine.tex")
    told = " ".join(written(tmp_path / "r.pdf").split())
    assert told in ("begin shut end 1", "")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["mine.tex", "r.pdf", "secret.tex"]
