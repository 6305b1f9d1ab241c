"""Pictures of cubes and plans: nets as SVG and PNG, a page with the cube in space, and text for a terminal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.problems.pictures import drawn
from matheur.problems.rubik.picture.html import draw_html
from matheur.problems.rubik.picture.png import draw_png
from matheur.problems.rubik.picture.scene import scene_of
from matheur.problems.rubik.picture.svg import draw_svg
from matheur.problems.rubik.picture.terminal import draw_text
from matheur.problems.rubik.problem import Rubik

__all__ = ["picture"]


def picture(problem: Rubik, plan: NDArray[np.int32] | None, kind: str) -> bytes:
    """A plan turn by turn, or the cube, as `svg`, `png`, `html` (in space, animated) or `text` (UTF-8).

    Raises
    ------
    ConfigurationError
        If the kind is unknown, or matplotlib is missing for a `png`.
    """
    return drawn(lambda: scene_of(problem, plan), kind, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
