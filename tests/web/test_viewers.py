"""Streams of events, without a server."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest
from web.conftest import an_order

from matheur.web import app
from matheur.web.limits import Limits
from matheur.web.store import Store
from matheur.web.workbench import Workbench


def test_viewers_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Viewers that come at the same moment share the limit of streams, and one who leaves makes room."""
    monkeypatch.setattr(app, "_VIEWERS", 3)
    bench = Workbench(Store(tmp_path), Limits())
    job = bench.store.add(an_order(), None)
    guard = app.create_app(bench, None, None)

    async def view(gone: asyncio.Event, statuses: list[int]) -> None:
        async def receive() -> MutableMapping[str, Any]:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        scope = {
            "type": "http", "method": "GET", "path": f"/jobs/{job.id}/events", "query_string": b"", "headers": [],
            "asgi": {"version": "3.0", "spec_version": "2.3"},
        }  # fmt: skip
        await guard(scope, receive, send)

    async def visit(number: int) -> list[int]:
        gone, statuses = asyncio.Event(), []
        tasks = [asyncio.ensure_future(view(gone, statuses)) for _ in range(number)]
        while len(statuses) < number:
            await asyncio.sleep(0.01)
        gone.set()
        await asyncio.gather(*tasks)
        return sorted(statuses)

    async def both() -> tuple[list[int], list[int]]:
        return await visit(5), await visit(3)

    try:
        assert asyncio.run(asyncio.wait_for(both(), 60)) == ([200, 200, 200, 503, 503], [200, 200, 200])
        assert bench.viewers == 0
    finally:
        bench.pool.close()
