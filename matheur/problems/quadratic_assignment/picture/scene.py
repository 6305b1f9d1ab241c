"""Content of a picture of an instance or of a solution, independent of the output format."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.pictures import readable
from matheur.problems.quadratic_assignment.given import Given
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.picture.heatmap import HeatMap, heat_map
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment

__all__ = ["Pair", "Scene", "scene_of"]

_PAIRS_MAX = 20

Matrix = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two facilities (or one with itself), and their flows, distances and cost in both directions.

    Attributes
    ----------
    one, two
        Facilities.
    flows, distances
        Values in both directions (one number if they are equal).
    cost
        Flow times distance in both directions; in units of the file, like all numbers except those of the maps.
    share
        Share of the total cost; None if the total is not positive.
    """

    one: int
    two: int
    flows: str
    distances: str
    cost: int | float
    share: float | None


@dataclass(frozen=True, slots=True)
class Scene:
    """Content of a picture.

    Attributes
    ----------
    title, state
        Two lines of text.
    maps
        Heat maps of flows and distances; with a solution, of the distances between the assigned locations, and of the
        costs.
    places
        Location of each facility, from 1; empty without a solution.
    burdens
        Cost in which each facility has a part; empty without a solution.
    pairs
        The most expensive pairs, in descending order of cost.
    cost
        Cost of the solution.
    violations
        Violations that the evaluator reports.
    """

    title: str
    state: str
    maps: tuple[HeatMap, ...]
    places: tuple[int, ...]
    burdens: tuple[int | float, ...]
    pairs: tuple[Pair, ...]
    cost: int | float | None
    violations: tuple[str, ...]


def scene_of(problem: QuadraticAssignment, solution: NDArray[np.int32] | None) -> Scene:
    """The scene of a solution, which may assign two facilities to one location, or of the instance alone."""
    one = problem.instance if problem.instance.given is None else problem.instance.given
    title = _title(problem, one)
    of_flows, of_distances = one.decimals
    flows = heat_map(one.flows, "flows", _note(one.flows, of_flows), "flow from {row} to {column}: {value}")
    evaluation = None if solution is None else problem.evaluate(solution)
    # A row that is neither a permutation nor a list of locations is drawn without places.
    places = problem.places(solution) if solution is not None and problem.tells(solution) else None
    if places is None or evaluation is None:
        state = "an instance without a solution" if evaluation is None else f"not valid: {evaluation.violations[0]}"
        distances = heat_map(
            one.distances,
            "distances",
            _note(one.distances, of_distances),
            "from location {row} to {column}: {value}",
        )
        maps: tuple[HeatMap, ...] = (flows, distances)
        if one.pairs is not None:
            strongest = abs(one.pairs).max(axis=(1, 3))
            note = _note(strongest, of_flows + of_distances)
            hint = "most that {row} and {column} can cost, or save: {value}"
            maps = (heat_map(strongest, "largest cost of two facilities", note, hint),)
        if one.linear is not None and len(one.flows) == len(one.distances):
            note = "rows: facilities, columns: locations" + _times(of_flows + of_distances)
            maps += (heat_map(one.linear, "linear costs", note, "facility {row} on location {column}: {value}"),)
        violations = () if evaluation is None else evaluation.violations
        return Scene(title, state, maps, (), (), (), None, violations)
    cost = int(evaluation.objective)
    state = f"cost {problem.score(cost):,}"
    if evaluation.violations:
        state += f", not valid: {evaluation.violations[0]}"
    between = one.distances[np.ix_(places, places)]
    costs = one.flows * between
    rows = np.arange(len(places))
    if one.pairs is not None:
        costs = one.pairs[rows[:, None], places[:, None], rows, places]
    if one.linear is not None:
        costs[rows, rows] += one.linear[rows, places]
    arranged = heat_map(
        between,
        "distances, in the order of the facilities",
        "rows: facilities, columns: their locations" + _times(of_distances),
        "between the locations of facilities {row} and {column}: {value}",
        places + 1,
    )
    note = _note(costs, of_flows + of_distances)
    meant = "costs: flow times distance" if one.pairs is None else "costs of two facilities"
    if one.linear is not None:
        note += "; linear costs on the diagonal"
    products = heat_map(costs, meant, note, "cost of {row} and {column}: {value}")
    burdens = costs.sum(axis=0) + costs.sum(axis=1) - np.diagonal(costs)
    return Scene(
        title,
        state,
        (flows, arranged, products) if one.pairs is None else (products,),
        tuple((places + 1).tolist()),
        tuple(_units(burden, of_flows + of_distances) for burden in burdens.tolist()),
        _pairs(one, between, costs, cost),
        problem.score(cost),
        evaluation.violations,
    )


def _title(problem: QuadraticAssignment, one: Instance | Given) -> str:
    title = f"{readable(problem.instance.name) or problem.name}: {problem.facilities:,} facilities"
    if problem.locations > problem.facilities:
        title += f" on {problem.locations:,} locations"
    if isinstance(one, Given) and one.fixed:
        title += f", {len(one.fixed):,} of them fixed"
    return title


def _note(matrix: Matrix, decimals: int) -> str:
    """Share of zeros off the diagonal, symmetry, and the factor by which decimals were scaled."""
    n = len(matrix)
    parts = ["symmetric" if (matrix == matrix.T).all() else "asymmetric"]
    if n > 1:
        zeros = int((matrix == 0).sum()) - int((np.diagonal(matrix) == 0).sum())
        if zeros:
            parts.append(f"{max(1, round(100 * zeros / (n * n - n)))} % zeros")
    if np.diagonal(matrix).any():
        parts.append("with a diagonal")
    return ", ".join(parts) + _times(decimals)


def _times(decimals: int) -> str:
    return f", times {10**decimals:,}" if decimals else ""


def _pairs(one: Instance | Given, between: Matrix, costs: Matrix, cost: int) -> tuple[Pair, ...]:
    """The most expensive pairs; ties are broken by order."""
    both = np.triu(costs + costs.T)
    np.fill_diagonal(both, np.diagonal(costs))
    order = np.argsort(-both, axis=None, kind="stable")[:_PAIRS_MAX]
    of_flows, of_distances = one.decimals
    found = []
    for index in order.tolist():
        i, j = divmod(index, len(costs))
        value = int(both[i, j])
        if value <= 0:
            break
        share = value / cost if cost > 0 else None
        flows, distances = _ways(one.flows, i, j, of_flows), _ways(between, i, j, of_distances)
        if one.pairs is not None:
            flows = distances = ""
        found.append(Pair(i + 1, j + 1, flows, distances, _units(value, of_flows + of_distances), share))
    return tuple(found)


def _ways(matrix: Matrix, i: int, j: int, decimals: int) -> str:
    there, back = _units(int(matrix[i, j]), decimals), _units(int(matrix[j, i]), decimals)
    return f"{there:,}" if there == back else f"{there:,} / {back:,}"


def _units(value: int, decimals: int) -> int | float:
    """A number in units of the file."""
    return value / 10**decimals if value % 10**decimals else value // 10**decimals
