"""Arrays of NumPy that count what is done with them, by the protocols NumPy has for that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt
from numpy.lib.mixins import NDArrayOperatorsMixin

from roofdsl.tracing.refusal import DependsOnData, Uncounted
from roofdsl.tracing.tally import NOTHING, Places, Region, Store, Tally, Work

Array: TypeAlias = npt.NDArray[np.generic]
_FUNCTIONS_BY_METHOD = frozenset(
    "sum prod mean var std min max argmin argmax cumsum cumprod any all dot reshape ravel transpose"
    " swapaxes squeeze clip conj conjugate diagonal trace take repeat round copy".split()
)
"""Methods that do what the function of the same name does."""
_HINT_BY_VALUE = "what is counted must not hang on data: a number of an array counts as it is"
_HINT_OF_NUMBER = "leave it as it is, without float() or item(): it counts as a number does"
_HINT_OF_BRANCH = "count one branch, or so many rounds of a loop as an argument says"


class Traced(NDArrayOperatorsMixin):
    """An array, and where its elements stand in memory.

    Without dimensions it is a number in a register, which is neither read nor written.
    """

    __slots__ = ("places", "plain", "store", "tally")
    __hash__ = None  # type: ignore[assignment]  # as of arrays: equality is by element

    def __init__(self, data: Array, places: Places, store: Store, tally: Tally) -> None:
        self.plain = data
        self.places = places
        self.store = store
        self.tally = tally

    # What an array says of itself

    @property
    def shape(self) -> tuple[int, ...]:
        return self.plain.shape

    @property
    def ndim(self) -> int:
        return self.plain.ndim

    @property
    def size(self) -> int:
        return self.plain.size

    @property
    def dtype(self) -> np.dtype[np.generic]:
        return self.plain.dtype

    @property
    def itemsize(self) -> int:
        return self.plain.itemsize

    @property
    def nbytes(self) -> int:
        return self.plain.nbytes

    @property
    def T(self) -> Traced:
        return self.viewed(np.transpose)

    @property
    def real(self) -> Traced:
        return self if self.dtype.kind != "c" else self._part(lambda data: data.real)

    @property
    def imag(self) -> Traced:
        return self._part(lambda data: data.imag)

    @property
    def region(self) -> tuple[Region, ...]:
        """Its elements in memory; none for a number."""
        return (Region(self.store, self.places),) if self.ndim else ()

    def __len__(self) -> int:
        return len(self.plain)

    def __iter__(self) -> Iterator[Traced]:
        return (self[place] for place in range(len(self.plain)))

    def __repr__(self) -> str:
        return f"<array of shape {self.shape}, {self.dtype}>"

    # Results

    def viewed(self, function: Callable[..., object], *args: object, **more: object) -> Traced:
        """Return other elements, or another order of them: a view is free, a copy is counted."""
        data = as_array(function(self.plain, *args, **more))
        places = np.asarray(function(self.places, *args, **more), np.intp)
        if not data.size or np.may_share_memory(data, self.plain):
            return Traced(data, places, self.store, self.tally)
        seen = [Region(self.store, places)]
        return self.tally_result(function.__name__, data, seen, known=self.store.known)

    def tally_result(
        self, operation: str, data: Array, reads: Sequence[Region], *, known: bool
    ) -> Traced:
        """Return an array that was copied from regions."""
        result = new(data, self.tally, known=known)
        self.tally.count(operation, NOTHING, reads, result.region)
        return result

    def _part(self, function: Callable[[Array], object]) -> Traced:
        data = as_array(function(self.plain))
        return self.tally_result("part", data.copy(), self.region, known=self.store.known)

    def astype(self, dtype: npt.DTypeLike, copy: bool = True) -> Traced:
        if np.dtype(dtype) == self.dtype and not copy:
            return self
        return self.tally_result("astype", self.plain.astype(dtype), self.region, known=self.known)

    def flatten(self) -> Traced:
        return self.tally_result("flatten", self.plain.flatten(), self.region, known=self.known)

    def __copy__(self) -> Traced:
        return self.viewed(np.copy)

    def __deepcopy__(self, _: object) -> Traced:
        return self.viewed(np.copy)

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise Uncounted("an array is sent to where nothing is counted, such as another process")

    def fill(self, value: object) -> None:
        self[...] = value

    @property
    def known(self) -> bool:
        return self.store.known

    # Elements

    def __getitem__(self, key: object) -> Traced:
        plain, reads, known = self._plain_key(key)
        data, places = _taken(self.plain, plain), _places(self.places, plain)
        known &= self.known
        if not data.ndim:
            # An element is loaded into a register.
            result = new(data, self.tally, known=known)
            self.tally.count("load", NOTHING, [Region(self.store, places)], ())
            return result
        if np.may_share_memory(data, self.plain) or (not data.size and not reads):
            return Traced(data, places, self.store, self.tally)
        reads.append(Region(self.store, places))
        return self.tally_result("gather", data, reads, known=known)

    def __setitem__(self, key: object, value: object) -> None:
        plain, reads, known = self._plain_key(key)
        places = _places(self.places, plain)
        self.store.known &= known
        if isinstance(value, Traced):
            same = value.store is self.store and value.ndim == places.ndim and value.ndim
            if same and np.array_equal(value.places, places):
                return  # `x[1:] += y`, which has been added in place
            reads += value.region
            self.store.known &= value.known
        elif isinstance(value, (np.ndarray, list, tuple)):
            self[key] = traced(value, self.tally)
            return
        setter: Callable[..., object] = self.plain.__setitem__
        setter(plain, value.plain if isinstance(value, Traced) else value)
        self.tally.count("store", NOTHING, reads, [Region(self.store, places)])

    def _plain_key(self, key: object) -> tuple[tuple[object, ...], list[Region], bool]:
        """Return an index without traced arrays, what of them is read, whether it is known."""
        parts = key if isinstance(key, tuple) else (key,)
        known = True
        plain, reads = list[object](), list[Region]()
        for part in parts:
            found = traced(part, self.tally) if isinstance(part, (list, np.ndarray)) else part
            if not isinstance(found, Traced):
                plain.append(found)
                continue
            if not found.known and found.dtype.kind == "b":
                raise DependsOnData(
                    "how many elements a mask selects hangs on the data",
                    "compute with all of them: np.where(mask, x, 0)",
                )
            if not found.known and not found.ndim:
                raise DependsOnData("which element is taken hangs on the data", _HINT_BY_VALUE)
            plain.append(found.plain if found.ndim else found.plain[()])
            reads += found.region
            known &= found.known
        return tuple(plain), reads, known

    # Values

    def _value(self, what: str, hint: str = _HINT_BY_VALUE) -> Array:
        if not self.known:
            raise DependsOnData(f"{what} hangs on the data", hint)
        return self.plain.reshape(())

    def __bool__(self) -> bool:
        return bool(self._value("a branch", _HINT_OF_BRANCH))

    def __int__(self) -> int:
        return int(self._value("a whole number"))

    def __float__(self) -> float:
        return float(self._value("a plain number", _HINT_OF_NUMBER))

    def __complex__(self) -> complex:
        return complex(self._value("a plain number"))

    def __index__(self) -> int:
        return int(self._value("an index or a number of rounds"))

    def item(self, *_: object) -> object:
        return self._value("a plain number", _HINT_OF_NUMBER).item()

    def tolist(self) -> object:
        if not self.known:
            raise DependsOnData("what an array holds is asked for", _HINT_BY_VALUE)
        return self.plain.tolist()

    def __contains__(self, _: object) -> bool:
        raise DependsOnData("what an array holds is looked for", _HINT_BY_VALUE)

    def __array__(self, *_: object, **more: object) -> NoReturn:
        raise Uncounted(
            "an array is handed to code that does not say what it does with it",
            "functions of NumPy's own are counted; others need arrays without a count",
        )

    # Operations

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **more: object
    ) -> object:
        from roofdsl.tracing.ufuncs import applied

        return applied(self.tally, ufunc, method, inputs, more)

    def __array_function__(
        self,
        function: Callable[..., object],
        _types: Iterable[type],
        args: tuple[object, ...],
        more: dict[str, object],
    ) -> object:
        from roofdsl.tracing.functions import called

        return called(self.tally, function, args, more)

    def __getattr__(self, name: str) -> Callable[..., object]:
        if name in _FUNCTIONS_BY_METHOD:
            function = getattr(np, {"conjugate": "conj"}.get(name, name))
            if name in ("reshape", "transpose"):
                return lambda *shape, **more: function(self, _together(shape), **more)
            return lambda *args, **more: function(self, *args, **more)
        if hasattr(np.ndarray, name) and not name.startswith("__"):
            raise Uncounted(f"'{name}' of an array is no operation that is counted")
        raise AttributeError(f"an array has no attribute '{name}'")


def _taken(data: Array, key: tuple[object, ...]) -> Array:
    return computed(data.__getitem__, key)


def _places(places: Places, key: tuple[object, ...]) -> Places:
    return np.asarray(computed(places.__getitem__, key), np.intp)


def _together(shape: tuple[object, ...]) -> object:
    """Return a shape or an order of axes, which may be one argument or several."""
    if not shape:
        return None
    return shape[0] if len(shape) == 1 else shape


def computed(function: Callable[..., object], *args: object, **more: object) -> Array:
    """Return what a function of NumPy's makes of arrays that do not count."""
    return np.asarray(function(*args, **more))


