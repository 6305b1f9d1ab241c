"""Damaged files of every kind that the command line reads, tested in this process."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import json
import logging
import re
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fault_injection.counting import Count, Loss

__all__ = ["Sample", "mutate", "samples", "try_bytes"]

MEMORY_MAX = 1 << 30  # maximum of resident bytes beyond those at the start
PATIENCE = 300.0
PROBLEMS = {
    "edge-matching": ["size=4"],
    "max-clique": ["size=12"],
    "cubical": ["dimension=3", "rings=2"],
    "sliding-tile": ["size=3"],
    "lights-out": ["size=3"],
    "sokoban": ["size=7", "boxes=2"],
    "rubik": ["moves=6"],
    "party": ["cards=100"],
    "quadratic-assignment": ["size=5"],
}
_GRAPHS = {
    "ascii": ".clq",
    "binary": ".clq.b",
    "metis": ".graph",
    "matrix-market": ".mtx",
    "edge-list": ".edges",
    "pace": ".gr",
}
_QUICK = ("show", "verify")
_CONFIGURATION = """
seconds = 0.2
seed = 3
construction = "random"
neighbourhoods = ["assignment", "swap-rotate"]
schedule = {name = "cycle", repetitions = [2, 1]}
acceptance = {name = "annealing", start = 1.0}
[neighbourhood.assignment]
k = 4
"""
_NUMBERS = (b"0", b"-1", b"1e308", b"nan", b"2147483648", b"18446744073709551616", b"999999999", b"1" * 5000, b"0.5")


@dataclass(frozen=True)
class Sample:
    """A valid file, and the commands that read it (`{}` is replaced by its name)."""

    group: str
    name: str
    data: bytes
    commands: tuple[str, ...]
    companions: tuple[tuple[str, bytes], ...] = ()


def samples(folder: Path, *, searching: bool = True) -> list[Sample]:
    """One valid file of every kind, made by the built-in generators and commands; only a few without `searching`."""
    folder.mkdir(parents=True, exist_ok=True)
    found: list[Sample] = []
    with contextlib.chdir(folder):
        for problem, settings in PROBLEMS.items():
            found += _instance_and_solution(problem, settings)
        found += _graphs()
        if not searching:
            few = [
                replace(one, commands=tuple(text for text in one.commands if text.startswith(_QUICK))) for one in found
            ]
            return [one for one in few if one.commands]
        found.append(
            Sample("configuration", "run.toml", _CONFIGURATION.encode(), ("solve edge-matching/4x4 --config {}",))
        )
        found += _learnt()
        found += _campaign()
        _demand("export clique edge-matching/3x3 --out cells.clq --nodes cells.csv")
        _demand("clique cells.clq --target 9 --json --out cells.json")
        answer = " ".join(map(str, json.loads(Path("cells.json").read_text())["solution"])) + "\n"
        nodes = Path("cells.csv").read_bytes()
        importing = "import clique cells.csv answer.txt --instance edge-matching/3x3 --out imported.json"
        beside = (("answer.txt", answer.encode()), ("cells.csv", nodes))
        found.append(Sample("node table", "cells.csv", nodes, (importing,), beside[:1]))
        found.append(Sample("clique's answer", "answer.txt", answer.encode(), (importing,), beside[1:]))
        _demand(
            "solve edge-matching/4x4 --construction random --neighbourhoods swap-rotate --iterations 2 "
            "--checkpoint state"
        )
        state = Path("state/checkpoint.json").read_bytes()
        resume = (
            "solve edge-matching/4x4 --construction random --neighbourhoods swap-rotate --iterations 2 "
            "--checkpoint state --resume"
        )
        found.append(Sample("checkpoint", "state/checkpoint.json", state, (resume,)))
    return found


def _instance_and_solution(problem: str, settings: list[str]) -> list[Sample]:
    name = f"{problem}.txt"
    sizes = [f"--size {one[5:]}" if one.startswith("size=") else f"--set {one}" for one in settings]
    _demand(f"generate {problem} --out {name} {' '.join(sizes)} --seed 1")
    side = Path(f"{name}.solution.json")
    named = f"--problem {problem}"
    companions = [path for path in Path().glob(f"{problem}-*") if path.suffix == ".csv"]
    beside = tuple((path.name, path.read_bytes()) for path in companions)
    own = (name, Path(name).read_bytes())
    reading = ("show {}", f"show {{}} {named}", f"solve {{}} --seconds 0.2 {named}", "solve {} --seconds 0.2")
    found = [Sample(f"instance of {problem}", *own, reading, beside)]
    checking = (f"verify {name} {{}} {named}", f"show {{}} --instance {name} {named}", "show {}")
    found.append(Sample(f"result of {problem}", side.name, side.read_bytes(), checking, (own, *beside)))
    for path, data in beside:
        reading = (f"show {name} {named}", f"solve {name} --seconds 0.2 {named}")
        found.append(Sample(f"catalogue of {problem}", path, data, reading, (own,)))
    return found


def _graphs() -> list[Sample]:
    found = []
    for form, ending in _GRAPHS.items():
        name = f"graph-{form}{ending}"
        _demand(f"export clique max-clique.txt --format {form} --out {name}")
        commands = ("show {} --problem max-clique", "clique {} --work 1000", "solve {} --seconds 0.2")
        found.append(Sample(f"graph, {form}", name, Path(name).read_bytes(), commands))
    return found


def _learnt() -> list[Sample]:
    _demand("label sliding-tile/3x3 --plans 3 --out labels.npz --json")
    found = []
    training = (
        "train sliding-tile/3x3 --method labelled --labels {} --steps 1 --longest 5 --batch 10 --out made.npz --json"
    )
    found.append(Sample("labels", "labels.npz", Path("labels.npz").read_bytes(), (training,)))
    small = "train sliding-tile/3x3 --steps 1 --longest 5 --batch 10 --known 10 --json"
    _demand(f"{small} --out model.npz --checkpoint training.npz")
    solving = (
        "solve sliding-tile/3x3 --seconds 0.2 --construction astar --set construction.heuristic={}",
        f"{small} --begin {{}} --out made.npz",
    )
    found.append(Sample("model", "model.npz", Path("model.npz").read_bytes(), solving))
    going_on = f"{small} --out made.npz --checkpoint {{}}"
    found.append(Sample("training checkpoint", "training.npz", Path("training.npz").read_bytes(), (going_on,)))
    return found


def _campaign() -> list[Sample]:
    text = (
        'instances = ["edge-matching/3x3"]\nseeds = 2\n'
        '[base]\nconstruction = "random"\niterations = 1\n[variants.one]\n'
    )
    commands = ("campaign run {} --executor list --out runs --json",)
    return [Sample("campaign", "few.toml", text.encode(), commands)]


def _demand(text: str) -> None:
    code, out, err = _command(text.split())
    if code != 0:
        raise RuntimeError(f"matheur {text}: {err or out}")


def _command(arguments: list[str]) -> tuple[int, str, str]:
    """Run a command in this process: exit code, standard output, and standard error (a traceback if it raises)."""
    from matheur.cli import run
    from matheur.running import loading

    out, err = io.StringIO(), io.StringIO()
    handler = logging.StreamHandler(err)
    logging.getLogger().addHandler(handler)
    loading._standard_input.cache_clear()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = run(arguments)
            except SystemExit as error:
                code = int(error.code or 0)
            except Exception:
                err.write(traceback.format_exc())
                code = 70
    finally:
        logging.getLogger().removeHandler(handler)
    return code, out.getvalue(), err.getvalue()


def mutate(data: bytes, rng: np.random.Generator) -> bytes:
    """Apply one to four changes: bits, inserted or deleted bytes, copied or moved chunks, wrong numbers, truncation."""
    for _ in range(int(rng.integers(1, 5))):
        length = len(data)
        at, other = (int(rng.integers(0, length + 1)) for _ in range(2))
        size = int(rng.integers(1, 1 + max(1, min(64, length // 4))))
        match int(rng.integers(0, 8)):
            case 0 if at < length:
                data = data[:at] + bytes([data[at] ^ (1 << int(rng.integers(0, 8)))]) + data[at + 1 :]
            case 1:
                data = data[:at] + rng.bytes(int(rng.integers(1, 9))) + data[at:]
            case 2:
                data = data[:at] + data[at + size :]
            case 3:
                data = data[:other] + data[at : at + size] * int(rng.integers(1, 4)) + data[other:]
            case 4:
                data = data[:at]
            case 5:  # the first numbers are sizes
                numbers = list(re.finditer(rb"\d+", data[:4000]))
                if numbers:
                    chosen = numbers[min(int(rng.geometric(0.2)) - 1, len(numbers) - 1)]
                    data = data[: chosen.start()] + _NUMBERS[int(rng.integers(len(_NUMBERS)))] + data[chosen.end() :]
            case 6:
                lines = data.splitlines(keepends=True)
                if len(lines) > 1:
                    one, two = (int(rng.integers(len(lines))) for _ in range(2))
                    lines[one], lines[two] = lines[two], lines[one]
                    data = b"".join(lines)
            case 7 if length >= 8:  # a binary length
                at = min(at, length - 8)
                data = data[:at] + (b"\xff" * 4 if rng.random() < 0.5 else b"\0\0\0\x7f") + data[at + 4 :]
    return data


def try_bytes(
    folder: Path,
    trials: int,
    seed: int,
    *,
    searching: bool = True,
    until: float = float("inf"),
    told: Callable[[str], None] = print,
) -> Iterator[Count]:
    """Test all kinds of files in turn."""
    place = folder / "bytes"
    shutil.rmtree(place, ignore_errors=True)
    corpus = samples(place, searching=searching)
    counts = {sample.group: Count("bytes", sample.group) for sample in corpus}
    with contextlib.chdir(place):
        for sample in corpus:  # compile the kernels of the commands; none may fail
            _write(sample, sample.data)
            for text in sample.commands:
                code, _, err = _command(text.format(sample.name).split())
                if code not in (0, 1):
                    raise RuntimeError(f"{text}: {err}")
        for trial in range(trials):
            if time.monotonic() > until:
                break
            sample = corpus[trial % len(corpus)]
            count = counts[sample.group]
            rng = np.random.default_rng([seed, trial])
            data = mutate(sample.data, rng)
            _write(sample, data)
            text = sample.commands[int(rng.integers(len(sample.commands)))]
            losses = list(_one(text.format(sample.name).split(), count))
            count.losses += losses
            for loss in losses:
                Path(f"lost-{trial}").write_bytes(data)
                told(f"trial {trial}, {sample.group}, {text}: {loss.kind}: {loss.detail}")
    yield from (count for count in counts.values() if count.trials)


def _write(sample: Sample, data: bytes) -> None:
    for name, content in (*sample.companions, (sample.name, data)):
        Path(name).write_bytes(content)
    for name in ("made.npz", "imported.json"):
        Path(name).unlink(missing_ok=True)


def _one(arguments: list[str], count: Count) -> Iterator[Loss]:
    Path("/proc/self/clear_refs").write_text("5")  # reset the peak of memory
    before, began = _memory("VmRSS"), time.monotonic()
    if sys.__stderr__ is not None:
        faulthandler.dump_traceback_later(PATIENCE, exit=True, file=sys.__stderr__)
    code, out, err = _command(arguments)
    faulthandler.cancel_dump_traceback_later()
    more = _memory("VmHWM") - before
    count.trials += 1
    count.faults += 1
    count.seconds.append(time.monotonic() - began)
    count.outcomes["refused" if code == 2 else f"exit {code}"] += 1
    if more > MEMORY_MAX:
        yield Loss("memory", f"{more >> 20} MiB")
    if "Traceback" in err:
        yield Loss("traceback", err[-2500:])
    elif code not in (0, 1, 2):
        yield Loss("silent", f"exit code {code}: {err[-500:]}")
    elif code == 2 and (out or not err.startswith("error: ") or err.count("\n") != 1 or len(err) < 12):
        yield Loss("message", f"{out[-300:]!r} {err[-500:]!r}")
    elif code != 2 and "Warning" in err:
        yield Loss("message", err[-500:])


def _memory(key: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) << 10
    raise RuntimeError(f"no {key}")
