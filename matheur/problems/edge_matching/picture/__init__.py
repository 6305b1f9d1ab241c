"""Pictures of puzzles and boards: SVG, PNG, a page of HTML, and text for a terminal."""

from __future__ import annotations

from matheur.problems.edge_matching.picture.html import draw_html
from matheur.problems.edge_matching.picture.png import draw_png
from matheur.problems.edge_matching.picture.scene import scene_of
from matheur.problems.edge_matching.picture.svg import draw_svg
from matheur.problems.edge_matching.picture.terminal import draw_text
from matheur.problems.pictures import Pictures

__all__ = ["picture"]

picture = Pictures(scene_of, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
"""A board, or the pieces in file order if there is none."""
