"""A second proof of optimal plans."""

from __future__ import annotations

import numpy as np
import pytest
from problems.plans.puzzles import cube, unsolvable

import matheur
from matheur.errors import OperatorError, SolverError
from matheur.problems.plans.certifier import ExactSearchCertifier

PUZZLE = cube(3, 2, "6 1 4 5", "4 1 5 6")


@pytest.mark.parametrize(
    ("first", "second"), [("astar", "bidirectional"), ("beam", "bidirectional"), ("bfs", "astar"), ("highs", "astar")]
)
def test_another_search_proves_again(first: str, second: str) -> None:
    """A proof by a heuristic is confirmed blindly, any other one by A*."""
    facts = ExactSearchCertifier().certify(PUZZLE, 6, first=first, interrupt=lambda: False)
    assert facts["backend"] == second
    assert facts["search_bound"] == 6


def test_wrong_claims_are_refuted() -> None:
    """A cheaper plan, or none at all, is an error that names both searches."""
    with pytest.raises(OperatorError, match="'astar' claims the optimum 7, but 'bidirectional' found a plan of 6"):
        ExactSearchCertifier().certify(PUZZLE, 7, first="astar", interrupt=lambda: False)
    with pytest.raises(OperatorError, match="found no plan at all"):
        ExactSearchCertifier().certify(unsolvable(), 7, first="bfs", interrupt=lambda: False)


def test_an_unfinished_second_proof_is_none() -> None:
    """An interrupt, or too little memory, leaves no second proof."""
    with pytest.raises(SolverError, match="interrupt"):
        ExactSearchCertifier().certify(PUZZLE, 6, first="bfs", interrupt=lambda: True)
    with pytest.raises(SolverError, match="memory"):
        ExactSearchCertifier(memory=100_000).certify(
            cube(5, 4, "30 29 0 17 4 1", "17 30 0 29 4 1"), 13, first="bidirectional", interrupt=lambda: False
        )


@pytest.mark.parametrize("construction", ["astar", "bidirectional"])
def test_certified_results(construction: str) -> None:
    """`certify` adds the other search to the certificate, whichever came first."""
    result = matheur.solve(PUZZLE, construction=construction, neighbourhoods=[], seconds=60, certify=True)
    assert (result.status, result.objective) == ("optimal", 6)
    assert result.certificate is not None
    assert result.certificate["backend"] == construction
    assert result.certificate["second"]["backend"] != construction


def test_windows_certify_too() -> None:
    """The proof of the whole plan as one window names its search, and another one confirms it."""
    plan = matheur.solve(
        PUZZLE, construction="evolution", neighbourhoods=[], work=20_000, settings=["construction.variant=paper"]
    )
    result = matheur.solve(PUZZLE, start=plan.solution, neighbourhoods=["shortcut", "window"], seconds=60, certify=True)
    assert result.status == "optimal"
    assert result.certificate is not None
    assert result.certificate["second"]["backend"] == "bidirectional"
    assert isinstance(result.solution, np.ndarray)
