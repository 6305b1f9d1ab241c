"""Backends by name."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from matheur.errors import ConfigurationError, SolverError
from matheur.solvers import MilpStatus, SolveRequest, backends, check_backend, get_backend, registry
from matheur.testing import models as small


def test_listing_never_raises_and_knows_the_built_in_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each backend comes with version and capabilities, or with the reason why it is not there."""
    broken = EntryPoint("broken", "no.such.module:Backend", registry.GROUP)
    monkeypatch.setattr(registry, "_third_party", lambda: {"broken": broken})
    found = {info.name: info for info in backends()}
    assert {"highs", "scip", "pyomo:cbc", "pyomo:glpk", "broken"} <= set(found)
    assert found["highs"].available
    assert "highspy" in str(found["highs"].version)
    assert found["highs"].capabilities is not None
    assert not found["broken"].available
    assert "no.such.module" in found["broken"].reason
    assert all(info.available or info.reason for info in found.values())


def test_unknown_name_names_the_nearest() -> None:
    """A misspelt backend is a configuration error that helps."""
    with pytest.raises(ConfigurationError, match="Maybe 'highs'"):
        get_backend("higs")
    with pytest.raises(ConfigurationError, match="Maybe 'cbc'"):
        get_backend("pyomo:cbcc")


def test_missing_solver_names_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """A known solver that is not here is a solver error with a remedy."""
    monkeypatch.setitem(sys.modules, "matheur.solvers.scip", None)
    with pytest.raises(SolverError, match="pip install pyscipopt"):
        get_backend("scip")


def test_missing_programs_are_named() -> None:
    """A solver of Pyomo whose program is not on PATH is a solver error, whatever Pyomo makes of that."""
    code = """
from matheur.errors import SolverError
from matheur.solvers import backends, get_backend

assert backends()
for name in ("cbc", "glpk", "xpress"):
    try:
        get_backend(f"pyomo:{name}")
    except SolverError as error:
        print(error)
    else:
        print("found")
"""
    command = [sys.executable, "-c", code]  # a new process: Pyomo remembers the programs that it has found
    path = {**os.environ, "PATH": "/nonexistent"}
    shown = subprocess.run(command, env=path, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(shown) == 3
    for name, said in zip(("cbc", "glpk", "xpress"), shown, strict=True):
        assert f"the solver 'pyomo:{name}' is not installed here" in said


def test_a_check_says_the_same_and_loads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a backend can be had is known without loading it, where it is a built-in one."""
    code = (
        "import sys; from matheur.solvers import check_backend as check; [check(name) for name in ('highs', 'scip')]; "
    )
    code += "print([m for m in ('pyomo', 'highspy', 'pyscipopt') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"
    with pytest.raises(ConfigurationError, match="Maybe 'highs'"):
        check_backend("higs")
    monkeypatch.setitem(sys.modules, "pyscipopt", None)
    monkeypatch.delitem(sys.modules, "matheur.solvers.scip", raising=False)
    with pytest.raises(SolverError, match="pip install pyscipopt"):
        check_backend("scip")


def test_third_party_backend_is_found_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry point in the group `matheur.solvers` is a backend like any other."""
    point = EntryPoint("mine", "matheur.solvers.highs:HighsBackend", registry.GROUP)
    monkeypatch.setattr(registry, "_third_party", lambda: {"mine": point})
    assert get_backend("mine").solve(small.knapsack(), SolveRequest()).status is MilpStatus.OPTIMAL


def test_importing_the_package_loads_no_solver() -> None:
    """The registry is light: Pyomo and the solvers are loaded when one is asked for."""
    code = "import sys, matheur.solvers; print([m for m in ('pyomo', 'highspy', 'pyscipopt') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "[]"


@pytest.mark.parametrize(
    "first",
    [
        "numba, scipy.optimize, matheur.models.edge_matching.region",
        "matheur.models.edge_matching.region",
        "scipy.sparse, matheur.solvers",
        "matheur.methods.milp, matheur.solvers.linear",
    ],
)
def test_pyomo_is_loaded_without_half_of_scipy(first: str) -> None:
    """Models and a solver are there without scipy.stats, whether scipy came before Pyomo or comes after it."""
    code = f"import sys, {first}; from matheur.solvers import get_backend; get_backend('highs'); "
    code += (
        "import matheur.models.lot_sizing, scipy.optimize; print('pyomo' in sys.modules, 'scipy.stats' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["True", "False"]


@pytest.mark.parametrize("name", ["highs", "scip"])
def test_arrays_are_solved_without_pyomo_and_scipy(name: str) -> None:
    """Pyomo is loaded for a Pyomo model, SciPy for matrices that are combined: each takes a tenth of a second."""
    code = f"""
import sys
from matheur.linear.lp_reader import read_lp
from matheur.solvers import get_backend
from matheur.solvers.linear import solve_linear

model = read_lp("max obj: 2 x + 3 y\\nst\\n r: x + y <= 7\\nbounds\\n x <= 5\\n y <= 5\\ngeneral\\n x y\\nend")
print(solve_linear(get_backend({name!r}), model).objective, "pyomo" in sys.modules, "scipy" in sys.modules)
"""
    shown = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split() == ["19.0", "False", str(name == "scip")]
