"""Replacements and exchanges that raise the synergy or the chemistry, if that is the objective."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.problems.party.instance import Instance
from matheur.problems.party.operators.describing import pair_points, synergy_points
from matheur.problems.party.rules import chemistry_of

__all__ = ["climb"]

Party = NDArray[np.int32]
Moves = Literal["replacements", "exchanges"]


def climb(problem: Any, incumbent: Party, budget: Budget, rng: Generator, moves: Moves) -> Outcome[Party]:
    """Visit the slots in a random order and make the move of greatest gain in each, until no move raises the objective.

    A replacement puts another item in a slot. An exchange swaps the items of two slots, which does not affect demands
    that cover all slots. Work: slots examined, each with all its moves.
    """
    instance: Instance = problem.instance
    party = np.array(incumbent, dtype=np.int32)
    start = objective = int(problem.evaluate(party).objective)
    if not problem.evaluate(party).feasible:
        return Outcome(Status.NO_IMPROVEMENT)
    order = rng.permutation(len(party)).tolist()
    idle, place = 0, 0
    while idle < len(order) and not budget.exhausted and not budget.reached(objective):
        slot = order[place % len(order)]
        place, idle = place + 1, idle + 1
        budget.spend(work=1, iterations=1)
        tried = _replacements(instance, party, slot) if moves == "replacements" else _exchanges(instance, party, slot)
        better = next((one for one in tried if problem.evaluate(one).feasible), None)
        if better is not None:
            party, idle = better, 0
            objective = int(problem.evaluate(party).objective)
            budget.offer(party.copy(), objective)
    unchanged = Status.LOCAL_OPTIMUM if idle >= len(order) else Status.EXHAUSTED
    if objective == start:
        return Outcome(unchanged)
    return Outcome(Status.IMPROVED, party, objective)


def _replacements(instance: Instance, party: Party, slot: int) -> Iterator[Party]:
    """Yield better parties that differ in this slot, best first."""
    items = instance.candidates[slot]
    items = items[~np.isin(items, party)]
    if instance.objective == "chemistry":
        changed = np.tile(party, (len(items), 1))
        changed[:, slot] = items
        yield from _of_more_chemistry(instance, party, changed)
        return
    beside = [b if a == slot else a for a, b in instance.edges.tolist() if slot in (a, b)]
    gains = np.zeros(len(items), dtype=np.int64)
    for neighbour in beside:
        gains += pair_points(instance, items, party[neighbour]) - pair_points(instance, party[slot], party[neighbour])
    for number in np.argsort(-gains, kind="stable")[: np.count_nonzero(gains > 0)].tolist():
        changed = party.copy()
        changed[slot] = items[number]
        yield changed


def _exchanges(instance: Instance, party: Party, slot: int) -> Iterator[Party]:
    """Yield better parties in which this slot and another one have swapped their items, best first."""
    others = [other for other in range(len(party)) if other != slot]
    changed = np.tile(party, (len(others), 1))
    for row, other in enumerate(others):
        changed[row, [slot, other]] = party[[other, slot]]
    if instance.objective == "chemistry":
        yield from _of_more_chemistry(instance, party, changed)
        return
    gains = synergy_points(instance, changed) - synergy_points(instance, party[None])[0]
    for row in np.argsort(-gains, kind="stable")[: np.count_nonzero(gains > 0)].tolist():
        yield changed[row]


def _of_more_chemistry(instance: Instance, party: Party, changed: Party) -> Iterator[Party]:
    """Yield the rows with more chemistry points than the party, best first."""
    before, *after = (
        sum(chemistry_of(instance, instance.chemistry, row)) for row in [party.tolist(), *changed.tolist()]
    )
    gains = np.array(after, dtype=np.int64) - before
    for row in np.argsort(-gains, kind="stable")[: np.count_nonzero(gains > 0)].tolist():
        yield changed[row]
