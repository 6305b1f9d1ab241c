"""The function `quadratic_assignment` takes the arguments of SciPy's function, and more matrices."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import optimize

from matheur.errors import ConfigurationError, InputError, MatheurError
from matheur.problems.quadratic_assignment import quadratic_assignment


def _least(a, b, *, linear=None, fixed=(), maximize=False):  # type: ignore[no-untyped-def]
    """By enumeration, in floating point."""
    m, n = len(a), len(b)
    values = []
    for places in itertools.permutations(range(n), m):
        if all(places[i] == k for i, k in fixed):
            p = np.array(places)
            value = (a * b[np.ix_(p, p)]).sum()
            values.append(value if linear is None else value + linear[np.arange(m), p].sum())
    return max(values) if maximize else min(values)


def test_every_option_has_the_optimum_of_the_enumeration() -> None:
    """Real and whole matrices, rectangular ones, matches, linear costs, least and largest."""
    rng = np.random.default_rng(7)
    for real, wide, matched, linear, maximize in itertools.product((False, True), repeat=5):
        m, n = 4, 5 if wide else 4
        a, b, c = rng.integers(-9, 20, (m, m)), rng.integers(0, 20, (n, n)), rng.integers(-50, 50, (m, n))
        if real:
            a, b, c = a + rng.random((m, m)), rng.random((n, n)), c / 8
        fixed = [(1, 2), (3, 0)] if matched else []
        options = {"maximize": maximize, "rng": 1, "linear": c if linear else None, "seconds": 10}
        if matched:
            options["partial_match"] = np.array(fixed)
        found = quadratic_assignment(a, b, options=options)
        best = _least(a, b, linear=c if linear else None, fixed=fixed, maximize=maximize)
        assert found.optimal
        assert found.exact is not real
        assert found.fun == pytest.approx(best, rel=1e-5)
        assert found.fun == best or real
        assert all(found.col_ind[i] == k for i, k in fixed)
        assert real or found.bound == best


def test_faq_is_that_of_scipy() -> None:
    """The same starts lead to the same permutation, value and number of steps."""
    rng = np.random.default_rng(3)
    for case in range(8):
        a, b = rng.random((9, 9)), rng.random((9, 9))
        if case > 1:  # a match takes the diagonals out of the quadratic part, which SciPy leaves there
            np.fill_diagonal(a, 0)
            np.fill_diagonal(b, 0)
        options = {"maximize": case % 2 == 1}
        if case > 1:
            options["partial_match"] = np.array([[2, 5], [7, 0]])
        if case > 4:
            options["P0"] = np.roll(np.eye(7), 2, axis=1) / 2 + np.full((7, 7), 1 / 14)
        ours = quadratic_assignment(a, b, "faq", options)
        theirs = optimize.quadratic_assignment(a, b, "faq", {**options, "rng": np.random.default_rng(0)})
        assert ours.col_ind.tolist() == theirs.col_ind.tolist()
        assert ours.fun == pytest.approx(theirs.fun)
        assert ours.nit == theirs.nit


def test_methods_of_both_kinds() -> None:
    """`2opt`, constructions and neighbourhoods by name; `fun` belongs to `col_ind` as in SciPy."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(0, 30, (8, 8)), rng.integers(0, 30, (8, 8))
    guess = np.array([[0, 3], [4, 1]])
    for method in ("2opt", "genetic", "robust-tabu", "branch-and-bound"):
        options = {"work": 2000, "iterations": 1, "partial_guess": guess, "seed": np.random.default_rng(2)}
        found = quadratic_assignment(a, b, method, options)
        assert found.fun == np.trace(a.T @ b[found.col_ind][:, found.col_ind])
        assert sorted(found.col_ind.tolist()) == list(range(8))
        if method == "2opt":
            assert 0 < found.nit < 100  # one descent
        again = quadratic_assignment(a, b, method, {**options, "rng": None, "seed": np.random.default_rng(2)})
        assert again.col_ind.tolist() == found.col_ind.tolist()


def test_huge_and_tiny_numbers_are_rounded_for_the_search() -> None:
    """Matrices of any scale are taken; the value is that of the matrices as they are."""
    rng = np.random.default_rng(6)
    a, b = rng.random((6, 6)) * 1e200, rng.random((6, 6)) * 1e-190
    found = quadratic_assignment(a, b, options={"seconds": 10})
    assert not found.exact
    assert found.fun == pytest.approx(_least(a, b), rel=1e-4)
    whole = rng.integers(0, 90, (6, 6))
    found = quadratic_assignment(whole << 34, whole << 34, options={"seconds": 10})  # sums beyond 64 bits
    assert found.fun == pytest.approx(_least(whole, whole) * 2.0**68, rel=1e-4)
    for scale in (1e25, 1e250):  # linear costs that outweigh all else
        found = quadratic_assignment(a, b, options={"linear": scale * np.eye(6), "work": 20_000})
        assert all(found.col_ind[i] != i for i in range(6))
    large = quadratic_assignment(np.ones((3, 3)), np.zeros((3, 3)))
    assert (large.fun, large.exact) == (0, True)


def test_wrong_arguments_are_said_in_one_line() -> None:
    """Shapes, values, matches, methods and options."""
    a = np.ones((3, 3))
    for arguments, said in (
        ((a[:2], a), "square"),
        ((np.ones((4, 4)), a), "more nodes than B"),
        ((a * np.nan, a), "finite"),
        ((a * 1j, a), "real numbers"),
        ((a, a, None, {"partial_match": [[0, 3]]}), "from 0 to 2"),
        ((a, a, None, {"partial_match": [[0, 1], [0, 2]]}), "twice"),
        ((a, a, None, {"linear": np.ones((2, 3))}), "3 x 3"),
        ((a, a, "faq", {"P0": a}), "doubly stochastic"),
        ((a, a, "faq", {"P0": [["a"]]}), "matrix of numbers"),
        ((a, a, None, {"partial_match": [[1], [1, 2]]}), "two whole numbers"),
    ):
        with pytest.raises(InputError, match=said):
            quadratic_assignment(*arguments)
    for method, option, wrong in (("faq", "maxiter", np.inf), ("faq", "maxiter", 0.5), ("2opt", "seconds", "a"),
                                  ("2opt", "work", -1)):  # fmt: skip
        with pytest.raises(ConfigurationError, match=option):
            quadratic_assignment(a, a, method, {option: wrong})
    with pytest.raises(ConfigurationError, match="Maybe 'maximize'"):
        quadratic_assignment(a, a, options={"maximise": True})
    with pytest.raises(ConfigurationError, match="Maybe 'genetic'"):
        quadratic_assignment(a, a, "genetics")


def test_a_search_without_a_result_is_an_error() -> None:
    """Not a TypeError."""
    with pytest.raises(MatheurError, match="no assignment was found"):
        quadratic_assignment(np.eye(3), np.ones((3, 3)), "astar", {"work": 0})
