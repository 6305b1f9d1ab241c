"""Tuning of options by campaigns of candidates: successive halving, or Optuna's sampler.

All runs are stored in the folder of one campaign, so an interrupted tuning can be resumed: the same command draws the
same candidates, and finished runs are not repeated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from matheur.campaign.configuration import Campaign, Variant, over
from matheur.campaign.criteria import CRITERIA, TIMES, best_known, horizons, solved_at
from matheur.campaign.keys import located
from matheur.campaign.ranges import Choices, Interval, draw, parse_ranges
from matheur.campaign.records import RunRecord, read_records
from matheur.campaign.running import Summary
from matheur.campaign.toml import to_toml
from matheur.engine.files import write_atomic
from matheur.engine.options import deep_merge, in_order, set_dotted
from matheur.errors import ConfigurationError, MatheurError

__all__ = ["Candidate", "Tuned", "tune", "write_preset"]

_LIMITS = ("seconds", "iterations", "work", "target")

Runner = Callable[[Campaign], Summary]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate configuration.

    Attributes
    ----------
    name
        Name of its variant: `base` for the original configuration, else a number.
    values
        Changed values by dotted key.
    criterion
        Mean of the criterion over the instances and the seeds run so far; None before the first run.
    seeds
        Number of seeds run so far.
    """

    name: str
    values: Mapping[str, Any]
    criterion: float | None = None
    seeds: int = 0


@dataclass(frozen=True, slots=True)
class Tuned:
    """Result of a tuning.

    Attributes
    ----------
    best, base
        The best candidate, and the original configuration on the same instances and seeds.
    candidates
        All candidates, those with the most seeds first, and among these the best first.
    variant
        The tuned variant.
    interrupted
        Whether the tuning was interrupted; the same call resumes it.
    """

    best: Candidate
    base: Candidate
    candidates: Sequence[Candidate]
    variant: Variant
    interrupted: bool


def tune(
    campaign: Campaign,
    folder: Path | str,
    run: Runner,
    *,
    on_round: Callable[[Sequence[Candidate]], None] | None = None,
) -> Tuned:
    """Find values in the ranges of a campaign that improve its variant.

    Parameters
    ----------
    campaign
        Campaign with one variant and `tune.ranges`.
    folder
        Folder in which `run` stores the runs.
    run
        Function that executes the remaining runs of a campaign, such as a call of `run_campaign` with its executor.
    on_round
        Function called with the candidates of each round, best first.

    Raises
    ------
    ConfigurationError
        If there is not exactly one variant, if there are no ranges, or if an option does not accept a value.
    MatheurError
        If Optuna is selected but not installed, all runs fail, or no run has solved its instance where the criterion
        requires it.
    """
    if len(campaign.used) != 1:
        named = ", ".join(variant.name for variant in campaign.used)
        raise ConfigurationError(f"one variant is tuned at a time ({named}). Maybe --only {campaign.used[0].name}?")
    ranges = parse_ranges(campaign.tune.ranges)
    search = _Search(campaign, Path(folder), run, on_round or (lambda _: None))
    if campaign.tune.method == "optuna":
        _by_optuna(search, ranges)
    else:
        _by_halving(search, ranges)
    return search.tuned()


class _Search:
    """Runs candidates and records their results."""

    def __init__(
        self, campaign: Campaign, folder: Path, run: Runner, on_round: Callable[[Sequence[Candidate]], None]
    ) -> None:
        self.campaign, self.folder, self.run, self.on_round = campaign, folder, run, on_round
        self.origin = campaign.used[0]
        self.known: dict[str, Candidate] = {}
        self.interrupted = False

    def variant(self, candidate: Candidate) -> Variant:
        """The variant with the values of a candidate."""
        settings = deep_merge(self.origin.settings, {})
        for key, value in in_order(candidate.values.items()):
            set_dotted(settings, key, value)
        if "neighbourhoods" in candidate.values:  # some ranges of options may apply only to some lists
            settings = over(settings, {"neighbourhoods": settings["neighbourhoods"]})
        return replace(self.origin, name=candidate.name, settings=settings)

    def try_out(self, candidates: Sequence[Candidate], seeds: int) -> list[Candidate]:
        """Run candidates on the first `seeds` seeds, and return them with their criterion, best first."""
        wanted = {one.name: one for one in (self.known.get("base", Candidate("base", {})), *candidates)}
        variants = tuple(self.variant(one) for one in wanted.values())
        trial = replace(self.campaign, variants=variants, only=(), seeds=self.campaign.seeds[:seeds])
        self.interrupted = self.run(trial).interrupted
        if self.interrupted:
            return list(candidates)
        records = read_records(self.folder)
        if all(record.status == "failed" for record in records):
            raise MatheurError(f"all runs of the tuning failed: {records[0].reason if records else 'there are none'}")
        criterion = self.campaign.tune.criterion
        if criterion in TIMES and all(solved_at(record) is None for record in records):
            raise MatheurError(
                f"no run has solved its instance, so there is no {criterion} to compare. Maybe longer runs, or a "
                f"target that counts as solved, such as --set base.target=reference?"
            )
        every = read_records(self.folder, planned=False, damaged=[])
        best, most = best_known(every), horizons(every)
        for name, candidate in wanted.items():
            value = self._criterion([record for record in records if record.variant == name], best, most)
            self.known[name] = replace(candidate, criterion=value, seeds=seeds)
        self.on_round(sorted((self.known[name] for name in wanted), key=_rank))
        return sorted((self.known[one.name] for one in candidates), key=_rank)

    def _criterion(self, records: Sequence[RunRecord], best: Mapping[str, float], most: Mapping[str, float]) -> float:
        measure = CRITERIA[self.campaign.tune.criterion]
        return fmean(measure(one, best.get(one.instance, 0.0), most.get(one.instance, 0.0)) for one in records)

    def tuned(self) -> Tuned:
        """The result so far."""
        candidates = sorted(self.known.values(), key=lambda one: (-one.seeds, *_rank(one)))
        base = self.known.get("base", Candidate("base", {}))
        best = candidates[0] if candidates else base
        name = self.origin.name
        return Tuned(best, base, candidates, replace(self.variant(best), name=name), self.interrupted)


