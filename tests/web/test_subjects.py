"""What is asked of instances: nothing leads out of their folder, and texts, cells and games agree with the problem."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from matheur.engine.files import write_json
from matheur.errors import ConfigurationError, InputError
from matheur.problems import problem_types
from matheur.web import subjects
from matheur.web.pages import play_page
from matheur.web.puzzles import editor_of, options_beside, position, scramble_of, scrambled_by, text_of

SMALL = {
    "cubical": "d3-k1-level1", "edge-matching": "4x4", "lights-out": "king-8x8", "max-clique": "hamming6-4",
    "milp": "demo",
    "party": "demo", "quadratic-assignment": "tiny8", "rubik": "short", "sliding-tile": "3x3", "sokoban": "two-rooms",
}  # fmt: skip
problem_names = pytest.mark.parametrize("name", sorted(SMALL))


def small(name: str) -> Any:
    """A small problem of each kind."""
    return problem_types.get(name).builtin(SMALL[name], {})


def subject(name: str, **more: Any) -> dict[str, Any]:
    """A file as a subject."""
    return {"source": name, "builtin": False, "name": name, "options": {}, **more}


def test_all_problems_are_tried() -> None:
    """Every kind of problem that comes with matheur has its example here."""
    assert set(SMALL) == set(problem_types.names())


@pytest.mark.parametrize(
    "setting",
    ["construction.command=ls", "neighbourhood.region.clique.command=x", "construction.adapter=cliquer",
     "instance.cards=/etc/passwd", "cards=x.csv", "construction.heuristic=/etc/passwd", "solver.options.file=../x",
     "construction.heuristic=net.npz", "construction.values='a b'", "construction={command='ls'}", "solver=pyomo:./x",
     "solver=pyomo:evil",
     "construction.policy=net", 'construction."command"=ls', "construction.'adapter'=cliquer", 'pool."folder"=x',
     "\"pool\".'folder'=x", "instance.'cards'=x"],
)  # fmt: skip
def test_settings_name_no_file_and_no_program(setting: str) -> None:
    """What could read a file or start a program of this machine is refused."""
    with pytest.raises(ConfigurationError):
        subjects.checked_settings([setting])


@pytest.mark.parametrize(
    "setting", ["construction.width=65536", "schedule=cycle", "construction.heuristic=manhattan",
                "schedule.repetitions=[2,1]", "solver=scip", "construction.share=0.5"],
)  # fmt: skip
def test_plain_settings_pass(setting: str) -> None:
    """Numbers, names and lists of them are as on the command line."""
    assert subjects.checked_settings([setting]) == [setting]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("cards", ["/etc/passwd", "../cards.csv", "..", "a/b.csv", ".hidden", "a\\b.csv", "link.csv"])
def test_tables_lie_beside_their_puzzle(tmp_path: Path, cards: str, encoding: str) -> None:
    """A puzzle that names a table elsewhere is refused before the table is opened, however the puzzle is encoded."""
    (tmp_path / "link.csv").symlink_to("/etc/passwd")
    puzzle = {"format": "matheur-party", "version": 1, "cards": cards, "slots": [{"name": "a"}]}
    data = json.dumps(puzzle).encode(encoding)
    (tmp_path / "puzzle.json").write_bytes(data)
    (tmp_path / "packed.json.gz").write_bytes(gzip.compress(data))
    for name in ("puzzle.json", "packed.json.gz"):
        with pytest.raises(InputError, match="also given"):
            subjects.load_subject(subject(name), tmp_path)


def test_options_of_built_in_graphs_name_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file in the folder where the server was started is not read as weights."""
    monkeypatch.chdir(tmp_path)
    for name in ("secret", "file"):
        Path(name).write_text("".join(f"{vertex} 7\n" for vertex in range(1, 65)))
    graph = {"source": "max-clique/hamming6-4", "builtin": True, "name": ""}
    with pytest.raises(ConfigurationError, match="'weights' cannot name a file here"):
        subjects.load_subject({**graph, "options": {"weights": "secret"}}, tmp_path)
    with pytest.raises(ConfigurationError, match="has no weights"):
        subjects.load_subject({**graph, "options": {"weights": "file"}}, tmp_path)
    assert subjects.load_subject({**graph, "options": {"weights": "modulo-200"}}, tmp_path)[1].weights is not None


