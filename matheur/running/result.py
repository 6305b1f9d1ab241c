"""The answer of a run, and its JSON."""

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
from matheur.errors import ConfigurationError

__all__ = ["Result", "versions"]

_CHECKOUT = Path(__file__).resolve().parents[2]
"""The folder that holds the package: the root of a checkout, or of installed packages."""


@cache
def versions() -> dict[str, str]:
    """Versions of matheur, its solvers and what the results depend on; the git hash of a checkout if there is one."""
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
    """The commit of the checkout that this package runs from, read from its files (no git is called)."""
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
    """What `solve` returns.

    Attributes
    ----------
    problem
        The `Problem` object, with its instance.
    instance
        Name of the instance: path, URL or built-in name.
    solution
        The best solution in the problem's own form, None if there is none.
    objective, score, score_max
        Re-evaluated objective (minimised, unless the problem maximises), the field's figure, and its maximum.
    bound
        Proved bound of the objective, None if unknown.
    status
        `optimal` (with a certificate), `feasible`, `infeasible` (with a reason) or `unknown`.
    stopped
        Why the run ended: `optimal`, `target`, `local-optimum`, `finished` (all operators have ended, and the budget
        has not), `budget`, `interrupt`, `infeasible`; `refuted` if a second proof found its claim wrong; in a file,
        `running` and `error`, too.
    reason
        A sentence that says why there is no solution, or why none was found; None if there is one.
    seconds
        Seconds of the run as its time limit counts them: without those in which kernels were compiled.
    operators
        Statistics by operator.
    compile_seconds
        Seconds in which kernels were compiled, which happens once on a machine; where several processes did it at the
        same time, it counts once.
    configuration
        The resolved configuration as plain values.
    note
        A sentence about a construction that the engine ended; None if there was none.
    trace
        Seconds and objective of each better solution that this call found; of very many some are left out.
    start
        What became of a start that may lack something: `outcome` (`used`, `completed`, `repaired` or `refused`), `text`
        (how, or why), and more; None if there was none, or it was a solution of the problem's form.
    unwritten
        Outputs that could not be written, by what they are (`result`, `trace`, `checkpoint`), each with a sentence. A
        run goes on without them.
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
        """Which file that was asked for is missing or has gaps, in a sentence; None if all are whole.

        A checkpoint is only for a resume, and does not count.
        """
        return next((text for name, text in self.unwritten.items() if name != "checkpoint"), None)

    @property
    def unproved(self) -> str | None:
        """Why the second proof that was asked for could not be finished; None if it was, or there was none to make."""
        return None if self.certificate is None else self.certificate.get("second_failed")

    @property
    def named(self) -> Any:
        """The solution in the words of the instance: as in `to_dict`, or of nodes of a graph; None without one."""
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
        """Seconds to the first solution of this call, None without one."""
        return self.trace[0][0] if self.trace else None

    @property
    def gap(self) -> float | None:
        """How far score and bound are apart as a share of the smaller one, see `matheur.engine.gap.optimality_gap`."""
        return optimality_gap(self.score, self.bound_score)

    @property
    def bound_score(self) -> int | float | None:
        """The bound as a score: none can be better."""
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
        """What a notebook shows: how the run ended, and a picture where the problem has one."""
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
        """What the problem itself says of the solution (the synergy of a party, say)."""
        maximised = getattr(self.problem, "maximised", None)
        sense = {} if maximised is None else {"sense": "max" if maximised else "min"}
        if self.solution is None or not isinstance(self.problem, Reporting):
            return sense
        return {**sense, **self.problem.report(self.solution)}

    def save(self, path: Path | str) -> None:
        """Write the JSON, atomically."""
        write_json(path, self.to_dict(), indent=None)
