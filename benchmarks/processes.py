"""Rows computed by several parallel processes within a time limit."""

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
    """Results of a function for each task, in order of completion; after the time limit, started tasks are finished."""
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
