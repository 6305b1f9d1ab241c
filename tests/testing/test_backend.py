"""`check_backend` names the contract that a wrong backend breaks; right ones pass in `tests/solvers`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyomo.environ as pyo
import pytest
from pyomo.common.collections import ComponentMap

from matheur.errors import MatheurError, SolverError
from matheur.solvers import MilpSolution, MilpStatus, SolveRequest, get_backend
from matheur.solvers.checked import CheckedBackend
from matheur.testing import backend as checks
from matheur.testing import backend_answers, backend_calls, backend_limits, check_backend
from matheur.testing.backend_case import BackendCase
from matheur.testing.contract import Contract, hold

Solving = Callable[[Any, SolveRequest], MilpSolution]
HIGHS = get_backend("highs")


class Liar:
    """HiGHS, whose requests and answers somebody changes."""

    name = "liar"

    def __init__(self, solving: Solving, **capabilities: Any) -> None:
        self.solving = solving
        self.capabilities = replace(HIGHS.capabilities, **capabilities)

    def available(self) -> bool:
        return True

    def version(self) -> str:
        return HIGHS.version()

    def solve(self, model: Any, request: SolveRequest) -> MilpSolution:
        return replace(self.solving(model, request), backend=self.name)


def asking(**changes: Any) -> Liar:
    """A part of the request is ignored, for another one."""
    return Liar(lambda model, request: HIGHS.solve(model, replace(request, **changes)))


def saying(**changes: Any) -> Liar:
    """A part of the answer is another one."""
    return Liar(lambda model, request: replace(HIGHS.solve(model, request), **changes))


def unsigned(model: Any, request: SolveRequest) -> MilpSolution:
    """The version is another one."""
    return replace(HIGHS.solve(model, request), version="0")


def writing(model: Any, request: SolveRequest) -> MilpSolution:
    """The model gets the values of the solution."""
    answer = HIGHS.solve(model, request)
    for variable, value in answer.values.items():
        variable.set_value(value, skip_validation=True)
    return answer


def careless(model: Any, request: SolveRequest) -> MilpSolution:
    """What is in no row has any value."""
    answer = HIGHS.solve(model, request)
    values = [(variable, 0.0 if variable.name == "idle" else value) for variable, value in answer.values.items()]
    return replace(answer, values=ComponentMap(values))


def printing(model: Any, request: SolveRequest) -> MilpSolution:
    """A banner, past Python."""
    os.write(1, b"Welcome\n")
    return HIGHS.solve(model, request)


def greeting(model: Any, request: SolveRequest) -> MilpSolution:
    """A banner, through Python."""
    sys.stdout.write("Welcome\n")
    return HIGHS.solve(model, request)


def swallowing(model: Any, request: SolveRequest) -> MilpSolution:
    """What is raised during a solve is forgotten."""
    try:
        return HIGHS.solve(model, request)
    except (KeyboardInterrupt, ZeroDivisionError):
        return MilpSolution(MilpStatus.UNKNOWN, ComponentMap(), None, None, 0, 0.0, "liar", "0")


def deaf(model: Any, request: SolveRequest) -> MilpSolution:
    """Callbacks are not called."""
    return HIGHS.solve(model, replace(request, on_incumbent=None))


def moody(model: Any, request: SolveRequest) -> MilpSolution:
    """Another seed each time."""
    moody.calls += 1  # type: ignore[attr-defined]
    return HIGHS.solve(model, replace(request, seed=moody.calls))  # type: ignore[attr-defined]


moody.calls = 10  # type: ignore[attr-defined]


def loose(model: Any, request: SolveRequest) -> MilpSolution:
    """A cutoff asks for what is as good, too."""
    cutoff = None if request.cutoff is None else request.cutoff + 1
    return HIGHS.solve(model, replace(request, cutoff=cutoff))


def first_objective(model: Any, request: SolveRequest) -> MilpSolution:
    """Of two objectives, the first one is taken."""
    active = list(model.component_data_objects(pyo.Objective, active=True))
    for other in active[1:]:
        other.deactivate()
    return HIGHS.solve(model, request)


LIARS: dict[str, tuple[Liar, Contract, str]] = {
    "no name": (Liar(unsigned), backend_answers.minimum_is_proved, "the answer is signed"),
    "no bound": (saying(bound=None), backend_answers.minimum_is_proved, "not 14|'feasible'"),
    "no claim": (saying(status=MilpStatus.FEASIBLE), backend_answers.maximum_keeps_its_sense, "'feasible'"),
    "wrong objective": (saying(objective=-9.0), backend_answers.maximum_keeps_its_sense, "claims the objective"),
    "no bound of a relaxation": (
        saying(bound=None), backend_answers.linear_programme_is_solved, "not 13.5|'feasible'",
    ),
    "infeasible as unknown": (
        saying(status=MilpStatus.UNKNOWN), backend_answers.infeasible_model_is_told, "not 'infeasible'",
    ),
    "unbounded as infeasible": (
        saying(status=MilpStatus.INFEASIBLE), backend_answers.unbounded_model_is_told, "not 'unbounded'",
    ),
    "writes into the model": (Liar(writing), backend_answers.model_is_left_alone, "other values after the solve"),
    "row without variables": (
        saying(status=MilpStatus.INFEASIBLE, objective=None, bound=None, values=ComponentMap()),
        backend_answers.trivial_rows_refute_or_pass, "'infeasible'",
    ),
    "a variable in no row": (Liar(careless), backend_answers.unused_variables_have_values, "the variable idle"),
    "no objective": (saying(status=MilpStatus.UNKNOWN), backend_answers.feasibility_is_answered, "status unknown"),
    "nothing to solve": (saying(status=MilpStatus.UNBOUNDED), backend_answers.empty_model_is_solved, "unbounded, and"),
    "time is up": (
        saying(status=MilpStatus.INFEASIBLE), backend_limits.limit_before_an_incumbent_is_unknown, "not 'unknown'",
    ),
    "incumbent is lost": (
        saying(status=MilpStatus.UNKNOWN, objective=None, bound=None, values=ComponentMap()),
        backend_limits.limit_keeps_the_incumbent, "not 'feasible'",
    ),
    "cutoff is ignored": (asking(cutoff=None), backend_limits.cutoff_asks_for_better, "the status is"),
    "loose cutoff": (Liar(loose), backend_limits.cutoff_of_whole_numbers_is_exact, "with the cutoff"),
    "beyond the cutoff": (asking(cutoff=None), backend_limits.nothing_beyond_the_cutoff_is_returned, "cutoff"),
    "start is ignored": (asking(warm_start=False), backend_limits.warm_start_is_accepted, "the trace begins|start of"),
    "start is fixed": (
        Liar(lambda model, request: HIGHS.solve(model, replace(request, cutoff=2.0))),
        backend_limits.partial_warm_start_is_accepted, "'infeasible'",
    ),
    "target is ignored": (asking(target=None, seconds=0.0), backend_limits.target_stops_the_search, "not 'feasible'"),
    "another seed": (Liar(moody), backend_limits.node_limit_is_deterministic, "and then|the second time"),
    "nodes are ignored": (
        Liar(lambda model, request: HIGHS.solve(model, replace(request, nodes=None)), node_limit=False),
        backend_limits.node_limit_is_never_ignored, "a node limit is ignored",
    ),
    "options are ignored": (asking(options={}), backend_calls.unknown_option_is_an_error, "unknown option is ignored"),
    "interrupt is ignored": (
        asking(interrupt=None, seconds=1.0), backend_calls.interrupt_keeps_the_incumbent, "not 'interrupted'",
    ),
    "signals are swallowed": (Liar(swallowing), backend_calls.signal_handlers_run, "without the exception"),
    "no incumbents": (Liar(deaf), backend_calls.incumbents_are_handed_out, "no incumbent is handed out"),
    "a banner": (Liar(printing), backend_calls.nothing_is_printed, "it prints b'Welcome"),
    "a greeting": (Liar(greeting), backend_calls.nothing_is_printed, "it prints b'Welcome"),
    "errors are swallowed": (Liar(swallowing), backend_calls.callback_errors_pass, "its error is swallowed"),
    "two threads": (
        Liar(lambda model, request: HIGHS.solve(model, replace(request, cutoff=request.threads + 13.5))),
        backend_calls.threads_may_change, "the status is",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("liar", "contract", "words"), LIARS.values(), ids=LIARS.keys())
def test_a_wrong_backend_is_named(liar: Liar, contract: Contract, words: str) -> None:
    """The error says which contract is broken and how, or what the model refutes."""
    with pytest.raises((AssertionError, SolverError), match=words) as caught:
        hold(contract, BackendCase(CheckedBackend(liar), 0.6))
    told = str(caught.value) + "".join(getattr(caught.value, "__notes__", []))
    assert "the backend 'liar'" in told
    assert str(contract.__doc__).splitlines()[0] in told


def test_every_contract_has_a_liar() -> None:
    """No contract of the check is there for show; of two objectives only, every coat takes care itself."""
    caught = {contract for _, contract, _ in LIARS.values()}
    by_the_coat = {backend_answers.capabilities_are_declared, backend_answers.two_objectives_are_refused}
    assert set(checks.CONTRACTS) == caught | by_the_coat


def test_the_whole_check_stops_at_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """A backend is checked as an object or by its name; one that nobody has is an error."""
    with pytest.raises(AssertionError, match="the backend 'liar' breaks a contract: An optimum comes with objective"):
        check_backend(Liar(unsigned))
    with pytest.raises(MatheurError, match="unknown solver"):
        check_backend("hihgs")
    monkeypatch.setattr(checks, "CONTRACTS", backend_answers.ANSWERS)
    check_backend("highs")
    nameless = Liar(unsigned)
    monkeypatch.setattr(nameless, "version", lambda: "")
    with pytest.raises(AssertionError, match="the version is not a text"):
        check_backend(nameless)
