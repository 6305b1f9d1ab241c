"""Problems of two kinds for plan operators, and cheapest plans by uniform-cost search in plain Python."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from contracts.domains import Pancakes
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine import Evaluation
from matheur.methods.statespace.best_first.batch_astar import batch_astar
from matheur.methods.statespace.domain import Domain, IllegalMoveError
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.heuristics import zero
from matheur.problems.cubical import Cubical, Instance

__all__ = ["PancakeProblem", "best_cost", "cube", "detour", "unsolvable"]


@dataclass(frozen=True, eq=False)
class PancakeProblem:
    """A puzzle of another package: uneven costs, successors in NumPy, a domain that nobody has registered."""

    start: tuple[int, ...]
    name = "pancakes"

    def domain(self) -> Domain:
        """A new domain."""
        return Pancakes(len(self.start), list(self.start))

    @property
    def fingerprint(self) -> str:
        """The stack itself."""
        return repr(self.start)

    def evaluate(self, solution: NDArray[np.int32]) -> Evaluation:
        """Flipping i pancakes costs i."""
        domain = self.domain()
        try:
            states = domain.apply(domain.start, solution)
        except IllegalMoveError as error:
            return Evaluation(0, False, (str(error),))
        solved = bool((states[-1] == domain.goal).all())
        return Evaluation(int(np.sum(solution)), solved, () if solved else ("not solved",))

    def digest(self, solution: NDArray[np.int32]) -> bytes:
        """Of the moves."""
        return blake2b(np.asarray(solution, dtype=np.int32).tobytes()).digest()


def cube(d: int, k: int, start: str, target: str) -> Cubical:
    """A cubical puzzle."""
    places = [tuple(int(vertex) for vertex in text.split()) for text in (start, target)]
    return Cubical(Instance(d, k, tuple(f"r{i}" for i in range(len(places[0]))), places[0], places[1]))


def unsolvable() -> Cubical:
    """Level 3 of the repository for d = 3, k = 2: 672 of 1680 states can be reached, the target is not among them."""
    return cube(3, 2, "5 1 4 6", "4 1 5 6")


def best_cost(domain: Domain, start: Any = None, goal: Any = None) -> int | None:
    """Cost of a cheapest plan, by uniform-cost search on rows of numbers; None if there is none."""
    first = tuple(int(value) for value in (domain.start if start is None else start))
    last = tuple(int(value) for value in (domain.goal if goal is None else goal))
    queue, cheapest = [(0, first)], {first: 0}
    while queue:
        cost, state = heapq.heappop(queue)
        if state == last:
            return cost
        if cost > cheapest[state]:
            continue
        found = domain.expand(domain.packing.pack([state]))
        for row, price in zip(domain.packing.unpack(found.keys).tolist(), found.costs.tolist(), strict=True):
            after = tuple(row)
            if cost + price < cheapest.get(after, 1 << 40):
                cheapest[after] = cost + price
                heapq.heappush(queue, (cost + price, after))
    return None


def detour(problem: Any, rng: Generator, steps: int) -> NDArray[np.int32]:
    """A random walk of some steps, and then an optimal way from where it ends to the goal."""
    domain = domain_of(problem)
    key, plan = domain.packing.pack(domain.start[None]), []
    for _ in range(steps):
        found = domain.expand(key)
        chosen = int(rng.integers(len(found.moves)))
        plan.append(int(found.moves[chosen]))
        key = found.keys[chosen : chosen + 1]
    heuristic = next(iter(domain.heuristics().values()), zero)()
    rest = batch_astar(domain.between(domain.packing.unpack(key)[0], domain.goal), heuristic, until="proved")
    assert rest.plan is not None
    whole = np.array([*plan, *rest.plan.tolist()], dtype=np.int32)
    assert problem.evaluate(whole).feasible
    whole.setflags(write=False)
    return whole
