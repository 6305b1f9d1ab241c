"""Jobs from order to result: over the addresses of a running server, as a browser would."""

from __future__ import annotations

import gzip
import html
import http.client
import json
import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import parse_qs, urlencode

import pytest
from web.conftest import Server

from matheur.engine.files import read_json
from matheur.problems import problem_types
from matheur.problems.edge_matching.builtin import builtin, builtin_solution
from matheur.problems.edge_matching.formats import write_bucas
from matheur.running.loading import read_source
from matheur.web.puzzles import position

SWAPS = {"construction": "random", "chosen": "these", "neighbourhood": ["swap-rotate"]}
LONG = {"construction": "random", "chosen": "these", "neighbourhood": ["swap-rotate"], "seconds": "100"}
HOSTILE = "<img src=x onerror=document.title='taken'>'&\u202e.txt"


@pytest.fixture(scope="module")
def solved(server: Server) -> str:
    """A job that is done."""
    job = server.solve("edge-matching/4x4", **SWAPS, iterations="2", note="first")
    assert server.wait(job, "done", "failed") == "done"
    return job


def made_by(folder: Path) -> set[int]:
    """Processes that work in a folder."""
    found = set()
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if os.readlink(process / "cwd") == str(folder):
                    found.add(int(process.name))
            except OSError:
                continue
    return found


def events(server: Server, job: str, event: str) -> list[dict[str, object]]:
    """Whole events of a kind in the stream of a job."""
    path = server.folder / job.strip("/") / "events.jsonl"
    data = path.read_text().splitlines(keepends=True) if path.exists() else []
    found = [json.loads(line) for line in data if line.endswith("\n")]
    return [one for one in found if one["event"] == event]


def wait_for_events(server: Server, job: str, event: str, number: int) -> None:
    """Wait until there are so many."""
    until = time.monotonic() + 120
    while len(events(server, job, event)) < number:
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_job_is_made_and_its_files_come(server: Server, solved: str) -> None:
    """Result, event stream, picture, instance and clique graph of a job; the result is what the evaluator says."""
    result = json.loads(server.get(f"{solved}/files/result.json"))
    problem = problem_types.get("edge-matching").builtin("4x4", {})
    evaluation = problem.evaluate(problem.decode(result["solution"]))
    assert evaluation.feasible
    assert result["score"] == problem.score(evaluation.objective)
    trace = [json.loads(line) for line in server.get(f"{solved}/files/trace.jsonl").splitlines()]
    assert (trace[0]["event"], trace[-1]["event"]) == ("start", "end")
    assert f"{result['score']} of 24 inner edges match" in server.get(f"{solved}/files/picture.svg")
    assert '"format": "matheur-edge-matching"' in server.get(f"{solved}/files/instance.txt")
    assert re.search(r"^p (edge|col) \d+ \d+$", server.get(f"{solved}/files/graph.clq"), re.MULTILINE)
    assert server.get(f"{solved}/files/nodes.csv").startswith("node,tile,row,column,rotation")
    page = server.get(solved)
    assert f"{result['score']} of 24" in page
    assert "swap-rotate" in page
    assert "data-events" not in page


@pytest.mark.parametrize("name", ["state.json", "order.json", "..%2Fstate.json", "%2Fetc%2Fpasswd", "checkpoint"])
def test_other_files_do_not_come(server: Server, solved: str, name: str) -> None:
    """Files of a job that are not offered, and files elsewhere, are not to be had."""
    assert server.ask("GET", f"{solved}/files/{name}")[0] == 404
    assert server.ask("GET", f"/jobs/..%2F{solved.split('/')[-1]}")[0] == 404


