"""What is built works in an empty folder: all the data, and nothing but `roofdsl` installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Data folders of the checkout, and where they are in the wheel.
DATA = {
    "grammar": "roofdsl/_data/grammar",
    "stdlib": "roofdsl/_data/stdlib",
    "machines": "roofdsl/_data/machines",
    "reports": "roofdsl/_data/reports",
    "docs/messages": "roofdsl/_data/messages",
}


def run(*command: str | Path, folder: Path, **environment: str) -> str:
    result = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="session", params=["from the checkout", "through the source distribution"])
def wheel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a wheel both ways people do: `pip install .`, and `python -m build`."""
    output = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(output)]
    only_wheel = ["--wheel"] if request.param == "from the checkout" else []
    run(*build, *only_wheel, ROOT, folder=output)
    (built,) = output.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def names(wheel: Path) -> set[str]:
    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def tracked(*folders: str) -> set[str]:
    """Return the files git tracks under folders; skip the test where there is no git checkout."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: which files belong in the wheel is not known")
    listing = run("git", "ls-files", "-z", "--", *folders, folder=ROOT)
    return set(listing.split("\0")) - {""}


def in_wheel(path: str) -> str:
    for source, target in DATA.items():
        if path.startswith(f"{source}/"):
            return target + path.removeprefix(source)
    return path


def test_only_the_package_lands_in_site_packages(names: set[str]) -> None:
    tops = {name.split("/")[0] for name in names}
    metadata = {top for top in tops if top.endswith(".dist-info")}
    assert tops - metadata == {"roofdsl"}
    assert len(metadata) == 1


def test_the_data_of_the_wheel_is_what_git_tracks(names: set[str]) -> None:
    expected = {in_wheel(path) for path in tracked(*DATA)}
    assert {name for name in names if name.startswith("roofdsl/_data/")} == expected


def test_every_tracked_module_is_in_the_wheel(names: set[str]) -> None:
    assert tracked("roofdsl") - names == set()


@pytest.mark.parametrize(
    "name",
    [
        "roofdsl/py.typed",
        "roofdsl/_data/stdlib/linalg/summa.roof",
        "roofdsl/_data/machines/karst.roof",
        "roofdsl/_data/machines/big_red_ii.roof",
        "roofdsl/_data/machines/jetstream.roof",
    ],
)
def test_the_first_entries_are_there(name: str, names: set[str]) -> None:
    assert name in names


def test_the_installed_wheel_answers_from_an_empty_folder(wheel: Path, tmp_path: Path) -> None:
    installed, empty = tmp_path / "installed", tmp_path / "empty"
    empty.mkdir()
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install"]
    run(*pip, "--quiet", "--no-deps", "--no-index", "--target", installed, wheel, folder=empty)
    environment = {"PYTHONPATH": str(installed), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    where = "from roofdsl.resources import folder; print(folder('stdlib'))"
    found = Path(run(sys.executable, "-c", where, folder=empty, **environment).strip())
    assert found == installed.resolve() / "roofdsl" / "_data" / "stdlib"

    command = "eval summa.roof --machine karst -p N=4096 -p P=121 --format json".split()
    output = run(sys.executable, "-m", "roofdsl", *command, folder=empty, **environment)
    answer = json.loads(output)
    assert answer["schema"] == 2
    assert answer["params"]["N"] == 4096
    assert answer["params"]["P"] == 121
    assert answer["values"]["flops"] == pytest.approx((2 * 4096**3 + 2 * 4096**2) / 121, rel=1e-12)
    assert answer["ridge"]["OI"] == pytest.approx(22 / 13.9, rel=1e-12)
    assert answer["ridge"]["CAI"] == pytest.approx(22 / 1.2, rel=1e-12)
    assert answer["ridge"]["MI"] == pytest.approx(13.9 / 1.2, rel=1e-12)
    assert list(empty.iterdir()) == []
