"""Boards as text: `#` is a lit light (with more than two states, its number); brackets mark the cells to press."""

from __future__ import annotations

from matheur.problems.lights_out.picture.scene import Scene

__all__ = ["draw_text"]


def draw_text(scene: Scene) -> str:
    """The board with its two lines of text."""
    lines = [scene.title, scene.state]
    for row in range(scene.rows):
        cells = range(row * scene.columns, (row + 1) * scene.columns)
        signs = [_sign(scene.lights[cell], scene.states) for cell in cells]
        if any(scene.order):
            signs = [f"[{s}]" if scene.order[cell] else f" {s} " for s, cell in zip(signs, cells, strict=True)]
            lines.append("".join(signs).rstrip())
        else:
            lines.append(" ".join(signs))
        if scene.aims:
            lines[-1] = f"{lines[-1]}   target {' '.join(_sign(scene.goal[cell], scene.states) for cell in cells)}"
    return "\n".join(lines) + "\n"


def _sign(state: int, states: int) -> str:
    if states == 2:
        return ".#"[state]
    return (str(state) if state else ".").rjust(len(str(states - 1)))
