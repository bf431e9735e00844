"""What is started to be interrupted takes interrupts."""

from __future__ import annotations

import signal


def heed_interrupts() -> None:
    """Take interrupts, in a child: what was started in the background of a shell takes none."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
