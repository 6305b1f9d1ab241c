"""Tables in slices: asked between two, and gone on with."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import numpy as np
import pytest

from matheur.engine import Budget, OutOfBudgetError
from matheur.statespace.domains.cubical import CubicalDomain
from matheur.statespace.domains.sliding_tile import SlidingTileDomain
from matheur.statespace.heuristics import heuristic_by_name, tables
from matheur.statespace.rubik import perimeter as perimeters
from matheur.statespace.rubik import tables as cubes
from matheur.statespace.rubik.perimeter import build_perimeter
from matheur.statespace.rubik.tables import build_table
from matheur.statespace.slices import Builds, Steps
from matheur.statespace.sliding_tile.databases import build_database
from matheur.statespace.sliding_tile.geometry import geometry
from matheur.statespace.sliding_tile.walking import walking_distance_of

SMALL = CubicalDomain(4, 3, [4, 1, 5, 13, 7], [13, 7, 5, 4, 1])
FAR = SlidingTileDomain(3, 3, (8, 6, 7, 2, 5, 4, 3, 0, 1), (1, 2, 3, 4, 5, 6, 7, 8, 0))


def after(looks: int) -> Budget:
    """A budget that is interrupted after so many looks at it."""
    asked = count()
    return Budget(interrupt=lambda: next(asked) >= looks)


def squares(done: list[int]) -> Steps[int]:
    for i in range(5):
        done.append(i * i)
        yield
    return sum(done)


def test_a_build_goes_on_where_it_was_stopped() -> None:
    """Nothing is done twice, another key is another build, and a budget that has ended gets nothing."""
    builds: Builds[int] = Builds()
    done: list[int] = []
    assert builds.run("a", lambda: squares(done), after(0)) is None
    assert done == []
    assert builds.run("a", lambda: squares(done), after(3)) is None
    assert done == [0, 1, 4]
    assert builds.run("b", lambda: squares([]), None) == 30
    assert builds.run("a", lambda: squares(done), None) == 30
    assert done == [0, 1, 4, 9, 16]
    assert builds.run("a", lambda: squares(done), None) == 60, "what was finished is not kept here"


def test_work_is_no_reason_to_stop_a_build() -> None:
    """The same work must give the same search, whether a table is there or not."""
    assert Builds[int]().run("a", lambda: squares([]), Budget(work=0)) == 30


@pytest.fixture
def no_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    """No unfinished tables of other tests, and none for them."""
    monkeypatch.setattr(cubes, "_builds", Builds())
    monkeypatch.setattr(perimeters, "_builds", Builds())


@pytest.mark.usefixtures("no_builds")
def test_a_perimeter_is_the_same_in_pieces() -> None:
    """However often the build of cubes near the solved one is stopped, the table is the same."""
    whole, looks, found = build_perimeter("quarter", 4), 0, None
    while found is None:
        found = build_perimeter("quarter", 4, budget=after(1))
        looks += 1
    assert looks > 3
    assert whole is not None
    assert np.array_equal(found.slots, whole.slots)


@pytest.mark.usefixtures("no_builds")
def test_tables_of_the_cube_stop_within_a_slice() -> None:
    """The budget is asked after each of many parts of a level, and at the beginning."""
    assert build_table("corners", "half", budget=after(0)) is None
    asked = [0]

    def interrupt() -> bool:
        asked[0] += 1
        return asked[0] > 40

    assert build_table("corners", "half", budget=Budget(interrupt=interrupt)) is None
    assert asked[0] == 41


@pytest.mark.parametrize("threads", [1, 2])
def test_databases_of_tiles_are_the_same_in_pieces(threads: int) -> None:
    """A table that was stopped again and again, with one thread or two, is that of a build without limits."""
    board, pattern = geometry(3, 4, "blank-last"), (1, 2, 5, 6)
    whole, found, stops = build_database(board, pattern), None, 0
    while found is None:
        found, stops = build_database(board, pattern, budget=after(4), threads=threads), stops + 1
    assert whole is not None
    assert stops > 0
    assert np.array_equal(found.packed, whole.packed)


def test_walking_distances_are_asked_for() -> None:
    """The tables of walking distances end with the budget."""
    with pytest.raises(OutOfBudgetError):
        walking_distance_of(3, 5, np.roll(np.arange(15, dtype=np.uint8), -1), [1, 4, 16], budget=after(0))


@pytest.mark.parametrize("name", ["additive", "walking-distance", "max(manhattan,additive)"])
def test_heuristics_of_a_domain_end_with_the_budget(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A heuristic with tables gets the budget, wherever its name stands; one without needs no time."""
    from matheur.statespace.domains import sliding_tile
    from matheur.statespace.sliding_tile import walking

    monkeypatch.setenv("MATHEUR_CACHE", str(tmp_path))  # other tests may have kept these tables
    monkeypatch.setattr(sliding_tile, "_estimators", {})
    monkeypatch.setattr(walking, "_kept", {})
    with pytest.raises(OutOfBudgetError):
        heuristic_by_name(FAR, name, budget=after(0))
    assert heuristic_by_name(FAR, "manhattan", budget=after(0)).name == "manhattan"


def test_a_large_table_is_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cutting off takes time as well: beyond a size a build that is stopped has nothing to give."""
    cut_off = heuristic_by_name(SMALL, "pattern-database(patterns=0.1.2)", budget=after(1))
    assert cut_off.name.endswith("cut off")
    monkeypatch.setattr(tables, "_CUT_MAX", 100)
    with pytest.raises(OutOfBudgetError):
        heuristic_by_name(SMALL, "pattern-database(patterns=0.1.2)", budget=after(1))


def test_patterns_are_chosen_within_the_budget() -> None:
    """The small tables by which components are put together are not built once time is over."""
    with pytest.raises(OutOfBudgetError):
        heuristic_by_name(SMALL, "pattern-database(bits=8)", budget=after(0))
