"""Limits on the resources that users of the workbench may use."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import Any

from matheur.engine.job_count import check_jobs
from matheur.errors import ConfigurationError

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of jobs and uploads.

    Attributes
    ----------
    jobs
        Maximum number of simultaneous jobs; others wait.
    waiting
        Maximum number of waiting jobs.
    seconds
        Maximum time limit of a job. A job that does not stop is killed after twice its own limit plus a minute, and the
        time for compiling kernels (at most a quarter of an hour).
    memory
        Maximum number of bytes of resident memory of a job with all its processes.
    cores
        Maximum number of processes of a job.
    upload
        Maximum number of bytes of a request with all its files.
    kept
        Number of uploaded instances that are kept, in addition to those of jobs.
    """

    jobs: int = 2
    waiting: int = 20
    seconds: float = 3600.0
    memory: int = 8 * 10**9
    cores: int = field(default_factory=lambda: os.cpu_count() or 1)
    upload: int = 16 * 2**20
    kept: int = 100

    def __post_init__(self) -> None:
        for name in ("jobs", "waiting", "seconds", "memory", "cores", "upload", "kept"):
            value: Any = getattr(self, name)
            if not 0 < value < math.inf:
                raise ConfigurationError(f"the limit '{name}' must be positive and finite ({value})")
        check_jobs(self.jobs, "the limit 'jobs'")
