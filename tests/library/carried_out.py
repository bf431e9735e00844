"""Messages among ranks, carried out and counted; and rings, which many collectives are made of.

Every rank has chunks. A round is a list of messages, each of the chunks that one rank sends to
another at once with the others.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias


class Message(NamedTuple):
    """Chunks that go from one rank to another, to be added to its own or to be kept beside them."""

    sender: int
    receiver: int
    chunks: list[Hashable]
    added: bool = False


Round: TypeAlias = list[Message]
Rounds: TypeAlias = Iterator[Round]
Held: TypeAlias = list[dict[Hashable, int]]  # by rank: who is in a chunk, as bits of a number


class Counted:
    """What rounds send and add, in vectors: in sequence, by the busiest rank, and by all."""

    def __init__(self, ranks: int) -> None:
        self.network = self.flops = Fraction(0)  # the busiest of each round, one after another
        self.messages = 0
        self.sent = [Fraction(0)] * ranks
        self.received = [Fraction(0)] * ranks
        self.all_messages = 0
        self.all_flops = Fraction(0)

    def count(self, messages: Round, chunk: Fraction) -> None:
        sizes = [len(message.chunks) * chunk for message in messages]
        for message, size in zip(messages, sizes, strict=True):
            self.sent[message.sender] += size
            self.received[message.receiver] += size
        additions = [size for size, each in zip(sizes, messages, strict=True) if each.added]
        self.network += max(sizes)
        self.flops += max(additions, default=Fraction(0))
        self.all_flops += sum(additions)
        self.all_messages += len(messages)
        self.messages += 1

    @property
    def all_network(self) -> Fraction:
        return sum(self.sent, Fraction(0))


def carry_out(held: Held, rounds: Iterable[Round], chunk: Fraction) -> Counted:
    """Send all messages of a round at once; a rank sends one and gets one, of what it has."""
    counted = Counted(len(held))
    for messages in rounds:
        senders = [message.sender for message in messages]
        receivers = [message.receiver for message in messages]
        assert len({*senders}) == len(senders)
        assert len({*receivers}) == len(receivers)
        arriving = [[held[each.sender][name] for name in each.chunks] for each in messages]
        for message, values in zip(messages, arriving, strict=True):
            assert message.sender != message.receiver
            own = held[message.receiver]
            for name, value in zip(message.chunks, values, strict=True):
                if message.added:
                    assert own[name] & value == 0  # nobody's vector is added twice
                    own[name] |= value
                else:
                    own[name] = value
        if messages:
            counted.count(messages, chunk)
    return counted


# What ranks begin with


def vectors(P: int, chunks: Iterable[Hashable]) -> Held:
    names = [*chunks]
    return [dict.fromkeys(names, 1 << rank) for rank in range(P)]


def everybody(P: int) -> int:
    return (1 << P) - 1


# The algorithms. A ring among `group`: chunks `of(i)` belong to its i-th rank.

Group: TypeAlias = Sequence[int]
Of: TypeAlias = Callable[[int], list[Hashable]]


def one(rank: int) -> list[Hashable]:
    return [rank]


def at_once(runs: Iterable[Rounds]) -> Rounds:
    """Runs of groups that have no rank in common go on at the same time."""
    for rounds in zip(*runs, strict=True):
        yield [message for messages in rounds for message in messages]


def ring_reduce_scatter(group: Group, of: Of = one) -> Rounds:
    p = len(group)
    for step in range(p - 1):
        yield [
            Message(group[i], group[(i + 1) % p], of((i - 1 - step) % p), added=True)
            for i in range(p)
        ]


def ring_all_gather(group: Group, of: Of = one) -> Rounds:
    p = len(group)
    for step in range(p - 1):
        yield [Message(group[i], group[(i + 1) % p], of((i - step) % p)) for i in range(p)]


def ring_all_reduce(group: Group, of: Of = one) -> Rounds:
    yield from ring_reduce_scatter(group, of)
    yield from ring_all_gather(group, of)
