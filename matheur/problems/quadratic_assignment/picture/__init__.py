"""Pictures of quadratic assignment: heat maps as SVG, PNG, a page of HTML, and text for a terminal."""

from __future__ import annotations

from matheur.problems.pictures import Pictures
from matheur.problems.quadratic_assignment.picture.html import draw_html
from matheur.problems.quadratic_assignment.picture.png import draw_png
from matheur.problems.quadratic_assignment.picture.scene import scene_of
from matheur.problems.quadratic_assignment.picture.svg import draw_svg
from matheur.problems.quadratic_assignment.picture.terminal import draw_text

__all__ = ["picture"]

picture = Pictures(scene_of, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
"""The matrices as heat maps; those of a solution in facility order."""