def as_array(value: object) -> Array:
    """Return a result of NumPy's as an array; a number has no dimensions."""
    return np.asarray(value)


def new(data: object, tally: Tally, *, known: bool) -> Traced:
    """Return an array in memory of its own."""
    array = as_array(data)
    places = np.arange(array.size, dtype=np.intp).reshape(array.shape)
    return Traced(array, places, tally.new_store(array.size, array.itemsize, known=known), tally)


def finished(
    tally: Tally,
    operation: str,
    work: Work,
    arrays: Sequence[Traced],
    data: Array,
    out: Traced | None = None,
) -> Traced:
    """Count an operation on arrays and return its result, in `out` if there is one."""
    known = all(each.known for each in arrays)
    reads = [region for each in arrays for region in each.region]
    if out is None:
        result = new(data, tally, known=known)
    else:
        out.plain[...] = data
        out.store.known &= known
        result = out
    tally.count(operation, work, reads, result.region)
    return result


def given(data: Array, tally: Tally) -> Traced:
    """Return an argument: memory that the function finds, with data that nothing may hang on."""
    store = Store(data.size, data.itemsize, given=True, known=False)
    tally.given.append(store)
    places = np.arange(data.size, dtype=np.intp).reshape(data.shape)
    return Traced(data, places, store, tally)


