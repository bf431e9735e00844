"""`roofdsl list` finds what is bundled."""

from __future__ import annotations

import json

from click.testing import CliRunner

from roofdsl.cli.main import cli
from roofdsl.model.documented import documented
from roofdsl.model.library import bundled, load_module
from roofdsl.model.neighbours import Sort


def listed(*words: str) -> dict[str, dict[str, str]]:
    run = CliRunner().invoke(cli, ["list", *words, "--format", "json"])
    assert run.exit_code == 0
    return {
        key: value
        for key, value in json.loads(run.output).items()
        if key not in ("schema", "answer")
    }


def test_words_choose_by_name_and_sentence() -> None:
    found = listed("All-Reduce", "ring")
    assert "collectives.mpi:all_reduce_ring" in found["models"]
    assert all("ring" in f"{name} {text}".lower() for name, text in found["models"].items())
    assert not found["machines"]


def test_without_words_all_is_listed() -> None:
    found = listed()
    assert {"linalg.summa", "spectral.fft"} <= set(found["models"])
    assert {"karst", "jetstream"} <= set(found["machines"])


def test_nothing_found_is_said() -> None:
    run = CliRunner().invoke(cli, ["list", "ring", "zzz"])
    assert run.output == "nothing bundled has 'ring' and 'zzz'\n"
    run = CliRunner().invoke(cli, ["list", "kong2014"])
    assert run.output == "nothing bundled has 'kong2014'; did you mean 'kong2015'?\n"


def test_doc_comments_are_those_of_what_is_built() -> None:
    sorts: tuple[Sort, ...] = ("model", "machine")
    for sort in sorts:
        for path in bundled(sort).values():
            module, found = load_module(path), documented(path, sort)
            built = module.models if sort == "model" else module.machines
            assert [*found] == [*built]
            for name, doc in found.items():  # behind it, that of what it is made from
                assert f"{built[name].doc}\n".startswith(f"{doc}\n")
