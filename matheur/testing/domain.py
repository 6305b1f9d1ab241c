"""Contracts of domains, see `matheur.methods.statespace.domain`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.methods.statespace.domain import Domain, IllegalMoveError
from matheur.testing.contract import Contract, NotPromisedError, keep, raises, require

__all__ = ["CONTRACTS", "DomainCase", "Edge", "check_domain"]

Edge = tuple[tuple[int, ...], int, int]
"""A successor: the state, the move that leads to it, the cost of the move."""


@dataclass(frozen=True, slots=True)
class DomainCase:
    """A domain, an independent definition of its successors if known, and the seed of the walks."""

    domain: Domain
    successors: Callable[[tuple[int, ...]], set[Edge]] | None = None
    seed: int = 7

    def __str__(self) -> str:
        return f"the domain '{self.domain.name}'"

    def walk(self, steps: int) -> tuple[NDArray[np.uint64], list[int], Generator]:
        """A random walk from the start: the visited keys, the moves, and the generator after the walk."""
        rng, domain = np.random.default_rng(self.seed), self.domain
        keys, moves = [domain.packing.pack(domain.start[None])], []
        for _ in range(steps):
            found = domain.expand(keys[-1])
            if len(found.keys) == 0:
                break
            chosen = int(rng.integers(len(found.keys)))
            keys.append(found.keys[chosen : chosen + 1])
            moves.append(int(found.moves[chosen]))
        return np.concatenate(keys), moves, rng


def check_domain(
    domain: Domain, *, successors: Callable[[tuple[int, ...]], set[Edge]] | None = None, seed: int = 7
) -> None:
    """Check a state space on random walks from its start.

    Parameters
    ----------
    domain
        A small domain, since its successors are checked one by one.
    successors
        Independent definition of the successors of a state in plain Python, as a set of (state, move, cost). Without
        it, the moves themselves are not checked, but everything else is.
    seed
        Seed of the walks.

    Raises
    ------
    AssertionError
        If a contract is broken; the message states which and how.
    """
    keep(CONTRACTS, DomainCase(domain, successors, seed))


def packing_keeps_states(case: DomainCase) -> None:
    """Packed and unpacked, a state is the same, and different states have different keys."""
    packing = case.domain.packing
    keys, _, _ = case.walk(50)
    states = packing.unpack(keys)
    require((packing.pack(states) == keys).all(), "a state that is unpacked and packed has another key")
    different = len({_row(state) for state in states}), len({_row(key) for key in keys})
    require(different[0] == different[1], f"{different[0]} states have {different[1]} keys")
    widest = np.array([[(1 << width) - 1 for width in packing.widths]], dtype=np.uint8)
    require((packing.unpack(packing.pack(widest)) == widest).all(), "the largest values are not kept")


def successors_are_right(case: DomainCase) -> None:
    """Expansion agrees with the definition in states, moves and costs, names each move once and keeps its bounds."""
    domain = case.domain
    keys, _, _ = case.walk(30)
    found = domain.expand(keys)
    require((np.diff(found.parents) >= 0).all(), "successors are not in the order of their parents")
    children = domain.packing.unpack(found.keys)
    for parent, state in enumerate(domain.packing.unpack(keys)):
        mine = np.flatnonzero(found.parents == parent)
        edges = [(_row(children[i]), int(found.moves[i]), int(found.costs[i])) for i in mine]
        if case.successors is not None:
            missing = sorted(case.successors(_row(state)) ^ set(edges))
            require(not missing, f"of {_row(state)}, expansion and definition do not agree on {missing[:3]}")
        require(len(edges) <= domain.branching, f"{len(edges)} successors, and branching is {domain.branching}")
        require(len({move for _, move, _ in edges}) == len(edges), f"{_row(state)} has a move twice")
    within = ((found.moves >= 0) & (found.moves < domain.moves)).all()
    require(within, f"a move is not from 0 to below {domain.moves}, as 'moves' says")
    whole = all(np.issubdtype(part.dtype, np.integer) for part in (found.moves, found.costs))
    require(whole, f"moves and costs are of type {found.moves.dtype} and {found.costs.dtype}, not integers")
    require((found.costs >= 0).all(), "a move costs less than 0")
    require(not domain.unit_costs or (found.costs == 1).all(), "a move does not cost 1, as 'unit_costs' says")


def batches_are_sums(case: DomainCase) -> None:
    """The successors of a state depend on it alone, in their order too; of no state there are none."""
    domain = case.domain
    keys, _, _ = case.walk(20)
    whole = domain.expand(keys)
    for parent in range(len(keys)):
        alone = domain.expand(keys[parent : parent + 1])
        mine = whole.parents == parent
        same = len(alone.keys) == mine.sum() and (alone.keys == whole.keys[mine]).all()
        same = same and (alone.moves == whole.moves[mine]).all() and (alone.costs == whole.costs[mine]).all()
        require(same, f"state {parent} of a batch has other successors by itself")
    require(len(domain.expand(keys[:0]).keys) == 0, "no state has successors")


def plans_are_applied(case: DomainCase) -> None:
    """`apply` passes through the states of a walk; a move that is not possible is an error with its step."""
    domain = case.domain
    keys, moves, _ = case.walk(25)
    states = domain.apply(domain.start, moves)
    require(states.shape == (len(keys), domain.packing.size), f"{len(moves)} moves pass {states.shape[0] - 1} states")
    require((domain.packing.pack(states) == keys).all(), "'apply' passes other states than the moves lead to")
    impossible = [*sorted(set(range(domain.moves)) - set(domain.expand(keys[-1:]).moves.tolist())), domain.moves]
    error: Any = raises(
        IllegalMoveError, lambda: domain.apply(domain.start, [*moves, impossible[0]]),
        f"'apply' takes the move {impossible[0]}, which is not possible",
    )  # fmt: skip
    said, true = (error.step, error.move), (len(moves), impossible[0])
    require(said == true, f"the error of step and move {true} names {said}")


def moves_lead_back(case: DomainCase) -> None:
    """In a reversible domain every move can be taken back at the same cost."""
    domain = case.domain
    if not domain.reversible:
        raise NotPromisedError("moves of this domain cannot be taken back")
    keys, _, rng = case.walk(15)
    found = domain.expand(keys)
    some = rng.permutation(len(found.keys))[:60]
    back = domain.expand(found.keys[some])
    for position, child in enumerate(some):
        returning = (back.parents == position) & (back.keys == keys[found.parents[child]]).all(axis=1)
        cost = int(found.costs[child])
        require(cost in back.costs[returning].tolist(), f"no way back costs {cost}, as the way there does")


def goals_are_told(case: DomainCase) -> None:
    """The goal passes the test; a state that differs in a masked component does not."""
    domain = case.domain
    keys, _, _ = case.walk(25)
    require(domain.is_goal(domain.packing.pack(domain.goal[None])).all(), "the goal is not a goal state")
    expected = (domain.packing.unpack(keys) == domain.goal)[:, domain.goal_mask].all(axis=1)
    require((domain.is_goal(keys) == expected).all(), "'is_goal' does not agree with 'goal' and 'goal_mask'")
    others = np.repeat(domain.goal[None], int(domain.goal_mask.sum()), axis=0)
    others[np.arange(len(others)), np.flatnonzero(domain.goal_mask)] ^= 1
    require(not domain.is_goal(domain.packing.pack(others)).any(), "a state is a goal that differs in a component")


def endpoints_can_be_changed(case: DomainCase) -> None:
    """`between` changes start and goal and nothing else, and leaves the domain as it was."""
    domain = case.domain
    start, goal = domain.start.copy(), domain.goal.copy()
    keys, _, _ = case.walk(10)
    states = domain.packing.unpack(keys)
    other = domain.between(states[-1], states[0])
    require((other.start == states[-1]).all() and (other.goal == states[0]).all(), "the ends are not those asked for")
    require((domain.start == start).all() and (domain.goal == goal).all(), "'between' changes the domain")
    one, two = other.expand(keys), domain.expand(keys)
    same = one.keys.shape == two.keys.shape and (one.keys == two.keys).all() and (one.moves == two.moves).all()
    require(same, "with other ends the moves are others")
    require(other.is_goal(keys[:1]).all(), "the new goal is not a goal state")


def symmetries_keep_edges(case: DomainCase) -> None:
    """Images of the goal are the goal, images of neighbours are neighbours, and the first one is the identity."""
    domain = case.domain
    symmetries = domain.automorphisms()
    if symmetries is None:
        raise NotPromisedError("no symmetries are known")
    require((symmetries.images(domain.goal) == domain.goal).all(), "a symmetry changes the goal")
    keys, _, _ = case.walk(6)
    states = domain.packing.unpack(keys)
    require((symmetries.images(states[-1])[0] == states[-1]).all(), "symmetry 0 is not the identity")
    for here, there in pairwise(states):
        images = zip(symmetries.images(here)[:30], symmetries.images(there)[:30], strict=True)
        for number, (image, target) in enumerate(images):
            found = domain.expand(domain.packing.pack(image[None]))
            reached = (found.keys == domain.packing.pack(target[None])).all(axis=1).any()
            require(reached, f"symmetry {number} takes neighbours to states that are not neighbours")


def projections_relax(case: DomainCase) -> None:
    """A move of the domain is a move or nothing in a projection, and disjoint projections never pay for it twice."""
    domain = case.domain
    middle = domain.packing.size // 2
    parts = [part for part in (list(range(middle)), list(range(middle, domain.packing.size))) if part]
    projections = [domain.project(part) for part in parts]
    if domain.project([0]) is None and not any(projections):
        raise NotPromisedError("no projections are known")
    keys, _, rng = case.walk(10)
    found = domain.expand(keys)
    states, children = domain.packing.unpack(keys), domain.packing.unpack(found.keys)
    for child in rng.permutation(len(found.keys))[:200]:
        parent, paid = found.parents[child], 0
        for part, projection in zip(parts, projections, strict=True):
            require(projection is not None, f"there is no projection onto {part}")
            here, there = states[parent][part], children[child][part]
            if projection is None or (here == there).all():
                continue
            small = projection.expand(projection.packing.pack(here[None]))
            same = (small.keys == projection.packing.pack(there[None])).all(axis=1)
            require(same.any(), f"a move from {_row(states[parent])} is missing in the projection onto {part}")
            paid += int(small.costs[same].min())
        require(paid <= found.costs[child], f"projections pay {paid} for a move of {found.costs[child]}")


CONTRACTS: tuple[Contract, ...] = (
    packing_keeps_states, successors_are_right, batches_are_sums, plans_are_applied, moves_lead_back, goals_are_told,
    endpoints_can_be_changed, symmetries_keep_edges, projections_relax,
)  # fmt: skip
"""All contracts, for tests that check a `DomainCase` against each."""


def _row(state: NDArray[Any]) -> tuple[int, ...]:
    """A state as a hashable tuple."""
    return tuple(int(value) for value in state)