def _rank(candidate: Candidate) -> tuple[float, bool]:
    """Sort key of candidates by criterion; the original configuration comes first among equals."""
    value = math.inf if candidate.criterion is None else candidate.criterion
    return value, candidate.name != "base"


def _by_halving(search: _Search, ranges: Mapping[str, Choices | Interval]) -> None:
    """Successive halving: many candidates with few seeds, fewer and better ones with more, the last ones with all."""
    options = search.campaign.tune
    rng = np.random.default_rng(options.seed)
    left = [Candidate("base", {})]
    seen: list[dict[str, Any]] = []
    for _ in range(100 * options.candidates):
        values = draw(ranges, rng)
        if values not in seen:
            seen.append(values)
            left.append(Candidate(f"{len(left):03d}", values))
        if len(left) == options.candidates:
            break
    rounds = max(1, math.ceil(math.log(len(left), options.factor) - 1e-9))
    for number in range(rounds):
        seeds = max(1, len(search.campaign.seeds) // options.factor ** (rounds - 1 - number))
        left = search.try_out(left, seeds)
        if search.interrupted:
            return
        left = left[: max(1, math.ceil(len(left) / options.factor))]


def _by_optuna(search: _Search, ranges: Mapping[str, Choices | Interval]) -> None:
    """Optuna's tree-structured Parzen estimator, with `factor` candidates at a time, each with all seeds."""
    try:
        import optuna
    except ImportError:
        raise MatheurError(
            "Optuna is not installed. Maybe pip install 'matheur[tune]', or tune.method = 'halving'?"
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    options, seeds = search.campaign.tune, len(search.campaign.seeds)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=options.seed))
    tried = 0
    while tried < options.candidates:
        trials = [study.ask() for _ in range(min(options.factor, options.candidates - tried))]
        asked = [Candidate(f"{tried + n + 1:03d}", _suggested(trial, ranges)) for n, trial in enumerate(trials)]
        search.try_out(asked, seeds)
        if search.interrupted:
            return
        for trial, candidate in zip(trials, asked, strict=True):
            study.tell(trial, search.known[candidate.name].criterion)
        tried += len(trials)


def _suggested(trial: Any, ranges: Mapping[str, Choices | Interval]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, one in ranges.items():
        if isinstance(one, Choices):
            values[key] = one.values[trial.suggest_categorical(key, list(range(len(one.values))))]
        elif one.whole:
            step = 1 if one.log else one.step
            values[key] = trial.suggest_int(key, one.low, one.high, step=step, log=one.log)
        else:
            values[key] = float(f"{trial.suggest_float(key, one.low, one.high, log=one.log):.4g}")
    return values


def write_preset(tuned: Tuned, campaign: Campaign, path: Path) -> None:
    """Write the tuned configuration as TOML, for `--config`, without the limits of the tuning runs.

    Files next to the campaign, such as a trained network, are named by their absolute paths.
    """
    settings = located(tuned.variant.settings, campaign.folder)
    kept = {key: value for key, value in settings.items() if key not in _LIMITS}
    if tuned.variant.preset is not None:
        kept = {"preset": tuned.variant.preset, **kept}
    said = f"{campaign.tune.criterion} {_shown(tuned.best)}, before {_shown(tuned.base)}; {tuned.best.seeds} seeds"
    comment = f"# Tuned by the campaign '{campaign.name}': {said}"
    text = "".join(c if c.isprintable() else " " for c in comment)
    write_atomic(path, f"{text}\n{to_toml(kept)}".encode())


def _shown(candidate: Candidate) -> str:
    return "unknown" if candidate.criterion is None else f"{candidate.criterion:.4g}"
