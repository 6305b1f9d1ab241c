"""Evolution of plans (Merleau et al. 2024, section 3.3, Algorithms 2 and 3), and a planner in which plans share states.

In `paper` all individuals begin with the empty plan. A generation copies the elite, the plans with the fittest final
states, and fills up with mutations of plans drawn in proportion to their selection force, which combines fitness and a
small number of moves. A mutation appends a Zipf-distributed number of moves. The first plan that reaches the goal ends
the evolution.

Two equations of the paper are corrected. Equation 3 has the fitness 1 / (1 + L - h), and equation 4 lets h count the
rings that are *not* in place: the fitness would be largest if all are wrong, and less than 1 at the goal, where
Algorithm 2 expects 1. Here it is 1 / (1 + h). In equation 5 an empty plan has the force of one move, 1 / 2, as in the
published code, not 1 / (1 + 0).

`improved` is also an evolution of plans: a population, tournaments, mutations of Zipf-distributed length, survivors by
fitness. New features: a mutation may first remove the end of the plan. Only the cheapest plan per state is kept, so
that plans exchange their halves where they meet. A plan that reaches a state next to one with a known way to the goal,
from the ball around the goal or from an earlier plan, is completed at once. Plans that cannot become better than the
best one die. The evolution continues after the first plan.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics.base import Heuristic
from matheur.methods.statespace.pace import Pace, limit_reached
from matheur.methods.statespace.packed_goal import packed_goal, packed_start
from matheur.methods.statespace.paths import plan_along
from matheur.methods.statespace.planners import evolution_kernels as plain_kernels
from matheur.methods.statespace.planners import plan_archive_kernels as archive_kernels
from matheur.methods.statespace.planners.goal_ball import GoalBall, ball_of, goal_ball
from matheur.methods.statespace.planners.growing_table import GrowingTable

__all__ = ["VARIANTS", "component_places", "evolution", "zipf_probabilities"]

VARIANTS = ("improved", "paper")

_REDO = 0.3
_CAUTION = 0.5
_NODES = 1 << 16
_ENDLESS = 1 << 60

OnPlan = Callable[[NDArray[np.int32], int], None]


def zipf_probabilities(exponent: float, most: int) -> NDArray[np.float64]:
    """Probabilities of 1, 2, ..., `most` moves, proportional to n ** -exponent."""
    weights = np.arange(1, most + 1, dtype=np.float64) ** -exponent
    return weights / weights.sum()


def evolution(
    domain: Domain,
    *,
    population: int = 1000,
    generations: int = 1000,
    exponent: float = 1.8,
    force: float = 0.2,
    elite: float = 0.1,
    variant: str = "improved",
    fitness: Heuristic | None = None,
    ball: int | None = None,
    rng: np.random.Generator,
    budget: Budget | None = None,
    memory: int = 2 << 30,
    on_plan: OnPlan | None = None,
) -> SearchAnswer:
    """Evolve plans.

    If each move changes one component of the state (which is determined at the start), a move of a mutation is drawn in
    two steps: a uniform component, then a uniform move that changes it, or no move if there is none. In other domains
    it is a uniform move.

    Parameters
    ----------
    domain
        Domain with a compiled `expander`. A successor that it lists twice is twice as likely.
    population, generations
        Population size and number of generations, N and T of the paper.
    exponent
        Exponent c of the Zipf distribution of the number of moves of a mutation, which is at most the number of
        components of a state.
    force
        Weight of the fitness in the selection force, alpha of equation 5 (0.2 in the paper, 0.7 in the published code).
        `paper` only.
    elite
        Share of the population that is copied; `paper` only.
    variant
        Variant of the method, see the module.
    fitness
        Compiled estimate of the distance e to the goal; the fitness is 1 / (1 + e). None: e is the number of components
        that differ from the goal (equations 3 and 4, corrected). In `improved` it must be admissible, since it also
        excludes plans.
    ball
        Number of states around the goal with known distances, `improved` only; None for `ball_of`. There are no such
        states if the domain is not reversible or its goal leaves components free.
    rng
        Random generator; only a seed is drawn.
    budget
        Limits; a unit of work is a move tried, which is a state expanded.
    memory
        Memory limit of the tables in bytes.
    on_plan
        Called with every better plan and its cost.

    Returns
    -------
    SearchAnswer
        `bound` is proved by the ball or by an admissible `fitness`.

    Raises
    ------
    ValueError
        If the domain or the estimate is not compiled, or a parameter is out of its range.
    """
    _check(domain, fitness, variant)
    if population < 1 or not 0 <= elite < 1 or not 0 <= force <= 1:
        raise ValueError(f"population {population}, elite {elite}, force {force}: out of range")
    budget = Budget() if budget is None else budget
    if bool(domain.is_goal(packed_start(domain))[0]):
        return SearchAnswer(plan=np.empty(0, dtype=np.int32), cost=0, seconds=budget.elapsed)
    probabilities = zipf_probabilities(exponent, domain.packing.size)
    setting = _Setting(domain, population, generations, probabilities, fitness, rng, memory)
    if variant == "paper":
        return _Plain(setting, force, int(elite * population)).run(budget, on_plan)
    near = goal_ball(domain, ball_of(domain) if ball is None else ball, budget=budget, memory=memory)
    return _Archive(setting, near).run(budget, on_plan)


def _check(domain: Domain, fitness: Heuristic | None, variant: str) -> None:
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant '{variant}'. Maybe one of {', '.join(VARIANTS)}.")
    if domain.expander is None:
        raise ValueError(f"evolution needs a compiled domain, '{domain.name}' is not. Maybe use batch_astar or beam.")
    if fitness is not None and (fitness.estimator is None or not (fitness.admissible or variant == "paper")):
        raise ValueError(f"'{fitness.name}' is not compiled, or not admissible, which '{variant}' needs")


def component_places(domain: Domain) -> NDArray[np.uint64]:
    """Word and mask of each component of a packed state: uint64[size, 2]."""
    packing = domain.packing
    full = [((1 << width) - 1) << int(shift) for width, shift in zip(packing.widths, packing.shift, strict=True)]
    return np.array([packing.word.astype(np.uint64), np.array(full, dtype=np.uint64)]).T.copy()


class _Setting:
    """Data for the kernels of both variants."""

    def __init__(
        self, domain: Domain, population: int, generations: int, probabilities: NDArray[np.float64],
        fitness: Heuristic | None, rng: np.random.Generator, memory: int,
    ) -> None:  # fmt: skip
        assert domain.expander is not None
        self.domain, self.population, self.generations, self.memory = domain, population, generations, memory
        self.words, self.start = domain.packing.words, packed_start(domain)
        self.fitness = fitness
        estimator = None if fitness is None else fitness.estimator
        expander = domain.expander
        estimate = (0, expander.data) if estimator is None else (estimator.address, estimator.data)
        self.functions = (expander.address, expander.data, *estimate)
        self.places = component_places(domain)
        self.goal, self.mask = packed_goal(domain)
        self.space = (self.goal, self.mask, self.places, domain.goal_mask.copy(), self._by_component())
        self.cumulative = np.cumsum(probabilities)
        self.random = np.array([rng.integers(0, 1 << 63)], dtype=np.uint64)
        self.successors = np.empty(domain.branching * self.words, dtype=np.uint64)
        self.moves, self.costs, self.choices = (np.empty(domain.branching, dtype=np.int32) for _ in range(3))

    def _by_component(self) -> bool:
        """Whether each move from the start changes one component."""
        states = self.domain.packing.unpack(self.domain.expand(self.start).keys)
        return bool(((states != self.domain.start).sum(axis=1) == 1).all())

    @property
    def estimate(self) -> int:
        """An admissible estimate for the start, 0 if there is none."""
        if self.fitness is None or not self.fitness.admissible:
            return 0
        return int(self.fitness.estimate(self.start)[0])


class _Plain:
    """`paper`."""

    def __init__(self, setting: _Setting, force: float, elite: int) -> None:
        self.setting, self.force, self.elite = setting, force, elite
        size, words = setting.population, setting.words
        self.keys = np.tile(setting.start.ravel(), 2 * size).reshape(2, size * words)
        self.values, self.lengths = np.zeros((2, size), dtype=np.int32), np.zeros((2, size), dtype=np.int32)
        self.nodes = np.full((2, size), -1, dtype=np.int32)
        self.before, self.made = np.empty(_NODES, dtype=np.int32), np.empty(_NODES, dtype=np.int32)
        self.order, self.forces = np.empty(size, dtype=np.int64), np.empty(size)
        self.numbers = np.zeros(plain_kernels.NUMBERS, dtype=np.int64)
        self.peak = self._bytes(_NODES)
        domain = setting.domain
        wrong = int((domain.start != domain.goal)[domain.goal_mask].sum())
        fitness = setting.fitness
        self.values[:] = wrong if fitness is None else int(fitness.estimate(setting.start)[0])

    def _bytes(self, nodes: int) -> int:
        """Bytes with a history of this length, while it is created."""
        rows = self.keys.nbytes + 3 * self.values.nbytes + 2 * self.order.nbytes + self.forces.nbytes
        return rows + 4 * (2 * nodes + len(self.before))  # compaction needs as much as one of the two arrays

    def run(self, budget: Budget, on_plan: OnPlan | None) -> SearchAnswer:
        """Run generations until a plan reaches the goal."""
        pace, limit, plan, cost = Pace(budget), None, None, None
        if self.peak > self.setting.memory:
            return self._answer(budget, "memory", None, None)
        while limit is None:
            allowance = pace.next()
            limit = limit_reached(budget)
            if limit is not None:
                break
            before = int(self.numbers[plain_kernels.EXPANDED])
            status = self._slice(allowance, budget.work_left)
            pace.done(int(self.numbers[plain_kernels.EXPANDED]) - before)
            if status == plain_kernels.SOLVED:
                plan, cost = self._plan()
                if on_plan is not None:
                    on_plan(plan.copy(), cost)
            if status in (plain_kernels.SOLVED, plain_kernels.DONE):
                break
            if status == plain_kernels.FULL and not self._make_room():
                limit = "memory"
        return self._answer(budget, limit, plan, cost)

    def _slice(self, allowance: int, left: int | None) -> int:
        one = self.setting
        return int(
            plain_kernels.evolve(
                *one.functions, *one.space, self.keys, self.values, self.lengths, self.nodes, self.before, self.made,
                self.order, self.forces, one.cumulative, self.force, self.elite, one.generations, self.numbers,
                one.random, one.successors, one.moves, one.costs, one.choices, allowance,
                _ENDLESS if left is None else left,
            )
        )  # fmt: skip

    def _make_room(self) -> bool:
        """Drop history that no plan needs; if that frees less than half of it, double its size."""
        row, begun = (int(self.numbers[i]) for i in (plain_kernels.ROW, plain_kernels.NEXT))
        used = plain_kernels.compact(
            self.nodes, row, begun, self.before, self.made, int(self.numbers[plain_kernels.NODES])
        )
        self.numbers[plain_kernels.NODES] = used
        room = len(self.before)
        if 2 * used <= room:
            return True
        if self._bytes(2 * room) > self.setting.memory:
            return used + len(self.setting.cumulative) <= room
        self.peak = self._bytes(2 * room)
        self.before, self.made = (np.concatenate([array, np.empty_like(array)]) for array in (self.before, self.made))
        return True

    def _plan(self) -> tuple[NDArray[np.int32], int]:
        """The moves that lead to the first individual at the goal, and their cost."""
        row, solver = (int(self.numbers[i]) for i in (plain_kernels.ROW, plain_kernels.SOLVER))
        moves, node = [], int(self.nodes[row, solver])
        while node >= 0:
            moves.append(int(self.made[node]))
            node = int(self.before[node])
        plan = np.array(moves[::-1], dtype=np.int32)
        return plan, len(plan) if self.setting.domain.unit_costs else _cost(self.setting.domain, plan)

    def _answer(
        self, budget: Budget, limit: str | None, plan: NDArray[np.int32] | None, cost: int | None
    ) -> SearchAnswer:
        return SearchAnswer(
            plan, cost, bound=self.setting.estimate, limit=limit,
            expanded=int(self.numbers[plain_kernels.EXPANDED]), generated=int(self.numbers[plain_kernels.GENERATED]),
            stored=self.setting.population, memory=self.peak, seconds=budget.elapsed,
        )  # fmt: skip


def _cost(domain: Domain, plan: NDArray[np.int32]) -> int:
    """Cost of a plan from the start."""
    key, cost = packed_start(domain), 0
    for move in plan.tolist():
        found = domain.expand(key)
        chosen = int(np.flatnonzero(found.moves == move)[0])
        key, cost = found.keys[chosen][None], cost + int(found.costs[chosen])
    return cost


class _Archive:
    """`improved`."""

    def __init__(self, setting: _Setting, near: GoalBall) -> None:
        self.setting, self.near = setting, near
        # Members (with a copy), scores and their order.
        self.fixed = near.nbytes + 2 * setting.population * (4 + 4 + 8 + 8)
        self.table = GrowingTable(setting.words, (np.int32,) * 7, archive_kernels.enter, setting.memory - self.fixed)
        self.numbers = np.zeros(archive_kernels.NUMBERS, dtype=np.int64)
        size = 2 * setting.population
        self.members, self.scores = np.zeros(size, dtype=np.int32), np.zeros(size)
        self.floor = near.radius + 1
        inside = np.flatnonzero((near.keys == setting.start).all(axis=1))
        self.start = int(inside[0]) if inside.size else len(near)
        exact = int(near.distance[self.start]) if inside.size else 0
        self.bound = exact or max(self.floor, setting.estimate)
        self.plan: NDArray[np.int32] | None = None
        self.cost: int | None = None
        self.ready = self._enter()

    def _enter(self) -> bool:
        """Enter the ball and the start."""
        many = len(self.near)
        if not self.table.grow(0, 2 * (many + 1) + self._reserve):
            return False
        none = archive_kernels.NONE
        paid, parent, price, togo, toward, tries, seen = self.table.columns
        paid[: many + 1], parent[: many + 1], toward[: many + 1], togo[: many + 1] = none, -1, -1, none
        price[: many + 1], tries[: many + 1], seen[: many + 1] = 0, 0, 0
        togo[:many], toward[:many] = self.near.distance, self.near.toward
        count = self.table.add(0, self.near.keys)
        if self.start == many:
            count = self.table.add(many, self.setting.start)
        self.numbers[archive_kernels.COUNT] = count
        paid[self.start] = 0
        return True

    @property
    def _reserve(self) -> int:
        """Number of entries that a mutation may need."""
        return len(self.setting.cumulative) * (len(self.setting.moves) + 1)

    def run(self, budget: Budget, on_plan: OnPlan | None) -> SearchAnswer:
        """Evolve until all generations are made, a limit is reached, or no plan remains to be mutated."""
        if not self.ready:
            return self._answer(budget, "memory")
        if self.start < len(self.near):
            self._offer(on_plan)
        elif self.near.closed:
            return self._answer(budget, None, unreachable=True)
        pace, limit = Pace(budget), None
        while limit is None and not budget.reached(self.cost):
            allowance = pace.next()
            limit = limit_reached(budget)
            if limit is not None:
                break
            before = int(self.numbers[archive_kernels.EXPANDED])
            status = self._slice(allowance, budget.work_left)
            pace.done(int(self.numbers[archive_kernels.EXPANDED]) - before)
            if status == archive_kernels.DONE:
                break
            if status == archive_kernels.IMPROVED:
                self._offer(on_plan)
            elif status == archive_kernels.FULL and not self.table.grow(
                int(self.numbers[archive_kernels.COUNT]), self.table.room + self._reserve
            ):
                limit = "memory"
        return self._answer(budget, "target" if limit is None and budget.reached(self.cost) else limit)

    def _slice(self, allowance: int, left: int | None) -> int:
        one = self.setting
        return int(
            archive_kernels.evolve(
                *one.functions, *one.space, self.start, len(self.near), self.floor, self.bound, self.table.slots,
                self.table.keys, *self.table.columns, self.members, self.scores, one.population, one.cumulative, _REDO,
                _CAUTION, one.generations, self.numbers, one.random, one.successors, one.moves, one.costs, one.choices,
                allowance, _ENDLESS if left is None else left,
            )
        )  # fmt: skip

    def _offer(self, on_plan: OnPlan | None) -> None:
        """Report the archive's path from the start to the goal."""
        toward, entry, way = self.table.columns[4], self.start, []
        while entry >= 0:
            way.append(entry)
            entry = int(toward[entry])
        plan, cost = plan_along(self.setting.domain, self.table.keys.reshape(-1, self.setting.words)[way])
        if self.cost is None or cost < self.cost:
            self.plan, self.cost = plan, cost
            if on_plan is not None:
                on_plan(plan.copy(), cost)

    def _answer(self, budget: Budget, limit: str | None, *, unreachable: bool = False) -> SearchAnswer:
        return SearchAnswer(
            self.plan, self.cost, bound=self.bound, unreachable=unreachable, limit=limit,
            expanded=int(self.numbers[archive_kernels.EXPANDED]) + self.near.expanded,
            generated=int(self.numbers[archive_kernels.GENERATED]) + self.near.generated,
            stored=int(self.numbers[archive_kernels.COUNT]), seconds=budget.elapsed,
            memory=max(self.near.peak, self.fixed + self.table.peak if self.ready else 0),
        )  # fmt: skip
