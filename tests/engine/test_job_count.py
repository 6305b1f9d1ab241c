"""How many processes may be asked for."""

from __future__ import annotations

import pytest

import matheur
from matheur.engine import job_count
from matheur.engine.job_count import check_jobs, jobs_max
from matheur.errors import ConfigurationError
from matheur.web.limits import Limits


@pytest.mark.parametrize(("processors", "most"), [(2, 256), (None, 256), (64, 256), (200, 800)])
def test_the_limit_depends_on_the_machine(processors: int | None, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Large machines allow more."""
    monkeypatch.setattr(job_count.os, "cpu_count", lambda: processors)
    assert jobs_max() == most
    check_jobs(most)
    with pytest.raises(ConfigurationError, match=rf"jobs must be at most {most} on this machine \({most + 1}\)"):
        check_jobs(most + 1)
    with pytest.raises(ConfigurationError, match=r"jobs must be at least 1 \(0\)"):
        check_jobs(0)


def test_runs_and_servers_have_the_limit() -> None:
    """A number with some zeros too many is refused before a process starts."""
    with pytest.raises(ConfigurationError, match="jobs must be at most"):
        matheur.solve("edge-matching/3x3", jobs=10**6, iterations=1)
    with pytest.raises(ConfigurationError, match="the limit 'jobs' must be at most"):
        Limits(jobs=10**6)
