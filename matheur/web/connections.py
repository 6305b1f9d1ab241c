"""Connections within limits of time, so that visitors who ask for nothing keep nobody else out.

The limit of uvicorn counts all connections, and it gives a visitor all the time to finish a request. Here a request has
to come in time: its head as a whole, its body at a least pace. Only so many unfinished ones are held. Beyond that the
one goes that has waited longest, which is nobody's browser.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["BoundedProtocol"]

_HEAD = 10.0  # seconds for the head of a request, also between two requests
_REST = 5.0  # seconds for what is left of a body when the answer is out
_BODY = 30.0  # seconds for a body, and one more for each
_PACE = 16 * 2**10  # bytes of it
_UNREAD = 60.0  # seconds in which a visitor reads nothing of an answer
_HELD = {"head": 100, "body": 60, "rest": 40}  # connections that wait for it; refused bodies are among the rests
_YOUNG = 0.5  # seconds in which a request may not have been looked at yet: many may come at the same moment
_MANY = 600  # connections of all kinds beyond which that does not count


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 as of uvicorn, within limits of time.

    Attributes
    ----------
    awaits
        What the visitor has to send: `head`, `body`, the `rest` of a body that nobody wants any more, or nothing.
    since
        Since when (seconds of the loop).
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.awaits, self.since = "", 0.0
        self._received = 0
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """As of asyncio."""
        super().connection_made(transport)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """As of asyncio."""
        self._await("")
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """As of asyncio."""
        self._received += len(data)
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """As of uvicorn."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """As of asyncio: the visitor does not read."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(_UNREAD, self.drop)

    def resume_writing(self) -> None:
        """As of asyncio."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def drop(self) -> None:
        """End the connection at once."""
        self._await("")
        self.transport.abort()

    def _look(self) -> None:
        """See what the visitor has to send now."""
        state = self.conn.their_state
        if self.transport.is_closing():
            self._await("")
        elif state is h11.IDLE:
            self._await("head")
        elif state is h11.SEND_BODY:
            self._await("rest" if self.cycle.response_complete else "body")
        else:
            self._await("")

    def _await(self, what: str) -> None:
        if what == self.awaits:
            return
        self.awaits, self.since = what, self.loop.time()
        self._received = 0 if what == "head" else self._received
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if what:
            self._timer = self.loop.call_later({"head": _HEAD, "body": _BODY, "rest": _REST}[what], self._late)
            self._trim(what)

    def _trim(self, what: str) -> None:
        """Let those go that have waited longest, if there are too many who wait for the same."""
        held = [one for one in self.connections if isinstance(one, BoundedProtocol) and one.awaits == what]
        over = len(held) - _HELD[what]
        if over <= 0:
            return
        old, many = self.loop.time() - _YOUNG, len(self.connections) - _MANY
        for number, one in enumerate(sorted(held, key=lambda one: one.since)[:over]):
            if one.since > old and number >= many:
                break
            one.drop()

    def _late(self) -> None:
        left = self.since + _BODY + self._received / _PACE - self.loop.time()
        if self.awaits == "body" and left > 0:
            self._timer = self.loop.call_later(left, self._late)
        else:
            self.drop()
