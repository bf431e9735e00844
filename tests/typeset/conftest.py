"""What the tests of notations share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.typeset.node import Node


@pytest.fixture(scope="session")
def node() -> Iterator[Node]:
    running = Node()
    yield running
    running.close()
