"""Boards as text."""

from __future__ import annotations

from matheur.problems.sliding_tile.picture.scene import Scene

__all__ = ["draw_text"]


def draw_text(scene: Scene) -> str:
    """The first board, and the moves of the plan in lines of 50."""
    width = len(str(scene.rows * scene.columns - 1))
    lines = [scene.title, scene.state]
    start = scene.frames[0].tiles
    for row in range(scene.rows):
        tiles = start[row * scene.columns : (row + 1) * scene.columns]
        lines.append(" ".join(f"{tile or '.':>{width}}" for tile in tiles))
    letters = "".join(frame.caption.split()[1] for frame in scene.frames[1:])
    lines += [letters[i : i + 50] for i in range(0, len(letters), 50)]
    return "\n".join(lines) + "\n"
