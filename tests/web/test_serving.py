"""The command, and what it refuses."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from web.conftest import Server

from matheur.cli import run
from matheur.errors import ConfigurationError
from matheur.web.limits import Limits
from matheur.web.serving import serve


def test_without_the_extra_it_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One line says what to install."""
    monkeypatch.setattr("matheur.web.extra.find_spec", lambda _: None)
    assert run(["serve"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert run(["serve"]) == 2
    assert "pip install 'matheur[web]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("host", "token", "said"),
    [
        ("0.0.0.0", None, "needs a token"),
        ("0.0.0.0", "short", "16 to 200"),
        ("127.0.0.1", "with blanks in it, long", "16"),
    ],
)
def test_beyond_this_machine_a_token_is_needed(tmp_path: Path, host: str, token: str | None, said: str) -> None:
    """And one that cannot be guessed."""
    with pytest.raises(ConfigurationError, match=said):
        serve(tmp_path, Limits(), host=host, port=0, token=token)


@pytest.mark.parametrize(
    "values", [{"jobs": 0}, {"seconds": -1.0}, {"upload": 0}, {"memory": 0}, {"seconds": float("inf")}]
)
def test_limits_are_positive(values: dict[str, int]) -> None:
    """A limit of nothing is a mistake."""
    with pytest.raises(ConfigurationError, match="positive"):
        Limits(**values)  # type: ignore[arg-type]


def test_a_taken_port_or_folder_is_one_line(server: Server, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Bad places are said, not raised."""
    port = server.host.split(":")[1]
    assert run(["serve", "--port", port, "--folder", str(tmp_path)]) == 2
    assert "cannot listen" in capsys.readouterr().err
    assert run(["serve", "--port", "0", "--folder", str(server.folder)]) == 2
    assert "another server works" in capsys.readouterr().err
    assert run(["serve", "--host", "192.0.2.1", "--token", "auto", "--folder", str(tmp_path)]) == 2
    assert "Maybe another --host?" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--memory", "--upload", "--seconds"])
@pytest.mark.parametrize("value", ["inf", "nan", "0"])
def test_limits_of_no_size_are_one_line(capsys: pytest.CaptureFixture[str], option: str, value: str) -> None:
    """Neither endless nor beyond all numbers."""
    assert run(["serve", option, value, "--folder", "/dev/null"]) == 2
    said = capsys.readouterr().err
    assert option.strip("-") in said
    assert "/dev/null" not in said


def test_files_are_for_their_owner(server: Server) -> None:
    """Whatever the server and its processes write is readable for nobody else."""
    job = server.solve("edge-matching/3x3", iterations="1")
    server.wait(job, "done", "failed")
    found = [one for one in server.folder.rglob("*") if one.stat().st_mode & 0o077]
    assert found == []
    assert list(server.folder.rglob("result.json"))


def test_a_token_lets_in(tmp_path: Path) -> None:
    """The printed address opens the workbench, the same without the token does not; SIGTERM ends it with code 0."""
    found = Server(tmp_path, "--token", "auto")
    try:
        assert found.ask("GET", "/")[0] == 401
        status, headers, _ = found.ask("GET", found.opened.removeprefix(found.address))
        assert (status, headers["location"]) == (303, "/")
        cookie = headers["set-cookie"].split(";")[0]
        assert found.ask("GET", "/", headers={"Cookie": cookie})[0] == 200
        assert found.ask("GET", "/static/workbench.js")[0] == 401
    finally:
        found.kill(signal.SIGTERM)
    assert found.process.returncode == 0


@pytest.mark.parametrize(
    ("host", "origin"),
    [("bench.example", "https://bench.example"), ("bench.example:8443", "https://bench.example:8443"),
     ("localhost:9", "http://localhost:9")],
)  # fmt: skip
def test_with_a_token_other_names_lead_here(tmp_path: Path, host: str, origin: str) -> None:
    """A server with TLS passes its name on, a tunnel its port; who has no token, or another origin, stays outside."""
    found = Server(tmp_path, "--token", "auto")
    try:
        cookie = f"matheur_token={found.opened.partition('token=')[2]}"
        assert found.ask("GET", "/", headers={"Host": host})[0] == 401
        assert found.ask("GET", "/", headers={"Host": host, "Cookie": cookie})[0] == 200
        for asked, status in ((origin, 404), ("https://evil.example", 403), (found.address, 403)):
            given = {"Host": host, "Cookie": cookie, "Origin": asked}
            assert found.ask("POST", "/jobs/x/nowhere", b"", given)[0] == status
    finally:
        found.kill(signal.SIGTERM)
