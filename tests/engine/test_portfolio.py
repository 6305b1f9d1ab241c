"""Portfolios of searches: rounds, migration and their end."""

from __future__ import annotations

from concurrent.futures import Executor, Future
from functools import partial
from typing import Any

import pytest
from engine import toy
from engine.tasks import work_on

from matheur.engine import Budget
from matheur.engine.portfolio import Member, Portfolio, Slice
from matheur.engine.processes import workers
from matheur.errors import ConfigurationError

PROBLEM = toy.SmallSum(40)


class Here(Executor):
    """Runs everything at once in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def run(
    executor: Executor, *, share: Any = "elite", work: int | None = 200, iterations: int | None = None, **options: Any
) -> tuple[list[Member], list[tuple[int | None, int, int | float]], int]:
    """Members at the end, migrations and number of rounds of a portfolio of four."""
    moved: list[tuple[int | None, int, int | float]] = []
    rounds = 0

    def count(_: list[Member]) -> None:
        nonlocal rounds
        rounds += 1

    hooks: dict[str, Any] = {
        "seconds": None, "states": [None] * 4, "elapsed": lambda: 0.0, "poll": lambda: None,
        "finish": lambda member: False, "migrated": lambda *move: moved.append(move), "round_done": count, **options,
    }  # fmt: skip
    portfolio = Portfolio(
        executor, partial(work_on, PROBLEM, work, iterations), 4, share=share, round_work=30, round_iterations=10
    )
    return portfolio.run([11, 12, 13, 14], work=work, iterations=iterations, **hooks), moved, rounds


def plain(members: list[Member]) -> list[Any]:
    return [member.facts for member in members]


def test_members_spend_their_budget_in_rounds() -> None:
    """Every member uses all of its work, round by round, whatever the unit of the limit."""
    members, _, rounds = run(Here())
    assert [member.facts["work"] for member in members] == pytest.approx([200] * 4, abs=1)
    assert {member.stopped for member in members} == {"budget"}
    assert rounds == 7
    members, _, rounds = run(Here(), work=None, iterations=45)
    assert [member.facts["iterations"] for member in members] == [45] * 4
    assert rounds == 5


def test_independent_members_are_as_if_alone() -> None:
    """Without sharing, a member ends exactly where a search of its own ends."""
    members, moved, _ = run(Here(), share="independent")
    assert moved == []
    alone = toy.search(PROBLEM, toy.Lower(), toy.Redraw()).run(Budget(work=200), 13)
    assert members[2].facts == toy.figures(alone)


def test_the_elite_migrates_to_the_worse_half() -> None:
    """After a round the worse half continues from the best solution, which is nobody's loss."""
    members, moved, _ = run(Here())
    assert moved
    assert all(source != target for source, target, _ in moved)
    shared, alone = plain(members), plain(run(Here(), share="independent")[0])
    assert [one["objective"] for one in shared] != [one["objective"] for one in alone]
    assert min(one["objective"] for one in shared) <= moved[-1][2]


def test_a_better_solution_from_outside_is_taken_over() -> None:
    """The worse half continues from the best of all, wherever it is from; a worse one from outside changes nothing."""
    zeros = {"best": [0] * PROBLEM.length, "best_objective": 0, "best_operator": "elsewhere"}
    members, moved, _ = run(Here(), outside=lambda: zeros)
    assert [(source, objective) for source, _, objective in moved[:2]] == [(None, 0), (None, 0)]
    assert {source for source, _, _ in moved[2:]} < {0, 1, 2, 3}  # then it is a member's own
    assert [member.objective for member in members] == [0, 0, 0, 0]
    worse = {"best": [9] * PROBLEM.length, "best_objective": 9 * PROBLEM.length, "best_operator": "elsewhere"}
    assert plain(run(Here(), outside=lambda: worse)[0]) == plain(run(Here())[0])
    assert run(Here(), outside=lambda: zeros, share="independent")[1] == []


def test_work_units_make_it_reproducible_in_processes() -> None:
    """With limits of work, processes or not, the same seeds give the same members and migrations."""
    with workers(2) as pool:
        (there, moved, rounds), here = run(pool), run(Here())
    assert (plain(there), moved, rounds) == (plain(here[0]), *here[1:])
    assert moved


