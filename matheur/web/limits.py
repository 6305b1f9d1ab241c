"""What visitors of the workbench may use."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from typing import Any

from matheur.errors import ConfigurationError

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of jobs and uploads.

    Attributes
    ----------
    jobs
        Jobs at a time; others wait.
    waiting
        Jobs that may wait.
    seconds
        The longest time limit of a job. One that does not come back is killed after twice its own limit and a minute.
    memory
        Bytes of resident memory of a job with all its processes.
    cores
        Processes of one job.
    upload
        Bytes of a request, with all its files.
    kept
        Uploaded instances that are kept, in addition to those of jobs.
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
