"""A graph as SVG: its adjacency matrix in shades, and its degrees."""

from __future__ import annotations

from html import escape

import numpy as np

from matheur.problems.max_clique.picture.scene import LEVELS, Scene

__all__ = ["colour", "draw_svg"]

MARGIN = 24.0
SIDE = 480.0  # side of the matrix
PLOT = 220.0  # width of the plot of degrees
_TOP = 78.0


def colour(level: int) -> str:
    """Colour of a shade as `#rrggbb`."""
    share = level / LEVELS
    light, dark = (244, 245, 247), (20, 66, 122)
    return "#" + "".join(f"{round(a + share * (b - a)):02x}" for a, b in zip(light, dark, strict=True))


def draw_svg(scene: Scene) -> str:
    """The scene as one SVG element without external resources."""
    width, height = 3 * MARGIN + SIDE + PLOT, _TOP + SIDE + MARGIN + 14
    look = "#b3261e" if scene.violations else "#5b636c"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" font-family="system-ui,sans-serif">',
        f"<title>{escape(scene.title)}</title>",
        f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>',
        f'<text x="{MARGIN:g}" y="{MARGIN + 15:g}" font-size="17" font-weight="bold" fill="#1f2328">'
        f"{escape(scene.title)}</text>",
        f'<text x="{MARGIN:g}" y="{MARGIN + 36:g}" font-size="14" fill="{look}">{escape(scene.state)}</text>',
        *_matrix(scene),
        *_degrees(scene),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _matrix(scene: Scene) -> list[str]:
    m = max(1, len(scene.levels))
    cell = SIDE / m
    parts = [f'<g transform="translate({MARGIN:g} {_TOP:g}) scale({cell:.4f})" shape-rendering="crispEdges">']
    parts.append(f'<rect width="{m}" height="{m}" fill="{colour(0)}"/>')
    runs: dict[int, list[str]] = {}
    for row, levels in enumerate(scene.levels):
        starts = np.flatnonzero(np.diff(levels, prepend=-1))
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), m], strict=True):
            runs.setdefault(int(levels[start]), []).append(f"M{start} {row}h{end - start}v1h-{end - start}z")
    parts += [f'<path fill="{colour(level)}" d="{"".join(runs[level])}"/>' for level in sorted(runs) if level]
    parts.append("</g>")
    if scene.members:
        side = scene.members * cell
        parts.append(
            f'<rect x="{MARGIN:g}" y="{_TOP:g}" width="{side:.1f}" height="{side:.1f}" fill="none" stroke="#dd8440" '
            'stroke-width="2"><title>the clique</title></rect>'
        )
    note = "adjacency matrix, the clique first, then by degree" if scene.members else "adjacency matrix, by degree"
    note += f"; blocks of {scene.block} vertices" if scene.block > 1 else ""
    parts.append(f'<text x="{MARGIN:g}" y="{_TOP - 8:g}" font-size="12" fill="#5b636c">{note}</text>')
    return parts


def _degrees(scene: Scene) -> list[str]:
    """Degrees in ascending order, as a curve from 0 to n - 1."""
    left, n = 2 * MARGIN + SIDE, len(scene.degrees)
    parts = [
        f'<text x="{left:g}" y="{_TOP - 8:g}" font-size="12" fill="#5b636c">degrees, ascending</text>',
        f'<rect x="{left:g}" y="{_TOP:g}" width="{PLOT:g}" height="{SIDE:g}" fill="none" stroke="#9aa2ab"/>',
    ]
    if n > 1:
        at = np.unique(np.linspace(0, n - 1, min(n, 200)).astype(np.int64))
        points = [
            f"{left + PLOT * i / (n - 1):.1f},{_TOP + SIDE * (1 - d / (n - 1)):.1f}"
            for i, d in zip(at.tolist(), scene.degrees[at].tolist(), strict=True)
        ]
        parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="#14427a" stroke-width="2"/>')
        ends = f"{int(scene.degrees[0]):,} to {int(scene.degrees[-1]):,} of {n - 1:,}"
        parts.append(f'<text x="{left:g}" y="{_TOP + SIDE + 16:g}" font-size="12" fill="#5b636c">{ends}</text>')
    return parts
