"""SIGINT and SIGTERM at random moments of every command."""

from __future__ import annotations

import json
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fault_injection.commands import Child, complaints, damaged_outputs, left_files
from fault_injection.counting import Count, Loss

__all__ = ["COMMANDS", "prepare", "try_signals"]

_LONGEST = 8.0  # seconds after which the measurement of a command's usual duration stops
_SOLVES = {
    "solve a board": "edge-matching/6x6 --seconds 3",
    "solve a board, paper": "edge-matching/6x6 --preset paper --seconds 3",
    "solve a board by one MILP": "edge-matching/9x9 --construction milp-full --neighbourhoods none --seconds 5",
    "solve a board by SCIP": "edge-matching/8x8 --construction milp-greedy --solver scip --seconds 4",
    "solve a party by CP-SAT": "party/demo --construction milp-full --solver cp-sat --seconds 4",
    "solve a board by cliques": "edge-matching/7x7 --construction clique --seconds 3",
    "solve a board in two processes": "edge-matching/8x8 --seconds 4 --jobs 2 --set portfolio.round_seconds=1",
    "solve with a checkpoint": "edge-matching/8x8 --construction random --neighbourhoods swap-rotate --seconds 3 "
    "--checkpoint state",
    "solve a party": "party/demo --seconds 3",
    "solve an assignment": "quadratic-assignment/grid30 --seconds 3",
    "solve a clique": "max-clique/keller4 --seconds 3",
    "solve cubical": "cubical/d4-k2-level1 --construction evolution --seconds 3",
    "solve sliding tiles": "sliding-tile/demo --seconds 3",
    "solve lights out": "lights-out/demo --seconds 3",
    "solve sokoban": "sokoban/demo --seconds 3",
    "solve rubik": "rubik/demo --seconds 3",
}
_OTHERS = {
    "verify": "verify edge-matching/6x6 {kept}/board.json --json",
    "show as text": "show {kept}/board.json",
    "show as SVG": "show {kept}/board.json --out board.svg",
    "show as HTML": "show {kept}/plan.json --out plan.html",
    "show as PNG": "show {kept}/board.json --out board.png",
    "generate": "generate party --out party.toml",
    "export clique": "export clique edge-matching/8x8 --out graph.clq --nodes nodes.csv",
    "export model": "export model edge-matching/6x6 --out model.lp",
    "import clique": "import clique {kept}/nodes.csv {kept}/answer.txt --instance edge-matching/4x4 --out solved.json",
    "clique": "clique max-clique/keller4 --seconds 2 --out clique.json",
    "clique, exact": "clique max-clique/keller4 --method exact --seconds 4 --out clique.json",
    "diverse": "diverse party/demo --within 30 --count 3 --seconds 4 --out diverse.json",
    "sweep": "sweep party/demo --demand synergy --values 0.3,0.5 --seconds 1 --out sweep.csv --out-plot sweep.svg",
    "label": "label sliding-tile/3x3 --plans 2000 --out labels.npz",
    "train": "train sliding-tile/3x3 --steps 300 --longest 30 --batch 100 --known 2000 --every 50 --out model.npz "
    "--checkpoint training.npz",
    "train-pairs": "train-pairs sliding-tile/4x4 --rounds 20,40 --width 30 --patterns 5-5-5 --out pairs.npz",
    "campaign run": "campaign run {kept}/campaign.toml --out runs",
    "campaign run, two processes": "campaign run {kept}/campaign.toml --out runs --jobs 2",
    "campaign report": "campaign report {kept}/runs --out report.html",
    "campaign collect": "campaign collect {kept}/runs",
    "campaign status": "campaign status {kept}/runs",
    "serve": "serve --port 0 --folder bench",
    "problems": "problems",
    "operators": "operators edge-matching",
    "solvers": "solvers",
}
COMMANDS: dict[str, str] = {
    **{name: f"solve {text} --out out.json --trace trace.jsonl" for name, text in _SOLVES.items()},
    **_OTHERS,
}
_CAMPAIGN = """
instances = ["edge-matching/4x4", "edge-matching/5x5"]
seeds = 2
[base]
construction = "random"
neighbourhoods = ["swap-rotate"]
seconds = 0.5
[variants.one]
[variants.two]
acceptance = "non-worsening"
"""


@dataclass(frozen=True)
class _Case:
    name: str
    text: str
    kept: Path

    @property
    def arguments(self) -> list[str]:
        return self.text.format(kept=self.kept).split()


def prepare(folder: Path) -> Path:
    """Make the files that some commands read: results, a graph's answer, a campaign and its runs."""
    kept = folder / "kept"
    done = kept / "done"
    if done.exists():
        return kept
    kept.mkdir(parents=True, exist_ok=True)
    (kept / "campaign.toml").write_text(_CAMPAIGN)
    for text in (
        "solve edge-matching/6x6 --construction random --neighbourhoods none --out board.json",
        "solve sliding-tile/3x3 --out plan.json",
        "export clique edge-matching/4x4 --out graph.clq --nodes nodes.csv",
        "clique graph.clq --target 16 --json --out clique.json",
        "campaign run campaign.toml --out runs",
    ):
        code, _, err = Child(kept, text.split()).end(300.0)
        if code != 0:
            raise RuntimeError(f"{text}: {err}")
    vertices = json.loads((kept / "clique.json").read_text())["solution"]
    (kept / "answer.txt").write_text(" ".join(map(str, vertices)) + "\n")
    done.touch()
    return kept


