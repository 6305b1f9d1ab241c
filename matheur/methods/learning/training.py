"""A training from the first batch to the model: methods, progress, checkpoints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
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
_GREEDY = 200  # states that greedy steps are tried on
_OF_SAMPLES = ("davi", "walks")  # methods for domains that make plans to learn from
_ATTEMPTS = 5  # rounds without a single plan
_OUTPUTS: dict[str, Output] = {"policy": "policy", "actions": "actions", "pairs": "difference"}  # where no distances
_AVERAGED = 50  # losses of the last steps
_COUNTS = ("steps", "updates", "since_update")
_GUIDE, _TEACHER = "guide.", "teacher."  # before the names of their arrays in a checkpoint


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """How a network is trained.

    Attributes
    ----------
    method
        `davi`: deep approximate value iteration; `walks`: the steps of random walks from the goal; `distances`: exact
        distances of all states around the goal; `labelled`: exact distances of the states on optimal plans;
        `bootstrap`: plans of searches that the network itself has guided; `policy`: the move that takes back the last
        step of a random walk; `actions`: as `davi`, but for each move what it is worth; `pairs`: which of two states is
        farther from the goal, and by how much, from the states of `labelled` or, without labels, those of `distances`.
    network
        A name of `matheur.methods.learning.specification.PRESETS`.
    inputs
        What the network sees while it learns: `components` of a state, one-hot, or what the paper shows it (`paper`),
        which the caller of `train` gives. Afterwards it sees components in any case.
    longest
        Steps of the longest random walk from the goal.
    batch
        States of a step.
    rate
        Learning rate of Adam.
    halving
        Steps in which it gradually falls to a half; 0 if it stays.
    starts
        For `labelled`: share of a batch that are starts of plans. The others are drawn from all states on the plans,
        which lead to the goal straight on: with them alone, states off the way are thought too near. With 1, the other
        states are not even made (Cahlik and Surynek 2019), and what is measured are starts, too.
    symmetric
        For `labelled`: whether states are learnt from with their images under the symmetries of the domain.
    known
        Most states around the goal whose exact distances are found first, for `distances` and for the measurements.
    clipped
        For `davi`: whether no target exceeds the steps of the walk to its state, and the first targets are these steps.
        Else targets are those of equation (1) of Agostinelli et al. (2019) alone, the first ones by the weights at
        the beginning, and walks are of at least one step, all moves with equal chances.
    depth
        For `davi`: moves that are looked ahead for a target, 1 or more.
    threshold, check, patience
        For `davi` and `actions`: the network that gives the targets is replaced when the mean loss of the last steps is
        below the threshold, which is checked every `check` steps, or after `patience` steps (0: never for that).
        For `bootstrap`, `patience` is the number of steps between two rounds of searches.
    instances, nodes, weak
        For `bootstrap`: searches of a round, states that each may expand, and the heuristic of the first round.
    every
        Steps between two measurements.
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
        Rank correlation of estimates and exact distances, on states that are not learnt from: of the labels, or around
        the goal; None for a policy.
    error, bias, over
        Errors on the same states: mean absolute error, mean of estimate minus distance, and the share of estimates that
        exceed the distance; None for a policy.
    updates
        How often the network that gives the targets was replaced, or guided a round of searches.
    reach
        For `bootstrap`: steps of the walks whose ends the next searches start from; else None.
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
        Optimal plans, for `labelled` and `pairs`. The states of the first ones, a tenth or 400, are kept for measuring;
        where the starts alone are learnt from, 2000 of them.
    begin
        A network to begin with, trained before; None for random weights. It sees components.
    inputs
        uint8[units, inputs], for the inputs `paper`: which of them are 1 where a unit of `Encoding` is.
    on_progress
        Called after every measurement.
    checkpoint
        A file from which the training goes on if it is there, and that is written after every measurement. Walks
        that were made but not learnt from are not kept.

    Raises
    ------
    ConfigurationError
        If the domain does not suit, JAX is missing, the checkpoint is of another training, or no search found a plan.
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
        raise ConfigurationError("networks for pairs of states see components. Maybe inputs 'components'?")
    if (inputs is None) == (options.inputs == "paper"):
        raise ConfigurationError(f"what the paper shows a network is not known for '{domain.name}'")
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
    """Refuse a domain whose moves a network cannot learn from by this method."""
    walkable = domain.reversible and np.asarray(domain.goal_mask).all()
    if not domain.unit_costs or not (walkable or isinstance(domain, TaughtDomain)):
        raise ConfigurationError(f"'{domain.name}' cannot be trained for: moves must have a way back and cost 1 each")
    if isinstance(domain, TaughtDomain) and method in ("labelled", "bootstrap", "pairs"):
        raise ConfigurationError(f"'{domain.name}' has no one goal, to which '{method}' could search")


