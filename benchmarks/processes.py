"""Rows that several processes make side by side, for as long as there is time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from typing import TypeVar

__all__ = ["results"]

Task = TypeVar("Task")
Result = TypeVar("Result")


def results(function: Callable[[Task], Result], tasks: Iterable[Task], jobs: int, seconds: float) -> Iterator[Result]:
    """What a function makes of each task, as it comes; when the time is over, what was begun is finished."""
    end = time.monotonic() + seconds
    with ProcessPoolExecutor(jobs) as pool:
        waiting = iter(tasks)
        running = {pool.submit(function, task) for task in islice(waiting, jobs)}
        while running:
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for future in ended:
                yield future.result()
            if time.monotonic() < end:
                running |= {pool.submit(function, task) for task in islice(waiting, len(ended))}
