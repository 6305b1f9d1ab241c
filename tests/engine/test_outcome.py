"""What an operator says, and what follows from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from matheur.engine import Outcome, Status


@pytest.mark.parametrize(
    ("objective", "bound", "optimal"), [(7, 7, True), (7, 8, True), (7, 6, False), (None, 7, False), (7, None, False)]
)
def test_a_bound_proves(objective: int | None, bound: int | None, optimal: bool) -> None:
    """An objective that the bound reaches is optimal; a missing one proves nothing."""
    assert Outcome(Status.IMPROVED, objective=objective, bound=bound).optimal is optimal


def test_a_trial_leaves_its_bound_and_its_better_solution() -> None:
    """What comes after a trial keeps its own claims where they say more."""
    trial = Outcome(Status.EXHAUSTED, "trial", 9, bound=4, certificate={"method": "trial"})
    worse, better = Outcome(Status.IMPROVED, "worse", 10), Outcome(Status.IMPROVED, "better", 8)
    assert (worse.after(trial).solution, worse.after(trial).objective, worse.after(trial).bound) == ("trial", 9, 4)
    assert (better.after(trial).solution, better.after(trial).objective, better.after(trial).bound) == ("better", 8, 4)
    weaker = Outcome(Status.EXHAUSTED, bound=3, certificate={"method": "own"}).after(trial)
    assert (weaker.bound, weaker.certificate) == (4, {"method": "trial"})
    proved = Outcome(Status.IMPROVED, "proved", 8, bound=8, certificate={"method": "own"})
    assert proved.after(trial) == proved
    impossible: Outcome[str] = Outcome(Status.INFEASIBLE, reason="so", certificate={"method": "own"})
    assert impossible.after(Outcome(Status.EXHAUSTED, bound=4)) == impossible


def test_what_was_spent_is_accepted_with_a_warning() -> None:
    """Operators written for an earlier release may pass work and seconds; both are ignored, and the warning says so."""
    with pytest.warns(DeprecationWarning, match="ignores 'work' and 'seconds'.* booked by budget.spend") as caught:
        old = Outcome(Status.IMPROVED, "one", 3, work=5, seconds=0.5)
    assert caught[0].filename == __file__
    assert old == Outcome(Status.IMPROVED, "one", 3)
    assert replace(old, objective=2) == Outcome(Status.IMPROVED, "one", 2)
    with pytest.warns(DeprecationWarning, match="ignores"):
        Outcome(Status.EXHAUSTED, work=0)


def test_only_the_first_four_go_by_position() -> None:
    """Work that stands after the bound, as it once might, is refused rather than taken for the reason."""
    with pytest.raises(TypeError, match="positional"):
        Outcome(Status.IMPROVED, "one", 3, 2, 5, 0.5)  # type: ignore[call-arg, arg-type]
