"""Boards as text: `#` is a light, brackets mark the cells to press."""

from __future__ import annotations

from matheur.problems.lights_out.picture.scene import Scene

__all__ = ["draw_text"]


def draw_text(scene: Scene) -> str:
    """The board with its two lines of words."""
    lines = [scene.title, scene.state]
    for row in range(scene.rows):
        cells = range(row * scene.columns, (row + 1) * scene.columns)
        signs = ["#" if scene.lights[cell] else "." for cell in cells]
        if scene.presses:
            signs = [f"[{s}]" if scene.order[cell] else f" {s} " for s, cell in zip(signs, cells, strict=True)]
            lines.append("".join(signs).rstrip())
        else:
            lines.append(" ".join(signs))
    return "\n".join(lines) + "\n"
