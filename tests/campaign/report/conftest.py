"""A campaign with hostile names, and a browser to look at its report."""

from __future__ import annotations

from pathlib import Path

import pytest

from matheur.campaign import Store, make_plan, read_campaign
from matheur.campaign.report import Written, write_report
from matheur.campaign.worker import failure, make_run
from matheur.problems import problem_types

HOSTILE = (
    "<script>document.title = 'taken over'</script>",
    '"><img src=https://example.org/x.png onerror="document.title = \'taken over\'">',
    "=cmd|' /C calc'!A1",
    "a|b [c](javascript:alert(1)) `d` \\input{x} $y$ 50% & #_^~",
    "line\nbreak \u202egnp.exe \x1b[31m",
)
REASON = "</td></tr></table><script>document.title = 'taken over'</script>"
VARIANT = "<b onclick=alert(1)>swaps</b>"


def _quoted(text: str) -> str:
    """A TOML string."""
    return '"' + "".join(c if c.isalnum() or c == " " else f"\\U{ord(c):08x}" for c in text) + '"'


@pytest.fixture(scope="session")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a campaign with two variants and four seeds; one run has failed, one is left."""
    folder = tmp_path_factory.mktemp("campaign")
    for number in range(len(HOSTILE)):
        made = problem_types.get("edge-matching").generate({"size": "3x3"}, number)
        (folder / f"board{number}.txt").write_text(made.instance)
    named = enumerate(map(_quoted, HOSTILE))
    names = "\n".join(f'  {{ pattern = "board{number}.txt", name = {name} }},' for number, name in named)
    (folder / "best.csv").write_text("instance,score\nedge-matching/4x4,24\nedge-matching/16x16,480\n")
    (folder / "tried.toml").write_text(f"""
name = {_quoted(HOSTILE[0])}
instances = [
{names}
  "edge-matching/16x16", "quadratic-assignment/tiny8", "edge-matching/4x4",
]
seeds = 4
code = "test"
references = "best.csv"

[base]
construction = "random"
neighbourhoods = []
iterations = 1

[variants.random]
[variants.{_quoted(VARIANT)}]
groups = ["boards"]
neighbourhoods = ["swap-rotate"]
iterations = 3
work = 3000

[groups]
boards = ["edge-matching/*"]
""")
    plan = make_plan(read_campaign(folder / "tried.toml"))
    store = Store(folder / "tried.campaign")
    store.prepare()
    store.save_plan(plan)
    *most, failed, _ = plan.orders()
    for order in most:
        assert make_run(str(store.folder), order.to_dict())["outcome"] != "failed"
    store.fail(failed.key, failure(failed.to_dict(), "memory", REASON, 1.5))
    return store.folder


@pytest.fixture(scope="session")
def written(campaign: Path) -> Written:
    """Its report."""
    return write_report(campaign)
