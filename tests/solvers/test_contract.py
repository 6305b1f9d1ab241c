"""Every backend that is installed keeps the contracts of `matheur.testing.backend`."""

from __future__ import annotations

import os
import time

import pyomo.environ as pyo
import pytest

from matheur.errors import SolverError
from matheur.solvers import MilpStatus, SolveRequest, get_backend, isolated
from matheur.testing import Contract, NotPromisedError
from matheur.testing import models as small
from matheur.testing.backend import CONTRACTS, BackendCase
from matheur.testing.backend_calls import signal_handlers_run
from matheur.testing.contract import hold

NAMES = ("highs", "scip", "cp-sat", "pyomo:cbc", "pyomo:glpk")


@pytest.fixture(params=NAMES)
def case(request: pytest.FixtureRequest) -> BackendCase:
    try:
        backend = get_backend(request.param)
    except SolverError as error:
        pytest.skip(str(error))
    return BackendCase(backend, 4.0 if backend.name == "cp-sat" else 0.6)  # it starts an interpreter


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda one: one.__name__)
def test_every_contract_is_kept(case: BackendCase, contract: Contract) -> None:
    """A backend answers truly and promptly, and is a good guest."""
    try:
        hold(contract, case)
    except NotPromisedError as error:
        pytest.skip(str(error))


def test_unbounded_is_told_from_infeasible(case: BackendCase) -> None:
    """A model without a best value is unbounded."""
    if case.backend.capabilities.integers_only:
        pytest.skip("it takes bounded integers only")
    assert case.solve(small.unbounded(), SolveRequest(seconds=30.0)).status is MilpStatus.UNBOUNDED


def test_unused_variables_rest(case: BackendCase) -> None:
    """Of several values that would do, a variable in no row has the one next to zero."""
    model = small.odd_cycle_cover()
    model.idle = pyo.Var(domain=pyo.Integers, bounds=(2.5, 9))
    assert case.solve(model).values[model.idle] == 3.0


def test_node_limit_is_kept(case: BackendCase) -> None:
    """HiGHS and SCIP count nodes as the limit does."""
    if case.backend.name not in ("highs", "scip"):
        pytest.skip("it counts otherwise, or not at all")
    assert 0 < case.solve(small.market_split(slack=True), SolveRequest(nodes=60, seed=3)).nodes <= 60


def test_signals_leave_no_process_behind(case: BackendCase, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a handler raises ends the solve, and the solver's processes are gone."""
    killed: list[int] = []
    send = isolated._send
    monkeypatch.setattr(isolated, "_send", lambda child, number: (killed.append(child), send(child, number))[1])
    hold(signal_handlers_run, case)
    assert killed
    for _ in range(200):  # a grandchild is collected by init, in its own time
        try:
            os.killpg(killed[0], 0)
        except ProcessLookupError:
            break
        time.sleep(0.02)
    else:
        pytest.fail("the solver's process group is still there")
