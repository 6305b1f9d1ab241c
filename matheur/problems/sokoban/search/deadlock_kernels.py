"""Detection of positions from which no plan leads home, by small searches, compiled.

Every test is sound: it considers a relaxation with fewer boxes, so a position reported as lost is lost. Other positions
may still be lost.

- A single box that can reach no goal, given the player's cell (`lost`).
- Boxes frozen on goals that cut others off from the remaining goals (`stranded`): pulls from each of these goals past
  the frozen boxes, and an assignment of the boxes to the goals.
- Boxes around a region that the player cannot enter (a corral) that, without the other boxes, can neither be brought
  home nor let the player in (`dead`): a depth-first search with a small limit, whose answers are cached by a hash.

Corrals also determine the boxes to push next (`pressing`): if the boxes around a corral can be pushed only into it and
all these pushes are possible now, no other push needs to be tried (PI-corrals of B. Damgaard, the author of YASS). This
preserves an optimal plan in pushes. A plan must push one of these boxes at some time, since the corral must be opened.
The first such push is possible now; no earlier part of the plan needs the box in its place, can get into the corral, or
walks there. It may therefore come first: the other pushes follow as before, and their number is the same. This does not
hold for moves, since the walks in between change.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matheur.kernels import kernel
from matheur.problems.sokoban.search.board_kernels import frozen, melted, walk
from matheur.problems.sokoban.search.box_kernels import movable, side_masks
from matheur.problems.sokoban.search.floor import Floor

__all__ = ["Room", "Terrain", "dead", "lost", "pressing", "room_of", "stranded", "terrain_of"]

_POSITIONS, _STACK, _BOXES, _VISITED = 1000, 8192, 16, 4096
_CACHE = 1 << 18
_PER_WORD, _WORDS = 4, 5  # box cells per word (16 bits each), and words, including the player's


class Terrain(NamedTuple):
    """A level without its boxes.

    Attributes
    ----------
    adjacent
        int64[n, 4]: U D L R, -1 for a wall.
    goals
        int64[g]: cells of the goals.
    goal_of
        int64[n]: number of the goal in a cell, or -1.
    stuck
        bool[n, 2]: see `Floor.stuck`.
    alive
        bool[n]: whether a box in a cell can reach a goal.
    masks
        int8[n, n]: sides of a box that the player can reach without other boxes, see `side_masks`.
    able
        bool[n, 4]: see `movable`.
    """

    adjacent: NDArray[np.int64]
    goals: NDArray[np.int64]
    goal_of: NDArray[np.int64]
    stuck: NDArray[np.bool_]
    alive: NDArray[np.bool_]
    masks: NDArray[np.int8]
    able: NDArray[np.bool_]


def terrain_of(floor: Floor, *, alone: bool = True) -> Terrain:
    """The floor in the form of the kernels.

    Parameters
    ----------
    alone
        Whether `masks` and `able` are needed; their time and memory grow with the square of the number of cells.
    """
    cells, goals = len(floor.cells), np.array(floor.goals, dtype=np.int64)
    goal_of = np.full(cells, -1, dtype=np.int64)
    goal_of[goals] = np.arange(len(goals))
    size = cells if alone else 0
    masks, able = np.zeros((size, size), dtype=np.int8), np.zeros((size, 4), dtype=np.bool_)
    if alone:
        side_masks(floor.adjacent, masks)
        movable(floor.adjacent, goals, masks, able)
    return Terrain(floor.adjacent, goals, goal_of, floor.stuck, floor.alive, masks, able)


class Room(NamedTuple):
    """Workspace of the tests; the `bool` arrays are all False between calls.

    Attributes
    ----------
    solid, corral, alone
        bool[n]: frozen boxes, cells of a corral, boxes of a small position.
    mark, flood, steps, line
        int8[n] and int64[n]: workspace of floods.
    ways
        bool[g, n]: cells from which a box can reach a goal past frozen boxes.
    owner, before
        int64[g]: box assigned to a goal, and box from which the goal was found.
    stack_boxes, stack_players, visited
        Workspace of the small search.
    known
        uint64: hashes of small positions; the last bit is the answer.
    name, seen, sure
        A small position in full, and the full positions of `visited` and of `known`, so that proofs do not rely on
        hashes.
    """

    solid: NDArray[np.bool_]
    corral: NDArray[np.bool_]
    alone: NDArray[np.bool_]
    mark: NDArray[np.int8]
    flood: NDArray[np.int64]
    steps: NDArray[np.int64]
    line: NDArray[np.int64]
    ways: NDArray[np.bool_]
    owner: NDArray[np.int64]
    before: NDArray[np.int64]
    stack_boxes: NDArray[np.int64]
    stack_players: NDArray[np.int64]
    visited: NDArray[np.uint64]
    known: NDArray[np.uint64]
    name: NDArray[np.uint64]
    seen: NDArray[np.uint64]
    sure: NDArray[np.uint64]


def room_of(cells: int, goals: int) -> Room:
    """Arrays for a floor of this many cells and goals."""
    return Room(
        solid=np.zeros(cells, dtype=np.bool_),
        corral=np.zeros(cells, dtype=np.bool_),
        alone=np.zeros(cells, dtype=np.bool_),
        mark=np.zeros(cells, dtype=np.int8),
        flood=np.zeros(cells, dtype=np.int64),
        steps=np.zeros(cells, dtype=np.int64),
        line=np.zeros(cells, dtype=np.int64),
        ways=np.zeros((goals, cells), dtype=np.bool_),
        owner=np.zeros(goals, dtype=np.int64),
        before=np.zeros(goals, dtype=np.int64),
        stack_boxes=np.zeros((_STACK, _BOXES), dtype=np.int64),
        stack_players=np.zeros(_STACK, dtype=np.int64),
        visited=np.zeros(_VISITED, dtype=np.uint64),
        known=np.zeros(_CACHE, dtype=np.uint64),
        name=np.zeros(_WORDS, dtype=np.uint64),
        seen=np.zeros((_VISITED, _WORDS), dtype=np.uint64),
        sure=np.zeros((_CACHE, _WORDS), dtype=np.uint64),
    )


@kernel
def lost(box, player, terrain):  # type: ignore[no-untyped-def]
    """Whether a box can reach no goal, given the player's cell, even without other boxes."""
    mask = terrain.masks[box, player]
    helped = False
    for move in range(4):
        if mask >> move & 1 and terrain.able[box, move]:
            helped = True
    return not helped


