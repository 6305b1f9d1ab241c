"""Pictures of graphs and cliques: SVG, PNG, a page of HTML, and text for a terminal."""

from __future__ import annotations

from matheur.problems.max_clique.picture.html import draw_html
from matheur.problems.max_clique.picture.png import draw_png
from matheur.problems.max_clique.picture.scene import scene_of
from matheur.problems.max_clique.picture.svg import draw_svg
from matheur.problems.max_clique.picture.terminal import draw_text
from matheur.problems.pictures import Pictures

__all__ = ["picture"]

picture = Pictures(scene_of, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
"""The adjacency matrix and the degrees, with the members of a clique first."""
