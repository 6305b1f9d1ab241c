"""Training from the first batch to the model: methods, progress, checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.interrupt import ctrl_c_ends
from matheur.errors import ConfigurationError, InputError, nearest
from matheur.methods.learning.actions import Actions, least_of_moves
from matheur.methods.learning.bootstrapping import Bootstrap
from matheur.methods.learning.checkpoint_file import read_training, write_training
from matheur.methods.learning.encoding import Encoding
from matheur.methods.learning.extra import need_jax
from matheur.methods.learning.held_out import divided, divided_plans
from matheur.methods.learning.heuristic import learnt_heuristic
from matheur.methods.learning.labels import Labels, labelled_states, starts_of
from matheur.methods.learning.measuring import Errors, Evaluate, greedy_solved
from matheur.methods.learning.model_file import Model, Output
from matheur.methods.learning.pairs import Pairs, pairs_encoding
from matheur.methods.learning.sampling import Ball, ball, walks
from matheur.methods.learning.specification import PRESETS, NetworkSpec
from matheur.methods.learning.teaching import Distances, LookAhead, Policy, Steps
from matheur.methods.statespace.domain import Domain, SampledDomain, TaughtDomain
from matheur.methods.statespace.heuristics import heuristic_by_name
from matheur.version import __version__

if TYPE_CHECKING:
    from matheur.methods.learning.evaluation import Evaluator
    from matheur.methods.learning.learner import Loss
    from matheur.methods.learning.teaching import Teacher

__all__ = ["Method", "Progress", "TrainingOptions", "train"]

Inputs = Literal["components", "paper"]
Method = Literal["davi", "walks", "distances", "labelled", "bootstrap", "policy", "actions", "pairs"]
TrainingPrecision = Literal["float32", "bfloat16"]
METHODS = get_args(Method)
_GREEDY = 200  # states for the test of greedy steps
_OF_SAMPLES = ("davi", "walks")  # methods for domains that make plans to learn from
_ATTEMPTS = 5  # rounds without any plan after which training fails
_OUTPUTS: dict[str, Output] = {"policy": "policy", "actions": "actions", "pairs": "difference"}  # where no distances
_AVERAGED = 50  # number of last losses that are averaged
_COUNTS = ("steps", "updates", "since_update")
_GUIDE, _TEACHER = "guide.", "teacher."  # before the names of their arrays in a checkpoint


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Options of `train`.

    Attributes
    ----------
    method
        `davi`: deep approximate value iteration; `walks`: the steps of random walks from the goal; `distances`: exact
        distances of all states around the goal; `labelled`: exact distances of the states on optimal plans;
        `bootstrap`: plans of searches that the network itself has guided; `policy`: the move that undoes the last step
        of a random walk; `actions`: as `davi`, but with the worth of each move; `pairs`: which of two states is farther
        from the goal, and by how much, for the states of `labelled` or, without labels, of `distances`.
    network
        A name of `matheur.methods.learning.specification.PRESETS`.
    inputs
        Inputs of the network in training: one-hot `components` of a state, or the inputs of the paper (`paper`), which
        the caller of `train` provides. The trained network always takes components.
    longest
        Steps of the longest random walk from the goal.
    batch
        Number of states in a step.
    rate
        Learning rate of Adam.
    halving
        Number of steps in which the learning rate gradually falls to a half; 0 for a constant rate.
    starts
        For `labelled`: share of starts of plans in a batch. The other states are drawn from all states on the plans,
        which lead straight to the goal: with them alone, the network underestimates the distances of states off the
        plans. With 1, the other states are never made (Cahlik and Surynek 2019), and measurements use starts, too.
    symmetric
        For `labelled`: also learn from the images of states under the symmetries of the domain.
    known
        Most states around the goal whose exact distances are computed first, for `distances` and for measurements.
    clipped
        For `davi`: clip targets at the steps of the walk to the state, and use these steps as the first targets. Else
        targets follow equation (1) of Agostinelli et al. (2019) alone, the first ones with the initial weights, and
        walks have at least one step, with equal probabilities for all moves.
    depth
        For `davi`: number of moves to look ahead for a target, 1 or more.
    threshold, check, patience
        For `davi` and `actions`: the target network is replaced when the mean loss of the last steps is below the
        threshold, which is checked every `check` steps, or after `patience` steps (0: no such limit).
        For `bootstrap`, `patience` is the number of steps between two rounds of searches.
    instances, nodes, weak
        For `bootstrap`: number of searches in a round, most states that each may expand, and the heuristic of the first
        round.
    every
        Number of steps between two measurements.
    precision
        Precision of the products of a step: `float32`, or `bfloat16` (twice as fast on processors with matrix units).
    """

    method: Method = "davi"
    network: str = "small"
    inputs: Inputs = "components"
    longest: int = 100
    batch: int = 1000
    rate: float = 1e-3
    halving: int = 0
    starts: float = 0.25
    symmetric: bool = True
    known: int = 200_000
    clipped: bool = True
    depth: int = 1
    threshold: float = 0.05
    check: int = 1
    patience: int = 100
    instances: int = 20
    nodes: int = 2000
    weak: str = "zero"
    every: int = 200
    precision: TrainingPrecision = "float32"

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ConfigurationError(f"unknown method of training '{self.method}'. {nearest(self.method, METHODS)}")
        if self.network not in PRESETS:
            raise ConfigurationError(f"unknown network '{self.network}'. {nearest(self.network, PRESETS)}")
        if self.inputs not in get_args(Inputs):
            raise ConfigurationError(f"unknown inputs '{self.inputs}'. {nearest(self.inputs, get_args(Inputs))}")
        if self.precision not in get_args(TrainingPrecision):
            raise ConfigurationError(
                f"unknown precision of a training '{self.precision}'. "
                f"{nearest(self.precision, get_args(TrainingPrecision))}"
            )
        positive = ("longest", "batch", "depth", "check", "every", "instances", "nodes")
        if min(getattr(self, name) for name in positive) < 1 or self.known < 2 or self.halving < 0:
            raise ConfigurationError(
                f"{', '.join(positive)} must be at least 1, known at least 2, halving not negative"
            )
        if self.patience < (self.method == "bootstrap"):
            raise ConfigurationError(f"patience must not be negative, nor 0 for bootstrap ({self.patience})")
        if not 0 <= self.starts <= 1:
            raise ConfigurationError(f"the share of starts must be 0 to 1 ({self.starts})")
        if not (0 < self.rate <= 1 and self.threshold >= 0):
            raise ConfigurationError(
                f"rate must be positive and at most 1, threshold not negative ({self.rate}, {self.threshold})"
            )


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of a training run.

    Attributes
    ----------
    seconds
        Seconds since the start, without the time before a checkpoint.
    steps, samples
        Number of steps of the optimiser, and of states learnt from.
    loss
        Mean loss of the last steps since the targets changed; None before the first.
    solved
        Share of states at the ends of the longest walks that greedy steps solve.
    correlation
        Rank correlation of estimates and exact distances, on states held out from training: from the labels, or around
        the goal; None for a policy.
    error, bias, over
        Errors on the same states: mean absolute error, mean of estimate minus distance, and the share of estimates that
        exceed the distance; None for a policy.
    updates
        Number of times that the target network was replaced, or that a network guided a round of searches.
    reach
        For `bootstrap`: length of the walks at whose ends the next searches start; else None.
    """

    seconds: float
    steps: int
    samples: int
    loss: float | None
    solved: float
    correlation: float | None
    error: float | None
    bias: float | None
    over: float | None
    updates: int
    reach: int | None = None


def train(
    domain: Domain,
    options: TrainingOptions,
    budget: Budget,
    seed: int,
    *,
    labels: Labels | None = None,
    begin: Model | None = None,
    inputs: NDArray[np.uint8] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    checkpoint: Path | None = None,
) -> Model:
    """Train a network until the budget ends; one iteration is a step of the optimiser.

    Parameters
    ----------
    domain
        Reversible, with one goal state and unit costs; or a `TaughtDomain` or `SampledDomain`.
    seed
        Seed of all random choices: the same number of steps on the same machine gives the same network.
    labels
        Optimal plans, for `labelled` and `pairs`. The states of the first plans, a tenth but at most 400, are held out
        for measuring; for training on the starts alone, at most 2000.
    begin
        A trained network to start from, with components as inputs; None for random weights.
    inputs
        uint8[units, inputs], for the inputs `paper`: the inputs that are 1 if a unit of `Encoding` is 1.
    on_progress
        Called after every measurement.
    checkpoint
        A file from which training continues if it exists, and that is written after every measurement. Walks that
        were made but not yet learnt from are not stored.

    Raises
    ------
    ConfigurationError
        If the domain is unsuitable, JAX is missing, the checkpoint belongs to another training run, no search found a
        plan, or the training diverges.
    InputError
        If the checkpoint cannot be read.
    """
    need_jax("training")
    if isinstance(domain, SampledDomain):
        if options.method not in _OF_SAMPLES:
            methods = " or ".join(_OF_SAMPLES)
            raise ConfigurationError(f"'{domain.name}' is learnt by the method {methods}, not by '{options.method}'")
    else:
        _check_moves(domain, options.method)
    if options.method != "pairs" and (labels is None) == (options.method == "labelled"):
        if labels is None:
            raise ConfigurationError("the method 'labelled' needs labels, which `matheur label` makes")
        raise ConfigurationError(f"the method '{options.method}' takes no labels. Maybe labelled or pairs?")
    if labels is not None and options.starts == 1:
        labels = labels.alone()
    if options.inputs == "paper" and options.method == "pairs":
        raise ConfigurationError("networks for pairs of states take components as inputs. Maybe inputs 'components'?")
    if (inputs is None) == (options.inputs == "paper"):
        raise ConfigurationError(f"no paper specifies the inputs of a network for '{domain.name}'")
    training = _Training(domain, options, seed, labels, begin, inputs)
    if checkpoint is not None and checkpoint.exists():
        arrays, facts = read_training(checkpoint, training.asked, asdict(TrainingOptions()))
        try:
            training.restore(arrays, facts)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise InputError(f"a damaged checkpoint ({type(error).__name__})", source=str(checkpoint)) from None
    with ctrl_c_ends(budget):
        while not budget.exhausted and training.prepare(budget):
            training.step()
            budget.spend(iterations=1, work=options.batch)
            if training.steps % options.every == 0:
                if on_progress is not None:
                    on_progress(training.progress(budget.elapsed))
                if checkpoint is not None:
                    write_training(checkpoint, *training.state())
        if checkpoint is not None:
            write_training(checkpoint, *training.state())
        last = training.progress(budget.elapsed)
    if on_progress is not None:
        on_progress(last)
    return training.model(last)


def _check_moves(domain: Domain, method: Method) -> None:
    """Check that a network can learn from the moves of a domain by this method."""
    walkable = domain.reversible and np.asarray(domain.goal_mask).all()
    if not domain.unit_costs or not (walkable or isinstance(domain, TaughtDomain)):
        raise ConfigurationError(f"'{domain.name}' cannot be trained for: moves must be reversible and cost 1 each")
    if isinstance(domain, TaughtDomain) and method in ("labelled", "bootstrap", "pairs"):
        raise ConfigurationError(f"'{domain.name}' has no single goal to which '{method}' could search")


class _Training:
    """A training run: the learner, its teacher, and their state."""

    def __init__(
        self,
        domain: Domain,
        options: TrainingOptions,
        seed: int,
        labels: Labels | None,
        begin: Model | None,
        inputs: NDArray[np.uint8] | None,
    ) -> None:
        from matheur.methods.learning.learner import Learner
        from matheur.methods.learning.networks import initial

        self.domain, self.options = domain, options
        self.unit = _unit_of(domain, options)
        self.asked = {"domain": domain.name, "fingerprint": domain.fingerprint, "seed": seed, **asdict(options)}
        if labels is not None:
            states = len(labels.moves) or len(labels)
            self.asked["labels"] = {"plans": len(labels), "states": states, **labels.facts}
        self.rng = np.random.default_rng(seed)
        self.output = _OUTPUTS.get(options.method, "distance")
        self.encoding = pairs_encoding(domain) if self.output == "difference" else Encoding.of(domain)
        self.goal = np.tile(domain.goal, 2) if self.output == "difference" else domain.goal
        outputs = 1 if self.output in ("distance", "difference") else domain.moves
        self.inputs = inputs
        units = self.encoding.units if inputs is None else inputs.shape[1]
        self.spec = NetworkSpec(units, outputs, **PRESETS[options.network])
        loss: Loss = "choices" if self.output == "policy" else "squares"
        weights: Mapping[str, NDArray[np.float32]] = initial(self.spec, self.rng)
        if begin is not None:
            if (begin.domain, begin.fingerprint, begin.goal.tolist()) != (
                domain.name, domain.fingerprint, self.goal.tolist(),
            ):  # fmt: skip
                raise ConfigurationError(f"the initial network was trained for '{begin.domain}'")
            if (begin.spec, begin.output) != (self.spec, self.output):
                raise ConfigurationError("the initial network has another architecture or output than requested")
            weights = _scaled(begin.arrays, 1 / self.unit)
            self.asked["begin"] = dict(begin.training)
        self.learner = Learner(
            self.spec, weights, self.encoding, loss=loss, rate=options.rate, halving=options.halving,
            seed=int(self.rng.integers(1 << 31)), precision=options.precision, inputs=inputs,
        )  # fmt: skip
        if labels is None:
            taught, self.held_out = divided(ball(domain, options.known), self.rng)
        else:
            known, test = divided_plans(labels)
            taught, self.held_out = labelled_states(domain, known), labelled_states(domain, test)
        self.tests = walks(domain, _GREEDY, options.longest, self.rng).keys[-_GREEDY:]
        if isinstance(domain, SampledDomain):
            self.tests = np.unique(self.tests, axis=0)  # all begin with nothing
        self.guide: dict[str, NDArray[np.float32]] | None = None  # the target network
        if options.method == "davi" and not options.clipped:
            self.guide = self.arrays
        first = None if self.guide is None else self._evaluator(self.guide)
        self.teacher = _teacher(domain, options, taught, None if labels is None else starts_of(known), first)
        self.steps = self.updates = self.since_update = 0
        self.losses: list[float] = []

    @property
    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Current arrays of the network, scaled to costs of the domain; the learner works in units of `unit`."""
        return _scaled(self.learner.arrays, self.unit)

    def prepare(self, budget: Budget) -> bool:
        """Run a round of searches before a step if one is due; False if the budget ended during it."""
        if not isinstance(self.teacher, Bootstrap) or (self.updates and self.since_update < self.options.patience):
            return True
        if self.updates:
            facts = {"method": self.options.method}
            heuristic = learnt_heuristic(self.domain, self._model(facts))
        else:
            try:
                heuristic = heuristic_by_name(self.domain, self.options.weak, budget=budget)
            except OutOfBudgetError:
                return False
        for _ in range(_ATTEMPTS):
            if self.teacher.round(heuristic, budget, self.rng) is None:
                return False
            if len(self.teacher.known.distances):
                self.updates, self.since_update, self.losses = self.updates + 1, 0, []
                return True
        raise ConfigurationError(f"no search found a plan within {self.options.nodes} nodes. Maybe more nodes?")

    def step(self) -> None:
        """Learn from one batch, and replace the target network if that is due."""
        states, targets = self.teacher.batch(self.options.batch, self.rng)
        if self.unit != 1:
            targets = (targets / self.unit).astype(np.float32)
        self.losses = [*self.losses[1 - _AVERAGED :], self.learner.learn(states, targets)]
        self.steps += 1
        self.since_update += 1
        if isinstance(self.teacher, Actions | LookAhead) and self._due():
            self._follow(self.arrays)
            self.updates, self.since_update, self.losses = self.updates + 1, 0, []

    def _due(self) -> bool:
        """Whether the target network is due to be replaced."""
        if 0 < self.options.patience <= self.since_update:
            return True
        checked = self.steps % self.options.check == 0 and len(self.losses) == _AVERAGED
        return checked and float(np.mean(self.losses)) < self.options.threshold

    def _follow(self, arrays: dict[str, NDArray[np.float32]]) -> None:
        assert isinstance(self.teacher, Actions | LookAhead)
        self.guide, self.teacher.estimate = arrays, self._evaluator(arrays)

    def _evaluator(self, arrays: dict[str, NDArray[np.float32]]) -> Evaluator:
        from matheur.methods.learning.evaluation import Evaluator

        return Evaluator(*self._by_components(arrays), self.encoding)

    def _by_components(self, arrays: dict[str, NDArray[np.float32]]) -> tuple[NetworkSpec, dict[str, Any]]:
        """The same function of components: each unit gets the summed weights of the inputs that it sets to 1."""
        if self.inputs is None:
            return self.spec, arrays
        weight = self.inputs.astype(np.float32) @ arrays["hidden0.weight"]
        return replace(self.spec, inputs=len(weight)), {**arrays, "hidden0.weight": weight}

    def progress(self, seconds: float) -> Progress:
        """Measure the network."""
        unpack, errors = self.domain.packing.unpack, None
        evaluate: Evaluate = self._evaluator(self.arrays)
        if self.output == "difference":
            evaluate, errors = self._compared(evaluate)
        elif self.output != "policy":
            found = evaluate(unpack(self.held_out.keys))
            values = (
                found[:, 0] if self.output == "distance" else least_of_moves(self.domain, self.held_out.keys, found)
            )
            errors = Errors.of(values, self.held_out.distances)
        steps, by_move = 2 * self.options.longest + 10, self.output in ("policy", "actions")
        chances = evaluate if self.output != "actions" else lambda states: -evaluate(states)
        solved = greedy_solved(self.domain, self.tests, chances, steps, policy=by_move)
        loss = float(np.mean(self.losses)) if self.losses else None
        return Progress(
            seconds,
            self.steps,
            self.steps * self.options.batch,
            loss,
            solved,
            correlation=None if errors is None else errors.correlation,
            error=None if errors is None else errors.absolute,
            bias=None if errors is None else errors.bias,
            over=None if errors is None else errors.over,
            updates=self.updates,
            reach=self.teacher.reach if isinstance(self.teacher, Bootstrap) else None,
        )

    def _compared(self, evaluate: Evaluate) -> tuple[Evaluate, Errors]:
        """Comparisons with the goal, which serve as estimates, and the errors of comparisons between states."""
        states, distances = self.domain.packing.unpack(self.held_out.keys), self.held_out.distances
        other = np.random.default_rng(0).permutation(len(distances))
        found = evaluate(np.concatenate([states, states[other]], axis=1))[:, 0]

        def estimate(some: NDArray[np.uint8]) -> NDArray[np.float32]:
            return evaluate(np.concatenate([some, np.repeat(self.domain.goal[None], len(some), axis=0)], axis=1))

        return estimate, Errors.of(found, distances - distances[other])

    def model(self, progress: Progress) -> Model:
        """A model of the current network."""
        return self._model({**self.asked, **asdict(progress), "version": __version__, "date": str(date.today())})

    def _model(self, facts: dict[str, Any]) -> Model:
        return Model(
            *self._by_components(self.arrays), self.encoding, self.output, self.domain.name,
            self.domain.fingerprint, self.goal, facts,
        )  # fmt: skip

    def state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Arrays and plain values of a checkpoint."""
        more = {} if self.guide is None else {f"{_GUIDE}{name}": one for name, one in self.guide.items()}
        facts = {"asked": self.asked, "rng": self.rng.bit_generator.state, "losses": self.losses}
        facts |= {name: getattr(self, name) for name in _COUNTS}
        if isinstance(self.teacher, Bootstrap):
            arrays, plain = self.teacher.state()
            more |= {f"{_TEACHER}{name}": one for name, one in arrays.items()}
            facts |= plain
        return {**self.learner.state(), **more}, facts

    def restore(self, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
        """Continue from a `state`."""
        self.learner.restore(arrays)
        guide = {name.removeprefix(_GUIDE): one for name, one in arrays.items() if name.startswith(_GUIDE)}
        if guide:
            self._follow(guide)
        if isinstance(self.teacher, Bootstrap):
            own = {name.removeprefix(_TEACHER): one for name, one in arrays.items() if name.startswith(_TEACHER)}
            self.teacher.restore(own, facts)
        for name in _COUNTS:
            setattr(self, name, int(facts[name]))
        self.losses = [float(one) for one in facts["losses"]]
        self.rng.bit_generator.state = facts["rng"]


def _unit_of(domain: Domain, options: TrainingOptions) -> float:
    """Divisor of the costs of a `SampledDomain` in training: their mean, but at least 1."""
    if not isinstance(domain, SampledDomain):
        return 1.0
    _, costs, _ = domain.walks_back(_GREEDY, options.longest, np.random.default_rng(0))
    return max(1.0, float(costs.mean()))


def _scaled(arrays: Mapping[str, NDArray[np.float32]], factor: float) -> dict[str, NDArray[np.float32]]:
    """The network with its outputs multiplied by a factor."""
    if factor == 1:
        return dict(arrays)
    last = {name: one * np.float32(factor) for name, one in arrays.items() if name.startswith("output.")}
    return {**arrays, **last}


def _teacher(
    domain: Domain,
    options: TrainingOptions,
    taught: Ball,
    starts: NDArray[np.int64] | None,
    estimate: Evaluator | None,
) -> Teacher:
    if options.method == "actions":
        return Actions(domain, options.longest, None)
    if options.method == "davi":
        return LookAhead(domain, options.longest, estimate, clipped=options.clipped, depth=options.depth)
    if options.method == "walks":
        return Steps(domain, options.longest)
    if options.method == "policy":
        return Policy(domain, options.longest)
    if options.method == "bootstrap":
        return Bootstrap(domain, options.longest, instances=options.instances, nodes=options.nodes)
    if not len(taught.distances):
        raise ConfigurationError("no state but the goal is known to learn from. Maybe more states (known), or plans?")
    symmetries = domain.automorphisms() if starts is not None and options.symmetric else None
    single = Distances(domain, taught, symmetries, preferred=starts, share=options.starts)
    return Pairs(single) if options.method == "pairs" else single