def test_errors_do_not_name_the_folder(tmp_path: Path) -> None:
    """Where the server keeps its files is nobody's business."""
    (tmp_path / "board.txt").write_text("1 2 3\n4 5 5\n")
    with pytest.raises(InputError) as caught:
        subjects.load_subject(subject("board.txt", problem="sliding-tile"), tmp_path)
    assert str(caught.value).startswith("board.txt:2: ")
    write_json(tmp_path / "puzzle.json", {"format": "matheur-party", "version": 1, "cards": "none.csv", "slots": []})
    with pytest.raises(InputError) as caught:
        subjects.load_subject(subject("puzzle.json"), tmp_path)
    assert str(tmp_path) not in str(caught.value)


@problem_names
def test_texts_are_read_back(name: str, tmp_path: Path) -> None:
    """The text of an instance, with its companions, is the same instance."""
    problem = small(name)
    found = subjects.inspect({"source": f"{name}/{SMALL[name]}", "builtin": True, "name": "", "options": {}}, "")
    assert found["problem"] == name
    assert found["svg"].startswith("<svg")
    assert found["text"] == text_of(problem)
    (tmp_path / "it.txt").write_text(found["text"])
    for file, text in subjects.companions(
        {"source": f"{name}/{SMALL[name]}", "builtin": True, "options": {}}, ""
    ).items():
        (tmp_path / file).write_text(text)
    kind, again = subjects.load_subject(subject("it.txt"), tmp_path)
    assert kind.name == name
    if name == "party":  # positions get other names
        assert again.instance.slots == problem.instance.slots
        assert again.trivial_bound == problem.trivial_bound
    else:
        assert again.fingerprint == problem.fingerprint


@pytest.mark.parametrize("name", ["cubical", "lights-out", "rubik", "sliding-tile", "sokoban"])
def test_scrambles_are_fresh_instances_of_the_same_size(name: str, tmp_path: Path) -> None:
    """The same seed makes the same one, another seed another; it can be read, and has the rules of the first."""
    problem = small(name)
    assert scrambled_by(name)
    texts = [scramble_of(problem, length, seed) for length, seed in ((6, 1), (6, 1), (6, 2), (None, 1))]
    assert texts[0] == texts[1]
    assert len(set(texts)) == 3
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.txt").write_text(text)
        kind, again = subjects.load_subject({**subject(f"{number}.txt"), "problem": name}, tmp_path)
        assert kind.name == name
        for what in ("rows", "columns", "metric", "pattern", "goal", "dimension", "k"):
            assert getattr(again.instance, what, None) == getattr(problem.instance, what, None)
    with pytest.raises(InputError, match="up to 10,000"):
        scramble_of(problem, 10**9, 1)


def test_what_has_no_goal_is_not_scrambled() -> None:
    """Nothing is offered, and nothing made."""
    assert scrambled_by("max-clique") == ""
    with pytest.raises(InputError, match="no scrambles"):
        scramble_of(small("max-clique"), None, 0)


@pytest.mark.parametrize("name", ["lights-out", "rubik", "sliding-tile", "sokoban"])
def test_cells_make_the_text(name: str, tmp_path: Path) -> None:
    """The cells of an editor, put together as the page does it, are the instance."""
    problem = small(name)
    editor = editor_of(problem)
    assert editor is not None
    cells, wide = editor["cells"], editor["columns"]
    assert len(cells) == editor["rows"] * wide
    assert {sign for sign in cells if sign is not None} <= {sign for sign, _, _ in editor["palette"]}
    if "order" in editor:
        rows = ["".join(cells[cell] for cell in editor["order"])]
    else:
        rows = [editor["between"].join(cells[i : i + wide]).rstrip() for i in range(0, len(cells), wide)]
    (tmp_path / "it.txt").write_text(editor["head"] + "\n".join(rows) + "\n")
    assert subjects.load_subject(subject("it.txt"), tmp_path)[1].fingerprint == problem.fingerprint


