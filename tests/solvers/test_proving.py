"""From a solver's bound to a proof in whole numbers."""

from __future__ import annotations

import math

import pytest

from matheur.solvers import MilpSolution, MilpStatus
from matheur.solvers.proving import is_proof, proved_bound


def said(bound: float | None, tolerance: float | None = 1e-6, status: MilpStatus = MilpStatus.OPTIMAL) -> MilpSolution:
    return MilpSolution(status, {}, bound, bound, 0, 0.0, "toy", "1", tolerance=tolerance)


@pytest.mark.parametrize(
    ("bound", "whole"),
    [(12.0, 12), (12.0000004, 12), (12.01, 13), (11.9999999, 12), (-3.2, -3), (-3.0000001, -3), (0.0, 0)],
)
def test_bound_is_rounded_up_but_for_the_tolerance(bound: float, whole: int) -> None:
    """A hair above a whole number is that number, more is the next one."""
    assert proved_bound(said(bound)) == whole


def test_step_and_offset_count() -> None:
    """Objectives are multiples of the step; the offset is added afterwards."""
    assert proved_bound(said(12.5), step=5) == 15
    assert proved_bound(said(12.5), step=5, offset=2) == 17


@pytest.mark.parametrize("bound", [None, math.inf, -math.inf, math.nan])
def test_no_bound_proves_nothing(bound: float | None) -> None:
    """What is no number is no bound."""
    assert proved_bound(said(bound)) is None


def test_bound_that_may_be_off_by_a_step_proves_nothing() -> None:
    """Neither by the tolerance of the answer, nor by that of the caller, nor by what any solver may be off."""
    assert proved_bound(said(1.4e12, tolerance=1.0)) is None
    assert proved_bound(said(1.4e12, tolerance=1.0), step=7) == 1_400_000_000_000
    assert proved_bound(said(12.0), error=2.0) is None
    assert proved_bound(said(1e9, tolerance=None)) is None
    assert proved_bound(said(1e5, tolerance=None)) == 100_000


def test_large_bounds_are_rounded_exactly() -> None:
    """No floating point in between: 2**53 + 2 is itself."""
    assert proved_bound(said(2.0**53 + 2, tolerance=0.25)) == 2**53 + 2


def test_optimum_is_a_proof_where_its_neighbours_can_be_told_apart() -> None:
    """An infeasible model always is one, a limit never."""
    assert is_proof(said(5.0))
    assert not is_proof(said(5.0, tolerance=1.5))
    assert is_proof(said(5.0, tolerance=1.5), step=2)
    assert is_proof(said(None, status=MilpStatus.INFEASIBLE))
    assert not is_proof(said(5.0, status=MilpStatus.FEASIBLE))
