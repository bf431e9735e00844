"""`roofdsl import`: what it writes where, and that nothing is written where something is wrong."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from roofdsl.cli.main import cli

LLAMA: dict[str, object] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "_name_or_path": "somebody/Small-1.5",
    "hidden_size": 64,
    "intermediate_size": 172,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
}


def imported(folder: Path, *options: str, text: str = "", **changes: object) -> Result:
    text = text or json.dumps({**LLAMA, **changes})
    (folder / "config.json").write_text(text, encoding="utf-8")
    return CliRunner().invoke(cli, ["import", str(folder / "config.json"), *options])


def test_without_a_target_the_text_is_printed(tmp_path: Path) -> None:
    run = imported(tmp_path)
    assert run.exit_code == 0
    assert run.stdout.startswith("## Small-1.5: ")
    assert "\nmodel small_1_5 = decoder with {\n" in run.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]


def test_a_target_has_what_is_printed_without_one(tmp_path: Path) -> None:
    target = tmp_path / "mine.roof"
    target.write_text("what was there before", encoding="utf-8")
    printed = imported(tmp_path).stdout
    run = imported(tmp_path, "-o", str(target))
    assert (run.exit_code, run.stdout) == (0, f"{target}\n")
    assert target.read_text(encoding="utf-8") == printed


def test_the_file_is_named_by_its_hash(tmp_path: Path) -> None:
    run = imported(tmp_path)
    digest = hashlib.sha256((tmp_path / "config.json").read_bytes()).hexdigest()
    assert (
        f'source "config.json, sha256 {digest}: somebody/Small-1.5, LlamaForCausalLM"' in run.stdout
    )


def test_the_name_may_be_given(tmp_path: Path) -> None:
    run = imported(tmp_path, "--name", "mine")
    assert "model mine = decoder with {" in run.stdout
    assert "model mine_training = decoder_training with {" in run.stdout


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("somebody/3B", "network_3b"),
        ("/data/models/Net.v2/", "net_v2"),
        ("step", "network_step"),
        ("模型", "network"),
        (None, "llama"),
        ('x"\n}\nmodel y { flops = 1 }', "x_model_y_flops_1"),
        ("a" * 5000, "a" * 60),
    ],
)
def test_the_name_comes_from_the_file(path: str | None, name: str, tmp_path: Path) -> None:
    run = imported(tmp_path, _name_or_path=path)
    assert run.exit_code == 0
    assert f"\nmodel {name} = decoder with {{\n" in run.stdout


def test_what_the_file_calls_itself_stays_a_comment(tmp_path: Path) -> None:
    run = imported(tmp_path, _name_or_path='x"\n}\nmodel y { flops = 1 }\x1b[31m')
    lines = run.stdout.splitlines()
    assert all(line.startswith(("##", "model x_", "    ", "}")) or not line for line in lines)
    assert "\x1b" not in run.stdout


def test_a_byte_order_mark_and_other_line_ends_are_read(tmp_path: Path) -> None:
    text = json.dumps(LLAMA, indent=2).replace("\n", "\r\n")
    assert imported(tmp_path, text=f"\ufeff{text}").exit_code == 0


WRONG = {
    "cut off": json.dumps(LLAMA)[:-20],
    "two fields of one name": json.dumps(LLAMA)[:-1] + ', "hidden_size": 8}',
    "a missing field": json.dumps({**LLAMA, "vocab_size": None}),
    "an unknown type": json.dumps({**LLAMA, "model_type": "mamba"}),
    "a list": json.dumps([LLAMA]),
    "deep": "[" * 100_000,
    "deep objects": '{"a":' * 100_000,
    "not a number": json.dumps({**LLAMA, "rope_theta": float("nan")}),
    "huge": json.dumps({**LLAMA, "num_hidden_layers": 10**30}),
    "negative": json.dumps({**LLAMA, "num_hidden_layers": -1}),
    "a text": json.dumps({**LLAMA, "hidden_size": "64"}),
    "a truth": json.dumps({**LLAMA, "hidden_size": True}),
    "half a character": json.dumps({**LLAMA, "model_type": "\ud800"}),
}


@pytest.mark.parametrize("what", WRONG)
def test_of_a_wrong_file_nothing_is_written(what: str, tmp_path: Path) -> None:
    target = tmp_path / "mine.roof"
    target.write_text("what was there before", encoding="utf-8")
    run = imported(tmp_path, "-o", str(target), text=WRONG[what])
    assert run.exit_code == 1
    assert isinstance(run.exception, SystemExit) or "R12" in str(run.exception)
    assert target.read_text(encoding="utf-8") == "what was there before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "mine.roof"]


@pytest.mark.parametrize("what", WRONG)
def test_the_place_of_what_is_wrong_is_told(what: str, tmp_path: Path) -> None:
    run = imported(tmp_path, text=WRONG[what])
    assert "config.json:1:" in str(run.exception)


def test_a_network_has_no_name_of_what_it_is_made_from(tmp_path: Path) -> None:
    for name in ("bert", "Bert", "someone/BERT", "bert_training"):
        run = imported(tmp_path, model_type="bert", architectures=["BertModel"], _name_or_path=name)
        first = "network_bert_training" if name == "bert_training" else "network_bert"
        assert f"\nmodel {first} = bert with {{" in run.stdout
