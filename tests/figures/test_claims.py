"""Every figure and table of a paper carries what the paper says of it, and it holds in our data."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from roofdsl.answer.papers import paper_names
from roofdsl.cli.main import main
from tests.figures.claims import failures, read_claim
from tests.library.test_printed import TITLES, stands_in, texts

ROOT = Path(__file__).resolve().parents[2]
FIGURES = ROOT / "examples" / "figures"
TABLES = ROOT / "reports" / "tables"


class Picture(NamedTuple):
    """A command of the lists, without its first word, and the claims above it."""

    paper: str
    words: list[str]
    claims: list[str]
    excused: bool

    @property
    def name(self) -> str:
        return self.words[self.words.index("-o") + 1]

    def data(self, folder: Path) -> str:
        """Return what the command writes with `--data` instead of a picture."""
        words, target = [*self.words], folder / "data.csv"
        place = words.index("-o")
        words[place : place + 2] = ["--data", str(target)]
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert not ended.value.code, words
        return target.read_text(encoding="utf-8")


def pictures() -> Iterator[Picture]:
    for path in sorted({*FIGURES.glob("*.sh")} - {FIGURES / "beyond.sh"}):
        claims: list[str] = []
        excused = False
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("# expect "):
                claims.append(line.removeprefix("# expect "))
            elif line.startswith("# no claim: "):
                excused = True
            elif line.startswith("roofdsl "):
                words = shlex.split(line.replace("$HERE", str(path.parent)))[1:]
                yield Picture(path.stem, words, claims, excused)
                claims, excused = [], False


def tables() -> dict[str, list[str]]:
    """Return the claims of each paper's table; `no claim: why` is the only one of some."""
    found = {}
    for path in sorted(TABLES.glob("*.toml")):
        paper = path.stem.removesuffix("_dnn")
        for table in tomllib.loads(path.read_text(encoding="utf-8"))["table"]:
            found[f"{paper}:{table['name']}"] = table.get("expect", [])
    return found


PICTURES = [*pictures()]


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_a_picture_shows_what_the_paper_says_of_it(picture: Picture, tmp_path: Path) -> None:
    assert bool(picture.claims) is not picture.excused
    data = picture.data(tmp_path)
    for text in picture.claims:
        assert failures(read_claim(text), data) == [], text


def test_every_table_is_looked_at() -> None:
    assert [*tables()] == paper_names()


@pytest.mark.parametrize("name", paper_names())
def test_a_table_shows_what_the_paper_says_of_it(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    claims = tables()[name]
    assert claims
    with pytest.raises(SystemExit):
        main(["table", "--paper", name, "--format", "csv"])
    # A claim of a table takes its numbers as they are printed, without the units of the headings.
    headings, _, rows = capsys.readouterr().out.partition("\n")
    data = re.sub(r" \[[^\]]*\]", "", headings) + "\n" + rows
    for text in claims:
        if not text.startswith("no claim: "):
            assert failures(read_claim(text), data) == [], text


def test_what_is_quoted_stands_in_the_paper() -> None:
    if len(texts()) < len(TITLES):
        pytest.skip("the papers' texts are not at hand: set ROOFDSL_PAPERS")
    claims = [(picture.paper, text) for picture in PICTURES for text in picture.claims]
    claims += [(name, text) for name, found in tables().items() for text in found]
    missing = []
    for paper, text in claims:
        author = next(author for author in texts() if paper.startswith(author))
        quoted = re.findall(r'"([^"]+)"', text.partition(" -- ")[2])
        missing += [words for words in quoted if not stands_in(words, texts()[author])]
    assert missing == []


def test_an_impossible_picture_fails() -> None:
    """Dijkstra's algorithm on too many edges was memory-bound, against the sentence beside it."""
    data = "name,V,share of the network\nkarst,256,0.97\nkarst,512,0.4\n"
    claim = read_claim("share_of_the_network > 1/2 -- §2.6.7")
    assert len(failures(claim, data)) == 1
    assert (
        failures(read_claim("along V: next.share_of_the_network < share_of_the_network -- x"), data)
        == []
    )
    assert failures(read_claim("1 of 2: share_of_the_network > 1/2 -- x"), data) == []
    assert failures(read_claim("2 of 2: share_of_the_network > 1/2 -- x"), data) != []


def test_both_intensities_of_a_point_are_in_one_row() -> None:
    data = (
        "what,machine,name,intensity,intensity [flop/B],performance [flop/s],"
        "parameter,value,bound\n"
        "ceiling,karst,peak,OI,,22000000000,,,\n"
        "trajectory,karst,fft,OI,0.8,1e9,N,256,network\n"
        "trajectory,karst,fft,OI,0.9,1e9,N,512,memory\n"
        "trajectory,karst,fft,CAI,0.2,1e9,N,256,network\n"
        "trajectory,karst,fft,CAI,0.95,1e9,N,512,memory\n"
    )
    assert failures(read_claim("1 of 2: OI > CAI -- x"), data) == []
    assert failures(read_claim("where N is 256: bound is network -- x"), data) == []
    assert failures(read_claim("where N is 256: OI > CAI -- x"), data) == []
    assert failures(read_claim("along N: next.CAI > CAI -- x"), data) == []
    assert failures(read_claim("OI < karst.ridge.OI -- x"), data) == []
    assert failures(read_claim("performance <= karst.memory*OI -- x"), data) == []
    assert failures(read_claim("OI ~ 0.8 flop/B within 20% -- x"), data) == []


def test_lines_of_several_machines_are_compared() -> None:
    data = "name,N,share\nbig_red_ii,2,0.1\nkarst,2,0.2\nbig_red_ii,4,0.3\nkarst,4,0.2\n"
    assert (
        len(failures(read_claim("across name by N: karst.share > big_red_ii.share -- x"), data))
        == 1
    )
    with pytest.raises(AssertionError):
        failures(read_claim("where name is nowhere: share > 1 -- x"), data)
