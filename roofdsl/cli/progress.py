"""A bar on stderr for what takes long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

BAR_FROM = 3
"""So many models take long enough for a bar."""


@contextmanager
def progress(count: int) -> Iterator[Callable[[str], None]]:
    """Give a function to call after each model, of which there are `count`."""
    if count < BAR_FROM:
        yield lambda _: None
        return
    with click.progressbar(length=count, label="models", file=sys.stderr, show_pos=True) as bar:

        def done(_: str) -> None:
            bar.update(1)

        yield done
