"""Pictures of puzzles and boards: SVG, PNG, a page of HTML, and text for a terminal."""

from __future__ import annotations

from matheur.errors import ConfigurationError, nearest
from matheur.problems.edge_matching.instance import Board
from matheur.problems.edge_matching.picture.html import draw_html
from matheur.problems.edge_matching.picture.png import draw_png
from matheur.problems.edge_matching.picture.scene import scene_of
from matheur.problems.edge_matching.picture.svg import draw_svg
from matheur.problems.edge_matching.picture.terminal import draw_text
from matheur.problems.edge_matching.problem import EdgeMatching

__all__ = ["KINDS", "picture"]

KINDS = ("html", "png", "svg", "text")


def picture(problem: EdgeMatching, board: Board | None, kind: str) -> bytes:
    """A board, or the pieces in file order if there is none, as `svg`, `png`, `html` or `text` (UTF-8).

    Raises
    ------
    ConfigurationError
        If the kind is unknown.
    """
    if kind not in KINDS:
        raise ConfigurationError(f"unknown kind of picture {kind!r}. {nearest(kind, KINDS)}")
    scene = scene_of(problem, board)
    if kind == "png":
        return draw_png(scene)
    return {"svg": draw_svg, "html": draw_html, "text": draw_text}[kind](scene).encode("utf-8")