def try_signals(
    folder: Path,
    trials: int,
    seed: int,
    *,
    names: list[str] | None = None,
    until: float = float("inf"),
    told: Callable[[str], None] = print,
) -> Iterator[Count]:
    """Run each command in turn, with a signal at a random moment between its start and its usual end.

    Parameters
    ----------
    names
        Commands; all if None.
    until
        Value of `time.monotonic()` after which no further trial begins.
    """
    some = names or list(COMMANDS)
    kept = prepare(folder) if any("{kept}" in COMMANDS[name] for name in some) else folder
    cases = [_Case(name, COMMANDS[name], kept) for name in some]
    usual = _durations(folder, cases, told)
    counts = {case.name: Count("signals", case.name) for case in cases}
    for trial in range(trials):
        if time.monotonic() > until:
            break
        case = cases[trial % len(cases)]
        rng = np.random.default_rng([seed, trial])
        number = signal.SIGINT if rng.random() < 0.5 else signal.SIGTERM
        moment = float(rng.random()) * usual[case.name]
        before = len(counts[case.name].losses)
        _one(folder / f"trial-{trial}", case, number, moment, counts[case.name])
        for loss in counts[case.name].losses[before:]:
            told(f"trial {trial}, {case.name}, {number.name} after {moment:.2f} s: {loss.kind}: {loss.detail}")
    yield from (count for count in counts.values() if count.trials)


def _durations(folder: Path, cases: list[_Case], told: Callable[[str], None]) -> dict[str, float]:
    """Usual duration of each command without a signal; the first of two runs compiles kernels."""
    path = folder / "durations.json"
    known: dict[str, float] = json.loads(path.read_text()) if path.exists() else {}
    for case in cases:
        if case.name not in known:
            for patience in (120.0, _LONGEST):
                if case.name == "serve":
                    patience = _LONGEST
                began = time.monotonic()
                child = Child(folder / "usual", case.arguments)
                code, _, err = child.end(patience)
                known[case.name] = round(time.monotonic() - began, 2)
                child.left(0.0)
                shutil.rmtree(child.folder)
                shutil.rmtree(child.temporary)
                if code not in (0, None):
                    raise RuntimeError(f"{case.text}: {err}")
                if known[case.name] < _LONGEST / 2:
                    break
            told(f"{case.name}: {known[case.name]} s")
            path.write_text(json.dumps(known))
    return {**known, "serve": 4.0}  # it runs until it is stopped


def _one(folder: Path, case: _Case, number: signal.Signals, moment: float, count: Count) -> None:
    child = Child(folder, case.arguments)
    time.sleep(moment)
    over, met = child.process.poll() is not None, child.handles_signals()
    sent = time.monotonic()
    if not over:
        child.signal(number)
    code, out, err = child.end()
    count.trials += 1
    met = met and not (code == -number and err == "")  # that signal came after the last line of matheur
    if met:
        count.faults += 1
        count.seconds.append(time.monotonic() - sent)
    count.outcomes["over before" if over else f"exit {code}" if met else "outside matheur"] += 1
    losses = [Loss("process", one) for one in child.left()]
    losses += [Loss("temporary", one) for one in left_files(child)]
    losses += [Loss("unreadable", one) for one in damaged_outputs(folder)]
    if met or over:
        losses += complaints(code, out, err)
    if case.text.startswith("solve"):
        losses += _lost(folder, case)
    count.losses += losses
    if not losses:
        shutil.rmtree(folder)
        shutil.rmtree(child.temporary)


def _lost(folder: Path, case: _Case) -> list[Loss]:
    """Check that the best solution reported in the trace is in the result file, and is valid."""
    from matheur.running.loading import load_instance, load_solution

    trace, path = folder / "trace.jsonl", folder / "out.json"
    lines = trace.read_text().splitlines(keepends=True) if trace.exists() else []
    events: list[dict[str, Any]] = [json.loads(line) for line in lines if line.endswith("\n")]
    reported = [event["objective"] for event in events if event["event"] == "incumbent"]
    if not path.exists():
        return [Loss("incumbent", "no result file")] if reported else []
    result = json.loads(path.read_text())
    if result.get("solution") is None:
        return [Loss("incumbent", f"{min(reported)} was reported")] if reported else []
    kind, problem = load_instance(case.arguments[1])
    evaluation = problem.evaluate(load_solution(kind, problem, str(path)))
    if not evaluation.feasible or evaluation.objective != result["objective"]:
        return [Loss("unreadable", f"the evaluator says {evaluation.objective}, the file {result['objective']}")]
    if reported and result["objective"] > min(reported):
        return [Loss("incumbent", f"{min(reported)} was reported, the file has {result['objective']}")]
    return []
