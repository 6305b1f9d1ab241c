"""Symmetries of a matrix: renumberings that leave it unchanged."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["automorphisms"]

_TRIES = 50_000

Matrix = NDArray[np.int64]


def automorphisms(matrix: Matrix, linear: Matrix, most: int) -> NDArray[np.int32]:
    """All permutations g with `matrix[g[k], g[l]] == matrix[k, l]` and `linear[:, g[k]] == linear[:, k]`.

    Parameters
    ----------
    matrix
        Shape (m, m).
    linear
        Shape (rows, m), any number of rows.
    most
        Largest number of symmetries. If there are more, or the search takes long, only the identity is returned, since
        a part of a group is not enough.

    Returns
    -------
    NDArray[np.int32]
        One permutation per row, the identity first.
    """
    size = len(matrix)
    if len({column.tobytes() for column in np.ascontiguousarray(linear.T)}) == size:
        return np.arange(size, dtype=np.int32)[None, :]
    same = _kinds(matrix, linear)
    found: list[list[int]] = []
    image: list[int] = []
    choices = [np.flatnonzero(same == same[0])[::-1].tolist()]
    tries = 0
    while choices:
        if not choices[-1]:
            choices.pop()
            if image:
                image.pop()
            continue
        k, to = len(image), choices[-1].pop()
        tries += 1
        if tries > _TRIES or len(found) > most:
            return np.arange(size, dtype=np.int32)[None, :]
        if to in image or not _agrees(matrix, [*image, to]):
            continue
        if k + 1 == size:
            found.append([*image, to])
            continue
        image.append(to)
        choices.append(np.flatnonzero(same == same[k + 1])[::-1].tolist())
    return np.array(sorted(found), dtype=np.int32)


def _agrees(matrix: Matrix, image: list[int]) -> bool:
    """Whether the last row and column of the part mapped so far are unchanged."""
    k, to = len(image) - 1, image[-1]
    return bool((matrix[to, image] == matrix[k, : k + 1]).all() and (matrix[image, to] == matrix[: k + 1, k]).all())


def _kinds(matrix: Matrix, linear: Matrix) -> NDArray[np.int64]:
    """Class numbers: two indices can be mapped to each other only if their linear costs and sorted rows agree."""
    diagonal = np.diagonal(matrix)[:, None]
    described = np.hstack([linear.T, diagonal, np.sort(matrix, axis=1), np.sort(matrix.T, axis=1)])
    return np.unique(described, axis=0, return_inverse=True)[1].ravel()
