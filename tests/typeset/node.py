"""JavaScript run by Node, one process for all tests."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Sequence
from typing import cast

from roofdsl.expression.tree import Expression
from roofdsl.typeset.javascript import javascript, prelude

NODE = shutil.which("node")

# Each line it reads is a function and its argument; each it writes, the list that comes back.
_SERVER = """
"use strict";
%s
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [code, values] = JSON.parse(line, (_, value) => (value === "Infinity" ? Infinity : value));
  const results = eval(code)(values);
  console.log(JSON.stringify(results.map((x) => (typeof x === "number" ? String(x) : x))));
});
"""


def function_of(trees: Sequence[Expression], names: Sequence[str]) -> str:
    """Return a function of the values of names, in that order, to the list of trees' values."""
    identifiers = {name: f"p[{place}]" for place, name in enumerate(names)}
    return f"(p) => [{', '.join(f'known({javascript(tree, identifiers)})' for tree in trees)}]"


class Node:
    """A running Node that calls functions."""

    def __init__(self) -> None:
        assert NODE is not None
        self.process = subprocess.Popen(
            [NODE, "--eval", _SERVER % prelude()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def call(self, function: str, values: Sequence[float | bool]) -> list[float | bool]:
        """Return what a function gives for an array of values."""
        assert self.process.stdin is not None and self.process.stdout is not None
        safe = ["Infinity" if value == math.inf else value for value in values]
        self.process.stdin.write(json.dumps([function, safe]) + "\n")
        self.process.stdin.flush()
        results = cast(list[str | bool], json.loads(self.process.stdout.readline()))
        return [
            result if isinstance(result, bool) else float(result.replace("Infinity", "inf"))
            for result in results
        ]

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()
