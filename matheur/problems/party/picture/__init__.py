"""Pictures of formations and parties: SVG, PNG, a page of HTML, and text for a terminal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.problems.party.picture.html import draw_html
from matheur.problems.party.picture.png import draw_png
from matheur.problems.party.picture.scene import scene_of
from matheur.problems.party.picture.svg import draw_svg
from matheur.problems.party.picture.terminal import draw_text
from matheur.problems.party.problem import Party
from matheur.problems.pictures import drawn

__all__ = ["picture"]


def picture(problem: Party, solution: NDArray[np.int32] | None, kind: str) -> bytes:
    """A party, or the formation if there is none, as `svg`, `png`, `html` or `text` (UTF-8).

    What is wrong with a party is drawn too, and marked.

    Raises
    ------
    ConfigurationError
        If the kind is unknown, or matplotlib is missing for a `png`.
    """
    return drawn(lambda: scene_of(problem, solution), kind, html=draw_html, png=draw_png, svg=draw_svg, text=draw_text)
