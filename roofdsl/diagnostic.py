"""Problems as values: what is wrong, where, and what to do about it.

A pass returns diagnostics; only the edge of the API raises them, all together, as `RoofError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from roofdsl.source import Span
from roofdsl.unchanging import Unchanging


class Label(NamedTuple):
    """A place a diagnostic points at, with what to see there."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Diagnostic(Unchanging):
    """One problem: a code of `codes.CODES`, a sentence, the places it is about, and a hint.

    The first label is the place to go to; the others explain it.
    """

    code: str
    message: str
    labels: tuple[Label, ...] = ()
    hint: str | None = None
    notes: tuple[str, ...] = ()
    severity: Literal["error", "warning"] = "error"

    @classmethod
    def at(
        cls,
        code: str,
        message: str,
        *places: Span | Label,
        hint: str | None = None,
        notes: tuple[str, ...] = (),
        severity: Literal["error", "warning"] = "error",
    ) -> Diagnostic:
        """Return the problem at places: the one to go to, and with labels what explains it.

        >>> from roofdsl.source import Source
        >>> place = Span(Source("demo", "N²"), 1, 2)
        >>> Diagnostic.at("R0104", "'²' means nothing", place).labels == (Label(place),)
        True
        """
        labels = tuple(place if isinstance(place, Label) else Label(place) for place in places)
        return cls(code, message, labels, hint, notes, severity)

    @property
    def span(self) -> Span | None:
        """The first place, None where there is none."""
        return self.labels[0].span if self.labels else None

    def __str__(self) -> str:
        from roofdsl.excerpt import render

        return render(self)


Reporter: TypeAlias = Callable[[Diagnostic], None]
"""What takes the problems that a pass finds."""


class RoofError(Exception):
    """Raised at the edge of the API: carries every diagnostic found, errors and warnings.

    >>> try:
    ...     raise RoofError([Diagnostic("R0001", "there is no file 'x.roof'")])
    ... except RoofError as error:
    ...     print(error)
    error[R0001]: there is no file 'x.roof'
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = _diagnostics(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        told, more = worth_telling(self.diagnostics)
        return "\n\n".join([*map(str, told), *more])


def _diagnostics(given: object) -> tuple[Diagnostic, ...]:
    """Return several diagnostics; raise TypeError for what is none, from code without types."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"RoofError takes a list of Diagnostic, not {type(given).__name__}")
    found = tuple(given)
    for each in found:
        if not isinstance(each, Diagnostic):
            raise TypeError(f"RoofError takes a list of Diagnostic, not of {type(each).__name__}")
    return found


def raise_if_any(problems: Iterable[Diagnostic]) -> None:
    """Raise RoofError if there are problems."""
    if found := tuple(problems):
        raise RoofError(found)


MOST_PROBLEMS = 200
"""How many problems of one file are reported."""

MOST_OF_A_KIND = 20
"""How many problems with one code are told; they mostly have one cause."""


def worth_telling(problems: Iterable[Diagnostic]) -> tuple[list[Diagnostic], list[str]]:
    """Return the first problems of each kind, and what to say of the others.

    >>> told, more = worth_telling([Diagnostic("R0407", "no value")] * 3000)
    >>> len(told), more
    (20, ['and 2,980 more of R0407'])
    """
    kinds: dict[str, list[Diagnostic]] = {}
    told: list[Diagnostic] = []
    for problem in problems:
        kind = kinds.setdefault(problem.code, [])
        if len(kind) < MOST_OF_A_KIND:
            told.append(problem)
        kind.append(problem)
    many = {code: len(kind) - MOST_OF_A_KIND for code, kind in kinds.items()}
    return told, [f"and {count:,} more of {code}" for code, count in many.items() if count > 0]


_MOST_CANDIDATES = 2000
_LONGEST_NAME = 60


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """Return a hint naming the candidate closest to `name`, or None if nothing is close.

    >>> did_you_mean("memroy", ["memory", "network"])
    "did you mean 'memory'?"
    """
    close = closest(name, candidates)
    return f"did you mean '{close}'?" if close else None


def closest(name: str, candidates: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the candidate closest to `name`, or None if nothing is close."""
    from difflib import get_close_matches  # only a mistake needs it

    unsorted = set(candidates)
    if len(unsorted) > _MOST_CANDIDATES or len(name) > _LONGEST_NAME:
        return None  # comparing so much text takes long, and is done for each unknown name
    names = sorted(unsorted)
    close = get_close_matches(name, names, n=1, cutoff=likeness)
    if not close:
        close = [other for other in names if other.lower() == name.lower()][:1]
    return close[0] if close else None


def listing(names: Iterable[str], limit: int = 12) -> str:
    """Return names as a readable list: `'a', 'b' and 'c'`."""
    quoted = [f"'{name}'" for name in names]
    if len(quoted) > limit:
        return ", ".join(quoted[:limit]) + f" and {len(quoted) - limit} more"
    if len(quoted) > 1:
        return ", ".join(quoted[:-1]) + f" and {quoted[-1]}"
    return quoted[0] if quoted else "none"
