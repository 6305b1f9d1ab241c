"""Tables in slices: asked between two, and gone on with."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from matheur.engine import Budget, OutOfBudgetError
from matheur.engine.stored import Stored
from matheur.engine.unfinished import Unfinished, store_unfinished
from matheur.errors import InputError
from matheur.methods.statespace import slices
from matheur.methods.statespace.heuristics import heuristic_by_name, tables
from matheur.methods.statespace.slices import Builds, Kept, Steps
from matheur.problems.cubical.domain import CubicalDomain
from matheur.problems.rubik.search import perimeter as perimeters
from matheur.problems.rubik.search import tables as cubes
from matheur.problems.rubik.search.perimeter import build_perimeter
from matheur.problems.rubik.search.tables import build_table
from matheur.problems.sliding_tile.domain import SlidingTileDomain
from matheur.problems.sliding_tile.search import databases
from matheur.problems.sliding_tile.search.databases import build_database
from matheur.problems.sliding_tile.search.geometry import geometry
from matheur.problems.sliding_tile.search.walking import walking_distance_of

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
    assert builds.run("a", lambda _: squares(done), after(0)) is None
    assert done == []
    assert builds.run("a", lambda _: squares(done), after(3)) is None
    assert done == [0, 1, 4]
    assert builds.run("b", lambda _: squares([]), None) == 30
    assert builds.run("a", lambda _: squares(done), None) == 30
    assert done == [0, 1, 4, 9, 16]
    assert builds.run("a", lambda _: squares(done), None) == 60, "what was finished is not kept here"


def test_work_is_no_reason_to_stop_a_build() -> None:
    """The same work must give the same search, whether a table is there or not."""
    assert Builds[int]().run("a", lambda _: squares([]), Budget(work=0)) == 30


class Counting:
    """A build of the numbers 0 to 9 and their sum, which says where it stands."""

    def __init__(self, done: list[int], state: Unfinished | None) -> None:
        self.done = done
        self.at = 0 if state is None else Stored(state.numbers).count("at")
        self.sums = np.zeros(1, dtype=np.int64) if state is None else state.array("sums", np.int64, (1,))
        if self.at > 10:
            raise InputError("too far")

    def state(self) -> Unfinished:
        return Unfinished({"at": self.at}, {"sums": self.sums}, 1.5)

    def steps(self) -> Steps[int]:
        while self.at < 10:
            self.sums += self.at
            self.done.append(self.at)
            self.at += 1
            yield self.state
        return int(self.sums[0])


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An own folder of tables, where every unfinished one is worth a file."""
    monkeypatch.setenv("MATHEUR_CACHE", str(tmp_path))
    monkeypatch.setattr(slices, "_WORTH", -1.0)
    return tmp_path / "unfinished"


def test_a_build_goes_on_in_another_process(cache: Path) -> None:
    """What was stopped is on the disk; the next process does nothing twice, and the file goes when all is done."""
    kept, done = Kept("numbers", {"table": "numbers"}, 8), []
    for looks, so_far in ((4, 4), (0, 4), (3, 6)):
        assert Builds[int]().run("a", lambda state: Counting(done, state).steps(), after(looks), kept) is None
        assert done == list(range(so_far))
        assert len(list(cache.iterdir())) == 1
    other = Kept("numbers", {"table": "others"}, 8)
    assert Builds[int]().run("a", lambda state: Counting([], state).steps(), None, other) == 45
    assert len(list(cache.iterdir())) == 1, "another content is another build"
    assert Builds[int]().run("a", lambda state: Counting(done, state).steps(), None, kept) == 45
    assert done == list(range(10))
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("damage", ["checksum", "numbers", "nonsense", "arrays"])
def test_a_damaged_state_is_no_state(cache: Path, damage: str) -> None:
    """A file that is not whole, or says what cannot be, is ignored: the build begins again."""
    kept, done = Kept("numbers", {"table": "numbers"}, 8), []
    assert Builds[int]().run("a", lambda state: Counting(done, state).steps(), after(4), kept) is None
    state = {
        "numbers": Unfinished({"at": 11}, {"sums": np.zeros(1, dtype=np.int64)}),
        "nonsense": Unfinished({"at": [3]}, {"sums": np.zeros(1, dtype=np.int64)}),
        "arrays": Unfinished({"at": 3}, {"sums": np.zeros(2, dtype=np.int64)}),
    }.get(damage)
    if state is None:
        (file,) = cache.iterdir()
        file.write_bytes(file.read_bytes()[:-1] + b"x")
    else:
        store_unfinished(kept.name, kept.content, state)
    assert Builds[int]().run("a", lambda state: Counting(done, state).steps(), None, kept) == 45
    assert done == [0, 1, 2, 3, *range(10)]


def test_a_build_leaves_time_to_be_stored(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ends before the limit by what writing takes; where that is not left, nothing is written."""
    monkeypatch.setattr(slices, "_BUSIEST", 1.0)
    done: list[int] = []
    kept = Kept("numbers", {"table": "numbers"}, int(4 * slices._RATE))  # four seconds
    late = Budget(seconds=2, clock=lambda: 2.0 * len(done))
    assert Builds[int]().run("a", lambda state: Counting(done, state).steps(), late, kept) is None
    assert done == [0]
    assert not cache.exists()
    done.clear()
    budget = Budget(seconds=16, clock=lambda: 2.0 * len(done))
    assert Builds[int]().run("a", lambda state: Counting(done, state).steps(), budget, kept) is None
    assert done == list(range(6))
    assert len(list(cache.iterdir())) == 1


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


@pytest.mark.usefixtures("cache")
def test_tables_are_the_same_in_several_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cubes near the solved one, and a pattern of tiles, each stopped and read back again and again."""
    board, pattern = geometry(3, 4, "blank-last"), (1, 2, 5, 6)
    ends, database = build_perimeter("quarter", 4), build_database(board, pattern)
    assert ends is not None
    assert database is not None
    monkeypatch.setattr(perimeters, "_LARGE", 0)
    found: Any = None
    for looks in count(2):
        monkeypatch.setattr(perimeters, "_builds", Builds())
        found = build_perimeter("quarter", 4, budget=after(looks))
        if found is not None:
            break
    assert np.array_equal(found.slots, ends.slots)
    assert looks > 2
    for looks in count(2):
        monkeypatch.setattr(databases, "_builds", Builds())
        found = build_database(board, pattern, budget=after(looks))
        if found is not None:
            break
    assert np.array_equal(found.packed, database.packed)
    assert looks > 2


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
    from matheur.problems.sliding_tile import domain as sliding_tile
    from matheur.problems.sliding_tile.search import walking

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
