"""Construction `learnt-beam`: the beam that searches partial assignments of every problem, on boards."""

from __future__ import annotations

from dataclasses import dataclass

from matheur.problems.placements import searches

__all__ = ["LearntBeam"]


@dataclass(frozen=True, slots=True)
class LearntBeam(searches.Beam):
    """Beams of doubling width over partial boards, by mismatches so far plus an estimate of those to come.

    Unlike `beam`, which is compiled for boards and ranks them by its own rules, it accepts any estimate: a network
    trained with `matheur train` (`heuristic=FILE.npz`), or the mismatches that the remaining colours make unavoidable
    (`colours`, the default). Work: boards expanded.
    """
