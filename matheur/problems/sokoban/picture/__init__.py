"""Pictures of levels and plans: SVG, PNG, a page that plays the plan, and text for a terminal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.problems.pictures import drawn
from matheur.problems.sokoban.picture.html import draw_html
from matheur.problems.sokoban.picture.png import draw_png
from matheur.problems.sokoban.picture.scene import scene_of
from matheur.problems.sokoban.picture.svg import draw_svg
from matheur.problems.sokoban.picture.terminal import draw_text
from matheur.problems.sokoban.problem import Sokoban

__all__ = ["picture"]


def picture(problem: Sokoban, plan: NDArray[np.int32] | None, kind: str) -> bytes:
    """A plan push by push (in a page move by move), or the level, as `svg`, `png`, `html` or `text` (UTF-8).

    Raises
    ------
    ConfigurationError
        If the kind is unknown, or matplotlib is missing for a `png`.
    """
    return drawn(lambda: scene_of(problem, plan), kind, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
