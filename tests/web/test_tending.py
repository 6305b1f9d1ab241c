"""Limits of jobs, without a server."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from web.conftest import an_order

from matheur.configuration import resolve
from matheur.problems import problem_types
from matheur.web import tending
from matheur.web.limits import Limits
from matheur.web.store import Job, Store
from matheur.web.tending import Tender

SEARCH = {"construct": "random", "neighbourhoods": ["swap-rotate"]}


def ordered(store: Store, **changes: Any) -> Job:
    """A job that takes long, unless it is changed."""
    configuration = resolve(
        "edge-matching", overrides={**SEARCH, "time": 100.0, **changes.pop("overrides", {})}
    ).to_dict()
    order = {
        "subject": {"source": "edge-matching/16x16", "builtin": True, "name": "it", "options": {}},
        "fingerprint": problem_types.get("edge-matching").builtin("16x16", {}).fingerprint,
        "configuration": configuration,
        **changes,
    }
    return store.add(an_order(**order), None)


def made(tmp_path: Path, limits: Limits, *orders: dict[str, Any]) -> list[Job]:
    """Jobs that were tended until all had ended."""
    store = Store(tmp_path)

    async def tend() -> list[Job]:
        tender = Tender(store, limits)
        jobs = [ordered(store, **order) for order in orders]
        for job in jobs:
            tender.add(job)
        while any(job.state["state"] in ("waiting", "running") for job in jobs):
            await asyncio.sleep(0.05)
        await tender.close()
        return jobs

    return asyncio.run(asyncio.wait_for(tend(), 120))


def test_memory_is_limited(tmp_path: Path) -> None:
    """A job that holds more than it may is killed, and says so."""
    (job,) = made(tmp_path, Limits(memory=60_000_000), {})
    assert job.state["state"] == "failed"
    assert "used 0." in job.state["reason"]
    assert "more than 0.06 GB" in job.state["reason"]


def test_seconds_are_limited_and_errors_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that does not come back is killed after twice its time and a grace; one that is wrong costs no process."""
    monkeypatch.setattr(tending, "_GRACE", -199.0)
    wrong = {"fingerprint": "another", "overrides": {"time": 500.0}}
    one, two = made(tmp_path, Limits(jobs=1), wrong, {})
    assert one.state["state"] == "failed"
    assert "the instance is not what it was" in one.state["reason"]
    assert two.state["reason"] == "it took more than 1 seconds"
