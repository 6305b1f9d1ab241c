"""What worker processes run in tests: it has to live in a module that they can import."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass

import numpy as np
from engine import toy

from matheur.engine import Budget, SharedElites
from matheur.engine.portfolio import Member, Slice
from matheur.engine.processes import report, stop_requested

PATIENCE = 60.0


def until_asked(number: int) -> int:
    """Report, wait for the wish to stop, and return the number."""
    report(("begun", number))
    end = time.monotonic() + PATIENCE
    while not stop_requested() and time.monotonic() < end:
        time.sleep(0.01)
    return number if stop_requested() else -1


def double(number: int) -> int:
    """Report the number and return its double."""
    report({"half": number})
    return 2 * number


def die() -> None:
    """End as a process does that the system kills."""
    os.kill(os.getpid(), signal.SIGKILL)


def work_on(problem: toy.SmallSum, work: int | None, iterations: int | None, slice_: Slice) -> Member:
    """A slice of a member of a portfolio."""
    search = toy.search(problem, toy.Lower(), toy.Redraw())
    budget = Budget(seconds=slice_.seconds, work=work, iterations=iterations)
    found = search.run(budget, slice_.seed, state=slice_.state, pause=slice_.pause)
    return Member(slice_.member, found.objective, found.stopped, found.state, toy.figures(found))


@dataclass(frozen=True)
class Unordered(toy.SmallSum):
    """Digits in another order are the same solution."""

    def orbit(self, solution: toy.Digits) -> bytes:
        return self.digest(np.sort(solution))


def add_elites(folder: str, seed: int, count: int, capacity: int) -> list[tuple[bytes, int]]:
    """Add random solutions to the pool of a folder, with an exchange after each; keys and objectives of all."""
    problem, rng = Unordered(6), np.random.default_rng(seed)
    added = []
    with SharedElites(problem, folder, capacity=capacity, every=0.0) as pool:
        for _ in range(count):
            solution = rng.integers(10, size=6)
            key, objective = problem.orbit(solution), int(solution.sum())
            pool.add(key, solution, objective)
            added.append((key, objective))
            pool.exchange()
    return added


def add_elites_for_ever(folder: str, seed: int) -> None:
    """Say which process this is, and add elites until it is killed."""
    report(os.getpid())
    end, round_ = time.monotonic() + PATIENCE, 0
    while time.monotonic() < end:
        add_elites(folder, 1000 * seed + round_, 20, 24)
        round_ += 1
