"""Messages on the terminal during a run."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from matheur.cli.progress import Progress
from matheur.compiling import compilation
from matheur.engine.announcing import announce


def test_a_bar_shows_how_far_a_table_is() -> None:
    """A bar shows the progress of a table, only on a terminal and only during the search."""
    for terminal in (True, False):
        out = StringIO()
        with Progress(Console(file=out, force_terminal=terminal, width=100), None) as progress:
            announce("pattern 1-2-3", 0.5)
            if progress._live is not None:
                progress._live.refresh()
        announce("pattern 4-5-6", 0.5)
        assert ("building pattern 1-2-3" in out.getvalue()) == terminal
        assert ("50%" in out.getvalue()) == terminal
        assert "4-5-6" not in out.getvalue()


def test_compilation_is_announced() -> None:
    """A terminal shows that kernels are being compiled, and then the previous line again."""
    out = StringIO()
    with Progress(Console(file=out, force_terminal=True, width=120), None) as progress:
        assert progress._live is not None
        announce("pattern 1-2-3", 0.5)
        compilation.begin()
        progress._live.refresh()
        assert "compiling kernels" in out.getvalue()
        out.truncate(0)
        compilation.end()
        progress._live.refresh()
        assert "compiling" not in out.getvalue()
        assert "pattern 1-2-3" in out.getvalue()


def test_a_construction_that_was_ended_is_told() -> None:
    """A permanent line says that the construction was ended, even without a terminal."""
    event = {"event": "operator", "seconds": 60.0, "operator": "mine", "gain": 0}
    out = StringIO()
    with Progress(Console(file=out, width=200), None) as progress:
        progress(event)
        assert out.getvalue() == ""
        progress({**event, "note": "the construction was ended"})
    assert "mine               the construction was ended\n" in out.getvalue()
