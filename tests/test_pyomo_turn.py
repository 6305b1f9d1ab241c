"""Pyomo for one thread at a time: whose turn it is, for how long who waits, and what a fork begins with."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from matheur import alarm
from matheur.pyomo_turn import in_turn, pyomo_turn, release_turn, retake_turn

PATIENCE = 300.0  # seconds, for machines that are busy

IN_THREADS = """
from concurrent.futures import ThreadPoolExecutor
import pyomo.environ as pyo
import matheur

def greedy(seed):
    return matheur.solve(
        "edge-matching/4x4", construction="milp-greedy", neighbourhoods=[], iterations=1, seed=seed
    ).feasible

def model(number):
    made = pyo.ConcreteModel()
    made.x = pyo.Var(range(12), domain=pyo.Binary)
    made.c = pyo.Constraint(expr=sum((i + number) % 7 * made.x[i] for i in range(12)) <= 12)
    made.o = pyo.Objective(expr=sum((3 * i + number) % 11 * made.x[i] for i in range(12)), sense=pyo.maximize)
    return made

def optimal(made):
    return matheur.solve(made, seconds=60, preset="solver").status == "optimal"
"""


@pytest.mark.parametrize(
    "code",
    [
        "print(all(pool.map(optimal, [model(number) for number in range(3)])))",
        "greedy(0); print(all(pool.map(greedy, range(6))))",
        "print(all([one.result() for one in [pool.submit(greedy, 1), pool.submit(optimal, model(1))]]))",
    ],
)  # fmt: skip
def test_solves_in_threads(code: str) -> None:
    """Models of Pyomo, and operators that make some, also where nobody has used Pyomo before."""
    whole = f"{IN_THREADS}\nwith ThreadPoolExecutor(3) as pool:\n    {code}"
    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.stdout.strip(), done.returncode) == ("True", 0), done.stderr


def test_one_thread_at_a_time() -> None:
    """A thread may take it again, gives all of it away, and gets all of it back."""
    inside = in_turn(lambda: "other")
    with ThreadPoolExecutor(1) as pool, pyomo_turn(), pyomo_turn():
        other = pool.submit(inside)
        assert not other.done()
        released = release_turn()
        try:
            assert other.result(PATIENCE) == "other"
        finally:
            retake_turn(released)
        last = pool.submit(inside)
        assert inside() == "other"
        assert not last.done()
        with pyomo_turn():
            pass
        assert not last.done()
    assert last.result(PATIENCE) == "other"
    assert release_turn() is None
    retake_turn(None)


def test_who_waits_keeps_the_limit() -> None:
    """In the main thread and in others; what ended is not in the way of those that follow."""
    here, end = threading.Event(), threading.Event()

    def hold() -> None:
        with pyomo_turn():
            here.set()
            end.wait(PATIENCE)

    def wait() -> bool:
        with suppress(alarm.OutOfBudgetError), alarm.watched(lambda: True), pyomo_turn():
            return True
        return False

    with ThreadPoolExecutor(2) as pool:
        held = pool.submit(hold)
        try:
            assert here.wait(PATIENCE)
            assert pool.submit(wait).result(PATIENCE) is False
            assert wait() is False
        finally:
            end.set()
        held.result(PATIENCE)
        assert pool.submit(in_turn(lambda: True)).result(PATIENCE)
    with pyomo_turn():
        pass


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:os.fork:RuntimeWarning")
def test_a_fork_has_a_turn_of_its_own() -> None:
    """Whoever had it when the process was forked."""
    here, end = threading.Event(), threading.Event()

    def hold() -> None:
        with pyomo_turn():
            here.set()
            end.wait(PATIENCE)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(hold)
        try:
            assert here.wait(PATIENCE)
            child = os.fork()
            if child == 0:
                code = 1
                with suppress(BaseException), pyomo_turn():
                    code = 0
                os._exit(code)
            assert os.waitpid(child, 0)[1] == 0
        finally:
            end.set()
