"""Models that people bring, on instances that are small enough to try everything."""

from __future__ import annotations

from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import pyomo.environ as pyo
import pytest
from scipy.optimize import linprog

from matheur.errors import ConfigurationError
from matheur.models import (
    cutting_stock,
    facility_location,
    generalised_assignment,
    job_shop,
    lot_sizing,
    nurse_rostering,
    unit_commitment,
)
from matheur.problems.milp import Milp
from matheur.solvers import MilpStatus, SolveRequest, get_backend
from matheur.solvers.pyomo_arrays import arrays_of


def solved(model: Any) -> float:
    """The best objective by HiGHS."""
    answer = get_backend("highs").solve(model, SolveRequest(absolute_gap=1e-6))
    assert answer.status is MilpStatus.OPTIMAL
    assert answer.objective is not None
    return answer.objective


def least(costs: Any) -> float:
    """The smallest of the numbers that are there."""
    return float(min(cost for cost in costs if cost is not None))


def test_simple_plans_are_solutions() -> None:
    """Of every model, also of odd sizes and options, in exact arithmetic."""
    made = [
        (lot_sizing, [((1, 1), {}), ((3, 4), {"load": 1.5})]),
        (generalised_assignment, [((3, 20), {"type": "c"}), ((4, 30), {"type": "d"}), ((4, 30), {"type": "e"})]),
        (facility_location, [((1, 1), {}), ((4, 9), {"ratio": 1.5}), ((6, 10), {"split": True})]),
        (unit_commitment, [((1, 1), {}), ((7, 30), {})]),
        (nurse_rostering, [((1, 1), {}), ((5, 6), {}), ((4, 17), {})]),
        (cutting_stock, [((1,), {}), ((5,), {})]),
        (job_shop, [((1, 1), {}), ((4, 3), {})]),
    ]
    for module, cases in made:
        one: Any = module
        for (sizes, options), seed in product(cases, range(3)):
            instance = one.generate(*sizes, seed=seed, **options)
            model = one.build(instance)
            one.set_simple_plan(model, instance)
            arrays = arrays_of(model)
            problem = Milp(arrays.model)
            assert problem.evaluate(arrays.start()).violations == (), (module, sizes, options, seed)
            assert problem.assessed(arrays.start()).level.value == "exact"


def test_lot_sizing() -> None:
    """For each choice of setups, the best amounts by a linear program of stocks."""
    one = lot_sizing.generate(2, 3, seed=5, load=0.7)
    items, periods = one.demand.shape
    total = one.demand.cumsum(1)

    def cost(setups: tuple[int, ...]) -> float | None:
        y = np.array(setups).reshape(items, periods)
        # columns: amounts by item and period, then overtime; stocks are sums
        after = np.tril(np.ones((periods, periods)))
        stock = np.kron(np.eye(items), after)
        holding = (one.holding_cost[:, None, None] * after[None]).sum(1).ravel()
        machine = np.kron(one.hours[None], np.eye(periods))
        rows = np.block([[-stock, np.zeros((len(stock), periods))], [machine, -np.eye(periods)]])
        sides = np.concatenate((-total.ravel(), one.capacity - one.setup_hours @ y))
        bounds = [(0, None if made else 0) for made in y.ravel()] + [(0, None)] * periods
        done = linprog(np.concatenate((holding, np.full(periods, one.overtime_cost))), rows, sides, bounds=bounds)
        constant = (one.setup_cost @ y).sum() - (one.holding_cost @ total).sum()
        return done.fun + constant if done.success else None

    assert solved(lot_sizing.build(one)) == pytest.approx(least(map(cost, product((0, 1), repeat=6))))


def test_generalised_assignment() -> None:
    """Costs and profits against all assignments."""
    one = generalised_assignment.generate(3, 6, seed=2, type="c")
    costs = []
    for plan in product(range(3), repeat=6):
        load = np.bincount(plan, one.need[plan, range(6)], 3)
        if np.all(load <= one.capacity):
            costs.append(int(one.cost[plan, range(6)].sum()))
    assert solved(generalised_assignment.build(one)) == min(costs)
    profit = generalised_assignment.GeneralisedAssignment(one.cost, one.need, one.capacity, maximise=True)
    assert solved(generalised_assignment.build(profit)) == max(costs)


