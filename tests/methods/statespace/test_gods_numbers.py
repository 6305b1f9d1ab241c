"""The experiment that computes God's numbers of the cubical puzzle."""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from itertools import permutations
from math import comb, perm
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.sokoban.naive_levels import depths_of

from matheur.engine.budget import Budget
from matheur.methods.statespace.breadth_first.hashed import HashedLevels
from matheur.methods.statespace.breadth_first.ranked import ranked_levels

SCRIPTS = ("component_searches", "eccentricities", "families", "gods_numbers", "moving_parts", "permutation_groups")


@pytest.fixture(scope="module")
def scripts() -> Iterator[SimpleNamespace]:
    """The modules of the experiment."""
    folder = str(Path(__file__).resolve().parents[3] / "experiments" / "cubical_puzzle")
    sys.path.insert(0, folder)
    yield SimpleNamespace(**{name: import_module(name) for name in (*SCRIPTS, "vertex_sets")})
    sys.path.remove(folder)


def limits(scripts: SimpleNamespace, states: int = 10**6, memory: int = 1 << 30) -> object:
    """Limits without a deadline."""
    return scripts.gods_numbers.Limits(states, memory, Budget(), 16)


def found_rows(scripts: SimpleNamespace, d: int, k: int, rings: int, **options: int) -> list[dict[str, object]]:
    """All rows of a puzzle."""
    isometries = scripts.vertex_sets.Isometries(d)
    return list(scripts.gods_numbers.rows(isometries, k, rings, limits(scripts, **options), {}))


@pytest.mark.parametrize(
    ("d", "rings"),
    [(2, 1), (2, 3), (2, 4), (3, 1), (3, 3), (3, 4), (3, 5), (4, 2), (4, 3)],
)
def test_gods_numbers_are_those_of_all_pairs(scripts: SimpleNamespace, d: int, rings: int) -> None:
    """Sizes, numbers, diameters and radii of all components, against a search from every state."""
    for k in range(1, d):
        expected = defaultdict(int)
        left = set(permutations(range(1 << d), rings))
        while left:
            members = depths_of(d, k, next(iter(left)))
            left -= set(members)
            # Renaming the rings changes no distance: one order of each set of vertices will do.
            tried = {tuple(sorted(state)): state for state in members}.values()
            depths = [max(depths_of(d, k, state).values()) for state in tried] if len(members) < 2000 else []
            expected[len(members), max(depths, default=-1), min(depths, default=-1)] += 1
        found = defaultdict(int)
        for row in found_rows(scripts, d, k, rings):
            sizes = (row["diameter"], row["radius"]) if row["states"] < 2000 else (-1, -1)
            found[row["states"], *sizes] += row["components_like_it"]
        assert found == expected


@pytest.mark.parametrize(("d", "k", "rings"), [(4, 2, 9), (4, 2, 10), (4, 2, 11), (4, 2, 12), (5, 4, 8)])
def test_parts_that_move_are_searched_as_the_whole_puzzle(scripts: SimpleNamespace, d: int, k: int, rings: int) -> None:
    """Without the rings that never move, small components have the sizes and eccentricities of a plain search."""
    classes = scripts.families.VertexClasses(scripts.vertex_sets.Isometries(d), rings)
    smaller = 0
    for family in scripts.families.families(classes, k)[0]:
        if family.states > 700:
            continue
        part = scripts.moving_parts.moving_part(d, k, family)
        smaller += part.starts.shape[1] < rings
        way = scripts.component_searches.searcher(family, part, memory=1 << 28, budget=Budget())
        reached = depths_of(d, k, tuple(family.starts[0].tolist()))
        assert len(reached) == family.states
        assert {tuple(state) for state in family.starts.tolist()} <= reached.keys()
        assert (part.whole(part.starts) == family.starts).all()
        for start, whole in [*zip(part.starts, family.starts.tolist(), strict=True)][:3]:
            assert way.search(start).depth == max(depths_of(d, k, tuple(whole)).values())
    assert smaller > 0


