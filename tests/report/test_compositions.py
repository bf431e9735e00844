"""Reports of compositions: formulas in the batch, of each step and of all; chapters of many."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from tests.report.samples import CHAPTERS, run

RUNS = {"stage1": 2, "stage2": 3, "stage3": 5, "stage4": 2}
"""How often ResNet-50's stages run; what else it has runs once (He et al. 2015, Table 1)."""


@pytest.fixture(scope="module")
def resnet(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("resnet")
    run(folder, "report", "resnet50", "-m", "h100_sxm", "--no-figures", "-o", "r.html")
    return (folder / "r.html").read_text(encoding="utf-8")


def part(page: str, name: str) -> str:
    found = re.search(rf'<figure class="\w+" id="{name}">.*?</figure>', page, re.DOTALL)
    assert found is not None, name
    return found[0]


def said(cell: str) -> list[str]:
    return [html.unescape(each) for each in re.findall(r'aria-label="(.*?)"', cell)]


def coefficients(formula: str) -> tuple[int, int]:
    """Return a and b of `a*batch + b`."""
    match = re.fullmatch(r"(\d+)\*batch(?: \+ (\d+))?", formula)
    assert match is not None, formula
    return int(match[1]), int(match[2] or 0)


def test_a_networks_work_is_a_short_polynomial_of_its_batch(resnet: str) -> None:
    assert "Formulas for any batch, with " in resnet
    work = said(part(resnet, "resnet50-work-of-one-process"))
    assert {"8178368512*batch", "39063016*batch", "319340448*batch + 102440608"} <= {*work}


def test_the_steps_come_to_the_whole(resnet: str) -> None:
    totals = {"flops": (0, 0), "memory": (0, 0)}
    rows = re.findall(r"<tr><th.*", part(resnet, "resnet50-step-work"))
    assert len(rows) == 14 + 1  # and the headings
    for row in rows[1:]:
        name = re.search("<th[^>]*>(.*?)<td", row)
        assert name is not None
        runs = RUNS.get(name[1], 1)
        for resource, formula in zip(totals, said(row), strict=True):
            slope, constant = coefficients(formula)
            before = totals[resource]
            totals[resource] = before[0] + runs * slope, before[1] + runs * constant
    assert totals == {
        "flops": (8178368512 + 39063016, 0),
        "memory": (319340448, 102440608),
    }
    assert "resnet50-on-h100-sxm-time-of-each-step-run-once" in resnet


def test_many_models_stand_in_chapters(tmp_path: Path) -> None:
    for ending in ("html", "md", "tex"):
        run(tmp_path, *CHAPTERS, "--no-figures", "-o", f"r.{ending}")
    page, markdown, latex = (
        (tmp_path / f"r.{ending}").read_text(encoding="utf-8") for ending in ("html", "md", "tex")
    )
    counts = {"linalg": 2, "collectives": 7, "dnn": 3, "stencil": 2}
    contents = page[page.index("<nav") : page.index("</nav>")]
    for name, models in counts.items():
        assert f'<a href="#chapter-{name}">{name}</a>' in contents
        chapter = page[page.index(f'<section id="chapter-{name}"') :]
        chapter = chapter[: chapter.find('<section id="chapter-', 1)]
        assert f"<p>{models} models. On karst: " in chapter
        links = chapter[: chapter.index("</nav>")]
        labels = re.findall(r'<li><a href="#(.*?)">', links)
        assert len(labels) == models
        assert all(f'<article id="{each}"' in chapter for each in labels)
        assert f'id="chapter-{name}-summary"' in chapter
        assert f"- [{name}](#{name})" in markdown and f"## {name}\n" in markdown
        assert f"\\section{{{name}}}\\label{{chapter-{name}}}" in latex
    assert "<p>2 models. On karst: 1 bound by flops and 1 bound by memory.</p>" in page


IMPOSSIBLE = """
model impossible {
    param n: integer = 4
    param rooms: integer = n - 8         ## none fits
    flops = 2 * rooms
}
model possible { flops = 2; memory = 8 B }
"""


def test_a_default_that_is_out_of_bounds_does_not_stop_a_report(tmp_path: Path) -> None:
    (tmp_path / "some.roof").write_text(IMPOSSIBLE, encoding="utf-8")
    models = ("some.roof:impossible", "some.roof:possible")
    run(tmp_path, "report", *models, "-m", "karst", "-o", "r.md")
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "rooms = -4 is out of bounds" in text
    assert "Bound by memory" in text


def test_a_model_that_is_too_much_work_does_not_stop_a_report(tmp_path: Path) -> None:
    terms = "sum(floor(sqrt(k)) for k in 1..75000)"  # six of them are all that there may be
    work = f"model hard {{ param n: integer = 1; flops = n*{terms}; memory = 8 B * n*{terms} }}\n"
    (tmp_path / "some.roof").write_text(work + IMPOSSIBLE, encoding="utf-8")
    models = ("some.roof:hard", "some.roof:possible")
    run(tmp_path, "report", *models, "-m", "karst", "--budget", "0.05x", "-o", "r.md")
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert "operations of a command are used up before 'hard' is computed" in text
    assert "Bound by memory" in text


def test_a_document_names_no_options_of_a_command(resnet: str) -> None:
    table = part(resnet, "resnet50-on-h100-sxm-by-step")
    assert "… and 88 more inside<" in table and "--top" not in table
