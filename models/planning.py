"""Moving labelled pieces over vertices, as a time-expanded MILP.

The model serves every puzzle in which a step moves one piece from a vertex to another vertex of the same *region*, and
the region must contain no other piece: a region of the cubical puzzle is a face, a region of a sliding-tile puzzle is
two adjacent cells. As in the state-change encodings of planning (Vossen, Ball, Lotem, Nau 1999; van den Briel and
Kambhampati 2005), the model describes the changes of each piece's place, not actions.

Pieces p stand on vertices v at times t = 0 .. T. In step t (from time t to t + 1) a piece may leave its vertex into a
region f and enter another vertex from it:

    x[p,v,t]    binary, piece p stands on v at time t
    out[p,v,f,t] binary, p leaves v into f in step t       (v in f)
    in[p,f,v,t]  binary, p enters v from f in step t       (v in f)

    min   sum over t of sum(out[.,.,.,t])                                                                  (1)
    s.t.  x[p,v,t+1] = x[p,v,t] - sum_f out[p,v,f,t] + sum_f in[p,f,v,t]        all p, v, t                (2)
          sum_v out[p,v,f,t] = sum_v in[p,f,v,t]                                all p, f, t                (3)
          sum_p x[p,v,t] + sum_p sum_{f at v} sum_{u in f, u != v} out[p,u,f,t] <= 1   all v, t            (4)
          sum(out[.,.,.,t]) <= 1, and <= that of step t - 1                     all t                      (5)
          x at t = 0 and t = T as given.

(4) states three things at once: no two pieces share a vertex, and the region of a step contains no other pieces, both
at its ends and between them. A region is a node that pieces pass through, so the model is as tight as a model with a
variable for every single move, and smaller. (5) allows one move per step and puts idle steps last, which removes the
symmetry of the horizon.

Variables are left out if piece p cannot stand on v at time t: if v is more than t moves away from its start or more
than T - t from its goal, ignoring all other pieces; or if v is so far off that the total number of moves of all pieces
would exceed T.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyomo.environ as pyo
from pyomo.core.expr import LinearExpression

from matheur.pyomo_turn import in_turn

__all__ = ["PlanModel", "Relocation", "build"]

_FAR = 1 << 20


@dataclass(frozen=True)
class Relocation:
    """Pieces that have to move to other vertices.

    Attributes
    ----------
    vertices
        Number of vertices.
    regions
        The vertices of each region.
    start, goal
        Vertex of each piece; no two share one.

    Raises
    ------
    ValueError
        If a vertex does not exist, or two pieces share a vertex.
    """

    vertices: int
    regions: tuple[tuple[int, ...], ...]
    start: tuple[int, ...]
    goal: tuple[int, ...]
    _from_start: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)
    _to_goal: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.start) != len(self.goal):
            raise ValueError(f"{len(self.start)} pieces start, {len(self.goal)} have a goal")
        for places in (self.start, self.goal, *self.regions):
            if len(set(places)) < len(places) or not all(0 <= vertex < self.vertices for vertex in places):
                raise ValueError(f"not different vertices of 0 to {self.vertices - 1} ({places})")
        at = [[region for region in self.regions if vertex in region] for vertex in range(self.vertices)]
        object.__setattr__(self, "_from_start", tuple(_distances(at, vertex) for vertex in self.start))
        object.__setattr__(self, "_to_goal", tuple(_distances(at, vertex) for vertex in self.goal))

    @property
    def moves_min(self) -> int:
        """Number of moves needed if pieces did not block each other: a lower bound."""
        return sum(away[vertex] for away, vertex in zip(self._from_start, self.goal, strict=True))

    def may_stand(self, piece: int, vertex: int, time: int, horizon: int) -> bool:
        """Whether a piece can be on a vertex at a time, by the numbers of moves alone."""
        before, after = self._from_start[piece][vertex], self._to_goal[piece][vertex]
        others = self.moves_min - self._from_start[piece][self.goal[piece]]
        return before <= time and after <= horizon - time and before + after + others <= horizon


def _distances(at: Sequence[Sequence[tuple[int, ...]]], source: int) -> tuple[int, ...]:
    """Distances from a vertex to all vertices in steps, through empty regions."""
    away = [_FAR] * len(at)
    away[source], queue = 0, [source]
    for vertex in queue:
        for region in at[vertex]:
            for other in region:
                if away[other] == _FAR:
                    away[other] = away[vertex] + 1
                    queue.append(other)
    return tuple(away)


@dataclass(frozen=True, slots=True)
class PlanModel:
    """A model, with the data to read a plan from its solution.

    Attributes
    ----------
    model
        The `pyomo.ConcreteModel`; its objective is the number of moves.
    relocation
        The modelled problem.
    horizon
        Number of steps, T.
    leaving, entering
        The variables `out` and `in` with their indices (piece, vertex, region, step).
    """

    model: Any
    relocation: Relocation
    horizon: int
    leaving: Mapping[tuple[int, int, int, int], Any]
    entering: Mapping[tuple[int, int, int, int], Any]

    def read(self, values: Mapping[Any, float]) -> list[tuple[int, int, int]]:
        """Moves (piece, from, to) in their order, from a solver's values (by variable; missing values count as 0)."""
        left = {(t, p): v for (p, v, _, t), variable in self.leaving.items() if (values.get(variable) or 0.0) > 0.5}
        entered = {(t, p): v for (p, v, _, t), variable in self.entering.items() if (values.get(variable) or 0.0) > 0.5}
        moves = [(p, left[t, p], entered[t, p]) for t, p in sorted(left)]
        return [(p, here, there) for p, here, there in moves if here != there]


