"""The report in HTML: one file that asks for nothing, readable by everybody, sortable."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from tests.explorer.browser import Browser
from tests.report.opened import opened
from tests.report.samples import HOSTILE


class Seen(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def named(self, *tags: str) -> list[tuple[str, dict[str, str | None]]]:
        return [item for item in self.tags if item[0] in tags]


@pytest.fixture(scope="module")
def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def seen(text: str) -> Seen:
    return Seen(text)


def test_it_asks_for_nothing(seen: Seen) -> None:
    assert seen.named("link", "img", "iframe", "object", "embed", "base", "form") == []
    for _, attributes in seen.tags:
        assert {"src", "srcset", "action", "data"}.isdisjoint(attributes)
        assert not any(name.startswith("on") for name in attributes)
        href = attributes.get("href")
        assert href is None or href.startswith("#")


def test_its_one_script_and_style_are_ours(seen: Seen, text: str) -> None:
    assert len(seen.named("script")) == 1
    assert len(seen.named("style")) == 1
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)


def test_hostile_text_is_text(seen: Seen) -> None:
    told = "".join(seen.texts)
    for word in ("<script>alert(1)</script>", "\\input{secret}", "{{ 7*7 }}", "<< 6*7 >>", "]]>"):
        assert told.count(word) >= 4, word
    assert "\u202e" not in told
    assert "\u200f" not in told
    assert HOSTILE.replace("\u202e", "<U+202E>").replace("\u200f", "<U+200F>") in told


def test_every_name_is_used_once_and_every_link_leads_somewhere(seen: Seen) -> None:
    names = [attributes["id"] for _, attributes in seen.tags if attributes.get("id")]
    assert sorted(set(names), key=str) == sorted(names, key=str)
    links = {str(attributes["href"])[1:] for _, attributes in seen.tags if "href" in attributes}
    assert links <= {str(name) for name in names}


def test_headings_go_down_one_at_a_time(seen: Seen) -> None:
    levels = [int(tag[1]) for tag, _ in seen.tags if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_tables_have_titles_and_headings(text: str, seen: Seen) -> None:
    tables = re.findall(r'<figure class="table".*?</figure>', text, re.DOTALL)
    assert len(tables) > 20
    for table in tables:
        assert re.search(r"<caption>.+</caption>", table)
        assert "<th scope=col" in table
        assert "<th scope=row" in table
    assert all("lang" in attributes for _, attributes in seen.named("html"))


def test_every_column_has_a_heading(text: str) -> None:
    heads = re.findall("<thead>(.*?)</thead>", text, re.DOTALL)
    assert len(heads) == text.count("<thead>") > 5
    for head in heads:
        for column in head.split("<th ")[1:]:
            assert re.sub("<[^>]*>", "", "<" + column).strip(), head
        assert "<td" not in head


def test_an_arrow_stands_beside_what_it_is_of(text: str) -> None:
    assert "←\u00a0bound" in text
    assert "← bound" not in text


def test_a_formula_is_marked_up_once(text: str) -> None:
    """What the style sheet says of all formulas, none says again; a name's label is its name."""
    assert "math-style: normal" in text
    assert "displaystyle" not in text and "mspace" not in text
    assert "<math><mi>N</mi></math>" in text
    assert 'aria-label="N &gt;= 2"' in text


def test_figures_say_in_words_what_they_show(text: str) -> None:
    drawings = re.findall(r'<figure class="drawing".*?</figure>', text, re.DOTALL)
    # Of SUMMA, what binds over two parameters too; of Cannon's algorithm, and of two steps, where
    # the time goes: one sends on a machine without a bandwidth of memory, the other nothing.
    captions = [re.search("<figcaption>(.*?)</figcaption>", each, re.DOTALL) for each in drawings]
    starts = ("The roofline", "What binds", "Where the time", "Where the time")
    for number, (drawing, caption) in enumerate(zip(drawings, captions, strict=True), 1):
        assert caption is not None
        assert caption[1].startswith(f"<b>Figure {number}.</b> {starts[number - 1]}"), caption[1]
        assert f'role="img" aria-label="{starts[number - 1]}' in drawing
        assert re.search('<svg style="--width:[0-9.]+" aria-hidden="true"', drawing)
    assert "karst" in drawings[0]


