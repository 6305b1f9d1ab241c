"""Pictures of graphs and cliques: SVG, PNG, a page of HTML, and text for a terminal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.problems.max_clique.picture.html import draw_html
from matheur.problems.max_clique.picture.png import draw_png
from matheur.problems.max_clique.picture.scene import scene_of
from matheur.problems.max_clique.picture.svg import draw_svg
from matheur.problems.max_clique.picture.terminal import draw_text
from matheur.problems.max_clique.problem import MaxClique
from matheur.problems.pictures import drawn

__all__ = ["picture"]


def picture(problem: MaxClique, solution: NDArray[np.int32] | None, kind: str) -> bytes:
    """The adjacency matrix and the degrees, with a clique in front; `svg`, `png`, `html` or `text` (UTF-8).

    Raises
    ------
    ConfigurationError
        If the kind is unknown, or matplotlib is missing for a `png`.
    """
    return drawn(lambda: scene_of(problem, solution), kind, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
