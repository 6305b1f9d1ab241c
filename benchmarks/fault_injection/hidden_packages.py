"""Commands without the optional packages that they need."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from fault_injection.commands import Child, complaints, left_files
from fault_injection.counting import Count, Loss

__all__ = ["HIDDEN", "try_packages"]

_HIDE = """
import importlib.machinery, json, sys
hidden, finder = set(json.loads(sys.argv.pop(1))), importlib.machinery.PathFinder
find = finder.find_spec
finder.find_spec = lambda name, *more: None if name.partition(".")[0] in hidden else find(name, *more)
from matheur.cli import main
main()
"""
"""A `python -c` program that hides packages and runs the command line."""


@dataclass(frozen=True)
class _Case:
    group: str
    hidden: tuple[str, ...]
    text: str
    extra: str | None  # package that the message must name; None: the command works without it


_ALL = ("jax", "optax", "optuna", "matplotlib", "ortools", "dask", "distributed", "starlette", "uvicorn")
_TRAIN = "train sliding-tile/3x3 --steps 1 --longest 5 --batch 10 --known 10 --out model.npz"
_LEARNT = "solve sliding-tile/4x4-easy --construction beam --neighbourhoods none"  # small networks are compiled
_SWEEP = "sweep party/demo --demand synergy --values 0.3 --seconds 0.2 --constructions 1"
_PLAIN = "solve edge-matching/3x3 --construction random --neighbourhoods swap-rotate --iterations 2"
HIDDEN = (
    _Case("web", ("starlette",), "serve --port 0 --folder bench", "matheur[web]"),
    _Case("web", ("uvicorn",), "serve --port 0 --folder bench", "matheur[web]"),
    _Case("web", ("python_multipart", "multipart"), "serve --port 0 --folder bench", "matheur[web]"),
    _Case("neural", ("jax", "jaxlib"), _TRAIN, "matheur[neural]"),
    _Case("neural", ("optax",), _TRAIN, "matheur[neural]"),
    _Case("neural", ("jax", "jaxlib"), "solve rubik/demo --set construction.values=auto", "matheur[neural]"),
    _Case("neural", ("jax", "jaxlib"), f"{_LEARNT} --set construction.policy=learnt", None),
    _Case("plot", ("matplotlib",), f"{_SWEEP} --out-plot sweep.svg", "matheur[plot]"),
    _Case("plot", ("matplotlib",), "show quadratic-assignment/demo --out q.png", "matheur[plot]"),
    _Case("plot", ("matplotlib",), "show edge-matching/3x3 --out board.svg", None),
    _Case("plot", ("matplotlib",), _SWEEP, None),
    _Case("cp", ("ortools",), "solve party/demo --construction milp-full --solver cp-sat --seconds 1", "matheur[cp]"),
    _Case("cp", ("ortools",), "solvers", None),
    _Case("dask", ("dask", "distributed"), "campaign run campaign.toml --out runs --executor dask", "matheur[dask]"),
    _Case("dask", ("dask", "distributed"), "campaign run campaign.toml --out runs --executor list", None),
    _Case("tune", ("optuna",), "campaign tune tune.toml --out tuned --preset tuned.toml", "matheur[tune]"),
    *(
        _Case("all of them", _ALL, text, None)
        for text in (_PLAIN, "problems", "operators", "show edge-matching/3x3", "solve sliding-tile/3x3 --seconds 0.5")
    ),
)  # fmt: skip
_CAMPAIGN = 'instances = ["edge-matching/3x3"]\n[base]\nconstruction = "random"\niterations = 1\n[variants.one]\n'
_TUNE = (
    'instances = ["edge-matching/3x3"]\n[base]\nconstruction = "random"\niterations = 1\n'
    '[tune]\nmethod = "optuna"\ncandidates = 2\n[tune.ranges]\n'
    "restart_after = [1, 2, 3]\n"
)


def try_packages(
    folder: Path,
    trials: int,
    seed: int,
    *,
    groups: Collection[str] | None = None,
    told: Callable[[str], None] = print,
) -> Iterator[Count]:
    """Run every command of the list, or of some groups, once, regardless of the number of trials and the seed."""
    counts: dict[str, Count] = {}
    for number, case in enumerate(HIDDEN):
        if groups is not None and case.group not in groups:
            continue
        count = counts.setdefault(case.group, Count("packages", f"without {case.group}"))
        place = folder / f"hidden-{number}"
        place.mkdir(parents=True, exist_ok=True)
        (place / "campaign.toml").write_text(_CAMPAIGN)
        (place / "tune.toml").write_text(_TUNE)
        child = Child(place, [json.dumps(case.hidden), *case.text.split()], code=_HIDE)
        code, out, err = child.end(120.0)
        count.trials += 1
        count.faults += 1
        count.outcomes[f"exit {code}"] += 1
        losses = complaints(code, out, err)
        losses += [Loss("process", one) for one in child.left()]
        losses += [Loss("temporary", one) for one in left_files(child)]
        if not losses and case.extra is None and code != 0:
            losses.append(Loss("answer", err))
        if not losses and case.extra is not None and (code != 2 or case.extra not in err):
            losses.append(Loss("message", f"exit code {code}, {case.extra} is not named: {err}"))
        count.losses += losses
        for loss in losses:
            told(f"without {', '.join(case.hidden)}: {case.text}: {loss.kind}: {loss.detail}")
        shutil.rmtree(place)
        shutil.rmtree(child.temporary)
    yield from counts.values()
