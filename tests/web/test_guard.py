"""Who is let in, and what every answer carries."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
from collections.abc import MutableMapping
from typing import Any

import pytest
from web.conftest import Server

from matheur.web.guard import Guard, is_loopback

HOSTS = frozenset({"127.0.0.1:80"})
TOKEN = "abcdefghijklmnopqrst"


async def echo(scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
    """An application that reads all and says how much it was."""
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def ask(guard: Guard, method: str = "GET", query: str = "", chunks: tuple[bytes, ...] = (b"",), **headers: str) -> Any:
    """Status, headers and text of an answer."""
    sent: list[MutableMapping[str, Any]] = []
    waiting = list(chunks)

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    given = [(key.replace("_", "-").encode(), value.encode("latin-1")) for key, value in headers.items()]
    scope = {"type": "http", "method": method, "path": "/x", "query_string": query.encode(), "headers": given}
    asyncio.run(guard(scope, receive, send))
    found = {key.decode(): value.decode() for key, value in sent[0]["headers"]}
    return sent[0]["status"], found, sent[1]["body"].decode()


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:81", "evil.example:80", ""])
def test_other_names_are_refused(host: str) -> None:
    """A page that made its own name point to this machine gets nothing (DNS rebinding)."""
    assert ask(Guard(echo, HOSTS, None, 100), host=host)[0] == 421
    assert ask(Guard(echo, HOSTS, None, 100), host="127.0.0.1:80")[0] == 200


def test_changes_come_from_own_pages_only() -> None:
    """A request that changes something needs the origin of this server, or the browser's word that it is the same."""
    guard, own = Guard(echo, HOSTS, None, 100), "127.0.0.1:80"
    for origin in ("http://evil.example", "null", "http://127.0.0.1:81", "http://127.0.0.1:80.evil.example"):
        assert ask(guard, "POST", host=own, origin=origin)[0] == 403
    assert ask(guard, "POST", host=own)[0] == 403
    assert ask(guard, "POST", host=own, sec_fetch_site="cross-site")[0] == 403
    assert ask(guard, "POST", host=own, origin="http://127.0.0.1:80")[0] == 200
    assert ask(guard, "POST", host=own, sec_fetch_site="same-origin")[0] == 200


def test_other_pages_load_nothing() -> None:
    """A picture or a script that a page elsewhere asks for does not come; a link that somebody follows does."""
    guard, own = Guard(echo, HOSTS, None, 100), "127.0.0.1:80"
    assert ask(guard, host=own, sec_fetch_site="cross-site", sec_fetch_mode="no-cors")[0] == 403
    assert ask(guard, host=own, sec_fetch_site="cross-site", sec_fetch_mode="navigate")[0] == 200
    assert ask(guard, host=own, sec_fetch_site="same-origin", sec_fetch_mode="no-cors")[0] == 200


def test_bodies_are_bounded() -> None:
    """What is declared too large is refused at once, what turns out so while it is read."""
    guard, own = Guard(echo, HOSTS, None, 10), {"host": "127.0.0.1:80", "origin": "http://127.0.0.1:80"}
    assert ask(guard, "POST", chunks=(b"12345", b"67890"), **own)[2] == "10"
    assert ask(guard, "POST", chunks=(b"12345", b"678901"), **own)[0] == 413
    assert ask(guard, "POST", content_length="11", **own)[0] == 413
    assert ask(guard, "POST", content_length="-1", **own)[0] == 413


def test_a_token_is_brought_once() -> None:
    """The address with the token sets a cookie and leads to the one without; nothing else opens anything."""
    guard = Guard(echo, None, TOKEN, 100)
    assert ask(guard, host="anything")[0] == 401
    assert ask(guard, host="anything", cookie=f"matheur_token={TOKEN}x")[0] == 401
    assert ask(guard, query=f"token={TOKEN}x", host="anything")[0] == 401
    assert ask(guard, "POST", query=f"token={TOKEN}", host="h", origin="http://h")[0] == 401
    status, headers, _ = ask(guard, query=f"a=1&token={TOKEN}", host="anything")
    assert (status, headers["location"]) == (303, "/x?a=1")
    assert "HttpOnly; SameSite=Strict" in headers["set-cookie"]
    assert ask(guard, host="anything", cookie=f"matheur_token={TOKEN}")[0] == 200


