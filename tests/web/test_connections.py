"""Visitors who hold connections without asking for anything, and what others get meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="the extra 'web' is not installed")

import uvicorn

from matheur.web import connections
from matheur.web.connections import BoundedProtocol
from matheur.web.guard import Guard

HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n"
BODY = b"POST / HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nContent-Length: 1000\r\n\r\n"
LARGE = b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n"


async def answer(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
    """An application that reads all, then answers; the page `/large` is more than a socket holds."""
    while (message := await receive())["type"] == "http.request" and message.get("more_body"):
        pass
    if message["type"] == "http.disconnect":
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    for _ in range(400 if scope["path"] == "/large" else 1):
        await send({"type": "http.response.body", "body": b"x" * 100_000, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def visited(visit: Callable[[Callable[[bytes], Awaitable[Any]]], Awaitable[Any]], token: str | None = None) -> Any:
    """Let somebody visit a server; `open(data)` connects and sends, and gives reader and writer."""

    async def run() -> Any:
        config = uvicorn.Config(
            Guard(answer, None, token, 10_000), port=0, log_level="critical", ws="none", lifespan="off",
            http=BoundedProtocol, limit_concurrency=40, loop="asyncio",
        )  # fmt: skip
        server = uvicorn.Server(config)
        task = asyncio.ensure_future(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        writers = []

        async def connect(data: bytes) -> Any:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writers.append(writer)
            writer.write(data)
            return reader, writer

        connect.server = server  # type: ignore[attr-defined]
        try:
            return await visit(connect)
        finally:
            for writer in writers:
                writer.transport.abort()
            server.should_exit = True
            await task

    return asyncio.run(asyncio.wait_for(run(), 60))


async def status_of(reader: asyncio.StreamReader) -> int:
    """The status of an answer, 0 if the connection ends without one."""
    try:
        line = await reader.readline()
    except ConnectionError:
        return 0
    return int(line.split()[1]) if line else 0


async def ended(reader: asyncio.StreamReader) -> bool:
    """Wait for the end of a connection."""
    try:
        while await reader.read(65536):
            pass
    except ConnectionError:
        pass
    return True


@pytest.mark.parametrize(
    ("limit", "begin", "drip"),
    [("_HEAD", b"", b""), ("_HEAD", HEAD, b""), ("_HEAD", HEAD, b"X: y\r\n"), ("_HEAD", HEAD + b"\r\n", b"\r\n"),
     ("_BODY", BODY, b""), ("_BODY", BODY, b"x")],
)  # fmt: skip
def test_a_request_comes_in_time(monkeypatch: pytest.MonkeyPatch, limit: str, begin: bytes, drip: bytes) -> None:
    """Whoever sends a part of a request, all at once or drop by drop, is let go after a while; also the second time."""
    monkeypatch.setattr(connections, limit, 0.3)

    async def visit(connect: Any) -> bool:
        reader, writer = await connect(begin)

        async def send() -> None:
            while drip:
                writer.write(drip)
                await asyncio.sleep(0.05)

        sending = asyncio.ensure_future(send())
        try:
            return await ended(reader)
        finally:
            sending.cancel()

    assert visited(visit) is True


def test_a_body_that_comes_steadily_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow line has the time that it needs: the limit grows with what has come, and only with that."""

    async def visit(connect: Any) -> tuple[bool, bool]:
        reader, writer = await connect(BODY)
        writer.write(b"x" * 500)
        while not (held := [one for one in connect.server.server_state.connections if one._received >= 500]):
            await asyncio.sleep(0.01)
        monkeypatch.setattr(connections, "_BODY", 0.0)
        monkeypatch.setattr(connections, "_PACE", 1)
        held[0]._late()
        kept = not held[0].transport.is_closing()
        monkeypatch.setattr(connections, "_PACE", 10**9)
        held[0]._late()
        return kept, await ended(reader)

    assert visited(visit) == (True, True)


def test_the_rest_of_a_refused_body_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who was refused before the body had come gets the answer, and not much more time."""
    monkeypatch.setattr(connections, "_REST", 0.3)

    async def visit(connect: Any) -> tuple[int, bool]:
        reader, _ = await connect(BODY)
        return await status_of(reader), await ended(reader)

    assert visited(visit, "t" * 20) == (401, True)


def test_who_reads_nothing_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that nobody takes does not wait without end."""
    monkeypatch.setattr(connections, "_UNREAD", 0.3)

    async def visit(connect: Any) -> bool:
        _, writer = await connect(LARGE)
        writer.transport.pause_reading()
        while connections_of(writer):
            await asyncio.sleep(0.05)
        return True

    def connections_of(writer: asyncio.StreamWriter) -> bool:
        """Whether the other side still holds the connection."""
        writer.write(b"x")
        return not writer.transport.is_closing()

    assert visited(visit) is True


def test_many_at_the_same_moment_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests that have come and only were not looked at yet do not count as half ones."""
    monkeypatch.setattr(connections, "_HELD", {"head": 5, "body": 5, "rest": 5})
    monkeypatch.setattr(connections, "_YOUNG", 60.0)

    async def visit(connect: Any) -> list[int]:
        visitors = await asyncio.gather(*(connect(HEAD + b"\r\n") for _ in range(30)))
        return [await status_of(reader) for reader, _ in visitors]

    assert visited(visit) == [200] * 30


@pytest.mark.parametrize("young", [0.0, 60.0])
@pytest.mark.parametrize("half", [b"", HEAD, BODY])
def test_half_requests_keep_nobody_out(monkeypatch: pytest.MonkeyPatch, half: bytes, young: float) -> None:
    """With many more half requests than the server holds, others are answered at once, and go on to be."""
    monkeypatch.setattr(connections, "_YOUNG", young)
    monkeypatch.setattr(connections, "_MANY", 25)
    monkeypatch.setattr(connections, "_HELD", {"head": 20, "body": 10, "rest": 5})

    async def visit(connect: Any) -> list[int]:
        found = []
        for _ in range(3):
            for _ in range(50):
                await connect(half)
            reader, _ = await connect(HEAD + b"\r\n")
            found.append(await status_of(reader))
        return found

    assert visited(visit) == [200, 200, 200]


def test_refused_bodies_go_before_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Visitors without the token cannot push out an upload of somebody who has it."""
    monkeypatch.setattr(connections, "_YOUNG", 0.0)
    monkeypatch.setattr(connections, "_HELD", {"head": 10, "body": 10, "rest": 5})
    token = "t" * 20

    async def visit(connect: Any) -> int:
        cookie = f"\r\nCookie: matheur_token={token}\r\n\r\n".encode()
        reader, writer = await connect(BODY.replace(b"\r\n\r\n", cookie))
        for _ in range(40):
            stranger, _ = await connect(BODY)
            await stranger.readline()
        writer.write(b"x" * 1000)
        return await status_of(reader)

    assert visited(visit, token) == 200
