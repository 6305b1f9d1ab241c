"""Runs on the workers of a Dask cluster, of this machine or of many."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from pathlib import Path

from matheur.errors import ConfigurationError

__all__ = ["dask_executor"]

_TIMEOUT = 30  # seconds to reach the scheduler


@contextmanager
def dask_executor(jobs: int, scheduler: str | None, stop: Path) -> Iterator[tuple[Executor, int]]:
    """An executor on a cluster, and how many tasks the cluster takes at a time.

    Parameters
    ----------
    jobs
        Workers of the local cluster that is started if there is no `scheduler`: processes of one thread each.
    scheduler
        Its address.
    stop
        Is made when the executor is left, so that tasks that still run give up.

    Raises
    ------
    ConfigurationError
        If Dask is not installed, or the scheduler does not answer.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ConfigurationError("the executor 'dask' is not installed. Maybe pip install 'matheur[dask]'?") from None
    cluster = None
    if scheduler is None:
        # Memory is limited per run and by us: a worker itself only waits.
        cluster = LocalCluster(
            n_workers=jobs,
            threads_per_worker=1,
            processes=True,
            memory_limit=0,
            dashboard_address=None,
            silence_logs=logging.ERROR,
        )
    try:
        try:
            client = Client(cluster or scheduler, timeout=_TIMEOUT, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise ConfigurationError(f"no Dask scheduler answers at {scheduler!r} ({error})") from None
        with client:
            pool = client.get_executor(pure=False, retries=2)
            try:
                yield pool, max(1, sum(client.nthreads().values()))
            finally:
                with suppress(OSError):
                    stop.touch()
                pool.shutdown(wait=False)
    finally:
        if cluster is not None:
            cluster.close()
