"""Files of other tools that are imported, from good ones: settings of networks, measurements."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from pathlib import Path

from roofdsl.verify.certificate import digest_of
from tests.fuzz.choices import Seeded
from tests.fuzz.commands.roof_files import changed, disguised, odd_number
from tests.importers import profiler_files

ROOT = Path(__file__).resolve().parents[3]
CERTIFICATE = ROOT / "tests" / "verify" / "summa.certificate.json"
VALUES: tuple[object, ...] = (
    None, True, False, 0, -1, 1, 10**9, 10**30, 1e308, 0.5, 4096.0, "", "4096", "x" * 5000, [], {},
    [None], [[[[]]]], {"a": {"b": 1}}, "\x1b[31m", "\u202e", "\ud800", '"', "\\", "LlamaModel",
    ["LlamaModel"],
    ["LlamaForCausalLM", "LlamaModel"], "gpt2", float("nan"), float("-inf"),
)  # fmt: skip
_POINTS = ("applications.csv", "perfctr.csv")
"""Fixtures that points are made of; of the others it is machines."""
TEXTS = (
    "", "{", "[]", "null", "{}", '{"a": 1, "a": 2}', "[" * 10_000, '{"a":' * 10_000, "{]", "{,}",
    '{"model_type": "llama"}', '{"model_type"}', "{'a': 1}", '{"a": 01}', '{"a": 1e999}',
    '{"a": .5}', "// x\n{}", '{"a": "\\u12"}', '{"a": "b', "{" + '"a": 1, ' * 3000,
)  # fmt: skip

ARGUMENTS = (
    "x=f64[N]", "x=f64[M,N]", "x=f32[N,N]", "x=torch.f32[N]", "x=i64[N]", "x=c128[N]", "n=N", "n=3",
    "x=f64[]", "x=f64[0]", "x=f64[N,]", "x=f64[-N]", "x=f64[N/2]", "x=f64[2^N]", "x=bool[N]", "x=",
    "x=f64[N", "x=N]", "x=[[N]]", "n=1e400", "n=1/0", "n=true", "=x", "x", "y=f64[N]", "x=f64[α]",
)  # fmt: skip
_KERNELS = """import numpy as np
def double(x): return x + x
def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()
def sweep(x, n=2):
    for _ in range(n):
        x[1:-1] = 0.5 * (x[2:] + x[:-2])
    return x
def branch(x, n=1): return x if x.sum() > n else -x
def endless(x, n=1):
    while n: x = x + x
"""
_ENDINGS = ("", "double = 3\n", "def double(:\n", "raise ValueError('\x1b[31m')\n", "exit(3)\n")


def traced_script(choices: Seeded) -> str:
    """Return the text of a script with functions to count, sometimes with something odd in it."""
    return _KERNELS + choices.pick((*[""] * 8, *_ENDINGS))


@cache
def _configs() -> list[dict[str, object]]:
    paths = sorted((ROOT / "tests" / "importers" / "configs").glob("*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def config(choices: Seeded) -> str:
    """Return the text of a `config.json` with up to three changes, or another text."""
    if choices.chance(8):
        return choices.pick(TEXTS)
    found = dict(choices.pick(_configs()))
    for _ in range(choices.below(4)):
        name = choices.pick(
            [*found, "layer_types", "head_dim", "sliding_window", "mlp_only_layers"]
        )
        if choices.chance(30):
            found.pop(name, None)
        else:
            found[name] = choices.pick(VALUES)
    text = json.dumps(found, indent=choices.pick((None, 2)))
    if choices.chance(20):
        text = changed(choices, text) if choices.chance(60) else disguised(choices, text)
    if choices.chance(10):
        text = text.replace("64", odd_number(choices), 1)
    return text


@cache
def _measured() -> list[tuple[str, str, str]]:
    """Return files of measurements: a name, the text, and the ending of what is made of it."""
    found = [
        (name, text, "csv") for named in profiler_files.ALL.values() for name, text in named.items()
    ]
    for path in sorted((ROOT / "tests" / "importers" / "fixtures").iterdir()):
        text = path.read_text(encoding="utf-8")
        found.append((path.name, text, "csv" if path.name in _POINTS else "roof"))
    return found


def measured(choices: Seeded) -> tuple[str, str, str]:
    """Return such a file, with up to three changes of its lines and characters."""
    name, text, ending = choices.pick(_measured())
    for _ in range(choices.pick((0, 0, 1, 2, 3))):
        lines = text.splitlines(keepends=True) or [""]
        place = choices.below(len(lines))
        match choices.below(5):
            case 0:
                lines[place] = ""
            case 1:
                lines = lines[: place + 1]
                lines[place] = lines[place][: choices.below(len(lines[place]) + 1)]
            case 2:
                lines.insert(place, choices.pick(lines))
            case 3:
                digits = [at for at, char in enumerate(lines[place]) if char.isdigit()]
                at = choices.pick(digits) if digits else 0
                lines[place] = lines[place][:at] + odd_number(choices) + lines[place][at + 1 :]
            case _:
                lines[place] = disguised(choices, lines[place])
        text = "".join(lines)
    return name, text, ending


def certificate(choices: Seeded) -> str:
    """Return the text of a certificate with up to three changes, or another text."""
    if choices.chance(8):
        return choices.pick(TEXTS)
    found = json.loads(CERTIFICATE.read_text(encoding="utf-8"))
    for _ in range(choices.below(4)):
        part = found[choices.pick([name for name in found if name != "sha256"])]
        while isinstance(part, dict | list) and part:
            key = choices.pick([*part] if isinstance(part, dict) else [*range(len(part))])
            if not isinstance(part[key], dict | list) or choices.chance(20):
                part[key] = choices.pick((*VALUES, "1e999", "1/0", "-3", "2", "pick", "sum"))
                break
            part = part[key]
    with suppress(ValueError):  # who deceives mends the digest
        found["sha256"] = {**found["sha256"], "certificate": digest_of(found)}
    text = json.dumps(found)
    return changed(choices, text) if choices.chance(20) else text
