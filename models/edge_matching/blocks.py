"""Index sets and constraint blocks that the edge-matching models share.

Salassa et al. 2017, section 2.1. A model has one binary `x[tile, row, column, rotation]` per *candidate*: a placement
that may lie in a free cell (tiles 1-based, rows and columns 0-based, rotation in clockwise quarter-turns). Joints
between two free cells are modelled in one of three ways:

- `gap`: one gap per joint, bounded from below by every colour that shows on one side only; equations (4)-(7) of the
  paper;
- `match`: one matched share per joint and colour, no larger than that colour's share on either side; the gaps in its
  relaxation are never smaller than those of `gap`;
- `exact`: equal shares of every colour on both sides: no mismatch is allowed (section 3.2).

A joint between a free cell and a placed neighbour needs no row: whether a candidate matches is known in advance, so a
mismatch is a cost of the candidate (`exact` drops the candidate instead).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyomo.environ as pyo
from numpy.typing import NDArray
from pyomo.core.expr import LinearExpression

from matheur.errors import ConfigurationError, nearest
from matheur.problems.edge_matching.instance import DOWN, EMPTY, RIGHT, Board, Instance
from matheur.pyomo_turn import in_turn

__all__ = ["FORMULATIONS", "BuiltModel", "assemble", "exclude", "hinted"]

FORMULATIONS = ("gap", "match", "exact")

Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class BuiltModel:
    """A model, with the data to read a board from its solution.

    Attributes
    ----------
    model
        The `pyomo.ConcreteModel`, to be minimised.
    formulation
        `gap`, `match` or `exact`.
    board
        The placed surroundings; free cells are EMPTY.
    cells
        The free cells, ascending.
    placement, cell
        Placement and cell of each candidate, in the order of `variables`.
    variables
        The binaries `x`.
    constant
        Number of mismatches between placed cells, which are not in the model: without `costs`, the model's objective
        plus this number is the number of mismatches of the resulting board.
    joints
        Number of joints in the model: those with a free cell on one side and no empty cell on the other.
    """

    model: Any
    formulation: str
    board: Board
    cells: Indices
    placement: Indices
    cell: Indices
    variables: tuple[Any, ...]
    constant: int
    joints: int

    def read(self, values: Mapping[Any, float]) -> Board:
        """The board with the free cells filled from a solver's values (by variable; missing values count as 0)."""
        chosen = [k for k, variable in enumerate(self.variables) if (values.get(variable) or 0.0) > 0.5]
        board = self.board.copy()
        board[self.cell[chosen]] = self.placement[chosen]
        return board

    def start(self, board: Board) -> bool:
        """Write a board into the variables' values, as a warm start.

        The variables of a free cell that is EMPTY in `board`, or whose placement is not a candidate, get no value (a
        partial start).

        Returns
        -------
        bool
            True if every free cell got a value.
        """
        picked = np.asarray(board)[self.cell] == self.placement
        known = np.zeros(self.board.size, dtype=bool)
        known[self.cell[picked]] = True
        for variable, on, sure in zip(self.variables, picked.tolist(), known[self.cell].tolist(), strict=True):
            variable.set_value(int(on) if sure else None, skip_validation=True)
        return bool(known[self.cells].all())


def hinted(instance: Instance) -> NDArray[np.bool_]:
    """Whether a placement may lie in a cell by the hints and the rotation rule alone. Shape (4 * cells, cells)."""
    table = np.ones((4 * instance.cells, instance.cells), dtype=bool)
    if not instance.rules.rotation:
        table[np.arange(4 * instance.cells) % 4 > 0] = False
    for hint in instance.hints:
        rows = np.arange(4 * hint.piece, 4 * hint.piece + 4)
        turns = (hint.rotation,) if hint.rotation is not None else range(4) if instance.rules.rotation else (0,)
        allowed = np.isin(np.arange(4), list(turns))
        table[:, hint.cell] = False
        table[rows, :] = False
        table[rows, hint.cell] = allowed
    return table


