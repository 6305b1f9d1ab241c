"""Training of networks for a kind of puzzle: the instances to learn from, and the length of walks.

A puzzle with other needs names an object of a class derived from `Training` as the tool `training` in its registration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.problem_types import tool_of
from matheur.engine.source import Source
from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import Domain, SampledDomain
from matheur.methods.statespace.domains import domain_of

__all__ = ["Training", "learnt_domain", "suggested_longest", "training_of"]


class Training:
    """Training of networks for a kind of puzzle, by default from the state space of one instance.

    Attributes
    ----------
    collects
        Whether a network learns from many instances, which `read` and `made` provide.
    """

    collects: bool = False

    def longest(self, problem: Any) -> int:
        """Number of steps after which random walks from the goal have reached most states."""
        domain = domain_of(problem)
        return int(domain.longest) if isinstance(domain, SampledDomain) else 100

    def inputs(self, problem: Any) -> NDArray[np.uint8]:
        """Inputs of the paper's network: uint8[units, inputs], 1 where a unit of `Encoding` switches an input on.

        Raises
        ------
        ConfigurationError
            If there is no such paper for this kind of puzzle.
        """
        raise ConfigurationError(
            f"no paper specifies the inputs of a network for '{problem.name}'. Maybe --inputs components?"
        )

    def domain(self, problems: Sequence[Any]) -> Domain:
        """The state space to learn from.

        Raises
        ------
        ConfigurationError
            If one network cannot be trained for all these problems.
        """
        if len(problems) != 1:
            raise ConfigurationError(f"a network is trained for one instance ({len(problems)})")
        found: Domain = domain_of(problems[0])
        return found

    def read(self, source: Source, options: Mapping[str, Any], *, needed: bool) -> list[Any]:
        """All instances in a file; an empty list if there are none and they are not needed."""
        raise ConfigurationError("a network is trained for one instance")

    def made(self, like: Any, count: int, seed: int) -> list[Any]:
        """Random instances like a built-in one."""
        raise ConfigurationError("a network is trained for one instance")


def training_of(problem: str) -> Training:
    """The `Training` of a kind of problem."""
    found: Training | None = tool_of(problem, "training")
    return found or Training()


def learnt_domain(problems: Sequence[Any]) -> Domain:
    """The state space that a network for these problems, all of one kind, learns from.

    Raises
    ------
    ConfigurationError
        If one network cannot be trained for all these problems.
    """
    if not problems:
        raise ConfigurationError("a network is trained for one instance (0)")
    return training_of(problems[0].name).domain(problems)


def suggested_longest(problem: Any) -> int:
    """Number of steps after which random walks from the goal have reached most states of a problem."""
    return training_of(problem.name).longest(problem)
