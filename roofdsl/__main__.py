"""The program `roofdsl`: how it ends when it is told to, and what it prints to; then the command.

A signal ends it like an error, so that what is half written is removed, with the code that shells
give to such an end: 128 and the signal's number. Nothing is said.
"""

from __future__ import annotations

import os
import signal
import sys
from io import TextIOWrapper
from types import FrameType

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


def main() -> None:
    """Run the command line as a program of its own."""
    for number in _numbers():
        # What the caller has us ignore, as `nohup` does, stays ignored.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _end)
    if sys.stderr is None:  # it is closed: what is said there is lost
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - as long as we run
    if isinstance(sys.stdout, TextIOWrapper):
        # As all our files are, whatever the locale: else there may be no `×` to print.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    from roofdsl.cli.main import main as run  # it takes most of a short command's time

    run()


def _numbers() -> list[signal.Signals]:
    return [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]


def _end(number: int, _: FrameType | None) -> None:
    for other in _numbers():
        signal.signal(other, signal.SIG_IGN)  # a second one must not stop the cleaning up
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main()
