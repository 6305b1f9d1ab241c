"""Layout of the slots of a formation: deterministic, from its graph only, without overlapping cards.

Stress majorisation (Gansner, Koren, North 2004) turns distances in the graph into distances in the plane. The rotation
with the tidiest rows is chosen; within a row, the cards are moved apart as little as possible.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import shortest_path

from matheur.problems.party.picture.routes import Floats, Point, hidden

__all__ = ["EDGES_MAX", "arrange"]

EDGES_MAX = 600
"""Number of edges above which a formation is laid out as a plain grid."""

_TURNS = 24
_NEAR = (0.3, 0.45, 0.6)  # vertical distances (an edge is 1) up to which points are in the same row
_STEPS = 250
_STARTS = 4


def arrange(slots: int, edges: NDArray[np.int32], card: Point, gap: Point) -> list[Point]:
    """Return the centres of the cards, with y pointing down and the first slot at the top; the smallest centres are 0.

    Parameters
    ----------
    slots
        Number of slots, at least one.
    edges
        Pairs of neighbours. Shape (edges, 2).
    card, gap
        Width and height of a card, and minimum horizontal and vertical distance between two cards.
    """
    dense = 1.7 if len(edges) > 2.2 * slots else 1.0  # more lines need more space
    pitch = np.array(card) + dense * np.array(gap)
    if slots == 1:
        return [(0.0, 0.0)]
    if not 0 < len(edges) <= EDGES_MAX:
        columns = max(1, round((1.6 * slots * pitch[1] / pitch[0]) ** 0.5))
        return [(float(i % columns * pitch[0]), float(i // columns * pitch[1])) for i in range(slots)]
    points = _stress(slots, edges)
    best, chosen = np.inf, points
    seen: set[bytes] = set()
    for angle in _angles(points):
        cos, sin = np.cos(angle), np.sin(angle)
        turned = points @ np.array([[cos, -sin], [sin, cos]])
        for near, snapped in product(_NEAR, (True, False)):
            placed = _rows(turned, pitch, near, snapped)
            shape = np.rint(placed).astype(np.int32).tobytes()
            if shape in seen:
                continue
            seen.add(shape)
            cost = _untidiness(placed, edges, card, pitch)
            if cost < best - 1e-6:
                best, chosen = cost, placed
    x, y = chosen.T
    rightwards = np.sign(x[:, None] - x[None, :]) * (y[:, None] == y[None, :])
    if np.tril(rightwards).sum() < 0:  # within a row, prefer the slots in their order
        chosen[:, 0] *= -1
    return [(float(x), float(y)) for x, y in chosen - chosen.min(axis=0)]


def _angles(points: Floats) -> list[float]:
    """Return rotations to try: a full circle from the first slot above the centre, and from a vertical main axis."""
    upright = np.arctan2(points[0, 0], -points[0, 1])
    _, vectors = np.linalg.eigh(points.T @ points)
    main = np.arctan2(vectors[0, 1], -vectors[1, 1])
    return [start + 2 * np.pi * turn / many for start, many in ((upright, _TURNS), (main, 4)) for turn in range(many)]


def _stress(slots: int, edges: NDArray[np.int32]) -> Floats:
    """Return points around (0, 0) whose distances approximate those of the graph; neighbours are about 1 apart."""
    ones = np.ones(len(edges))
    graph = csr_matrix((ones, (edges[:, 0], edges[:, 1])), shape=(slots, slots))
    wanted = shortest_path(graph, directed=False, unweighted=True)
    finite = wanted[np.isfinite(wanted)]
    wanted[~np.isfinite(wanted)] = finite.max() / 2 + 1  # disconnected components lie side by side
    np.fill_diagonal(wanted, 1.0)
    weights = wanted**-2.0
    np.fill_diagonal(weights, 0.0)
    laplacian = np.diag(weights.sum(axis=1)) - weights
    inverse = np.linalg.pinv(laplacian)
    angles = 2 * np.pi * np.arange(slots) / slots
    circle = np.stack([np.sin(angles), -np.cos(angles)], axis=1) * slots / 6
    rng = np.random.default_rng(0)
    best, chosen = np.inf, circle
    for start in range(_STARTS):
        points = circle if start == 0 else rng.normal(size=(slots, 2)) * slots**0.5
        for _ in range(_STEPS):
            away = points[:, None] - points[None, :]
            length = np.maximum(1e-9, np.hypot(away[..., 0], away[..., 1]))
            points = inverse @ ((weights * wanted / length)[..., None] * away).sum(axis=1)
        away = points[:, None] - points[None, :]
        stress = float((weights * (wanted - np.hypot(away[..., 0], away[..., 1])) ** 2).sum())
        if stress < best * 0.999:
            best, chosen = stress, points
    return chosen - chosen.mean(axis=0)


def _rows(points: Floats, pitch: Floats, near: float, snapped: bool) -> Floats:
    """Snap points to rows, optionally also to columns half a card apart, and separate them within each row."""
    placed = np.empty_like(points)
    order = np.argsort(points[:, 1], kind="stable")
    rows: list[list[int]] = []
    for slot in order.tolist():
        if rows and points[slot, 1] - points[rows[-1], 1].mean() < near:
            rows[-1].append(slot)
        else:
            rows.append([slot])
    for number, row in enumerate(rows):
        row.sort(key=lambda slot: (points[slot, 0], slot))
        wanted = np.rint(2 * points[row, 0] + 1e-6) / 2 if snapped else points[row, 0]
        placed[row, 0] = _apart(wanted * pitch[0], float(pitch[0]))
        placed[row, 1] = number * pitch[1]
    return placed


def _apart(places: Floats, least: float) -> Floats:
    """Return the nearest ascending positions with at least this distance (pool adjacent violators)."""
    offsets = np.arange(len(places)) * least
    blocks: list[tuple[float, int]] = []
    for value in (places - offsets).tolist():
        mean, size = value, 1
        while blocks and blocks[-1][0] > mean:
            other, many = blocks.pop()
            mean, size = (mean * size + other * many) / (size + many), size + many
        blocks.append((mean, size))
    return np.repeat([mean for mean, _ in blocks], [size for _, size in blocks]) + offsets


def _untidiness(placed: Floats, edges: NDArray[np.int32], card: Point, pitch: Floats) -> float:
    """Penalty for edges through cards, crossings, a wide or asymmetric picture, and a first slot not at the top."""
    a, b = placed[edges[:, 0]], placed[edges[:, 1]]
    through = int(hidden(a, (a + b) / 2, b, placed, card, edges).sum())
    size = (placed.max(axis=0) - placed.min(axis=0)) / pitch + 1
    middle = (placed.max(axis=0) + placed.min(axis=0)) / 2
    mirrored = (2 * middle[0] - placed[:, 0], placed[:, 1])
    away = np.hypot(mirrored[0][:, None] - placed[None, :, 0], mirrored[1][:, None] - placed[None, :, 1])
    lopsided = float(np.minimum(away.min(axis=1) / pitch[0], 1).mean())
    length = float(np.hypot(*((a - b) / pitch).T).mean())
    depth = float((placed[0, 1] - placed[:, 1].min()) / pitch[1])
    columns = len(np.unique(np.rint(placed[:, 0] / 4)))
    aside = float(abs(placed[0, 0] - middle[0]) / pitch[0])
    return (
        3 * through + _crossings(a, b, edges) + 0.25 * float(size.prod()) ** 0.5 + 0.15 * float(size[0]) + 9 * lopsided
        + length + 0.6 * depth + 0.7 * aside + 0.1 * columns
    )  # fmt: skip


def _crossings(a: Floats, b: Floats, edges: NDArray[np.int32]) -> int:
    def side(p: Floats, q: Floats, r: Floats) -> Floats:
        return np.sign(
            (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1]) - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0])
        )

    a1, b1, a2, b2 = a[:, None], b[:, None], a[None, :], b[None, :]
    apart = (edges[:, None, :, None] != edges[None, :, None, :]).all(axis=(2, 3))
    crossed = (side(a1, b1, a2) * side(a1, b1, b2) < 0) & (side(a2, b2, a1) * side(a2, b2, b1) < 0)
    return int((crossed & apart).sum()) // 2