def assemble(
    instance: Instance,
    board: Board,
    cells: Indices,
    pieces: Indices,
    allowed: NDArray[np.bool_],
    formulation: str,
    *,
    frame_rows: bool = False,
    costs: NDArray[np.float64] | None = None,
) -> BuiltModel:
    """A model that fills `cells` from `pieces`.

    Parameters
    ----------
    instance, board
        The puzzle and the placed surroundings; the contents of `cells` are ignored.
    cells, pieces
        Free cells and the pieces that may fill them (0-based), at least as many as cells.
    allowed
        Shape (placements, cells): candidates.
    formulation
        One of `FORMULATIONS`.
    frame_rows
        Whether to add constraints (8)-(11); needed only if `allowed` ignores the frame.
    costs
        Extra cost of each candidate, shape (placements,) or (placements, cells), to break ties or for diversity.

    Raises
    ------
    ConfigurationError
        If the formulation is unknown.
    """
    if formulation not in FORMULATIONS:
        raise ConfigurationError(f"unknown formulation {formulation!r}. {nearest(formulation, FORMULATIONS)}")
    surroundings = np.array(board, dtype=np.int32)
    surroundings[cells] = EMPTY
    free = np.zeros(instance.cells, dtype=bool)
    free[cells] = True
    cells = np.flatnonzero(free)

    in_hand = (4 * np.unique(pieces)[:, None] + np.arange(4)).ravel()
    mask = np.zeros((4 * instance.cells, instance.cells), dtype=bool)
    mask[np.ix_(in_hand, cells)] = allowed[np.ix_(in_hand, cells)]
    cost, fixed_joints = _mismatches_with_placed(instance, surroundings, cells)
    inner = _inner_joints(instance, free)
    if formulation == "exact":
        mask &= cost == 0
        _propagate(instance, mask, inner)
    cell, placement = np.nonzero(mask.T)

    model = pyo.ConcreteModel(name="edge matching")
    model.implied_integral = True  # for whole x, some optimal gaps and matched shares are whole
    row, column = np.divmod(cell, instance.columns)
    tile, rotation = placement // 4 + 1, placement % 4
    index = list(zip(tile.tolist(), row.tolist(), column.tolist(), rotation.tolist(), strict=True))
    model.x = pyo.Var(index, domain=pyo.Binary)
    variables = tuple(model.x.values())
    block = _Block(instance, model, variables, placement, cell)
    block.assignment(cells, pieces)
    if frame_rows and instance.framed:
        block.frame(cells)
    gaps = {"gap": block.gap, "match": block.match, "exact": block.exact}[formulation](inner)

    price = np.zeros(cell.size) if formulation == "exact" else cost[placement, cell].astype(float)
    if costs is not None:
        table = np.asarray(costs, dtype=float)
        price = price + (table[placement] if table.ndim == 1 else table[placement, cell])
    paid = np.flatnonzero(price)
    terms = gaps.terms + [(price[k], variables[k]) for k in paid.tolist()]
    model.mismatches = pyo.Objective(expr=_linear(terms, gaps.constant), sense=pyo.minimize)
    return BuiltModel(
        model=model,
        formulation=formulation,
        board=surroundings,
        cells=cells,
        placement=placement,
        cell=cell,
        variables=variables,
        constant=_mismatches_among_placed(instance, surroundings),
        joints=len(inner) + fixed_joints,
    )


@in_turn
def exclude(built: BuiltModel, board: Board) -> None:
    """Cut off the contents of the free cells in `board`: constraint (17)."""
    picked = np.flatnonzero(np.asarray(board)[built.cell] == built.placement)
    if picked.size < built.cells.size:
        return  # a cell has contents that the model cannot place there: already excluded
    if not hasattr(built.model, "excluded"):
        built.model.excluded = pyo.ConstraintList()
    built.model.excluded.add((None, _linear([(1.0, built.variables[k]) for k in picked.tolist()]), picked.size - 1))


Joint = tuple[int, int, int]  # cell, RIGHT or DOWN, the cell on that side


def _inner_joints(instance: Instance, free: NDArray[np.bool_]) -> list[Joint]:
    """Joints between two free cells, by cell, right before down."""
    return [
        (int(cell), side, int(instance.neighbours[cell, side]))
        for cell in np.flatnonzero(free)
        for side in (RIGHT, DOWN)
        if instance.neighbours[cell, side] >= 0 and free[instance.neighbours[cell, side]]
    ]


def _mismatches_with_placed(instance: Instance, board: Board, cells: Indices) -> tuple[NDArray[np.int16], int]:
    """Number of mismatches with placed neighbours, by placement and cell; and the number of such joints."""
    cost = np.zeros((4 * instance.cells, instance.cells), dtype=np.int16)
    joints = 0
    for cell in cells.tolist():
        for side, neighbour in enumerate(instance.neighbours[cell].tolist()):
            if neighbour >= 0 and board[neighbour] != EMPTY:
                joints += 1
                shown = instance.sides[board[neighbour], (side + 2) % 4]
                cost[:, cell] += instance.sides[:, side] != shown
    return cost, joints


