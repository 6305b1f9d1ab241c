"""Labels by exact search: random states, an optimal plan for each.

States are drawn uniformly if the domain can do that, or are ends of random walks from the goal; the options choose.
Every block of states has its own random stream, so a file that is continued or made again has the same contents.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.interrupt import ctrl_c_ends
from matheur.errors import ConfigurationError
from matheur.methods.learning.labels import Labels, check_labels, read_labels, write_labels
from matheur.methods.learning.sampling import Walker
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.domain import DeepeningDomain, Domain, UniformDomain
from matheur.methods.statespace.heuristics import heuristic_by_name
from matheur.version import __version__

__all__ = ["LabellingOptions", "exact_search", "make_labels"]

_BLOCK = 200  # states
_EVERY = 30.0  # seconds between two writes of the file
_IN_VAIN = 5  # blocks in a row without a plan, after which no more are tried

States = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class LabellingOptions:
    """Options of `make_labels`.

    Attributes
    ----------
    heuristic
        Heuristic of the exact search: a name, or `auto`.
    longest
        Steps of the longest random walk.
    walks
        Share of states that are ends of random walks of 1 to `longest` steps; the others are drawn uniformly from all
        states. None: 0 if the domain can draw them, else 1.
    nodes
        Work limit of a search, after which its state is left out; None: no limit. With a limit, states far from the
        goal may be missing.
    memory
        Memory limit in bytes for the tables, and for a search.
    """

    heuristic: str = "auto"
    longest: int = 100
    walks: float | None = None
    nodes: int | None = None
    memory: int = 2 << 30

    def __post_init__(self) -> None:
        if self.longest < 1 or (self.nodes is not None and self.nodes < 1) or self.memory < 1:
            raise ConfigurationError("longest, nodes and memory must be at least 1")
        if self.walks is not None and not 0 <= self.walks <= 1:
            raise ConfigurationError(f"the share of walks must be 0 to 1 ({self.walks})")


def make_labels(
    domain: Domain,
    plans: int,
    options: LabellingOptions,
    budget: Budget,
    seed: int,
    *,
    file: Path | None = None,
    on_progress: Callable[[Labels], None] | None = None,
) -> Labels:
    """Solve random states until there are this many plans, or the budget ends.

    Parameters
    ----------
    domain
        Reversible, with one goal state and unit costs.
    plans
        Least number of plans; they are made in blocks.
    seed
        Seed of all random choices.
    file
        File of labels to continue if it exists; it is written regularly.
    on_progress
        Called after every block.

    Raises
    ------
    ConfigurationError
        If the domain is unsuitable or cannot draw states, the heuristic is not admissible, the file was made with
        other options, or none of 1,000 states in a row was solved within the limits of a search. Plans that were found
        before are in the file.
    InputError
        If the file cannot be read.
    """
    if not (domain.reversible and domain.unit_costs and np.asarray(domain.goal_mask).all()):
        raise ConfigurationError(f"'{domain.name}' has no labels: moves must be reversible and cost 1 each")
    making = _Making(domain, options, seed)
    if file is not None and file.exists():
        making.go_on(file)
    written, in_vain = budget.clock(), 0
    with ctrl_c_ends(budget):
        while len(making.labels) < plans and not budget.exhausted and in_vain < _IN_VAIN:
            before = len(making.labels)
            if not making.block(budget):
                break
            in_vain = in_vain + 1 if len(making.labels) == before else 0
            if on_progress is not None:
                on_progress(making.labels)
            if file is not None and budget.clock() - written > _EVERY:
                write_labels(file, making.labels)
                written = budget.clock()
        if file is not None and (in_vain < _IN_VAIN or len(making.labels)):
            write_labels(file, making.labels)
    if in_vain == _IN_VAIN and len(making.labels) < plans:
        limits = "memory" if options.nodes is None else f"{options.nodes:,} nodes"
        raise ConfigurationError(
            f"no plan was found for {_IN_VAIN * _BLOCK:,} states in a row: each search ended at its limit ({limits}). "
            f"Maybe {'more memory' if options.nodes is None else 'a larger limit of nodes'}, or shorter walks?"
        )
    return making.labels


def exact_search(
    domain: Domain, options: LabellingOptions, budget: Budget | None = None
) -> Callable[[States, Budget], SearchAnswer]:
    """A search for optimal plans from any state: the domain's own iterative deepening, or A*.

    Parameters
    ----------
    budget
        Limits of time and interrupt for the tables of the heuristic.

    Raises
    ------
    ConfigurationError
        If the heuristic is unknown or not admissible.
    OutOfBudgetError
        If the budget ended before the tables were available.
    """
    limits = Budget() if budget is None else budget
    if isinstance(domain, DeepeningDomain):
        seconds = limits.seconds_left if limits.timed else None
        once = Budget(work=1, seconds=seconds, interrupt=limits.interrupt, clock=limits.clock)
        near = domain.ida_star(options.heuristic, budget=once, memory=options.memory)
        limits.check()
        if near is not None:

            def deepening(state: States, budget: Budget) -> SearchAnswer:
                answer = domain.between(state, domain.goal).ida_star(  # type: ignore[attr-defined]
                    options.heuristic, budget=budget, memory=options.memory
                )
                assert isinstance(answer, SearchAnswer)
                return answer

            return deepening
    name = next(iter(domain.heuristics()), "zero") if options.heuristic == "auto" else options.heuristic
    heuristic = heuristic_by_name(domain, name, memory=options.memory, budget=limits)
    if not heuristic.admissible:
        raise ConfigurationError(f"labels need a heuristic that is admissible; '{name}' is not")
    if domain.expander is not None and heuristic.estimator is not None:
        from matheur.methods.statespace.best_first.astar import astar

        return lambda state, budget: astar(
            domain.between(state, domain.goal), heuristic, budget=budget, memory=options.memory
        )
    from matheur.methods.statespace.best_first.batch_astar import batch_astar

    return lambda state, budget: batch_astar(
        domain.between(state, domain.goal), heuristic, batch=100, budget=budget, memory=options.memory, until="proved"
    )


class _Making:
    """Labels while they are being made."""

    def __init__(self, domain: Domain, options: LabellingOptions, seed: int) -> None:
        able = isinstance(domain, UniformDomain)
        walks = float(not able) if options.walks is None else options.walks
        if walks < 1 and not able:
            raise ConfigurationError(f"'{domain.name}' cannot draw states with equal chances. Maybe walks = 1?")
        self.domain, self.options, self.seed = domain, replace(options, walks=walks), seed
        self.search: Callable[[States, Budget], SearchAnswer] | None = None
        self.asked = {"seed": seed, **asdict(self.options), "version": __version__}
        self.blocks = self.left_out = 0
        self.cpu_seconds = 0.0
        self.numbers = np.min_scalar_type(max(0, domain.moves - 1))  # the smallest type that holds every move
        nothing = np.empty((0, domain.packing.size), dtype=np.uint8)
        self.labels = self._labels(nothing, np.empty(0, dtype=np.int32), np.empty(0, dtype=self.numbers))

    def go_on(self, file: Path) -> None:
        """Continue with the labels of a file."""
        kept = read_labels(file, note=False)
        try:
            check_labels(kept, self.domain)
        except ConfigurationError as error:
            raise ConfigurationError(f"{file}: {error}") from None
        other = next((name for name, value in self.asked.items() if kept.facts.get(name) != value), None)
        if other is not None:
            raise ConfigurationError(f"{file}: these labels were made with other settings ('{other}' differs)")
        self.labels = kept
        self.blocks, self.left_out = int(kept.facts["blocks"]), int(kept.facts["left_out"])
        self.cpu_seconds = float(kept.facts["cpu_seconds"])

    def block(self, budget: Budget) -> bool:
        """Solve a block of states; if the budget ends first, discard the block and return False."""
        if self.search is None:
            try:
                self.search = exact_search(self.domain, self.options, budget)
            except OutOfBudgetError:
                return False
        begun = time.process_time()
        starts = self._draw(np.random.default_rng([self.seed, self.blocks]))
        plans: list[NDArray[np.int32] | None] = []
        for state in starts:
            child = budget.child(work=self.options.nodes)
            answer = self.search(state, child)
            if not answer.proved and budget.exhausted:
                return False
            plans.append(answer.plan if answer.proved else None)
        solved = [row for row, plan in enumerate(plans) if plan is not None]
        kept = [plan for plan in plans if plan is not None]
        self.blocks, self.left_out = self.blocks + 1, self.left_out + len(plans) - len(kept)
        self.cpu_seconds += time.process_time() - begun
        one = self.labels
        self.labels = self._labels(
            np.concatenate([one.starts, starts[solved]]),
            np.concatenate([one.lengths, np.array([len(plan) for plan in kept], dtype=np.int32)]),
            np.concatenate([one.moves, *(plan.astype(self.numbers) for plan in kept)]),
        )
        return True

    def _draw(self, rng: Generator) -> States:
        """States of a block."""
        assert self.options.walks is not None
        walking = int(rng.binomial(_BLOCK, self.options.walks))
        drawn = []
        if walking:
            walker = Walker(self.domain, self.options.longest, goal=False)
            drawn.append(self.domain.packing.unpack(walker.draw(walking, rng).keys))
        if walking < _BLOCK:
            assert isinstance(self.domain, UniformDomain)
            try:
                drawn.append(self.domain.uniform(_BLOCK - walking, rng))
            except ValueError as error:
                raise ConfigurationError(f"{error}. Maybe walks = 1?") from error
        states: States = np.concatenate(drawn)
        return states

    def _labels(self, starts: States, lengths: NDArray[np.int32], moves: NDArray[np.unsignedinteger]) -> Labels:
        facts = {
            **self.asked, "blocks": self.blocks, "left_out": self.left_out, "cpu_seconds": round(self.cpu_seconds, 3),
        }  # fmt: skip
        return Labels(starts, lengths, moves, self.domain.name, self.domain.fingerprint, self.domain.goal, facts)
