"""Display of a running search: a line per improvement, and a live line on a terminal."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from matheur.compiling import compilation
from matheur.engine.announcing import listening
from matheur.engine.events import Event

__all__ = ["Progress"]

_BAR = 30  # width of the bar in characters


class Progress:
    """An observer that writes improvements to a console and keeps a live line below them on a terminal."""

    def __init__(self, console: Console, score_max: int | float | None) -> None:
        self.console, self.score_max = console, score_max
        self._bound: Any = None
        self._score: Any = None
        self._operator, self._gain, self._calls = "construction", 0, 0
        self._noted = ""
        self._listening = ExitStack()
        self._live: Live | None = None
        if console.is_terminal:
            self._live = Live(Text(""), console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> Progress:
        if self._live is not None:
            self._live.start()
            self._listening.enter_context(listening(self._prepare))
            self._listening.enter_context(compilation.told_to(self._compile))
        self._note("preparing ...")
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()
        if self._live is not None:
            self._live.stop()

    def _note(self, text: str) -> None:
        self._noted = text
        self._show(text)

    def _show(self, text: str) -> None:
        if self._live is not None:
            self._live.update(Text(text, style="dim"))

    def _prepare(self, name: str, share: float) -> None:
        done = round(_BAR * share)
        self._note(f"building {name}  [{'=' * done}{' ' * (_BAR - done)}] {share:.0%}")

    def _compile(self, number: int) -> None:
        """Show the number of kernels compiled so far, including the current one; 0 when the compilation has ended."""
        so_far = f"compiling kernels, {number} so far: once on this machine, not counted as time of the run"
        self._show(so_far if number else self._noted)

    def _shown(self, score: Any) -> str:
        return f"{score}" if self.score_max is None else f"{score} / {self.score_max}"

    def __call__(self, event: Event) -> None:
        kind, seconds = event["event"], event["seconds"]
        if kind == "incumbent":
            gain = "" if self._score is None else f"  ({_difference(event['score'] - self._score)})"
            self._score = event["score"]
            job = f"  job {event['job']}" if "job" in event else ""
            self.console.print(f"{seconds:9.2f} s  {event['operator']:<18} {self._shown(event['score'])}{gain}{job}")
        elif kind == "operator":
            self._operator, self._gain = event["operator"], event["gain"]
            self._calls += 1
            if "note" in event:
                self.console.print(f"{seconds:9.2f} s  {event['operator']:<18} {event['note']}")
        elif kind == "bound":
            self._bound = event["score"]
        elif kind == "migration":
            source = "the pool" if event["from"] == "pool" else f"job {event['from']}"
            self._note(f"{seconds:9.1f} s  job {event['to']} continues from {source}")
            return
        if self._live is not None and kind in ("incumbent", "operator", "bound"):
            score = "none yet" if self._score is None else self._shown(self._score)
            bound = "" if self._bound is None else f"   bound {self._bound}"
            self._note(
                f"{seconds:9.1f} s  best {score}{bound}   call {self._calls}: {self._operator} (gain {self._gain})"
            )


def _difference(value: int | float) -> str:
    """A difference with its sign and, for a float, ten significant digits."""
    return f"{value:+}" if isinstance(value, int) else f"{value:+.10g}"
