"""A script is run by `trace` alone, and leaves nothing behind; what is not counted is refused."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import roofdsl as rd
from roofdsl.cli.main import cli

PACKAGE = Path(rd.__file__).parent


def run(*arguments: str) -> tuple[int, str, str]:
    found = CliRunner().invoke(cli, arguments)
    problems = str(found.exception) if isinstance(found.exception, rd.RoofError) else ""
    return found.exit_code, found.stdout, found.stderr + problems


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def codes(function: Callable[..., Any] | str, **arguments: str) -> list[str]:
    with pytest.raises(rd.RoofError) as refused:
        rd.trace(function, arguments)
    return [each.code for each in refused.value.diagnostics]


def test_nothing_else_loads_a_script() -> None:
    """Whatever could run the text of a file stands in one module."""
    words = re.compile(r"exec_module|runpy|spec_from_file|SourceFileLoader|\bexec\(|\beval\(")
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if words.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"tracing/script.py"}


def test_it_says_that_it_ran_the_function(folder: Path) -> None:
    (folder / "kernels.py").write_text("def double(x):\n    return x + x\n", encoding="utf-8")
    code, shown, _ = run("trace", "kernels.py:double", "x=f64[N]", "-o", "double.roof")
    assert (code, shown.splitlines()[0]) == (0, "double.roof")
    assert re.fullmatch(r"ran kernels\.py:double \d+ times", shown.splitlines()[1])
    help_text = run("trace", "--help")[1]
    assert "This runs the script and calls the function" in help_text
    assert re.search(r"Counted in \d+ runs", Path("double.roof").read_text(encoding="utf-8"))


def test_what_is_written_checks_and_is_what_is_printed(folder: Path) -> None:
    (folder / "kernels.py").write_text("def double(x):\n    return x + x\n", encoding="utf-8")
    run("trace", "kernels.py:double", "x=f64[N]", "-o", "double.roof")
    printed = run("trace", "kernels.py:double", "x=f64[N]")[1]
    assert printed == Path("double.roof").read_text(encoding="utf-8")
    assert run("check", "double.roof")[0] == 0
    assert run("test", "double.roof")[0] == 0
    assert rd.trace("kernels.py:double", {"x": "f64[N]"}).text == printed


def test_a_script_prints_nothing_reads_nothing_and_leaves_nothing(folder: Path) -> None:
    (folder / "beside.py").write_text("FACTOR = 3.0\n", encoding="utf-8")
    text = "import sys\nfrom beside import FACTOR\nprint('loaded')\n"
    text += "def triple(x):\n    print('called', x)\n    assert not sys.stdin.read()\n"
    text += "    return FACTOR * x\nif __name__ == '__main__':\n    raise ValueError\n"
    (folder / "kernels.py").write_text(text, encoding="utf-8")
    before, functions = [*sys.path], (np.zeros, np.asarray, np.empty, np.arange)
    code, shown, told = run("trace", "kernels.py:triple", "x=f64[N]")
    assert (code, told) == (0, "")
    assert "loaded" not in shown and "called" not in shown
    assert sys.path == before
    assert (np.zeros, np.asarray, np.empty, np.arange) == functions
    assert isinstance(np.zeros(3), np.ndarray)
    assert {each.name for each in folder.iterdir()} == {"beside.py", "kernels.py"}
    sys.modules.pop("beside")


def test_a_failing_script_leaves_no_file(folder: Path) -> None:
    (folder / "kernels.py").write_text("def broken(x):\n    return x[N]\n", encoding="utf-8")
    code, _, told = run("trace", "kernels.py:broken", "x=f64[N]", "-o", "broken.roof")
    assert code == 1
    assert "NameError" in told and "kernels.py:2" in told
    assert not Path("broken.roof").exists()


def test_a_script_is_not_written_over(folder: Path) -> None:
    text = "def double(x):\n    return x + x\n"
    (folder / "kernels.py").write_text(text, encoding="utf-8")
    assert run("trace", "kernels.py:double", "x=f64[N]", "-o", "kernels.py")[0] != 0
    assert (folder / "kernels.py").read_text(encoding="utf-8") == text


def test_annotations_say_what_arguments_are(folder: Path) -> None:
    text = "from __future__ import annotations\n"
    text += "def axpy(a, x: 'f32[N]', y: 'f32[N]', twice=False):\n    y += a * x\n"
    (folder / "kernels.py").write_text(text, encoding="utf-8")
    found = rd.trace("kernels.py:axpy", {"a": "2.0"})
    result = found.models["axpy"].on(rd.load_machine("karst")).evaluate(N=10)
    assert (result.flops, result.memory) == (20, 4 * 30)


def test_a_handler_in_the_script_does_not_go_on_uncounted() -> None:
    def careless(x: Any) -> Any:
        try:
            return np.interp(x, x, x)
        except Exception:  # noqa: BLE001 - as careless people write
            return x

    assert codes(careless, x="f64[N]") == ["R1545"]


def test_arrays_made_by_what_is_not_counted_are_refused() -> None:
    table = np.random.default_rng(0).random(3)

    def with_table(x: Any) -> Any:
        return x[:3] * table

    def random(x: Any) -> Any:
        return x + np.random.default_rng(0).random(len(x))

    def returned(x: Any) -> Any:
        return np.random.default_rng(0).random(len(x))

    assert codes(random, x="f64[N]") == ["R1545"]
    assert codes(returned, x="f64[N]") == ["R1545"]
    found = rd.trace(with_table, {"x": "f64[N]"}).models["with_table"]
    result = found.on(rd.load_machine("karst")).evaluate(N=5)
    assert (result.flops, result.memory) == (3, 8 * 9)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: float(x[0]),
        lambda x: x if x[0] else -x,
        lambda x: x[: int(x[0])],
        lambda x: x.tolist(),
        lambda x: x[0].item(),
        lambda x: 3.0 in x,
        lambda x: max(x),
        lambda x: np.nonzero(x),
        lambda x: np.where(x > 0),
        lambda x: np.unique(x),
        lambda x: np.linalg.eigvals(x * x[:, None]),
    ],
)
def test_what_hangs_on_data_is_refused(function: Callable[..., Any]) -> None:
    assert codes(function, x="f64[N]") == ["R1544"]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.add.at(x, [0], 1),
        lambda x: np.add.accumulate(x),
        lambda x: np.sum(x, where=x > 0),
        lambda x: np.modf(x),
        lambda x: x.byteswap(),
        lambda x: x.view("i8"),
        lambda x: np.i0(x),
        lambda x: np.polyfit(x, x, 1),
        lambda x: np.fft.fft(x, 64),
        lambda x: np.einsum("i,i,i->", x, x, x),
        lambda x: np.vectorize(abs)(x),
    ],
)
def test_what_is_not_counted_is_refused(function: Callable[..., Any]) -> None:
    assert codes(function, x="f64[N]") == ["R1545"]


def test_what_is_known_of_no_data_may_be_branched_on() -> None:
    def shifted(x: Any) -> Any:
        places = np.arange(len(x))
        total = np.zeros(())
        for place in places[:-1]:
            if place % 1 == 0 and len(x) > 2:
                x[place] = x[place + 1]
        return x + total

    def even(x: Any) -> Any:
        for place in np.arange(len(x)):
            if place > 0:
                x[place] = 2 * x[place]
        return x

    found = rd.trace(even, {"x": "f64[N]"}).models["even"]
    result = found.on(rd.load_machine("karst")).evaluate(N=9)
    assert result.memory == 8 * (8 + 8)
    assert codes(shifted, x="f64[N]") == ["R1545"]  # a remainder is not counted


def test_a_signal_of_the_users_own_is_kept() -> None:
    import signal

    before = signal.getsignal(signal.SIGALRM)
    rd.trace(lambda x: x + x, {"x": "f64[N]"})
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_what_may_hide_arrays_is_refused() -> None:
    def generated(x: Any) -> Any:
        yield x + x

    def pickled(x: Any) -> Any:
        import pickle

        return len(pickle.dumps(x))

    assert codes(generated, x="f64[N]") == ["R1545"]
    assert codes(pickled, x="f64[N]") == ["R1545"]
    assert codes(lambda x: float(np.sum(x.data)), x="f64[N]") == ["R1545"]


def test_names_taken_out_of_numpy_before_count_too() -> None:
    names: dict[str, Any] = {"nothing": np.zeros}
    exec("def added(x):\n    return nothing(len(x)) + x", names)  # noqa: S102, our own test
    model = rd.trace(names["added"], {"x": "f64[N]"}).models["added"]
    assert model.on(rd.load_machine("karst")).evaluate(N=5).flops == 5
    assert names["nothing"] is np.zeros


def test_bounds_and_first_values_count() -> None:
    def clipped(x: Any) -> Any:
        return np.clip(x, 0, None) + x.clip(min=0, max=1)

    def begun(x: Any) -> Any:
        return np.sum(x, initial=1.0)

    for function, flops in ((clipped, 4 * 10), (begun, 10)):
        model = rd.trace(function, {"x": "f64[N]"}, name="made").models["made"]
        assert model.on(rd.load_machine("karst")).evaluate(N=10).flops == flops


def test_arrays_of_an_object_are_memory_that_its_method_finds() -> None:
    class Scaled:
        def __init__(self) -> None:
            self.factors = np.ones(5)

        def apply(self, x: Any, /) -> Any:
            return x * self.factors

    model = rd.trace(Scaled().apply, {"x": "f64[N,5]"}).models["apply"]
    result = model.on(rd.load_machine("karst")).evaluate(N=4)
    assert (result.flops, result.memory) == (20, 8 * (20 + 5 + 20))
