"""A toy problem (make the sum of small integers small) with operators that behave, and operators that do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine import Budget, Evaluation, LocalSearch, Named, Outcome, SearchResult, Status, proof_key
from matheur.errors import InputError

Digits = NDArray[np.int64]


@dataclass(frozen=True)
class SmallSum:
    """Minimise the sum of `length` integers from 0 to 9; the score is how far it is below the maximum."""

    length: int = 6
    trivial_bound: int | None = None
    contradiction: str | None = None

    name = "small-sum"

    @property
    def fingerprint(self) -> str:
        return f"small-sum-{self.length}"

    @property
    def score_max(self) -> int:
        return 9 * self.length

    def score(self, objective: int | float) -> int | float:
        return self.score_max - objective

    def evaluate(self, solution: Digits) -> Evaluation:
        wrong = [f"place {i} holds {value}" for i, value in enumerate(solution) if not 0 <= value <= 9]
        return Evaluation(int(np.sum(solution)), not wrong, tuple(wrong))

    def infeasible_reason(self) -> str | None:
        return self.contradiction

    def encode(self, solution: Digits) -> list[int]:
        return [int(value) for value in solution]

    def decode(self, data: Any) -> Digits:
        if not isinstance(data, list) or len(data) != self.length:
            raise InputError(f"{self.length} digits are needed")
        return np.array(data, dtype=np.int64)

    def digest(self, solution: Digits) -> bytes:
        return np.ascontiguousarray(solution, dtype=np.int64).tobytes()


@dataclass(frozen=True)
class Solved(SmallSum):
    """The same, solved as it stands or not."""

    trivial_bound: int | None = 0
    solved: bool = True

    def given_solution(self) -> Digits | None:
        return np.zeros(self.length, dtype=np.int64) if self.solved else None


@dataclass(frozen=True)
class Nines:
    """Construction: all nines. Work: one unit a digit."""

    def build(self, problem: SmallSum, budget: Budget, rng: Generator) -> Outcome[Digits]:
        budget.spend(work=problem.length)
        return Outcome(Status.IMPROVED, np.full(problem.length, 9), 9 * problem.length)


@dataclass(frozen=True)
class Lower:
    """Lower a random digit by one. Work: one."""

    def explore(self, problem: SmallSum, incumbent: Digits, budget: Budget, rng: Generator) -> Outcome[Digits]:
        at = int(rng.integers(problem.length))
        if incumbent[at] == 0:
            return Outcome(Status.NO_IMPROVEMENT)
        better = incumbent.copy()
        better[at] -= 1
        return Outcome(Status.IMPROVED, better, int(better.sum()))


@dataclass(frozen=True)
class Redraw:
    """Draw a random digit anew, for better or worse: acceptance decides. Work: two."""

    def explore(self, problem: SmallSum, incumbent: Digits, budget: Budget, rng: Generator) -> Outcome[Digits]:
        other = incumbent.copy()
        other[int(rng.integers(problem.length))] = rng.integers(10)
        budget.spend(work=2)
        return Outcome(Status.NO_IMPROVEMENT, other, int(other.sum()))


@dataclass(frozen=True)
class Half:
    """Lower one digit of a half by one, or prove that the half is all zeros; a proved half is not looked at again."""

    half: int = 0

    def explore(self, problem: SmallSum, incumbent: Digits, budget: Budget, rng: Generator) -> Outcome[Digits]:
        middle = problem.length // 2
        places = range(middle) if self.half == 0 else range(middle, problem.length)
        key = proof_key("half", self.half, incumbent[list(places)])
        if key in budget.proofs:
            return Outcome(Status.LOCAL_OPTIMUM)
        budget.spend(work=2)
        for at in places:
            if incumbent[at] > 0:
                better = incumbent.copy()
                better[at] -= 1
                return Outcome(Status.IMPROVED, better, int(better.sum()))
        budget.proofs.remember(key)
        return Outcome(Status.LOCAL_OPTIMUM)


@dataclass
class Scripted:
    """Does what a function says: for operators that lie, cheat or never come back."""

    act: Callable[[SmallSum, Any, Budget], Outcome[Digits]]

    def explore(self, problem: SmallSum, incumbent: Digits, budget: Budget, rng: Generator) -> Outcome[Digits]:
        return self.act(problem, incumbent, budget)

    def build(self, problem: SmallSum, budget: Budget, rng: Generator) -> Outcome[Digits]:
        return self.act(problem, None, budget)


class Events(list[dict[str, Any]]):
    """An observer that keeps every event."""

    def __call__(self, event: Any) -> None:
        self.append(dict(event))

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self if event["event"] == kind]


def search(problem: SmallSum, *operators: Any, **options: Any) -> LocalSearch[Digits]:
    """A search from all nines with the operators under their class names, made unique by position."""
    named = [Named(f"{type(operator).__name__.lower()}{i}", operator) for i, operator in enumerate(operators)]
    construction = options.pop("construction", Nines())
    return LocalSearch(problem, Named("nines", construction), named, **options)


def figures(result: SearchResult[Digits]) -> dict[str, Any]:
    """All of a result that must not depend on the clock."""
    operators = {
        name: (one.calls, one.work, one.successes, one.gain, one.proofs) for name, one in result.operators.items()
    }
    state = {key: value for key, value in result.state.items() if key not in ("seconds", "operators")}
    return {
        "solution": None if result.solution is None else result.solution.tolist(),
        "objective": result.objective,
        "found_by": result.found_by,
        "bound": result.bound,
        "stopped": result.stopped,
        "work": result.work,
        "iterations": result.iterations,
        "operators": operators,
        "state": state,
    }


def stop_after(calls: int) -> tuple[Callable[[], bool], Callable[[Any], None]]:
    """An interrupt that comes after so many operator calls, and the observer that counts them."""
    seen = 0

    def count(event: Any) -> None:
        nonlocal seen
        seen += event["event"] == "operator"

    return lambda: seen >= calls, count


def lines(path: Path) -> Sequence[str]:
    """The lines of a file that ends in a line break."""
    text = path.read_text()
    assert text.endswith("\n")
    return text.splitlines()
