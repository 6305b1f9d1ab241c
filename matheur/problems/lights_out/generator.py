"""Random boards that can be solved: lights of random presses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.problems.lights_out.instance import CELLS_MAX, PATTERNS, Instance, Pattern

__all__ = ["generate"]


def generate(
    rows: int, columns: int, *, seed: int, pattern: Pattern = "plus", presses: int | None = None, title: str = ""
) -> tuple[Instance, NDArray[np.int32]]:
    """A board on which `presses` different random cells were pressed (each with probability 1/2 if None).

    Returns
    -------
    tuple
        The board and the pressed cells, a solution but rarely the shortest.

    Raises
    ------
    ConfigurationError
        If size, pattern or presses make no sense.

    Examples
    --------
    >>> board, presses = generate(3, 4, seed=1, presses=2)
    >>> board.cells, len(presses)
    (12, 2)
    """
    cells = rows * columns
    if rows < 1 or columns < 1 or cells > CELLS_MAX:
        raise ConfigurationError(f"a board has 1 to {CELLS_MAX} cells ({rows} x {columns})")
    if pattern not in PATTERNS:
        raise ConfigurationError(f"the pattern is one of {', '.join(PATTERNS)} ({pattern!r})")
    if presses is not None and not 0 <= presses <= cells:
        raise ConfigurationError(f"presses must be 0 to {cells} ({presses})")
    rng = np.random.default_rng(seed)
    chosen = np.flatnonzero(rng.integers(0, 2, cells)) if presses is None else rng.permutation(cells)[:presses]
    empty = Instance(rows, columns, (False,) * cells, pattern, title)
    lights = 0
    for cell in chosen.tolist():
        lights ^= empty.masks[cell]
    on = tuple(bool(lights >> cell & 1) for cell in range(cells))
    return Instance(rows, columns, on, pattern, title), chosen.astype(np.int32)