def test_the_stream_of_a_finished_job_ends(server: Server, solved: str) -> None:
    """Somebody who comes late gets one message with all, and no more."""
    status, headers, text = server.ask("GET", f"{solved}/events")
    assert (status, headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert server.ask("HEAD", f"{solved}/events")[1]["content-type"] == headers["content-type"]
    (message,) = re.findall(r"^data: (.*)$", text, re.MULTILINE)
    now = json.loads(message)
    assert (now["state"], now["live"]) == ("done", False)
    assert [row[0] for row in now["rows"]] == ["random", "swap-rotate"]


def test_a_model_is_solved_and_its_solution_comes(server: Server) -> None:
    """A compressed linear program that maximises: bound and gap in its sense, the solution as a `.sol` file."""
    model = "Maximize\n w: 5 a + 4 b + 3 c\nSubject To\n r: 4 a + 3 b + 2 c <= 6\nBinary\n a b c\nEnd\n"
    status, where, _ = server.upload({"knapsack.lp.gz": gzip.compress(model.encode())})
    assert status == 303
    page = server.get(where)
    assert "milp" in page
    instance = re.search(r"instance=([^&]*)", where)
    assert instance is not None
    job = server.solve(instance[1])
    assert server.wait(job, "done", "failed") == "done"
    assert server.get(f"{job}/files/solution.sol") == "=obj= 8.0\na 1\nc 1\n"
    for form in ("solution.txt", "solution.json", "solution."):
        assert server.ask("GET", f"{job}/files/{form}")[0] == 404
    texts = dict(re.findall(r'data-text="(\w+)">([^<]*)<', server.get(job)))
    assert [texts[name] for name in ("score", "bound", "gap")] == ["8", "8", "0 %"]
    assert "solution (.sol)" in server.get(job)
    (row,) = re.findall(rf'<tr>(?:(?!</tr>).)*{job}".*?</tr>', server.get("/"))
    assert re.findall(r'<td class="n">([^<]*)</td>', row)[:2] == ["8", "8"]


def test_the_first_page_begins_with_the_door(server: Server) -> None:
    """A file of any kind comes before what is built in."""
    page = server.get("/")
    assert "<h1>Solve a problem</h1>" in page
    assert page.index('action="/inputs"') < page.index("Built-in instances")


def test_a_pasted_text_is_not_cut(server: Server) -> None:
    """Browsers cut a text to the limit of its field without a word; the server refuses one that is too large."""
    (field,) = re.findall(r'<textarea name="text"[^>]*>', server.get("/"))
    assert "maxlength" not in field


def test_a_note_is_shown_as_a_whole(server: Server) -> None:
    """As much as the field takes."""
    note = "many words " * 18
    job = server.solve("edge-matching/3x3", **SWAPS, iterations="1", note=note)
    server.wait(job, "done", "failed")
    assert f"<bdi>{note}</bdi>" in server.get(job)


def test_runs_are_compared(server: Server, solved: str) -> None:
    """Figures, curves and what differs in the configurations of several runs."""
    other = server.solve("edge-matching/4x4", **SWAPS, iterations="3", seed="5")
    server.wait(other, "done")
    first, second = (one.split("/")[-1] for one in (solved, other))
    page = server.get(f"/compare?job={first}&job={second}")
    assert page.count('class="plot"') == 1
    differs = re.findall(r'<th scope="row">([a-z_.]+)</th><td>([^<]*)</td><td>([^<]*)</td>', page)
    assert {("iterations", "2", "3"), ("seed", "0", "5")} <= set(differs)
    assert server.ask("GET", f"/compare?job={first}")[0] == 400


def test_a_job_is_changed_and_made_again(server: Server, solved: str) -> None:
    """The form is filled with what a former job had; an improvement begins with its solution."""
    name = solved.split("/")[-1]
    page = server.get(f"/new?instance=edge-matching/4x4&job={name}&start=yes")
    assert re.search(r'name="iterations" id="iterations" value="2"', page)
    assert re.search(r'<option value="random" selected>', page)
    assert re.search(r'name="neighbourhood" id="neighbourhood-swap-rotate" value="swap-rotate" checked', page)
    again = server.solve("edge-matching/4x4", **SWAPS, iterations="1", start=name)
    server.wait(again, "done")
    first = events(server, again, "incumbent")[0]
    assert first["score"] == server.result(solved)["score"]


def test_a_start_is_made_by_hand(server: Server) -> None:
    """A board that was laid by hand is where a job begins, and begins again; a clique that is none begins nothing."""
    played = {"instance": "edge-matching/4x4", "moves": '["5", "5", "1", "2"]'}
    status, _, page = server.post("/new", played)
    assert status == 200
    assert "the edited solution" in page
    moves = html.unescape(re.findall(r'name="moves" value="([^"]*)"', page)[0])
    job = server.solve(played["instance"], **SWAPS, iterations="1", moves=moves)
    server.wait(job, "done")
    board = problem_types.get("edge-matching").builtin("4x4", {})
    assert events(server, job, "incumbent")[0]["score"] == position(board, ["5", "5", "1", "2"])["score"]
    name = job.split("/")[-1]
    assert 'name="moves"' in server.get(f"/new?instance=edge-matching/4x4&job={name}")
    assert 'name="moves"' not in server.get(f"/new?instance=edge-matching/4x4&job={name}&start=yes")
    status, _, page = server.post("/jobs", {"instance": "max-clique/demo", "preset": "default", "moves": "[]"})
    assert status == 400
    assert "the edited solution is not valid" in page
    assert server.post("/new", {"instance": "max-clique/demo", "moves": "[]"})[0] == 400


def test_a_puzzle_is_solved_from_where_it_stands(server: Server) -> None:
    """What is left of a puzzle that was played is an instance of its own; its cost stays, its level does not."""
    wide = b"#####\n#@  #\n#$ .#\n#####\n"
    _, where, _ = server.upload({"two.xsb": b"; 1\n####\n#@.#\n#$ #\n####\n\n; 2\n" + wide})
    name = where.partition("instance=")[2]
    played = {"instance": name, "options": "level=2\ncost=pushes", "moves": '["R"]'}
    status, where, text = server.post("/new", played)
    assert status == 303, text
    assert where.endswith("options=cost%3Dpushes")
    page = server.get(where)
    assert "after 1 move)" in page
    assert "# @ #" in page


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"settings": "neighbourhood.swap-rotate.first_improvement=1979-05-27"}, "must be of type bool"),
        ({"settings": "neighbourhood.swap-rotate.temperature=[1979-05-27]"}, "plain word"),
        ({"settings": f"construction.width=0x{'f' * 5000}"}, "plain word"),
        ({"settings": f"construction.width=0x{'f' * 50}"}, "a number up to"),
        ({"seed": "9" * 4000}, "a number up to"),
        ({"moves": '["\\ud800"]'}, ""),
        ({"settings": "neighbourhood.swap-rotate.tmperature=1"}, "unknown option"),
        ({"settings": "construction.command=ls"}, "cannot be set here"),
        ({"settings": "instance.sides=dlur"}, "says how the file is read"),
        ({"settings": 'instance = { sides = "dlur" }'}, "says how the file is read"),
        ({"seconds": "soon"}, "must be a number"),
        ({"seconds": "121"}, "a job may take 120 seconds (121)"),
        ({"settings": "seconds = 1000"}, "a job may take 120 seconds (1000)"),
        ({"work": "1e6"}, "must be a whole number"),
        ({"solver": "pyomo:./evil"}, "plain word"),
        ({"solver": "pyomo:evil"}, "not installed"),
        ({"construction": "no-such"}, "no-such"),
        ({"chosen": "preset"}, "those of the preset are chosen"),
        ({"jobs": "200"}, "processes (200)"),
        ({"jobs": "100000"}, "jobs must be at most"),
        ({"start": "20260101-000000-000000000000"}, "no such job"),
    ],
)
def test_wrong_orders_are_said_in_the_form(server: Server, fields: dict[str, str], said: str) -> None:
    """Nothing is kept of a job that cannot be made; the form comes back as it was filled in, with the reason."""
    before = len(list((server.folder / "jobs").iterdir()))
    given = {"instance": "edge-matching/3x3", "preset": "default", "note": "keep me", **SWAPS, **fields}
    status, _, page = server.post("/jobs", given)
    assert status == 400
    assert said in page
    assert 'value="keep me"' in page
    assert len(list((server.folder / "jobs").iterdir())) == before