@kernel
def stranded(cell, boxes, taken, terrain, room):  # type: ignore[no-untyped-def]
    """Whether the box just pushed to a goal is frozen there and the other boxes can no longer get one goal each."""
    adjacent, stuck, solid = terrain.adjacent, terrain.stuck, room.solid
    if terrain.goal_of[cell] < 0:
        return False
    for axis in range(2):
        if not stuck[cell, axis] and not taken[adjacent[cell, 2 * axis]] and not taken[adjacent[cell, 2 * axis + 1]]:
            return False
    if melted(cell, boxes, solid, adjacent, stuck):
        for box in boxes:
            solid[box] = False
        return False
    ways, line = room.ways, room.line
    for number in range(terrain.goals.size):
        goal = terrain.goals[number]
        ways[number] = False
        room.owner[number] = -1
        if solid[goal]:
            continue
        ways[number, goal] = True
        line[0] = goal
        head, tail = 0, 1
        while head < tail:
            at = line[head]
            head += 1
            for move in range(4):
                there = adjacent[at, move]
                if there < 0 or solid[there] or ways[number, there]:
                    continue
                beyond = adjacent[there, move]
                if beyond >= 0 and not solid[beyond]:
                    ways[number, there] = True
                    line[tail] = there
                    tail += 1
    cut = False
    for box in boxes:
        if not solid[box] and not _given(box, ways, room.owner, room.before, line):
            cut = True
            break
    for box in boxes:
        solid[box] = False
    return cut


@kernel
def _given(box, ways, owner, before, queue):  # type: ignore[no-untyped-def]
    """Assign a goal to a box by a shortest augmenting path."""
    before[:] = -1
    queue[0] = box
    head, tail = 0, 1
    while head < tail:
        current = queue[head]
        head += 1
        for goal in range(owner.size):
            if ways[goal, current] and before[goal] < 0:
                before[goal] = current
                if owner[goal] >= 0:
                    queue[tail] = owner[goal]
                    tail += 1
                    continue
                while True:
                    giver, earlier = before[goal], -1
                    if giver != box:
                        for other in range(owner.size):
                            if owner[other] == giver:
                                earlier = other
                    owner[goal] = giver
                    if earlier < 0:
                        return True
                    goal = earlier
    return False


