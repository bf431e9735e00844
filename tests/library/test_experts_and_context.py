"""Experts dealt to ranks, and attention in a ring, carried out: what ranks send is what is said."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import roofdsl as rd
from tests.library.numpy_ranks import Numbers, Ranks

EXPERTS = rd.load("collectives.expert_parallel").models["expert_parallel"]
CONTEXT = rd.load("collectives.context_parallel").models
H, TOP = 6, 2


class Layer:
    """As many experts as P ranks have, each a product; tokens go to TOP of them, evenly."""

    def __init__(self, P: int, experts: int, tokens: int) -> None:
        random = np.random.default_rng(experts)
        self.P, self.each, self.tokens = P, experts // P, tokens
        self.weights = random.integers(-3, 4, (experts, H, H)).astype(np.float32)
        self.x = random.integers(-3, 4, (P * tokens, H)).astype(np.float32)
        self.dy = random.integers(-3, 4, (P * tokens, H)).astype(np.float32)
        number = np.arange(P * tokens)[:, None]
        self.chosen = (number + np.arange(TOP) * (experts // TOP)) % experts

    def places(self, rank: int, owner: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the tokens of a rank, and the experts of another one that they go to."""
        own = self.chosen[rank * self.tokens : (rank + 1) * self.tokens]
        token, choice = np.nonzero(own // self.each == owner)
        return token + rank * self.tokens, own[token, choice]

    def there_and_back(self, ranks: Ranks, values: Numbers, weights: Numbers) -> Numbers:
        """Send tokens to experts, multiply, send back, and add up what each token gets."""
        P = self.P
        sent = [[values[self.places(i, owner)[0]] for owner in range(P)] for i in range(P)]
        arrived = ranks.exchange(sent)
        made = []
        for owner in range(P):
            products = []
            for i in range(P):
                experts = self.places(i, owner)[1]
                assert np.all(experts // self.each == owner)
                products.append(np.einsum("ij,ijk->ik", arrived[owner][i], weights[experts]))
            made.append(products)
        found = np.zeros_like(values)
        for i, back in enumerate(ranks.exchange(made)):
            for owner, results in enumerate(back):
                np.add.at(found, self.places(i, owner)[0], results)
        return found


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("P", [1, 2, 3, 4, 6])
def test_tokens_go_to_experts_and_back(P: int, full: bool) -> None:
    experts = 2 * P
    tokens = 4 * P
    layer = Layer(P, experts, tokens)
    ranks = Ranks(P)
    for _ in range(2 if full else 1):
        y = layer.there_and_back(ranks, layer.x, layer.weights)
    dx = layer.there_and_back(ranks, layer.dy, layer.weights.transpose(0, 2, 1))
    of_all = layer.weights[layer.chosen]  # by token and choice
    assert np.array_equal(y, np.einsum("ij,itjk->ik", layer.x, of_all))
    assert np.array_equal(dx, np.einsum("ik,itjk->ij", layer.dy, of_all))

    said = EXPERTS.evaluate(tokens=tokens, h=H, top=TOP, layers=1, ranks=P, full=full)
    assert {*ranks.sent} == {said["network"]}
    assert {*ranks.messages} == {said["messages"]}
    assert said["total.network"] == sum(ranks.sent)


class RingAttention:
    """Attention of one head: each rank has the queries, keys and values of its tokens."""

    def __init__(self, P: int, s: int, d: int) -> None:
        random = np.random.default_rng(s)
        self.P = P
        self.q, self.k, self.v, self.do = (random.standard_normal((s, d)) for _ in range(4))
        self.parts = [slice(s // P * i, s // P * (i + 1)) for i in range(P)]

    def blocks(self) -> list[Numbers]:
        """Return the keys and values of each rank, in one message."""
        return [np.stack((self.k[part], self.v[part])) for part in self.parts]

    def forward(self, ranks: Ranks) -> tuple[Numbers, Numbers]:
        """Return results, and the logarithm of the sum of exponentials of each query."""
        results, sums = np.zeros_like(self.q), np.full(len(self.q), -np.inf)
        held = self.blocks()
        for step in range(self.P):
            for part, (k, v) in zip(self.parts, held, strict=True):
                scores = self.q[part] @ k.T
                own = np.log(np.exp(scores).sum(1))
                both = np.logaddexp(sums[part], own)
                results[part] *= np.exp(sums[part] - both)[:, None]
                results[part] += np.exp(scores - both[:, None]) @ v
                sums[part] = both
            if step < self.P - 1:
                held = ranks.hand_on(held)
        return results, sums

    def backward(
        self, ranks: Ranks, results: Numbers, sums: Numbers
    ) -> tuple[Numbers, Numbers, Numbers]:
        """Return gradients of queries, keys and values; those of a block follow it round."""
        dq = np.zeros_like(self.q)
        held = self.blocks()
        own: list[Numbers] = []  # of a rank's queries to its own block, added at the end
        gradients: list[Numbers] = []
        for step in range(self.P):
            made = []
            for part, (k, v) in zip(self.parts, held, strict=True):
                p = np.exp(self.q[part] @ k.T - sums[part][:, None])
                do = self.do[part]
                ds = p * (do @ v.T - (do * results[part]).sum(1)[:, None])
                dq[part] += ds @ k
                made.append(np.stack((ds.T @ self.q[part], p.T @ do)))
            if step == 0:
                own = made
            else:
                before = ranks.hand_on(gradients) if step > 1 else [np.zeros_like(x) for x in made]
                gradients = [one + other for one, other in zip(before, made, strict=True)]
            if step < self.P - 1:
                held = ranks.hand_on(held)
        if self.P > 1:
            home = ranks.hand_on(gradients)
            own = [one + other for one, other in zip(own, home, strict=True)]
        dk, dv = (np.concatenate([made[which] for made in own]) for which in (0, 1))
        return dq, dk, dv


@pytest.mark.parametrize("P", [1, 2, 3, 4, 6])
def test_keys_and_values_come_by_in_a_ring(P: int) -> None:
    s, d = 24, 5
    run, alone = RingAttention(P, s, d), RingAttention(1, s, d)
    forward, backward = Ranks(P), Ranks(P)
    results, sums = run.forward(forward)
    scores = np.exp(run.q @ run.k.T)
    np.testing.assert_allclose(results, scores @ run.v / scores.sum(1, keepdims=True), rtol=1e-9)
    found = run.backward(backward, results, sums)
    expected = alone.backward(Ranks(1), *alone.forward(Ranks(1)))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    # The gradient of a sum of results, by differences in one key.
    changed = RingAttention(1, s, d)
    changed.k[3, 2] += 1e-6
    difference = ((changed.forward(Ranks(1))[0] - results) * run.do).sum() / 1e-6
    assert found[1][3, 2] == pytest.approx(difference, rel=1e-3)

    sizes: dict[str, int | str] = {"B": 1, "s": s, "kv": 1, "d": d, "ranks": P, "dtype": "fp64"}
    back: dict[str, int | str] = {**sizes, "summed": "fp64"}
    for name, ranks, values in (
        ("ring_attention", [forward], sizes),
        ("ring_attention_backward", [backward], back),
        ("context_parallel", [forward, backward], {**back, "layers": 1}),
        ("context_parallel", [forward, forward, backward], {**back, "layers": 1, "full": True}),
    ):
        said = CONTEXT[name].evaluate(**values)
        sent = {*map(sum, zip(*(each.sent for each in ranks), strict=True))}
        assert sent == {said["network"]}
        assert said["messages"] == sum(each.messages[0] for each in ranks)
        assert said["total.network"] == P * sent.pop()
