"""Pictures of cubes and plans: nets as SVG and PNG, a page with the cube in space, and text for a terminal."""

from __future__ import annotations

from matheur.problems.pictures import Pictures
from matheur.problems.rubik.picture.html import draw_html
from matheur.problems.rubik.picture.png import draw_png
from matheur.problems.rubik.picture.scene import scene_of
from matheur.problems.rubik.picture.svg import draw_svg
from matheur.problems.rubik.picture.terminal import draw_text

__all__ = ["picture"]

picture = Pictures(scene_of, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
"""A plan turn by turn, or the cube if there is no plan."""
