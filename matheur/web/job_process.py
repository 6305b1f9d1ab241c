"""A process that runs jobs, seen from the server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from matheur.campaign.watching import excess_memory

__all__ = ["Answer", "JobProcess"]

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True, slots=True)
class Answer:
    """How a job ended.

    Attributes
    ----------
    code
        What `matheur.web.job_runner` answered, or the exit code of a process that ended without an answer.
    reason
        Why the job failed; empty if it did not.
    """

    code: int
    reason: str = ""


class JobProcess:
    """The leader of its own process group, so that a kill also ends what it has started.

    Attributes
    ----------
    jobs
        Number of jobs given to it so far.
    asked
        True once it was asked to stop; it is given no job after that.
    """

    def __init__(self, process: asyncio.subprocess.Process, orders: int) -> None:
        self._process, self._orders = process, orders
        self.jobs, self.asked = 0, False

    @classmethod
    async def start(cls) -> JobProcess:
        """Start a process."""
        theirs, ours = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", "matheur.web.job_runner", str(theirs), stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, start_new_session=True,
                pass_fds=(theirs,), env={**dict.fromkeys(_THREADS, "1"), **os.environ},
            )  # fmt: skip
        except OSError:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
        return cls(process, ours)

    async def make(self, folder: Path) -> Answer | None:
        """Let it make a job: its answer, None if the process is gone."""
        assert self._process.stdout is not None
        self.jobs += 1
        with contextlib.suppress(BrokenPipeError):
            os.write(self._orders, os.fsencode(folder) + b"\n")
        line = await self._process.stdout.readline()
        return Answer(*json.loads(line)) if line.endswith(b"\n") else None

    @property
    def alive(self) -> bool:
        """Whether the process has not ended, as far as is known."""
        return self._process.returncode is None

    def excess(self, limit: int) -> str | None:
        """What is wrong if the process and all that it has started hold more than `limit` bytes."""
        return excess_memory(self._process.pid, limit)

    def stop(self) -> None:
        """Ask it to come back with the best so far."""
        self.asked = True
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()

    async def end(self) -> int:
        """Kill it with all that it has started; its exit code, which may be an earlier one."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.close(self._orders)
        return await self._process.wait()
