"""Tables of all runs of the hunt: `python experiments/eternity2/hunt/page.py` writes `RESULTS.md`."""

from __future__ import annotations

from collections.abc import Iterator

import complete
import perfect_boards
from tools import HERE, backtracking_page, backtracking_rows


def lines() -> Iterator[str]:
    """Lines of the page."""
    rows = backtracking_rows()
    runs = backtracking_page.grouped(rows)
    yield "# Tables of the record hunt\n"
    yield (
        "Written by `page.py` from the rows of `benchmarks/backtracking.py` and of this folder. "
        f"{backtracking_page.about(rows)} What was tried, and what came of it: [logbook](LOGBOOK.md).\n"
    )
    yield from backtracking_page.scores(runs)
    yield from backtracking_page.long_lines([row for row in rows if row["kind"] == "portfolio"])
    yield "## Counts"
    yield from complete.lines(list(complete.ROWS))
    yield from perfect_boards.lines(list(perfect_boards.ROWS))


if __name__ == "__main__":
    (HERE / "RESULTS.md").write_text("\n".join(lines()) + "\n")
