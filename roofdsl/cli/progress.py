"""A bar on stderr for what takes long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

BAR_FROM = 3
"""So many take long enough for a bar."""


@contextmanager
def progress(count: int, of: str = "models") -> Iterator[Callable[[str], None]]:
    """Give a function to call after each model, or what else there are `count` of."""
    hidden = count < BAR_FROM
    with click.progressbar(
        length=count, label=of, file=sys.stderr, show_pos=True, hidden=hidden
    ) as bar:
        yield lambda _: bar.update(1)
