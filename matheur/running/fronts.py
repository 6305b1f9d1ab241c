"""Pareto fronts, the result of `matheur front`: solutions that no other one dominates."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from matheur.running.charts import chart_file, label, new_chart

__all__ = ["FrontPoint", "ParetoFront", "Sense"]

Sense = Literal["min", "max"]


@dataclass(frozen=True, slots=True)
class FrontPoint:
    """A solution that no other one dominates.

    Attributes
    ----------
    values
        Exact value in each objective.
    solution
        The solution.
    proved
        Whether no solution is as good in the other objectives and better in the first.
    """

    values: tuple[Fraction, ...]
    solution: Any
    proved: bool = False


@dataclass(frozen=True, slots=True)
class ParetoFront:
    """Solutions that no other known one dominates, sorted by the first objective.

    Attributes
    ----------
    problem
        The problem, which can encode its solutions.
    instance
        Name of the instance.
    objectives, senses
        Names of the objectives, and whether each is minimised (`min`) or maximised (`max`).
    method
        Method that computed the front.
    points
        Points in the order of the first objective, best first.
    complete
        Whether it is proved that no better solutions exist, nor any between them.
    seconds
        Seconds of the search.
    seed
        Seed of all random choices.
    """

    problem: Any
    instance: str
    objectives: tuple[str, ...]
    senses: tuple[Sense, ...]
    method: str
    points: Sequence[FrontPoint]
    complete: bool
    seconds: float
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "problem": self.problem.name,
            "instance": self.instance,
            "objectives": dict(zip(self.objectives, self.senses, strict=True)),
            "method": self.method,
            "complete": self.complete,
            "seconds": round(self.seconds, 3),
            "seed": self.seed,
            "points": [
                {
                    **{name: plain_number(value) for name, value in zip(self.objectives, one.values, strict=True)},
                    "proved": one.proved,
                    "solution": self.problem.encode(one.solution),
                }
                for one in self.points
            ],
        }

    def to_csv(self) -> str:
        """One line for each point, with a header."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*self.objectives, "proved"])
        writer.writerows([*map(plain_number, one.values), one.proved] for one in self.points)
        return text.getvalue()

    def plot(self, kind: str) -> bytes:
        """Each further objective over the first; a full dot is proved.

        Parameters
        ----------
        kind
            `svg` or `png`.

        Raises
        ------
        ConfigurationError
            If matplotlib is not installed.
        """
        others = range(1, len(self.objectives))
        figure = new_chart(7, 4 * len(others))
        for number, axes in zip(others, figure.subplots(len(others), 1, squeeze=False)[:, 0], strict=True):
            pairs = [(float(one.values[0]), float(one.values[number])) for one in self.points]
            if len(self.objectives) == 2:
                axes.step(*zip(*pairs, strict=True), where="post", color="#1b5b9c", linewidth=1) if pairs else None
            for pair, one in zip(pairs, self.points, strict=True):
                axes.plot(*pair, "o", color="#1b5b9c", markerfacecolor="#1b5b9c" if one.proved else "white")
            axes.set_xlabel(label(self.objectives[0]))
            axes.set_ylabel(label(self.objectives[number]))
            axes.spines[["top", "right"]].set_visible(False)
        figure.suptitle(label(self.instance), fontsize=11)
        return chart_file(figure, kind)


def plain_number(value: Fraction) -> int | float:
    """An integral value as an int, any other value as a float."""
    return value.numerator if value.denominator == 1 else float(value)