def test_seconds_of_a_preset_are_reduced(server: Server) -> None:
    """A preset may have a longer time limit than jobs of this server; the limit of the server then holds."""
    status, job, page = server.post("/jobs", {"instance": "edge-matching/3x3", "preset": "paper", **SWAPS})
    assert status == 303, page
    assert json.loads((server.folder / job.strip("/") / "order.json").read_text())["configuration"]["seconds"] == 120
    assert server.post(f"{job}/stop", {})[0] == 303
    server.wait(job, "stopped", "done")


def assert_head_ends(server: Server, path: str) -> None:
    """A connection that asked for the head of a stream is free for the next question."""
    connection = http.client.HTTPConnection(server.host, timeout=60)
    try:
        connection.request("HEAD", path)
        assert connection.getresponse().read() == b""
        kept = connection.sock
        connection.request("GET", "/static/workbench.css")
        assert connection.getresponse().status == 200
        assert connection.sock is kept
    finally:
        connection.close()


def test_stop_and_resume_and_crash(server: Server) -> None:
    """A stopped job comes back with the best so far; resumed, it goes on from there, until its process dies."""
    job = server.solve("edge-matching/16x16", **LONG)
    wait_for_events(server, job, "incumbent", 2)
    assert server.ask("POST", f"{job}/resume", b"")[0] == 400
    assert server.ask("POST", f"{job}/delete", b"")[0] == 400
    assert_head_ends(server, f"{job}/events")
    assert server.ask("POST", f"{job}/stop", b"")[0] == 303
    server.wait(job, "stopped")
    assert made_by(server.folder / job.strip("/")) == set()
    stopped = server.result(job)
    assert stopped["stopped"] == "interrupt"
    assert server.ask("POST", f"{job}/resume", b"")[0] == 303
    wait_for_events(server, job, "start", 2)
    begun = events(server, job, "start")[1]
    assert begun["resumed"] is True
    assert begun["objective"] == stopped["objective"]
    (process,) = made_by(server.folder / job.strip("/"))
    os.kill(process, signal.SIGSEGV)  # a crash costs its job alone, and is said
    server.wait(job, "failed")
    page = server.get(job)
    assert "SIGSEGV" in page
    assert ">Resume<" in page
    assert server.ask("POST", f"{job}/delete", b"")[0] == 303
    assert server.ask("GET", job)[0] == 404


