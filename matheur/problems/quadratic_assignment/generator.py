"""Random instances in the styles of the literature.

`uniform`
    Both matrices symmetric and uniform, 0 to 99 (Taillard 1991, the `a` instances).
`grid`
    Manhattan distances on a grid, many flows small or zero (Nugent, Vollmann, Ruml 1968; Skorin-Kapov 1990).
`clustered`
    Points in small clusters on the plane, flows over many orders of magnitude, asymmetric (Taillard 1995, `b`).
`blocks`
    Near, middling and far locations in nested blocks, strong flows in nested groups (Drezner, Hahn, Taillard 2005,
    `e`).
`tree`
    Flows along the edges of a tree, uniform distances (Christofides, Benavent 1989).
`asymmetric`
    Both matrices asymmetric with uniform diagonals, 0 to 99.
`planted`
    Grid distances and a known optimum (similar to Palubeckis 1988). Equal flows cost the same under every permutation.
    If b lies on a shortest path from a to c, moving flow from the pair (a, c) to the pairs (a, b) and (b, c) leaves the
    cost of the planted permutation unchanged and, by the triangle inequality, lowers the cost of no other one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from matheur.errors import ConfigurationError, nearest
from matheur.problems.quadratic_assignment.exchange import descend
from matheur.problems.quadratic_assignment.instance import Instance

__all__ = ["GENERATED_MAX", "KINDS", "generate", "grid_shape"]

GENERATED_MAX = 1000
_DESCENT_WORK = 2 * 10**8  # in steps, n**3 per exchange: a few seconds
_EQUAL_FLOW = 10  # flow of every pair in planted instances, before it is moved

Matrix = NDArray[np.int64]


def generate(
    kind: str, size: int | tuple[int, int], *, seed: int | SeedSequence = 0, name: str = ""
) -> tuple[Instance, NDArray[np.int32]]:
    """A random instance with a good solution.

    Parameters
    ----------
    kind
        One of `KINDS`.
    size
        n, or rows and columns of the grid (`grid` and `planted`; n alone gives a grid that is as square as possible).
    seed
        The same arguments and seed give the same instance.
    name
        Name of the instance.

    Returns
    -------
    Instance
        The instance, with facilities and locations in random order.
    NDArray[np.int32]
        For `planted`, the planted optimum. For the other kinds, the result of a descent over exchanges of two
        facilities from the order in which the instance was built, which is rarely optimal.

    Raises
    ------
    ConfigurationError
        If the kind or the size is invalid.

    Examples
    --------
    >>> instance, optimum = generate("planted", (3, 4), seed=1)
    >>> instance.n, sorted(optimum.tolist()) == list(range(12))
    (12, True)
    """
    if not isinstance(kind, str) or kind not in KINDS:
        raise ConfigurationError(f"no kind of instance is called {kind!r}. {nearest(str(kind), KINDS)}")
    rows, columns = size if isinstance(size, tuple) else grid_shape(size)
    n = rows * columns
    if not (rows >= 1 and 2 <= n <= GENERATED_MAX):
        raise ConfigurationError(f"the size must be 2 to {GENERATED_MAX} ({n})")
    rng = np.random.default_rng(seed)
    flows, distances = _BUILDERS[kind](rows, columns, rng)
    facility, location = rng.permutation(n), rng.permutation(n)
    mixed = Instance(flows[np.ix_(facility, facility)], distances[np.ix_(location, location)], name)
    natural = np.argsort(location)[facility].astype(np.int32)
    return mixed, natural if kind == "planted" else descend(mixed, natural, 1 + _DESCENT_WORK // n**3)


def grid_shape(n: int) -> tuple[int, int]:
    """Rows and columns of a grid of n cells that is as square as possible.

    Examples
    --------
    >>> grid_shape(30), grid_shape(7)
    ((5, 6), (1, 7))
    """
    rows = next((rows for rows in range(int(max(n, 1) ** 0.5), 1, -1) if n % rows == 0), 1)
    return rows, n // rows


def _symmetric(values: Matrix) -> Matrix:
    """The upper triangle mirrored, zeros on the diagonal."""
    upper = np.triu(values, 1)
    return upper + upper.T


def _manhattan(rows: int, columns: int) -> Matrix:
    y, x = np.divmod(np.arange(rows * columns), columns)
    return (abs(y[:, None] - y) + abs(x[:, None] - x)).astype(np.int64)


def _uniform(rows: int, columns: int, rng: Generator) -> tuple[Matrix, Matrix]:
    shape = (rows * columns, rows * columns)
    return _symmetric(rng.integers(100, size=shape)), _symmetric(rng.integers(100, size=shape))


def _grid(rows: int, columns: int, rng: Generator) -> tuple[Matrix, Matrix]:
    shape = (rows * columns, rows * columns)
    flows = np.where(
        rng.random(shape) < 0.35, 0, np.minimum(rng.integers(11, size=shape), rng.integers(11, size=shape))
    )
    return _symmetric(flows), _manhattan(rows, columns)


def _clustered(rows: int, columns: int, rng: Generator) -> tuple[Matrix, Matrix]:
    n = rows * columns
    points: list[complex] = []
    while len(points) < n:
        centre = rng.uniform(0, 1000) * np.exp(2j * np.pi * rng.random())
        count = int(rng.integers(1, 1 + max(2, n // 4)))
        points += (centre + rng.uniform(0, 50, count) * np.exp(2j * np.pi * rng.random(count))).tolist()
    places = np.array(points[:n])
    distances = np.rint(abs(places[:, None] - places)).astype(np.int64)
    flows = np.floor(10 ** rng.uniform(-4, 4, size=(n, n))).astype(np.int64)
    np.fill_diagonal(flows, 0)
    return flows, distances


def _blocks(rows: int, columns: int, rng: Generator) -> tuple[Matrix, Matrix]:
    n = rows * columns
    small = max(2, round(n ** (1 / 3)))
    number = np.arange(n)
    same = number[:, None] // small == number // small
    near = number[:, None] // (small * small) == number // (small * small)
    levels = np.where(same, 0, np.where(near, 1, 2))
    distances = np.array([1, 10, 100])[levels] * rng.integers(1, 10, size=(n, n))
    present = rng.random((n, n)) < np.array([0.95, 0.4, 0.1])[levels]
    flows = np.where(present, rng.integers(1, np.array([20, 6, 3])[levels]), 0)
    return _symmetric(flows), _symmetric(distances)


def _tree(rows: int, columns: int, rng: Generator) -> tuple[Matrix, Matrix]:
    n = rows * columns
    flows = np.zeros((n, n), dtype=np.int64)
    for facility in range(1, n):
        flows[int(rng.integers(max(0, facility - 3), facility)), facility] = rng.integers(1, 100)
    return _symmetric(flows), _symmetric(rng.integers(1, 100, size=(n, n)))


def _asymmetric(rows: int, columns: int, rng: Generator) -> tuple[Matrix, Matrix]:
    shape = (rows * columns, rows * columns)
    return rng.integers(100, size=shape), rng.integers(100, size=shape)


def _planted(rows: int, columns: int, rng: Generator) -> tuple[Matrix, Matrix]:
    distances = _manhattan(rows, columns)
    n = len(distances)
    flows = np.where(np.eye(n, dtype=bool), 0, _EQUAL_FLOW).astype(np.int64)
    for a, b, c in rng.integers(n, size=(n * n, 3)).tolist():
        if a != b != c != a and distances[a, b] + distances[b, c] == distances[a, c]:
            moved = int(rng.integers(1 + flows[a, c]))
            for pair, change in (((a, c), -moved), ((a, b), moved), ((b, c), moved)):
                flows[pair] += change
                flows[pair[::-1]] += change
    return flows, distances


_BUILDERS: Mapping[str, Callable[[int, int, Generator], tuple[Matrix, Matrix]]] = {
    "grid": _grid,
    "uniform": _uniform,
    "clustered": _clustered,
    "blocks": _blocks,
    "tree": _tree,
    "asymmetric": _asymmetric,
    "planted": _planted,
}

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "grid": "Manhattan distances on a grid, flows of which many are zero (as Nugent et al., Skorin-Kapov)",
        "uniform": "uniform distances and flows (as Taillard's 'a')",
        "clustered": "distances between clusters of points, flows over many orders of magnitude (as Taillard's 'b')",
        "blocks": "near, middling and far locations, strong and weak flows in nested groups (as Taillard's 'e')",
        "tree": "flows along a tree, uniform distances (as Christofides and Benavent)",
        "asymmetric": "uniform and asymmetric, with diagonals",
        "planted": "Manhattan distances on a grid, with a known optimum (in the way of Palubeckis)",
    }
)
"""Kinds of instances, with a line each."""