class _Training:
    """A learner, its teacher, and what both have come to."""

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
                raise ConfigurationError(f"the network to begin with was trained for '{begin.domain}'")
            if (begin.spec, begin.output) != (self.spec, self.output):
                raise ConfigurationError("the network to begin with looks otherwise than the one that is asked for")
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
        self.guide: dict[str, NDArray[np.float32]] | None = None  # the network that gives the targets
        if options.method == "davi" and not options.clipped:
            self.guide = self.arrays
        first = None if self.guide is None else self._evaluator(self.guide)
        self.teacher = _teacher(domain, options, taught, None if labels is None else starts_of(known), first)
        self.steps = self.updates = self.since_update = 0
        self.losses: list[float] = []

    @property
    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """The network as it is, which gives costs of the domain; its learner counts them in `unit`."""
        return _scaled(self.learner.arrays, self.unit)

    def prepare(self, budget: Budget) -> bool:
        """Before a step: a round of searches when it is due; False if the budget ended in it."""
        if not isinstance(self.teacher, Bootstrap) or (self.updates and self.since_update < self.options.patience):
            return True
        if self.updates:
            facts = {"method": self.options.method}
            heuristic = learnt_heuristic(self.domain, self._model(facts))
        else:
            heuristic = heuristic_by_name(self.domain, self.options.weak)
        for _ in range(_ATTEMPTS):
            if self.teacher.round(heuristic, budget, self.rng) is None:
                return False
            if len(self.teacher.known.distances):
                self.updates, self.since_update, self.losses = self.updates + 1, 0, []
                return True
        raise ConfigurationError(f"no search found a plan within {self.options.nodes} nodes. Maybe more nodes?")

    def step(self) -> None:
        """Learn from one batch; replace the network that gives the targets when that is due."""
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
        """Whether the network that gives the targets is to be replaced."""
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
        """The same function of components: inputs that a unit switches on go into the weights of the unit."""
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
        """Comparisons with the goal, which are estimates; and the errors of comparisons of states with each other."""
        states, distances = self.domain.packing.unpack(self.held_out.keys), self.held_out.distances
        other = np.random.default_rng(0).permutation(len(distances))
        found = evaluate(np.concatenate([states, states[other]], axis=1))[:, 0]

        def estimate(some: NDArray[np.uint8]) -> NDArray[np.float32]:
            return evaluate(np.concatenate([some, np.repeat(self.domain.goal[None], len(some), axis=0)], axis=1))

        return estimate, Errors.of(found, distances - distances[other])

    def model(self, progress: Progress) -> Model:
        """The network as it is."""
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
        """Go on from a `state`."""
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
    """What the costs of a `SampledDomain` are divided by while they are learnt: their mean, or 1 if it is less."""
    if not isinstance(domain, SampledDomain):
        return 1.0
    _, costs, _ = domain.walks_back(_GREEDY, options.longest, np.random.default_rng(0))
    return max(1.0, float(costs.mean()))


def _scaled(arrays: Mapping[str, NDArray[np.float32]], factor: float) -> dict[str, NDArray[np.float32]]:
    """The network with outputs times a factor."""
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
    symmetries = domain.automorphisms() if starts is not None and options.symmetric else None
    single = Distances(domain, taught, symmetries, preferred=starts, share=options.starts)
    return Pairs(single) if options.method == "pairs" else single