def test_any_member_can_end_it() -> None:
    """If `finish` says so the portfolio ends after the round, without migration."""
    members, moved, rounds = run(Here(), finish=lambda member: member.index == 2)
    assert rounds == 1
    assert moved == []
    assert [member.stopped for member in members] == ["pause"] * 4


def test_stored_states_continue() -> None:
    """A portfolio that goes on from its members' states ends as one that was not stopped."""
    first, _, _ = run(Here(), finish=lambda member: member.state["work"] >= 90, share="independent")
    again, _, _ = run(Here(), states=[member.state for member in first], share="independent")
    assert plain(again) == plain(run(Here(), share="independent")[0])


def test_seconds_are_those_of_the_whole_run() -> None:
    """A member gets the seconds that are left, not those that it has not used itself."""
    seen: list[float | None] = []

    def note(slice_: Slice) -> Member:
        seen.append(slice_.seconds)
        assert slice_.pause.seconds is not None
        state = {"seconds": slice_.pause.seconds, "work": 0, "iteration": 0}
        return Member(slice_.member, None, "pause" if len(seen) < 3 else "budget", state)

    clock = iter([1.0, 4.0, 20.0])
    Portfolio(Here(), note, 1).run(
        [1], seconds=10, work=None, iterations=None, states=[None], elapsed=lambda: next(clock), poll=lambda: None,
        finish=lambda member: False, migrated=lambda *_: None, round_done=lambda _: None,
    )  # fmt: skip
    assert seen == [9.0, 6.0, 0.0]


def test_at_least_one_job() -> None:
    """No jobs is a configuration error."""
    with pytest.raises(ConfigurationError, match=r"\(0\)"):
        Portfolio(Here(), lambda slice_: None, 0)  # type: ignore[arg-type,return-value]


def test_in_a_timed_run_nobody_waits_for_a_member_in_a_long_call() -> None:
    """Members that are back go on at once, also from what a running one has told; the long one takes over, too."""
    told, moved, order = {"best": [3], "best_objective": 3, "best_operator": "told", "job": 0}, [], []
    waiting: dict[int, Future[Member]] = {}

    class Later(Executor):
        """The first member is in a call until the other has been back twice."""

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            [slice_] = args
            future: Future[Any] = Future()
            if slice_.member == 0 and slice_.state is None:
                waiting[0] = future
            else:
                future.set_result(fn(slice_))
            return future

    def work(slice_: Slice) -> Member:
        state = dict(slice_.state or {"seconds": 0.0, "work": 0, "iteration": 0, "best": [9], "best_objective": 9})
        order.append((slice_.member, state["best_objective"]))
        if len(order) == 2:
            waiting[0].set_result(member(0, 4, "pause"))
        return Member(slice_.member, state["best_objective"], "pause" if len(order) < 2 else "budget", state)

    def member(index: int, objective: int, stopped: str) -> Member:
        state = {"seconds": 9.0, "work": 0, "iteration": 0, "best": [objective], "best_objective": objective}
        return Member(index, objective, stopped, {**state, "best_operator": "own"})

    rounds: list[int] = []
    members = Portfolio(Later(), work, 2).run(
        [1, 2], seconds=10, work=None, iterations=None, states=[None, None], elapsed=lambda: 1.0, poll=lambda: None,
        finish=lambda member: False, migrated=lambda *move: moved.append(move),
        round_done=lambda known: rounds.append(len(known)), outside=lambda: told,
    )  # fmt: skip
    assert order[:2] == [(1, 9), (1, 3)]
    assert moved[0] == (0, 1, 3)
    assert [one.objective for one in members] == [3, 3]
    assert set(rounds) == {2}
    ended: list[int] = []
    Portfolio(Here(), lambda slice_: member(slice_.member, 5, "interrupt"), 2).run(
        [1, 2], seconds=10, work=None, iterations=None, states=[None, None], elapsed=lambda: 1.0, poll=lambda: None,
        finish=lambda member: True, migrated=lambda *move: None, round_done=lambda known: ended.append(len(known)),
    )  # fmt: skip
    assert ended == [2]  # a checkpoint, also where somebody stops it
