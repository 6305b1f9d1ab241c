"""The process that runs jobs, one after another.

python -m matheur.web.job_runner ORDERS     reads folders of jobs, one per line, from the file descriptor ORDERS. When
                                            a job is finished, it answers on standard output: [0, ""], or [3, REASON]
                                            if the job failed.

SIGTERM stops it: the search returns the best solution so far and leaves a checkpoint for a resume. The process exits
when its standard input ends, so that it does not outlive its parent.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from matheur.campaign.supervision import leave_with_input
from matheur.engine.announcing import listening
from matheur.engine.events import Event
from matheur.engine.files import write_atomic
from matheur.engine.interrupt import Interrupt
from matheur.engine.processes import print_to
from matheur.errors import InputError, MatheurError
from matheur.web.records import read_regular
from matheur.web.store import Job

__all__ = ["REFUSED", "compiles", "make_job"]

REFUSED = 3
"""The answer for a job that failed with an error."""

_COMPILING = "compiling kernels"  # how the note of a compilation begins
_NOTE_BYTES = 1000
_NOTED_EVERY = 0.5  # seconds between two notes


def compiles(job: Job) -> bool:
    """Whether the process of a job compiles kernels at the moment, by its note."""
    try:
        return read_regular(job.preparing, _NOTE_BYTES).startswith(_COMPILING.encode())
    except OSError:
        return False


def make_job(job: Job, interrupt: Callable[[], bool]) -> None:
    """Run a job, or resume it from its checkpoint; until the search begins, a file describes the preparation.

    Raises
    ------
    MatheurError
        If the job fails.
    """
    from matheur.compiling import compilation
    from matheur.engine.options import configure
    from matheur.running.configuration import Configuration
    from matheur.running.solving import solve_configured
    from matheur.web.subjects import load_subject

    order = job.order
    _, problem = load_subject(order["subject"], job.folder / "input")
    if problem.fingerprint != order["fingerprint"]:
        raise MatheurError("the instance has changed since the job was started")
    start: Any = None if order.get("start") is None else problem.decode(order["start"])
    notes = _Notes(job.preparing)
    with listening(notes.build), compilation.told_to(notes.compile):
        result = solve_configured(
            problem,
            configure(Configuration, order["configuration"]),
            name=order["subject"]["name"],
            start=start,
            observers=[notes.forget],
            trace=job.events,
            out=job.result,
            checkpoint=job.checkpoint,
            resume=True,
            certify=order["certify"],
            interrupt=interrupt,
        )
    if (fault := result.fault) is not None:
        raise fault


def _lines(descriptor: int) -> Iterator[bytes]:
    """Complete lines until the end of the stream."""
    rest = b""
    while data := os.read(descriptor, 65536):
        *whole, rest = (rest + data).split(b"\n")
        yield from whole


class _Notes:
    """Writes what is being prepared to a file, until the search continues. Errors of writing are ignored."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._written, self._last = False, -_NOTED_EVERY

    def build(self, name: str, share: float) -> None:
        """Note the progress of a table, whose first build may take a minute."""
        if share >= 1:
            self.forget()
        elif time.monotonic() - self._last >= _NOTED_EVERY:
            self._last = time.monotonic()
            self._write(f"building {name}, {share:.0%}")

    def compile(self, number: int) -> None:
        """Note that the kernel with this number is being compiled; 0 if none is."""
        if number:
            self._write(f"{_COMPILING}, {number} so far: once on a machine, not counted as time of the run")
        else:
            self.forget()

    def forget(self, _: Event | None = None) -> None:
        """Remove the note, since the preparation is complete."""
        if self._written:
            self._written = False
            with contextlib.suppress(OSError):
                self.path.unlink(missing_ok=True)

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, InputError):
            write_atomic(self.path, text.encode())
            self._written = True


def _answered(folder: Path, interrupt: Callable[[], bool]) -> tuple[int, str]:
    try:
        job = Job(folder)
        print_to(job.printed)
        os.chdir(folder)
        try:
            make_job(job, interrupt)
        finally:
            os.chdir("/")
            with contextlib.suppress(OSError):
                job.preparing.unlink(missing_ok=True)
    except (MatheurError, MemoryError) as error:
        reason = str(error) or "not enough memory"
    except OSError as error:  # such as a full disk
        reason = f"{error.strerror or error}"
    else:
        return 0, ""
    return REFUSED, " ".join(reason.replace(f"{folder}/", "").split())[:1000]


def _main(orders: int) -> None:
    faulthandler.enable()
    leave_with_input()
    answers = os.dup(1)
    with Interrupt() as interrupt:
        for line in _lines(orders):
            answer = _answered(Path(os.fsdecode(line)), interrupt)
            os.write(answers, f"{json.dumps(answer)}\n".encode())


if __name__ == "__main__":
    _main(int(sys.argv[1]))