def test_a_job_at_work_whose_files_are_damaged_is_stopped(server: Server) -> None:
    """What a process works at can be stopped, not removed, whatever has become of its files."""
    for name in ("state.json", "order.json"):
        job = server.solve("edge-matching/16x16", **LONG)
        wait_for_events(server, job, "incumbent", 1)
        (server.folder / job.strip("/") / name).write_text("{}")
        page = server.get(job)
        assert (">Stop<" in page, ">Delete<" in page, name in page) == (True, False, True)
        assert server.post(f"{job}/delete", {})[0] == 400
        assert server.post(f"{job}/stop", {})[0] == 303
        until = time.monotonic() + 60
        while server.post(f"{job}/delete", {})[0] != 303:
            assert time.monotonic() < until
            time.sleep(0.1)
        assert server.ask("GET", job)[0] == 404


def test_a_run_without_a_solution_begins_nothing(server: Server, solved: str) -> None:
    """Asked to begin with a run whose result is damaged, the workbench says so and does not begin from nothing."""
    copy = server.folder / "jobs" / "20200101-000000-0123456789ab"
    shutil.copytree(server.folder / solved.strip("/"), copy)
    (copy / "result.json").write_text("[]")
    fields = {"instance": "edge-matching/4x4", "preset": "default", **SWAPS, "start": copy.name}
    status, _, page = server.post("/jobs", fields)
    assert (status, "no solution that can be read" in page) == (400, True)
    assert server.post(f"/jobs/{copy.name}/delete", {})[0] == 303


