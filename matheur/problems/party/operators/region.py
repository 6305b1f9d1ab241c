"""Neighbourhood `region`: fill some slots again by a MILP, the others as they are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.engine.proofs import proof_key
from matheur.methods.milp import SolverOptions, solve_model
from matheur.problems.party.instance import Instance
from matheur.problems.party.operators.modelling import party_model
from matheur.problems.party.operators.reduction import Candidates, undominated
from matheur.solvers import MilpStatus
from matheur.solvers.proving import is_proof

__all__ = ["Region"]

Party = NDArray[np.int32]

_PARTS_MAX = 20_000


@dataclass(frozen=True, slots=True)
class Region:
    """Free some neighbouring slots and fill them again as cheaply as possible, the others as they are.

    The free slots are drawn as a connected part of the formation. A part that is proved optimal is not solved again
    until the party changes; when all parts are, the party is a local optimum. If there are too many parts to list (some
    hundred slots without edges), no local optimum is reported. Work: branch-and-bound nodes.

    Attributes
    ----------
    size
        Number of free slots.
    iterations
        Maximum number of parts per call.
    seconds, nodes
        Limits of each MILP: seconds apply only in a run with a time limit, nodes always.
    solver
        MILP solver and its options.
    """

    size: int = option(4, minimum=1)
    iterations: int = option(4, minimum=1)
    seconds: float | None = option(10.0, minimum=0)
    nodes: int | None = option(None, minimum=0)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def __post_init__(self) -> None:
        check_options(self)

    def explore(self, problem: Any, incumbent: Party, budget: Budget, rng: Generator) -> Outcome[Party]:
        """Solve one part after another and keep every improvement."""
        instance: Instance = problem.instance
        party = np.array(incumbent, dtype=np.int32)
        price = before = int(problem.evaluate(party).objective)
        neighbours = _neighbours(instance)
        parts = _parts(neighbours, self.size)
        candidates = undominated(instance)
        work = 0
        for _ in range(self.iterations):
            if budget.exhausted or budget.reached(price):
                break
            some = parts or [_drawn(neighbours, self.size, rng)]
            open_ = [part for part in some if self._key(part, party) not in budget.proofs]
            if not open_:
                if parts:
                    break
                continue  # draw another part
            part = open_[int(rng.integers(len(open_)))]
            better, proved, nodes = self._refill(problem, candidates, part, party, price, budget, rng)
            work += nodes
            if better is not None:
                party, price = better
                budget.offer(party.copy(), price)
            if proved:
                budget.proofs.remember(self._key(part, party))
        if work == 0:
            budget.spend(work=1)
        changed = price < before
        if parts and all(self._key(part, party) in budget.proofs for part in parts):
            status = Status.LOCAL_OPTIMUM
        elif changed:
            status = Status.IMPROVED
        else:
            status = Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT
        return Outcome(status, party if changed else None, price if changed else None)

    def _key(self, part: tuple[int, ...], party: Party) -> str:
        return proof_key("region", np.array(part), party)

    def _refill(
        self,
        problem: Any,
        candidates: Candidates,
        part: tuple[int, ...],
        party: Party,
        price: int,
        budget: Budget,
        rng: Generator,
    ) -> tuple[tuple[Party, int] | None, bool, int]:
        """Return a cheaper party that differs only in these slots, whether the outcome is proved, and the nodes."""
        instance, prices = problem.instance, problem.instance.costs
        chosen = [party[slot : slot + 1] for slot in range(len(party))]
        priced = instance.additive
        least = {slot: int(prices[candidates[slot]].min()) for slot in part if len(candidates[slot])}
        room = sum(int(prices[party[slot]]) for slot in part) - 1
        taken = [int(party[slot]) for slot in range(len(party)) if slot not in part]
        for slot in part:
            dearest = room - sum(other for key, other in least.items() if key != slot)
            items = candidates[slot]
            items = items[prices[items] <= dearest] if priced else items
            chosen[slot] = items[~np.isin(items, taken)]
            if not len(chosen[slot]):
                return None, True, 0
        built = party_model(instance, budget, chosen, price_max=price - 1, in_units=True)
        answer = solve_model(built.model, self.solver, budget, rng, seconds=self.seconds, nodes=self.nodes)
        nodes = max(1, answer.nodes)
        if answer.status is MilpStatus.INFEASIBLE:
            return None, True, nodes
        if not answer.has_solution:
            return None, False, nodes
        found = built.read(answer.values)
        evaluation = problem.evaluate(found)
        if not evaluation.feasible or evaluation.objective >= price:
            return None, False, nodes
        return (found, int(evaluation.objective)), is_proof(answer), nodes


def _neighbours(instance: Instance) -> list[set[int]]:
    """The neighbours of each slot."""
    neighbours: list[set[int]] = [set() for _ in instance.slots]
    for a, b in instance.edges.tolist():
        neighbours[a].add(b)
        neighbours[b].add(a)
    return neighbours


def _extensions(neighbours: list[set[int]], part: Collection[int]) -> set[int]:
    """Slots by which a part can grow: its neighbours, or any other slot if it has none."""
    near = set().union(*(neighbours[slot] for slot in part)).difference(part)
    return near or set(range(len(neighbours))).difference(part)


def _parts(neighbours: list[set[int]], size: int) -> list[tuple[int, ...]]:
    """List all parts of `size` slots (or of all slots, if fewer), ascending; empty if more than `_PARTS_MAX`."""
    grown: set[tuple[int, ...]] = {(slot,) for slot in range(len(neighbours))}
    for _ in range(min(size, len(neighbours)) - 1):
        larger: set[tuple[int, ...]] = set()
        for part in grown:
            larger.update(tuple(sorted((*part, slot))) for slot in _extensions(neighbours, part))
            if len(larger) > _PARTS_MAX:
                return []
        grown = larger
    return sorted(grown)


def _drawn(neighbours: list[set[int]], size: int, rng: Generator) -> tuple[int, ...]:
    """Draw a random part."""
    part = [int(rng.integers(len(neighbours)))]
    while len(part) < min(size, len(neighbours)):
        near = sorted(_extensions(neighbours, part))
        part.append(near[int(rng.integers(len(near)))])
    return tuple(sorted(part))
