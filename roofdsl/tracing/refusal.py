"""Why a function cannot be counted: raised through its code, which must not take it for its own."""

from __future__ import annotations


class Refused(BaseException):
    """A reason, at the line of the script that is being run; `hint` is what to do.

    No `Exception`, so that a handler in the script does not go on without what was not counted.
    """

    code = "R1545"

    def __init__(self, reason: str, hint: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


class Uncounted(Refused):
    """An operation that there is no count for."""

    code = "R1545"


class DependsOnData(Refused):
    """What is done next hangs on what the arrays hold."""

    code = "R1544"


class OutOfTime(Refused):
    """The runs take longer than they may."""

    code = "R1547"
