"""Per-operator figures."""

from __future__ import annotations

from matheur.engine import OperatorStatistics


def test_figures_add_up() -> None:
    """Calls are booked one by one, figures of several processes are added, and plain values come back."""
    one, other = OperatorStatistics(), OperatorStatistics()
    one.book(seconds=0.5, work=3, gain=2, proof=False)
    one.book(seconds=1.5, work=1, gain=0, proof=True)
    other.book(seconds=1.0, work=5, gain=4, proof=False)
    assert one == OperatorStatistics(calls=2, seconds=2.0, work=4, successes=1, gain=2, proofs=1)
    assert one.to_dict()["gain_per_second"] == 1.0
    assert OperatorStatistics().to_dict()["gain_per_second"] == 0.0
    one.add(other)
    assert one == OperatorStatistics(calls=3, seconds=3.0, work=9, successes=2, gain=6, proofs=1)
    assert OperatorStatistics.from_dict(one.to_dict()) == one
