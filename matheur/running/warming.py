"""Compiles the kernels of a problem beforehand, by short runs of all its operators on built-in instances.

A kernel is compiled for types, not for sizes, so small instances do; those that are listed here differ in what decides
about types and methods. A run has its limit of time, on which no compilation counts (`matheur.compiling`). All runs are
repeated until none of them compiles any more: on a busy machine a run may end before it has come to its last kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from matheur.compiling import compilation
from matheur.errors import MatheurError
from matheur.problems import problem_types
from matheur.problems.operators import operator_entries
from matheur.running.configuration import preset_names
from matheur.running.solving import solve

__all__ = ["Warmed", "warm"]

_SECONDS = 0.4  # of a run of one operator
_ROUNDS = 4  # at most
_TABLES = {"rubik": 60.0, "sliding-tile": 60.0}
"""Problems whose constructions first build tables, and for how many seconds at most. The tables are kept."""
_WORK = 20_000  # limit of a construction that builds tables; they are no work
_INSTANCES = {
    "cubical": ("demo", "d5-k3-level0"),
    "edge-matching": ("demo", "6x6", "10x10", "16x16"),
    "lights-out": ("demo", "random-5x5", "all-19x19"),
    "max-clique": ("demo", "random200", "johnson32-2-4"),
    "party": ("demo", "type1"),
    "quadratic-assignment": ("demo", "tiny8", "asymmetric20"),
    "rubik": ("short", "random-1"),
    "sliding-tile": ("3x3", "4x4-easy", "5x5"),
    "sokoban": ("demo", "random-10x10"),
}
"""Built-in instances of all kinds: proved at once and not at all, symmetric or not, with narrow and with wide types."""

_FOREIGN = ("milp", "external")
"""Operators whose name begins so have no kernels: solvers of others do their work."""

_SETTINGS = {
    "edge-matching": (
        ("region", "neighbourhood.region.method=clique"),
        ("region", "neighbourhood.region.method=structured"),
        ("region", "neighbourhood.region.method=exact"),
        ("region", "neighbourhood.region.method=beam"),
    ),
    "quadratic-assignment": (
        ("region", "neighbourhood.region.method=enumeration"),
        ("region", "neighbourhood.region.method=branch-and-bound"),
    ),
}
"""Neighbourhoods whose options choose among kernels."""


@dataclass(frozen=True, slots=True)
class Warmed:
    """What was done for a problem.

    Attributes
    ----------
    problem
        Its name.
    runs
        How many short runs.
    compiled, loaded
        Kernels that were compiled, and kernels that were found on the disk, each for one set of types.
    compile_seconds
        In which kernels were compiled.
    """

    problem: str
    runs: int
    compiled: int
    loaded: int
    compile_seconds: float


def warm(
    problem: str,
    *,
    interrupt: Callable[[], bool] = lambda: False,
    progress: Callable[[str], None] = lambda _: None,
) -> Warmed:
    """Compile what the default and the named operators of a problem need, so that no later run compiles.

    Parameters
    ----------
    problem
        Name of a kind of problem.
    interrupt
        Returns True to stop.
    progress
        Called with what is run next.

    Returns
    -------
    Warmed

    Raises
    ------
    ConfigurationError
        If there is no such problem.
    """
    kind = problem_types.get(problem)
    instances = {name: kind.builtin(name, {}) for name in _INSTANCES.get(problem) or list(kind.builtins())[:2]}
    before, loaded, spent, runs = compilation.compiled, compilation.loaded, compilation.seconds, 0
    for _ in range(_ROUNDS):
        begun = compilation.compiled
        for name, instance in instances.items():
            runs += _run_all(problem, name, instance, interrupt, progress)
        if compilation.compiled == begun or interrupt():
            break
    return Warmed(
        problem, runs, compilation.compiled - before, compilation.loaded - loaded, compilation.seconds - spent
    )


def _run_all(
    problem: str, name: str, instance: Any, interrupt: Callable[[], bool], progress: Callable[[str], None]
) -> int:
    """All runs on an instance; how many there were."""
    start: Any = None
    runs = 0
    for what, options in _runs(problem):
        improves = bool(options.get("neighbourhoods"))
        if interrupt() or (improves and start is None):
            continue
        progress(f"{problem}/{name}: {what}")
        try:
            result = solve(instance, seed=1, interrupt=interrupt, start=start if improves else None, **options)
        except MatheurError:
            continue  # not for this instance, or not installed
        runs += 1
        start = result.solution if start is None else start
    return runs


def _runs(problem: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The runs on an instance, each with its name: constructions, neighbourhoods and their variants, presets."""
    short = {"seconds": _SECONDS}
    long = {"seconds": _TABLES[problem], "work": _WORK} if problem in _TABLES else short
    for entry in operator_entries(problem, "construction"):
        if not entry.name.startswith(_FOREIGN):
            yield entry.name, {"construction": entry.name, "neighbourhoods": [], **long}
    for entry in operator_entries(problem, "neighbourhood"):
        if not entry.name.startswith(_FOREIGN):
            yield entry.name, {"neighbourhoods": [entry.name], "schedule": "cycle", **short}
    for name, setting in _SETTINGS.get(problem, ()):
        yield setting, {"neighbourhoods": [name], "schedule": "cycle", "settings": [setting], **short}
    for name in preset_names(problem):
        yield f"preset {name}", {"preset": name, **short}
