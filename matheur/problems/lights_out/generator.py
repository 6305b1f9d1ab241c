"""Random solvable boards: random presses bring their lights to the target."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError, InputError
from matheur.problems.lights_out.instance import CELLS_MAX, Edges, Instance, Pattern

__all__ = ["generate"]


def generate(
    rows: int,
    columns: int,
    *,
    seed: int,
    pattern: Pattern = "plus",
    presses: int | None = None,
    title: str = "",
    states: int = 2,
    edges: Edges = "plain",
    target: tuple[int, ...] = (),
) -> tuple[Instance, NDArray[np.int32]]:
    """A board that random presses bring to its target.

    Parameters
    ----------
    presses
        Number of presses, with each cell pressed fewer than `states` times. None to press each cell 0 to `states` - 1
        times with equal probabilities.
    pattern, states, edges, target
        Rules of the board; see `Instance`.

    Returns
    -------
    tuple
        The board and the pressed cells, which are a solution but rarely a shortest one.

    Raises
    ------
    ConfigurationError
        If size, pattern, presses or another value is invalid.

    Examples
    --------
    >>> board, presses = generate(3, 4, seed=1, presses=2)
    >>> board.cells, len(presses)
    (12, 2)
    """
    cells = rows * columns
    if rows < 1 or columns < 1 or cells > CELLS_MAX:
        raise ConfigurationError(f"a board has 1 to {CELLS_MAX} cells ({rows} x {columns})")
    try:
        solved = Instance(rows, columns, target or (0,) * cells, pattern, title, states, edges, target)
    except InputError as error:
        raise ConfigurationError(error.message) from None
    most = cells * (states - 1)
    if presses is not None and not 0 <= presses <= most:
        raise ConfigurationError(f"presses must be 0 to {most} ({presses})")
    rng = np.random.default_rng(seed)
    if presses is None:
        chosen = np.repeat(np.arange(cells), rng.integers(0, states, cells))
    else:
        chosen = rng.permutation(most)[:presses] % cells
    lights = list(solved.goal)
    for press in chosen.tolist():
        for cell, amount in solved.effects[press]:
            lights[cell] = (lights[cell] - amount) % states
    return replace(solved, lights=tuple(lights)), chosen.astype(np.int32)