@pytest.mark.parametrize("name", sorted(set(SMALL) - {"milp"}))
def test_every_choice_of_a_game_can_be_made(name: str) -> None:
    """Each move that is offered leads to another position, which the evaluator judges."""
    problem = small(name)
    now = position(problem, [])
    offered = [one["move"] for one in now["choices"] if one["open"]] + [
        one["move"] for one in now["cells"] if one["move"]
    ]
    assert offered or now["fields"]
    for move in offered[:20]:
        then = position(problem, [move])
        assert then["solution"] != now["solution"] or name in ("edge-matching", "quadratic-assignment")
        assert not [text for text in then["violations"] if text.startswith("move 1:")]
    for number, one in enumerate(now["fields"]):
        chosen = [field["chosen"] for field in now["fields"]]
        chosen[number] = one["options"][-1][0]
        assert position(problem, chosen)["solution"][one["name"]] == chosen[number]


@pytest.mark.parametrize("move", ["\u00b2", "-1", "no-such", "9" * 50, "1e3", "\0"])
@pytest.mark.parametrize("name", sorted(set(SMALL) - {"milp"}))
def test_moves_that_are_none_are_refused(name: str, move: str) -> None:
    """Whatever a browser has kept or somebody has made up: it is said, neither left out nor a fault of a reader."""
    with pytest.raises(InputError):
        position(small(name), [move])


def test_games_end_in_solutions() -> None:
    """Known plans, moved one by one, solve; pieces go where they are put."""
    cube = small("rubik")
    plan = ["F'", "L", "U'", "R'", "D", "F'", "D'", "U", "B'"]
    assert position(cube, plan)["valid"]
    assert not position(cube, plan[:-1])["valid"]
    lights = problem_types.get("lights-out").builtin("all-4x4", {})
    presses = ["0", "1"]
    assert position(lights, presses)["score"] == 2
    board = small("edge-matching")
    before = position(board, [])["solution"]
    after = position(board, ["1", "2"])["solution"]
    assert [piece for piece, _ in after][1:3] == [before[2][0], before[1][0]]
    assert position(board, ["1", "2"])["valid"]
    assert position(board, ["5", "5"])["solution"][5] == [before[5][0], (before[5][1] + 1) % 4]
    assert [one["look"] for one in position(board, ["5"])["cells"]].index("chosen") == 5
    with pytest.raises(InputError):
        position(board, ["99"])


@pytest.mark.parametrize("name", ["cubical", "lights-out", "rubik", "sliding-tile", "sokoban"])
def test_a_puzzle_goes_on_where_a_person_stands(name: str, tmp_path: Path) -> None:
    """What is left after some moves is an instance, in which the next move leads where it leads in the whole one."""
    problem = small(name)

    def first_open(of: Any, moves: list[str]) -> str:
        now = position(of, moves)
        offered = [*now["choices"], *now["cells"]]
        return str(next(one["move"] for one in offered if one["move"] and one.get("open", True)))

    moves = [first_open(problem, [])]
    moves.append(first_open(problem, moves))
    (tmp_path / "it.txt").write_text(position(problem, moves)["text"])
    kind, left = subjects.load_subject(subject("it.txt", problem=name), tmp_path)
    assert kind.name == name
    move = first_open(left, [])
    there = position(left, [move])
    assert there["text"] == position(problem, [*moves, move])["text"] != position(left, [])["text"]
    assert there["objective"] == 1


