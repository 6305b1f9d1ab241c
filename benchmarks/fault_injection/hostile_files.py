"""Full disks, missing folders, hostile names and locales, and broken or contended caches."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

from fault_injection.commands import Child, complaints, damaged_outputs, left_files
from fault_injection.counting import Count, Loss

__all__ = ["NAMES", "WRITERS", "Trials", "broken_caches", "full_disks", "hostile_names", "try_files", "wrong_places"]

_SMALL = "solve edge-matching/4x4 --construction random --neighbourhoods swap-rotate --iterations 3"
WRITERS = {
    "solve --out": f"{_SMALL} --out {{}}.json",
    "solve --trace": f"{_SMALL} --trace {{}}.jsonl",
    "solve --checkpoint": f"{_SMALL} --checkpoint {{}}",
    "solve --out, two processes": f"{_SMALL} --jobs 2 --out {{}}.json",
    "show --out X.svg": "show edge-matching/4x4 --out {}.svg",
    "show --out X.html": "show edge-matching/4x4 --out {}.html",
    "show --out X.png": "show edge-matching/4x4 --out {}.png",
    "generate": "generate lights-out --size 4 --out {}.txt",
    "export clique": "export clique edge-matching/4x4 --out {}.clq --nodes {}.csv",
    "export model": "export model edge-matching/3x3 --out {}.lp",
    "clique --out": "clique max-clique/demo --work 1000 --out {}.json",
    "diverse --out": "diverse party/demo --within 30 --count 2 --seconds 2 --out {}.json",
    "sweep --out": "sweep party/demo --demand synergy --values 0.3 --seconds 0.2 --constructions 1 --out {}.csv",
    "sweep --out-plot": (
        "sweep party/demo --demand synergy --values 0.3 --seconds 0.2 --constructions 1 --out-plot {}.svg"
    ),
    "label": "label sliding-tile/3x3 --plans 2 --out {}.npz",
    "train": "train sliding-tile/3x3 --steps 1 --longest 5 --batch 10 --known 10 --out {}.npz",
    "train --checkpoint": "train sliding-tile/3x3 --steps 1 --longest 5 --batch 10 --known 10 --out made.npz "
    "--checkpoint {}.npz",
    "train-pairs": "train-pairs sliding-tile/3x3 --rounds 2 --width 5 --patterns 4-4 --out {}.npz",
    "campaign run": "campaign run campaign.toml --out {}",
}
"""Commands that write, `{}` being the name of an output without its ending."""
_CAMPAIGN = 'instances = ["edge-matching/3x3"]\n[base]\nconstruction = "random"\niterations = 1\n[variants.one]\n'
_READERS = {
    "solve": ("solve", "{}", "--problem", "edge-matching", "--seconds", "0.2"),
    "show": ("show", "{}"),
    "verify": ("verify", "edge-matching/4x4", "{}"),
    "--start": ("solve", "edge-matching/4x4", "--start", "{}"),
    "--config": ("solve", "edge-matching/4x4", "--config", "{}"),
    "clique": ("clique", "{}"),
    "export clique": ("export", "clique", "{}", "--out", "x.clq"),
    "import clique": ("import", "clique", "{}", "{}", "--out", "x.json"),
    "label": ("label", "{}", "--plans", "2", "--out", "x.npz"),
    "train": ("train", "{}", "--steps", "1", "--out", "x.npz"),
    "--begin": ("train", "sliding-tile/3x3", "--steps", "1", "--begin", "{}", "--out", "x.npz"),
    "campaign run": ("campaign", "run", "{}"),
    "campaign status": ("campaign", "status", "{}"),
    "campaign report": ("campaign", "report", "{}"),
    "sweep": ("sweep", "{}", "--demand", "synergy", "--values", "0.3"),
    "diverse": ("diverse", "{}"),
}
NAMES = ("two words", "-x", "ärger", "日本語", "a'b\"c", "#3", "new\nline", "%s{}", "\udcff")
_PLAIN_LOCALE: dict[str, str | None] = {
    "LC_ALL": "C", "LANG": None, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": None,
}  # fmt: skip
_TABLE = (
    "solve", "rubik/short", "--construction", "two-phase", "--neighbourhoods", "none",
    "--set", "construction.until=first", "--json",
)  # fmt: skip


class Trials:
    """Runs commands, and counts trials and losses."""

    def __init__(self, folder: Path, told: Callable[[str], None]) -> None:
        self.folder, self.told, self.number = folder, told, 0
        self.counts: dict[str, Count] = {}

    def place(self) -> Path:
        """A new working folder."""
        self.number += 1
        place = self.folder / f"files-{self.number}"
        place.mkdir(parents=True)
        (place / "campaign.toml").write_text(_CAMPAIGN)
        return place

    def judge(
        self, group: str, child: Child, what: object, codes: tuple[int, ...], *, whole: bool = True
    ) -> tuple[int | None, str, str]:
        """Wait for a command, which must end with one of the codes, and count its losses."""
        count = self.counts.setdefault(group, Count("files", group))
        code, out, err = child.end(120.0)
        count.trials += 1
        count.faults += 1
        count.outcomes[f"exit {code}"] += 1
        losses = complaints(code, out, err)
        losses += [Loss("process", one) for one in child.left()]
        losses += [Loss("temporary", one) for one in left_files(child)]
        losses += [Loss("unreadable", one) for one in damaged_outputs(child.folder)] if whole else []
        if not losses and code not in codes:
            losses.append(Loss("answer", f"exit code {code}: {err[-300:]}{out[-100:]}"))
        self.lose(group, what, losses)
        return code, out, err

    def lose(self, group: str, what: object, losses: list[Loss]) -> None:
        """Count losses, and report them."""
        self.counts[group].losses += losses
        for loss in losses:
            self.told(f"{group}: {what}: {loss.kind}: {loss.detail}")


def try_files(folder: Path, trials: int, seed: int, *, told: Callable[[str], None] = print) -> Iterator[Count]:
    """Run every case once, regardless of the number of trials and the seed."""
    base = folder / "files"
    shutil.rmtree(base, ignore_errors=True)
    each = Trials(base, told)
    full_disks(each)
    wrong_places(each)
    _unreadable(each)
    hostile_names(each)
    broken_caches(each)
    yield from each.counts.values()


# Done by the child itself: a function between fork and exec is unsafe in a process with threads.
_LIMITED = """import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
size = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
from matheur.cli import main
main()
"""


def full_disks(each: Trials, writers: Collection[str] = tuple(WRITERS), *, devices: bool = True) -> None:
    """No bytes, or too few, can be written to a file; standard output and devices are full."""
    for name in writers:
        text = WRITERS[name]
        for size in (0, 100):
            child = Child(each.place(), [size, *text.replace("{}", "out").split()], code=_LIMITED)
            # A trace keeps the complete lines; small outputs may fit.
            each.judge(
                "disk full", child, f"{name}, {size} bytes", (2,) if size == 0 else (0, 1, 2), whole="jsonl" not in text
            )
    if not devices:
        return
    for arguments in (
        [*_SMALL.split(), "--out", "/dev/full"], [*_SMALL.split(), "--trace", "/dev/full"],
        ["generate", "lights-out", "--out", "/dev/full"],
        ["clique", "max-clique/demo", "--work", "10", "--out", "/dev/full"],
        ["export", "clique", "edge-matching/3x3", "--out", "/dev/full", "--nodes", "n.csv"],
    ):  # fmt: skip
        each.judge("disk full", Child(each.place(), arguments), arguments, (2,))
    with open("/dev/full", "wb") as full:
        for text in ("problems", "operators", "solvers", f"{_SMALL} --json", "show edge-matching/4x4", "--help"):
            _to_full(each, each.place(), text, full)


def _to_full(each: Trials, place: Path, text: str, full: Any) -> None:
    code = "import os, sys\nos.dup2(int(sys.argv.pop(1)), 1)\nfrom matheur.cli import main\nmain()\n"
    child = Child(place, [full.fileno(), *text.split()], code=code, pass_fds=(full.fileno(),))
    each.judge("disk full", child, f"{text} > /dev/full", (2,))


def wrong_places(each: Trials, writers: Collection[str] = tuple(WRITERS)) -> None:
    """The folder of an output is missing, or is a file."""
    for name in writers:
        text = WRITERS[name]
        for kind in ("missing", "file"):
            if kind == "missing" and name in ("solve --checkpoint", "campaign run"):
                continue  # they create their folders
            place = each.place()
            (place / "file").write_text("here")
            arguments = text.replace("{}", f"{kind}/out").split()
            each.judge("folder missing, or a file in its place", Child(place, arguments), f"{name}, {kind}", (2,))


def _unreadable(each: Trials) -> None:
    for name, parts in _READERS.items():
        for what in ("absent", "folder", "/proc/self/mem", "a/b/c", "x" * 300):
            place = each.place()
            (place / "folder").mkdir()
            arguments = [part.replace("{}", what) for part in parts]
            each.judge("unreadable input", Child(place, arguments), f"{name}, {what[:20]}", (2,))


def hostile_names(each: Trials, names: Collection[str] = NAMES) -> None:
    """Files with such names are made, drawn, solved and verified, also in the locale C."""
    environments: tuple[dict[str, str | None], ...] = ({}, _PLAIN_LOCALE)
    for environment in environments:
        for name in names:
            place = each.place()

            for arguments in (
                ("generate", "lights-out", "--size", "3", f"--out={name}"),
                ("show", "--", name),
                ("solve", "--seconds", "0.3", f"--out={name}.json", "--", name),
                ("verify", "--", name, f"{name}.json"),
                ("show", f"--out={name}.svg", "--", f"{name}.json"),
            ):
                child = Child(place, arguments, environment=environment)
                each.judge("hostile names", child, f"{arguments[0]} {name!r} {'C' if environment else ''}", (0,))


def broken_caches(each: Trials) -> None:
    """A cache that is damaged, not writable or filled by two processes costs time but never affects an answer."""
    group = "cache of tables"

    def run(cache: Path, what: str) -> str:
        child = Child(each.place(), _TABLE, environment={"MATHEUR_CACHE": str(cache)})
        _, out, _ = each.judge(group, child, what, (0,))
        try:
            return str(json.loads(out)["objective"])
        except (ValueError, KeyError):
            return out

    cache = each.folder / "cache"
    right = run(cache, "new cache")
    tables = sorted(cache.rglob("*.table"))
    whole = {path: path.read_bytes() for path in tables}
    smallest = min(whole.items(), key=lambda item: len(item[1]), default=None)
    if smallest is None:
        each.lose(group, "new cache", [Loss("answer", "no table was kept")])
    else:
        path, data = smallest
        for what, damaged in {
            "empty": b"",
            "truncated": data[: len(data) // 2],
            "last byte lost": data[:-1],
            "a byte changed in the table": data[:-10] + bytes([data[-10] ^ 1]) + data[-9:],
            "a byte changed in the header": data[:30] + bytes([data[30] ^ 1]) + data[31:],
            "a byte more": data + b"x",
        }.items():
            path.write_bytes(damaged)
            if run(cache, what) != right:
                each.lose(group, what, [Loss("answer", "another objective")])
            if _table_of(path.read_bytes()) != _table_of(data):
                each.lose(group, what, [Loss("unreadable", "the table was not built again")])
            path.write_bytes(data)
    file = each.folder / "no-folder"
    file.write_text("here")
    for what, place in {
        "a file in its place": file, "a file above it": file / "cache", "not writable": Path("/proc/matheur"),
    }.items():  # fmt: skip
        if run(place, what) != right:
            each.lose(group, what, [Loss("answer", "another objective")])
    for trial in range(3):
        shared = each.folder / f"shared-{trial}"
        both = [Child(each.place(), _TABLE, environment={"MATHEUR_CACHE": str(shared)}) for _ in range(2)]
        for child in both:
            each.judge(group, child, "two at once", (0,))
        names = [path.name for path in shared.rglob("*") if path.is_file()]
        if len(names) != len(whole) or any(name.startswith(".") for name in names):
            each.lose(group, "two at once", [Loss("temporary", str(names))])


def _table_of(data: bytes) -> bytes:
    """Content of a file without its creation time."""
    return data.split(b"\n", 2)[-1]
