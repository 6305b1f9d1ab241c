"""Charts by matplotlib (the extra `plot`): a figure to draw on, and its file, which is the same for the same data."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from warnings import catch_warnings, simplefilter

from matheur.errors import ConfigurationError, printable

__all__ = ["blank_figure", "chart_file", "label", "new_chart"]


def new_chart(width: float, height: float) -> Any:
    """An empty figure for charts, whose axes fill it; see `blank_figure`."""
    figure = blank_figure((width, height), "plots need matplotlib. Maybe pip install 'matheur[plot]'?")
    figure.set_layout_engine("constrained")
    return figure


def blank_figure(size: tuple[float, float], advice: str, *, dpi: float = 144, colour: str = "white") -> Any:
    """An empty matplotlib figure that belongs to no window and no global state.

    Parameters
    ----------
    size
        Width and height in inches.
    advice
        Error message if matplotlib is not installed.

    Raises
    ------
    ConfigurationError
        If matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise ConfigurationError(advice) from None
    figure = Figure(figsize=size, dpi=dpi, facecolor=colour)
    FigureCanvasAgg(figure)
    return figure


def chart_file(figure: Any, kind: str) -> bytes:
    """The file of a figure, without a date or random names.

    Parameters
    ----------
    kind
        File format: `svg` or `png`.
    """
    import matplotlib

    file = BytesIO()
    with catch_warnings(), matplotlib.rc_context({"svg.hashsalt": "matheur"}):
        simplefilter("ignore")  # characters that the font lacks become boxes
        figure.savefig(file, format=kind, metadata={"Date": None} if kind == "svg" else None)
    return file.getvalue()


def label(text: str) -> str:
    r"""A name as matplotlib can draw it: no mathematics between dollars, no characters that a file cannot hold.

    Examples
    --------
    >>> print(label("a$b$\x1b"))
    a\$b\$\x1b
    """
    return printable(text).replace("$", r"\$")
