"""Figure 4 of Levonyan et al. 2023: the synergy of constructed parties with and without guidance.

    python experiments/party_building/figure4.py --size smoke     # 200 attempts on one puzzle
    python experiments/party_building/figure4.py --size full      # 5,000 on the three types, as in the paper

Each attempt is one pass of Algorithm 1 with all linear demands and no synergy demand: `unguided` takes any item of the
filtered candidates, `match` the best match with the placed neighbours (the paper's heuristic), `mixed` is matheur's.
The paper states that the largest synergy of 5,000 unguided attempts was 0.35, on a puzzle and a table of its own. All
sizes except `smoke` also write `results/figure4-SIZE.md` and the histograms `results/figure4.svg`.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import matheur
from matheur.problems.party import Party, builtin
from matheur.problems.party.operators.constructing import MATCH, MIXED, UNGUIDED, Guidance, construct
from matheur.problems.party.operators.tables import Tables
from matheur.running.charts import chart_file, new_chart

HERE = Path(__file__).resolve().parent
GUIDANCES = {"unguided": UNGUIDED, "match": MATCH, "mixed": MIXED}
SIZES = {
    "smoke": (200, ("type1",)),
    "bench": (5000, ("type1", "type2", "type3")),
    "full": (5000, ("type1", "type2", "type3")),
}
"""Attempts, and built-in puzzles."""
BINS = np.linspace(0, 1, 11)


def synergies(puzzle: str, guidance: Guidance, attempts: int) -> NDArray[np.float64]:
    """Synergy of each attempt that fills all slots and meets all linear demands."""
    one = builtin(puzzle)
    assert one.synergy is not None
    free = replace(one, synergy=replace(one.synergy, minimum=None))
    problem = Party(free)
    empty = np.full((attempts, len(free.slots)), -1, dtype=np.int32)
    parties, feasible = construct(Tables.of(free), empty, np.random.default_rng(0), attempts=1, guidance=guidance)
    return np.array([float(problem.synergy(party) or 0) for party in parties[feasible]])


def histograms(found: dict[tuple[str, str], NDArray[np.float64]], puzzles: tuple[str, ...], path: Path) -> None:
    """One axis for each puzzle: share of the attempts by synergy, without and with guidance."""
    figure = new_chart(4 * len(puzzles), 3.2)
    for axis, puzzle in zip(figure.subplots(1, len(puzzles), squeeze=False)[0], puzzles, strict=True):
        for name in GUIDANCES:
            values = found[puzzle, name]
            if len(values):
                weights = np.full(len(values), 100 / len(values))
                axis.hist(values, np.linspace(0, 1, 41), weights=weights, alpha=0.6, label=name)
        axis.set_title(puzzle)
        axis.set_xlabel("synergy")
        axis.set_ylabel("% of the parties")
        axis.legend()
    path.write_bytes(chart_file(figure, "svg"))


def main() -> None:
    """Construct, count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="smoke")
    size = parser.parse_args().size
    attempts, puzzles = SIZES[size]
    lines = [
        f"matheur {matheur.__version__}, {date.today():%Y-%m-%d}, seed 0, {attempts:,} attempts each: share of the "
        "parties with a synergy in each tenth.\n",
        "| puzzle | guidance | parties | mean | largest | "
        + " | ".join(f"{low:.1f}-{high:.1f}" for low, high in pairwise(BINS))
        + " |",
        "| --- | --- |" + " ---: |" * (len(BINS) + 2),
    ]
    everything: dict[tuple[str, str], NDArray[np.float64]] = {}
    for puzzle in puzzles:
        for name, guidance in GUIDANCES.items():
            found = everything[puzzle, name] = synergies(puzzle, guidance, attempts)
            if not len(found):
                lines.append(f"| {puzzle} | `{name}` | 0 |" + " |" * (len(BINS) + 1))
                continue
            shares = np.histogram(found, BINS)[0] / len(found)
            cells = " | ".join(f"{100 * share:.1f} %" for share in shares)
            lines.append(f"| {puzzle} | `{name}` | {len(found):,} | {found.mean():.3f} | {found.max():.3f} | {cells} |")
    print("\n".join(lines))
    if size != "smoke":
        (HERE / "results" / f"figure4-{size}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
        histograms(everything, puzzles, HERE / "results" / "figure4.svg")


if __name__ == "__main__":
    main()
