"""The disk cache of kernels: never stale, always found when nothing has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from kernels.packages import LIBRARY, START, Package, finished

Printed = dict[str, Any]

CHANGES = {
    "the kernel itself": ("upper", "return x + 10  # below", "return x + 11  # below"),
    "a called kernel": ("lower", "+ 10  # called", "+ 11  # called"),
    "a kernel called by a called kernel": ("deepest", "+ 10  # deep", "+ 11  # deep"),
    "an inlined kernel": ("lower", "+ 10  # inlined", "+ 11  # inlined"),
    "a jitable function": ("lower", "+ 10  # shared", "+ 11  # shared"),
    "an intrinsic": ("lower", "10))  # intrinsic", "11))  # intrinsic"),
    "a function of an intrinsic": ("deepest", "10))  # added", "11))  # added"),
    "what an intrinsic imports": ("imported", "LATE = 10", "LATE = 11"),
    "an overload": ("overloads", "+ 10  # overload", "+ 11  # overload"),
    "an overloaded method": ("overloads", "+ 10  # method", "+ 11  # method"),
    "a number": ("constants", "NUMBER = 10", "NUMBER = 11"),
    "a nested tuple": ("constants", "((10, 1)", "((11, 1)"),
    "an array": ("constants", "[10, 1]", "[11, 1]"),
    "an enumeration": ("constants", "FIRST = 10", "FIRST = 11"),
}
WITHOUT = "import matheur.kernels.caching as caching; caching.NullCache = type('Other', (), {});"
"""A numba that keeps the caches of its dispatchers in another place."""
MOVED = "import numba.core.caching as caching; del caching.CompileResultCacheImpl;"
"""A numba whose private classes have moved."""


def test_nothing_changed_is_a_hit(package: Package, before: Printed) -> None:
    """Unchanged sources load their machine code and add no file, also where closures hold kernels."""
    files = package.cached
    again = package.run()
    assert again["answer"] == before["answer"] == 150
    assert (before["hits"], again["hits"], again["hits of pointed"], again["hits of closures"]) == (0, 1, 1, [1, 1])
    assert package.cached == files
    assert again["errors"] == ""


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_seen(package: Package, before: Printed, what: str) -> None:
    """A change of anything that a kernel uses is seen, in whatever file, also if the file keeps its time and size."""
    package.change(*CHANGES[what])
    after = package.run()
    assert after["answer"] == before["answer"] + 1
    assert after["hits"] == 0
    assert len([path for path in package.cached if path.name.startswith("upper.answer")]) == 1


def test_callbacks_and_closures_see_changes(package: Package, before: Printed) -> None:
    """C callbacks, and kernels in a closure, are compiled again when what they call has changed."""
    package.change(*CHANGES["a kernel called by a called kernel"])
    after = package.run()
    assert after["pointed"] == before["pointed"] + 1
    assert after["closures"] == [number + 1 for number in before["closures"]]


def test_a_value_counts_not_only_its_file(package: Package, before: Printed) -> None:
    """A constant that is computed at the start, here from the environment, is part of what machine code depends on."""
    assert package.run(GIVEN="11")["answer"] == before["answer"] + 1
    assert package.run()["answer"] == before["answer"]


def test_an_unrelated_change_is_a_hit(package: Package) -> None:
    """A change of a module that the kernels do not use compiles nothing."""
    (package.folder / "small" / "__init__.py").write_text("NEW = 1\n")
    code = "from small.deepest import deep; deep(0); print(sum(deep.stats.cache_hits.values()))"
    package.start(code=code).communicate()  # as it is called from Python: others had it as a part of them
    (package.folder / "small" / "__init__.py").write_text("NEWER = 1\n")
    out, errors = package.start(code=code).communicate()
    assert (out, errors) == ("1\n", "")


def test_settings_that_change_machine_code_are_told_apart(package: Package) -> None:
    """Machine code with checked indices is not taken for that without, nor the other way round."""
    assert package.run(NUMBA_BOUNDSCHECK="1")["hits"] == 0
    assert package.run(NUMBA_BOUNDSCHECK="1")["hits"] == 1
    assert package.run()["hits"] == 1


def test_a_process_that_runs_replaced_code_does_no_harm(fresh: Callable[[], Package], before: Printed) -> None:
    """What a process compiles after its sources were replaced is not taken for code of the new sources."""
    package = fresh()
    old = package.start("wait")
    assert old.stdout is not None
    assert old.stdout.readline() == "ready\n"
    package.change(*CHANGES["a kernel called by a called kernel"])
    assert finished(old)["answer"] == before["answer"]
    assert package.run()["answer"] == before["answer"] + 1


def test_processes_at_the_same_time(fresh: Callable[[], Package], before: Printed) -> None:
    """Two processes that compile at the same time agree, and leave a whole cache."""
    package = fresh()
    both = [package.start("wait"), package.start("wait")]
    for process in both:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    assert [finished(process)["answer"] for process in both] == [before["answer"]] * 2
    files = package.cached
    assert package.run()["hits"] == 1
    assert package.cached == files


@pytest.mark.parametrize("content", [b"", b"damaged", None])
def test_damaged_files_cost_a_compilation(package: Package, before: Printed, content: bytes | None) -> None:
    """Machine code that cannot be read is made again, and stored again."""
    for path in package.cached:
        path.write_bytes(path.read_bytes()[:-100] if content is None else content)
    after = package.run()
    assert (after["answer"], after["hits"], after["errors"]) == (before["answer"], 0, "")
    assert package.run()["hits"] == 1


def test_caches_of_numba_itself_are_not_believed(fresh: Callable[[], Package], before: Printed) -> None:
    """After an upgrade from a version that used numba's own cache, old machine code is neither loaded nor kept."""
    package = fresh()
    for module in ("upper", "lower", "deepest"):
        path = package.folder / "small" / f"{module}.py"
        path.write_text(path.read_text().replace("@kernel\n", "@numba.njit(cache=True)\n"))
        path.write_text(path.read_text().replace("import annotations\n", "import annotations\nimport numba\n"))
    assert package.run()["answer"] == before["answer"]
    old = {path.name for path in package.cached if path.suffix == ".nbi"}
    assert len(old) > 3
    for module in ("upper", "lower", "deepest"):
        shutil.copy2(Path(__file__).parent / "small" / f"{module}.py", package.folder / "small")
    package.change(*CHANGES["a called kernel"])
    assert package.run()["answer"] == before["answer"] + 1


