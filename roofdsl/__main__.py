"""The program `roofdsl`: how it ends when it is told to, and what it prints to; then the command.

A signal ends it like an error, so that what is half written is removed, with the code that shells
give to such an end: 128 and the signal's number. Nothing is said.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from io import BufferedWriter, RawIOBase, TextIOWrapper
from types import FrameType

_ENDING = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_AGAIN = 1.0  # seconds
_ended: list[int] = []


def main() -> None:
    """Run the command line as a program of its own."""
    try:
        for number in _ENDING:
            # What the caller has us ignore, as `nohup` does, stays ignored.
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, _end)
        if sys.stderr is None:  # it is closed: what is said there is lost
            sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for good
        if isinstance(sys.stdout, TextIOWrapper):
            if isinstance(sys.stdout.buffer, RawIOBase):
                # Unbuffered, what a full disk does not take would be lost without an error.
                sys.stdout = TextIOWrapper(BufferedWriter(sys.stdout.buffer))
            # As all our files are, whatever the locale: else there may be no `×` to print.
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        from roofdsl.cli.main import main as run  # it takes most of a short command's time

        run()
    except BaseException:  # the end may have become another error on its way, in a class's making
        if _ended:
            raise SystemExit(_ended[0]) from None
        raise
    finally:
        _ignore_more()
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)


def _end(number: int, _: FrameType | None) -> None:
    _ignore_more()  # a second one must not stop the cleaning up
    _ended.append(128 + number)
    # An end that comes in a callback of Python's is lost, and is asked for again.
    sys.unraisablehook = lambda _: None
    # A library that is just imported may take it for a failure, and warn.
    warnings.simplefilter("ignore")
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _end)
        signal.setitimer(signal.ITIMER_REAL, _AGAIN)
    raise SystemExit(_ended[0])


def _ignore_more() -> None:
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    main()
