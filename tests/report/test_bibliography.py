"""References: the works that the library's `source` lines name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roofdsl.answer.document import bibliography
from roofdsl.answer.document.bibliography import bibtex, references, source, works
from roofdsl.answer.papers import paper_names, paper_table
from roofdsl.model.library import bundled, load_module, shown_path
from tests.report.samples import run


def library_sources() -> list[str]:
    found: list[str] = []
    for path in (*bundled("model").values(), *bundled("machine").values()):
        module = load_module(path, shown_path(path))
        found += [line for model in module.models.values() for line in model.sources]
        found += [line for machine in module.machines.values() for line in machine.sources]
    return found


def test_the_works_are_well_formed() -> None:
    keys = [work.key for work in works()]
    assert len(keys) > 40
    assert len(set(keys)) == len(keys)
    for work in works():
        assert {"author", "title", "year"} <= set(work.fields)
        assert work.cited_as[0]
        assert work.entry.count("{") == work.entry.count("}")
        assert re.fullmatch(r"[a-z]+\d{4}", work.key)
        assert work.fields["year"] in work.key


REQUIRED = {
    "article": {"journal", "pages"},
    "inproceedings": {"booktitle"},
    "mastersthesis": {"school"},
    "phdthesis": {"school"},
    "techreport": {"institution"},
    "book": {"publisher"},
    "misc": set[str](),
}
"""What a reader finds a work by, by its type, beside authors, title and year."""


def test_every_work_says_where_it_is_found() -> None:
    for work in works():
        kind = work.entry[1:].partition("{")[0]
        assert REQUIRED[kind] <= set(work.fields), work.key
        if kind == "misc":
            assert {"howpublished", "doi", "note"} & set(work.fields), work.key
        assert re.fullmatch(r"\d+--\d+", work.fields.get("pages", "1--2")), work.key
        assert re.fullmatch(r"10\.\d{4,}/\S+", work.fields.get("doi", "10.1000/x")), work.key


def test_sources_without_an_entry_stand_in_the_file() -> None:
    written = bibtex([source("mine, me@home"), source("Cannon 1969"), source("mine, me@home")])
    assert written.startswith("% There is no entry for these sources:\n% mine, me at home\n\n@phd")
    assert bibtex([source("Cannon 1969")]).startswith("@phdthesis{cannon1969,")
    assert bibtex([]) == "% There are no sources.\n"


def test_a_bibliography_says_what_it_lacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = 'model mine { source "my own count"; param N: integer; flops = N; memory = 8 B*N }\n'
    (tmp_path / "mine.roof").write_text(model, encoding="utf-8")
    machine = 'machine box { source "me@home"; flops = 1 GFLOP/s; memory = 1 GB/s }\n'
    (tmp_path / "box.roof").write_text(machine, encoding="utf-8")
    asked = ("mine.roof", "--machine", "box.roof", "-p", "N=100", "--bib", "mine.bib")
    sources = ["% my own count", "% me at home"]
    for command in (("report", *asked, "--no-figures", "-o", "mine.md"), ("table", *asked)):
        sources.reverse()  # a report has its machines first
        run(tmp_path, *command)
        head, *lines = (tmp_path / "mine.bib").read_text(encoding="utf-8").splitlines()
        assert head == "% There is no entry for these sources:"
        assert lines == sources
        note = "note: mine.bib has no entry for 2 sources, named in it as comments\n"
        assert capsys.readouterr().err == note
    run(tmp_path, "table", "dgemv", "--formulas", "--format", "latex", "--bib", "known.bib")
    text, told = capsys.readouterr()
    keys = re.findall(r"\\cite\{(.*?)\}", text)[0].split(",")
    written = (tmp_path / "known.bib").read_text(encoding="utf-8")
    assert set(keys) == set(re.findall(r"@\w+\{(\w+),", written))
    assert ("no entry" in told) == written.startswith("%")


def test_the_five_papers_are_known() -> None:
    known = {key for text in library_sources() for key in source(text).keys}
    assert {"cardwell2019", "kong2015", "tang2015", "checconi2022", "kwack2018"} <= known


def test_most_sources_of_the_library_are_known() -> None:
    sources = library_sources()
    papers = [
        text for text in sources if re.search(r"\b[A-Z]\w+(?: et al\.)?,? (?:19|20)\d\d", text)
    ]
    unknown = sorted({text for text in papers if not source(text).keys})
    assert len(unknown) < 0.25 * len(set(papers)), unknown


def test_every_work_is_named_somewhere() -> None:
    known = {key for text in library_sources() for key in source(text).keys}
    assert {work.key for work in works()} - known <= {"williams2009"}


def test_a_name_within_another_is_not_it() -> None:
    assert source("McCardwell 2019").keys == ()
    assert source("Cardwell 20199").keys == ()
    assert source("<script>: Cardwell 2019, §2").keys == ("cardwell2019",)


@pytest.mark.parametrize(
    ("text", "keys", "others"),
    [
        ("Cardwell 2019; My Thesis 2026, Eq. 3", "cardwell2019", ["My Thesis 2026, Eq. 3"]),
        ("My Thesis 2026, Eq. 3; Cardwell 2019", "cardwell2019", ["My Thesis 2026, Eq. 3"]),
        ("Cardwell 2019; mine: T 2026; Eq. 3", "cardwell2019", ["mine: T 2026; Eq. 3"]),
        ("Cardwell 2019, Table 2.3 ;my runs", "cardwell2019", ["my runs"]),
        ("Cardwell 2019 and my own runs", "cardwell2019", ["my own runs"]),
        ("Cardwell 2019 and Cannon 1969", "cardwell2019 cannon1969", []),
        ("Cardwell 2019, Table 2.4; B and M: §2.5, item 1", "cardwell2019", []),
        ("rates: Cardwell 2019; how: §2.3.3; Fig. 2", "cardwell2019", []),
        ("Cardwell 2019; Eq. 3 of my thesis", "cardwell2019", ["Eq. 3 of my thesis"]),
        ("unlike Cardwell 2019, measured by me", "", ["unlike Cardwell 2019, measured by me"]),
        ("measured; unlike Cardwell 2019", "", ["measured; unlike Cardwell 2019"]),
        ("no §2.5", "", ["no §2.5"]),
        ("§2.5", "", ["§2.5"]),
        ("", "", [""]),
        ("cardwell2019, Table 2.3", "cardwell2019", []),
        ("rates: cardwell2019", "cardwell2019", []),
        ("xcardwell2019", "", ["xcardwell2019"]),
        ("Kwack et al. 2018, Table I", "kwack2018", []),
        ("Kong et al. 2015; Checconi et al. 2022", "kong2015 checconi2022", []),
        ("Kong, Pouchet, Sadayappan 2015, §2: Cardwell 2019", "kong2015", []),
    ],
)
def test_a_work_is_named_where_a_part_of_the_line_begins(
    text: str, keys: str, others: list[str]
) -> None:
    assert [*source(text).keys] == keys.split()
    assert [*source(text).without_work] == others


def test_names_that_two_works_have_are_of_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    one = works()[1]
    two = one._replace(key="kong2015b", cited_as=("Kong and others",))
    monkeypatch.setattr(bibliography, "works", lambda: (one, two))
    assert bibliography._names.__wrapped__() == {
        "kong2015": "kong2015",
        "Kong, Pouchet, Sadayappan 2015": "kong2015",
        "kong2015b": "kong2015b",
        "Kong and others": "kong2015b",
    }


@pytest.mark.parametrize("name", [name for name in paper_names() if "-like" not in name])
def test_the_works_in_our_captions_are_known(name: str) -> None:
    (said,) = re.findall(r"\(([^()]*\d{4},[^()]*)\)", paper_table(name).caption)
    assert source(said).keys == paper_table(name).cited


def test_every_work_that_a_source_of_the_library_names_is_known() -> None:
    """What has an entry is told as that, wherever in the line it stands."""
    for text in library_sources():
        named = {
            work.key
            for work in works()
            for name in work.cited_as
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
        }
        assert {*source(text).keys} == named, text


OWN = """machine mine {
    source "mine: My Thesis 2026, 50 % of Eq. 3_a."
    flops = 1 GFLOP/s; memory = 1 GB/s; network = 1 GB/s
}
machine silent { flops = 1 GFLOP/s; memory = 1 GB/s }
machine both { source "Cardwell 2019; x \\\\input{y}"; flops = 1 GFLOP/s; memory = 1 GB/s }
"""


@pytest.mark.parametrize(
    ("machines", "said"),
    [
        ("karst", r"\cite{cardwell2019}"),
        ("karst own.roof:mine", r"\cite{cardwell2019}; mine: My Thesis 2026, 50 \% of Eq. 3\_a"),
        ("karst own.roof:silent", r"\cite{cardwell2019}; none is given for silent"),
        ("own.roof:mine", r"mine: My Thesis 2026, 50 \% of Eq. 3\_a"),
        ("own.roof:both", r"\cite{cardwell2019}; x \textbackslash{}input\{y\}"),
    ],
)
def test_a_table_names_the_sources_that_have_no_entry(
    machines: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "own.roof").write_text(OWN, encoding="utf-8")
    named = [word for name in machines.split() for word in ("-m", name)]
    run(tmp_path, "table", "--rates", *named, "--format", "latex")
    text = capsys.readouterr().out
    assert f"{{\\footnotesize Sources: {said}.\\par}}" in text
    run(tmp_path, "table", "--rates", "-m", "own.roof:silent", "--format", "latex")
    assert "Sources" not in capsys.readouterr().out
    assert ("\\cite" in said) == ("for \\cite the entries" in text)


def test_references_are_read_and_written() -> None:
    (jaehne,) = references([source("Jähne 2015")])
    assert jaehne.text.startswith("P. Jähne. Erzeugung minimaler Spannbäume")
    entry = bibtex([source("Jähne 2015")])
    assert entry.startswith('@inproceedings{jaehne2015,\n  author = {J{\\"a}hne, P.},')