@pytest.mark.parametrize(
    "before",
    ['pref={"a":1}', "name=a b", "name=h\u00e9", 'q="a\\"; b"', "=", ";;", "a", "a=b=c", "matheur_token=old",
     "Matheur[1]=x", "matheur_token_81=" + "z" * 20],
)  # fmt: skip
@pytest.mark.parametrize("between", ["; ", ";", " ; "])
def test_foreign_cookies_do_not_matter(before: str, between: str) -> None:
    """Whatever other programs on this host keep in front of ours or behind it, ours is found."""
    guard, ours = Guard(echo, None, TOKEN, 100), f"matheur_token_80={TOKEN}"
    for cookie in (f"{before}{between}{ours}", f"{ours}{between}{before}", f"{before}{between}{ours}{between}{before}"):
        assert ask(guard, host="127.0.0.1:80", cookie=cookie)[0] == 200
    assert ask(guard, host="127.0.0.1:80", cookie=f"{before}{between}other={TOKEN}")[0] == 401


def test_workbenches_on_one_host_have_cookies_of_their_own() -> None:
    """The name of the cookie has the port, so that a second workbench logs nobody out of the first one."""
    names = set()
    for host in ("127.0.0.1:8765", "127.0.0.1:8766", "[::1]:8765"):
        headers = ask(Guard(echo, None, TOKEN, 100), query=f"token={TOKEN}", host=host)[1]
        name, _, value = headers["set-cookie"].partition(";")[0].partition("=")
        assert value == TOKEN
        names.add(name)
    assert names == {"matheur_token_8765", "matheur_token_8766"}
    both = f"matheur_token_8766={'y' * 20}; matheur_token_8765={TOKEN}"
    assert ask(Guard(echo, None, TOKEN, 100), host="127.0.0.1:8765", cookie=both)[0] == 200
    assert ask(Guard(echo, None, TOKEN, 100), host="a:1\r\nx", query=f"token={TOKEN}")[1]["set-cookie"].startswith(
        f"matheur_token={TOKEN}"
    )


@pytest.mark.parametrize(
    ("host", "own"),
    [("127.0.0.1", True), ("127.3.2.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False),
     ("192.168.1.2", False), ("example.org", False)],
)  # fmt: skip
def test_what_is_this_machine_alone(host: str, own: bool) -> None:
    """Loopback addresses, and only they, need no token."""
    assert is_loopback(host) is own


def test_every_answer_has_the_policy(server: Server) -> None:
    """Pages, refusals and errors alike: nothing inline, nothing from elsewhere, never in a frame of others."""
    for method, path in (("GET", "/"), ("GET", "/nowhere"), ("GET", "/jobs/x"), ("POST", "/jobs/x/stop")):
        headers = server.ask(method, path)[1]
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
    picture = server.ask("GET", "/picture?instance=lights-out/demo")[1]
    assert picture["content-security-policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert server.ask("GET", "/", headers={"Host": "evil.example"})[0] == 421
    assert server.ask("POST", "/jobs", b"", {"Origin": "http://evil.example"})[0] == 403
    assert server.ask("POST", "/inputs", b"x" * 300_000)[0] == 413


def test_an_endless_body_is_cut_off(server: Server) -> None:
    """An upload that does not say how long it is ends at the limit."""
    connection = http.client.HTTPConnection(server.host, timeout=60)
    headers = {"Origin": server.address, "Content-Type": "multipart/form-data; boundary=edge"}
    begin = b'--edge\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n'
    chunks = [begin, *[b"x" * 50_000] * 8]
    try:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request("POST", "/inputs", iter(chunks), headers, encode_chunked=True)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (413, b"larger than 262,144 bytes\n")
    finally:
        connection.close()
