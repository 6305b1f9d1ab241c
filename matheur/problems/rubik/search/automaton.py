"""Automaton of the moves that may follow others: it accepts one of several trivially equivalent sequences.

No move is undone by the next one. Of two turns of opposite faces, the turn of U, L or F comes first. In quarter turns,
a half turn is two clockwise turns, and no face is turned three times in a row. In half turns, no face is turned twice
in a row.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from matheur.problems.rubik.search.tables import moves_of
from matheur.problems.rubik.stickers import MOVES

__all__ = ["automaton"]

_FACES = "UDLRFB"
_ONCE, _BACK, _TWICE = range(3)


@lru_cache(maxsize=4)
def automaton(metric: str, backwards: bool = False) -> NDArray[np.int8]:
    """int8[19, 18]: next state, -1 for a move that is not needed; state 0 is the start.

    With `backwards`, the automaton accepts the inverses of the same sequences, so that a sequence can be read from its
    end.
    """
    table = np.full((1 + 3 * len(_FACES), len(MOVES)), -1, dtype=np.int8)
    again = "'" if backwards else ""
    for state in range(len(table)):
        face, kind = divmod(state - 1, 3) if state else (-1, _ONCE)
        for move in range(moves_of(metric)):
            turned, suffix = _FACES.index(MOVES[move][0]), MOVES[move][1:]
            if turned == face:
                if metric == "quarter" and kind == _ONCE and suffix == again:
                    table[state, move] = 1 + 3 * face + _TWICE
            elif face < 0 or turned // 2 != face // 2 or (turned < face if backwards else turned > face):
                table[state, move] = 1 + 3 * turned + (_ONCE if suffix in (again, "2") else _BACK)
    return table
