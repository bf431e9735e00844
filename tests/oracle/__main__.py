"""Random models against the oracle: `python -m tests.oracle --seed 1 --count 1000`.

Prints what was asked and what came of it by family, then every answer that is wrong; ends with 1
if one is.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.oracle.counting import Counts, counted
from tests.oracle.families import FAMILIES, shares


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=1000, help="models, of all families together")
    parser.add_argument("--family", choices=FAMILIES, help="one family alone")
    parser.add_argument("--number", type=int, help="one model alone, with what is printed")
    asked = parser.parse_args()
    families = [asked.family] if asked.family else [*FAMILIES]
    wrong = False
    print(Counts.HEAD)
    for family in families:
        with TemporaryDirectory(prefix="roofdsl-oracle-") as folder:
            models = asked.count if asked.family else shares(asked.count)[family]
            numbers = range(models) if asked.number is None else [asked.number]
            counts = counted(family, asked.seed, numbers, Path(folder))
        for question, row in counts.rows():
            print(f"{family:<16} {question:<12} {row}", flush=True)
        for number, verdict in counts.wrong:
            wrong = True
            print(f"wrong: --seed {asked.seed} --family '{family}' --number {number}")
            print("".join(f"    {problem}\n" for problem in verdict.wrong[:3]), end="")
            if asked.number is not None:
                print(verdict.again)
        if asked.number is not None:
            print("\n".join(verdict.again for verdict in counts.every))
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
