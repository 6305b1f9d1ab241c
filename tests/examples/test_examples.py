"""The packages in `examples/` are built, installed outside of the environment, found by matheur, used and tested."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = ["backend-package", "operator-package", "problem-package"]

example = pytest.mark.parametrize("name", NAMES)


def project(name: str) -> dict[str, Any]:
    """The project file of an example."""
    return tomllib.loads((EXAMPLES / name / "pyproject.toml").read_text(encoding="utf-8"))


def entry_points(name: str) -> str:
    """The entry points of an example as an installation has them."""
    lines = []
    for group, points in project(name)["project"]["entry-points"].items():
        lines += [f"[{group}]", *(f"{point} = {target}" for point, target in points.items()), ""]
    return "\n".join(lines)


def install(name: str, site: Path) -> None:
    """What an installer makes of the project file, without one: the files of the packages, and the entry points."""
    table = project(name)
    for package in table["tool"]["setuptools"]["packages"]:
        folder = Path(*package.split("."))
        for pattern in ("*.py", *table["tool"]["setuptools"].get("package-data", {}).get(package, ())):
            for file in (EXAMPLES / name / folder).glob(pattern):
                to = site / file.relative_to(EXAMPLES / name)
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, to)
    title, version = table["project"]["name"], table["project"]["version"]
    info = site / f"{title.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {title}\nVersion: {version}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    (info / "entry_points.txt").write_text(entry_points(name), encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all examples, which Python searches before its own."""
    folder = tmp_path_factory.mktemp("site")
    for name in NAMES:
        install(name, folder)
    return folder


def run(site: Path, folder: Path, *arguments: str) -> str:
    """Run Python in a folder; its output."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    env["PYTHONPATH"] = os.pathsep.join([str(site), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_all_examples_are_here() -> None:
    """Each has a project file, a package, tests that use `matheur.testing`, and a page."""
    folders = {path.name for path in EXAMPLES.iterdir() if path.is_dir()}
    assert sorted(folders - {"notebooks"}) == NAMES
    for name in NAMES:
        assert (EXAMPLES / name / "README.md").is_file()
        tests = [path.read_text(encoding="utf-8") for path in (EXAMPLES / name / "tests").glob("test_*.py")]
        assert any("from matheur.testing import" in text for text in tests)


@pytest.mark.slow
@example
def test_an_installer_makes_the_same(name: str, site: Path, tmp_path: Path) -> None:
    """pip builds and installs an example, into a folder, with the files and the entry points that the tests use."""
    for needed in ("pip", "setuptools"):
        if find_spec(needed) is None:
            pytest.skip(f"{needed} is not installed")
    tree, target = tmp_path / "tree", tmp_path / "target"
    shutil.copytree(EXAMPLES / name, tree, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--no-compile", "--disable-pip-version-check"]
    run(tree, tmp_path, "-m", "pip", "install", "-q", *offline, "--target", str(target), str(tree))
    packages = [package for package in project(name)["tool"]["setuptools"]["packages"] if "." not in package]
    files = [
        {
            path.relative_to(top)
            for package in packages
            for path in (top / package).rglob("*.*")
            if path.suffix != ".pyc"
        }
        for top in (target, site)
    ]
    assert files[0] == files[1]
    (found,) = target.glob("*.dist-info/entry_points.txt")
    assert found.read_text(encoding="utf-8").split() == entry_points(name).split()


@pytest.mark.slow
@example
def test_its_own_tests_pass(name: str, site: Path, tmp_path: Path) -> None:
    """The tests of an example pass against its installation."""
    shutil.copytree(EXAMPLES / name / "tests", tmp_path / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    passed = run(site, tmp_path, "-m", "pytest", "-q", "-W", "error", "-p", "no:cacheprovider", "--rootdir=.", "tests")
    assert " passed" in passed


def test_the_problem_is_a_problem_like_others(site: Path, tmp_path: Path) -> None:
    """It is listed with its operators and presets; a generated file is recognised, solved, shown and verified."""
    matheur = ("-m", "matheur")
    assert "generalised-assignment" in run(site, tmp_path, *matheur, "problems")
    listed = run(site, tmp_path, *matheur, "operators", "generalised-assignment")
    assert "greedy" in listed
    assert "shift" in listed
    run(site, tmp_path, *matheur, "generate", "generalised-assignment", "--seed", "3", "--out", "one.gap")
    for instance in ("generalised-assignment/demo", "one.gap"):
        run(site, tmp_path, *matheur, "solve", instance, "--iterations", "20", "--out", "s.json")
        result = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
        assert result["problem"] == "generalised-assignment"
        assert result["configuration"]["neighbourhoods"] == ["shift"]
        run(site, tmp_path, *matheur, "verify", instance, "s.json")
        assert "agent 5: jobs" in run(site, tmp_path, *matheur, "show", "s.json")


def test_the_workbench_shows_the_problem(site: Path, tmp_path: Path) -> None:
    """Its text can be edited, its picture is drawn, and it can be played."""
    code = """
from matheur.web.subjects import inspect, play
subject = {"source": "generalised-assignment/demo", "builtin": True, "options": {}}
shown = inspect(subject, ".")
assert shown["text"].startswith("5 20\\n") and shown["svg"].startswith("<svg") and shown["game"], shown
assert play(subject, ".", ["3"])["columns"] == 20
"""
    run(site, tmp_path, "-c", code)


def test_the_operator_and_its_preset_are_used(site: Path, tmp_path: Path) -> None:
    """The preset of one package is one of the problem, and runs the operator."""
    command = ("solve", "quadratic-assignment/demo", "--preset", "three-cycle", "--iterations", "20", "--out", "s.json")
    run(site, tmp_path, "-m", "matheur", *command)
    result = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    assert result["operators"]["three-cycle"]["calls"] > 0
    assert "three-cycle" in run(site, tmp_path, "-m", "matheur", "operators", "quadratic-assignment")


def test_the_backend_is_used(site: Path, tmp_path: Path) -> None:
    """It is listed, and an operator solves its models with it."""
    assert "scipy" in run(site, tmp_path, "-m", "matheur", "solvers")
    command = ("solve", "edge-matching/4x4", "--solver", "scipy", "--construct", "random", "--neighbourhoods", "border")
    run(site, tmp_path, "-m", "matheur", *command, "--iterations", "2", "--out", "s.json")
    result = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))
    assert result["operators"]["border"]["calls"] > 0


def test_the_environment_is_left_alone() -> None:
    """No example is installed where the tests run."""
    for name in NAMES:
        assert all(find_spec(package) is None for package in project(name)["tool"]["setuptools"]["packages"][:1])
