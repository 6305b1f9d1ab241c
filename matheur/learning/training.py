"""A training from the first batch to the model: methods, progress, checkpoints."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur import __version__
from matheur.engine.budget import Budget
from matheur.engine.files import write_atomic
from matheur.errors import ConfigurationError, InputError, nearest
from matheur.learning.actions import Actions, least_of_moves
from matheur.learning.encoding import Encoding
from matheur.learning.extra import need_jax
from matheur.learning.measuring import greedy_solved, rank_correlation
from matheur.learning.model_file import Model, Output
from matheur.learning.sampling import Ball, ball, walks
from matheur.learning.specification import PRESETS, NetworkSpec
from matheur.learning.teaching import Distances, LookAhead, Policy
from matheur.statespace.domain import Domain, TaughtDomain

if TYPE_CHECKING:
    from matheur.learning.evaluation import Evaluator
    from matheur.learning.learner import Loss

__all__ = ["Method", "Progress", "TrainingOptions", "train"]

Method = Literal["davi", "distances", "policy", "actions"]
METHODS = get_args(Method)
_HELD_OUT, _GREEDY = 2_000, 200  # states of the two measurements
_OUTPUTS: dict[str, Output] = {"policy": "policy", "actions": "actions"}  # of methods that teach no distances
_AVERAGED = 50  # losses of the last steps
_COUNTS = ("steps", "updates", "since_update")
_GUIDE = "guide."  # before the names of its arrays in a checkpoint


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How a network is trained.

    Attributes
    ----------
    method
        `davi`: deep approximate value iteration; `distances`: exact distances of all states around the goal;
        `policy`: the move that takes back the last step of a random walk; `actions`: as `davi`, but for each move what
        it is worth.
    network
        A name of `matheur.learning.specification.PRESETS`.
    longest
        Steps of the longest random walk from the goal.
    batch
        States of a step.
    rate
        Learning rate of Adam.
    known
        Most states around the goal whose exact distances are found first, for `distances` and for the measurements.
    threshold, patience
        Of `davi` and `actions`: the network that gives the targets is replaced when the mean loss of the last steps is
        below the threshold, or after so many steps.
    every
        Steps between two measurements.
    """

    method: Method = "davi"
    network: str = "small"
    longest: int = 100
    batch: int = 1000
    rate: float = 1e-3
    known: int = 200_000
    threshold: float = 0.05
    patience: int = 100
    every: int = 200

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ConfigurationError(f"unknown method of training '{self.method}'. {nearest(self.method, METHODS)}")
        if self.network not in PRESETS:
            raise ConfigurationError(f"unknown network '{self.network}'. {nearest(self.network, PRESETS)}")
        if min(self.longest, self.batch, self.patience, self.every) < 1 or self.known < 2:
            raise ConfigurationError("longest, batch, patience and every must be at least 1, known at least 2")
        if not (0 < self.rate <= 1 and self.threshold >= 0):
            raise ConfigurationError(
                f"rate must be positive and at most 1, threshold not negative ({self.rate}, {self.threshold})"
            )


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a training is.

    Attributes
    ----------
    seconds
        Since it began, without what went before a checkpoint.
    steps, samples
        Steps of the optimiser, states learnt from.
    loss
        Mean of the last steps since the targets changed; None before the first.
    solved
        Share of states after walks of the greatest length that are solved greedily.
    correlation
        Rank correlation of estimates and exact distances, on states around the goal; None for a policy.
    updates
        How often the network that gives the targets was replaced.
    """

    seconds: float
    steps: int
    samples: int
    loss: float | None
    solved: float
    correlation: float | None
    updates: int


def train(
    domain: Domain,
    options: TrainingOptions,
    budget: Budget,
    seed: int,
    *,
    on_progress: Callable[[Progress], None] | None = None,
    checkpoint: Path | None = None,
) -> Model:
    """Train a network until the budget ends; one iteration is a step of the optimiser.

    Parameters
    ----------
    domain
        Reversible, with one goal state and unit costs.
    seed
        Of all randomness: the same number of steps on the same machine gives the same network.
    on_progress
        Called after every measurement.
    checkpoint
        A file from which the training goes on if it is there, and that is written after every measurement. Walks
        that were made but not learnt from are not kept.

    Raises
    ------
    ConfigurationError
        If the domain does not suit, JAX is missing, or the checkpoint is of another training.
    InputError
        If the checkpoint cannot be read.
    """
    need_jax("training")
    walkable = domain.reversible and np.asarray(domain.goal_mask).all()
    if not domain.unit_costs or not (walkable or isinstance(domain, TaughtDomain)):
        raise ConfigurationError(f"'{domain.name}' cannot be trained for: moves must have a way back and cost 1 each")
    training = _Training(domain, options, seed)
    if checkpoint is not None and checkpoint.exists():
        training.restore(*_read_checkpoint(checkpoint, training.asked))
    while not budget.exhausted:
        training.step()
        budget.spend(iterations=1, work=options.batch)
        if training.steps % options.every == 0:
            if on_progress is not None:
                on_progress(training.progress(budget.elapsed))
            if checkpoint is not None:
                _write_checkpoint(checkpoint, *training.state())
    last = training.progress(budget.elapsed)
    if on_progress is not None:
        on_progress(last)
    return training.model(last)


class _Training:
    """A learner, its teacher, and what both have come to."""

    def __init__(self, domain: Domain, options: TrainingOptions, seed: int) -> None:
        from matheur.learning.learner import Learner
        from matheur.learning.networks import initial

        self.domain, self.options = domain, options
        self.asked = {"domain": domain.name, "fingerprint": domain.fingerprint, "seed": seed, **asdict(options)}
        self.rng = np.random.default_rng(seed)
        self.encoding, self.output = Encoding.of(domain), _OUTPUTS.get(options.method, "distance")
        outputs = 1 if self.output == "distance" else domain.moves
        self.spec = NetworkSpec(self.encoding.units, outputs, **PRESETS[options.network])
        loss: Loss = "choices" if self.output == "policy" else "squares"
        self.learner = Learner(
            self.spec, initial(self.spec, self.rng), self.encoding, loss=loss,
            rate=options.rate, seed=int(self.rng.integers(1 << 31)),
        )  # fmt: skip
        taught, self.held_out = _divided(ball(domain, options.known), self.rng)
        self.tests = walks(domain, _GREEDY, options.longest, self.rng).keys[-_GREEDY:]
        self.teacher: Actions | Distances | LookAhead | Policy
        if options.method == "actions":
            self.teacher = Actions(domain, options.longest, None)
        elif options.method == "davi":
            self.teacher = LookAhead(domain, options.longest, None)
        elif options.method == "policy":
            self.teacher = Policy(domain, options.longest)
        else:
            self.teacher = Distances(domain, taught)
        self.guide: dict[str, NDArray[np.float32]] | None = None  # the network that gives the targets
        self.steps = self.updates = self.since_update = 0
        self.losses: list[float] = []

    def step(self) -> None:
        """Learn from one batch; replace the network that gives the targets when that is due."""
        states, targets = self.teacher.batch(self.options.batch, self.rng)
        self.losses = [*self.losses[1 - _AVERAGED :], self.learner.learn(states, targets)]
        self.steps += 1
        self.since_update += 1
        settled = len(self.losses) == _AVERAGED and float(np.mean(self.losses)) < self.options.threshold
        if isinstance(self.teacher, Actions | LookAhead) and (settled or self.since_update >= self.options.patience):
            self._follow(self.learner.arrays)
            self.updates, self.since_update, self.losses = self.updates + 1, 0, []

    def _follow(self, arrays: dict[str, NDArray[np.float32]]) -> None:
        assert isinstance(self.teacher, Actions | LookAhead)
        self.guide, self.teacher.estimate = arrays, self._evaluator(arrays)

    def _evaluator(self, arrays: dict[str, NDArray[np.float32]]) -> Evaluator:
        from matheur.learning.evaluation import Evaluator

        return Evaluator(self.spec, arrays, self.encoding)

    def progress(self, seconds: float) -> Progress:
        """Measure the network."""
        evaluate, unpack = self._evaluator(self.learner.arrays), self.domain.packing.unpack
        correlation = None
        if self.output != "policy":
            found = evaluate(unpack(self.held_out.keys))
            values = (
                found[:, 0] if self.output == "distance" else least_of_moves(self.domain, self.held_out.keys, found)
            )
            correlation = rank_correlation(values, self.held_out.distances)
        steps, by_move = 2 * self.options.longest + 10, self.output != "distance"
        chances = evaluate if self.output != "actions" else lambda states: -evaluate(states)
        solved = greedy_solved(self.domain, self.tests, chances, steps, policy=by_move)
        loss = float(np.mean(self.losses)) if self.losses else None
        return Progress(seconds, self.steps, self.steps * self.options.batch, loss, solved, correlation, self.updates)

    def model(self, progress: Progress) -> Model:
        """The network as it is."""
        facts = {**self.asked, **asdict(progress), "version": __version__, "date": str(date.today())}
        return Model(
            self.spec, self.learner.arrays, self.encoding, self.output, self.domain.name,
            self.domain.fingerprint, self.domain.goal, facts,
        )  # fmt: skip

    def state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Arrays and plain values of a checkpoint."""
        guide = {} if self.guide is None else {f"{_GUIDE}{name}": one for name, one in self.guide.items()}
        counts = {name: getattr(self, name) for name in _COUNTS}
        facts = {"asked": self.asked, "rng": self.rng.bit_generator.state, "losses": self.losses, **counts}
        return {**self.learner.state(), **guide}, facts

    def restore(self, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
        """Go on from a `state`."""
        self.learner.restore(arrays)
        guide = {name.removeprefix(_GUIDE): one for name, one in arrays.items() if name.startswith(_GUIDE)}
        if guide:
            self._follow(guide)
        for name in _COUNTS:
            setattr(self, name, int(facts[name]))
        self.losses = [float(one) for one in facts["losses"]]
        self.rng.bit_generator.state = facts["rng"]


def _divided(nearby: Ball, rng: Generator) -> tuple[Ball, Ball]:
    """States to learn from, and others to measure by: a tenth, at most `_HELD_OUT`."""
    order = rng.permutation(len(nearby.distances))
    many = min(_HELD_OUT, max(1, len(order) // 10))
    taught, held_out = (nearby.take(np.sort(one)) for one in (order[many:], order[:many]))
    return taught, held_out


def _write_checkpoint(path: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
    buffer = io.BytesIO()
    text = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
    np.savez(buffer, facts=text, **arrays)  # type: ignore[arg-type]
    write_atomic(path, buffer.getvalue())


def _read_checkpoint(path: Path, asked: Mapping[str, Any]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        facts = json.loads(arrays.pop("facts").tobytes())
        before = dict(facts["asked"])
    except (OSError, KeyError, ValueError, TypeError, zipfile.BadZipFile) as error:
        raise InputError(f"not a checkpoint of a training ({type(error).__name__})", source=str(path)) from None
    if before != dict(asked):
        other = next(key for key in asked if before.get(key) != asked[key])
        raise ConfigurationError(f"{path}: the checkpoint is of another training ('{other}' differs)")
    return arrays, facts