def test_names_and_contents_are_text(server: Server) -> None:
    """Whatever a file is called and says, pages show it as text."""
    status, where, _ = server.upload({HOSTILE: b"0 1 2\n3 4 5\n6 7 8\n"})
    assert status == 303
    page = server.get(where)
    assert "<img src=x" not in page
    assert "<bdi>&lt;img src=x onerror=document.title=&#x27;taken&#x27;&gt;&#x27;&amp;\\u202e.txt</bdi>" in page
    assert "\u202e" not in page
    job = server.solve(where.partition("instance=")[2], seconds="0")
    server.wait(job, "done", "failed")
    for path in (job, "/", f"/play?job={job.split('/')[-1]}"):
        page = server.get(path)
        assert "\\u202e.txt" in page
        assert "\u202e" not in page
    status, _, page = server.upload({"\u202ea.txt": b"0 1 2\n3 4 5\n6 7 8\n", "\u202eb.txt": b"#####\n#@$.#\n#####\n"})
    assert (status, "\\u202ea.txt" in page, "\u202e" in page) == (400, True, False)
    status, _, page = server.upload({"a.json": b'{"format": "matheur-party", "version": 1, "cards": "</p><script>"}'})
    assert status == 400
    assert "</p><script>" not in page


@pytest.mark.parametrize(
    "files", [{"x.bin": bytes(range(256)) * 10}, {"x.txt": b"hello"}, {"x.json": b'{"a": ' * 5000}, {"x.txt": b""}]
)
def test_what_is_no_instance_is_refused(server: Server, files: dict[str, bytes]) -> None:
    """Bytes of any kind give a page with a reason, and nothing is kept."""
    before = set((server.folder / "inputs").iterdir())
    status, _, page = server.upload(files)
    assert status == 400
    assert 'role="alert"' in page
    assert set((server.folder / "inputs").iterdir()) == before


def test_assumptions_of_readers_are_shown(server: Server) -> None:
    """As on the command line, with the option as the page has it; nothing where nothing is assumed."""
    graph = "p edge 3 2\nn 1 5\nn 2 3\ne 1 2\ne 2 3\n"
    status, where, page = server.upload({"weighted.clq": graph.encode()})
    assert status == 303, page
    assert "assumed: vertices have the weights given in the file (weights=none for" in server.get(where)
    assert "assumed:" not in server.get(f"{where}&options=weights%3Dnone")


def test_a_graph_comes_with_its_weights(server: Server) -> None:
    """An option of the reader names the file; no other file can be named."""
    files = {"w.csv": b"1 5\n2 3\n3 4\n", "graph.clq": b"p edge 3 2\ne 1 2\ne 2 3\n"}
    status, where, page = server.upload(files, options="weights=w.csv")
    assert status == 303, page
    for other in ("/etc/passwd", "../w.csv", "v.csv"):
        status, _, page = server.upload(files, options=f"weights={other}")
        assert (status, "must name a file that is uploaded with the graph" in page) == (400, True), page
    query = parse_qs(where.partition("?")[2])
    job = server.solve(query["instance"][0], options=query["options"][0])
    assert server.wait(job, "done", "failed") == "done"
    assert server.result(job)["score"] == 8
    status, where, page = server.post("/inputs", {"text": "p edge 2 1\ne 1 2\n", "base": query["instance"][0]})
    assert status == 303, page


def test_a_party_comes_with_its_table(server: Server) -> None:
    """Files in any order; edited, the puzzle keeps its table."""
    made = problem_types.get("party").generate({"cards": 100, "slots": 6}, 1)
    text, companions = made.named("one")
    ((table, content),) = companions.items()
    status, where, page = server.upload({table: content.encode(), "one.json": text.encode()})
    assert status == 303, page
    name = re.search(r"instance=([0-9a-f-]+)", where)
    assert name is not None
    page = server.get(where)
    assert "party" in page
    status, where, page = server.post("/inputs", {"text": text.replace(table, "cards.csv"), "base": name[1]})
    assert status == 303, page
    assert "(edited)" in server.get(where)


