"""Loops that are timed do what they say: in C, by Numba and by NumPy, beside plain Python."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from roofdsl.measure import compiled, loops
from roofdsl.measure.arithmetic import special, vector
from roofdsl.measure.bandwidth import levels, stream
from roofdsl.measure.hardware import Cache, Hardware
from roofdsl.measure.job import Job
from roofdsl.measure.loops import LOOPS, Arrays, Loops, best_loops, by_numba, by_numpy, in_threads
from roofdsl.measure.timing import Effort

SIZE = 5003
LITTLE = Effort(0.0, 2, 2)


@contextmanager
def _named(name: str) -> Iterator[Loops]:
    if name == "C":
        if not any(map(shutil.which, compiled.COMPILERS)):
            pytest.skip("there is no compiler of C")
        with best_loops() as found:
            assert found.how.startswith("C, ")
            yield found
    elif name == "Numba":
        pytest.importorskip("numba", reason="of the extra `measure`")
        found_by = by_numba()
        assert found_by is not None
        yield found_by
    else:
        yield by_numpy()


def expected(name: str, flops: int, arrays: Arrays) -> Arrays:
    a, b, c = (each.copy() for each in arrays)
    if name == "copy":
        c = a
    elif name == "scale":
        b = 3 * c
    elif name == "add":
        c = a + b
    elif name == "triad":
        a = b + 3 * c
    else:
        for _ in range(flops // 2):
            a = a / 2 + 1 / 2
    return Arrays(a, b, c)


@pytest.mark.parametrize("by", ["C", "Numba", "NumPy"])
def test_each_loop_computes_what_stream_has_it_compute(by: str) -> None:
    random = np.random.default_rng(7)
    with _named(by) as found:
        for precision in ("fp64", "fp32"):
            for name in LOOPS:
                given = loops.arrays_of(SIZE, precision)
                for each in given:
                    each[:] = random.random(SIZE)
                result = expected(name, found.flops, given)
                found.run(name, precision, given, 1)
                for one, other in zip(given, result, strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-5)


def test_a_loop_that_is_done_again_goes_on_where_it_was() -> None:
    with _named("C") as found:
        given = Arrays(np.zeros(SIZE), np.zeros(SIZE), np.zeros(SIZE))
        found.run("adds", "fp64", given, 3)
        assert np.allclose(given.a, 1 - 0.5**48)


def test_without_a_compiler_and_without_numba_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(compiled, "COMPILERS", ())
    monkeypatch.setattr(loops, "by_numba", lambda: None)
    with best_loops(said.append) as found:
        assert found.how == f"NumPy {np.__version__}"
        assert not found.compiled
    assert len(said) == 2


def test_a_compiler_that_fails_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\necho wrong >&2\nexit 3\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with compiled.built() as found:
        assert found is None
    assert [*tmp_path.iterdir()] == [broken], "nothing is left"


@pytest.mark.parametrize(
    ("name", "first", "said"),
    [
        ("cc", "cc (Debian 12.2.0-14+deb12u1) 12.2.0", "gcc 12.2.0"),
        ("gcc", "gcc-13 (Homebrew GCC 13.2.0) 13.2.0", "gcc 13.2.0"),
        ("cc", "Apple clang version 15.0.0 (clang-1500.3.9.4)", "clang 15.0.0"),
        ("clang", "Ubuntu clang version 18.1.3 (1ubuntu1)", "clang 18.1.3"),
        ("cc", "", "cc"),
    ],
)
def test_a_compiler_is_told_by_its_name_and_version(
    name: str, first: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "_ran", lambda *_: f"{first}\nThis is free software\n")
    assert compiled._version(name, "x") == said


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_work_at_once_and_errors_come_out(threads: int) -> None:
    done: list[int] = []
    with in_threads(threads) as together:
        together(lambda: done.append(1))
        with pytest.raises(ZeroDivisionError):
            together(lambda: 1 / 0)
    assert len(done) == threads


def test_jobs_count_what_stream_counts() -> None:
    machine = Hardware("p", (Cache(1, 32 << 10, 1), Cache(2, 1 << 20, 1)), None, None, "Linux")
    calls: list[tuple[str, int, int]] = []

    def run(name: str, _precision: str, arrays: Arrays, passes: int) -> None:
        calls.append((name, arrays.a.size, passes))

    counted = Loops("counted", run, 32, compiled=True)

    def each_of(jobs: Iterator[Job], bytes_of: Callable[[str, int, int], float]) -> None:
        for job in jobs:
            calls.clear()
            job.work()
            assert len(set(calls)) == 1
            assert job.amount == 2 * bytes_of(*calls[0]), job

    words = {"copy": 16, "scale": 16, "add": 24, "triad": 24}
    with in_threads(2) as together:
        each_of(
            stream(counted, together, 1 << 16, 2, LITTLE),
            lambda name, count, passes: words[name] * count * passes,
        )
        each_of(
            levels(machine, counted, together, 2, LITTLE, 2),
            lambda _, count, passes: 24 * count * passes,
        )
        each_of(
            vector(counted, together, "fp32", 2, LITTLE),
            lambda _, count, passes: 32 * count * passes,
        )
        (exponentials,) = special(together, "fp64", 2, LITTLE)
        assert exponentials.amount == 2 * (16384 / 8) * 500
        assert exponentials.work().repeats == 2