@in_turn
def build(relocation: Relocation, horizon: int) -> PlanModel:
    """A model of all plans of at most `horizon` moves.

    Raises
    ------
    ValueError
        If the horizon is less than `moves_min`, or not positive.
    """
    if horizon < max(1, relocation.moves_min):
        raise ValueError(f"no plan has at most {horizon} moves; {max(1, relocation.moves_min)} are needed")
    return _Builder(relocation, horizon).build()


class _Builder:
    """The index sets and rows of one model."""

    def __init__(self, relocation: Relocation, horizon: int) -> None:
        self.relocation, self.horizon = relocation, horizon
        self.pieces, self.steps = range(len(relocation.start)), range(horizon)
        self.model = pyo.ConcreteModel(name="plan")
        self.regions_at = [
            [f for f, region in enumerate(relocation.regions) if vertex in region]
            for vertex in range(relocation.vertices)
        ]

    def build(self) -> PlanModel:
        """Variables, then rows (1) to (5)."""
        one, horizon = self.relocation, self.horizon
        places = [
            (p, v, t)
            for p in self.pieces
            for v in range(one.vertices)
            for t in range(horizon + 1)
            if one.may_stand(p, v, t, horizon)
        ]
        standing = set(places)
        stays = {(p, t) for p in self.pieces for t in self.steps if self._only_place(standing, p, t)}
        moving = [(p, v, t) for p, v, t in places if (p, t) not in stays]
        leaving = [(p, v, f, t) for p, v, t in moving if t < horizon for f in self.regions_at[v]]
        arriving = [(p, v, t - 1) for p, v, t in places if t > 0 and (p, t - 1) not in stays]
        entering = [(p, v, f, t) for p, v, t in arriving for f in self.regions_at[v]]
        model = self.model
        model.x = pyo.Var(places, domain=pyo.Binary)
        model.out = pyo.Var(leaving, domain=pyo.Binary)
        model.into = pyo.Var(entering, domain=pyo.Binary)
        self.standing, self.leaving, self.entering = standing, dict(model.out.items()), dict(model.into.items())
        model.moves = pyo.Objective(expr=_sum(self.leaving.values()), sense=pyo.minimize)
        self._changes()
        self._passages()
        self._free_regions()
        self._steps()
        return PlanModel(model, one, horizon, self.leaving, self.entering)

    def _only_place(self, standing: set[tuple[int, int, int]], piece: int, step: int) -> bool:
        """Whether the piece has only one possible place before and after the step, and it is the same."""
        vertices = range(self.relocation.vertices)
        now, then = ({v for v in vertices if (piece, v, t) in standing} for t in (step, step + 1))
        return now == then and len(now) == 1

    def _changes(self) -> None:
        """(2), and the places at both ends."""
        rows = {}
        for p in self.pieces:
            for t in self.steps:
                for v in range(self.relocation.vertices):
                    terms = self._term(self.model.x, (p, v, t), 1.0) + self._term(self.model.x, (p, v, t + 1), -1.0)
                    for f in self.regions_at[v]:
                        terms += self._term(self.leaving, (p, v, f, t), -1.0)
                        terms += self._term(self.entering, (p, v, f, t), 1.0)
                    if terms:
                        rows[p, v, t] = (0.0, terms, 0.0)
            rows[p, -1, 0] = (1.0, self._term(self.model.x, (p, self.relocation.start[p], 0), 1.0), 1.0)
        self._add("change", rows)

    def _passages(self) -> None:
        """(3)."""
        terms: dict[tuple[int, int, int], list[tuple[float, Any]]] = {}
        for sign, variables in ((1.0, self.leaving), (-1.0, self.entering)):
            for (p, _, f, t), variable in variables.items():
                terms.setdefault((p, f, t), []).append((sign, variable))
        self._add("passage", {key: (0.0, row, 0.0) for key, row in terms.items()})

    def _free_regions(self) -> None:
        """(4)."""
        terms: dict[tuple[int, int], list[tuple[float, Any]]] = {}
        for (_, v, t), variable in self.model.x.items():
            terms.setdefault((v, t), []).append((1.0, variable))
        for (_, u, f, t), variable in self.leaving.items():
            for v in self.relocation.regions[f]:
                if v != u:
                    terms.setdefault((v, t), []).append((1.0, variable))
        self._add("free", {key: (None, row, 1.0) for key, row in terms.items() if len(row) > 1})

    def _steps(self) -> None:
        """(5)."""
        used: dict[int, list[Any]] = {t: [] for t in self.steps}
        for (_, _, _, t), variable in self.leaving.items():
            used[t].append(variable)
        rows = {0: (None, [(1.0, variable) for variable in used[0]], 1.0)}
        for t in self.steps[1:]:
            rows[t] = (None, [(1.0, one) for one in used[t]] + [(-1.0, one) for one in used[t - 1]], 0.0)
        self._add("step", {t: row for t, row in rows.items() if row[1]})

    @staticmethod
    def _term(variables: Any, key: Any, coefficient: float) -> list[tuple[float, Any]]:
        return [(coefficient, variables[key])] if key in variables else []

    def _add(self, name: str, rows: Mapping[Any, tuple[float | None, list[tuple[float, Any]], float | None]]) -> None:
        def rule(_model: Any, *key: Any) -> Any:
            lower, terms, upper = rows[key if len(key) > 1 else key[0]]
            return (lower, _linear(terms), upper)

        setattr(self.model, name, pyo.Constraint(list(rows), rule=rule))


def _linear(terms: Sequence[tuple[float, Any]]) -> Any:
    return LinearExpression(
        constant=0, linear_coefs=[factor for factor, _ in terms], linear_vars=[variable for _, variable in terms]
    )


def _sum(variables: Iterable[Any]) -> Any:
    return _linear([(1.0, variable) for variable in variables])
