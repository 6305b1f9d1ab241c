"""Domains for the contract tests: built-in ones on small and large instances, and one that a user could write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from problems.party.brute_force import tiny_instance

from matheur.engine.source import Source
from matheur.methods.statespace.domain import BaseDomain, Domain, Successors
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.packing import Packing
from matheur.problems.cubical import Cubical, Instance
from matheur.problems.edge_matching import EdgeMatching
from matheur.problems.edge_matching import generate as generate_board
from matheur.problems.lights_out import LightsOut, generate
from matheur.problems.lights_out.instance import Pattern, toggled
from matheur.problems.party import Party
from matheur.problems.quadratic_assignment import Instance as Assignment
from matheur.problems.quadratic_assignment import QuadraticAssignment
from matheur.problems.rubik import Cubies, Rubik, cubies_of, facelets_of, turn
from matheur.problems.rubik import uniform as random_cube
from matheur.problems.rubik.instance import Metric
from matheur.problems.sliding_tile import SlidingTile, uniform
from matheur.problems.sliding_tile.instance import Goal
from matheur.problems.sokoban import TYPE as SOKOBAN
from matheur.testing.domain import Edge


@dataclass(frozen=True)
class Bench:
    """A domain and a plain Python function that computes its successors from the definition."""

    domain: Domain
    successors: Callable[[tuple[int, ...]], set[Edge]]


class Pancakes(BaseDomain):
    """Flip the top of a stack of pancakes, in NumPy alone as a user would write it. Flipping i pancakes costs i."""

    name = "pancakes"
    unit_costs = False

    def __init__(self, size: int, start: list[int] | None = None, goal: list[int] | None = None) -> None:
        self.packing = Packing((3,) * size)
        self.branching = size - 1
        self.moves = size + 1
        self.start = np.array(list(range(size))[::-1] if start is None else start, dtype=np.uint8)
        self.goal = np.array(range(size) if goal is None else goal, dtype=np.uint8)
        self.goal_mask = np.ones(size, dtype=np.bool_)

    def expand(self, keys: NDArray[np.uint64]) -> Successors:
        """Move i flips the top i pancakes, i = 2 .. size."""
        states = self.packing.unpack(keys)
        size, count = self.packing.size, len(states)
        children = np.repeat(states, size - 1, axis=0).reshape(count, size - 1, size)
        for i in range(2, size + 1):
            children[:, i - 2, :i] = states[:, :i][:, ::-1]
        flips = np.tile(np.arange(2, size + 1, dtype=np.int32), count)
        keys = self.packing.pack(children.reshape(-1, size))
        return Successors(keys, np.repeat(np.arange(count), size - 1), flips, flips.copy())

    def between(self, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> Pancakes:
        """Return the domain with another start and goal."""
        return Pancakes(self.packing.size, np.asarray(start).tolist(), np.asarray(goal).tolist())


def flips(state: tuple[int, ...]) -> set[Edge]:
    """Compute the successors of a stack from the definition."""
    return {(state[:i][::-1] + state[i:], i, i) for i in range(2, len(state) + 1)}


def slides(d: int, k: int) -> Callable[[tuple[int, ...]], set[Edge]]:
    """Compute the successors of a cubical puzzle: a ring moves to any vertex of a k-face without another ring."""

    def successors(state: tuple[int, ...]) -> set[Edge]:
        edges = set()
        for ring, vertex in enumerate(state):
            for free in combinations(range(d), k):
                face = {v for v in range(2**d) if all((v ^ vertex) >> i & 1 == 0 for i in range(d) if i not in free)}
                if face.isdisjoint(state[:ring] + state[ring + 1 :]):
                    for other in face - {vertex}:
                        edges.add(((*state[:ring], other, *state[ring + 1 :]), ring * 2**d + other, 1))
        return edges

    return successors


def cubical(d: int, k: int, start: list[int], target: list[int]) -> Bench:
    """Return the bench of one cubical instance."""
    rings = tuple(f"r{i}" for i in range(len(start)))
    return Bench(domain_of(Cubical(Instance(d, k, rings, tuple(start), tuple(target)))), slides(d, k))


def tile_slides(rows: int, columns: int) -> Callable[[tuple[int, ...]], set[Edge]]:
    """Compute the successors of a board from the definition; move m is the direction in which a tile moves."""

    def successors(state: tuple[int, ...]) -> set[Edge]:
        row, column = divmod(state.index(0), columns)
        found = set()
        for move, (down, right) in enumerate(((1, 0), (-1, 0), (0, 1), (0, -1))):
            if 0 <= row + down < rows and 0 <= column + right < columns:
                other = list(state)
                cell = (row + down) * columns + column + right
                other[row * columns + column], other[cell] = other[cell], 0
                found.add((tuple(other), move, 1))
        return found

    return successors


def sliding_tile(rows: int, columns: int, goal: Goal) -> Bench:
    """Return the bench of a random board."""
    board = uniform(rows, columns, np.random.default_rng(rows * columns), goal)
    return Bench(domain_of(SlidingTile(board)), tile_slides(rows, columns))


def lights_out(rows: int, columns: int, pattern: Pattern) -> Bench:
    """Return the bench of a random board."""
    board, _ = generate(rows, columns, seed=1, pattern=pattern)

    def successors(state: tuple[int, ...]) -> set[Edge]:
        found = set()
        for cell in range(board.cells):
            reached = toggled(rows, columns, pattern, cell)
            found.add((tuple(light ^ (i in reached) for i, light in enumerate(state)), cell, 1))
        return found

    return Bench(domain_of(LightsOut(board)), successors)


def sokoban(cost: str) -> Bench:
    """Return the bench of a small level."""
    text = b"#######\n#@    #\n# $#. #\n#  $ .#\n#     #\n#######\n"
    problem = SOKOBAN.read(Source("level", text), {"cost": cost})
    cells = problem.instance.region

    def successors(state: tuple[int, ...]) -> set[Edge]:
        player, boxes = cells[state[0]], {cells[i] for i, box in enumerate(state[1:]) if box}
        found = set()
        for move in range(4):
            there = problem.instance.beside(player, move)
            if there not in cells:
                continue
            moved, push = set(boxes), there in boxes
            if push:
                beyond = problem.instance.beside(there, move)
                if beyond not in cells or beyond in boxes:
                    continue
                moved = (moved - {there}) | {beyond}
            bits = tuple(int(cell in moved) for cell in cells)
            found.add(((cells.index(there), *bits), move, int(push or cost == "moves")))
        return found

    return Bench(domain_of(problem), successors)


def rubik(metric: Metric) -> Bench:
    """Return the bench of a random cube; the successors turn the stickers."""
    start = random_cube(np.random.default_rng(3), metric)

    def successors(state: tuple[int, ...]) -> set[Edge]:
        corners, edges = state[:8], state[8:]
        facelets = facelets_of(
            Cubies(
                tuple(value // 3 for value in corners), tuple(value % 3 for value in corners),
                tuple(value // 2 for value in edges), tuple(value % 2 for value in edges),
            )
        )  # fmt: skip
        found = set()
        for move in range(len(start.moves)):
            after = cubies_of(turn(facelets, move))
            turned = [3 * piece + twist for piece, twist in zip(after.corners, after.twists, strict=True)]
            flipped = [2 * piece + flip for piece, flip in zip(after.edges, after.flips, strict=True)]
            found.add(((*turned, *flipped), move, 1))
        return found

    return Bench(domain_of(Rubik(start)), successors)


def boards(rows: int, columns: int) -> Bench:
    """Return the bench of partial boards of a random puzzle, filled cell by cell."""
    instance, _ = generate_board(rows, columns, seed=4)
    turned = rows < columns

    def shown(value: int) -> list[int]:
        return np.roll(instance.pieces[value // 4], value % 4).tolist()

    def successors(state: tuple[int, ...]) -> set[Edge]:
        board: dict[tuple[int, int], int] = {}
        order = [(i, j) for i in range(columns if turned else rows) for j in range(rows if turned else columns)]
        cells = [(j, i) if turned else (i, j) for i, j in order]
        for cell, value in zip(cells, state, strict=False):
            if value:
                board[cell] = value - 1
        found = set()
        if len(board) == len(cells):
            return found
        row, column = cells[len(board)]
        edges = [row == 0, column == columns - 1, row == rows - 1, column == 0]
        for value in range(4 * rows * columns):
            sides = shown(value)
            if value // 4 in {other // 4 for other in board.values()} or [side == 0 for side in sides] != edges:
                continue
            cost = 0
            for side, (down, right) in enumerate(((-1, 0), (0, 1), (1, 0), (0, -1))):
                there = board.get((row + down, column + right))
                cost += there is not None and shown(there)[(side + 2) % 4] != sides[side]
            after = list(state)
            after[len(board)] = value + 1
            after[-1] = int(len(board) + 1 == len(cells))
            found.add((tuple(after), value, cost))
        return found

    return Bench(domain_of(EdgeMatching(instance)), successors)


def facilities(n: int) -> Bench:
    """Return the bench of partial permutations of a random assignment; the problem evaluates full ones."""
    rng = np.random.default_rng(n)
    flows, distances = rng.integers(0, 9, (2, n, n))
    problem = QuadraticAssignment(Assignment(flows, distances))
    domain = domain_of(problem)
    order = domain.placing.solution(np.arange(n)).argsort()  # facility of each slot

    def successors(state: tuple[int, ...]) -> set[Edge]:
        placed = {int(order[slot]): value - 1 for slot, value in enumerate(state[:-1]) if value}

        def cost(places: dict[int, int]) -> int:
            pairs = ((one, two) for one in places for two in places)
            return sum(int(flows[one, two] * distances[places[one], places[two]]) for one, two in pairs)

        found = set()
        if len(placed) < n:
            slot = len(placed)
            for value in set(range(n)) - set(placed.values()):
                after = list(state)
                after[slot] = value + 1
                after[-1] = int(slot + 1 == n)
                dearer = cost({**placed, int(order[slot]): value}) - cost(placed)
                found.add((tuple(after), value, dearer // problem.instance.grain))
        return found

    return Bench(domain, successors)


def parties(seed: int) -> Bench:
    """Return the bench of partial parties of a tiny puzzle; every complete party must be feasible."""
    problem = Party(tiny_instance(seed))
    domain = domain_of(problem)
    prices = problem.instance.catalogue.prices[domain.placing.tables.items]

    def successors(state: tuple[int, ...]) -> set[Edge]:
        key = domain.packing.pack([state])
        found = domain.expand(key)
        values = [value - 1 for value in state[:-1] if value]
        edges = set()
        for move in found.moves.tolist():
            after = list(state)
            after[len(values)] = move + 1
            after[-1] = int(len(values) + 1 == len(state) - 1)
            assert move not in values
            if after[-1]:
                assert problem.evaluate(domain.solution(np.array([*values, move]))).feasible
            edges.add((tuple(after), move, int(prices[move]) // domain.placing.scale))
        return edges

    return Bench(domain, successors)


BENCHES: dict[str, Bench] = {
    "cubical-d1": cubical(1, 1, [0], [1]),
    "cubical-whole": cubical(3, 3, [2], [7]),
    "cubical-d2": cubical(2, 1, [0, 1], [1, 0]),
    "cubical-d3": cubical(3, 2, [6, 1, 4, 5], [4, 1, 5, 6]),
    "cubical-d4": cubical(4, 3, [4, 1, 5, 13, 7], [13, 7, 5, 4, 1]),
    "cubical-d5": cubical(5, 4, [30, 29, 0, 17, 4, 1], [17, 30, 0, 29, 4, 1]),
    "cubical-d6": cubical(6, 3, [0, 21, 42, 63], [63, 42, 21, 0]),
    "cubical-d6-many": cubical(6, 2, list(range(0, 36, 3)), list(range(1, 37, 3))),
    "cubical-d7": cubical(7, 5, [0, 127, 85], [1, 64, 85]),
    "cubical-d7-many": cubical(7, 3, list(range(0, 60, 5)), list(range(60, 120, 5))),
    "cubical-full": cubical(3, 1, list(range(8)), list(range(8))),
    "sliding-tile-2x3": sliding_tile(2, 3, "blank-first"),
    "sliding-tile-4x4": sliding_tile(4, 4, "blank-last"),
    "sliding-tile-5x6": sliding_tile(5, 6, "blank-last"),
    "lights-out-plus": lights_out(3, 4, "plus"),
    "lights-out-king": lights_out(9, 8, "king"),
    "sokoban-moves": sokoban("moves"),
    "sokoban-pushes": sokoban("pushes"),
    "rubik-quarter": rubik("quarter"),
    "rubik-half": rubik("half"),
    "edge-matching-3x3": boards(3, 3),
    "edge-matching-2x4": boards(2, 4),
    "quadratic-assignment": facilities(6),
    "party": parties(0),
    "pancakes": Bench(Pancakes(6), flips),
}
