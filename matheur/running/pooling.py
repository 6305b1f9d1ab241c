"""Runs with a pool of elites on disk: joining, initial states, and sharing between searches."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from matheur.engine.elite_files import ELITE_NAME
from matheur.engine.elites import Elite
from matheur.engine.events import plain
from matheur.engine.files import make_folders, remove_leftovers, take_name, write_json
from matheur.engine.shared_elites import SharedElites
from matheur.engine.state import SearchState
from matheur.errors import InputError
from matheur.running.configuration import Configuration
from matheur.running.result import versions

__all__ = ["PoolRun", "from_outside", "join_pool", "new_state", "sharing"]

_log = logging.getLogger(__name__)

State = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PoolRun:
    """A run that has joined a pool; plain values, so that it can be sent to worker processes.

    Attributes
    ----------
    folder
        Folder of the pool.
    number
        Number of the run among those that have joined this pool, from 0.
    seed
        Seed of the run: the given one, or for a later run one derived from it and the number, so that no run repeats
        another one.
    capacity, every
        See `matheur.running.configuration.PoolOptions`.
    facts
        Values to store in each elite file of this run.
    best, best_facts
        The best elite when the run joined, and the facts of its file; None without one.
    """

    folder: Path
    number: int
    seed: int
    capacity: int
    every: float
    facts: Mapping[str, Any]
    best: Elite | None
    best_facts: Mapping[str, Any]

    def begin(
        self, problem: Any, states: Sequence[State | None], seeds: Sequence[int], *, start: Any, improving: bool
    ) -> list[State | None]:
        """The initial states of the searches of a run, new or continued.

        The worst search gets the pool's best elite, if that is better than its own best solution. From now on each
        search uses the seed given here: no interrupted call is repeated with the same random numbers.

        Parameters
        ----------
        states
            Stored states to continue from; None for a new search.
        start
            The user's start solution, or None.
        improving
            Whether the searches improve their current solution: then one continues from the elite. Otherwise, or with a
            start, the elite is only the best known solution.
        """
        begun: list[State | None] = [
            None if state is None else {**state, "seed": seed} for state, seed in zip(states, seeds, strict=True)
        ]
        if self.best is None:
            return begun
        objectives = [None if state is None else state.get("best_objective") for state in begun]
        last = max(range(len(begun)), key=lambda i: (objectives[i] is None, objectives[i] or 0, -i))
        known = objectives[last]
        if known is not None and known <= self.best.objective:
            return begun
        state = begun[last] or new_state(problem, seeds[last])
        state |= _as_best(problem, self.best, self.best_facts)
        if improving and (start is None or state.get("current") is not None):
            state["current"], state["proved"], state["idle"] = state["best"], [], 0
        begun[last] = state
        return begun


def _as_best(problem: Any, elite: Elite, facts: Mapping[str, Any]) -> State:
    """An elite as the entries of a state that are about its best solution."""
    found_by = facts.get("found_by")
    return {
        "best": problem.encode(elite.solution),
        "best_objective": elite.objective,
        "best_operator": found_by if isinstance(found_by, str) and found_by else "pool",
    }


def new_state(problem: Any, seed: int) -> State:
    """The stored state of a new search."""
    state: SearchState[Any] = SearchState()
    plain_state = state.to_plain(problem, seconds=0.0, work=0)
    return {**plain_state, "seed": seed, "schedule": {}, "acceptance": {}, "proofs": [], "elites": []}


def from_outside(pool: PoolRun | None, problem: Any) -> Callable[[], State | None]:
    """Function that returns the best elite of a pool, as the entries of a state about its best solution.

    The folder is read no more often than in a search.
    """
    if pool is None:
        return lambda: None
    elites = SharedElites(problem, pool.folder, capacity=pool.capacity, every=pool.every)
    look = elites.watching(lambda: False)

    def best() -> State | None:
        look()
        found = elites.entries()
        return _as_best(problem, found[0], elites.sources.get(found[0].key, {})) if found else None

    return best


def join_pool(problem: Any, name: str, configuration: Configuration) -> PoolRun | None:
    """Join the pool that a configuration names, creating it if missing; None if it names none.

    Parameters
    ----------
    name
        Name of the instance in the elite files.

    Raises
    ------
    InputError
        If the folder cannot be created, read or written to, or holds only elites of other instances.
    """
    options = configuration.pool
    if options.folder is None:
        return None
    folder = Path(options.folder)
    make_folders(folder, ["."])
    remove_leftovers(folder, ELITE_NAME)
    pool = SharedElites(problem, folder, capacity=options.capacity, notice=_log.warning)
    pool.exchange()
    elites = pool.entries()
    if pool.foreign and not elites:
        raise InputError("holds elites of another instance. Maybe another folder?", source=str(folder))
    number, place = take_name(folder, "run_{:04}.json")
    seed = configuration.seed
    if number > 0:
        sequence = np.random.SeedSequence(seed, spawn_key=(number,))
        seed = int(sequence.generate_state(1, np.uint64)[0] >> np.uint64(1))
    plain_configuration = plain(configuration.to_dict())
    write_json(
        place,
        {
            "format": "matheur-run",
            "run": number,
            "instance": name,
            "started": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            "seed": configuration.seed,
            "drawn_from": seed,
            "versions": versions(),
            "configuration": plain_configuration,
        },
    )
    return PoolRun(
        folder=folder,
        number=number,
        seed=seed,
        capacity=options.capacity,
        every=options.every,
        facts={
            "instance": name,
            "configuration": {"instance": plain_configuration["instance"]},
            "run": number,
            "seed": configuration.seed,
        },
        best=elites[0] if elites else None,
        best_facts=pool.sources.get(elites[0].key, {}) if elites else {},
    )


@contextmanager
def sharing(
    pool: PoolRun | None,
    problem: Any,
    interrupt: Callable[[], bool],
    found_by: Callable[[], str],
    *,
    job: int | None = None,
    notice: Callable[[str], None] = _log.warning,
) -> Iterator[dict[str, Any]]:
    """Arguments of `Budget` that let one search share elites; without a pool only the interrupt."""
    if pool is None:
        yield {"interrupt": interrupt}
        return
    elites = SharedElites(
        problem,
        pool.folder,
        capacity=pool.capacity,
        every=pool.every,
        facts={**pool.facts, **({} if job is None else {"job": job})},
        found_by=found_by,
        notice=notice,
    )
    with elites:
        yield {"interrupt": elites.watching(interrupt), "elites": elites}
