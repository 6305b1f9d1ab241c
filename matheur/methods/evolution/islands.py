"""An archipelago: populations that evolve apart for an epoch, then exchange individuals.

In every epoch, each island has its own random stream and a share of the remaining work. An archipelago with a work
limit therefore gives the same result in one process and in several.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.processes import Workers, report, stop_requested, workers
from matheur.errors import ConfigurationError
from matheur.methods.evolution.genetic import Generation, GeneticAlgorithm, GeneticParameters, population_of, summary
from matheur.methods.evolution.migration import Migration, migrate, redeal
from matheur.methods.evolution.population import Population, pooled
from matheur.methods.evolution.species import Species

__all__ = ["Archipelago", "Habitat", "IslandParameters"]

_POLL = 0.05  # seconds between two checks of the clock while workers evolve


class Habitat(Protocol):
    """Factory of a species for a budget. It must be picklable for use in other processes.

    Genomes that the species offers to its budget reach the archipelago's budget from other processes, too. If it offers
    none, the archipelago learns of the best genome after every epoch.
    """

    def __call__(self, budget: Budget) -> Species: ...


@dataclass(frozen=True, slots=True)
class IslandParameters:
    """Parameters of an archipelago. The default totals are those of the paper's single population.

    Attributes
    ----------
    islands
        Number of islands.
    epoch
        Number of generations between two migrations.
    genetic
        Parameters of the genetic algorithm of each island.
    migration
        Migration between the islands.
    partition
        Divide the whole first population into islands by the similarity of the migration. Else each island creates its
        own population, and the first exchange follows the first epoch.
    """

    islands: int = 5
    epoch: int = 10
    genetic: GeneticParameters = GeneticParameters(population=10, offspring=20)  # noqa: RUF009 - frozen
    migration: Migration = Migration()  # noqa: RUF009 - frozen
    partition: bool = False

    def __post_init__(self) -> None:
        if self.islands < 1 or self.epoch < 1:
            raise ConfigurationError(f"islands and epoch must be at least 1 ({self.islands}, {self.epoch})")


@dataclass(frozen=True, slots=True)
class _Task:
    """Epoch of one island, as plain values."""

    parameters: GeneticParameters
    state: dict[str, Any]
    entropy: int
    spawn_key: tuple[int, ...]
    generations: int
    work: int | None
    seconds: float | None
    target: int | float | None


@dataclass(frozen=True, slots=True)
class _Epoch:
    """Result of a task: the new state, the work, and the population and evaluations after each generation."""

    state: dict[str, Any]
    work: int
    populations: list[Population]
    evaluations: list[int]
    refreshed: list[int]


class Archipelago:
    """Islands that evolve in this process or in others. As a context manager, it ends the other processes on exit.

    Parameters
    ----------
    habitat
        Factory of the species.
    parameters
        See `IslandParameters`.
    entropy
        Seed of all random streams.
    processes
        Number of processes that evolve the islands; 1 for this process alone.
    """

    def __init__(
        self,
        habitat: Habitat,
        parameters: IslandParameters,
        entropy: int,
        *,
        processes: int = 1,
    ) -> None:
        if processes < 1:
            raise ConfigurationError(f"processes must be at least 1 ({processes})")
        self.habitat: Habitat = habitat
        self.parameters: IslandParameters = parameters
        self.processes: int = min(processes, parameters.islands)
        self.settle_anew(entropy)
        self._pools: list[Workers] = []
        self._stack = ExitStack()

    def __enter__(self) -> Archipelago:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pools = []
        self._stack.__exit__(kind, error, trace)

    def settle_anew(self, entropy: int) -> None:
        """Empty all islands, and restart with another seed."""
        self.entropy = entropy
        self.epochs = self.generation = self.idle = 0
        self.best: int | None = None
        self._states: list[dict[str, Any] | None] = [None] * self.parameters.islands

    def epoch(self, budget: Budget) -> list[Generation]:
        """Evolve all islands for an epoch, or until the budget ends, then let individuals migrate.

        Returns
        -------
        list of Generation
            Statistics of each generation over all islands; the migration is visible only in the next epoch.
        """
        generations = self.parameters.epoch
        if budget.iterations_left is not None:
            generations = min(generations, budget.iterations_left)
        before = self.best
        if self.parameters.partition and not self.epochs:
            self._evolve(budget, 0)
            self._settle(redeal(self.populations, self.parameters.migration.similarity))
        done = self._evolve(budget, generations)
        records = self._records(done)
        populations = [self._population(state) for state in self._states]
        self._find_best(populations, budget)
        self._settle(migrate(populations, self.parameters.migration, self._generator(self.parameters.islands)))
        self.epochs += 1
        self.generation += len(records)
        self.idle = self.idle + len(records) if self.best == before else 0
        budget.spend(iterations=len(records))
        return records

    @property
    def populations(self) -> list[Population]:
        """The population of each island."""
        return [self._population(state) for state in self._states]

    def state(self) -> dict[str, Any]:
        """State of the archipelago, as plain values."""
        return {
            "entropy": self.entropy,
            "epochs": self.epochs,
            "generation": self.generation,
            "idle": self.idle,
            "best": self.best,
            "islands": self._states,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state` of an archipelago with the same parameters.

        Raises
        ------
        ConfigurationError
            If the number of islands differs.
        """
        if len(state["islands"]) != self.parameters.islands:
            raise ConfigurationError(f"the state has {len(state['islands'])} islands, not {self.parameters.islands}")
        self.entropy = int(state["entropy"])
        self.epochs = int(state["epochs"])
        self.generation = int(state["generation"])
        self.idle = int(state["idle"])
        self.best = None if state["best"] is None else int(state["best"])
        self._states = list(state["islands"])

    # Tasks of an epoch

    def _generator(self, stream: int) -> Generator:
        return np.random.default_rng(np.random.SeedSequence(self.entropy, spawn_key=(self.epochs, stream)))

    def _tasks(self, budget: Budget, generations: int) -> list[_Task]:
        islands = self.parameters.islands
        first = 0 if generations else islands + 1  # first populations have their own random streams
        shares: list[int | None] = [None] * islands
        if budget.work_left is not None:
            least, more = divmod(budget.work_left, islands)
            shares = [least + (number < more) for number in range(islands)]
        seconds = budget.seconds_left if budget.timed else None
        return [
            _Task(
                parameters=self.parameters.genetic, state=state or {}, entropy=self.entropy,
                spawn_key=(self.epochs, number + first), generations=generations, work=share, seconds=seconds,
                target=budget.target,
            )
            for number, (state, share) in enumerate(zip(self._states, shares, strict=True))
        ]  # fmt: skip

    def _evolve(self, budget: Budget, generations: int) -> list[_Epoch]:
        """Evolve all islands; for 0 generations they only create their first populations."""
        tasks = self._tasks(budget, generations)
        done = self._in_this_process(tasks, budget) if self.processes == 1 else self._in_others(tasks, budget)
        self._states = [one.state for one in done]
        return done

    def _in_this_process(self, tasks: list[_Task], budget: Budget) -> list[_Epoch]:
        return [_evolve(self.habitat, task, budget.child(work=task.work)) for task in tasks]

    def _in_others(self, tasks: list[_Task], budget: Budget) -> list[_Epoch]:
        """Each island always runs in the same process, which keeps the habitat."""
        if not self._pools:
            self._pools = [self._stack.enter_context(workers(1)) for _ in range(self.processes)]
            for pool in self._pools:
                pool.submit(_install, self.habitat)
        futures = [
            self._pools[number % self.processes].submit(_evolve_there, task) for number, task in enumerate(tasks)
        ]
        pending: set[Future[_Epoch]] = set(futures)
        while pending:
            _, pending = wait(pending, timeout=_POLL, return_when=FIRST_COMPLETED)
            for pool in self._pools:
                for genome, fitness in pool.reports():
                    budget.offer(np.array(genome, dtype=np.int32), fitness)
            if pending and budget.exhausted:
                for pool in self._pools:
                    pool.stop()
        done = [future.result() for future in futures]
        budget.spend(work=sum(one.work for one in done))
        return done

    # Results of an epoch

    def _find_best(self, populations: list[Population], budget: Budget) -> None:
        everyone = pooled(populations)
        if len(everyone) and (self.best is None or everyone.fitness[everyone.best] < self.best):
            self.best = int(everyone.fitness[everyone.best])
            budget.offer(everyone.genomes[everyone.best], self.best)

    def _records(self, done: list[_Epoch]) -> list[Generation]:
        records = []
        for index in range(max(len(one.populations) for one in done)):
            there = [(one, min(index, len(one.populations) - 1)) for one in done if one.populations]
            everyone = pooled([one.populations[at] for one, at in there])
            evaluations = sum(one.evaluations[at] for one, at in there)
            refreshed = sum(one.refreshed[at] for one, at in there)
            records.append(summary(everyone, self.generation + index + 1, evaluations, refreshed))
        return records

    @staticmethod
    def _population(state: Mapping[str, Any] | None) -> Population:
        return Population.empty(0) if state is None else population_of(state)

    def _settle(self, populations: list[Population]) -> None:
        for state, population in zip(self._states, populations, strict=True):
            assert state is not None
            state["genomes"], state["fitness"] = population.genomes.tolist(), population.fitness.tolist()


