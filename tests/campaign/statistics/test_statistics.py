"""Statistics against values worked out by hand, and against SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from matheur.campaign.statistics import (
    Trajectory,
    compare,
    convergence_bands,
    empirical_distribution,
    expected_running_time,
    fit_shifted_exponential,
    holm,
    performance_profiles,
    primal_gap,
    primal_integral,
    quantile,
    relative_gap,
    share_reached,
    signed_rank,
    success_rate,
    target_ladder,
    target_times,
    time_grid,
    times_to_target,
)

A = Trajectory.of([1.0, 2.0, 4.0], [20.0, 12.0, 10.0], 8.0)
B = Trajectory.of([2.0, 6.0], [16.0, 11.0], 8.0)
NEVER = Trajectory.of([], [], 8.0)


def test_relative_gap() -> None:
    """Relative to the reference, absolute around zero; better than the reference is negative."""
    assert relative_gap(110, 100) == pytest.approx(0.1)
    assert relative_gap(-90, -100) == pytest.approx(0.1)
    assert relative_gap(2, 0) == 2
    assert relative_gap(99, 100) == pytest.approx(-0.01)
    assert relative_gap(math.inf, 100) == math.inf


@given(st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_success_rate_is_that_of_scipy(counts: tuple[int, int]) -> None:
    """Wilson's interval as SciPy computes it."""
    successes, runs = counts
    rate = success_rate(successes, runs)
    interval = stats.binomtest(successes, runs).proportion_ci(0.95, method="wilson")
    assert rate.share == successes / runs
    assert (rate.low, rate.high) == pytest.approx((interval.low, interval.high), abs=1e-9)
    assert math.isnan(success_rate(0, 0).share)


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30), st.floats(0, 1))
def test_quantiles_are_those_of_numpy(values: list[float], share: float) -> None:
    """Both interpolations as numpy has them for finite values."""
    array = np.array(values)
    assert quantile(array, share) == pytest.approx(np.quantile(array, share), abs=1e-6)
    assert quantile(array, share, middle=True) == pytest.approx(np.quantile(array, share, method="hazen"), abs=1e-6)


def test_quantiles_with_infinities() -> None:
    """What never happened is infinite, and so is all between it and a finite value."""
    values = np.array([1.0, 2.0, np.inf, np.inf])
    assert quantile(values, 0.0) == 1.0
    assert quantile(values, 1 / 3) == 2.0
    assert quantile(values, 0.5) == np.inf
    assert quantile(values, 1.0) == np.inf
    assert quantile(np.array([np.inf]), 0.5) == np.inf


def test_times_to_a_target() -> None:
    """First times, with infinity for runs that did not make it."""
    assert times_to_target([A, B, NEVER], 12.0).tolist() == [2.0, 6.0, np.inf]
    times, shares = empirical_distribution(np.array([6.0, 2.0, np.inf, np.inf]))
    assert times.tolist() == [2.0, 6.0]
    assert shares.tolist() == [0.125, 0.375]


def test_expected_running_time() -> None:
    """All seconds that were spent, over the successes: (2 + 6 + 8) / 2."""
    assert expected_running_time([A, B, NEVER], 12.0) == 8.0
    assert expected_running_time([A, B, NEVER], 1.0) == math.inf


def test_exact_quantiles_give_the_exact_fit() -> None:
    """Times that lie on a shifted exponential distribution give back its shift and scale."""
    shares = (np.arange(1, 41) - 0.5) / 40
    fit = fit_shifted_exponential(3.0 - 7.0 * np.log1p(-shares))
    assert fit is not None
    assert fit.shift == pytest.approx(3.0, abs=0.02)
    assert fit.scale == pytest.approx(7.0, abs=0.02)
    assert fit.probability(np.array([0.0, 3.0, 10.0])).tolist() == pytest.approx([0, 0, 1 - math.exp(-1)], abs=0.01)