def _mismatches_among_placed(instance: Instance, board: Board) -> int:
    count = 0
    for side in (RIGHT, DOWN):
        neighbour = instance.neighbours[:, side]
        both = (neighbour >= 0) & (board != EMPTY)
        both[both] = board[neighbour[both]] != EMPTY
        here = instance.sides[board[both], side]
        there = instance.sides[board[neighbour[both]], (side + 2) % 4]
        count += int((here != there).sum())
    return count


def _propagate(instance: Instance, mask: NDArray[np.bool_], joints: list[Joint]) -> None:
    """Arc consistency for `exact`: drop candidates whose colour cannot be matched across a joint."""
    links = [(a, side, b) for a, side, b in joints] + [(b, (side + 2) % 4, a) for a, side, b in joints]
    reached = {a for a, _, _ in links}
    while reached:
        changed: set[int] = set()
        for cell, side, other in links:
            if other not in reached:
                continue
            answers = np.zeros(instance.colours, dtype=bool)
            answers[instance.sides[mask[:, other], (side + 2) % 4]] = True
            lost = mask[:, cell] & ~answers[instance.sides[:, side]]
            if lost.any():
                mask[lost, cell] = False
                changed.add(cell)
        reached = changed


def _linear(terms: list[tuple[float, Any]], constant: float = 0.0) -> Any:
    return LinearExpression(
        constant=constant, linear_coefs=[coefficient for coefficient, _ in terms], linear_vars=[v for _, v in terms]
    )


@dataclass(frozen=True, slots=True)
class _Gaps:
    """The mismatches between free cells as a linear expression."""

    terms: list[tuple[float, Any]]
    constant: float


