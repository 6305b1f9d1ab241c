"""Shared code of plan operators: heuristics named by options, and outcomes made from the answers of searches."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.inputs import note_input
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics import (
    LEARNT,
    REAL,
    Heuristic,
    file_and_options,
    file_named,
    heuristic_by_name,
    heuristic_names,
    leaves_of,
)

if TYPE_CHECKING:
    from matheur.methods.learning import Model, Use
    from matheur.methods.statespace.best_first.relative import Farther

__all__ = [
    "AUTO",
    "Plan",
    "best_first",
    "bytes_of",
    "check_for_windows",
    "deferred_of",
    "heuristic_of",
    "order_of",
    "outcome_of",
    "policy_of",
    "proof_of",
    "run_search",
]

Plan = NDArray[np.int32]

AUTO = "auto"
"""Stands for the domain's first heuristic, or for no heuristic if the domain has none."""

_MIB = 1 << 20
_BATCH = 100
THREADS_MAX = 64


def bytes_of(memory: int) -> int:
    """Convert the value of a memory option from MiB to bytes, at most 2**60, which no machine has."""
    return min(memory * _MIB, 1 << 60)


def heuristic_of(
    domain: Domain,
    name: str,
    *,
    memory: int,
    budget: Budget | None = None,
    compiled: bool = False,
    rounded: bool = True,
) -> Heuristic:
    """The heuristic that an operator's option names.

    Parameters
    ----------
    name
        Name as for `heuristic_by_name`, or `AUTO`; `FILE.npz` for a trained network, `LEARNT` for the network that
        comes with matheur, both with the options of `matheur.methods.learning.Use` in brackets.
    memory
        Largest size of its tables in bytes.
    compiled
        Whether the search accepts only compiled heuristics. A network of any size is then compiled, unless its options
        say otherwise.
    rounded
        Whether estimates of a trained network are rounded to whole numbers; see `learnt_heuristic`.

    Raises
    ------
    ConfigurationError
        If there is no such heuristic for this domain.
    """
    spec = next(iter(domain.heuristics()), "zero") if name == AUTO else name
    files = partial(_trained, compiled=compiled, scale=1 if rounded else REAL)
    return heuristic_by_name(domain, spec, memory=memory, budget=budget, files=files)


def check_for_windows(domain: Domain, name: str) -> None:
    """Reject a heuristic that cannot be used with the goals of windows.

    Raises
    ------
    ConfigurationError, InputError
        If there is no heuristic of that name, if it works for the puzzle's own goal only, or if the file of a network
        is missing or does not fit.
    """
    from matheur.methods.learning import check_other_goals, learnt_heuristic

    for one, options in [] if name == AUTO else leaves_of(name):
        if one == LEARNT or one.endswith(".npz"):
            model, use = _model_and_use(domain, one, options)
            learnt_heuristic(domain, model, use)
            check_other_goals(model, domain)
        elif one in domain.heuristics():
            known = domain.between(domain.start, domain.start).heuristics()
            if one not in known:
                raise ConfigurationError(
                    f"heuristic '{one}' is for the goal of the puzzle, windows have others. "
                    f"Maybe {' or '.join(known) or 'zero'}?"
                )
        elif one not in heuristic_names(domain):
            heuristic_by_name(domain, one)  # raises an error that lists the heuristics of the domain


def _trained(domain: Domain, name: str, options: Mapping[str, str], *, compiled: bool, scale: int) -> Heuristic:
    from matheur.methods.learning import learnt_heuristic

    model, use = _model_and_use(domain, name, options)
    return learnt_heuristic(domain, model, use.one_by_one() if compiled else use, scale=scale)


def _model_and_use(domain: Domain, name: str, options: Mapping[str, str]) -> tuple[Model, Use]:
    """A network and how to compute it; the option `method` selects one of those that come with matheur."""
    from matheur.methods.learning import Use, shipped_model

    if name != LEARNT:
        return _model(name), Use.from_texts(options)
    use = Use.from_texts({key: value for key, value in options.items() if key != "method"})
    return shipped_model(domain, "distance", options.get("method")), use


def _model(name: str) -> Model:
    """The network in a file, which is read once for all windows of a run."""
    from matheur.methods.learning import read_model

    try:
        about = os.stat(name)
    except OSError:
        return read_model(Path(name))  # raises an error that says what is wrong
    note_input(name)
    return _read(name, (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns))


