"""Execution of one run, in the process of the run."""

from __future__ import annotations

import json
import os
import platform
import resource
import time
import traceback
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from matheur.campaign.instances import Found, problem_of
from matheur.campaign.keys import code_version
from matheur.campaign.plan import Order
from matheur.campaign.store import Store
from matheur.engine.events import plain
from matheur.errors import InputError, MatheurError, UnwrittenError
from matheur.running.configuration import Configuration

__all__ = ["RETRIED", "failure", "kept_failure", "machine", "make_run", "now"]

RETRIED = ("crash", "disk")
"""Kinds of failures with external causes, after which a run is retried automatically."""

_PATIENCE = 60.0  # seconds to wait for space on a full disk before a result is given up
_PAUSE = 1.0


def now() -> str:
    """The current time in the format of records: ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def machine() -> dict[str, Any]:
    """Facts about the machine for readers of results."""
    return {
        "host": platform.node(),
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "system": platform.system(),
    }


def _cpu_seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def make_run(folder: str, order: Mapping[str, Any]) -> dict[str, Any]:
    """Execute a run and store its result or its failure; a finished run is not repeated.

    Parameters
    ----------
    folder
        Folder of the campaign, visible to every process that executes runs.
    order
        See `Order.to_dict`.

    Returns
    -------
    dict
        `key`, `outcome` (`done`, `there` or `failed`) and, for a failure, `reason`.
    """
    wanted, store = Order.from_dict(order), Store(folder)
    if store.result_path(wanted.key).exists():
        return {"key": wanted.key, "outcome": "there"}
    began, cpu = time.monotonic(), _cpu_seconds()  # includes the warm-up run
    stream = store.running_path(wanted.key, os.getpid())
    try:
        stream.touch()  # mark the run as in progress; the first event comes after reading and warming up
        result = _solved(wanted, stream)
    except Exception as error:
        reason = str(error) if isinstance(error, MatheurError) else f"{type(error).__name__}: {error}"
        kind = "memory" if isinstance(error, MemoryError) else "error"
        kind = "disk" if isinstance(error, UnwrittenError | OSError) else kind
        facts = failure(order, kind, reason, time.monotonic() - began)
        return kept_failure(store, wanted.key, {**facts, "traceback": traceback.format_exc()}, stream)
    bound_score = result.pop("bound_score")
    own = {
        "key": wanted.key,
        "instance": wanted.instance.name,
        "variant": wanted.variant,
        "group": wanted.instance.group,
        "seed": wanted.seed,
        "certify": wanted.certify,
        "fingerprint": wanted.instance.fingerprint,
        "code": wanted.code,
        "reference": wanted.instance.reference,
        "reference_score": wanted.instance.reference_score,
        "score_sense": wanted.instance.score_sense,
        "bound_score": bound_score,
        "cpu_seconds": round(_cpu_seconds() - cpu, 3),
        "wall_seconds": round(time.monotonic() - began, 3),
        "finished": now(),
        **machine(),
    }
    # The solution, by far the longest entry, comes last.
    solution = result.pop("solution")
    try:
        _finish(store, wanted.key, stream, {**result, "campaign": own, "solution": solution})
    except (InputError, OSError) as error:
        facts = failure(order, "disk", f"the result cannot be kept: {error}", time.monotonic() - began)
        return kept_failure(store, wanted.key, facts)
    return {"key": wanted.key, "outcome": "done"}


def _finish(store: Store, key: str, stream: Path, result: Mapping[str, Any]) -> None:
    """Store a result; on failure, such as a full disk, try again for some time."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            store.finish(key, stream, result)
        except (InputError, OSError):
            if time.monotonic() > until:
                raise
            time.sleep(_PAUSE)
        else:
            return


def kept_failure(store: Store, key: str, facts: Mapping[str, Any], stream: Path | None = None) -> dict[str, Any]:
    """Store a failure, and return the outcome of the run.

    If even the failure cannot be written, the run counts as not executed, and is repeated when the campaign runs again.
    """
    reason = str(facts["reason"])
    try:
        store.fail(key, facts, stream)
    except (InputError, OSError) as error:
        reason = f"{reason} (and that cannot be kept: {error})"
    return {"key": key, "outcome": "failed", "reason": reason}


def failure(order: Mapping[str, Any], kind: str, reason: str, seconds: float) -> dict[str, Any]:
    """Facts about a failure, for `Store.fail`."""
    return {
        "kind": kind,
        "reason": " ".join(reason.split())[:1000],
        "seconds": round(seconds, 3),
        "finished": now(),
        **machine(),
        "order": dict(order),
    }


_WARM_UPS = 5
_COMPILED = 0.5  # seconds by which a short run may exceed its time limit for reasons other than compilation
_warm: set[str] = set()


def _warm_up(problem: Any, configuration: Configuration, seconds: float) -> None:
    """Compile or load kernels by short discarded runs, once per process and configuration."""
    from matheur.running.solving import solve_configured

    names = configuration.neighbourhoods
    each = seconds / (1 + len(names))  # so that every operator is called
    short = replace(
        configuration,
        construction={**configuration.construction, "call_seconds": each},
        neighbourhood={name: {**configuration.neighbourhood.get(name, {}), "call_seconds": each} for name in names},
        seconds=seconds,
        work=None,
        iterations=None,
        target=None,
        seed=0,
    )
    text = json.dumps([problem.name, plain(short.to_dict())], sort_keys=True)
    if text in _warm:
        return
    _warm.add(text)
    for _ in range(_WARM_UPS):
        began = time.monotonic()
        solve_configured(problem, short)
        if time.monotonic() - began < seconds + _COMPILED:
            break  # otherwise compilation took the time, and later kernels may not have been reached


def _solved(order: Order, stream: Path) -> dict[str, Any]:
    """The result as plain values; events are written to `stream`."""
    from matheur.engine.options import configure
    from matheur.running.solving import solve_configured

    if not order.labelled and order.code != code_version():
        raise MatheurError("the code has changed since the campaign began. Maybe run the campaign again?")
    of = order.instance
    problem = problem_of(Found(of.name, of.source, problem=of.problem, options=of.options))
    if problem.fingerprint != of.fingerprint:
        raise InputError("the content has changed since the campaign began", source=of.source)
    configuration = configure(Configuration, order.configuration)
    if order.warm_up > 0:
        _warm_up(problem, configuration, order.warm_up)
    result = solve_configured(problem, configuration, name=of.source, trace=stream, certify=order.certify)
    if (fault := result.fault) is not None:
        raise fault
    values: dict[str, Any] = plain({**result.to_dict(), "bound_score": result.bound_score})
    return values
