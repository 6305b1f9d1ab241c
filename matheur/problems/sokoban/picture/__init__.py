"""Pictures of levels and plans: SVG, PNG, a page that plays the plan, and text for a terminal."""

from __future__ import annotations

from matheur.problems.pictures import Pictures
from matheur.problems.sokoban.picture.html import draw_html
from matheur.problems.sokoban.picture.png import draw_png
from matheur.problems.sokoban.picture.scene import scene_of
from matheur.problems.sokoban.picture.svg import draw_svg
from matheur.problems.sokoban.picture.terminal import draw_text

__all__ = ["picture"]

picture = Pictures(scene_of, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
"""A plan push by push (in a page move by move), or the level."""