def test_the_fit_by_hand() -> None:
    """Quartiles 1.5 and 3.5 of the times 1, 2, 3, 4: scale 2/ln 3, shift 1.5 - scale ln(4/3)."""
    fit = fit_shifted_exponential(np.array([4.0, 2.0, 1.0, 3.0]))
    assert fit is not None
    assert fit.scale == pytest.approx(2 / math.log(3))
    assert fit.shift == pytest.approx(1.5 - 2 / math.log(3) * math.log(4 / 3))


def test_a_fit_is_like_the_maximum_likelihood() -> None:
    """On a large sample the quartile estimate is near that of SciPy, and a tenth of outliers hardly moves it."""
    times = 2.0 + np.random.default_rng(7).exponential(5.0, 20_000)
    shift, scale = stats.expon.fit(times)
    fit = fit_shifted_exponential(times)
    assert fit is not None
    assert fit.shift == pytest.approx(shift, abs=0.1)
    assert fit.scale == pytest.approx(scale, rel=0.03)
    times[:2000] = 1e6
    robust = fit_shifted_exponential(times)
    assert robust is not None
    assert robust.scale < 2 * scale


def test_a_fit_needs_runs_that_succeed() -> None:
    """Few runs, many failures or equal times have no fit."""
    assert fit_shifted_exponential(np.array([1.0, 2.0, 3.0])) is None
    assert fit_shifted_exponential(np.array([1.0, 2.0, np.inf, np.inf])) is None
    assert fit_shifted_exponential(np.array([2.0, 2.0, 2.0, 2.0])) is None
    assert fit_shifted_exponential(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, np.inf])) is not None


def test_targets_from_easy_to_hard() -> None:
    """From the median first value 18, each target halves the distance to the best, the last is the best."""
    ladder = target_ladder([A, B, NEVER], 10.0, count=4)
    assert ladder.tolist() == [14.0, 12.0, 11.0, 10.0]
    times = target_times([A, B], ladder)
    assert times.tolist() == [[2.0, 2.0, 4.0, 4.0], [6.0, 6.0, 6.0, np.inf]]
    assert share_reached(times, np.array([1.0, 2.0, 4.0, 6.0, 99.0])).tolist() == [0.0, 0.25, 0.5, 0.875, 0.875]
    assert target_ladder([NEVER], 10.0, count=3).tolist() == [10.0, 10.0, 10.0]


def test_primal_gap() -> None:
    """The definition, case by case."""
    assert primal_gap(0, 0) == 0
    assert primal_gap(20, 10) == 0.5
    assert primal_gap(-10, -20) == 0.5
    assert primal_gap(3, -3) == 1
    assert primal_gap(math.inf, 5) == 1
    assert primal_gap(4, 5) == 0


def test_primal_integral_by_hand() -> None:
    """1 until 1 s, 1/2 until 2 s, 1/6 until 4 s, then nothing; beyond the horizon nothing counts."""
    assert primal_integral(A, 10.0, horizon=8.0) == pytest.approx(1 + 0.5 + 2 / 6)
    assert primal_integral(A, 10.0, horizon=1.5) == pytest.approx(1.25)
    assert primal_integral(NEVER, 10.0, horizon=8.0) == 8.0
    assert primal_integral(B, 10.0, horizon=10.0) == pytest.approx(2 + 4 * 6 / 16 + 4 / 11)


def test_convergence_bands_by_hand() -> None:
    """Median and quartiles of the values that hold at each time; without a solution a run is infinitely bad."""
    third = Trajectory.of([1.0], [30.0], 1.0)
    bands = convergence_bands([A, B, third], np.array([0.5, 1.5, 3.0, 7.0]))
    assert bands.median.tolist() == [np.inf, 30.0, 16.0, 11.0]
    assert bands.low.tolist() == [np.inf, 25.0, 14.0, 10.5]
    assert bands.high.tolist() == [np.inf, np.inf, 23.0, 20.5]
    grid = time_grid([A, B, NEVER], points=5)
    assert (grid[0], len(grid)) == (1.0, 5)
    assert grid[-1] == pytest.approx(8.0)
    assert len(time_grid([], points=3)) == 3


