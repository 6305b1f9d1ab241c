"""Puzzles and plans as plain text."""

from __future__ import annotations

from matheur.problems.cubical.picture.scene import Scene

__all__ = ["draw_text"]


def draw_text(scene: Scene) -> str:
    """A table of the rings (vertices as numbers and bits), then the plan move by move."""
    now = scene.frames[-1].places
    header = ["ring", "start", "target", *(["now"] if scene.planned else [])]
    columns = [scene.start, scene.target, *([now] if scene.planned else [])]
    rows = [header]
    for ring, name in enumerate(scene.names):
        rows.append([name, *(_vertex(places[ring], scene.dimension) for places in columns)])
    lines = [scene.title, scene.state, "", *_table(rows)]
    if scene.planned:
        lines.append("")
        width = len(str(len(scene.frames) - 1))
        for number, frame in enumerate(scene.frames[1:], start=1):
            lines.append(f"{number:>{width}}  {frame.caption}{'  ✗ not allowed' if frame.wrong else ''}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _vertex(vertex: int, d: int) -> str:
    return f"{vertex:>{len(str(2**d - 1))}} {vertex:0{d}b}"


def _table(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["   ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)) for row in rows]
