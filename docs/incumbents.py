"""Draw the picture of the README: the best plan and the bound during a run of one minute.

    python docs/incumbents.py [SECONDS]

The script solves a lot sizing problem (models/lot_sizing.py) and writes docs/images/incumbents.svg.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import matheur
from matheur.campaign.report.drawing import draw_alone
from matheur.campaign.report.plots import Axis, Plot, Series
from matheur.models import lot_sizing

__all__ = ["drawn", "events_of_a_run"]

IMAGE = Path(__file__).resolve().parent / "images" / "incumbents.svg"
ITEMS, PERIODS, SEED = 20, 20, 1


def events_of_a_run(seconds: float) -> list[dict[str, Any]]:
    """Run the default preset and return its event stream."""
    model = lot_sizing.build(lot_sizing.generate(items=ITEMS, periods=PERIODS, seed=SEED))
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder, "trace.jsonl")
        matheur.solve(model, seconds=seconds, seed=1, trace=trace)
        return [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]


def drawn(events: list[dict[str, Any]], seconds: float) -> str:
    """Return the picture of a run; costs are in thousands."""
    plan, bound = (_steps(events, kind, seconds) for kind in ("incumbent", "bound"))
    best, low = plan[1][-1], bound[1][-1]
    # First plans may cost many times more, so the axis ends at five times the final gap.
    cost = Axis("cost, thousands", low - 0.2 * (best - low), low + 5 * (best - low))
    series = [
        Series("best plan so far", *plan, "steps", number=0),
        Series("bound: no plan costs less", *bound, "steps", number=1),
    ]
    said = f"After {seconds:g} seconds the best plan costs {best:,.1f}, and none costs less than {low:,.1f}."
    plot = Plot(Axis("seconds", 0.0, seconds), cost, series, said)
    return draw_alone(plot, f"Lot sizing, {ITEMS} items in {PERIODS} periods")


def _steps(events: list[dict[str, Any]], kind: str, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    kept = (one for one in events if one["event"] == kind and one["operator"] != "trivial")
    found = [(one["seconds"], one["score"] / 1000) for one in kept]
    at, value = np.array([*found, (seconds, found[-1][1])]).T
    return np.minimum(at, seconds), value


def main() -> None:
    """Run, draw, and print what was found."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    events = events_of_a_run(seconds)
    IMAGE.write_text(drawn(events, seconds), encoding="utf-8")
    for kind in ("incumbent", "bound"):
        last = [one["score"] for one in events if one["event"] == kind][-1]
        sys.stdout.write(f"{kind} {last}\n")


if __name__ == "__main__":
    main()
