"""The public names of the package."""

from __future__ import annotations

import importlib
import json
import pickle
import pkgutil
import signal
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import networkx
import numpy
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


@pytest.mark.parametrize(
    ("name", "construction"),
    [
        ("edge-matching/4x4", "random"), ("lights-out/demo", "linear-algebra"), ("sliding-tile/3x3", "rule-based"),
        ("max-clique/demo", "local-search"), ("quadratic-assignment/demo", "random"),
    ],
)  # fmt: skip
def test_a_start_in_any_form(name: str, construction: str, tmp_path: Path) -> None:
    """As a file, a result, or what a result says."""
    file = tmp_path / "result.json"
    first = matheur.solve(name, construction=construction, neighbourhoods=[], iterations=1, seed=5, out=file)
    assert first.feasible
    for start in (str(file), file, first, first.to_dict(), first.named, first.solution):
        again = matheur.solve(name, start=start, iterations=0)
        assert first.problem.encode(again.solution) == first.problem.encode(first.solution)
    with pytest.raises(InputError, match="same file"):
        matheur.solve(name, start=file, iterations=0, out=file)
    other = {**first.to_dict(), "problem": "other"}
    for wrong in (str(tmp_path / "missing.json"), tmp_path / "missing.json", other, {"x": 1}, {"solution": None}):
        with pytest.raises(InputError):
            matheur.solve(name, start=wrong, iterations=0)


def test_a_start_that_is_nothing_is_told_in_the_words_of_the_user() -> None:
    """What the reader says comes first: as an array the same list may mean something else."""
    graph = networkx.Graph([(1, 2), (2, 3), (1, 3), (3, 4)])
    with pytest.raises(InputError, match=r"the start cannot be read: no such node \(9\); as it is: there is no vertex"):
        matheur.solve(graph, start=[9], iterations=0)
    with pytest.raises(InputError, match="the start is not a solution: vertices 1 and 4 are not joined"):
        matheur.solve(graph, start=[1, 4], iterations=0)


def test_a_list_that_is_readable_is_not_read_in_another_way(tmp_path: Path) -> None:
    """Vertices 1 and 2 are no clique. That 2 and 3 are one, with the numbers 1 and 2 in an array, does not matter."""
    file = tmp_path / "graph.clq"
    file.write_text("p edge 4 3\ne 2 3\ne 1 4\ne 3 4\n")
    with pytest.raises(InputError, match=r"the start is not a solution: vertices 1 and 2 are not joined.*NumPy"):
        matheur.solve(file, start=[1, 2], iterations=0)
    array = matheur.solve(file, start=numpy.array([1, 2], dtype=numpy.int32), iterations=0)
    assert array.named == [2, 3]
    assert matheur.solve(file, start=[2, 3], iterations=0).named == [2, 3]
    assert matheur.solve(file, start=[0, 3], iterations=0).named == [1, 4]  # no vertex is called 0


@pytest.fixture
def walk(tmp_path: Path) -> dict[str, Any]:
    """Options of a search that goes on for long, with its files."""
    return {
        "construction": "random", "neighbourhoods": ["swap-rotate"], "acceptance": "annealing", "iterations": 10**6,
        "out": tmp_path / "out.json", "trace": tmp_path / "trace.jsonl",
    }  # fmt: skip


def at_incumbent(number: int, act: Callable[[], object]) -> Callable[[Mapping[str, Any]], None]:
    """An observer that acts at every incumbent from the one with this number on."""
    seen = 0

    def observe(event: Mapping[str, Any]) -> None:
        nonlocal seen
        seen += event["event"] == "incumbent"
        if event["event"] == "incumbent" and seen >= number:
            act()

    return observe


def written(walk: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The result file and the last event."""
    return json.loads(walk["out"].read_text()), json.loads(walk["trace"].read_text().splitlines()[-1])


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_a_run(walk: dict[str, Any], jobs: int) -> None:
    """The result is that of the time limit, and the former handler is back."""
    press = iter([lambda: signal.raise_signal(signal.SIGINT)])
    observer = at_incumbent(1, lambda: next(press, int)())
    result = matheur.solve("edge-matching/10x10", observers=[observer], jobs=jobs, **walk)
    assert result.stopped == "interrupt"
    assert result.feasible
    out, event = written(walk)
    assert (out["stopped"], out["objective"]) == ("interrupt", result.objective)
    assert (event["event"], event["stopped"]) == ("end", "interrupt")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("own", [False, True])
def test_a_keyboard_interrupt_leaves_no_running_file(walk: dict[str, Any], own: bool) -> None:
    """A second Ctrl-C, or the first with a handler that raises: the files say how it ended, with the best so far."""

    def press() -> None:
        signal.raise_signal(signal.SIGINT)

    def raises(*_: object) -> None:
        raise KeyboardInterrupt

    former = signal.signal(signal.SIGINT, raises) if own else signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(KeyboardInterrupt):
            matheur.solve(
                "edge-matching/10x10",
                observers=[at_incumbent(3, press), at_incumbent(3, press)],
                **walk,
            )
        assert (signal.getsignal(signal.SIGINT) is raises) == own
    finally:
        signal.signal(signal.SIGINT, former)
    out, event = written(walk)
    assert (out["stopped"], out["status"], event["event"], event["stopped"]) == (
        "interrupt", "feasible", "end", "interrupt",
    )  # fmt: skip
    assert "reason" not in out


def test_an_error_leaves_no_running_file(walk: dict[str, Any]) -> None:
    """It is named there, with the best so far."""

    def fail() -> None:
        raise OperatorError("a lie")

    with pytest.raises(OperatorError):
        matheur.solve("edge-matching/10x10", observers=[at_incumbent(2, fail)], **walk)
    out, _ = written(walk)
    assert (out["stopped"], out["reason"], out["status"]) == ("error", "a lie", "feasible")


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
