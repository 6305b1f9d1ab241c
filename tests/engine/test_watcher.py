"""The watcher that ends what a killed process leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from matheur.engine.watcher import watched

PATIENCE = 60.0
HOLDER = """
import subprocess, sys, time
from matheur.engine.watcher import watched
folder = sys.argv[1]
child = [sys.executable, "-c", "import os, time; os.fork(); time.sleep(600)"]
with watched(folder) as watch_over:
    started = subprocess.Popen(child, start_new_session=True)
    watch_over(started.pid)
    print(started.pid, flush=True)
    time.sleep(600)
"""


def living(group: int) -> bool:
    """Whether a process of a group lives; those that nobody has waited for do not."""
    shown = subprocess.run(["ps", "-A", "-o", "pgid=,stat="], capture_output=True, text=True, check=False)
    rows = [line.split() for line in shown.stdout.splitlines()]
    return any(int(row[0]) == group and not row[1].startswith("Z") for row in rows)


def within_patience(happened: object) -> bool:
    assert callable(happened)
    end = time.monotonic() + PATIENCE
    while not happened() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(happened())


@pytest.mark.skipif(not Path("/bin/sh").exists(), reason="there is no shell")
def test_nothing_outlives_a_killed_process(tmp_path: Path) -> None:
    """With signal 9 go the group that is watched, children included, and the folder."""
    folder = tmp_path / "a folder; $HOME 'quoted'"
    folder.mkdir()
    (folder / "file").touch()
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(folder)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    group = int(holder.stdout.readline())
    assert living(group)
    holder.kill()
    holder.wait()
    holder.stdout.close()
    assert within_patience(lambda: not living(group))
    assert within_patience(lambda: not folder.exists())
    assert tmp_path.exists()


def test_an_end_in_order_touches_nothing(tmp_path: Path) -> None:
    """Whoever leaves by himself has ended his processes, and keeps his folder."""
    folder = tmp_path / "kept"
    folder.mkdir()
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    with watched(folder) as watch_over:
        watch_over(other.pid)
    time.sleep(0.2)
    assert living(other.pid)
    assert folder.exists()
    os.killpg(other.pid, signal.SIGKILL)
    other.wait()