@kernel
def _hashed(boxes, player):  # type: ignore[no-untyped-def]
    """A hash of a small position that does not depend on the order of the boxes."""
    value = np.uint64(player + 1) * np.uint64(0x9E3779B97F4A7C15)
    for box in boxes:
        one = np.uint64(box + 1) * np.uint64(0xBF58476D1CE4E5B9)
        one ^= one >> np.uint64(31)
        value += one * np.uint64(0x94D049BB133111EB)
    value ^= value >> np.uint64(29)
    return value | np.uint64(1)


@kernel
def _write_name(boxes, player, name):  # type: ignore[no-untyped-def]
    """Write a small position in full: its boxes in cell order, and the player."""
    name[:] = np.uint64(0)
    for box in boxes:
        rank = 0
        for other in boxes:
            if other < box:
                rank += 1
        name[rank // _PER_WORD] |= np.uint64(box + 1) << np.uint64(16 * (rank % _PER_WORD))
    name[_WORDS - 1] = np.uint64(player + 1)


@kernel
def _equal(one, other):  # type: ignore[no-untyped-def]
    same = True
    for word in range(one.size):
        same = same and one[word] == other[word]
    return same


@kernel
def _sealed(subset, player, terrain, room):  # type: ignore[no-untyped-def]
    """Whether these boxes alone can neither be brought home nor let the player into the cells of `room.corral`.

    `room.alone` marks these boxes at the beginning and at the end.
    """
    adjacent, alive, goal_of = terrain.adjacent, terrain.alive, terrain.goal_of
    taken, steps, visited = room.alone, room.steps, room.visited
    many, nodes, stack, lasting = subset.size, 0, 1, True
    visited[:] = np.uint64(0)
    room.stack_boxes[0, :many], room.stack_players[0] = subset, player
    for box in subset:
        taken[box] = False
    current = np.zeros(many, dtype=np.int64)
    while stack > 0 and lasting:
        stack -= 1
        current[:] = room.stack_boxes[stack, :many]
        for box in current:
            taken[box] = True
        lowest = walk(room.stack_players[stack], taken, adjacent, steps, room.line)
        home = True
        for box in current:
            home = home and goal_of[box] >= 0
        for cell in range(taken.size):
            if room.corral[cell] and steps[cell] >= 0:
                home = True
                break
        name = _hashed(current, lowest)
        _write_name(current, lowest, room.name)
        place, fresh = np.int64(name & np.uint64(visited.size - 1)), True
        while visited[place] != np.uint64(0):
            if visited[place] == name and _equal(room.seen[place], room.name):
                fresh = False
                break
            place = (place + 1) & (visited.size - 1)
        if fresh:
            visited[place], room.seen[place] = name, room.name
            nodes += 1
        lasting = not home and nodes <= _POSITIONS
        for number in range(many if fresh and lasting else 0):
            box = current[number]
            for move in range(4):
                beside, there = adjacent[box, move ^ 1], adjacent[box, move]
                if beside < 0 or there < 0 or taken[there] or steps[beside] < 0 or not alive[there]:
                    continue
                taken[box], taken[there] = False, True
                current[number] = there
                if not lost(there, box, terrain) and not frozen(
                    there, current, taken, room.solid, adjacent, terrain.stuck, goal_of
                ):
                    if stack < _STACK:
                        room.stack_boxes[stack, :many], room.stack_players[stack] = current, box
                        stack += 1
                    else:
                        lasting = False
                current[number] = box
                taken[there], taken[box] = False, True
        for box in current:
            taken[box] = False
    for box in subset:
        taken[box] = True
    return lasting


@kernel
def _corral(start, taken, adjacent, goal_of, room):  # type: ignore[no-untyped-def]
    """Fill `room.corral` and `room.alone` with a region and the boxes around it; `room.mark` marks the cells seen.

    Returns the numbers of cells (in `room.flood`) and of boxes, whether a box is off the goals, and whether a cell is a
    goal.
    """
    mark, flood, alone = room.mark, room.flood, room.alone
    mark[start] = 1
    flood[0] = start
    head, tail, many, loose, empty = 0, 1, 0, False, goal_of[start] >= 0
    while head < tail:
        cell = flood[head]
        head += 1
        room.corral[cell] = True
        empty = empty or goal_of[cell] >= 0
        for move in range(4):
            there = adjacent[cell, move]
            if there < 0:
                continue
            if taken[there]:
                if not alone[there]:
                    alone[there] = True
                    many += 1
                    loose = loose or goal_of[there] < 0
            elif not mark[there]:
                mark[there] = 1
                flood[tail] = there
                tail += 1
    return tail, many, loose, empty


@kernel
def _cleared(boxes, many, room):  # type: ignore[no-untyped-def]
    for place in range(many):
        room.corral[room.flood[place]] = False
    for box in boxes:
        room.alone[box] = False


@kernel
def dead(boxes, player, taken, terrain, room):  # type: ignore[no-untyped-def]
    """Whether a position is lost: a box that can reach no goal, or boxes around a corral that block each other."""
    adjacent, goal_of, alone = terrain.adjacent, terrain.goal_of, room.alone
    for box in boxes:
        if lost(box, player, terrain):
            return True
    walk(player, taken, adjacent, room.steps, room.line)
    for cell in range(taken.size):
        room.mark[cell] = room.steps[cell] >= 0
    for start in range(taken.size):
        if room.mark[start] or taken[start]:
            continue
        cells, many, loose, empty = _corral(start, taken, adjacent, goal_of, room)
        # Boxes adjacent to those around the region may prevent their pushes.
        grown = 0 < many < _BOXES
        while grown and many < _BOXES:
            grown = False
            for box in boxes:
                if not alone[box] and many < _BOXES:
                    for move in range(4):
                        there = adjacent[box, move]
                        if there >= 0 and alone[there]:
                            alone[box] = True
                            many += 1
                            grown = True
                            loose = loose or goal_of[box] < 0
                            break
        sealed = False
        if (loose or empty) and 0 < many <= _BOXES:
            subset = np.zeros(many, dtype=np.int64)
            number = 0
            for box in boxes:
                if alone[box]:
                    subset[number] = box
                    number += 1
            lowest = walk(player, alone, adjacent, room.steps, room.line)
            name = _hashed(subset, lowest)
            place = np.int64(name & np.uint64(room.known.size - 1))
            _write_name(subset, lowest, room.name)
            if room.known[place] >> np.uint64(1) == name >> np.uint64(1) and _equal(room.sure[place], room.name):
                sealed = room.known[place] & np.uint64(1) == np.uint64(1)
            else:
                room.sure[place] = room.name
                sealed = _sealed(subset, lowest, terrain, room)
                room.known[place] = (name >> np.uint64(1) << np.uint64(1)) | np.uint64(sealed)
        _cleared(boxes, cells, room)
        if sealed:
            return True
    return False


@kernel
def _presses(boxes, inside, taken, steps, terrain, room):  # type: ignore[no-untyped-def]
    """Number of pushes if the boxes of `room.alone` can be pushed only into `room.corral`, all of them now; else -1."""
    adjacent, alone, corral = terrain.adjacent, room.alone, room.corral
    count = 0
    for box in boxes:
        if not alone[box]:
            continue
        for move in range(4):
            beside, there = adjacent[box, move ^ 1], adjacent[box, move]
            if beside < 0 or there < 0 or corral[beside] or not terrain.alive[there]:
                continue
            if alone[beside] or alone[there]:
                continue  # held by a box that itself moves only by such a push
            if taken[beside] or taken[there] or steps[beside] < 0 or not corral[there]:
                return -1
            count += 1
    return count


@kernel
def pressing(boxes, taken, steps, terrain, room, forced):  # type: ignore[no-untyped-def]
    """Mark in `forced` the boxes of the forcing corral with the fewest pushes, if there is one.

    Parameters
    ----------
    steps
        Steps of the player to every cell, -1 for unreachable cells.

    Returns
    -------
    int
        Number of pushes to try, 0 if the position is lost, -1 if no corral forces pushes.
    """
    best, full = -1, terrain.goals.size == boxes.size
    for cell in range(taken.size):
        room.mark[cell] = steps[cell] >= 0
    for start in range(taken.size):
        if room.mark[start] or taken[start]:
            continue
        cells, _many, loose, empty = _corral(start, taken, terrain.adjacent, terrain.goal_of, room)
        # The corral must be opened: for a box that is off the goals, or because all goals are needed.
        if loose or (empty and full):
            count = _presses(boxes, cells, taken, steps, terrain, room)
            if count >= 0 and (best < 0 or count < best):
                best = count
                for box in boxes:
                    forced[box] = room.alone[box]
        _cleared(boxes, cells, room)
    return best
