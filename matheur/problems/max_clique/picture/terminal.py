"""A graph as plain text: its adjacency matrix in shades."""

from __future__ import annotations

import numpy as np

from matheur.methods.clique.formats.names import spoken
from matheur.problems.max_clique.picture.scene import LEVELS, Scene

__all__ = ["draw_text"]

_SHADES = " ░▒▓█"
_ROWS_MAX = 32
_WIDTH = 78


def draw_text(scene: Scene) -> str:
    """The scene as lines of text."""
    lines = [scene.title, scene.state, ""]
    m = len(scene.levels)
    if m:
        step = -(-m // _ROWS_MAX)
        starts = np.arange(0, m, step)
        sums = np.add.reduceat(np.add.reduceat(scene.levels.astype(np.float64), starts, axis=0), starts, axis=1)
        width = np.minimum(step, m - starts)
        shades = np.ceil(sums / np.outer(width, width) / LEVELS * (len(_SHADES) - 1) - 1e-9).astype(int)
        lines += ["".join(2 * _SHADES[shade] for shade in row) for row in shades.tolist()]
        kind = "the clique first, then by degree" if scene.members else "by degree"
        lines.append(f"adjacency, {kind}; {scene.block * step} vertices a row")
        lines.append(f"degrees {scene.degrees[0]:,} to {scene.degrees[-1]:,}")
    if scene.clique:
        lines += ["", *_wrapped(scene.clique)]
    lines += [f"✗ {said}" for said in scene.violations]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _wrapped(names: tuple[int | str, ...]) -> list[str]:
    lines, line = [], ""
    for name in map(spoken, names):
        if line and len(line) + len(name) + 1 > _WIDTH:
            lines.append(line)
            line = ""
        line += f" {name}" if line else name
    return [*lines, line]
