"""A process that runs jobs, as the server handles it."""

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
    """The outcome of a job.

    Attributes
    ----------
    code
        Answer of `matheur.web.job_runner`, or the exit code of a process that ended without an answer.
    reason
        Reason for a failure of the job; empty if it did not fail.
    """

    code: int
    reason: str = ""


class JobProcess:
    """Leader of its own process group, so that its child processes can be killed together with it.

    Attributes
    ----------
    jobs
        Number of jobs that it received so far.
    asked
        Whether it was asked to stop; it then receives no more jobs.
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
        """Run a job in the process; return its answer, or None if the process has ended."""
        assert self._process.stdout is not None
        self.jobs += 1
        with contextlib.suppress(BrokenPipeError):
            os.write(self._orders, os.fsencode(folder) + b"\n")
        line = await self._process.stdout.readline()
        return Answer(*json.loads(line)) if line.endswith(b"\n") else None

    @property
    def alive(self) -> bool:
        """Whether the process is not known to have ended."""
        return self._process.returncode is None

    def excess(self, limit: int) -> str | None:
        """Message if the process and its descendants use more than `limit` bytes, else None."""
        return excess_memory(self._process.pid, limit)

    def stop(self) -> None:
        """Ask the process to stop and return the best solution so far."""
        self.asked = True
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()

    async def end(self) -> int:
        """Kill the process group; return the exit code of the process, which may have ended earlier."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.close(self._orders)
        return await self._process.wait()
