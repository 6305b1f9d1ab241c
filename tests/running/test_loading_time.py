"""What loading takes counts against the limit of a run."""

from __future__ import annotations

from typing import Any

import pytest

import matheur
from matheur.engine import Budget
from matheur.running import solving


@pytest.mark.parametrize(("loading", "left"), [(0.0, 4.0), (0.5, 3.5), (30.0, 2.0)])
def test_loading_takes_at_most_half_of_the_limit(loading: float, left: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search gets what is left, and the seconds of the result are those of both."""
    now, limits = [100.0], list[float | None]()
    build = solving.build_search

    def slow(*arguments: Any, **options: Any) -> Any:
        now[0] += loading
        return build(*arguments, **options)

    class Noted(Budget):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            limits.append(options["seconds"])
            super().__init__(*arguments, **options)

    monkeypatch.setattr(solving, "search_clock", lambda: now[0])
    monkeypatch.setattr(solving, "build_search", slow)
    monkeypatch.setattr(solving, "Budget", Noted)
    result = matheur.solve("lights-out/demo", seconds=4.0)
    assert result.status == "optimal"
    assert limits == [4.0, left]
    assert result.seconds >= loading
