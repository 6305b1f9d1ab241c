"""Pictures of boards and presses: SVG, PNG, a page that presses cell by cell, and text for a terminal."""

from __future__ import annotations

from matheur.problems.lights_out.picture.html import draw_html
from matheur.problems.lights_out.picture.png import draw_png
from matheur.problems.lights_out.picture.scene import scene_of
from matheur.problems.lights_out.picture.svg import draw_svg
from matheur.problems.lights_out.picture.terminal import draw_text
from matheur.problems.pictures import Pictures

__all__ = ["picture"]

picture = Pictures(scene_of, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
"""The lights and, if there is a solution, numbers on the cells to press."""
