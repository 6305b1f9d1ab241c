"""The result of a run, and its JSON form."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from math import isfinite
from pathlib import Path
from typing import Any

from matheur.engine.events import plain
from matheur.engine.files import write_json
from matheur.engine.gap import optimality_gap
from matheur.engine.own_terms import in_own_terms
from matheur.engine.problem_types import problem_types
from matheur.engine.protocols import Reporting
from matheur.engine.statistics import OperatorStatistics
from matheur.errors import ConfigurationError, MatheurError, SolverError, UnwrittenError

__all__ = ["Result", "versions"]

_CHECKOUT = Path(__file__).resolve().parents[2]
"""The folder that holds the package: the root of a checkout, or of installed packages."""


@cache
def versions() -> dict[str, str]:
    """Versions of matheur, its solvers and relevant libraries, and the git hash if it runs from a checkout."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for package in ("matheur", "pyomo", "highspy", "pyscipopt", "numba", "numpy", "scipy"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "missing"
    commit = _git_commit()
    return {**found, "commit": commit} if commit else found


def _git_commit() -> str | None:
    """Commit of the checkout that this package runs from, read from its files without calling git."""
    git = _CHECKOUT / ".git"
    try:
        head = (git / "HEAD").read_text().strip()
        if not head.startswith("ref: "):
            return head
        reference = head.removeprefix("ref: ")
        loose = git / reference
        if loose.exists():
            return loose.read_text().strip()
        packed = (git / "packed-refs").read_text().splitlines()
        return next((line.split()[0] for line in packed if line.endswith(" " + reference)), None)
    except OSError:
        return None


