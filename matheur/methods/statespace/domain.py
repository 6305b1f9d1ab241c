"""The interface of the state-space searches: domains.

States are rows of small integers (uint8). Searches store them packed into 64-bit words (`Packing`) and get successors
either one state at a time from a compiled `expander`, or in batches from `expand`. A domain must provide one of the
two; `BaseDomain` derives the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.methods.statespace.batch_kernels import expand_batch
from matheur.methods.statespace.packing import Packing
from matheur.methods.statespace.ranking import PartialPermutationRanking

if TYPE_CHECKING:
    from matheur.engine.budget import Budget
    from matheur.methods.statespace.answer import SearchAnswer

__all__ = [
    "Automorphisms",
    "BaseDomain",
    "DeepeningDomain",
    "Domain",
    "IllegalMoveError",
    "Kernel",
    "LevelStep",
    "RenamingDomain",
    "SampledDomain",
    "Successors",
    "TaughtDomain",
    "UniformDomain",
    "View",
    "ViewedDomain",
]


class IllegalMoveError(ValueError):
    """A plan contains a move that its state does not allow; `step` is the 0-based position in the plan."""

    def __init__(self, step: int, move: int) -> None:
        super().__init__(f"move {move} is not possible at step {step}")
        self.step: int = step
        self.move: int = move


@dataclass(frozen=True, eq=False)
class Kernel:
    """A compiled function (`numba.cfunc`) with the numbers and tables that it reads.

    The function gets one array of int64: first the address of each table, then `numbers`.

    Attributes
    ----------
    function
        See `matheur.methods.statespace.pointers` for the signatures.
    numbers
        int64[n].
    tables
        C-contiguous arrays, kept alive as long as the kernel.
    """

    function: Any
    numbers: NDArray[np.int64]
    tables: tuple[NDArray[Any], ...] = ()
    data: NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not all(table.flags.c_contiguous for table in self.tables):
            raise ValueError("the tables of a kernel must be C-contiguous")
        addresses = np.array([table.ctypes.data for table in self.tables], dtype=np.int64)
        object.__setattr__(self, "data", np.concatenate([addresses, np.asarray(self.numbers, dtype=np.int64)]))

    @property
    def address(self) -> int:
        """Start address of the machine code."""
        return int(self.function.address)


class Successors(NamedTuple):
    """All successors of a batch of states, grouped by parent in ascending order.

    Attributes
    ----------
    keys
        uint64[m, words].
    parents
        int64[m]: row of the parent in the batch.
    moves, costs
        int32[m]; costs are not negative.
    """

    keys: NDArray[np.uint64]
    parents: NDArray[np.int64]
    moves: NDArray[np.int32]
    costs: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Automorphisms:
    """Symmetries of a domain that fix its goal, so that a state and its image are equally far from the goal.

    Image j of a state s has component `components[j, i]` equal to `values[j, s[i]]` for every i. The identity is
    number 0.

    Attributes
    ----------
    components
        int64[n, size]: a permutation of the components in each row.
    values
        uint8[n, largest value + 1]: a permutation of the values in each row.
    """

    components: NDArray[np.int64]
    values: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.components)

    def images(self, state: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """All images [n, size] of a state [size]."""
        rows = np.empty((len(self), state.size), dtype=np.uint8)
        np.put_along_axis(rows, self.components, self.values[:, state], axis=1)
        return rows


class LevelStep(Protocol):
    """A puzzle's own method to expand a whole level, on bit arrays indexed by the key.

    Attributes
    ----------
    chunks
        Number of parts of a level, each of a few milliseconds.
    """

    @property
    def chunks(self) -> int:
        """Number of parts of a level."""

    def run(self, chunk: int, frontier: NDArray[np.uint64], following: NDArray[np.uint64]) -> None:
        """Add successors of states of `frontier` to `following`; all chunks together add all successors.

        States of `frontier` itself may be added as well, but no others. `frontier` is not modified.
        """


class Domain(Protocol):
    """A state space with a start and a goal.

    Attributes
    ----------
    name
        Display name.
    packing
        Widths of the components of a state.
    branching
        Upper bound on the number of successors of a state.
    moves
        Number of moves, which are numbered 0 .. moves - 1.
    reversible
        Whether every edge has a reverse edge of the same cost, so that a search may start at the goal.
    unit_costs
        Whether every move costs 1.
    start, goal
        uint8[size].
    goal_mask
        bool[size]: components in which a state must equal `goal` to be a goal state.
    expander
        Compiled successor function (`EXPAND`), or None.
    ranking
        Dense numbering of the states, for breadth-first search, if all components are always different; or None.
    levels
        The domain's own method to expand a whole breadth-first level of a bit array indexed by the key; or None.
    fingerprint
        Identifier of everything that defines the moves (not the start and the goal), so that tables of distances can be
        stored on disk; empty if unknown.
    """

    name: str
    packing: Packing
    branching: int
    moves: int
    reversible: bool
    unit_costs: bool
    start: NDArray[np.uint8]
    goal: NDArray[np.uint8]
    goal_mask: NDArray[np.bool_]
    expander: Kernel | None
    ranking: PartialPermutationRanking | None
    levels: LevelStep | None
    fingerprint: str

    def expand(self, keys: NDArray[np.uint64]) -> Successors:
        """All successors of packed states [n, words]."""

    def is_goal(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which packed states [n, words] are goals."""

    def apply(self, state: NDArray[np.uint8], plan: Sequence[int] | NDArray[np.int32]) -> NDArray[np.uint8]:
        """The states [n + 1, size] along a plan of n moves, `state` first; raises `IllegalMoveError`."""

    def between(self, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> Domain:
        """The same moves from another start to another goal."""

    def automorphisms(self) -> Automorphisms | None:
        """Symmetries that fix the goal, or None if none are known."""

    def heuristics(self) -> Mapping[str, Callable[..., Any]]:
        """The domain's own heuristics: functions by name that make them.

        A heuristic that needs time for its tables has a parameter `budget`, calls `Budget.check` repeatedly, and ends
        with an `OutOfBudgetError`.
        """

    def project(self, components: Sequence[int]) -> Domain | None:
        """The relaxed domain that keeps only these components, or None.

        Its states are the kept components in the given order; its goal is the kept part of the goal. The distance to
        the goal in it never exceeds the distance in the domain. Distances in projections onto disjoint components may
        be added, because a move has a positive cost in at most one of them.
        """


@runtime_checkable
class DeepeningDomain(Protocol):
    """A domain with its own iterative deepening, which is faster than the general one."""

    def ida_star(self, heuristic: str, *, budget: Budget, memory: int, threads: int = 1) -> SearchAnswer | None:
        """An optimal plan from the start to the goal, guided by the heuristic of that name (`auto`: the best one).

        If the search uses several threads, the plan does not depend on their number.

        Returns
        -------
        SearchAnswer or None
            None if the domain has no faster search for this heuristic, goal or memory.
        """


@dataclass(frozen=True, eq=False)
class View:
    """The states of a domain as states of a larger domain, which encodes more of the instance and fits many instances.

    Each value of a component determines at most one component of the larger state, and different components determine
    different ones.

    Attributes
    ----------
    fingerprint
        Fingerprint of the larger domain.
    ground
        uint8[larger size]: values of components that nothing determines.
    place
        int64[size, 256]: the component of the larger state that a value determines, -1 for none.
    shown
        uint8[size, 256]: the value of that component.
    """

    fingerprint: str
    ground: NDArray[np.uint8]
    place: NDArray[np.int64]
    shown: NDArray[np.uint8]

    def __call__(self, states: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Larger states [n, larger size] of states [n, size]."""
        found = np.repeat(self.ground[None], len(states), axis=0)
        components = np.arange(states.shape[1])
        place, shown = self.place[components, states], self.shown[components, states]
        row, component = np.nonzero(place >= 0)
        found[row, place[row, component]] = shown[row, component]
        return found


@runtime_checkable
class ViewedDomain(Protocol):
    """A domain whose networks are trained for a larger domain."""

    def view(self) -> View | None:
        """View of its states in the larger domain; None if its goal is not the goal of the larger domain."""


@runtime_checkable
class RenamingDomain(Protocol):
    """A domain in which renaming the moved objects leaves distances unchanged."""

    def renaming(self, before: NDArray[np.uint8], after: NDArray[np.uint8]) -> View | None:
        """A renaming of states, possibly with a symmetry, that maps `before` to `after`; None if there is none.

        The distance between two states equals the distance between their images.
        """


@runtime_checkable
class TaughtDomain(Protocol):
    """A domain with several goals or irreversible moves, which generates the training states of networks itself."""

    def goals(self, most: int) -> NDArray[np.uint64]:
        """Some goal states, about this many; all if there are fewer."""

    def backwards(self) -> Domain:
        """The domain whose successors are the predecessors; `moves` lead back to the successor."""

    def walks_back(
        self, count: int, longest: int, rng: Generator
    ) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int32]]:
        """States on walks from goal states: keys, number of moves to the goal, and the first of these moves.

        All `longest` + 1 states of `count` walks, from the goals to the ends of the walks. The move is -1 at the goal.
        """


@runtime_checkable
class SampledDomain(Protocol):
    """A domain with irreversible moves, possibly of different costs: networks learn from plans that it makes.

    Attributes
    ----------
    longest
        Largest number of moves in a plan.
    """

    longest: int

    def walks_back(
        self, count: int, longest: int, rng: Generator
    ) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int32]]:
        """States of `count` plans, each the last `longest` moves: keys, cost to their ends, and the next moves.

        Goals come first, the states farthest from them last. The move is -1 at a goal.
        """

    def known(self, most: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """At most this many states, with the exact cost of the cheapest way to a goal."""


@runtime_checkable
class UniformDomain(Protocol):
    """A domain that draws states uniformly."""

    def uniform(self, count: int, rng: Generator) -> NDArray[np.uint8]:
        """States [count, size] from which the goal can be reached."""


class BaseDomain:
    """Everything of `Domain` that follows from `packing`, `goal` and one way to expand.

    Subclasses set the attributes of `Domain` and `expander`, or override `expand`.
    """

    name = "domain"
    packing: Packing
    branching: int
    moves: int
    reversible = True
    unit_costs = True
    start: NDArray[np.uint8]
    goal: NDArray[np.uint8]
    goal_mask: NDArray[np.bool_]
    expander: Kernel | None = None
    ranking: PartialPermutationRanking | None = None
    levels: LevelStep | None = None
    fingerprint = ""

    def expand(self, keys: NDArray[np.uint64]) -> Successors:
        """All successors of packed states [n, words], through the compiled expander."""
        if self.expander is None:
            raise NotImplementedError("a domain needs an expander or a method 'expand'")
        rows = np.ascontiguousarray(keys, dtype=np.uint64).reshape(-1, self.packing.words)
        return Successors(*expand_batch(self.expander.address, self.expander.data, rows, self.branching))

    def is_goal(self, keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Which packed states [n, words] equal the goal in the masked components."""
        states = self.packing.unpack(keys)
        return np.asarray((states[:, self.goal_mask] == self.goal[self.goal_mask]).all(axis=1), dtype=np.bool_)

    def apply(self, state: NDArray[np.uint8], plan: Sequence[int] | NDArray[np.int32]) -> NDArray[np.uint8]:
        """The states [n + 1, size] along a plan of n moves."""
        key = self.packing.pack(np.asarray(state, dtype=np.uint8)[None])
        keys = [key]
        for step, move in enumerate(np.asarray(plan, dtype=np.int64).tolist()):
            found = self.expand(key)
            chosen = np.flatnonzero(found.moves == move)
            if chosen.size == 0:
                raise IllegalMoveError(step, move)
            key = found.keys[chosen[:1]]
            keys.append(key)
        return self.packing.unpack(np.concatenate(keys))

    def automorphisms(self) -> Automorphisms | None:
        """None: no symmetries are known."""
        return None

    def heuristics(self) -> Mapping[str, Callable[..., Any]]:
        """An empty mapping: the domain has no heuristics of its own."""
        return {}

    def project(self, components: Sequence[int]) -> Domain | None:
        """None: no relaxation is known."""
        del components
        return None
