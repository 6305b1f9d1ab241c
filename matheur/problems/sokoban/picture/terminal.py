"""Levels as text, in the signs of XSB."""

from __future__ import annotations

from matheur.problems.sokoban.picture.scene import Scene

__all__ = ["draw_text"]


def draw_text(scene: Scene) -> str:
    """The level, and the letters of the plan in lines of 60."""
    one, lines = scene.instance, [scene.title, scene.state]
    for row in range(one.rows):
        signs = []
        for cell in range(row * one.columns, (row + 1) * one.columns):
            goal, box = cell in one.goals, cell in one.boxes
            sign = "#" if one.walls[cell] else "*" if box and goal else "$" if box else "." if goal else " "
            signs.append(("+" if goal else "@") if cell == one.player else sign)
        lines.append("".join(signs).rstrip())
    lines += [scene.letters[i : i + 60] for i in range(0, len(scene.letters), 60)]
    return "\n".join(lines) + "\n"
