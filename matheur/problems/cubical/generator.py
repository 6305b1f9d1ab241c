"""Random solvable puzzles: a random target, and a random walk of legal moves that leads away from it.

Moves are reversible, so the reversed walk is a plan. Loops are removed from it.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from matheur.errors import ConfigurationError, InputError
from matheur.problems.cubical.instance import Instance, check_cube
from matheur.problems.cubical.rules import faces_at, legal_moves

__all__ = ["MOVES_MAX", "generate", "rings_max"]

MOVES_MAX = 100_000
_DRAWS = 100
_MOVES_DEFAULT = 1000  # enough to randomise small cubes; takes a second on the largest
_COLOURS = ("green", "purple", "red", "blue", "yellow", "orange", "cyan", "magenta", "lime", "brown", "navy", "pink")


def generate(
    dimension: int,
    k: int,
    rings: int,
    *,
    seed: int | SeedSequence = 0,
    moves: int | None = None,
    title: str = "",
) -> tuple[Instance, NDArray[np.int32]]:
    """A random puzzle with a plan that solves it.

    Parameters
    ----------
    dimension, k, rings
        Dimensions of the cube and of its faces, and number of rings. The first rings have names of colours.
    seed
        Random seed; the same arguments and seed give the same puzzle.
    moves
        Length of the random walk from the target to the start; None for `min(1000, 16 * rings * dimension)`. The plan
        is never longer, and is shorter if the walk has loops.
    title
        Title of the instance.

    Returns
    -------
    Instance
        The puzzle; its start differs from its target.
    NDArray[np.int32]
        The hidden plan, in the move numbers of `Cubical`. It is rarely the shortest.

    Raises
    ------
    ConfigurationError
        If the dimensions are invalid, or no ring could ever move.

    Examples
    --------
    >>> instance, plan = generate(3, 2, 4, seed=1, moves=5)
    >>> instance.rings, 1 <= len(plan) <= 5
    (('green', 'purple', 'red', 'blue'), True)
    """
    steps = min(_MOVES_DEFAULT, 16 * rings * dimension) if moves is None else moves
    _check(dimension, k, rings, steps)
    rng = np.random.default_rng(seed)
    target = _target(dimension, k, rings, rng)
    path = _walk(dimension, k, target, steps, rng)
    names = tuple(_COLOURS[i] if i < len(_COLOURS) else f"ring{i + 1}" for i in range(rings))
    plan = []
    for there, here in zip(path[-2::-1], path[:0:-1], strict=True):
        ring = next(i for i in range(rings) if there[i] != here[i])
        plan.append((ring << dimension) + there[ring])
    return Instance(dimension, k, names, path[-1], target, title), np.array(plan, dtype=np.int32)


def rings_max(d: int, k: int) -> int:
    """Largest number of rings with which some ring can move: all vertices outside one face, and one vertex in it."""
    return (1 << d) - (1 << k) + 1


def _check(d: int, k: int, rings: int, moves: int) -> None:
    try:
        check_cube(d, k)
    except InputError as error:
        raise ConfigurationError(str(error)) from None
    most = rings_max(d, k)
    if not 1 <= rings <= most:
        many = "is 1 ring" if most == 1 else f"are 1 to {most} rings"
        raise ConfigurationError(
            f"with k = {k} in dimension {d} there {many} ({rings}); with more none could ever move"
        )
    if not 1 <= moves <= MOVES_MAX:
        raise ConfigurationError(f"the walk has 1 to {MOVES_MAX} moves ({moves})")


def _target(d: int, k: int, rings: int, rng: Generator) -> tuple[int, ...]:
    """A random placement in which some ring can move; if these are rare, a placement with a random free face."""
    for _ in range(_DRAWS):
        target = tuple(rng.permutation(1 << d)[:rings].tolist())
        if legal_moves(d, k, target):
            return target
    corner = int(rng.integers(1 << d))
    faces = faces_at(d, k)[corner]
    face = faces[int(rng.integers(len(faces)))][1]
    outside = [vertex for vertex in range(1 << d) if not face >> vertex & 1]
    others = rng.permutation(outside)[: rings - 1].tolist()
    return tuple(rng.permutation([corner, *others]).tolist())


def _walk(d: int, k: int, target: tuple[int, ...], steps: int, rng: Generator) -> list[tuple[int, ...]]:
    """Placements of the walk, beginning with the target, without repetitions; at least one move."""
    path, position = [target], {target: 0}
    for step in range(steps):
        choices = legal_moves(d, k, path[-1])
        ring, vertex = choices[int(rng.integers(len(choices)))]
        state = (*path[-1][:ring], vertex, *path[-1][ring + 1 :])
        if step == steps - 1 and state == target:
            break  # the walk must not end at the target: stop one move earlier
        if state in position:
            for dropped in path[position[state] + 1 :]:
                del position[dropped]
            del path[position[state] + 1 :]
        else:
            position[state] = len(path)
            path.append(state)
    return path
