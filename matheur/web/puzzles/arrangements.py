"""Solving by hand what is no plan: boards of pieces, facilities on locations, cliques, parties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from matheur.errors import InputError, shown
from matheur.web.puzzles.position import Cell, Choice, Field, Position

__all__ = ["edge_matching", "max_clique", "party", "quadratic_assignment"]

_CANDIDATES = 60
_ITEMS = 60


def _pairs(moves: Sequence[str], cells: int) -> tuple[list[tuple[int, int]], int | None]:
    """Pairs of cells that were pressed one after the other, and the cell that still waits for its second."""
    pressed = []
    for move in moves:
        if not (move.isascii() and move.isdigit() and len(move) < 6 and int(move) < cells):
            raise InputError(f"no such cell ({move[:20]!r})")
        pressed.append(int(move))
    return list(zip(pressed[::2], pressed[1::2], strict=False)), pressed[-1] if len(pressed) % 2 else None


def edge_matching(problem: Any, moves: Sequence[str]) -> Position:
    """A board: press two cells to exchange their pieces, one cell twice to turn its piece."""
    from matheur.problems.edge_matching.picture.palette import colour_of

    one = problem.instance
    board = _first_board(one)
    pairs, waiting = _pairs(moves, one.cells)
    for a, b in pairs:
        if a == b:
            board[a] = _turned(one, board[a], a, 1)
        else:
            board[a], board[b] = _turned(one, board[b], a, 0), _turned(one, board[a], b, 0)
    cells = []
    for cell, placement in enumerate(board):
        row, column = divmod(cell, one.columns)
        label = f"row {row}, column {column}: piece {placement // 4 + 1}, rotation {placement % 4}"
        sides = tuple(colour_of(int(colour)) for colour in one.sides[placement])
        look = "chosen" if cell == waiting else "hint" if one.fixed[cell] else "piece"
        cells.append(Cell(str(placement // 4 + 1), look, "" if one.fixed[cell] else str(cell), label, sides))
    words = "Press two pieces to exchange them, one twice to turn it."
    solution = problem.encode(np.array(board, dtype=np.int32))
    return Position(solution, words, columns=one.columns, cells=tuple(cells))


def _first_board(one: Any) -> list[int]:
    """Pieces in file order, each in the first cell that frame and hints allow."""
    board, used = [-1] * one.cells, set()
    order = sorted(range(one.cells), key=lambda cell: (not one.fixed[cell], cell))
    for cell in order:
        fitting = (4 * piece + turn for piece in range(one.cells) if piece not in used for turn in range(4)
                   if one.fits[4 * piece + turn, cell])  # fmt: skip
        found = next(fitting, None)
        if found is not None:
            board[cell] = found
            used.add(found // 4)
    left = iter(piece for piece in range(one.cells) if piece not in used)
    return [4 * next(left) if placement < 0 else placement for placement in board]


def _turned(one: Any, placement: int, cell: int, by: int) -> int:
    """The piece in a rotation that fits the cell: the next one `by` or more quarter turns on, if there is any."""
    piece, turn = divmod(placement, 4)
    for more in range(4):
        there = 4 * piece + (turn + by + more) % 4
        if one.fits[there, cell]:
            return int(there)
    return 4 * piece + (turn + by) % 4


def quadratic_assignment(problem: Any, moves: Sequence[str]) -> Position:
    """Locations with their facilities: press two to exchange them."""
    one = problem.instance
    at = list(range(one.n))  # facility by location
    pairs, waiting = _pairs(moves, one.n)
    for a, b in pairs:
        at[a], at[b] = at[b], at[a]
    places = np.empty(one.n, dtype=np.int32)
    places[at] = np.arange(one.n)
    cells = tuple(
        Cell(f"{facility + 1}", "chosen" if location == waiting else "tile", str(location),
             f"location {location + 1}: facility {facility + 1}")
        for location, facility in enumerate(at)
    )  # fmt: skip
    columns = min(10, max(1, round(one.n**0.5)))
    words = "Cells are locations 1, 2, ...; press two to exchange their facilities."
    return Position(problem.encode(places), words, columns=columns, cells=cells)


def max_clique(problem: Any, moves: Sequence[str]) -> Position:
    """The clique so far, and vertices that are joined to all of it, those with most neighbours among them first."""
    graph = problem.graph
    chosen: list[int] = []
    for move in moves:
        vertex = problem.vertex_of(move)
        if vertex is None:
            raise InputError(f"no such vertex ({shown(move, 20)})")
        if vertex in chosen:
            chosen.remove(vertex)
        else:
            chosen.append(vertex)
    joined = np.ones(graph.n, dtype=bool)
    for vertex in chosen:
        joined[graph.non_neighbours(vertex)] = False
    joined[chosen] = False
    candidates = np.flatnonzero(joined)
    degrees = graph.degrees[candidates]
    best = candidates[np.argsort(-degrees, kind="stable")][:_CANDIDATES]
    said = {vertex: str(problem.name_of(vertex)) for vertex in (*best.tolist(), *chosen)}
    choices = tuple(Choice(said[vertex], f"add {said[vertex]}") for vertex in best.tolist())
    choices = (*(Choice(said[vertex], f"remove {said[vertex]}") for vertex in chosen), *choices)
    few = len(candidates) > _CANDIDATES
    words = f"{len(chosen)} vertices, all joined; {len(candidates)} are joined to all of them"
    words += f": here are the {_CANDIDATES} with the most neighbours." if few else "."
    return Position(problem.encode(np.array(sorted(chosen), dtype=np.int32)) or None, words, choices=choices)


def party(problem: Any, moves: Sequence[str]) -> Position:
    """A list of items for each slot, the cheapest first."""
    one = problem.instance
    ids, prices = one.catalogue.ids, one.catalogue.prices
    chosen = dict(enumerate(moves[: len(one.slots)]))
    numbers = {name: number for number, name in enumerate(ids)}
    fields, solution, used = [], {}, set[str]()
    for slot, name in enumerate(one.slots):
        cheapest = one.candidates[slot][np.argsort(prices[one.candidates[slot]], kind="stable")][:_ITEMS].tolist()
        if not cheapest:
            raise InputError(f"no item fits slot '{name}'")
        first = next((item for item in cheapest if ids[item] not in used), cheapest[0])
        item = numbers.get(chosen.get(slot, ""), first)
        used.add(ids[item])
        listed = [*([] if item in cheapest else [item]), *cheapest]
        options = tuple((ids[one], f"{ids[one]}, price {int(prices[one])}") for one in listed)
        fields.append(Field(name, ids[item], options))
        solution[name] = ids[item]
    words = "Choose an item for every slot; what is demanded and what is missing stands below."
    return Position(solution, words, fields=tuple(fields))
