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
_VISITORS = 700  # connections at a time; viewers (400) and unfinished requests (200) have limits of their own
_OF_PORTS = (errno.EADDRINUSE, errno.EACCES)  # another port may be free
_GOODBYE = 2  # seconds that open connections have at the end


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
        Where jobs are kept; those that a former server has left are taken up.
    host, port
        Where to listen; port 0 takes a free one. Beyond this machine a token is needed.
    token
        A token of at least 16 letters, digits, `-` or `_`; `auto` makes one; None asks nobody.
    on_ready
        Called with the address to open.

    Raises
    ------
    ConfigurationError
        If the token is missing or too weak.
    MatheurError
        If the address is taken, or another server works in the folder.
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
        app = create_app(bench, frozenset(names) if is_loopback(host) else None, token)
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, date_header=False, proxy_headers=False,
            ws="none", http=BoundedProtocol, loop="asyncio", lifespan="on", limit_concurrency=_VISITORS,
            timeout_graceful_shutdown=_GOODBYE,
        )  # fmt: skip
        logging.getLogger("python_multipart").setLevel(logging.ERROR)  # else each malformed form is a line
        server = uvicorn.Server(config)
        bench.closing = lambda: server.should_exit
        on_ready(f"http://{shown}:{bound}/" + (f"?token={token}" if token else ""))
        with contextlib.suppress(KeyboardInterrupt):  # the server has ended in order and raises its signal again
            server.run(sockets=[listener])


@contextlib.contextmanager
def _private_files() -> Iterator[None]:
    """What this process, and those that it starts, write is for their user alone."""
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
