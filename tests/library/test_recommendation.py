"""DLRM over ranks, carried out with small tables: what ranks exchange is what the library says.

Row r of every table is on rank r mod P. Each rank looks up its rows for the inputs of all ranks and
sends them to those; the gradients of the rows come back the same way and are added up. All of it
gives what one rank with all tables and all inputs has. The layers' gradients go round a ring.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import roofdsl as rd
from tests.library.numpy_ranks import Numbers, Ranks

TABLES, ROWS = 26, 24


class Step:
    """One step of training among ranks, of the tables and of what the layers need of others."""

    def __init__(self, P: int, batch: int, features: int) -> None:
        random = np.random.default_rng(P)
        self.P, self.batch = P, batch
        # Every P inputs that follow one another look up a row of each rank, in every table.
        self.indices = (np.arange(P * batch)[:, None] + np.arange(TABLES)) % ROWS
        shape = (TABLES, ROWS, features)
        self.tables = random.integers(-99, 100, shape).astype(np.float32)
        self.gradient = random.integers(-9, 10, (P * batch, TABLES, features)).astype(np.float32)

    def wanted(self, rank: int, owner: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the inputs of a rank, each with a table, whose row the owner has."""
        own = self.indices[rank * self.batch : (rank + 1) * self.batch]
        inputs, tables = np.nonzero(own % self.P == owner)
        return inputs, tables

    def looked_up(self, ranks: Ranks) -> Numbers:
        """Return the rows of all inputs, each where its input is."""
        parts = [
            [
                self.tables[table, self.indices[rank * self.batch + place, table]]
                for rank in range(self.P)
                for place, table in [self.wanted(rank, owner)]
            ]
            for owner in range(self.P)
        ]
        found = np.full(self.gradient.shape, np.nan, dtype=np.float32)
        for rank, arrived in enumerate(ranks.exchange(parts)):
            for owner, vectors in enumerate(arrived):
                place, table = self.wanted(rank, owner)
                found[rank * self.batch + place, table] = vectors
        return found

    def added_up(self, ranks: Ranks) -> Numbers:
        """Return the gradient of all tables, each row's made where the row is."""
        parts = [
            [
                self.gradient[rank * self.batch + place, table]
                for owner in range(self.P)
                for place, table in [self.wanted(rank, owner)]
            ]
            for rank in range(self.P)
        ]
        found = np.zeros_like(self.tables)
        for owner, arrived in enumerate(ranks.exchange(parts)):
            for rank, vectors in enumerate(arrived):
                place, table = self.wanted(rank, owner)
                row = self.indices[rank * self.batch + place, table]
                assert np.all(row % self.P == owner)
                np.add.at(found, (table, row), vectors)
        return found


@pytest.mark.parametrize("P", [1, 2, 3, 4, 6, 8])
@pytest.mark.parametrize(
    ("name", "features", "layers"), [("dlrm_kaggle", 16, 475_985), ("dlrm_mlperf", 128, 2_368_897)]
)
def test_rows_and_their_gradients_are_exchanged(
    name: str, features: int, layers: int, P: int
) -> None:
    batch = 2 * P
    step = Step(P, batch, features)
    there, back, ring = Ranks(P), Ranks(P), Ranks(P)

    every = np.arange(TABLES)
    assert np.array_equal(step.looked_up(there), step.tables[every, step.indices])
    alone = np.zeros_like(step.tables)
    np.add.at(alone, (np.broadcast_to(every, step.indices.shape), step.indices), step.gradient)
    assert np.array_equal(step.added_up(back), alone)
    each = [np.full(layers, rank + 1, dtype=np.float32) for rank in range(P)]
    for vector in ring.all_reduce(each):
        assert np.all(vector == P * (P + 1) / 2)

    for model, runs in (
        (name, [there]),
        (f"{name}_backward", [back]),
        (f"{name}_training", [there, back, ring]),
    ):
        said = rd.load_model(model).evaluate(batch=batch, ranks=P)
        sent = [sum(each) for each in zip(*(run.sent for run in runs), strict=True)]
        assert said["total.network"] == sum(sent)
        assert said["messages"] == max(map(sum, zip(*(run.messages for run in runs), strict=True)))
        if ring not in runs:
            assert {*sent} == {said["network"]}


def test_each_rank_holds_its_share_of_the_tables() -> None:
    """As many ranks as hold MLPerf's tables: 96 GB of them, with 80 GB each."""
    card = rd.load_machine("dgx_a100")
    model = rd.load_model("dlrm_mlperf_training")
    for P in (1, 2, 5, 8, 16):
        result = model.on(card).evaluate(batch=2048, ranks=P)
        rows = -(-187_767_399 // P)
        assert result.tallies["weights"] == 4 * (128 * rows + 2_368_897)
        assert result.fits["peak_memory"] is (P > 1)
