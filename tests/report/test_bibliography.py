"""References: the works that the library's `source` lines name."""

from __future__ import annotations

import re

from roofdsl.answer.document.bibliography import bibtex, references, source, works
from roofdsl.model.library import bundled, load_module, shown_path


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
    assert source("<script> Cardwell 2019, §2").keys == ("cardwell2019",)


def test_references_are_read_and_written() -> None:
    (jaehne,) = references([source("Jähne 2015")])
    assert jaehne.text.startswith("P. Jähne. Erzeugung minimaler Spannbäume")
    assert bibtex([jaehne]).startswith('@inproceedings{jaehne2015,\n  author = {J{\\"a}hne, P.},')
