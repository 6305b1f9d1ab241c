"""Built-in puzzles stay what they are."""

from __future__ import annotations

from hashlib import sha256

import pytest

from matheur.errors import InputError
from matheur.problems.edge_matching import BUILTINS, EdgeMatching, builtin, builtin_solution, write_piece_list


def test_every_built_in_puzzle_has_a_perfect_solution() -> None:
    """All sizes from 3 x 3 to 16 x 16 and the demonstration are solvable."""
    assert set(BUILTINS) == {"demo", *(f"{size}x{size}" for size in range(3, 17))}
    for name in BUILTINS:
        problem = EdgeMatching(builtin(name))
        evaluation = problem.evaluate(builtin_solution(name))
        assert (evaluation.objective, evaluation.feasible) == (0, True)
        assert problem.instance.name == name


@pytest.mark.parametrize(("name", "digest"), [("demo", "2b526a5c5a336c3d"), ("16x16", "39c014073a6e4965")])
def test_built_in_puzzles_never_change(name: str, digest: str) -> None:
    """Published results name these puzzles, so their content is pinned."""
    assert sha256(write_piece_list(builtin(name)).encode()).hexdigest()[:16] == digest


def test_an_unknown_name_gets_a_suggestion() -> None:
    """A near miss names the nearest puzzle."""
    with pytest.raises(InputError, match="Maybe 'demo'"):
        builtin("demmo")
