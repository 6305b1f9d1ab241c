"""Structured clique search of a region: cells in a fixed order, tables by colours, slips by a schedule, restarts."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.problems.edge_matching.instance import DOWN, EMPTY, LEFT, RIGHT, UP, Board, Instance
from matheur.problems.edge_matching.operators.board_tools import count_mismatches
from matheur.problems.edge_matching.operators.completion import complete

__all__ = ["Scan"]

_UNREACHED = 1 << 30
_KEYS_MAX = 50_000_000
_RESTART_PER_ENTRY = 10  # rebuilding the tables must not cost more than searching with them


class Scan:
    """Fills a region cell by cell, in slices, and keeps the filling with the fewest mismatches.

    Parameters
    ----------
    instance, board
        The puzzle, and the board outside the region.
    cells
        Cells of the region, filled row by row, or column by column if columns are shorter.
    pieces
        Pieces that may be used in the region.
    rng
        Generator that orders the candidates, again at each restart.
    slips
        Mismatches allowed in the first filling; afterwards, one fewer than in the best filling.
    holes
        Whether a slip is an empty cell, whatever its neighbours, instead of a mismatched joint. Empty cells are filled
        at the end as well as possible; the search continues with one hole allowed until a filling is perfect. Only for
        puzzles with a frame.
    restart
        Nodes after which the search restarts with candidates in another order, more if the tables are large. None
        never restarts: the search is then exhaustive, and `done` without a filling proves that none exists within the
        slips allowed by the schedule, at most one per cell.
    opening
        Share of the region from which slips are allowed.

    Raises
    ------
    ConfigurationError
        If the tables would be unreasonably large for this number of cells and colours.
    """

    def __init__(
        self,
        instance: Instance,
        board: Board,
        cells: NDArray[np.integer],
        pieces: NDArray[np.integer],
        rng: Generator,
        *,
        slips: int = 3,
        holes: bool = False,
        restart: int | None = 20_000_000,
        opening: float = 0.875,
    ) -> None:
        # Numba is imported where it is used, to keep importing the package cheap.
        from matheur.problems.edge_matching.operators import scan_kernels as kernels

        self._kernels, self._instance, self._rng = kernels, instance, rng
        self._restart, self._opening = restart, opening
        self._holes = holes and instance.framed
        order = np.unique(np.asarray(cells, dtype=np.int64))
        row, column = np.divmod(order, instance.columns)
        if len(np.unique(column)) > len(np.unique(row)):
            order = order[np.lexsort((row, column))]  # shorter lines, so that both known sides come soon
        self._order = order
        self._board = np.array(board, dtype=np.int32)
        self._board[order] = EMPTY
        count = len(order)
        self._pieces = np.unique(np.asarray(pieces, dtype=np.int64))
        place = np.full(instance.cells + 1, -1, dtype=np.int64)
        place[order] = np.arange(count)
        neighbour = instance.neighbours[order]
        earlier = place[neighbour]  # neighbour -1 is the last entry, which stays -1
        earlier[earlier >= np.arange(count)[:, None]] = -1
        self._above, self._left = earlier[:, UP].copy(), earlier[:, LEFT].copy()
        self._colours = instance.colours
        if count * self._colours**2 > _KEYS_MAX:
            raise ConfigurationError(
                f"the structured search of {count} cells with {self._colours - 1} colours needs tables that are too "
                "large. Maybe a smaller region?"
            )
        self._sides = instance.sides
        self._down, self._right = (np.append(self._sides[:, side], 0).astype(np.int16) for side in (DOWN, RIGHT))
        self._allowed = np.zeros(count + 1, dtype=np.int64)
        self._choice = np.zeros(count, dtype=np.int32)
        self._cursor, self._stage = np.full(count, -1, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self._slips = np.zeros(count, dtype=np.int64)
        self._used = np.zeros(instance.cells + 1, dtype=np.uint8)
        self._state = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
        self._spent = 0
        self.best: Board | None = None
        self.slips = _UNREACHED
        self.mismatches = _UNREACHED
        self.done = count == 0
        if count == 0:
            self.best, self.slips, self.mismatches = self._board.copy(), 0, count_mismatches(instance, self._board)
        self._least = slips
        self._begin()

    @property
    def nodes(self) -> int:
        """Number of placements tried that fitted."""
        return self._spent + int(self._state[self._kernels.NODES])

    @property
    def depth(self) -> int:
        """Largest number of cells filled since the last restart."""
        return int(self._state[self._kernels.DEEPEST])

    def advance(self, nodes: int) -> bool:
        """Try up to this many more placements; True as soon as a better filling is found and stored in `best`."""
        kernels, state = self._kernels, self._state
        end = self.nodes + nodes
        while not self.done and self.nodes < end:
            now = int(state[kernels.NODES])
            room = end - self._spent
            if self._restart is not None:
                room = min(room, self._restart)
            kernels.advance(
                room, self._holes, self._colours, self._exact, self._slipped, self._entries, self._above, self._left,
                self._down, self._right, self._allowed, self._choice, self._cursor, self._stage, self._slips,
                self._used, state,
            )  # fmt: skip
            if state[kernels.FOUND]:
                if self._take():
                    return True
                continue
            if state[kernels.DEPTH] < 0:
                self.done = True
            elif self._restart is not None and state[kernels.NODES] >= self._restart:
                self._begin()
            elif int(state[kernels.NODES]) == now:
                break
        return False

    def _take(self) -> bool:
        """Evaluate a filling; return whether it is better than the best."""
        board = self._board.copy()
        board[self._order] = self._choice
        last = len(self._order) - 1
        slips = int(self._slips[last] + self._stage[last])
        if slips and self._holes:
            board = complete(self._instance, board, self._rng)
        self.done = slips == 0
        if slips:
            self._least = max(1, slips - 1) if self._holes else slips - 1
            self._schedule()
        mismatches = count_mismatches(self._instance, board)
        if mismatches >= self.mismatches:
            return False
        self.best = board
        self.slips = slips
        self.mismatches = mismatches
        return True

    def _begin(self) -> None:
        """Restart at the first cell, with candidates in a new order."""
        self._spent += int(self._state[self._kernels.NODES])
        self._state[:] = 0
        self._cursor[:1], self._stage[:1], self._slips[:1] = -1, 0, 0
        self._used[:] = 1
        self._used[self._pieces] = 0
        self._used[-1] = 0
        self._schedule()
        self._fill_tables()

    def _schedule(self) -> None:
        """Slips allowed by depth: none before `opening`, then along a logistic curve, as in jwortmann's program."""
        count, most = len(self._order), self._least
        depth = 256 * (np.arange(count) + 1) / max(count, 1)
        curve = (most + 1) / (1 + np.exp(-0.24 * (depth - 256 * self._opening - most))) ** (1 / 3.8)
        self._allowed[:count] = np.minimum(most, np.floor(curve)).astype(np.int64)
        self._allowed[count] = most

    def _fill_tables(self) -> None:
        instance, colours, count = self._instance, self._colours, len(self._order)
        allowed = instance.fits[:, self._order].copy()
        usable = np.zeros(instance.cells, dtype=bool)
        usable[self._pieces] = True
        allowed &= np.repeat(usable, 4)[:, None]
        keys = colours * colours
        exact, slipped = np.zeros((count, keys + 1), dtype=np.int64), np.zeros((count, keys + 1), dtype=np.int64)
        entries: list[NDArray[np.int32]] = []
        total = 0
        rank = self._rng.permutation(4 * instance.cells)
        for at, cell in enumerate(self._order.tolist()):
            ones = np.flatnonzero(allowed[:, at])
            ones = ones[np.argsort(rank[ones])]
            wrong = self._static(cell, ones)
            for limit, table in ((0, exact), (1, slipped)):
                key, who = self._keyed(at, cell, ones, wrong, limit)
                sorting = np.argsort(key, kind="stable")
                table[at] = total + np.searchsorted(key[sorting], np.arange(keys + 1))
                entries.append(who[sorting].astype(np.int32))
                total += len(who)
        self._exact, self._slipped = exact, slipped
        self._entries = np.concatenate(entries) if entries else np.zeros(0, dtype=np.int32)
        if self._restart is not None:
            self._restart = max(self._restart, _RESTART_PER_ENTRY * len(self._entries))

    def _static(self, cell: int, ones: NDArray[np.int64]) -> NDArray[np.int64]:
        """Mismatches with the pieces around the region."""
        wrong = np.zeros(len(ones), dtype=np.int64)
        for side in range(4):
            beside = int(self._instance.neighbours[cell, side])
            if beside >= 0 and self._board[beside] != EMPTY:
                shown = self._sides[self._board[beside], (side + 2) % 4]
                wrong += self._sides[ones, side] != shown
        return wrong

    def _keyed(
        self, at: int, cell: int, ones: NDArray[np.int64], wrong: NDArray[np.int64], limit: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pairs of keys and placements with exactly `limit` mismatches."""
        colours = self._colours
        known = [(UP, colours)] if self._above[at] >= 0 else []
        known += [(LEFT, 1)] if self._left[at] >= 0 else []
        own = np.zeros(len(ones), dtype=np.int64)
        for side, unit in known:
            own += self._sides[ones, side].astype(np.int64) * unit
        keys, who = [own[wrong == limit]], [ones[wrong == limit]]
        if limit == 0 and self._holes:
            # Next to an empty cell: without either of the two colours, or without both.
            for missing in {(side,) for side in known} | ({tuple(known)} if len(known) > 1 else set()):
                less = sum(self._sides[who[0], side].astype(np.int64) * unit for side, unit in missing)
                keys.append(keys[0] - less)
                who.append(who[0])
        if limit == 1 and not self._holes:
            right = np.flatnonzero(wrong == 0)
            for side, unit in known:
                if self._along_frame(cell, side):
                    continue
                shown = self._sides[ones[right], side].astype(np.int64)
                for colour in range(1 if self._instance.framed else 0, colours):
                    other = shown != colour
                    keys.append(own[right[other]] + (colour - shown[other]) * unit)
                    who.append(ones[right[other]])
        return np.concatenate(keys), np.concatenate(who)

    def _along_frame(self, cell: int, side: int) -> bool:
        """Whether a joint connects two cells on the same edge of the board; such joints never slip."""
        outside = self._instance.outside
        other = int(self._instance.neighbours[cell, side])
        return self._instance.framed and bool((outside[cell] & outside[other]).any())