def test_what_there_is_to_say_is_said(text: str, seen: Seen) -> None:
    told = " ".join(" ".join(seen.texts).replace("\u00a0", " ").split())
    for words in (
        "Dense matrix-matrix product",  # doc comment
        "Cardwell 2019, Table 2.4",  # source
        "matrix order",  # parameter
        "Bound by",
        "Work of one process",
        "Intensities",
        "Ridge points of karst",
        "Regimes of summa on karst over N",
        "Crossovers of summa on karst over N",
        "network → flops from N = ",
        "Sensitivities of the time of summa on karst",
        "Breakdown of cannon on xeon_e5630",
        "Files and the SHA-256 of their bytes",
        "stdlib/linalg/summa.roof",
    ):
        assert words in told, words
    assert re.search(r"<code>[0-9a-f]{64}</code>", text)
    # SUMMA at N = 4000 and P = 16 on Karst: (2 N³ + 2 N²)/P flop at 22 GFLOP/s, 364 ms; and
    # 8 B N²/√P log₂ P at 1.2 GB/s, 107 ms.
    assert "flops.matrix.fp64 8.002 GFLOP 22 GFLOP/s 363.7 ms ← bound" in told
    assert "network 128 MB 1.2 GB/s 106.7 ms" in told


@pytest.mark.parametrize("width", [1280, 400])
def test_it_opens_without_an_error_or_a_request(browser: Browser, page: Path, width: int) -> None:
    report = opened(browser, page, width)
    assert report.problems() == []
    # The page itself does not scroll sideways; what is too wide scrolls by itself.
    assert report.run("document.documentElement.scrollWidth <= innerWidth")
    assert report.run("document.querySelectorAll('math').length") > 50
    assert report.run("[...document.querySelectorAll('.drawing svg')].every(s => s.clientWidth)")
    report.close()


def test_it_follows_the_preferred_colours(browser: Browser, page: Path) -> None:
    report = opened(browser, page)
    brightness = (
        "(e, p) => getComputedStyle(e)[p].match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0)"
    )
    papers = []
    for scheme in ("light", "dark"):
        report.scheme(scheme)
        code = f"(({brightness})(document.body, 'backgroundColor'))"
        ink = f"(({brightness})(document.body, 'color'))"
        figure = f"(({brightness})(document.querySelector('.drawing svg path'), 'fill'))"
        papers.append([report.run(code), report.run(ink), report.run(figure)])
    (light, dark_ink, light_figure), (dark, light_ink, dark_figure) = papers
    assert light > 700 > 120 > dark
    assert light_ink > 600 > 150 > dark_ink
    assert light_figure > 700 > 120 > dark_figure
    report.close()


def test_a_table_is_sorted_and_filtered(browser: Browser, page: Path) -> None:
    report = opened(browser, page)
    column = "[...document.querySelectorAll('#summary tbody tr')].map(r => r.cells[%d].%s)"
    press = "document.querySelectorAll('#summary thead button')[3].click()"
    report.run(press)
    times = [float(t) for t in report.run(column % (3, "dataset.sort ?? 'Infinity'"))]
    assert times == sorted(times)
    assert report.run("document.querySelectorAll('#summary th')[3].ariaSort") == "ascending"
    report.run(press)
    known = [t for t in report.run(column % (3, "dataset.sort ?? ''")) if t]
    assert [float(t) for t in known] == sorted(map(float, known), reverse=True)
    report.run(
        "{ const i = document.querySelector('#summary input'); i.value = 'summa karst';"
        " i.dispatchEvent(new Event('input')); }"
    )
    shown = "[...document.querySelectorAll('#summary tbody tr')].filter(r => !r.hidden).length"
    assert report.run(shown) == 1
    assert report.problems() == []
    report.close()


def test_by_keyboard_the_first_stop_leads_to_the_content(browser: Browser, page: Path) -> None:
    report = opened(browser, page)
    assert report.run("document.querySelector('a').getAttribute('href')") == "#content"
    focusable = "document.querySelectorAll('a[href], button, input, [tabindex=\"0\"]').length"
    assert report.run(focusable) > 30
    unnamed = "[...document.querySelectorAll('button, input')].filter(e => !(e.textContent.trim()"
    assert report.run(f"{unnamed} || e.labels?.length)).length") == 0
    report.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_from_its_ground(browser: Browser, page: Path, scheme: str) -> None:
    report = opened(browser, page)
    report.scheme(scheme)
    contrast = """(() => {
      const part = (c) => (c <= 10.3 ? c / 3295 : ((c / 255 + 0.055) / 1.055) ** 2.4);
      const light = (colour) => {
        const [red, green, blue] = colour.match(/[\\d.]+/g).map(Number);
        return 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
      };
      const ground = (e) => {
        for (; e; e = e.parentElement) {
          const colour = getComputedStyle(e).backgroundColor;
          if (!colour.endsWith(", 0)")) return colour;
        }
        return "rgb(255, 255, 255)";
      };
      const texts = "p, a, th, td, caption, figcaption, small, li, h1, h2, h3, h4";
      return Math.min(...[...document.querySelectorAll(texts)].map((e) => {
        const both = [light(getComputedStyle(e).color), light(ground(e))];
        return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
      }));
    })()"""
    assert report.run(contrast) >= 4.5
    report.close()
