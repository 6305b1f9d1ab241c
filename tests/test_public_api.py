"""The public names of the package."""

from __future__ import annotations

import importlib
import pickle
import pkgutil
from pathlib import Path
from typing import Any

import pytest

import matheur
from matheur.errors import ConfigurationError, InputError, MatheurError, OperatorError, SolverError

NAMES = [
    "ConfigurationError",
    "InputError",
    "MatheurError",
    "OperatorError",
    "Result",
    "SolverError",
    "__version__",
    "register_operator",
    "solve",
]


def test_the_public_names_are_these() -> None:
    """What the package offers is a decision, not an accident."""
    assert matheur.__all__ == NAMES
    assert dir(matheur) == sorted(NAMES)
    assert all(getattr(matheur, name) is not None for name in NAMES)
    with pytest.raises(AttributeError, match="no attribute 'slove'"):
        _ = matheur.slove  # type: ignore[attr-defined]


def test_solve_from_python(tmp_path: Path) -> None:
    """`matheur.solve` is the same entry as the command: it returns, writes and re-evaluates the result."""
    result = matheur.solve(
        "edge-matching/4x4", construction="random", neighbourhoods=["swap-rotate"], iterations=5, seed=3,
        out=tmp_path / "out.json",
    )  # fmt: skip
    assert isinstance(result, matheur.Result)
    assert result.feasible
    assert result.problem.evaluate(result.solution).objective == result.objective
    again = matheur.solve(result.problem, construction="random", neighbourhoods=["swap-rotate"], iterations=5, seed=3)
    assert again.objective == result.objective
    assert matheur.solve(result.problem, start=result.solution, iterations=0).objective == result.objective


def test_errors_are_one_family() -> None:
    """Everything that a user can cause is a `MatheurError`."""
    for cls in (ConfigurationError, InputError, OperatorError, SolverError):
        assert issubclass(cls, MatheurError)
    with pytest.raises(ConfigurationError, match="Maybe 'highs'"):
        matheur.solve("edge-matching/3x3", solver="higs")


@pytest.mark.parametrize(
    "error", [InputError("wrong", source="file", line=3), ConfigurationError("wrong"), OperatorError("a lie")]
)
def test_errors_come_back_from_other_processes(error: MatheurError) -> None:
    """An error of a worker process says in the parent what it said in the worker."""
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)


class Nothing:
    """A neighbourhood of another package: it finds nothing."""

    def explore(self, problem: Any, incumbent: Any, budget: Any, rng: Any) -> Any:
        from matheur.engine import Outcome, Status

        return Outcome(Status.NO_IMPROVEMENT)


def test_an_operator_can_be_added() -> None:
    """An operator that a script registers is used by its name, and has no options if it declares none."""
    matheur.register_operator("edge-matching", "neighbourhood", "nothing", Nothing, "finds nothing")
    try:
        way: dict[str, Any] = {"construction": "random", "neighbourhoods": ["nothing"], "iterations": 4}
        assert matheur.solve("edge-matching/3x3", **way).operators["nothing"].calls == 4
        with pytest.raises(ConfigurationError, match="has no options"):
            matheur.solve("edge-matching/3x3", **way, settings=["neighbourhood.nothing.k=1"])
        with pytest.raises(ConfigurationError, match="already registered"):
            matheur.register_operator("edge-matching", "neighbourhood", "nothing", Nothing)
    finally:
        from matheur.engine import operators

        operators._registry.remove("edge-matching.neighbourhood.nothing")


def test_every_module_says_what_it_offers() -> None:
    """Every module has a docstring and an `__all__` of names that exist."""
    modules = sorted(module.name for module in pkgutil.walk_packages(matheur.__path__, "matheur."))
    assert len(modules) > 500
    for name in modules:
        module = importlib.import_module(name)
        assert module.__doc__, name
        if not name.rpartition(".")[2].startswith("_"):
            assert isinstance(module.__all__, list), name
            assert [one for one in module.__all__ if not hasattr(module, one)] == [], name
