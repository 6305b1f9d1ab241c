"""The server process."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import re
import secrets
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import uvicorn

from matheur.errors import ConfigurationError, MatheurError
from matheur.web.app import create_app
from matheur.web.connections import BoundedProtocol
from matheur.web.guard import is_loopback
from matheur.web.limits import Limits
from matheur.web.store import Store
from matheur.web.workbench import Workbench

__all__ = ["serve"]

_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,200}")
_VISITORS = 700  # maximum number of connections; viewers (400) and unfinished requests (200) have their own limits
_OF_PORTS = (errno.EADDRINUSE, errno.EACCES)  # with these errors another port may work
_GOODBYE = 2  # seconds for open connections to finish at the end


def serve(
    folder: Path,
    limits: Limits,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    token: str | None = None,
    on_ready: Callable[[str], None] = lambda address: None,
) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Parameters
    ----------
    folder
        Folder of the jobs; unfinished jobs of a previous server are resumed.
    host, port
        Address on which the server listens; port 0 selects a free one. An address that other machines can reach needs a
        token.
    token
        Token of at least 16 letters, digits, `-` or `_`; `auto` generates one; None for no token.
    on_ready
        Function called with the URL of the server.

    Raises
    ------
    ConfigurationError
        If the token is missing or too weak.
    MatheurError
        If the address is in use, or another server uses the folder.
    """
    token = secrets.token_urlsafe(24) if token == "auto" else token
    if token is None and not is_loopback(host):
        raise ConfigurationError(
            f"'{host}' can be reached from other machines, which needs a token. Maybe --token auto?"
        )
    if token is not None and not _TOKEN.fullmatch(token):
        raise ConfigurationError("a token has 16 to 200 letters, digits, '-' or '_'. Maybe --token auto?")
    with _private_files(), (store := Store(folder)).locked(), _listening(host, port) as listener:
        bound = listener.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        names = {f"{name}:{bound}" for name in ("127.0.0.1", "localhost", "[::1]", shown)}
        names |= {name.removesuffix(":80") for name in names} if bound == 80 else set()
        bench = Workbench(store, limits)
        # With a token, any name may lead here: that of a server with TLS, or of a tunnel from another port.
        app = create_app(bench, frozenset(names) if token is None else None, token)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, date_header=False, proxy_headers=False,
            ws="none", http=BoundedProtocol, loop="asyncio", lifespan="on", limit_concurrency=_VISITORS,
            timeout_graceful_shutdown=_GOODBYE,
        )  # fmt: skip
        logging.getLogger("python_multipart").setLevel(logging.ERROR)  # otherwise each malformed form logs a line
        server = uvicorn.Server(config)
        bench.closing = lambda: server.should_exit
        on_ready(f"http://{shown}:{bound}/" + (f"?token={token}" if token else ""))
        with contextlib.suppress(KeyboardInterrupt):  # the server shut down normally and raises its signal again
            server.run(sockets=[listener])


@contextlib.contextmanager
def _private_files() -> Iterator[None]:
    """Context in which files written by this process and its child processes are private to the user."""
    former = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(former)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(256)
    except OSError as error:
        found.close()
        hint = "--port 0, which takes a free one" if error.errno in _OF_PORTS else "another --host"
        raise MatheurError(f"cannot listen on {host}:{port} ({error.strerror or error}). Maybe {hint}?") from None
    return found
