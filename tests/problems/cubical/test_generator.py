"""Generated puzzles: solvable, and away from their target."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matheur.errors import ConfigurationError
from matheur.problems.cubical import Cubical, generate


@settings(max_examples=80)
@given(st.data(), st.integers(1, 6), st.integers(0, 10**9))
def test_the_hidden_plan_solves_the_puzzle(data: st.DataObject, d: int, seed: int) -> None:
    """For every size for which there are puzzles, the start is not the target and the plan leads there."""
    k = data.draw(st.integers(1, d))
    rings = data.draw(st.integers(1, 2**d - 2**k + 1))
    moves = data.draw(st.integers(1, 60))
    instance, plan = generate(d, k, rings, seed=seed, moves=moves)
    assert instance.start != instance.target
    assert 1 <= len(plan) <= moves
    evaluation = Cubical(instance).evaluate(plan)
    assert (evaluation.feasible, evaluation.objective) == (True, len(plan))
    assert Cubical(instance).infeasible_reason() is None


@pytest.mark.parametrize("size", [(7, 6, 65), (7, 1, 127), (7, 3, 121), (2, 1, 3), (3, 2, 5), (1, 1, 1), (4, 4, 1)])
def test_crowded_cubes(size: tuple[int, int, int]) -> None:
    """Where hardly any placement leaves a move, one is made that does."""
    instance, plan = generate(*size, seed=1)
    assert Cubical(instance).evaluate(plan).feasible
    assert len(plan) > 0


def test_no_placement_repeats() -> None:
    """Loops of the walk are cut out of the plan: it visits no placement twice."""
    instance, plan = generate(2, 1, 2, seed=3, moves=500)
    places, seen = list(instance.start), {instance.start}
    for move in plan.tolist():
        places[move // 4] = move % 4
        assert tuple(places) not in seen
        seen.add(tuple(places))


def test_the_seed_decides() -> None:
    """The same seed gives the same puzzle, another seed another one."""
    first, same, other = (generate(4, 2, 5, seed=seed) for seed in (1, 1, 2))
    assert first[0] == same[0]
    assert first[1].tolist() == same[1].tolist()
    assert first[0] != other[0]


def test_rings_have_colours_as_names() -> None:
    """The first rings are called after colours, those of the paper first, and all names differ."""
    instance, _ = generate(5, 1, 31, seed=1, moves=10)
    assert instance.rings[:6] == ("green", "purple", "red", "blue", "yellow", "orange")
    assert len(set(instance.rings)) == 31


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0, 1, 1), "dimension must be"),
        ((4, 5, 1), "k must be"),
        ((4, 3, 10), "1 to 9 rings"),
        ((4, 4, 2), "1 ring"),
        ((4, 1, 16), "1 to 15 rings"),
        ((4, 1, 0), "1 to 15 rings"),
    ],
)
def test_impossible_wishes_are_refused(arguments: tuple[int, int, int], words: str) -> None:
    """Sizes without puzzles are errors that say what there is."""
    with pytest.raises(ConfigurationError, match=words):
        generate(*arguments)


@pytest.mark.parametrize("moves", [0, -1, 100_001])
def test_the_walk_has_limits(moves: int) -> None:
    """A walk has at least one move and not millions."""
    with pytest.raises(ConfigurationError, match="walk has 1 to"):
        generate(3, 1, 2, moves=moves)
