"""A server of its own in a temporary folder, and a browser to look at it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette", reason="the extra 'web' is not installed")

_SECONDS = 120.0


def an_order(**changes: Any) -> dict[str, Any]:
    """What the workbench writes of a job, with changes."""
    configuration = {"seconds": 100.0, "jobs": 1, "seed": 0, "construction": {"name": "random"}}
    subject = {"source": "edge-matching/3x3", "builtin": True, "name": "it", "options": {}}
    return {
        "subject": subject, "instance": "edge-matching/3x3", "problem": "edge-matching", "fingerprint": "x",
        "scores": [12, 11, 12], "game": True, "preset": "default", "configuration": configuration, "start": None,
        "certify": False, "note": "", "form": {}, **changes,
    }  # fmt: skip


class Server:
    """`matheur serve` in a process.

    Attributes
    ----------
    address
        `http://127.0.0.1:PORT`.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.options = folder, options
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "matheur", "serve", "--port=0", f"--folder={self.folder}", *self.options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        if not self.said.startswith("workbench at http://127.0.0.1:"):
            self.kill()
            pytest.fail(self.said)
        self.opened = self.said.split()[2]
        self.host = self.opened.split("/")[2]
        self.address = f"http://{self.host}"

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send it a signal, and wait for its end."""
        os.kill(self.process.pid, number)
        self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def ask(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, dict[str, str], str]:
        """Status, headers and text of an answer; redirections are not followed."""
        connection = http.client.HTTPConnection(self.host, timeout=_SECONDS)
        try:
            given = {"Origin": self.address} if method == "POST" else {}
            connection.request(method, path, body, {**given, **(headers or {})})
            answer = connection.getresponse()
            text = answer.read().decode("utf-8", "replace")
            return answer.status, {key.lower(): value for key, value in answer.getheaders()}, text
        finally:
            connection.close()

    def get(self, path: str) -> str:
        """The text of a page that is there."""
        status, _, text = self.ask("GET", path)
        assert status == 200, (status, text)
        return text

    def post(self, path: str, fields: Mapping[str, str | Sequence[str]]) -> tuple[int, str, str]:
        """Status, where to go, and text of the answer to a form."""
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        status, found, text = self.ask("POST", path, urlencode(fields, doseq=True).encode(), headers)
        return status, found.get("location", ""), text

    def upload(self, files: Mapping[str, bytes], problem: str = "", options: str = "") -> tuple[int, str, str]:
        """Bring files, under names of any kind."""
        parts = [
            b'--edge\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n\r\n%s\r\n'
            % (name.replace('"', "%22").encode(), data)
            for name, data in files.items()
        ]
        for field, text in (("problem", problem), ("options", options)):
            head = f'--edge\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{text}\r\n'
            parts.append(head.encode())
        body = b"".join(parts) + b"--edge--\r\n"
        headers = {"Content-Type": "multipart/form-data; boundary=edge"}
        status, found, text = self.ask("POST", "/inputs", body, headers)
        return status, found.get("location", ""), text

    def solve(self, instance: str, **fields: str | Sequence[str]) -> str:
        """Order a job; the path of its page."""
        status, where, text = self.post("/jobs", {"instance": instance, "preset": "default", "seconds": "20", **fields})
        assert status == 303, text
        return where

    def state(self, job: str) -> str:
        """State of a job, from its file."""
        content = json.loads((self.folder / job.strip("/") / "state.json").read_text())
        return str(content["state"])

    def result(self, job: str) -> dict[str, object]:
        """The result file of a job."""
        found: dict[str, object] = json.loads((self.folder / job.strip("/") / "result.json").read_text())
        return found

    def wait(self, job: str, *states: str) -> str:
        """Wait until a job is in one of the states."""
        until = time.monotonic() + _SECONDS
        while (now := self.state(job)) not in states:
            assert time.monotonic() < until, (job, now)
            assert self.process.poll() is None
            time.sleep(0.05)
        return now


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that most tests share."""
    found = Server(tmp_path_factory.mktemp("workbench"), "--upload", "0.25", "--seconds", "120")
    yield found
    found.kill(signal.SIGTERM)
