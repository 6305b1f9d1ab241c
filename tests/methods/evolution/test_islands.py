"""Archipelagos."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import pytest
from methods.evolution.letters import Letters, LettersHabitat

from matheur.engine import Budget
from matheur.errors import ConfigurationError
from matheur.methods.evolution import Archipelago, GeneticParameters, IslandParameters, Migration
from matheur.methods.evolution.genetic import Generation

SMALL = IslandParameters(islands=3, epoch=4, genetic=GeneticParameters(population=5, offspring=8))


def evolve(
    work: int | None = 300, epochs: int = 5, processes: int = 1, parameters: IslandParameters = SMALL, seed: int = 7
) -> tuple[dict[str, object], list[Generation], int]:
    """The state, the records and the work of some epochs."""
    budget = Budget(work=work)
    records: list[Generation] = []
    with Archipelago(LettersHabitat(), parameters, seed, processes=processes) as archipelago:
        for _ in range(epochs):
            records += archipelago.epoch(budget)
        return archipelago.state(), records, budget.spent_work


@pytest.mark.slow
@pytest.mark.parametrize("work", [None, 250])
def test_processes_change_nothing(work: int | None) -> None:
    """One process and two give the same states, records and work, also where the work runs out."""
    assert evolve(work, processes=1) == evolve(work, processes=2)


def test_an_archipelago_improves_and_counts() -> None:
    """Records are numbered through, the best never gets worse, and individuals are those of all islands."""
    state, records, work = evolve(None, epochs=4)
    assert [record.number for record in records] == list(range(1, 17))
    best = [record.best for record in records]
    assert best == sorted(best, reverse=True)  # type: ignore[type-var]
    assert state["best"] == best[-1]
    assert best[-1] < best[0]  # type: ignore[operator]
    assert records[-1].evaluations >= 3 * (5 + 16 * 8)
    assert work == records[-1].evaluations
    assert records[0].distinct <= 15


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_offers_reach_the_budget(processes: int) -> None:
    """What the species offers comes through, from other processes too, and the best of it is the archipelago's."""
    heard: list[int] = []

    def tell(genome, fitness):  # type: ignore[no-untyped-def]
        assert int(Letters().fitness(genome[None])[0]) == fitness
        heard.append(fitness)

    budget = Budget(on_incumbent=tell)
    with Archipelago(LettersHabitat(), SMALL, 3, processes=processes) as archipelago:
        for _ in range(3):
            archipelago.epoch(budget)
        assert min(heard) == archipelago.best


def test_a_stopped_archipelago_goes_on() -> None:
    """A state that went through JSON continues with the same epochs."""
    with Archipelago(LettersHabitat(), SMALL, 5) as one, Archipelago(LettersHabitat(), SMALL, 0) as two:
        one.epoch(Budget())
        two.restore(json.loads(json.dumps(one.state())))
        assert one.epoch(Budget()) == two.epoch(Budget())
        assert one.state() == two.state()
        with pytest.raises(ConfigurationError, match="3 islands, not 2"):
            Archipelago(LettersHabitat(), replace(SMALL, islands=2), 0).restore(one.state())


@pytest.mark.parametrize("topology", ["redeal", "ring", "full", "none"])
def test_every_topology_runs(topology: str) -> None:
    """Islands stay full under every kind of migration."""
    parameters = replace(SMALL, migration=Migration(topology=topology))  # type: ignore[arg-type]
    with Archipelago(LettersHabitat(), parameters, 5) as archipelago:
        for _ in range(3):
            archipelago.epoch(Budget())
        assert [len(island) for island in archipelago.populations] == [5, 5, 5]


def test_work_is_a_limit() -> None:
    """No more is spent than there is, even if that is less than an individual for every island."""
    for work in (0, 1, 2, 50):
        state, records, spent = evolve(work)
        assert spent == work
        assert (state["best"] is None) == (not records or records[-1].best is None)


def test_iterations_are_generations() -> None:
    """An epoch is shortened to the generations that are left."""
    budget = Budget(iterations=6)
    with Archipelago(LettersHabitat(), SMALL, 5) as archipelago:
        assert [len(archipelago.epoch(budget)) for _ in range(3)] == [4, 2, 0]
    assert budget.exhausted


def test_an_interrupt_ends_an_epoch() -> None:
    """A budget that is interrupted evolves nothing more."""
    with Archipelago(LettersHabitat(), SMALL, 5) as archipelago:
        assert archipelago.epoch(Budget(interrupt=lambda: True)) == []


def test_wrong_parameters_are_refused() -> None:
    """No islands, no epochs or no processes are errors."""
    for wrong in ({"islands": 0}, {"epoch": 0}):
        with pytest.raises(ConfigurationError, match="0"):
            IslandParameters(**wrong)
    with pytest.raises(ConfigurationError, match="processes"):
        Archipelago(LettersHabitat(), SMALL, 0, processes=0)


@pytest.mark.parametrize("similarity", ["fitness", "entropy", "spectral"])
def test_the_first_population_is_partitioned_by_similarity(similarity: str) -> None:
    """All islands are filled first, then dealt out: by fitness, no island's first parents overlap with the next's."""
    parameters = replace(SMALL, partition=True, epoch=1, migration=Migration(topology="none", similarity=similarity))  # type: ignore[arg-type]
    seen = []

    class Watched(Archipelago):
        def _settle(self, populations):  # type: ignore[no-untyped-def]
            seen.append(populations)
            super()._settle(populations)

    with Watched(LettersHabitat(), parameters, 3) as archipelago:
        archipelago.epoch(Budget())
        archipelago.epoch(Budget())
    assert len(seen) == 3  # the partition, and the migration after each epoch
    assert [len(one) for one in seen[0]] == [5, 5, 5]
    if similarity == "fitness":
        best = [one.fitness for one in seen[0]]
        assert all(one.max() <= two.min() for one, two in pairwise(best))
