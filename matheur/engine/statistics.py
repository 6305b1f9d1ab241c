"""Per-operator statistics of a run."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from matheur.engine.stored import Stored

__all__ = ["OperatorStatistics"]


@dataclass(slots=True)
class OperatorStatistics:
    """Calls, net seconds, work units, calls that gained, total gain of the objective, and proofs."""

    calls: int = 0
    seconds: float = 0.0
    work: int = 0
    successes: int = 0
    gain: float = 0
    proofs: int = 0

    def book(self, *, seconds: float, work: int, gain: float, proof: bool) -> None:
        """Add one call."""
        self.calls += 1
        self.seconds += seconds
        self.work += work
        self.successes += gain > 0
        self.gain += gain
        self.proofs += proof

    def add(self, other: OperatorStatistics) -> None:
        """Add the statistics of another process."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, with the gain per second."""
        rate = self.gain / self.seconds if self.seconds > 0 else 0.0
        return {**asdict(self), "seconds": round(self.seconds, 6), "gain_per_second": round(rate, 6)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> OperatorStatistics:
        """The inverse of `to_dict`.

        Raises
        ------
        InputError
            If values are missing, or are not what `to_dict` gives.
        """
        stored = Stored(values)
        return cls(
            calls=stored.count("calls"),
            seconds=stored.seconds("seconds"),
            work=stored.count("work"),
            successes=stored.count("successes"),
            gain=stored.number("gain") or 0,
            proofs=stored.count("proofs"),
        )