@lru_cache(maxsize=4)
def _read(name: str, version: tuple[int, ...]) -> Model:
    from matheur.methods.learning import read_model

    del version  # part of the cache key: a changed file is read again
    return read_model(Path(name))


def deferred_of(domain: Domain, name: str, *, rounded: bool = True) -> tuple[Domain, Heuristic] | None:
    """A domain whose states are moves, if the name is a network that rates moves; see `learning.deferred`.

    Raises
    ------
    ConfigurationError, InputError
        If the name is malformed, or the file is not a network, or a network for another domain.
    """
    named = file_named(name)
    if named is None:
        return None
    from matheur.methods.learning import Use, deferred, read_model

    path, options = named
    model = read_model(Path(path))
    if model.output != "actions":
        return None
    return deferred(domain, model, Use.from_texts(options), scale=1 if rounded else REAL)


def policy_of(domain: Domain, name: str) -> Domain:
    """The domain with the costs that a trained policy assigns to moves.

    Parameters
    ----------
    name
        `FILE.npz`, or `LEARNT` for the policy that comes with matheur, with options in brackets.

    Raises
    ------
    ConfigurationError, InputError
        If there is no such file, or it is not a policy for this domain.
    """
    from matheur.methods.learning import Use, learnt_policy, shipped_model

    path, options = file_and_options(name)
    model = shipped_model(domain, "policy") if path == LEARNT else Path(path)
    return learnt_policy(domain, model, Use.from_texts(options))


def order_of(domain: Domain, name: str) -> Farther:
    """The comparison of states by a trained network, named as `FILE.npz` with options in brackets.

    Raises
    ------
    ConfigurationError, InputError
        If there is no such file, or its network does not compare states of this domain.
    """
    from matheur.methods.learning import Use, comparison

    path, options = file_and_options(name)
    return comparison(domain, Path(path), Use.from_texts(options))


def run_search(search: Callable[[], SearchAnswer]) -> SearchAnswer:
    """Run a search; report a search that does not suit the domain as an error in the user's configuration.

    Raises
    ------
    ConfigurationError
        If the search raises `ValueError`, with the same message.
    """
    try:
        return search()
    except ValueError as error:
        raise ConfigurationError(str(error)) from error


def best_first(domain: Domain, heuristic: Heuristic, budget: Budget, memory: int) -> SearchAnswer:
    """A*, in small batches if the domain or the heuristic is not compiled, or costs are too large for A*."""
    if domain.expander is not None and heuristic.estimator is not None:
        from matheur.methods.statespace.best_first.astar import astar
        from matheur.methods.statespace.best_first.frame import TooCostlyError

        with suppress(TooCostlyError):
            return astar(domain, heuristic, budget=budget, memory=memory)
    from matheur.methods.statespace.best_first.batch_astar import batch_astar

    until: Literal["first", "proved"] = "proved" if heuristic.admissible else "first"  # others prove nothing
    return batch_astar(domain, heuristic, batch=_BATCH, budget=budget, memory=memory, until=until)


def proof_of(answer: SearchAnswer, backend: str, heuristic: Heuristic | None = None) -> dict[str, Any]:
    """Certificate for the bound of an answer, as plain values."""
    return {
        "backend": backend,
        **({} if heuristic is None else {"heuristic": heuristic.name}),
        "search_bound": answer.bound,
        "expanded": answer.expanded,
        "stored": answer.stored,
        "memory": answer.memory,
        "seconds": round(answer.seconds, 3),
    }


def outcome_of(answer: SearchAnswer, backend: str, heuristic: Heuristic | None = None) -> Outcome[Plan]:
    """The outcome of a construction that consists of one search from the start to the goal."""
    proof = proof_of(answer, backend, heuristic)
    if answer.unreachable:
        if answer.plan is not None:
            raise AssertionError(f"'{backend}' found a plan and says that there is none")
        reason = f"{backend} searched all that can be reached ({answer.expanded} states expanded): no goal is there"
        del proof["search_bound"]  # there is no plan whose cost it could bound
        return Outcome(Status.INFEASIBLE, reason=reason, certificate=proof)
    bound = answer.bound if answer.bound > 0 or answer.proved else None
    certificate = None if bound is None else proof
    if answer.plan is None:
        return Outcome(Status.EXHAUSTED, bound=bound, certificate=certificate)
    return Outcome(Status.IMPROVED, answer.plan, answer.cost, bound=bound, certificate=certificate)