def keep_constants(values: Iterable[object], tally: Tally) -> None:
    """Take arrays that are there before the call, such as tables, for memory that it finds."""
    for value in values:
        if isinstance(value, np.ndarray) and value.ndim:
            tally.constants[id(value)] = new(value, tally, known=True)


def traced(value: object, tally: Tally) -> Traced:
    """Return a value as an array that counts; raise Uncounted for an array that was not counted."""
    if isinstance(value, Traced):
        return value
    if isinstance(value, np.ndarray) and value.ndim and id(value) in tally.constants:
        constant = tally.constants[id(value)]
        assert isinstance(constant, Traced)  # as `keep_constants` made it
        return constant
    if isinstance(value, np.ndarray) and value.ndim and tally.active:
        raise Uncounted(
            f"an array of shape {value.shape} was made by what is not counted",
            "make it before the call, as an argument, or by np.zeros, np.arange and the like",
        )
    if isinstance(value, (list, tuple)):
        parts = [traced(each, tally) for each in value]
        if parts:
            data = np.array([each.plain for each in parts])
            result = new(data, tally, known=all(each.known for each in parts))
            reads = [region for each in parts for region in each.region]
            if any(isinstance(each, Traced) for each in _leaves(value)):
                tally.count("array", NOTHING, reads, result.region)
            return result
    return new(value, tally, known=True)


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, (list, tuple)):
        for each in value:
            yield from _leaves(each)
    else:
        yield value