@pytest.mark.parametrize(("d", "k", "rings"), [(4, 1, 4), (4, 2, 5), (4, 3, 5)])
def test_all_representations_search_alike(scripts: SimpleNamespace, d: int, k: int, rings: int) -> None:
    """Bit arrays, numbered states and hash tables show the same depths, states, last levels and opposite state."""
    searches, budget = scripts.component_searches, Budget()
    classes = scripts.families.VertexClasses(scripts.vertex_sets.Isometries(d), rings)
    family = max(scripts.families.families(classes, k)[0], key=lambda one: one.states)
    part = scripts.moving_parts.moving_part(d, k, family)
    ways = [
        searches.Numbered(family, part, memory=1 << 28, budget=budget),
        searches.ByLevels(part, lambda key: ranked_levels(part.domain, key, memory=1 << 28), budget),
        searches.ByLevels(part, lambda key: HashedLevels(part.domain, key, memory=1 << 28, parents=False), budget),
    ]
    listed = 0
    for start in part.starts[:: max(1, len(part.starts) // 2)]:
        shown = [way.search(start) for way in ways]
        assert len({(one.depth, one.states, one.opposite) for one in shown}) == 1
        assert shown[0].states == family.states
        last = [{depth: sorted(states.tolist()) for depth, states in one.last.items()} for one in shown]
        assert last[0] == last[1] == last[2]
        listed += len(last[0])
    assert listed > 0


@pytest.mark.parametrize(("d", "rings"), [(3, 4), (4, 3), (4, 4), (4, 5)])
def test_bounds_spare_searches_and_change_nothing(
    scripts: SimpleNamespace, d: int, rings: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Diameters and radii with bounds are those of searches from all classes."""
    spared = 0
    for k in range(1, d):
        every = found_rows(scripts, d, k, rings)
        with monkeypatch.context() as patch:
            patch.setattr(scripts.eccentricities, "_CHEAP", 0)
            bounded = found_rows(scripts, d, k, rings)
        names = ("component", "states", "components_like_it", "diameter", "radius")
        assert [[row[name] for name in names] for row in every] == [[row[name] for name in names] for row in bounded]
        spared += sum(row["searches"] for row in every) - sum(row["searches"] for row in bounded)
    assert spared > 0


@pytest.mark.parametrize(("d", "most"), [(3, 8), (4, 16), (5, 6)])
def test_components_partition_the_states(scripts: SimpleNamespace, d: int, most: int) -> None:
    """Sizes times numbers of components, which a group gives without visiting states, add up to all states."""
    for rings in range(1, most + 1):
        for k in range(1, d):
            total = sum(
                row["states"] * row["components_like_it"] for row in found_rows(scripts, d, k, rings, states=100)
            )
            assert total == perm(1 << d, rings)


def test_pebbles_on_the_hypercube_reach_what_wilson_says(scripts: SimpleNamespace) -> None:
    """Along edges all states are one component, with one empty vertex two, far beyond what can be searched."""
    for d, rings, copies in ((4, 14, 1), (4, 15, 2), (5, 29, 1), (5, 31, 2), (6, 62, 1), (6, 63, 2)):
        (row,) = found_rows(scripts, d, 1, rings)
        assert (row["states"], row["components_like_it"]) == (perm(1 << d, rings) // copies, copies)
        assert "diameter" not in row


def test_few_empty_vertices_need_no_search(scripts: SimpleNamespace) -> None:
    """The formulas for at most 2**k - 1 empty vertices agree with the searches."""
    compared = 0
    for d in (3, 4):
        isometries = scripts.vertex_sets.Isometries(d)
        for k in range(2, d):
            for empty in range(1, 1 << k):
                base = {"d": d, "k": k, "l": empty, "rings": (1 << d) - empty}
                many = len(isometries.classes(min(base["rings"], empty)))
                formulas = list(scripts.gods_numbers.few_empty(base, many))
                searches = list(scripts.gods_numbers.by_families(isometries, base, limits(scripts), {}))
                for row in (*formulas, *searches):
                    row["searches"] = row["seconds"] = 0
                assert formulas == searches
                compared += len(formulas)
    assert compared > 10


@pytest.mark.parametrize(
    ("d", "known"),
    [
        (3, [1, 1, 3, 3, 6, 3, 3, 1, 1]),
        (4, [1, 1, 4, 6, 19, 27, 50, 56, 74]),
        (5, [1, 1, 5, 10, 47, 131, 472]),
        (7, [1, 1, 7]),
    ],
)
def test_classes_of_vertex_sets_are_counted_as_by_burnside(scripts: SimpleNamespace, d: int, known: list[int]) -> None:
    """The numbers of sets of vertices of the cube up to isometry are the known ones, and all sets are counted."""
    isometries = scripts.vertex_sets.Isometries(d)
    for size, many in enumerate(known):
        sets = isometries.classes(size)
        assert len(sets) == many
        if size:
            _, _, _, fixing = isometries.canonical(sets)
            assert sum((isometries.order // fixing).tolist()) == comb(1 << d, size)
            assert sets.tolist() == sorted(sets.tolist())


@given(d=st.integers(1, 4), seed=st.integers(0, 10**6))
@settings(max_examples=30)
def test_first_images_of_sets(scripts: SimpleNamespace, d: int, seed: int) -> None:
    """The first image is the least row among all images, one isometry leads to it, and those that fix a set are all."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, (1 << d) + 1))
    chosen = np.sort(rng.permutation(1 << d)[:size]).astype(np.uint8)
    images = []
    for order in permutations(range(d)):
        for moved in range(1 << d):
            images.append(sorted(sum((v >> i & 1) << j for i, j in enumerate(order)) ^ moved for v in chosen.tolist()))
    isometries = scripts.vertex_sets.Isometries(d)
    masks, turns, moved, fixing = isometries.canonical(chosen[None])
    first = isometries.members(masks, size)[0]
    assert first.tolist() == min(images)
    assert sorted(isometries.turns[turns[0], chosen ^ moved[0]].tolist()) == first.tolist()
    assert fixing[0] == images.count(chosen.tolist()) == len(isometries.fixing(chosen))


@given(data=st.data(), points=st.integers(1, 6), many=st.integers(0, 3))
@settings(max_examples=60)
def test_orders_of_groups(scripts: SimpleNamespace, data: st.DataObject, points: int, many: int) -> None:
    """The order is the number of all products of the generators; orbits hold all images."""
    generators = [tuple(data.draw(st.permutations(range(points)))) for _ in range(many)]
    group = scripts.permutation_groups.PermutationGroup(10**9)
    for one in generators:
        group.add(scripts.permutation_groups.permutation(bytes(one)))
    elements = waiting = {tuple(range(points))}
    while waiting:
        waiting = {tuple(one[i] for i in element) for element in waiting for one in generators} - elements
        elements = elements | waiting
    assert group.order == len(elements)
    assert group.orbits({0}) == {element[0] for element in elements}


def test_rows_are_not_computed_twice(scripts: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run adds nothing, one with higher limits replaces the rows without diameter, and the file is sorted."""
    out = tmp_path / "out.csv"

    def run(*options: str) -> list[dict[str, str]]:
        base = ["gods_numbers.py", "--dimension", "3", "--out", str(out)]
        monkeypatch.setattr(sys, "argv", [*base, *options])
        scripts.gods_numbers.main()
        with out.open(newline="") as file:
            return list(csv.DictReader(file))

    few = run("--states-max", "1000")
    assert {row["states"] for row in few if row["diameter"] == ""} == {"1680", "6720", "20160"}
    assert run("--states-max", "1000") == few
    more = run()
    assert len(more) == len(few) == 18
    assert all(row["diameter"] for row in more)
    assert [row for row in few if row["diameter"]] == [row for row in more if int(row["states"]) <= 1000]
    out.write_text(out.read_text().replace(",20160,2,19,19,1,1,", ",>10000,,,,1,,"))
    assert [{**row, "seconds": ""} for row in run()] == [{**row, "seconds": ""} for row in more]


def test_memory_and_time_end_searches(scripts: SimpleNamespace) -> None:
    """Components that no representation holds have no diameter; a deadline stops, whatever is going on."""
    (row,) = found_rows(scripts, 4, 1, 4, memory=10_000)
    assert row["states"] == 43680
    assert "diameter" not in row
    isometries = scripts.vertex_sets.Isometries(4)
    late = scripts.gods_numbers.Limits(10**6, 1 << 28, Budget(seconds=0.0), 8)
    with pytest.raises(scripts.component_searches.StoppedError):
        list(scripts.gods_numbers.rows(isometries, 1, 4, late, {}))
