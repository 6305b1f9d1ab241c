"""Parties near a given party, and parties far from given ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.problems.party import CountConstraint, DistinctConstraint, Instance, Party, SumConstraint
from matheur.problems.party.constraints import Op
from matheur.problems.party.operators.annealing import Annealing
from matheur.problems.party.operators.describing import different_values, sums, synergy_points

__all__ = ["away_from", "feasible_rows", "replacements"]

Rows = NDArray[np.int32]


def feasible_rows(instance: Instance, rows: Rows) -> NDArray[np.bool_]:
    """Whether parties of different items that fit their slots meet all demands. Shape (n,)."""
    good = np.ones(len(rows), dtype=bool)
    if instance.points is not None:
        good &= synergy_points(instance, rows) >= instance.points.demand
    for one in instance.constraints:
        if isinstance(one, SumConstraint):
            scaled = one.value * instance.catalogue.measures[one.column].scale
            good &= _holds(sums(instance, one.column, rows), one.op, math.ceil(scaled), math.floor(scaled))
            continue
        trait = instance.catalogue.traits[one.column]
        least, most = math.ceil(one.value), math.floor(one.value)
        if isinstance(one, CountConstraint):
            good &= _holds(trait.among(one.values)[rows].sum(axis=1), one.op, least, most)
        elif isinstance(one, DistinctConstraint):
            good &= _holds(different_values(instance, one.column, rows), one.op, least, most)
        elif most < 1:
            good &= (trait.codes[rows] < 0).all(axis=1) & (most == 0)
        elif most < rows.shape[1]:
            codes = np.sort(trait.codes[rows], axis=1)
            good &= ~((codes[:, most:] == codes[:, :-most]) & (codes[:, most:] >= 0)).any(axis=1)
    return good


def _holds(left: NDArray[Any], op: Op, least: int, most: int) -> NDArray[np.bool_]:
    """Evaluate `left op value`, where `least` and `most` are the value rounded up and down."""
    if op == "==":
        return (left == least) & (least == most)
    return left >= least if op == ">=" else left <= most


def replacements(problem: Party, party: Rows, cap: int | float) -> tuple[Rows, int]:
    """Return all parties up to a price that differ from a party in one slot, and the number of items examined."""
    one = problem.instance
    prices = one.catalogue.prices
    total, looked, found = int(prices[party].sum()), 0, []
    for slot, items in enumerate(one.candidates):
        room = cap - (total - int(prices[party[slot]]))
        others = items[(prices[items] <= room) & ~np.isin(items, party)]
        rows = np.repeat(party[None, :], len(others), axis=0)
        rows[:, slot] = others
        found.append(rows[feasible_rows(one, rows)])
        looked += len(others)
    return np.concatenate(found), looked


def away_from(
    problem: Party, chosen: Sequence[Rows], distance: int, budget: Budget, rng: Generator
) -> tuple[Rows, int] | None:
    """Search for a cheap party that differs from each chosen one in at least `distance` items; None if none is found.

    As many items of each chosen party as must differ are drawn and excluded; then a party is found by annealing.
    """
    one = problem.instance
    banned: set[int] = set(one.excluded)
    fixed = set(one.fixed.values())
    for party in chosen:
        missing = distance - len(banned & set(party.tolist()))
        free = [item for item in party.tolist() if item not in banned and item not in fixed]
        if missing > len(free):
            return None
        if missing > 0:
            banned.update(rng.choice(free, size=missing, replace=False).tolist())
    rest = Party(replace(one, excluded=frozenset(banned)))
    if rest.infeasible_reason() is not None:
        return None
    found = Annealing(patience=1).build(rest, budget, rng)
    return None if found.solution is None or found.objective is None else (found.solution, int(found.objective))
