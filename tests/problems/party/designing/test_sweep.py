"""Curves over a threshold, against all parties of tiny puzzles."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from fractions import Fraction

import pytest
from problems.party.brute_force import best_price, tiny_instance

from matheur.errors import ConfigurationError
from matheur.problems.party import Instance, Party, Scope, builtin
from matheur.problems.party.designing import Sweep, sweep
from matheur.problems.party.designing.demands import demand_of
from matheur.problems.party.designing.sweep_plot import plot

FAST = ("construction=annealing", "neighbourhoods=[]", "construction.steps=1000", "construction.patience=1")


def ask(instance: Instance, demand: str, values: list[object], **options: object) -> Sweep:
    """A reproducible curve."""
    given = {"settings": FAST, "work": 30_000, "constructions": 50, **options}
    return sweep(Party(instance), demand, values, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [0, 6, 7, 12, 14])
def test_curves_say_nothing_wrong(seed: int) -> None:
    """Prices are reached, bounds and infeasibility hold, and the curve never falls where the demand gets harder."""
    problem = Party(tiny_instance(seed))
    if problem.instance.synergy is None:
        return
    demand = demand_of(problem.instance, "synergy")
    curve = ask(problem.instance, "synergy", ["0.9", "0.1", "0.5", "0.3"])
    assert [point.value for point in curve.points] == [0.1, 0.3, 0.5, 0.9]
    known: list[int] = []
    for point in curve.points:
        harder = demand.put(problem, Fraction(str(point.value)))
        best = best_price(harder)
        if point.status == "infeasible":
            assert best is None
            assert point.reason
        if point.price is not None:
            assert point.solution is not None
            evaluation = harder.evaluate(point.solution)
            assert evaluation.feasible
            assert evaluation.objective == point.price
            assert best is not None
            assert point.price >= best
            known.append(point.price)
        if point.bound is not None and best is not None:
            assert point.bound <= best
        if point.status == "optimal":
            assert point.price == best
        assert point.share is not None
        assert best is not None or point.share == 0
    assert known == sorted(known)


def test_a_demand_that_gets_easier_upwards() -> None:
    """At most so many of the same: the lowest threshold is the hardest, and what is impossible stays so below."""
    curve = ask(builtin("demo"), "max_same:religion", [3, -1, 2, -2])
    assert [point.value for point in curve.points] == [-2, -1, 2, 3]
    assert [point.status for point in curve.points[:2]] == ["infeasible", "infeasible"]
    assert str(curve.points[0].reason).startswith("already at -1: ")
    prices = [point.price for point in curve.points[2:]]
    assert prices[0] is not None
    assert prices[1] is not None
    assert prices[0] >= prices[1]


def test_means_are_multiplied_by_the_slots() -> None:
    """A mean level of 99 is out of reach, and the reason names the demand."""
    curve = ask(builtin("demo"), "level", [70, 99], per_slot=True)
    assert curve.points[0].price is not None
    assert curve.points[1].status == "infeasible"
    assert "594" in str(curve.points[1].reason)


def test_means_are_of_the_slots_of_the_demand() -> None:
    """A demand on two of six slots, such as those of a squad, is a mean of these two."""
    one = builtin("demo")
    first = replace(one.constraints[0], scope=Scope("A", (0, 1)))
    (point,) = ask(replace(one, constraints=(first, *one.constraints[1:])), "level", [200], per_slot=True).points
    assert point.status == "infeasible"
    assert "'A: sum of level >= 400' cannot be met" in str(point.reason)


def test_the_same_seed_gives_the_same_curve() -> None:
    """In work units; each point is handed out as it is found."""
    seen: list[float] = []
    one = ask(builtin("demo"), "synergy", [0.5, 0.9], on_point=lambda point: seen.append(point.value))
    two = ask(builtin("demo"), "synergy", [0.9, 0.5])
    assert seen == [0.5, 0.9]

    def figures(curve: Sweep) -> list[tuple[object, ...]]:
        return [(p.value, p.price, p.bound, p.status, p.share) for p in curve.points]

    assert figures(one) == figures(two)


def test_an_interrupt_leaves_what_is_known() -> None:
    """Points that were not reached are not there."""
    polls = iter(range(10**6))
    curve = ask(builtin("demo"), "synergy", [0.1, 0.2, 0.3], interrupt=lambda: next(polls) > 0)
    assert len(curve.points) < 3


def test_tables_and_plots_show_every_point() -> None:
    """A line of CSV each; SVG and PNG are drawn, also of a curve with gaps."""
    curve = ask(builtin("demo"), "level", [60, 75, 99], per_slot=True, work=3000)
    rows = list(csv.DictReader(io.StringIO(curve.to_csv())))
    assert [float(row["value"]) for row in rows] == [60, 75, 99]
    assert rows[2]["price"] == ""
    assert "level" in rows[2]["reason"]
    assert [point["value"] for point in curve.to_dict()["points"]] == [60, 75, 99]
    pytest.importorskip("matplotlib")
    assert b"<svg" in plot(curve, "svg")
    assert plot(curve, "svg") == plot(curve, "svg")
    assert plot(curve, "png").startswith(b"\x89PNG")


def test_other_problems_and_empty_lists_are_refused() -> None:
    """Only parties have demands."""

    class Other:
        name = "cubical"

    with pytest.raises(ConfigurationError, match="only in party puzzles"):
        sweep(Other(), "synergy", [1])
    with pytest.raises(ConfigurationError, match="needs values"):
        ask(builtin("demo"), "synergy", [])
