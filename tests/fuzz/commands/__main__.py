"""Random files and calls of every command: `python -m tests.fuzz.commands --seed 1 --count 1000`.

Prints the first pairs that fail in each way, with how to see them alone, then what came of all by
command; ends with 1 if one failed. What is printed is kept in build/fuzz.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.fuzz.commands.counting import Counts
from tests.fuzz.commands.pairs import SORTS, Pair, pair, shares
from tests.fuzz.commands.verdicts import Verdict, allowed, judged

KEPT = Path("build/fuzz")
MOST_OF_A_KIND = 3


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=1000, help="pairs, of all commands together")
    parser.add_argument("--command", choices=SORTS, help="one command alone")
    parser.add_argument("--number", type=int, help="one pair alone, with what it says")
    asked = parser.parse_args()
    if asked.number is not None:
        return _alone(asked.command or SORTS[0], asked.seed, asked.number)
    sorts = [asked.command] if asked.command else [*SORTS]
    each = {asked.command: asked.count} if asked.command else shares(asked.count)
    counts = Counts()
    print(
        "seconds allowed:", ", ".join(f"{sort} {allowed(sort):.1f}" for sort in sorts), flush=True
    )
    for sort in sorts:
        for number in range(each[sort]):
            tried = pair(sort, asked.seed, number)
            verdict = judged(tried)
            counts.add(sort, verdict)
            if verdict.wrong and counts.kinds[f"{sort}: {verdict.kind}"] <= MOST_OF_A_KIND:
                print(f"--seed {asked.seed} --command {sort} --number {number}: {verdict.wrong[0]}")
                print(f"    {tried.shown()[:200]!r}", flush=True)
                _keep(tried, verdict, KEPT / f"{asked.seed}-{sort}-{number}")
        print(counts.row(sort), file=sys.stderr, flush=True)
    print("\n".join(counts.rows()))
    return int(counts.failed > 0)


def _alone(sort: str, seed: str, number: int) -> int:
    """Show a pair: its files, what to type, and what comes of it."""
    tried = pair(sort, seed, number)
    verdict = judged(tried)
    kept = KEPT / f"{seed}-{sort}-{number}"
    _keep(tried, verdict, kept)
    print(f"in {kept}:\n{tried.shown()}\n")
    print(verdict.outcome.output[-3000:], verdict.outcome.errors[-6000:], sep="\n")
    print(
        f"{verdict.end}: exit code {verdict.outcome.code}, {verdict.outcome.seconds:.2f} s", end=""
    )
    print(f", {verdict.outcome.growth / 1e6:.0f} MB", *verdict.wrong, sep="\n    ")
    return int(bool(verdict.wrong))


def _keep(tried: Pair, verdict: Verdict, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in tried.files.items():
        (folder / name).write_bytes(data)
    said = "\n".join([tried.shown(), *verdict.wrong, verdict.outcome.errors])
    (folder / "said.txt").write_text(said, encoding="utf-8", errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
