"""Child processes that run `matheur`, and checks of the files and processes that they leave behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fault_injection.counting import Loss

__all__ = ["Child", "complaints", "damaged_outputs", "left_files"]

PATIENCE = 180.0  # maximum seconds until a command returns, on a machine with other load
_MARK = "MATHEUR_FAULT_TRIAL"


class Child:
    """A `matheur` command in its own session and folder; all its descendants carry a mark."""

    def __init__(
        self,
        folder: Path,
        arguments: Sequence[object],
        *,
        environment: Mapping[str, str | None] | None = None,
        code: str | None = None,
        **options: Any,
    ) -> None:
        self.folder, self.mark = folder, uuid.uuid4().hex
        temporary = folder.parent / f"{folder.name}.tmp"
        for one in (folder, temporary):
            one.mkdir(parents=True, exist_ok=True)
        self.temporary = temporary
        values: dict[str, str | None] = {**os.environ, _MARK: self.mark, "TMPDIR": str(temporary), "COLUMNS": "200"}
        values |= environment or {}
        command = [sys.executable, "-c", code] if code else [str(Path(sys.executable).with_name("matheur"))]
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a shell; commands would inherit it
            signal.signal(signal.SIGINT, signal.default_int_handler)
        self.process = subprocess.Popen(
            [*command, *map(str, arguments)],
            cwd=folder,
            env={key: value for key, value in values.items() if value is not None},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            **options,
        )

    def signal(self, number: signal.Signals) -> None:
        """Send Ctrl-C to the whole group, as a terminal does, or SIGTERM to the command alone, as `kill` does."""
        if number == signal.SIGINT:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)

    def handles_signals(self) -> bool:
        """Whether matheur is running in the command: before and after it, Python alone does not handle SIGTERM."""
        try:
            status = Path(f"/proc/{self.process.pid}/status").read_text()
        except OSError:
            return False
        caught = next((line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:")), "0")
        return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)

    def end(self, patience: float = PATIENCE) -> tuple[int | None, str, str]:
        """Exit code (None: it did not return and was killed), standard output and standard error."""
        code: int | None
        try:
            out, err = self.process.communicate(timeout=patience)
            code = self.process.returncode
        except subprocess.TimeoutExpired:
            self.kill()
            out, err = self.process.communicate()
            code = None
        return code, out.decode(errors="replace"), err.decode(errors="replace")

    def left(self, patience: float = 5.0) -> list[str]:
        """Remaining processes of the command and its descendants; they are ended."""
        end = time.monotonic() + patience
        while (alive := list(self._alive())) and time.monotonic() < end:
            time.sleep(0.05)
        names = [_name(number) for number in alive]
        self.kill()
        return names

    def kill(self) -> None:
        """End the command and its descendants, by the mark that they carry."""
        for number in self._alive():
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                continue

    def _alive(self) -> Iterator[int]:
        wanted = f"{_MARK}={self.mark}".encode()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if wanted in (entry / "environ").read_bytes():
                        state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                        if state not in "ZX":
                            yield int(entry.name)
                except OSError:
                    continue


def _name(number: int) -> str:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:120]
    except OSError:
        return str(number)


def left_files(child: Child) -> list[str]:
    """Hidden files next to outputs, and remaining files in the folder for temporary files."""
    hidden = [path for path in child.folder.rglob(".*") if path.name not in (".lock", ".gitignore")]
    return [str(path.relative_to(child.folder.parent)) for path in [*hidden, *child.temporary.rglob("*")]]


def damaged_outputs(folder: Path) -> list[str]:
    """Existing files that cannot be read."""
    damaged = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")):
        try:
            _read(path)
        except (ValueError, OSError, ET.ParseError) as error:
            damaged.append(f"{path.name}: {error}")
    return damaged


def _read(path: Path) -> None:
    if path.suffix == ".json":
        json.loads(path.read_text())
    elif path.suffix == ".jsonl":  # the last line may be incomplete
        for line in path.read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                json.loads(line)
    elif path.suffix == ".svg":
        ET.parse(path)
    elif path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as content:
            for name in content:
                content[name]
    elif path.suffix == ".html" and "</html>" not in path.read_text():
        raise ValueError("the page is cut")


def _is_error(lines: list[str]) -> bool:
    return any(line.startswith("error: ") for line in lines)


def complaints(code: int | None, out: str, err: str) -> list[Loss]:
    """Faults in the way a command ended, for any command."""
    if code is None:
        return [Loss("hang", err[-300:])]
    found = []
    if "Traceback" in err or "Exception ignored" in err or "Fatal Python error" in err:
        found.append(Loss("traceback", err[-1500:]))
    elif code == 2 and not (_is_error(err.splitlines()[-1:]) and not _is_error(err.splitlines()[:-1])):
        found.append(Loss("message", err[-300:]))
    elif code not in (0, 1, 2, 130):
        found.append(Loss("silent", f"exit code {code}: {err[-300:]}"))
    elif code == 1 and not out.strip() and not err.strip():
        found.append(Loss("silent", "exit code 1 without a word"))
    return found