@pytest.mark.parametrize(
    ("status", "said"),
    [("optimal", "A valid solution, 2.25 worse than the optimum."),
     ("feasible", "A valid solution, 2.25 worse than the best of matheur.")],
)  # fmt: skip
def test_solutions_are_compared_in_the_unit_of_the_score(status: str, said: str, tmp_path: Path) -> None:
    """The objective counts hundredths if weights have two decimals; the page does not."""
    (tmp_path / "it.clq").write_text("p edge 3 1\nn 1 1.5\nn 2 2.25\nn 3 1\ne 1 2\n")
    problem = subjects.load_subject(subject("it.clq"), tmp_path)[1]
    now, whole = position(problem, ["1"]), position(problem, ["1", "2"])
    assert (now["score"], whole["score"]) == (1.5, 3.75)
    best = {"score": whole["score"], "objective": whole["objective"], "status": status, "bound": whole["score"]}
    assert said in play_page("it", {}, ["1"], now, best)


def test_lists_have_no_last_move() -> None:
    """Items chosen from lists can be chosen otherwise, but no last one is known that could be taken back."""
    for name, count in (("party", 0), ("lights-out", 1)):
        problem = small(name)
        first = position(problem, [])
        moves = [one["chosen"] for one in first["fields"]] or ["0"]
        page = play_page(name, {}, moves, position(problem, moves), None)
        assert (page.count("Take back"), page.count("<dt>moves</dt>")) == (count, count)
        assert "Start again" in page


@pytest.mark.parametrize(("items", "cut"), [(60, False), (61, True)])
def test_lists_that_are_cut_say_so(items: int, cut: bool, tmp_path: Path) -> None:
    """A list for a slot has 60 items at most; whoever needs another one is told why it is not there."""
    puzzle = {"format": "matheur-party", "version": 1, "cards": "t.csv", "slots": [{"name": "a"}]}
    write_json(tmp_path / "p.json", puzzle)
    (tmp_path / "t.csv").write_text("id,position,price\n" + "".join(f"i{one},A,{one}\n" for one in range(items)))
    now = position(subjects.load_subject(subject("p.json"), tmp_path)[1], [])
    assert len(now["fields"][0]["options"]) == 60
    assert ("Lists have only 60 of the items that fit" in now["words"]) is cut


def test_closed_moves_keep_their_places() -> None:
    """Arrows that lead nowhere are there, and closed."""
    for name in ("sliding-tile", "sokoban"):
        choices = position(small(name), [])["choices"]
        assert [one["move"] for one in choices] == ["U", "D", "L", "R"]
    board = problem_types.get("sliding-tile").builtin("3x3", {})
    assert [one["open"] for one in position(board, [])["choices"]] == [False, True, True, False]


def test_options_of_a_reader_stay_with_their_file() -> None:
    """The text of an instance says all but a cost; a graph that was complemented must not be so again."""
    assert options_beside("sokoban", "level=3\ncost=pushes") == "cost=pushes"
    assert options_beside("max-clique", "complement=true") == ""


def test_a_start_needs_what_improves_it() -> None:
    """A preset that only constructs gives the start back: that is said before a job is ordered."""
    of = {"source": "lights-out/all-4x4", "builtin": True, "name": "", "options": {}}
    wanted = {"preset": "default", "settings": [], "overrides": {}, "start": None}
    assert subjects.configured(of, "", wanted)["neighbourhoods"] == []
    with pytest.raises(ConfigurationError, match="no neighbourhoods"):
        subjects.configured(of, "", {**wanted, "start": [0, 3, 12, 15]})


def test_pages_that_play_name_their_scripts() -> None:
    """The digests that allow scripts are those of the page's own; the data that it carries counts for nothing."""
    page, digests = subjects.page_of({"source": "rubik/short", "builtin": True, "options": {}}, "", ["U", "R"])
    assert len(digests) == 1
    assert page.count(b"<script") == 2


def test_other_scripts_do_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script that has come into a page by its data has no digest in the policy."""
    of = {"source": "rubik/short", "builtin": True, "options": {}}
    page, (own,) = subjects.page_of(of, "", ["U"])
    hostile = page.replace(b"<h1>", b"<script>alert(1)</script><h1>")
    monkeypatch.setattr(subjects, "draw", lambda *_: hostile)
    assert subjects.page_of(of, "", ["U"]) == (hostile, [own])
