"""Jobs, in the process that makes them, one after the other.

python -m matheur.web.work ORDERS     reads folders of jobs, a line each, from the descriptor ORDERS, and answers each
                                      on standard output when it is made: 0, or 3 if something was wrong with it

SIGTERM asks it to stop: the search comes back with the best so far and leaves its state to be resumed from. The process
ends with its standard input, so that it does not outlive its parent.
"""

from __future__ import annotations

import faulthandler
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from matheur.campaign.supervision import leave_with_input
from matheur.engine.announcing import listening
from matheur.engine.files import write_atomic, write_json
from matheur.engine.interrupt import Interrupt
from matheur.engine.processes import print_to
from matheur.errors import MatheurError
from matheur.web.store import Job

__all__ = ["REFUSED", "make_job"]

REFUSED = 3
"""The answer for a job with which something was wrong."""

_NOTED_EVERY = 0.5  # seconds


def make_job(job: Job, interrupt: Callable[[], bool]) -> None:
    """Make a job, or go on with it where its checkpoint is.

    Raises
    ------
    MatheurError
        If something is wrong with it.
    """
    from matheur.configuration import Configuration
    from matheur.engine.options import configure
    from matheur.solving import solve_configured
    from matheur.web.desk import load_subject

    order = job.order
    _, problem = load_subject(order["subject"], job.folder / "input")
    if problem.fingerprint != order["fingerprint"]:
        raise MatheurError("the instance is not what it was when the job was ordered")
    start: Any = None if order.get("start") is None else problem.decode(order["start"])
    solve_configured(
        problem,
        configure(Configuration, order["configuration"]),
        name=order["subject"]["name"],
        start=start,
        trace=job.events,
        out=job.result,
        checkpoint=job.checkpoint,
        resume=True,
        certify=order["certify"],
        interrupt=interrupt,
    )


def _lines(descriptor: int) -> Iterator[bytes]:
    """Whole lines until the end."""
    rest = b""
    while data := os.read(descriptor, 65536):
        *whole, rest = (rest + data).split(b"\n")
        yield from whole


def _noting(path: Path) -> Callable[[str, float], None]:
    """A listener that keeps in a file what is being built, such as tables that take a minute on their first use."""
    last = -_NOTED_EVERY

    def note(name: str, share: float) -> None:
        nonlocal last
        if time.monotonic() - last >= _NOTED_EVERY:
            last = time.monotonic()
            write_atomic(path, f"building {name}, {share:.0%}".encode())

    return note


def _answered(job: Job, interrupt: Callable[[], bool]) -> int:
    try:
        with listening(_noting(job.preparing)):
            make_job(job, interrupt)
    except (MatheurError, MemoryError) as error:
        reason = str(error) or "not enough memory"
        write_json(job.folder / "failure.json", {"reason": " ".join(reason.split())[:1000]})
        return REFUSED
    finally:
        job.preparing.unlink(missing_ok=True)
    return 0


def _main(orders: int) -> None:
    faulthandler.enable()
    leave_with_input()
    answers = os.dup(1)
    with Interrupt() as interrupt:
        for line in _lines(orders):
            job = Job(Path(os.fsdecode(line)))
            print_to(job.printed)
            os.chdir(job.folder)
            answer = _answered(job, interrupt)
            os.chdir("/")
            os.write(answers, f"{answer}\n".encode())


if __name__ == "__main__":
    _main(int(sys.argv[1]))
