"""What comes of many pairs, counted by command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.fuzz.commands.verdicts import ENDS, FAILURES, Verdict


@dataclass
class Counts:
    """How pairs ended, by command, with the slowest and the largest."""

    ends: dict[str, Counter[str]] = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    growth: dict[str, int] = field(default_factory=dict)

    kinds: Counter[str] = field(default_factory=Counter)
    """Failures of each command by what is wrong."""

    def add(self, sort: str, verdict: Verdict) -> None:
        if verdict.wrong:
            self.kinds[f"{sort}: {verdict.kind}"] += 1
        self.ends.setdefault(sort, Counter())[verdict.end] += 1
        self.seconds.setdefault(sort, []).append(verdict.outcome.seconds)
        self.growth[sort] = max(self.growth.get(sort, 0), verdict.outcome.growth)

    @property
    def failed(self) -> int:
        return sum(ends[name] for ends in self.ends.values() for name in FAILURES)

    def rows(self) -> Iterator[str]:
        names = (*ENDS, *FAILURES)
        yield (
            f"{'command':<9} {'pairs':>7} "
            + " ".join(f"{name:>11}" for name in names)
            + ("  mean [s]  most [s]  most [MB]")
        )
        for sort in self.ends:
            yield self.row(sort)
        whole: Counter[str] = sum(self.ends.values(), Counter())
        yield from (f"{count:>7,} {kind}" for kind, count in self.kinds.most_common())
        yield f"{'all':<9} {whole.total():>7,} " + " ".join(f"{whole[name]:>11,}" for name in names)

    def row(self, sort: str) -> str:
        ends, seconds = self.ends[sort], self.seconds[sort]
        counts = " ".join(f"{ends[name]:>11,}" for name in (*ENDS, *FAILURES))
        mean = sum(seconds) / len(seconds)
        most = f"{max(seconds):9.2f} {self.growth[sort] / 1e6:10.0f}"
        return f"{sort:<9} {ends.total():>7,} {counts} {mean:9.3f} {most}"
