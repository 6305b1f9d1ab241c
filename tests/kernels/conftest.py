"""A small package of kernels in a temporary folder, with its machine code."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kernels.packages import Package

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Package]:
    """Makes copies of the package that have never been run."""

    def copy() -> Package:
        folder = tmp_path_factory.mktemp("fresh")
        shutil.copytree(HERE / "small", folder / "small", ignore=shutil.ignore_patterns("__pycache__"))
        return Package(folder)

    return copy


@pytest.fixture(scope="session")
def first_run(fresh: Callable[[], Package]) -> tuple[Package, dict[str, Any]]:
    """The package and what it printed when it was run for the first time."""
    package = fresh()
    return package, package.run()


@pytest.fixture
def package(first_run: tuple[Package, dict[str, Any]], tmp_path: Path) -> Package:
    """A copy of the package with its machine code, as the first run left it."""
    shutil.copytree(first_run[0].folder / "small", tmp_path / "installed" / "small")
    return Package(tmp_path / "installed")


@pytest.fixture
def before(first_run: tuple[Package, dict[str, Any]]) -> dict[str, Any]:
    """What the first run printed."""
    return first_run[1]