@pytest.mark.parametrize(
    "table", ["héros.csv", "my table [1].csv", "英雄 たち.csv", "می\u200cخواهم.csv", 'a "b".csv', "-x;y='z'.csv"]
)
def test_tables_keep_their_names(server: Server, table: str) -> None:
    """A table of a usual name in any alphabet is found by its puzzle, and its name comes back with the file."""
    puzzle = {"format": "matheur-party", "version": 1, "cards": table, "slots": [{"name": "a"}]}
    status, where, page = server.upload({"p.json": json.dumps(puzzle).encode(), table: b"id,position,price\n1,A,5\n"})
    assert status == 303, page
    job = server.solve(where.partition("instance=")[2], iterations="0")
    assert server.wait(job, "done", "failed") == "done"
    assert (server.folder / job.strip("/") / "input" / table).is_file()
    assert html.escape(table.replace("\u200c", r"\u200c")) in server.get(job)
    status, headers, text = server.ask("GET", f"{job}/files/companion-0")
    assert (status, text) == (200, "id,position,price\n1,A,5\n")
    assert headers["content-disposition"].startswith("attachment; filename")
    assert server.ask("GET", f"{job}/files/companion-1")[0] == 404
    assert server.result(job)["instance"] == "p.json"


def test_a_built_in_party_comes_with_its_table(server: Server, tmp_path: Path) -> None:
    """The files of a job are an instance that can be read elsewhere, all of its table with it."""
    job = server.solve("party/demo", construction="constructive", iterations="0")
    puzzle = server.get(f"{job}/files/instance.txt")
    table = json.loads(puzzle)["cards"]
    assert f">{table}<" in server.get(job)
    (tmp_path / "p.json").write_text(puzzle)
    (tmp_path / table).write_text(server.get(f"{job}/files/companion-0"))
    problem = problem_types.get("party").read(read_source(str(tmp_path / "p.json")), {})
    assert problem.fingerprint == json.loads((server.folder / job.strip("/") / "order.json").read_text())["fingerprint"]


def test_two_instances_at_once_are_refused(server: Server) -> None:
    """Nobody knows which one is meant; a file that is none goes by the name of the instance alone."""
    tiles, level = b"1 2 3\n4 5 6\n7 0 8\n", b"#####\n#@$.#\n#####\n"
    status, _, page = server.upload({"tiles.txt": tiles, "level.sok": level})
    assert status == 400
    assert "'tiles.txt' and 'level.sok' are two instances" in html.unescape(page)
    status, where, _ = server.upload({"read me.txt": b"hello", "tiles.txt": tiles})
    assert status == 303
    assert "<h1><bdi>tiles.txt</bdi></h1>" in server.get(where)


def test_what_an_upload_is_can_be_said(server: Server) -> None:
    """Where the content does not tell it, the message names the field of the page, which is there for files, too."""
    edges = b"3 3\n1 2\n2 3\n1 3\n"
    status, _, page = server.upload({"edges.txt": edges})
    assert status == 400
    assert "Maybe name it with 'What it is'?" in html.unescape(page)
    status, where, page = server.upload({"edges.txt": edges}, problem="max-clique")
    assert status == 303, page
    assert "max-clique" in server.get(where)
    form = re.search(r'<form [^>]*class="drop".*?</form>', server.get("/"), re.DOTALL)
    assert form is not None
    assert 'name="problem"' in form[0]


def test_options_come_with_a_file(server: Server) -> None:
    """Where a file cannot be read without an option, the message names it, and it is entered with the file or text."""
    given = {"text": "6 10\n1 2\n2 3\n3 4\n4 5\n5 6\n", "problem": "max-clique"}
    status, _, page = server.post("/inputs", given)
    assert status == 400
    assert "Maybe say which with counts=true or counts=false?" in html.unescape(page)
    status, where, page = server.post("/inputs", {**given, "options": "counts=true"})
    assert status == 303, page
    assert where.endswith("options=counts%3Dtrue")
    assert "assumed: line 1 gives 6 vertices and 10 edges" in server.get(where)
    assert server.get("/").count('<textarea name="options"') == 2
    before = set((server.folder / "inputs").iterdir())
    for wrong in ("counts", "counts=maybe", "cards=x", "level=3"):
        assert server.post("/inputs", {**given, "options": wrong})[0] == 400
    assert set((server.folder / "inputs").iterdir()) == before


def test_accents_may_be_composed_otherwise(server: Server) -> None:
    """A table whose name is spelt with other code points than in the puzzle is the same table."""
    puzzle = {"format": "matheur-party", "version": 1, "cards": "he\u0301ros.csv", "slots": [{"name": "a"}]}
    files = {"p.json": json.dumps(puzzle).encode(), "h\u00e9ros.csv": b"id,position,price\n1,A,5\n"}
    assert server.upload(files)[0] == 303


