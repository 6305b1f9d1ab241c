"""Checks of all requests, and security headers of all responses."""

from __future__ import annotations

import hmac
import re
from collections.abc import MutableMapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

__all__ = ["POLICY", "Guard", "is_loopback"]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'"
)
"""Content security policy of the pages: only files of this server, no inline scripts or styles."""

COOKIE = "matheur_token"
"""Prefix of the cookie's name. The port follows, since cookies ignore ports and a host may run several workbenches."""

_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
_OURS = re.compile(rf"{COOKIE}(_[0-9]{{1,5}})?")
_SAFE = ("GET", "HEAD")
_QUERY_MAX = 4000  # maximum length of a query that is searched for a token


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class _TooLargeError(BaseException):  # not an `Exception`, all of which the application handles
    """The body exceeds the limit."""


class Guard:
    """ASGI middleware that checks host, origin and token, limits the size of bodies, and sets headers.

    Parameters
    ----------
    app
        Protected application.
    hosts
        Accepted values of the header Host (against DNS rebinding); None if only the token protects.
    token
        Token of letters, digits, `-` and `_` that a client must send once as `?token=...`; a cookie stores it. None for
        no token.
    upload
        Maximum number of bytes of a body.
    """

    def __init__(self, app: Any, hosts: frozenset[str] | None, token: str | None, upload: int) -> None:
        self.app, self.hosts, self.token, self.upload = app, hosts, token, upload

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        """The ASGI interface."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers: dict[str, str] = {}
        for key, value in scope["headers"]:
            name, text = key.decode("latin-1"), value.decode("latin-1")
            headers[name] = f"{headers[name]}; {text}" if name == "cookie" and name in headers else text
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        begun = False

        async def guarded_send(message: MutableMapping[str, Any]) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                own = {key.decode("latin-1").lower() for key, _ in message["headers"]}
                more = {**_HEADERS, "content-security-policy": POLICY}
                message["headers"] = [
                    *message["headers"],
                    *((key.encode(), value.encode()) for key, value in more.items() if key not in own),
                ]
            await send(message)

        taken = 0

        async def bounded_receive() -> MutableMapping[str, Any]:
            nonlocal taken
            message: MutableMapping[str, Any] = await receive()
            taken += len(message.get("body", b""))
            if taken > self.upload:
                raise _TooLargeError
            return message

        try:
            await self.app(scope, bounded_receive, guarded_send)
        except _TooLargeError:
            if not begun:
                await _answer(send, 413, f"larger than {self.upload:,} bytes")

    def _refusal(self, scope: MutableMapping[str, Any], headers: dict[str, str]) -> tuple[Any, ...] | None:
        """Status, text and optional headers of a response that refuses the request; None if it is accepted."""
        host = headers.get("host", "")
        if self.hosts is not None and host not in self.hosts:
            return 421, "this server does not go by that name (header Host)"
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or len(length) > 15 or int(length) > self.upload:
            return 413, f"larger than {self.upload:,} bytes"
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            return 403, "this was asked for by a page of another server (header Sec-Fetch-Site)"
        if scope["method"] not in _SAFE and not _same_origin(headers, host):
            return 403, "this did not come from a page of this server (header Origin)"
        return None if self.token is None else self._token_refusal(scope, headers)

    def _token_refusal(self, scope: MutableMapping[str, Any], headers: dict[str, str]) -> tuple[Any, ...] | None:
        assert self.token is not None
        if any(_equal(one, self.token) for one in _cookies(headers.get("cookie", ""))):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1")[:_QUERY_MAX])
        if scope["method"] == "GET" and _equal(query.pop("token", [""])[0], self.token):
            path = "/" + quote(scope["path"].lstrip("/"))
            where = path + (f"?{urlencode(query, doseq=True)}" if query else "")
            cookie = f"{COOKIE}{_port(headers)}={self.token}; HttpOnly; SameSite=Strict; Path=/"
            return 303, "", {"location": where, "set-cookie": cookie}
        return 401, "this server asks for its token: open the address that it has printed"


def _same_origin(headers: dict[str, str], host: str) -> bool:
    """Whether a request that changes data comes from a page of this server, by the headers that browsers set."""
    origin = headers.get("origin")
    if origin is not None:
        return origin in (f"http://{host}", f"https://{host}")
    return headers.get("sec-fetch-site") == "same-origin"


def _cookies(header: str) -> list[str]:
    """Values of the workbench's cookies, including those of other workbenches on this host.

    This does not use `SimpleCookie`, which stops at the first malformed cookie, even of another program.
    """
    pairs = (part.partition("=") for part in header.split(";"))
    return [value.strip().strip('"') for name, _, value in pairs if re.fullmatch(_OURS, name.strip())]


def _port(headers: dict[str, str]) -> str:
    """The port in the header Host after an underscore; empty if it is the default port."""
    port = headers.get("host", "").rpartition(":")[2]
    return f"_{port}" if re.fullmatch(r"[0-9]{1,5}", port) else ""


def _equal(given: str, wanted: str) -> bool:
    """Comparison in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


async def _answer(send: Any, status: int, text: str, headers: dict[str, str] | None = None) -> None:
    more = {
        **_HEADERS,
        "content-security-policy": POLICY,
        "content-type": "text/plain; charset=utf-8",
        **(headers or {}),
    }
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(key.encode(), value.encode()) for key, value in more.items()],
        }
    )
    await send({"type": "http.response.body", "body": f"{text}\n".encode()})
