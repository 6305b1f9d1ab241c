"""Random instances and the built-in ones."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from matheur.errors import ConfigurationError, InputError
from matheur.problems.quadratic_assignment import BUILTINS, KINDS, QuadraticAssignment, builtin, generate
from matheur.problems.quadratic_assignment.builtin import builtin_solution
from matheur.problems.quadratic_assignment.generator import grid_shape


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_instance(kind: str) -> None:
    """And another seed another one; the solution that comes with it is one, and no exchange improves it."""
    one, places = generate(kind, 15, seed=4)
    again, same = generate(kind, 15, seed=4)
    other, _ = generate(kind, 15, seed=5)
    problem = QuadraticAssignment(one)
    assert problem.fingerprint == QuadraticAssignment(again).fingerprint != QuadraticAssignment(other).fingerprint
    assert places.tolist() == same.tolist()
    value = problem.evaluate(places)
    assert value.feasible
    for i in range(15):
        for j in range(i):
            exchanged = places.copy()
            exchanged[[i, j]] = exchanged[[j, i]]
            assert problem.evaluate(exchanged).objective >= value.objective


@pytest.mark.parametrize("size", [(2, 3), (1, 6), (2, 4)])
@pytest.mark.parametrize("seed", range(4))
def test_planted_optima_are_optimal(size: tuple[int, int], seed: int) -> None:
    """Nothing is better than the planted permutation, as trying all shows; flows are not negative."""
    instance, places = generate("planted", size, seed=seed)
    assert (instance.flows >= 0).all()
    assert len(np.unique(instance.flows)) > 2
    known = QuadraticAssignment(instance).evaluate(places).objective
    orders = np.array(list(permutations(range(instance.n))))
    best = min(
        int((instance.flows * instance.distances[part[:, :, None], part[:, None, :]]).sum(axis=(1, 2)).min())
        for part in np.array_split(orders, 20)
    )
    assert known == best


def test_kinds_have_their_features() -> None:
    """Symmetry, sparsity and distances are what the descriptions say."""
    made = {kind: generate(kind, (4, 6) if kind in ("grid", "planted") else 24, seed=2)[0] for kind in KINDS}
    assert {kind for kind, one in made.items() if not one.symmetric} == {"asymmetric", "clustered"}
    assert np.count_nonzero(made["tree"].flows) == 2 * 23
    for kind in ("grid", "planted"):
        distances = np.sort(made[kind].distances, axis=None)
        assert (distances[-1], np.count_nonzero(distances == 1)) == (3 + 5, 2 * (4 * 5 + 3 * 6))
    assert np.diagonal(made["asymmetric"].flows).any()
    assert made["clustered"].flows.max() > 1000
    assert np.count_nonzero(made["clustered"].flows == 0) > 200
    assert made["blocks"].distances.max() > 100


def test_numbers_of_cells_become_grids() -> None:
    """As square as can be; a prime number is a row."""
    assert [grid_shape(n) for n in (1, 2, 12, 30, 36, 37)] == [(1, 1), (1, 2), (3, 4), (5, 6), (6, 6), (1, 37)]


@pytest.mark.parametrize(
    ("kind", "size", "words"),
    [
        ("grit", 12, "Maybe 'grid'"),
        (5, 12, "no kind of instance is called 5"),
        ("grid", 1, r"size must be 2 to 1000 \(1\)"),
        ("grid", 0, "size must be"),
        ("grid", -4, "size must be"),
        ("uniform", 1001, "size must be"),
        ("grid", (0, 5), "size must be"),
        ("grid", (-2, -3), "size must be"),
    ],
)
def test_impossible_instances(kind: str, size: int | tuple[int, int], words: str) -> None:
    """Unknown kinds and sizes out of range are named."""
    with pytest.raises(ConfigurationError, match=words):
        generate(kind, size)


@pytest.mark.parametrize("name", BUILTINS)
def test_built_in_instances(name: str) -> None:
    """Each has a line, its size in it, its name, and a solution."""
    instance = builtin(name)
    assert f"n = {instance.n}:" in BUILTINS[name]
    assert instance.name == name
    assert QuadraticAssignment(instance).evaluate(builtin_solution(name)).feasible


def test_unknown_built_in_instances() -> None:
    """The nearest known name is suggested."""
    with pytest.raises(InputError, match=r"no built-in instance 'grid31'\. Maybe 'grid30'"):
        builtin("grid31")
