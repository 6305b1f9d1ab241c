"""Construction `learnt-beam`: the beam that searches partial assignments of every problem, on boards."""

from __future__ import annotations

from dataclasses import dataclass

from matheur.problems.placements import searches

__all__ = ["LearntBeam"]


@dataclass(frozen=True, slots=True)
class LearntBeam(searches.Beam):
    """Beams of doubling width over partial boards, by mismatches so far plus an estimate of those to come.

    Unlike `beam`, which is compiled for boards and orders them by rules of its own, it takes any estimate: a network of
    `matheur train` (`heuristic=FILE.npz`), or the mismatches that the colours left make unavoidable (`colours`, the
    default). Work: boards expanded.
    """