def test_types_of_assignments() -> None:
    """Ranges of the literature; capacities; what cannot be is an error."""
    for kind, needs, costs in (("c", (5, 25), (10, 50)), ("d", (1, 100), (1, 120)), ("e", (1, 200), (-10, 1000))):
        one = generalised_assignment.generate(5, 200, seed=1, type=kind)
        assert one.need.min() >= needs[0]
        assert one.need.max() <= needs[1]
        assert one.cost.min() >= costs[0]
        assert one.cost.max() <= costs[1]
        assert one.capacity.tolist() == [int(0.8 * load / 5) for load in one.need.sum(1)]
    one = generalised_assignment.generate(5, 200, seed=1, type="d")
    assert abs(one.cost + one.need - 111).max() == 10
    with pytest.raises(ConfigurationError, match="too few"):
        generalised_assignment.generate(5, 1, seed=1)
    with pytest.raises(ConfigurationError, match="'b'"):
        generalised_assignment.generate(5, 20, seed=1, type="b")


def test_facility_location() -> None:
    """Against all ways to serve the customers; to split them is never dearer."""
    one = facility_location.generate(3, 5, seed=3, ratio=1.7)
    costs = []
    for plan in product(range(3), repeat=5):
        if np.all(np.bincount(plan, one.demand, 3) <= one.capacity):
            costs.append(int(one.cost[plan, range(5)].sum() + one.opening[sorted(set(plan))].sum()))
    assert solved(facility_location.build(one)) == min(costs)
    shared = facility_location.generate(3, 5, seed=3, ratio=1.7, split=True)
    assert solved(facility_location.build(shared)) <= min(costs)
    with pytest.raises(ConfigurationError, match=r"0\.5"):
        facility_location.generate(3, 5, seed=3, ratio=0.5)


def _stays(states: tuple[int, ...], up: int, down: int) -> bool:
    """Whether a unit that was off stays on and off long enough, except at the end."""
    runs: list[list[int]] = [[0, 99]]
    for state in states:
        if state == runs[-1][0]:
            runs[-1][1] += 1
        else:
            runs.append([state, 1])
    return all(length >= (up if state else down) for state, length in runs[:-1])


def test_unit_commitment() -> None:
    """For each choice of what is on, the best power by a linear program."""
    hours = 4
    made = unit_commitment.generate(2, hours, seed=1)
    one = unit_commitment.UnitCommitment(
        made.least, made.ramp, np.array([3, 1]), np.array([1, 2]), made.on_cost, made.start_cost, made.size, made.cost,
        np.array([30, 200, 90, 400]), np.array([10, 30, 0, 80]), short_cost=60, bare_cost=15,
    )  # fmt: skip
    units, segments = one.size.shape
    width = units * segments * hours

    def cost(states: tuple[int, ...]) -> float | None:
        on = np.array(states).reshape(units, hours)
        if not all(_stays(tuple(on[g]), int(one.up[g]), int(one.down[g])) for g in range(units)):
            return None
        start = np.diff(on, axis=1, prepend=0) > 0
        room = one.size.sum(1)[:, None]
        power = np.kron(np.kron(np.eye(units), np.ones((1, segments))), np.eye(hours))  # units x hours, by columns
        change = power - np.kron(np.eye(units), np.eye(hours, k=-1)) @ power
        total = np.kron(np.ones((1, units)), np.eye(hours)) @ power
        none, full = np.zeros((len(power), 2 * hours)), np.eye(hours)
        rows = np.block([[power, none], [change, none], [-change, none], [total, 0 * full, -full]])
        ramps = np.repeat(one.ramp, hours)
        spare = (room * on).sum(0) - one.reserve
        sides = np.concatenate(((room * (on & ~start)).ravel(), ramps, ramps, spare))
        prices = np.concatenate((np.repeat(one.cost.ravel(), hours), [one.short_cost] * hours, [one.bare_cost] * hours))
        bounds = [(0, size) for size in np.repeat(one.size.ravel(), hours).tolist()] + [(0, None)] * (2 * hours)
        met = np.hstack((total, full, 0 * full))
        done = linprog(prices, rows, sides, met, one.demand - one.least @ on, bounds)
        return done.fun + (one.on_cost @ on).sum() + (one.start_cost @ start).sum() if done.success else None

    assert width == 24
    assert solved(unit_commitment.build(one)) == pytest.approx(least(map(cost, product((0, 1), repeat=2 * hours))))


