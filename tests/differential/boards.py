"""Small edge-matching puzzles drawn at random, written in the formats of the field, against all boards.

The oracle and the writers share nothing with the package: plain tuples, sides up, right, down, left, a turn clockwise.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

from differential.drawing import disagreements, drawn
from matheur import solve
from matheur.engine.source import Source
from matheur.errors import MatheurError
from matheur.problems.edge_matching import TYPE
from matheur.running.loading import recognise

__all__ = ["METHODS", "Drawn", "draw", "drawn", "section", "text_of", "wrong"]

METHODS = (
    "structured-clique",
    "highs",
    "backtracking",
    "scip",
    "random",
    "cp-sat",
    "clique",
    "pyomo:cbc",
    "pyomo:glpk",
)

Piece = tuple[int, ...]
Placed = tuple[int, int]


@dataclass(frozen=True)
class Drawn:
    """A puzzle: colours of each piece; a hint is a cell with its piece and rotation."""

    rows: int
    columns: int
    pieces: list[Piece]
    hints: dict[int, Placed]

    def best(self) -> int | None:
        """The most inner edges that match on a complete board; None if frame and hints allow no complete board."""
        return _best(self, [None] * len(self.pieces), 0, set(), 0, [-1])

    def may_lie(self, cell: int, piece: int, turn: int) -> bool:
        """Whether frame and hints allow a placement."""
        if any(0 in sides for sides in self.pieces):
            row, column = divmod(cell, self.columns)
            edge = (row == 0, column == self.columns - 1, row == self.rows - 1, column == 0)
            if edge != tuple(side == 0 for side in turned(self.pieces[piece], turn)):
                return False
        placed = (piece, turn)
        return all(
            (at == cell) == (hint[0] == piece) and (at != cell or hint == placed) for at, hint in self.hints.items()
        )


def turned(sides: Piece, turn: int) -> Piece:
    """The sides of a piece after clockwise quarter-turns."""
    return tuple(sides[(side - turn) % 4] for side in range(4))


def _best(one: Drawn, board: list[Piece | None], cell: int, used: set[int], score: int, top: list[int]) -> int | None:
    if cell == len(board):
        top[0] = max(top[0], score)
    else:
        left = sum((at % one.columns > 0) + (at >= one.columns) for at in range(cell, len(board)))
        tried: set[Piece] = set()
        for piece in range(len(board)):
            for turn in range(4) if piece not in used and score + left > top[0] else ():
                sides = turned(one.pieces[piece], turn)
                # Equal pieces are tried once, unless a hint tells them apart.
                if (sides in tried and not one.hints) or not one.may_lie(cell, piece, turn):
                    continue
                tried.add(sides)
                west = board[cell - 1] if cell % one.columns else None
                north = board[cell - one.columns] if cell >= one.columns else None
                gain = (west is not None and 0 < west[1] == sides[3]) + (north is not None and 0 < north[2] == sides[0])
                board[cell] = sides
                _best(one, board, cell + 1, used | {piece}, score + gain, top)
    return top[0] if top[0] >= 0 else None


def draw(seed: int) -> Drawn:
    """One puzzle: with a frame up to 3 x 3 or 2 x 4, else up to 4 cells; solvable or not, with hints, equal pieces."""
    roll = random.Random(seed)
    framed = roll.random() < 0.7
    small = ((1, 1), (1, 2), (2, 1), (1, 3), (2, 2), (2, 2), (1, 4))
    rows, columns = roll.choice((*small, (2, 3), (3, 2), (3, 3), (3, 3), (2, 4)) if framed else small)
    colours = roll.choice((1, 2, 3, 5))
    across = [[roll.randint(1, colours) for _ in range(columns + 1)] for _ in range(rows)]
    down = [[roll.randint(1, colours) for _ in range(columns)] for _ in range(rows + 1)]
    if framed:
        for line in across:
            line[0] = line[-1] = 0
        down[0] = down[-1] = [0] * columns
    board = [
        (down[row][column], across[row][column + 1], down[row + 1][column], across[row][column])
        for row in range(rows) for column in range(columns)
    ]  # fmt: skip
    for _ in range(roll.choice((0, 0, 1, 3))):  # mismatches, or a frame that does not hold
        at, side = roll.randrange(len(board)), roll.randrange(4)
        changed = list(board[at])
        changed[side] = (
            roll.randint(0 if roll.random() < 0.2 else 1, colours) if changed[side] or roll.random() < 0.1 else 0
        )
        board[at] = tuple(changed)
    order = roll.sample(range(len(board)), len(board))
    turns = [roll.randrange(4) for _ in board]
    pieces = [turned(board[cell], -turn) for cell, turn in zip(order, turns, strict=True)]
    hints = {}
    if roll.random() < 0.25:
        number = roll.randrange(len(board))
        turn = turns[number] if roll.random() < 0.8 else roll.randrange(4)
        hints[order[number]] = (number, turn)
    return Drawn(rows, columns, pieces, hints)


def text_of(one: Drawn, seed: int) -> bytes:
    """A file of the puzzle without its hints."""
    roll = random.Random(f"file {seed}")
    form = roll.choice(("size", "size", "index", "ntiles", "Clark", "JSON", "site", "McGavin"))
    rows, columns, pieces = one.rows, one.columns, one.pieces
    if form == "JSON":
        text = json.dumps({"format": "matheur-edge-matching", "version": 1, "rows": rows, "columns": columns,
                           "pieces": pieces})  # fmt: skip
    elif form == "site":
        text = json.dumps({"width": columns, "height": rows, "pieces": pieces}, indent=1)
    elif form == "McGavin" and rows == columns:
        lines = [",".join(f"{side or 0xFFFF:016b}" for side in piece) + ",0,0,0" for piece in pieces]
        text = "\n".join([str(rows), *lines])
    elif form == "Clark":
        lines = [" ".join(str(piece[side]) for side in (3, 0, 1, 2)) for piece in pieces]
        text = "\n".join([f"{columns} {rows} 4", *lines])
    else:
        between = roll.choice((" ", "  ", "\t", ",", ", ", ";"))
        first = f"ntiles: {len(pieces)}" if form == "ntiles" and rows == columns else f"{rows} {columns}"
        listed = [(*((number,) if form == "index" else ()), *piece) for number, piece in enumerate(pieces)]
        if form == "index":
            roll.shuffle(listed)
        text = "\n".join([first, *(between.join(map(str, words)) for words in listed)])
        if roll.random() < 0.3:
            text = f"# 1 2 3 4\n\n{text}  # the last"
    text = text.replace("\n", roll.choice(("\n", "\r\n", "\r"))) + roll.choice(("", "\n", "\n\x1a"))
    return text.encode(roll.choice(("utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-32")))


def wrong(one: Drawn, seed: int, methods: tuple[str, ...]) -> Iterator[str]:
    """What is wrong about reading this puzzle, or about solving it by some methods."""
    source = Source("drawn", text_of(one, seed))
    if recognise(source) is not TYPE:
        yield "recognised as another problem"
    hints = [(*divmod(cell, one.columns), piece + 1, turn) for cell, (piece, turn) in one.hints.items()]
    problem = TYPE.read(source, {"hints": hints})
    if problem.instance.pieces.tolist() != [list(piece) for piece in one.pieces]:
        yield "other pieces"
    best = one.best()
    for method in methods:
        milp = method in ("highs", "scip", "cp-sat") or ":" in method
        try:
            result = solve(
                problem, construction="milp-full" if milp else method, neighbourhoods=[], schedule="descent",
                solver=method if milp else "highs", seconds=5.0, seed=seed,
            )  # fmt: skip
        except MatheurError as error:
            yield f"{method}: {error}"
            continue
        if result.status == "infeasible":
            if best is not None:
                yield f"{method}: infeasible ({result.reason}), right is {best}"
        elif best is None:
            if result.status != "unknown":
                yield f"{method}: {result.status} {result.score}, but there is no complete board"
        elif result.score is not None and (
            result.score > best or (result.status == "optimal" and result.score != best)
        ):
            yield f"{method}: {result.status} {result.score}, right is {best}"
        elif result.bound is not None and problem.score(result.bound) < best:
            yield f"{method}: bound {result.bound}, right is {best}"


def section(seed: int, count: int) -> list[str]:
    """Disagreements, a line each: two methods for each puzzle, in turn."""
    return disagreements(
        (
            f"puzzle {number} ({one.rows} x {one.columns})",
            wrong(one, number, (METHODS[number % len(METHODS)], METHODS[(number + 4) % len(METHODS)])),
        )
        for number, one in drawn(draw, seed, count)
    )
