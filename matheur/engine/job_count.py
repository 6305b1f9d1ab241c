"""Limit on the number of processes that a run, a campaign or a server may be told to start."""

from __future__ import annotations

import os

from matheur.errors import ConfigurationError

__all__ = ["check_jobs", "jobs_max"]

_JOBS = 256
_PER_PROCESSOR = 4


def jobs_max() -> int:
    """Maximum number of processes: 256, or four for each processor if that is more.

    A process takes at least a hundred megabytes, so that a number with some zeros too many would use up the memory of
    the machine.
    """
    return max(_JOBS, _PER_PROCESSOR * (os.cpu_count() or 1))


def check_jobs(jobs: int, name: str = "jobs") -> None:
    """Raise an error if a number of processes is less than 1, or more than `jobs_max`.

    Raises
    ------
    ConfigurationError
        With the name of the option.
    """
    if jobs < 1:
        raise ConfigurationError(f"{name} must be at least 1 ({jobs})")
    if jobs > jobs_max():
        count = os.cpu_count() or 1
        raise ConfigurationError(
            f"{name} must be at most {jobs_max()} on this machine ({jobs}). "
            f"Maybe {count}, the number of its processors?"
        )
