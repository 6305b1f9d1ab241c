"""What the compiled clique searches have in common: their state lies in arrays, and is advanced in slices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SteppedSearch"]


class SteppedSearch:
    """Progress of a search, from the state of its kernel.

    The kernel's module names the places in the state: `STEPS`, `REACHED` (steps when the best clique was found), `BEST`
    (its size; a search that keeps something else there has a `size` of its own).
    """

    _kernels: Any
    _state: NDArray[np.int64]

    @property
    def selections(self) -> int:
        """Steps made so far: selections, exchanges or assignments, as the search counts them."""
        return int(self._state[self._kernels.STEPS])

    @property
    def reached_at(self) -> int:
        """Steps made when the best clique was found."""
        return int(self._state[self._kernels.REACHED])

    @property
    def size(self) -> int:
        """Size of the best clique so far."""
        return int(self._state[self._kernels.BEST])
