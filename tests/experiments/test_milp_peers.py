"""Runs of matheur and its peers on linear programs, and the page that is made of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[2] / "experiments" / "milp"
VERSIONS = dict.fromkeys(("matheur", "highspy", "pyscipopt", "python"), "1")


def script(name: str, *arguments: str | Path) -> str:
    """What a script prints."""
    command = [sys.executable, str(SCRIPTS / name), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_a_run_is_checked_and_not_made_again(tmp_path: Path) -> None:
    """A row has the value that the evaluator found and the trace; what is in the results is not run."""
    model, results = tmp_path / "small.lp", tmp_path / "rows.jsonl"
    model.write_text(
        "Maximize\n obj: 3 x + 2 y\nSubject To\n c: 2 x + y <= 7\nBounds\n x <= 5\n y <= 4\nGenerals\n x y\nEnd\n"
    )
    given = ("--files", model, "--tools", "highs", "--seconds", "9", "--results", results)
    assert "small highs 0 12" in script("peers.py", *given)
    assert script("peers.py", *given) == ""
    (row,) = map(json.loads, results.read_text().splitlines())
    assert (row["value"], row["level"], row["sense"], row["status"]) == (12, "exact", "max", "optimal")
    assert row["trace"][-1][1] == 12
    assert row["trace"][-1][0] < 9
    assert "the time is over" in script("peers.py", *given, "--seeds", "1", "--minutes", "0")


def test_the_page_compares_medians_and_counts_what_is_refuted_as_no_solution(tmp_path: Path) -> None:
    """Gaps are to the best known value, integrals over the seconds; a value that fails the check is none."""
    common = {"instance": "one", "class": "hard", "limit": 10.0, "sense": "min", "best_known": "100", "cpu": 9.0,
              "wall": 32.0, "machine": "2 cores, load 1.0", "date": "today", "versions": VERSIONS}  # fmt: skip
    rows = [
        {**common, "tool": "matheur", "seed": seed, "value": value, "trace": [[2.0, 200.0], [6.0, value]],
         "operators": {"rins": {"calls": 3, "successes": 1, "seconds": 30.0, "gain": 10.0, "proofs": 1}}}
        for seed, value in enumerate((100.0, 125.0, 160.0))
    ] + [{**common, "tool": "other", "seed": 0, "refuted": "row c is broken", "trace": [[1.0, 90.0]]}]  # fmt: skip
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    script("peers_report.py", "--results", tmp_path / "rows.jsonl", "--out", page)
    text = page.read_text()
    assert "| matheur | 1 | 20.00 % |  | 4.80 |  | 1 | 9 |" in text  # 2 s at 100 %, 4 s at 50 %, 4 s at 20 %
    assert "| other | 1 | 100.00 % | 20.00 % | 10.00 | 4.80 | 0 | 9 |" in text
    assert "| one | hard | 100 | **20.00 %** | none |" in text
    assert "| other | 1 | 1 | 0 | 0 | 1 | 0 | 0 |" in text
    assert "| hard | rins | 9 | 3 | 3 | 90 | 0.300 | 0.200 | 1 |" in text
    assert "medians: hard 2.0, at most 2.0." in text
    assert "- one, other: row c is broken" in text
    assert (page.parent / "images" / "page-10.svg").exists()
