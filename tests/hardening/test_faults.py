"""A few faults of every section; `docs/hardening.md` tells of the many."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from fault_injection import LOSSES, Count, Loss
from fault_injection.commands import Child, complaints, damaged_outputs, left_files
from fault_injection.damaged_bytes import mutate, try_bytes
from fault_injection.hidden_packages import try_packages
from fault_injection.hostile_files import Trials, full_disks, hostile_names, wrong_places
from fault_injection.signals import try_signals

FEW = ("solve --out", "generate")


def nothing_lost(counts: Iterable[Count], trials: int) -> None:
    """So many trials, and not one loss."""
    found = list(counts)
    assert sum(count.trials for count in found) == trials
    assert [(count.group, loss) for count in found for loss in count.losses] == []


def test_signals(tmp_path: Path) -> None:
    """A search with its files, a generator and an exporter, each told to stop at two moments."""
    names = ["solve lights out", "generate", "export clique"]
    (tmp_path / "durations.json").write_text(json.dumps(dict.fromkeys(names, 1.5)))
    nothing_lost(try_signals(tmp_path, 6, 2, names=names), 6)


def test_full_disks_and_wrong_places(tmp_path: Path) -> None:
    """One clear line, and nothing left over."""
    each = Trials(tmp_path, print)
    wrong_places(each, FEW)
    full_disks(each, FEW[1:], devices=False)
    nothing_lost(each.counts.values(), 6)


def test_hostile_names(tmp_path: Path) -> None:
    """A name that looks like an option and is no ASCII, in two locales."""
    each = Trials(tmp_path, print)
    hostile_names(each, ["-ä b"])
    nothing_lost(each.counts.values(), 10)


def test_damaged_bytes(tmp_path: Path) -> None:
    """Files of every problem and their solutions: a result, or one line."""
    nothing_lost(try_bytes(tmp_path, 150, 5, searching=False), 150)


def test_hidden_packages(tmp_path: Path) -> None:
    """The extra that is missing is named."""
    nothing_lost(try_packages(tmp_path, 1, 1, groups=["web", "cp"]), 5)


def test_mutations_are_those_of_the_seed() -> None:
    """The same seed damages a file in the same way; hardly ever not at all."""
    data = bytes(range(32, 127)) * 3
    damaged = [mutate(data, np.random.default_rng([1, trial])) for trial in range(100)]
    assert damaged == [mutate(data, np.random.default_rng([1, trial])) for trial in range(100)]
    assert sum(one == data for one in damaged) < 10


@pytest.mark.parametrize(
    ("code", "out", "err", "kind"),
    [
        (None, "", "", "hang"),
        (1, "", "Traceback (most recent call last):\n", "traceback"),
        (0, "", "Exception ignored in: <x>\n", "traceback"),
        (2, "", "no\n", "message"),
        (2, "", "error: one\nerror: two\n", "message"),
        (1, "", "", "silent"),
        (-11, "", "", "silent"),
        (2, "", "error: one\n", None),
        (130, "", "", None),
    ],
)
def test_losses_are_seen(code: int | None, out: str, err: str, kind: str | None) -> None:
    """How a command ends is judged."""
    assert [loss.kind for loss in complaints(code, out, err)] == ([] if kind is None else [kind])
    assert kind is None or kind in LOSSES


def test_results_name_no_folder_of_a_machine() -> None:
    """Of a traceback its last lines are kept, and of a path its last part."""
    detail = "first\n" * 9 + '  File "/tmp/one/two.py", line 3, in x\nOSError: /tmp/one: 1/2 of https://a/b, c/d\n'
    kind, kept = Loss("traceback", detail).kept
    assert kind == "traceback"
    assert kept.splitlines()[-3:] == ["first", '  File "two.py", line 3, in x', "OSError: one: 1/2 of https://a/b, c/d"]
    assert len(kept.splitlines()) == 8


def test_what_is_left_over_is_seen(tmp_path: Path) -> None:
    """A process that outlives its parent, a temporary file and a cut file are found."""
    code = (
        "import pathlib, subprocess, sys\n"
        "pathlib.Path('.out.json.123').touch()\n"
        "pathlib.Path('out.json').write_text('{')\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True,\n"
        "                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
    )
    child = Child(tmp_path / "here", [], code=code)
    assert child.end()[0] == 0
    (left,) = child.left(0.0)
    assert "time.sleep(600)" in left
    assert child.left(10.0) == []
    assert left_files(child) == ["here/.out.json.123"]
    assert [one.partition(":")[0] for one in damaged_outputs(child.folder)] == ["out.json"]


_MAIN = """
import atexit, os, signal, sys
import matheur.cli
def run(arguments, loading):
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        while True:
            signal.pause()
    finally:
        sys.stdout.write("cleaned up")
        sys.stdout.flush()
        {second}
matheur.cli.run = run
{late}
matheur.cli.main()
"""


@pytest.mark.parametrize("second", ["", "os.kill(os.getpid(), signal.SIGTERM); signal.sigtimedwait([], 1)"])
def test_sigterm_cleans_up(tmp_path: Path, second: str) -> None:
    """SIGTERM in any command runs its clean-up and ends it with 130, also if it comes twice."""
    child = Child(tmp_path / "here", [], code=_MAIN.format(second=second, late=""))
    assert child.end() == (130, "cleaned up", "")


def test_a_signal_on_the_way_out_is_quiet(tmp_path: Path) -> None:
    """While Python leaves, a signal ends it at once, without a word."""
    late = "atexit.register(os.kill, os.getpid(), signal.SIGINT)"
    child = Child(tmp_path / "here", [], code=_MAIN.format(second="", late=late))
    assert child.end() == (-signal.SIGINT, "cleaned up", "")
