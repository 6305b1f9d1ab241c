"""Connections with time limits, so that idle clients cannot block others.

uvicorn limits only the number of connections, and gives a client unlimited time to finish a request. Here a request
must arrive in time: its head as a whole, its body at a minimum rate. The number of unfinished requests is limited, too:
beyond it the oldest one is dropped, which does not come from a browser.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["BoundedProtocol"]

_HEAD = 10.0  # seconds for the head of a request, also between two requests
_REST = 5.0  # seconds for the rest of a body after the response
_BODY = 30.0  # seconds for a body, plus one for each `_PACE` bytes
_PACE = 16 * 2**10  # minimum rate of a body in bytes per second
_UNREAD = 60.0  # seconds after which a client that reads nothing is dropped
_HELD = {"head": 100, "body": 60, "rest": 40}  # maximum numbers of waiting connections; refused bodies count as rest
_YOUNG = 0.5  # seconds for which a new request is not dropped, since many may arrive at the same moment
_MANY = 600  # number of connections above which new requests are dropped, too


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 as in uvicorn, with time limits.

    Attributes
    ----------
    awaits
        Part that the client must send: `head`, `body`, the `rest` of a body after the response, or nothing (empty).
    since
        Start of the wait (time of the event loop).
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.awaits, self.since = "", 0.0
        self._received = 0
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """As in asyncio."""
        super().connection_made(transport)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """As in asyncio."""
        self._await("")
        self.resume_writing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """As in asyncio."""
        self._received += len(data)
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """As in uvicorn."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """As in asyncio; called while the client does not read."""
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(_UNREAD, self.drop)

    def resume_writing(self) -> None:
        """As in asyncio."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def drop(self) -> None:
        """Close the connection immediately."""
        self._await("")
        self.transport.abort()

    def _look(self) -> None:
        """Update the part of a request that the client must send."""
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
        """Drop the oldest connections if too many wait for the same part of a request."""
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