def _evolve(habitat: Habitat, task: _Task, budget: Budget) -> _Epoch:
    """Evolve an island for the generations of a task."""
    species = habitat(budget)
    algorithm = (
        GeneticAlgorithm.restore(species, task.parameters, task.state)
        if task.state
        else GeneticAlgorithm(species, task.parameters)
    )
    rng = np.random.default_rng(np.random.SeedSequence(task.entropy, spawn_key=task.spawn_key))
    if not task.generations:
        algorithm.fill(rng)
    populations, evaluations, refreshed = [], [], []
    for _ in range(task.generations):
        if budget.exhausted or budget.reached(algorithm.best):
            break
        record = algorithm.step(rng)
        populations.append(algorithm.population)
        evaluations.append(record.evaluations)
        refreshed.append(record.refreshed)
    return _Epoch(algorithm.state(), budget.spent_work, populations, evaluations, refreshed)


# In a worker process

_habitat: Habitat | None = None


def _install(habitat: Habitat) -> None:
    global _habitat
    _habitat = habitat


def _evolve_there(task: _Task) -> _Epoch:
    assert _habitat is not None
    budget = Budget(
        seconds=task.seconds, work=task.work, target=task.target, interrupt=stop_requested, on_incumbent=_report
    )
    return _evolve(_habitat, task, budget)


def _report(genome: NDArray[np.int32], fitness: int | float) -> None:
    report((genome.tolist(), int(fitness)))