class _Block:
    """Adds groups of constraints to one model."""

    def __init__(
        self, instance: Instance, model: Any, variables: tuple[Any, ...], placement: Indices, cell: Indices
    ) -> None:
        self.instance, self.model, self.variables = instance, model, variables
        self.placement, self.cell = placement, cell
        bounds = np.searchsorted(cell, np.arange(instance.cells + 1))
        self.of_cell = [slice(first, last) for first, last in pairwise(bounds.tolist())]

    def rows(self, name: str, given: Mapping[Any, tuple[float | None, list[float], list[Any], float | None]]) -> None:
        """One indexed constraint. An impossible row without variables gets one fixed at 0, else solvers crash."""
        rows = dict(given)
        if not rows:
            return
        for key, (lower, _, variables, upper) in given.items():
            if not variables:
                if (lower is None or lower <= 0) and (upper is None or upper >= 0):
                    del rows[key]
                    continue
                if not hasattr(self.model, "nothing"):
                    self.model.nothing = pyo.Var(bounds=(0, 0))
                rows[key] = (lower, [1.0], [self.model.nothing], upper)

        def rule(_model: Any, *key: Any) -> Any:
            lower, coefficients, variables, upper = rows[key if len(key) > 1 else key[0]]
            body = LinearExpression(constant=0, linear_coefs=coefficients, linear_vars=variables)
            return (lower, body, upper)

        setattr(self.model, name, pyo.Constraint(list(rows), rule=rule))

    def assignment(self, cells: Indices, pieces: Indices) -> None:
        """Each cell holds one piece (3); each piece is used once (2), or at most once if pieces are spare (16)."""
        x = self.variables
        at = {}
        for cell in cells.tolist():
            group = list(x[self.of_cell[cell]])
            at[divmod(cell, self.instance.columns)] = (1.0, [1.0] * len(group), group, 1.0)
        self.rows("cell", at)

        # A frame divides pieces and cells into corners, borders and inner ones; each kind is counted separately.
        kinds = self.instance.piece_class if self.instance.framed else np.zeros(self.instance.cells, dtype=np.int8)
        owner = self.placement // 4
        order = np.argsort(owner, kind="stable")
        present, first = np.unique(owner[order], return_index=True)
        needed: dict[int, set[int]] = {}
        for kind, cell in zip(kinds[owner].tolist(), self.cell.tolist(), strict=True):
            needed.setdefault(kind, set()).add(cell)
        used = set().union(*needed.values()) if needed else set()
        apart = sum(len(group) for group in needed.values()) == len(used)
        pieces_in_hand = np.unique(pieces)
        tally = np.bincount(kinds[pieces_in_hand], minlength=5)
        lies = {}
        for piece, rows in zip(present.tolist(), np.split(order, first[1:]), strict=bool(present.size)):
            if apart:
                tight = len(needed[int(kinds[piece])]) == tally[kinds[piece]]
            else:
                tight = pieces_in_hand.size == cells.size
            members = [x[k] for k in rows.tolist()]
            lies[piece + 1] = (1.0 if tight else None, [1.0] * len(members), members, 1.0)
        self.rows("tile", lies)

    def frame(self, cells: Indices) -> None:
        """Colour 0 lies on the edge of the board: (8)-(11)."""
        for side, name in enumerate(("top", "right_edge", "bottom", "left_edge")):
            rows = {}
            for cell in cells[self.instance.outside[cells, side]].tolist():
                group = self._by_colour(cell, side).get(0, [])
                rows[divmod(cell, self.instance.columns)] = (1.0, [1.0] * len(group), group, 1.0)
            self.rows(name, rows)

    def gap(self, joints: list[Joint]) -> _Gaps:
        """A gap per joint, `h` to the right and `v` downwards: (1), (4)-(7), (13), (14)."""
        terms: list[tuple[float, Any]] = []
        for side, name in ((RIGHT, "h"), (DOWN, "v")):
            here = [(a, b) for a, s, b in joints if s == side]
            if not here:
                continue
            gap = pyo.Var([divmod(a, self.instance.columns) for a, _ in here], bounds=(0, 1))
            setattr(self.model, name, gap)
            terms += [(1.0, variable) for variable in gap.values()]
            rows = {}
            for a, b in here:
                at = divmod(a, self.instance.columns)
                for colour, ours, theirs in self._shares(a, side, b, union=True):
                    members = [*ours, *theirs, gap[at]]
                    rows[(*at, colour, 1)] = (None, [1.0] * len(ours) + [-1.0] * len(theirs) + [-1.0], members, 0.0)
                    rows[(*at, colour, 2)] = (None, [-1.0] * len(ours) + [1.0] * len(theirs) + [-1.0], members, 0.0)
            self.rows(f"{name}_gap", rows)
        return _Gaps(terms, 0.0)

    def match(self, joints: list[Joint]) -> _Gaps:
        """A matched share per joint and colour; the objective is the number of unmatched joints."""
        terms: list[tuple[float, Any]] = []
        for side, name in ((RIGHT, "h"), (DOWN, "v")):
            shares = {
                (*divmod(a, self.instance.columns), colour): (ours, theirs)
                for a, s, b in joints
                if s == side
                for colour, ours, theirs in self._shares(a, side, b, union=False)
            }
            if not shares:
                continue
            matched = pyo.Var(list(shares), bounds=(0, 1))
            setattr(self.model, name, matched)
            terms += [(-1.0, variable) for variable in matched.values()]
            rows = {}
            for key, groups in shares.items():
                for number, group in enumerate(groups, 1):
                    rows[(*key, number)] = (0.0, [1.0] * len(group) + [-1.0], [*group, matched[key]], None)
            self.rows(f"{name}_match", rows)
        return _Gaps(terms, float(len(joints)))

    def exact(self, joints: list[Joint]) -> _Gaps:
        """The same colour on both sides of every joint."""
        for side, name in ((RIGHT, "h"), (DOWN, "v")):
            rows = {
                (*divmod(a, self.instance.columns), colour): (
                    0.0,
                    [1.0] * len(ours) + [-1.0] * len(theirs),
                    [*ours, *theirs],
                    0.0,
                )
                for a, s, b in joints
                if s == side
                for colour, ours, theirs in self._shares(a, side, b, union=True)
            }
            self.rows(f"{name}_equal", rows)
        return _Gaps([], 0.0)

    def _by_colour(self, cell: int, side: int) -> dict[int, list[Any]]:
        """The candidates of a cell, grouped by the colour that they show on a side."""
        window = self.of_cell[cell]
        colours = self.instance.sides[self.placement[window], side]
        order = np.argsort(colours, kind="stable")
        present, first = np.unique(colours[order], return_index=True)
        members = [[self.variables[k] for k in group.tolist()] for group in np.split(order + window.start, first[1:])]
        return dict(zip(present.tolist(), members, strict=bool(present.size)))

    def _shares(self, a: int, side: int, b: int, *, union: bool) -> list[tuple[int, list[Any], list[Any]]]:
        """The candidates of cell `a` and of cell `b` that show a colour at a joint, by colour without the frame's."""
        ours, theirs = self._by_colour(a, side), self._by_colour(b, (side + 2) % 4)
        colours = (set(ours) | set(theirs)) if union else (set(ours) & set(theirs))
        return [(colour, ours.get(colour, []), theirs.get(colour, [])) for colour in sorted(colours - {0})]
