"""Construction and neighbourhood `evolution`: populations of complete boards that exchange regions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.evolution.around import others
from matheur.methods.evolution.population import Population, pooled
from matheur.methods.evolution.selection import survivors, tournament_selection
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance
from matheur.problems.edge_matching.operators.board_tools import Layout, count_mismatches, kernel_state
from matheur.problems.edge_matching.operators.evolution_kernels import breed, scatter
from matheur.problems.edge_matching.operators.random_board import RandomBoard

__all__ = ["BOARDS_PER_WORK", "Around", "Evolution"]

BOARDS_PER_WORK = 1_000

_SLICE = 2_000_000  # cells of boards made between two checks of the budget: about 30 milliseconds
_LARGEST = 100_000  # population
_MEMORY = 20_000_000  # cells of all boards of a grown population: half a gigabyte with children and copies
_NOBODY = np.empty((2, 0), dtype=np.intp)
_GENERATIONS = 1_000  # where neither an option nor the budget sets a limit
_AROUND = 20  # generations of a call of the neighbourhood


@dataclass(frozen=True, slots=True)
class Evolution:
    """A genetic algorithm on whole boards, in the way of Munoz, Gutierrez and Sanchis (2009): a baseline.

    Parents are chosen by tournament. A child takes a rectangle from its second parent and everything else from the
    first; missing pieces then replace duplicates. Mutations turn a piece, exchange two pieces, turn a square, or
    exchange two rectangles. The best of parents and children survive, without duplicate boards. A population that stops
    improving is followed by a larger one. Border pieces stay on the border, and hinted pieces in their cells.
    Work: boards made / 1,000; about 300,000 boards a second. Iterations: generations.

    Selection and survival come from `matheur.methods.evolution`. Its `GeneticAlgorithm` crosses gene by gene and
    repairs gaps, which breaks up regions; here, a generation is one kernel call.

    Attributes
    ----------
    population
        Size of the first population; also its number of children per generation.
    growth
        Factor by which each population is larger than the previous one, up to 100,000 boards or 20 million cells.
    patience
        Generations without a better board after which a population ends; None for no limit.
    tournament
        Number of random boards that compete to be a parent; 1 selects uniformly.
    crossover
        Probability of a crossover; otherwise a child is a copy of its first parent.
    mutation
        Probability of a mutation, and of another one after each mutation; at most 0.99.
    region
        Longest side of a region that is crossed over, turned or exchanged, as a share of the longer side of the board.
    fitted
        Whether single pieces that change places take one of their best rotations instead of any that fits the frame.
    generations
        Maximum number of generations; None continues until the budget ends (1,000 if the budget has no limit).
    """

    population: int = option(500, minimum=2, maximum=_LARGEST)
    growth: float = option(2.0, minimum=1, maximum=1_000)
    patience: int | None = option(300, minimum=1)
    tournament: int = option(2, minimum=1, maximum=100)
    crossover: float = option(0.8, minimum=0, maximum=1)
    mutation: float = option(0.5, minimum=0, maximum=0.99)
    region: float = option(0.3, above=0, maximum=1)
    fitted: bool = True
    generations: int | None = option(None, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Evolve one population after another until a perfect board, the target or the end of the budget."""
        begin = RandomBoard().build(problem, Budget(), rng)
        if begin.solution is None:
            budget.spend(work=1)
            return begin
        generations = self.generations
        if generations is None and not budget.timed and budget.work_left is None and budget.iterations_left is None:
            generations = _GENERATIONS
        limits = (limit for limit in (generations, budget.iterations_left) if limit is not None)
        inner = budget.child(iterations=min(limits, default=None))
        breeding = _Breeding(problem, self, begin.solution, inner, rng)
        size = self.population
        largest = max(size, min(_LARGEST, _MEMORY // problem.instance.cells))
        while not breeding.ended:
            breeding.evolve(size)
            size = min(round(self.growth * size), largest)
        breeding.book()
        return Outcome(Status.IMPROVED, breeding.best, breeding.objective)


@dataclass(frozen=True, slots=True)
class Around(Evolution):
    """A few generations around the incumbent and the elites of the run. Work: boards made / 1,000.

    The first population consists of these boards and mutants of them. Children are made as in the construction, with
    the same options `tournament`, `crossover`, `mutation`, `region` and `fitted`.

    Attributes
    ----------
    population
        Number of boards, and of children per generation.
    generations
        Generations per call; None for 20.
    elites
        Maximum number of elites in the first population.
    growth, patience
        Not used, because there is only one population.
    """

    elites: int = option(8, minimum=0)

    def explore(self, problem: Any, incumbent: Board, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Evolve, and offer every board better than all before. A board with empty cells is left unchanged."""
        if (incumbent == EMPTY).any():
            budget.spend(work=1)
            return Outcome(Status.NO_IMPROVEMENT)
        inner = budget.child(iterations=_AROUND if self.generations is None else self.generations)
        breeding = _Breeding(problem, self, np.array(incumbent, dtype=np.int32), inner, rng)
        elites = others(budget, problem.orbit(incumbent), self.elites, rng)
        before = breeding.objective
        breeding.evolve_around([elite.solution for elite in elites], self.population)
        breeding.book()
        if breeding.objective < before:
            return Outcome(Status.IMPROVED, breeding.best, breeding.objective)
        return Outcome(Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT)


class _Breeding:
    """The populations of one call, and the best board found."""

    def __init__(self, problem: Any, options: Evolution, begin: Board, budget: Budget, rng: Generator) -> None:
        instance: Instance = problem.instance
        self._problem, self._options, self._budget, self._rng = problem, options, budget, rng
        self._begin = np.array(begin)  # writable, as all that kernels take: else they are compiled for both
        self._longest = max(1, round(options.region * max(instance.rows, instance.columns)))
        layout = Layout.of(instance, begin)
        low, high = np.zeros((2, instance.cells), dtype=np.int32)
        order = np.empty(0, dtype=np.int32)
        for members in layout.members():
            low[members], high[members] = order.size, order.size + members.size
            order = np.concatenate([order, members])
        self._tables = (
            order, low, high, layout.neighbours, layout.kinds, layout.turns, layout.sides, kernel_state(rng),
        )  # fmt: skip
        self.best, self.objective = begin, count_mismatches(instance, begin)
        self._unbooked = 1
        budget.offer(begin, self.objective)

    @property
    def ended(self) -> bool:
        """True if no better board is needed, or the budget has ended."""
        return self.objective == 0 or self._budget.exhausted or self._budget.reached(self.objective)

    def evolve_around(self, elites: list[Board], size: int) -> None:
        """Run one population that starts with the first board, other complete boards, and children of them."""
        boards = np.array([self._begin, *(board for board in elites if (board != EMPTY).all())], dtype=np.int32)
        instance = self._problem.instance
        known = Population(boards, np.array([count_mismatches(instance, board) for board in boards], dtype=np.int64))
        parents = self._rng.integers(len(known), size=(2, max(0, size - len(known))))
        self.evolve(size, pooled([known, self._boards(parents.shape[1], known, parents)]))

    def evolve(self, size: int, population: Population | None = None) -> None:
        """Run one population until it stops improving; its best board joins the elites."""
        options = self._options
        if population is None:
            population = self._boards(size)
        idle = 0
        while len(population) and not self.ended and (options.patience is None or idle < options.patience):
            before = population.fitness.min()
            parents = tournament_selection(2 * size, population.fitness, options.tournament, self._rng)
            children = self._boards(size, population, parents.reshape(2, size))
            population = survivors(population, children, size, distinct=True)
            self._budget.spend(iterations=1)
            idle = 0 if population.fitness.min() < before else idle + 1
        if len(population):
            best = population.best
            board = population.genomes[best]
            self._budget.elites.add(self._problem.orbit(board), board, int(population.fitness[best]))

    def _boards(self, size: int, of: Population | None = None, parents: NDArray[np.intp] = _NOBODY) -> Population:
        """Random boards, or children of pairs of parents (shape (2, size)); fewer if the budget ends."""
        options, columns = self._options, self._problem.instance.columns
        boards = np.empty((size, self._begin.size), dtype=np.int32)
        objectives = np.empty(size, dtype=np.int64)
        made, step = 0, max(1, _SLICE // self._begin.size)
        while made < size and not self._budget.exhausted:
            some = slice(made, made + min(step, size - made, self._left()))
            if of is None:
                scatter(boards[some], self._begin, *self._tables, objectives[some])
            else:
                breed(
                    of.genomes, *parents[:, some], options.crossover, options.mutation, self._longest, options.fitted,
                    columns, *self._tables, boards[some], objectives[some],
                )  # fmt: skip
            self._unbooked += some.stop - made
            self._budget.spend(work=self._unbooked // BOARDS_PER_WORK)
            self._unbooked %= BOARDS_PER_WORK
            made = some.stop
        population = Population(boards[:made], objectives[:made])
        if made and population.fitness.min() < self.objective:
            self.best, self.objective = population.genomes[population.best].copy(), int(population.fitness.min())
            self._budget.offer(self.best, self.objective)
        return population

    def _left(self) -> int:
        """Number of boards left within the work limit."""
        left = self._budget.work_left
        return _LARGEST if left is None else left * BOARDS_PER_WORK - self._unbooked

    def book(self) -> None:
        """Book the boards made since the last full unit of work."""
        self._budget.spend(work=int(self._unbooked > 0))
        self._unbooked = 0
