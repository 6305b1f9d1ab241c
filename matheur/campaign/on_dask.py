"""Runs on the workers of a Dask cluster, on one machine or several."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from matheur.errors import ConfigurationError

__all__ = ["dask_executor"]

_TIMEOUT = 30  # seconds to reach the scheduler


_CHATTY = ("concurrent.futures", "distributed", "distributed.client", "distributed.comm", "distributed.core")


@contextmanager
def dask_executor(jobs: int, scheduler: str | None, stop: Path) -> Iterator[tuple[Executor, int, Callable[[], bool]]]:
    """An executor on a cluster, its number of threads, and a function that returns whether the cluster is lost.

    Parameters
    ----------
    jobs
        Number of workers, processes with one thread each, of the local cluster that is started without a `scheduler`.
    scheduler
        Address of the scheduler; None starts a local cluster.
    stop
        File that is created on exit, so that tasks that are still running stop.

    Raises
    ------
    ConfigurationError
        If Dask is not installed, or the scheduler does not answer.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ConfigurationError("the executor 'dask' is not installed. Maybe pip install 'matheur[dask]'?") from None
    with ExitStack() as stack:
        stack.enter_context(_silent())
        yield from _connected(Client, LocalCluster, jobs, scheduler, stop, stack)


def _connected(
    client_class: Any, cluster_class: Any, jobs: int, scheduler: str | None, stop: Path, stack: ExitStack
) -> Iterator[tuple[Executor, int, Callable[[], bool]]]:
    cluster = None
    if scheduler is None:
        # Campaigns limit memory per run; the Dask worker itself only waits.
        cluster = cluster_class(
            n_workers=jobs,
            threads_per_worker=1,
            processes=True,
            memory_limit=0,
            dashboard_address=None,
            silence_logs=logging.ERROR,
        )
        stack.callback(_quietly, cluster.close)
    try:
        client = client_class(cluster or scheduler, timeout=_TIMEOUT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ConfigurationError(f"no Dask scheduler answers at {scheduler!r} ({error})") from None
    stack.callback(_quietly, client.close)
    pool = client.get_executor(pure=False, retries=2)
    try:
        yield pool, max(1, sum(client.nthreads().values())), lambda: client.status != "running"
    finally:
        with suppress(OSError):
            stop.touch()
        _quietly(pool.shutdown, wait=False)


def _quietly(leave: Callable[..., Any], **keywords: Any) -> None:
    """Close part of a cluster that may be lost already; errors are ignored."""
    with suppress(Exception):
        leave(**keywords)


@contextmanager
def _silent() -> Iterator[None]:
    """Silence the loggers of libraries when a scheduler dies; the campaign reports it in one line."""
    levels = {name: logging.getLogger(name).level for name in _CHATTY}
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