@pytest.mark.parametrize("numba", [WITHOUT, MOVED])
def test_another_numba(fresh: Callable[[], Package], before: Printed, numba: str) -> None:
    """With a numba that we do not know, a change of any file of the package compiles all kernels again."""
    package, code = fresh(), numba + START
    assert package.run(code)["answer"] == before["answer"]
    again = package.run(code)
    assert (again["hits"], again["answer"]) == (1, before["answer"])
    package.change(*CHANGES["a kernel called by a called kernel"])
    after = package.run(code)
    assert (after["hits"], after["answer"], after["pointed"]) == (0, before["answer"] + 1, before["pointed"] + 1)
    assert after["errors"] == ""


def test_without_compilation(package: Package, before: Printed) -> None:
    """Kernels are plain functions where numba is told to compile nothing."""
    code = "from small.deepest import deep; import json; print(json.dumps({'answer': deep(0)}))"
    assert package.run(code, NUMBA_DISABLE_JIT="1")["answer"] == 10


def test_kernels_of_matheur_see_their_intrinsics(tmp_path: Path) -> None:
    """A Lights Out kernel is compiled again when `popcount` has changed in another package of matheur."""
    shutil.copytree(LIBRARY / "matheur", tmp_path / "matheur", ignore=shutil.ignore_patterns("__pycache__", "models"))
    code = """
import numpy as np
from matheur.problems.lights_out.operators.coset_kernels import lightest
basis = np.array([[3], [4]], np.uint64)
weight = lightest(0, 3, np.zeros(1, np.uint64), basis, np.zeros(1, np.uint64), 64)
print(weight, sum(lightest.stats.cache_hits.values()))
"""

    def run() -> str:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment |= {"PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": str(tmp_path / "machine code")}
        done = subprocess.run(
            [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    assert [run(), run()] == ["1 0", "1 1"]
    path = tmp_path / "matheur" / "kernels" / "intrinsics.py"
    text, old = path.read_text(), "return builder.ctpop(args[0])"
    assert text.count(old) == 1
    path.write_text(text.replace(old, "return args[0]"))
    assert run() == "3 0"
