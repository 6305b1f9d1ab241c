"""Cubes as text: the net in letters."""

from __future__ import annotations

from matheur.problems.rubik.picture.scene import NET, Scene

__all__ = ["draw_text"]


def draw_text(scene: Scene) -> str:
    """The net of the cube, and the turns of the plan in lines of 20."""
    rows = [[" "] * 12 for _ in range(9)]
    for letter, (row, column) in zip(scene.frames[0].facelets, NET, strict=True):
        rows[row][column] = letter
    lines = [scene.title, scene.state, *(" ".join(row).rstrip() for row in rows)]
    lines += [" ".join(scene.names[i : i + 20]) for i in range(0, len(scene.names), 20)]
    return "\n".join(lines) + "\n"