def test_no_file_takes_the_name_of_another(server: Server) -> None:
    """Names that are replaced do not meet those that are kept; two different files of one name are refused."""
    board = b"010\n111\n010\n"
    status, where, page = server.upload({"\u202ea.txt": board, "file-1.txt": b"garbage", "..": b"more"})
    assert status == 303, page
    folder = server.folder / "inputs" / where.partition("instance=")[2]
    facts = json.loads((folder / "facts.json").read_text())
    assert len(set(facts["files"])) == 3
    assert sorted((folder / name).read_bytes() for name in facts["files"]) == sorted([board, b"garbage", b"more"])
    status, _, page = server.upload({"a/x.txt": board, "b/x.txt": b"another"})
    assert (status, "two different files" in page) == (400, True)


@pytest.mark.parametrize(
    "kind",
    ["multipart/form-data; boundary=edge; charset=undefined", "Multipart/Form-Data; Boundary=edge; CHARSET=utf-7",
     "multipart/form-data; boundary=edge; charset=idna", "multipart/form-data", 'multipart/form-data; boundary="edge',
     "application/x-www-form-urlencoded; charset=utf-16", "text/plain", ""],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/inputs", "/jobs", "/new", "/play"])
def test_malformed_forms_are_refused(server: Server, kind: str, path: str) -> None:
    """A form in another encoding, or that is none, is the visitor's fault and said so."""
    body = b'--edge\r\nContent-Disposition: form-data; name="text"\r\n\r\n+2AA- \xff\r\n--edge--\r\n'
    status, _, page = server.ask("POST", path, body, {"Content-Type": kind})
    assert status in (400, 404), page


@pytest.mark.parametrize(
    "value", ["1979-05-27", "[1979-05-27]", "{a=07:32:00}", "nan", "[" * 60 + "]" * 60, "0x" + "f" * 5000]
)
def test_any_value_of_an_option_is_answered(server: Server, value: str) -> None:
    """A value that TOML has and no reader takes is a sentence."""
    query = urlencode({"instance": "edge-matching/3x3", "options": f"x={value}"})
    for path in ("/new", "/picture", "/play"):
        assert server.ask("GET", f"{path}?{query}")[0] == 400
    assert server.post("/play", {"instance": "edge-matching/3x3", "options": f"x={value}"})[0] == 400


def test_a_board_url_is_read(server: Server) -> None:
    """A pasted address of a board viewer is an instance."""
    url = write_bucas(builtin("4x4"), builtin_solution("4x4"))
    status, where, page = server.post("/inputs", {"text": url})
    assert status == 303, page
    assert "edge-matching" in server.get(where)


def test_a_scramble_at_the_press_of_a_button(server: Server) -> None:
    """From the first page, and on that of an instance with a length and a seed; the name says both."""
    assert server.get("/").count('action="/scramble"') == 5
    page = server.get("/new?instance=rubik/short&options=metric%3Dhalf")
    assert 'action="/scramble"' in page
    assert '<option value="web-page">' in page
    fields = {"instance": "rubik/short", "options": "metric=half", "length": "7", "seed": "3"}
    pages = []
    for _ in range(2):
        status, where, _ = server.post("/scramble", fields)
        assert status == 303
        pages.append(html.unescape(server.get(where)))
        assert "<h1><bdi>rubik: 7 turns, seed 3</bdi></h1>" in pages[-1]
        assert "# metric: half" in pages[-1]
    texts = [re.findall(r"[URFDLB]{54}", page) for page in pages]
    assert texts[0] == texts[1] != []
    names = {server.post("/scramble", {"instance": "sliding-tile/4x4"})[1] for _ in range(3)}
    assert len({re.findall(r"seed \d+", server.get(name))[0] for name in names}) > 1
    for wrong in ({"length": "-1"}, {"seed": "x"}, {"length": "9" * 10}, {"instance": "max-clique/demo"}):
        assert server.post("/scramble", {**fields, "options": "", **wrong})[0] == 400


def test_options_of_the_reader(server: Server) -> None:
    """They change the instance; those that would read a file are refused."""
    assert "half turns" in server.get("/picture?instance=rubik/short&options=metric%3Dhalf")
    assert server.ask("GET", "/picture?instance=party/demo&options=cards%3D/etc/passwd")[0] == 400
    assert server.ask("GET", "/new?instance=no/such")[0] == 404


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that makes one job at a time."""
    found = Server(tmp_path_factory.mktemp("small"), "--jobs", "1", "--waiting", "1", "--memory", "1")
    yield found
    found.kill(signal.SIGTERM)


def test_pages_say_how_an_instance_was_read(server: Server) -> None:
    """Runs of one level that count something else have another score, and say why."""
    job = server.solve("sokoban/two-rooms", options="cost=pushes")
    said = "cost = &#x27;pushes&#x27;"
    assert f"Read with <bdi>{said}</bdi>" in server.get(job)
    row = re.search(rf'<tr>(?:(?!</tr>).)*href="{job}".*?</tr>', server.get("/"), re.DOTALL)
    assert row is not None
    assert said in row[0]


def test_why_a_run_failed_is_said_once(server: Server) -> None:
    """By the line of its state, and not again below it."""
    model = b"Maximize\n x\nSubject To\n c: x >= 2\nGeneral\n x\nEnd\n"
    job = server.solve(server.upload({"endless.lp": model})[1].partition("instance=")[2])
    assert server.wait(job, "done", "failed") == "failed"
    assert server.get(job).count("the model is unbounded") == 1


def test_long_names_are_played(server: Server) -> None:
    """A vertex with a name of hundreds of letters is one that can be chosen."""
    one = "v" * 300
    _, where, _ = server.upload({"g.csv": f"source,target\n{one},b\nb,c\n{one},c\n".encode()})
    name = where.partition("instance=")[2]
    for fields in ({"move": one}, {"moves": json.dumps([one])}):
        status, _, page = server.post("/play", {"instance": name, "moves": "[]", **fields})
        assert status == 200
        assert f'name="move" value="{one}">remove' in page


def test_orders_at_once_share_the_limit(small: Server) -> None:
    """However many orders come at the same moment, no more jobs wait than may."""

    def order(_: int) -> tuple[int, str, str]:
        return small.post("/jobs", {"instance": "edge-matching/10x10", "preset": "default", **LONG})

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(order, range(8)))
    taken = [where for status, where, _ in answers if status == 303]
    assert 1 <= len(taken) <= 2
    assert {status for status, _, _ in answers} == {303, 400}
    for job in sorted(taken, key=lambda one: small.state(one) == "running"):
        small.post(f"{job}/stop", {})
        small.wait(job, "stopped")
        assert small.post(f"{job}/delete", {})[0] == 303
    assert list((small.folder / "jobs").iterdir()) == []


def test_jobs_survive_the_server(small: Server) -> None:
    """Killed or told to end, a server takes its processes along; the next one goes on with what ran and what waited."""
    running = small.solve("edge-matching/16x16", **LONG)
    wait_for_events(small, running, "checkpoint", 1)
    waiting = small.solve("edge-matching/3x3", **SWAPS, iterations="1")
    assert small.state(waiting) == "waiting"
    status, _, page = small.post("/jobs", {"instance": "edge-matching/3x3", "preset": "default"})
    assert status == 400
    assert "jobs are waiting already" in page
    for times, number in enumerate((signal.SIGKILL, signal.SIGTERM), start=2):
        small.kill(number)
        until = time.monotonic() + 120
        while made_by(small.folder / running.strip("/")):
            assert time.monotonic() < until
            time.sleep(0.05)
        assert small.state(running) == "running"
        kept = read_json(small.folder / running.strip("/") / "checkpoint" / "checkpoint.json")["state"]
        small.start()
        wait_for_events(small, running, "start", times)
        begun = events(small, running, "start")[-1]
        assert (begun["resumed"], begun["objective"]) == (True, kept["best_objective"])
    small.post(f"{running}/stop", {})
    small.wait(running, "stopped")
    assert small.wait(waiting, "done", "failed") == "done"