@given(st.lists(st.integers(-9, 9), min_size=5, max_size=40))
def test_signed_rank_is_that_of_scipy(differences: list[int]) -> None:
    """As SciPy's test without zeros; the effect is between -1 and 1 and turns with the sides."""
    first = np.array(differences, dtype=float)
    p, effect = signed_rank(first, np.zeros(len(first)))
    kept = first[first != 0]
    if len(kept) == 0:
        assert (p, effect) == (1.0, 0.0)
        return
    exact = len(np.unique(np.abs(kept))) == len(kept)
    expected = stats.wilcoxon(kept, method="exact" if exact else "approx", correction=not exact)
    assert p == pytest.approx(expected.pvalue)
    assert -1 <= effect <= 1
    assert signed_rank(-first, np.zeros(len(first)))[1] == pytest.approx(-effect)


def test_signed_rank_by_hand() -> None:
    """Five differences, all positive: p = 2 / 2^5, effect 1."""
    p, effect = signed_rank(np.array([1.0, 2, 3, 4, 5]), np.zeros(5))
    assert (p, effect) == (pytest.approx(0.0625), 1.0)


def test_holm_by_hand() -> None:
    """The example of the definition, in the given order, never above 1."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_comparisons_of_variants() -> None:
    """Pairs are what both variants have; a run without a solution loses; p-values are corrected together."""
    values: dict[str, dict[object, float]] = {
        "a": {k: float(k) for k in range(8)},
        "b": {k: float(k + 1 + k / 10) for k in range(7)} | {7: math.inf},
        "c": {k: float(k) for k in range(8)},
        "elsewhere": {"x": 1.0},
    }
    ab, ac, bc = compare(values)
    assert (ab.first, ab.second, ab.pairs, ab.wins, ab.ties, ab.losses) == ("a", "b", 8, 8, 0, 0)
    assert ab.p == pytest.approx(2 / 2**8)
    assert ab.adjusted == pytest.approx(3 * 2 / 2**8)
    assert (ab.effect, bc.effect) == (-1.0, 1.0)
    assert (ac.ties, ac.p, ac.adjusted, ac.difference) == (8, 1.0, 1.0, 0.0)


def test_median_differences_of_runs_without_a_solution() -> None:
    """They are infinite, and not what stands for infinity in the test."""
    few = {"x": 0.1, "y": math.inf, "z": math.inf}
    ab, ac, bc = compare({"a": {"x": 0.1, "y": 0.2, "z": 0.3}, "b": few, "c": {**few, "x": 0.2}})
    assert (ab.difference, ac.difference, bc.difference) == (-math.inf, -math.inf, 0.0)
    assert (ab.wins, ab.ties, bc.ties) == (2, 1, 2)
    (found,) = compare({"a": {"x": 0.1, "y": math.inf}, "b": {"x": math.inf, "y": 0.1}})
    assert math.isnan(found.difference)


def test_means_of_the_same_gaps_are_equal() -> None:
    """In whatever order they were added up."""
    one, other = float(np.mean([0.1, 0.2, 0.3])), float(np.mean([0.3, 0.2, 0.1]))
    assert one != other
    (found,) = compare({"a": {"x": one, "y": 1.0}, "b": {"x": other, "y": 2.0}})
    assert (found.wins, found.ties, found.losses) == (1, 1, 0)


def test_performance_profiles_by_hand() -> None:
    """Ratios to the best on each problem; what nobody solves counts against all."""
    costs = np.array([[1.0, 4.0, np.inf, np.inf], [2.0, 2.0, 3.0, np.inf]])
    first, second = performance_profiles(costs)
    assert first.ratios.tolist() == [1.0, 2.0]
    assert second.ratios.tolist() == [1.0, 1.0, 2.0]
    assert [first.share(x) for x in (1.0, 1.9, 2.0, 99.0)] == [0.25, 0.25, 0.5, 0.5]
    assert [second.share(x) for x in (1.0, 2.0)] == [0.5, 0.75]
    tiny, tinier = performance_profiles(np.array([[1e-5], [1e-7]]))
    assert tiny.ratios.tolist() == tinier.ratios.tolist() == [1.0]
