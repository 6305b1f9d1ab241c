"""Pareto fronts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from methods.evolution.letters import Letters

from matheur.methods.evolution import (
    GeneticParameters,
    NondominatedSorting,
    ParetoArchive,
    crowding_distance,
    fronts,
    hypervolume,
    nondominated,
)

points = st.integers(1, 3).flatmap(
    lambda width: st.lists(st.lists(st.integers(0, 6), min_size=width, max_size=width), min_size=1, max_size=12)
)
pairs = st.lists(st.tuples(st.integers(-3, 8), st.integers(-3, 8)), max_size=12)


def beats(one: list[int], two: list[int]) -> bool:
    """Dominance by its definition."""
    return all(a <= b for a, b in zip(one, two, strict=True)) and one != two


@given(points)
def test_the_front_is_what_nothing_dominates(rows: list[list[int]]) -> None:
    """Every row is compared with every other."""
    expected = [not any(beats(other, row) for other in rows) for row in rows]
    assert nondominated(np.array(rows, dtype=np.int64)).tolist() == expected


@given(points)
def test_fronts_peel_off(rows: list[list[int]]) -> None:
    """A row's front is one behind the last front that dominates it."""
    found = fronts(np.array(rows, dtype=np.int64))
    for number, row in enumerate(rows):
        before = [found[other] for other in range(len(rows)) if beats(rows[other], row)]
        assert found[number] == (max(before) + 1 if before else 0)


@given(pairs)
def test_hypervolume_counts_squares(rows: list[tuple[int, int]]) -> None:
    """The area is the number of unit squares that some row dominates."""
    reference = (7, 6)
    squares = sum(
        any(a <= x and b <= y for a, b in rows) for x in range(-3, reference[0]) for y in range(-3, reference[1])
    )
    assert hypervolume(np.array(rows, dtype=np.int64).reshape(-1, 2), reference) == squares


@given(st.lists(pairs, min_size=1, max_size=4))
def test_an_archive_is_the_front_of_all_it_saw(batches: list[list[tuple[int, int]]]) -> None:
    """Without a tight capacity nothing not dominated is lost, and equal objectives are kept once."""
    archive = ParetoArchive(genes=2)
    for batch in batches:
        values = np.array(batch, dtype=np.int64).reshape(-1, 2)
        archive.insert(values.astype(np.int32), values)
    seen = {row for batch in batches for row in batch}
    expected = sorted(row for row in seen if not any(beats(list(other), list(row)) for other in seen))
    genomes, objectives = archive.sorted()
    assert [tuple(row) for row in objectives.tolist()] == expected
    assert (genomes == objectives).all()


def test_a_full_archive_keeps_its_ends() -> None:
    """Beyond the capacity crowded points go first and the ends of the front never."""
    line = np.array([[0, 100], [10, 90], [11, 89], [50, 50], [100, 0]], dtype=np.int64)
    archive = ParetoArchive(genes=1, capacity=4)
    assert archive.insert(np.arange(5, dtype=np.int32)[:, None], line) == 4
    assert archive.sorted()[0].ravel().tolist() in ([0, 1, 3, 4], [0, 2, 3, 4])


def test_crowding_is_the_width_of_the_gap() -> None:
    """Inner points have the normalised distance of their neighbours; ends are infinite."""
    line = np.array([[0, 10], [2, 6], [10, 0]], dtype=np.int64)
    assert crowding_distance(line)[1] == pytest.approx(2.0)
    assert np.isinf(crowding_distance(line)[[0, 2]]).all()
    assert np.isinf(crowding_distance(line[:2])).all()
    assert crowding_distance(np.zeros((4, 2), dtype=np.int64))[1:3].tolist() == [0.0, 0.0]


def test_sorting_approaches_the_front() -> None:
    """The archive's area only grows, its genomes are what they claim, and a seed gives one result."""

    def evolved(seed: int) -> tuple[dict[str, object], list[int]]:
        species, archive = Letters(), ParetoArchive(6, capacity=30)
        algorithm = NondominatedSorting(species, GeneticParameters(population=16, offspring=24), archive)
        rng, areas = np.random.default_rng(seed), []
        for _ in range(15):
            algorithm.step(rng)
            areas.append(hypervolume(archive.objectives, (300, 0)))
        assert (species.objectives(archive.genomes) == archive.objectives).all()
        assert len(algorithm.genomes) == 16
        return archive.state(), areas

    state, areas = evolved(2)
    assert areas == sorted(areas)
    assert areas[-1] > areas[0]
    assert (state, areas) == evolved(2)
