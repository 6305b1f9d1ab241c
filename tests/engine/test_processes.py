"""Worker processes: they stop when asked, report on the way, and go when their parent goes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from engine.tasks import PATIENCE, die, double, until_asked

from matheur.engine.processes import Workers, check_sendable, check_startable, report, stop_requested, workers
from matheur.errors import MatheurError


def gather(pool: Workers, count: int) -> list[Any]:
    """So many reports, waited for."""
    found: list[Any] = []
    end = time.monotonic() + PATIENCE
    while len(found) < count and time.monotonic() < end:
        found += pool.reports()
        time.sleep(0.01)
    return found


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone(pids: list[int]) -> bool:
    """Whether all these processes end before long."""
    end = time.monotonic() + PATIENCE
    while any(alive(pid) for pid in pids) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(alive(pid) for pid in pids)


def test_results_and_reports_come_back() -> None:
    """A pool is an executor, and what workers report is there for the parent."""
    with workers(2) as pool:
        assert [future.result() for future in [pool.submit(double, n) for n in range(4)]] == [0, 2, 4, 6]
        assert sorted(found["half"] for found in gather(pool, 4)) == [0, 1, 2, 3]
        assert list(pool.reports()) == []


def test_workers_come_back_when_asked() -> None:
    """All running work sees the stop flag; outside of a worker nobody asks to stop."""
    with workers(2) as pool:
        futures = [pool.submit(until_asked, number) for number in (1, 2)]
        assert len(gather(pool, 2)) == 2
        pool.stop()
        assert sorted(future.result() for future in futures) == [1, 2]
    assert not stop_requested()
    report("nobody listens")


def test_leaving_stops_unfinished_work() -> None:
    """Leaving the pool, even by an error, asks running work to stop, drops what waits, and leaves no process."""
    futures = []

    def fail() -> None:
        with workers(1) as pool:
            futures.extend(pool.submit(until_asked, number) for number in range(1, 9))
            assert len(gather(pool, 1)) == 1
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        fail()
    assert futures[0].result() == 1
    assert any(future.cancelled() for future in futures)
    assert multiprocessing.active_children() == []


def test_signals_are_the_parents_business() -> None:
    """Ctrl-C reaches the whole process group: workers go on, and stop when the parent asks."""
    with workers(1) as pool:
        future = pool.submit(until_asked, 5)
        gather(pool, 1)
        for child in multiprocessing.active_children():
            assert child.pid is not None
            os.kill(child.pid, signal.SIGINT)
            os.kill(child.pid, signal.SIGTERM)
        pool.stop()
        assert future.result() == 5


def test_workers_survive_signals_while_they_start() -> None:
    """SIGTERM to the whole group, as `timeout` sends it, ends no worker before it can hear of the stop."""
    with workers(1) as pool:
        future = pool.submit(until_asked, 5)
        for child in multiprocessing.active_children():
            assert child.pid is not None
            os.kill(child.pid, signal.SIGINT)
            os.kill(child.pid, signal.SIGTERM)
        assert len(gather(pool, 1)) == 1
        pool.stop()
        assert future.result() == 5


def test_workers_go_when_their_parent_is_killed(tmp_path: Path) -> None:
    """A parent that is killed leaves no process behind."""
    script = tmp_path / "parent.py"
    script.write_text(
        "import multiprocessing, time\n"
        "from engine.tasks import until_asked\n"
        "from matheur.engine.processes import workers\n"
        "if __name__ == '__main__':\n"
        "    with workers(2) as pool:\n"
        "        futures = [pool.submit(until_asked, n) for n in (1, 2)]\n"
        "        seen = 0\n"
        "        while seen < 2:\n"
        "            seen += len(list(pool.reports()))\n"
        "            time.sleep(0.01)\n"
        "        print(*[child.pid for child in multiprocessing.active_children()], flush=True)\n"
        "        time.sleep(60)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert parent.stdout is not None
        children = [int(word) for word in parent.stdout.readline().split()]
        assert len(children) == 2
        assert all(alive(child) for child in children)
    finally:
        parent.kill()
        parent.communicate()
    assert gone(children)


_SOLVE = 'matheur.solve("edge-matching/3x3", construction="random", neighbourhoods=["swap-rotate"], iterations=4, {})'


def _script(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """A main script of a user, in a folder of its own."""
    script = folder / "script.py"
    script.write_text(text)
    return subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, cwd=folder, timeout=PATIENCE, check=False
    )


def test_a_script_without_a_guard_is_told_so(tmp_path: Path) -> None:
    """The true cause, once, and what its children do leaves no file and no semaphore."""
    call = _SOLVE.format('jobs=2, trace="trace.jsonl"')
    text = f"import matheur\n{call}\n"
    done = _script(tmp_path, text)
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    assert done.stderr.splitlines()[-1] == (
        "matheur.errors.MatheurError: worker processes import the main script, and this one starts a run as it is "
        "imported. Maybe put what the script does below if __name__ == '__main__':?"
    )
    assert "leaked" not in done.stderr
    assert (tmp_path / "trace.jsonl").read_text().count('"start"') == 1


def test_a_script_that_fails_in_workers_is_named(tmp_path: Path) -> None:
    """They import it under another name."""
    call = _SOLVE.format("jobs=2")
    text = f"import matheur\nif __name__ == '__main__':\n    {call}\nelse:\n    raise ValueError('no')\n"
    done = _script(tmp_path, text)
    assert "ended with exit code 1. Maybe the main script, which it imports, fails there?" in done.stderr


def test_a_daemonic_process_starts_no_others(tmp_path: Path) -> None:
    """As in a worker of `multiprocessing.Pool`: one error, and nothing is left behind."""
    text = (
        "import multiprocessing\nimport matheur\n\ndef work(_):\n    try:\n"
        f"        {_SOLVE.format('jobs=2')}\n    except matheur.MatheurError as error:\n        return str(error)\n\n"
        "if __name__ == '__main__':\n    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.map(work, [1])[0])\n"
    )
    done = _script(tmp_path, text)
    assert done.stdout.startswith("a daemonic process, such as a worker of multiprocessing.Pool, cannot start others. ")
    assert (done.returncode, done.stderr) == (0, "")


def test_others_that_import_a_script_are_told_of_the_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of somebody else is not ended silently."""
    check_startable()
    monkeypatch.setattr(multiprocessing.current_process(), "_inheriting", True, raising=False)
    with pytest.raises(MatheurError, match="cannot start others meanwhile"):
        check_startable()
    monkeypatch.setattr(multiprocessing.current_process(), "name", "matheur-worker-1")
    with pytest.raises(SystemExit):
        check_startable()


