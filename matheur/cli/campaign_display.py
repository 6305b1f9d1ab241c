"""Terminal output of campaigns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from matheur.campaign.plan import Order, Plan
from matheur.campaign.running import Summary
from matheur.campaign.status import Status, last_event, read_status
from matheur.campaign.store import Store, folder_of
from matheur.campaign.tuning import Candidate
from matheur.cli.output import plain_console
from matheur.errors import printable

__all__ = ["RunDisplay", "duration", "show_candidates", "show_status", "watch_campaign"]

_SHOWN = 12  # maximum number of running runs that are listed
_EVERY = 1.0  # seconds between two reads of the folder
_SHARE = 50  # minimum ratio of the interval to the time of a read, so that watching does not slow down the runs


def duration(seconds: float | None) -> str:
    """A duration in readable units.

    Examples
    --------
    >>> duration(7.2), duration(75), duration(7322), duration(None)
    ('7 s', '1 min 15 s', '2 h 2 min', '?')
    """
    if seconds is None:
        return "?"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _line(status: Status) -> str:
    parts = [f"{status.done} of {status.runs} done", f"{status.running} running"]
    parts += [f"{status.failed} failed"] if status.failed else []
    parts += [f"{len(status.damaged)} damaged"] if status.damaged else []
    parts += [f"{status.left} left, about {duration(status.seconds_left)}"] if status.left else []
    return ", ".join(parts)


def _table(status: Status) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("variant")
    for name in ("runs", "done", "failed", "left", "mean time"):
        table.add_column(name, justify="right")
    for one in status.variants:
        mean = "-" if one.seconds is None else f"{one.seconds:.1f} s"
        table.add_row(Text(one.name), str(one.runs), str(one.done), str(one.failed), str(one.left), mean)
    return table


def show_status(status: Status, *, failures: bool = False) -> None:
    """Print a status."""
    console = plain_console()
    console.print(Text(f"{status.name}: {_line(status)}", style="bold"))
    console.print(_table(status))
    if status.other_code:
        more = f"{status.other_code} finished runs in the folder are not of this plan (other code or configuration)"
        console.print(Text(f"{more}; --any-code takes those of other code"))
    for one in status.damaged:
        console.print(Text(f"damaged: {one['file']}: {printable(one['reason'])}"), soft_wrap=True)
    if status.damaged:
        console.print(Text("their runs are made again once these files have been removed"))
    for one in status.failures if failures else []:
        console.print(Text(f"{one['instance']}, {one['variant']}, seed {one['seed']}: {one['reason']}"))
    if status.failures and not failures:
        console.print(Text("--failures lists the reasons, 'matheur campaign run --retry-failed' tries again"))


def show_candidates(candidates: Sequence[Candidate]) -> None:
    """Print the candidates of a round of a tuning."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("candidate", "criterion", "seeds", "values"):
        table.add_column(name, justify="left" if name in ("candidate", "values") else "right")
    for one in candidates:
        values = ", ".join(f"{key} {value}" for key, value in one.values.items()) or "as it is"
        criterion = "-" if one.criterion is None else f"{one.criterion:.4f}"
        table.add_row(Text(one.name), criterion, str(one.seeds), Text(values))
    plain_console().print(table)


def _picture(folder: Path) -> tuple[Group, Status]:
    """Display of a running campaign, with its status."""
    status, store = read_status(folder), Store(folder)
    bar = ProgressBar(total=max(1, status.runs), completed=status.done + status.failed, width=60)
    parts: list[Any] = [Text(f"{status.name}: {_line(status)}"), bar, _table(status)]
    named = {}
    if status.running:
        plan = store.load_plan()
        named = {row[0]: (plan.instances[row[1]].name, row[2], row[4]) for row in plan.runs}
    for running in store.runs_at_work()[:_SHOWN]:
        instance, variant, seed = named.get(running.key, (running.key, "", ""))
        event = last_event(running)
        facts = " ".join(
            f"{name} {event[name]}"
            for name in ("seconds", "objective", "bound", "operator")
            if event.get(name) is not None
        )
        parts.append(Text(f"  {instance}  {variant}  seed {seed}  {facts}", style="dim", no_wrap=True))
    return Group(*parts), status


def watch_campaign(campaign: Path, every: float, interrupt: Callable[[], bool]) -> None:
    """Show a campaign until no runs are left; without a terminal, print a line per update."""
    folder, console = folder_of(campaign), plain_console()
    began = time.monotonic()
    picture, status = _picture(folder)
    every = max(every, _SHARE * (time.monotonic() - began))
    with Live(picture, console=console, auto_refresh=False) as live:
        while status.left and not interrupt():
            until = time.monotonic() + every
            while time.monotonic() < until and not interrupt():
                time.sleep(0.1)
            picture, status = _picture(folder)
            live.update(picture, refresh=console.is_terminal)
            if not console.is_terminal:
                console.print(Text(_line(status)))


class RunDisplay:
    """Live display while a campaign runs, and a line for each failure."""

    def __init__(self, plan: Plan, folder: Path, *, quiet: bool) -> None:
        self.plan, self.folder, self.quiet = plan, folder, quiet
        self.console = plain_console(stderr=True)
        self._live: Live | None = None
        self._next = 0.0
        if self.console.is_terminal and not quiet:
            self._live = Live(Text(""), console=self.console, auto_refresh=False, transient=True)

    def __enter__(self) -> RunDisplay:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def made(self, order: Order, answer: Mapping[str, Any]) -> None:
        """Report the outcome of a run, if it failed."""
        if answer["outcome"] == "failed" and not self.quiet:
            again = " (tried again)" if answer.get("again") else ""
            name = f"{order.instance.name}, {order.variant}, seed {order.seed}"
            self.console.print(Text(f"failed{again}: {name}: {answer['reason']}"))

    def tick(self) -> None:
        """Update the display from the folder at intervals."""
        began = time.monotonic()
        if self._live is None or began < self._next:
            return
        picture, _ = _picture(self.folder)
        self._live.update(picture, refresh=True)
        self._next = time.monotonic() + max(_EVERY, _SHARE * (time.monotonic() - began))

    def say(self, summary: Summary, left: int) -> None:
        """Print the final summary."""
        if self.quiet:
            return
        parts = [f"{summary.done} runs made", f"{summary.there} were there"]
        parts += [f"{summary.failed} failed"] if summary.failed else []
        if summary.failed_before:
            parts.append(f"{summary.failed_before} had failed before (--retry-failed tries them again)")
        parts += [f"{left} left (the same command continues)"] if left else []
        plain_console().print(Text(f"{', '.join(parts)}; results in {self.folder}"), soft_wrap=True)