def test_nurse_rostering() -> None:
    """A week of one nurse and three days of two, against all rosters."""
    week = nurse_rostering.generate(1, 7, seed=4)
    pair = nurse_rostering.generate(2, 3, seed=1)
    for made, longest, weekends in ((week, 3, 0), (pair, 2, 2)):
        one = nurse_rostering.NurseRostering(
            made.needed + 1, made.wish, np.minimum(made.most, 4), longest, weekends, below_cost=9
        )
        nurses, days, _ = one.wish.shape
        single = [roster for roster in product(range(4), repeat=days) if _allowed(roster, longest)]  # 3: free
        costs = []
        for rosters in product(single, repeat=nurses):
            if all(sum(shift < 3 for shift in roster) <= most for roster, most in zip(rosters, one.most, strict=True)):
                there = np.zeros((days, 4), dtype=int)
                cost = 0
                for nurse, roster in enumerate(rosters):
                    there[range(days), roster] += 1
                    cost += sum(int(one.wish[nurse, day, shift]) for day, shift in enumerate(roster) if shift < 3)
                    cost += one.weekend_cost * max(0, any(shift < 3 for shift in roster[5:7]) - weekends)
                missing = one.needed - there[:, :3]
                cost += int(one.below_cost * missing.clip(0).sum() + one.above_cost * (-missing).clip(0).sum())
                costs.append(cost)
        assert solved(nurse_rostering.build(one)) == min(costs)


def _allowed(roster: tuple[int, ...], longest: int) -> bool:
    works = [shift < 3 for shift in roster]
    backward = any(after < before < 3 for before, after in pairwise(roster))
    alone = any(works[d] is not works[d - 1] and works[d - 1] is works[d + 1] for d in range(1, len(works) - 1))
    long = any(all(works[d : d + longest + 1]) for d in range(len(works) - longest))
    return not (backward or alone or long)


def test_cutting_stock() -> None:
    """Against all ways to fill one roll after the other."""
    one = cutting_stock.CuttingStock(np.array([46, 35, 27]), np.array([2, 3, 4]), 100)
    patterns = [cut for cut in product(range(3), range(4), range(5)) if 0 < np.dot(cut, one.width) <= one.roll]

    def rolls(needed: tuple[int, ...]) -> int:
        if not any(needed):
            return 0
        if needed not in known:
            rests = {tuple(max(0, n - c) for n, c in zip(needed, cut, strict=True)) for cut in patterns} - {needed}
            known[needed] = 1 + min(map(rolls, rests))
        return known[needed]

    known: dict[tuple[int, ...], int] = {}
    assert solved(cutting_stock.build(one)) == rolls((2, 3, 4))


def test_job_shop() -> None:
    """Against all orders in which the jobs may take their steps, each as soon as it can."""
    one = job_shop.generate(3, 2, seed=6)
    ends = []
    for steps in set(permutations((0, 1, 2) * 2)):
        ready, free, done = [0] * 3, [0] * 2, [0] * 3
        for job in steps:
            machine = int(one.order[job, done[job]])
            ready[job] = free[machine] = max(ready[job], free[machine]) + int(one.time[job, machine])
            done[job] += 1
        ends.append(max(ready))
    assert solved(job_shop.build(one)) == min(ends)


def test_a_plan_is_a_start() -> None:
    """What a simple plan puts into the variables, a solver may begin with."""
    one = facility_location.generate(3, 5, seed=3)
    model = facility_location.build(one)
    facility_location.set_simple_plan(model, one)
    assert float(pyo.value(model.total)) >= solved(facility_location.build(one))