@dataclass(frozen=True, slots=True)
class Result:
    """Result of `solve`.

    Attributes
    ----------
    problem
        The `Problem` object, with its instance.
    instance
        Name of the instance: path, URL or built-in name.
    solution
        The best solution in the problem's own form, None if there is none.
    objective, score, score_max
        Re-evaluated objective (minimised, unless the problem maximises), score as usual in the field, and maximum
        score.
    bound
        Proved bound of the objective, None if unknown.
    status
        `optimal` (with a certificate), `feasible`, `infeasible` (with a reason) or `unknown`.
    stopped
        Reason for the end: `optimal`, `target`, `local-optimum`, `finished` (all operators ended before the budget),
        `budget`, `interrupt`, `infeasible`, or `refuted` if a second proof refuted the claim; in a file also `running`
        and `error`.
    reason
        A sentence on why there is no solution, or why none was found; None if there is one.
    seconds
        Seconds of the run as counted by its time limit, without the time spent compiling kernels.
    operators
        Statistics by operator.
    compile_seconds
        Seconds spent compiling kernels, which happens once on a machine; simultaneous compilation in several processes
        counts once.
    configuration
        The resolved configuration as plain values.
    note
        A sentence about a construction that the engine ended; None if there was none.
    trace
        Seconds and objective of each improvement that this call found, thinned out if there are very many.
    start
        Use of a start that may be incomplete: `outcome` (`used`, `completed`, `repaired` or `refused`), `text` (how, or
        why), and more; None without a start, or if it was a solution in the problem's own form.
    unwritten
        Outputs that could not be written (`result`, `trace`, `checkpoint`), each with a sentence. A run continues
        without them.
    """

    problem: Any
    instance: str
    solution: Any
    objective: int | float | None
    score: int | float | None
    score_max: int | float | None
    bound: int | float | None
    status: str
    stopped: str
    reason: str | None
    found_by: str
    certificate: Mapping[str, Any] | None
    seconds: float
    work: int
    iterations: int
    seed: int
    solver: str
    operators: Mapping[str, OperatorStatistics]
    compile_seconds: float = 0.0
    configuration: Mapping[str, Any] = field(default_factory=dict)
    note: str | None = None
    start: Mapping[str, Any] | None = None
    unwritten: Mapping[str, str] = field(default_factory=dict)
    trace: Sequence[tuple[float, int | float]] = ()

    @property
    def incomplete(self) -> str | None:
        """A sentence that names requested files that are missing or incomplete; None if all are complete.

        A checkpoint only serves a resume and does not count.
        """
        return next((text for name, text in self.unwritten.items() if name != "checkpoint"), None)

    @property
    def unproved(self) -> str | None:
        """Reason why the requested second proof was not finished; None if it was, or if none was needed."""
        return None if self.certificate is None else self.certificate.get("second_failed")

    @property
    def fault(self) -> MatheurError | None:
        """The error with which a command ends that has reported this result: `incomplete` or `unproved`; else None."""
        if self.incomplete is not None:
            return UnwrittenError(self.incomplete)
        return None if self.unproved is None else SolverError(self.unproved)

    @property
    def named(self) -> Any:
        """The solution in the terms of the instance, as in `to_dict` or as nodes of a graph; None if there is none."""
        if self.solution is None:
            return None
        say = getattr(self.problem, "named", self.problem.encode)
        return say(self.solution)

    @property
    def feasible(self) -> bool:
        """Whether there is a solution (it has been re-evaluated)."""
        return self.solution is not None

    @property
    def first_seconds(self) -> float | None:
        """Seconds to the first solution of this call; None without a solution."""
        return self.trace[0][0] if self.trace else None

    @property
    def gap(self) -> float | None:
        """Gap of score and bound as a share of the smaller one, see `matheur.engine.gap.optimality_gap`."""
        return optimality_gap(self.score, self.bound_score)

    @property
    def bound_score(self) -> int | float | None:
        """The bound as a score: no solution has a better one."""
        if self.bound is None:
            return None
        score: int | float = self.problem.score(in_own_terms(self.problem, self.bound))
        return score

    def picture(self, kind: str = "svg") -> bytes:
        """The solution as `matheur show` draws it, or the instance if there is none.

        Parameters
        ----------
        kind
            `svg`, `html`, `png` or `text`.

        Raises
        ------
        ConfigurationError
            If this problem has no such picture, or matplotlib is missing for a `png`.
        """
        drawn: bytes = problem_types.get(self.problem.name).picture(self.problem, self.solution, kind)
        return drawn

    def _repr_html_(self) -> str:
        """HTML for notebooks: the outcome of the run, and a picture if the problem has one."""
        facts = {"score": self.score, "of": self.score_max, "objective": self.objective, "bound": self.bound}
        shown = ", ".join(f"{name} {value:.12g}" for name, value in facts.items() if value is not None)
        text = f"<p>{escape(self.problem.name)}: {escape(self.status)}{', ' if shown else ''}{shown}</p>"
        try:
            drawn = b64encode(self.picture()).decode("ascii")
        except ConfigurationError:
            return text
        return f'{text}<img alt="" style="max-width: 480px" src="data:image/svg+xml;base64,{drawn}">'

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, as in `matheur solve --json` and `--out`."""
        return {
            "problem": self.problem.name,
            "instance": self.instance,
            "objective": self.objective,
            "score": plain(self.score),
            "score_max": plain(self.score_max),
            "bound": self.bound,
            "gap": self.gap if self.gap is None or isfinite(self.gap) else None,
            "status": self.status,
            "stopped": self.stopped,
            **({"reason": self.reason} if self.reason else {}),
            **({"note": self.note} if self.note else {}),
            **({"start": dict(self.start)} if self.start else {}),
            "feasible": self.feasible,
            **plain(self._report()),
            **({"assumptions": list(assumed)} if (assumed := getattr(self.problem, "assumptions", ())) else {}),
            "seconds": round(self.seconds, 3),
            "compile_seconds": round(self.compile_seconds, 3),
            "first_seconds": self.first_seconds,
            "trace": [{"seconds": at, "objective": objective} for at, objective in self.trace],
            "work": self.work,
            "iterations": self.iterations,
            "seed": self.seed,
            "solver": self.solver,
            "found_by": self.found_by,
            "certificate": self.certificate,
            "versions": versions(),
            "operators": {name: figures.to_dict() for name, figures in self.operators.items()},
            "configuration": self.configuration,
            **({"unwritten": dict(self.unwritten)} if self.unwritten else {}),
            "solution": None if self.solution is None else self.problem.encode(self.solution),
        }

    def _report(self) -> Mapping[str, Any]:
        """Further values that the problem reports for the solution, such as the synergy of a party."""
        maximised = getattr(self.problem, "maximised", None)
        sense = {} if maximised is None else {"sense": "max" if maximised else "min"}
        if self.solution is None or not isinstance(self.problem, Reporting):
            return sense
        return {**sense, **self.problem.report(self.solution)}

    def save(self, path: Path | str) -> None:
        """Write the JSON, atomically."""
        write_json(path, self.to_dict(), indent=None)