def test_problems_that_workers_cannot_receive(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a class in a function, of a notebook; others are sent."""

    class Local:
        pass

    class Session:
        pass

    check_sendable(Workers)
    with pytest.raises(MatheurError, match=r"Local cannot be sent to worker processes: .*\. Maybe define it"):
        check_sendable(Local())
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    Session.__module__ = "__main__"
    with pytest.raises(MatheurError, match=r"Session, since this session has no file\. Maybe put it into a module"):
        check_sendable(Session())


def test_an_operator_that_only_this_process_knows(tmp_path: Path) -> None:
    """It is registered below the guard, where workers do not come."""
    text = (
        "import matheur\nfrom matheur.problems.edge_matching.operators.random_board import RandomBoard\n"
        "if __name__ == '__main__':\n"
        "    matheur.register_operator('edge-matching', 'construction', 'mine', RandomBoard)\n"
        "    try:\n        matheur.solve('edge-matching/3x3', construction='mine', neighbourhoods='none', jobs=2)\n"
        "    except matheur.ConfigurationError as error:\n        print(error)\n"
    )
    assert _script(tmp_path, text).stdout == (
        "in a worker process, which imports the main script: 'edge-matching' has no construction 'mine'. Maybe call "
        "register_operator at the top level of the script, or jobs=1 in a notebook?\n"
    )


def test_a_worker_that_dies_is_an_error_of_one_line() -> None:
    """Whoever uses the pool."""
    with pytest.raises(MatheurError, match=r"a worker process died\. Maybe it ran out of memory"), workers(1) as pool:
        pool.submit(die).result()
    assert multiprocessing.active_children() == []
