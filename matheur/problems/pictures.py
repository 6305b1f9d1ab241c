"""What the pictures of all problems share: the choice of a kind, names that are safe, and plots by matplotlib."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any, TypeVar
from warnings import catch_warnings, simplefilter

from matheur.errors import ConfigurationError, nearest

__all__ = ["Pictures", "blank_figure", "json_for_script", "png_of", "readable"]

Scene = TypeVar("Scene")


class Pictures:
    """Pictures of a problem and its solutions: a scene, and a function for each kind of picture that draws it.

    Parameters
    ----------
    scene
        The scene of a problem and a solution, or of the problem alone (None).
    **drawers
        A function of the scene for each kind, such as `svg` and `text`; texts become UTF-8.
    """

    def __init__(self, scene: Callable[[Any, Any], Scene], **drawers: Callable[[Scene], bytes | str]) -> None:
        self._scene = scene
        self._drawers = drawers

    def __call__(self, problem: Any, solution: Any | None, kind: str) -> bytes:
        """The picture of a solution, or of the problem if there is none.

        Raises
        ------
        ConfigurationError
            If the kind is unknown, or matplotlib is missing for a `png`.
        """
        if kind not in self._drawers:
            raise ConfigurationError(f"unknown kind of picture {kind!r}. {nearest(kind, self._drawers)}")
        picture = self._drawers[kind](self._scene(problem, solution))
        return picture if isinstance(picture, bytes) else picture.encode("utf-8")


def blank_figure(what: str, size: tuple[float, float], *, dpi: float = 144, colour: str = "white") -> Any:
    """An empty figure of matplotlib, without the global state of pyplot.

    Parameters
    ----------
    what
        What the pictures are of, for the error.
    size
        Width and height in inches.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ConfigurationError(
            f"PNG pictures of {what} need matplotlib. Maybe pip install 'matheur[plot]', or draw SVG or HTML?"
        ) from None
    figure = Figure(figsize=size, dpi=dpi, facecolor=colour)
    FigureCanvasAgg(figure)
    return figure


def png_of(figure: Any, title: str) -> bytes:
    """A figure as PNG, with its title as far as the format can hold it."""
    file = BytesIO()
    with catch_warnings():
        simplefilter("ignore")  # letters that the font lacks become boxes
        figure.savefig(file, format="png", metadata={"Title": title.encode("latin-1", "replace").decode("latin-1")})
    return file.getvalue()


def json_for_script(data: Any) -> str:
    """Plain values as JSON without the signs that could end the element of a page in which it stands.

    Examples
    --------
    >>> json_for_script(["</script>"])
    '["\\\\u003c/script>"]'
    """
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c").replace("&", "\\u0026")


def readable(text: str, most: int = 80) -> str:
    """A name that neither XML nor a terminal can stumble over, of a readable length.

    Examples
    --------
    >>> readable("two\\nlines"), readable("abcdef", most=3)
    ('two�lines', 'abc…')
    """
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text[:most])
    return shown + "\N{HORIZONTAL ELLIPSIS}" if len(text) > most else shown
