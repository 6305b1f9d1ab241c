"""The workbench as a browser shows it: live, stopped by a press, played by keys, on a phone, with hostile names."""

from __future__ import annotations

import asyncio
import json
import re
import time
from pathlib import Path

import pytest
from browser import Browser
from campaign.report.test_page_in_browser import contrast
from web.conftest import Server
from web.test_jobs import HOSTILE

EACH = {
    "cubical": ("d3-k1-level1", {"construction": "bfs"}),
    "edge-matching": ("3x3", {"construction": "random", "neighbourhood": "swap-rotate", "iterations": "2"}),
    "lights-out": ("all-5x5", {}),
    "max-clique": ("hamming6-4", {"construction": "exact"}),
    "milp": ("demo", {}),
    "party": ("demo", {"construction": "constructive", "iterations": "0"}),
    "quadratic-assignment": ("tiny8", {"construction": "random", "neighbourhood": "swap", "iterations": "2"}),
    "rubik": ("short", {"construction": "bidirectional"}),
    "sliding-tile": ("3x3", {"construction": "astar"}),
    "sokoban": ("two-rooms", {}),
}
FILL = """(fields => { for (const [name, value] of Object.entries(fields)) {
  const box = document.querySelector(`.job [name=${name}][type=checkbox][value="${value}"]`)
  if (box) { box.checked = true; document.querySelector('[name=chosen][value=these]').checked = true; }
  else document.querySelector(`.job [name=${name}]`).value = value;
}})(%s)"""
NONE = "document.querySelector('[name=chosen][value=these]').checked = true"
KEYS = {"ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, "Backspace": 8, "r": 82}


def until(browser: Browser, expression: str, seconds: float = 120.0) -> None:
    """Wait until a page is loaded and an expression holds; one that is just being left answers nothing."""
    end = time.monotonic() + seconds
    while True:
        try:
            if browser.evaluate(f"document.readyState === 'complete' && Boolean({expression})"):
                return
        except AssertionError as error:
            if "context" not in str(error).lower() and "navigat" not in str(error).lower():
                raise
        assert time.monotonic() < end, (expression, browser.evaluate("document.body.innerText")[:2000])
        time.sleep(0.05)


def press(browser: Browser, key: str) -> None:
    """Press a key that no text field knows."""
    for kind in ("rawKeyDown", "keyUp"):
        browser.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=KEYS[key])


def quiet(browser: Browser, server: Server) -> None:
    """Nothing was said on the console, nothing was asked of anybody else."""
    assert browser.errors == []
    assert all(one.startswith((f"{server.address}/", "data:")) for one in browser.requests), browser.requests


NEXT = """(() => {
  const label = one => one.textContent.trim() + (one.ariaLabel || "");
  const button = [...document.querySelectorAll("button")].find(one => /^Next|^›/.test(label(one)));
  let changes = 0;
  const watch = new MutationObserver(found => { changes += found.length; });
  watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
  button.click();
  return new Promise(done => setTimeout(() => done(changes), 300));
})()"""
"""How much a press on *Next* changes in a page that plays a plan."""


def job_of(browser: Browser) -> str:
    """The address of the job that is shown."""
    found = re.search(r"/jobs/[0-9a-f-]+", browser.evaluate("location.pathname"))
    assert found is not None
    return found[0]


@pytest.mark.parametrize("problem", sorted(EACH))
def test_each_problem_is_solved(browser: Browser, server: Server, problem: str) -> None:
    """Chosen in the list, ordered by the form, followed to its end; the page has the score, the picture, the plan."""
    name, fields = EACH[problem]
    browser.open(f"{server.address}/")
    browser.evaluate(f"document.getElementById('choose-{problem}').value = '{problem}/{name}'")
    browser.evaluate(f"document.getElementById('choose-{problem}').closest('form').requestSubmit()")
    until(browser, "document.querySelector('form.job')")
    browser.evaluate(NONE if fields and "neighbourhood" not in fields else "0")
    browser.evaluate(FILL % json.dumps({"seconds": "60", **fields}))
    browser.evaluate("document.querySelector('.job .big').click()")
    until(browser, "location.pathname.startsWith('/jobs/') && document.getElementById('state')")
    job = job_of(browser)
    until(browser, "!document.getElementById('live')")
    assert server.state(job) == "done", browser.evaluate("document.body.innerText")
    result = server.result(job)
    assert result["feasible"]
    shown = browser.evaluate("document.querySelector('[data-text=score]').textContent")
    assert int(shown.split()[0].replace(",", "")) == round(float(str(result["score"])))
    assert browser.evaluate("document.getElementById('picture').naturalWidth") > 100
    assert browser.evaluate("document.querySelectorAll('#plot .line').length") == 2  # score and bound
    assert browser.evaluate("document.querySelectorAll('#operators tr').length") >= 1
    played = browser.evaluate("document.querySelectorAll('iframe').length")
    assert played == (problem in ("cubical", "lights-out", "rubik", "sliding-tile", "sokoban"))
    quiet(browser, server)
    browser.open(f"{server.address}{job}/page")
    assert browser.evaluate("document.compatMode") == "CSS1Compat"  # it begins with its type, and nothing before
    assert browser.evaluate("document.title")
    if played:
        assert browser.evaluate(NEXT) > 0
    quiet(browser, server)


def test_a_job_is_followed_and_stopped(browser: Browser, server: Server) -> None:
    """Score, picture, plot and operators change without loading the page again; Stop ends it, Delete asks first."""
    fields = {"construction": "random", "neighbourhood": "swap-rotate", "seconds": "100"}
    browser.open(f"{server.address}/new?instance=edge-matching/16x16")
    browser.evaluate(FILL % json.dumps(fields))
    browser.evaluate("document.querySelector('.job .big').click()")
    until(browser, "document.getElementById('live')")
    job = job_of(browser)
    browser.evaluate("window.same = true")
    until(browser, "document.querySelectorAll('#operators tr').length > 1")
    score = browser.evaluate("document.querySelector('[data-text=score]').textContent")
    picture = browser.evaluate("document.getElementById('picture').src")
    until(browser, f"document.querySelector('[data-text=score]').textContent !== {score!r}")
    until(browser, f"document.getElementById('picture').src !== {picture!r}")
    until(browser, "document.querySelector('#plot .line')")
    assert browser.evaluate("Number(document.body.dataset.updates)") >= 2
    assert browser.evaluate("document.getElementById('said').textContent").startswith("score ")
    assert browser.evaluate("window.same") is True
    browser.evaluate("[...document.querySelectorAll('button')].find(one => one.textContent === 'Stop').click()")
    until(browser, "!document.getElementById('live') && document.getElementById('state')")
    assert server.state(job) == "stopped"
    assert "stopped" in browser.evaluate("document.getElementById('state').textContent")
    assert browser.evaluate("[...document.querySelectorAll('button')].some(one => one.textContent === 'Resume')")
    delete = "[...document.querySelectorAll('button')].find(one => one.textContent === 'Delete').click()"
    browser.evaluate("window.confirm = question => { window.asked = question; return false; }")
    browser.evaluate(delete)
    assert "cannot be undone" in browser.evaluate("window.asked")
    assert server.state(job) == "stopped"
    browser.evaluate("window.confirm = () => true")
    browser.evaluate(delete)
    until(browser, "location.pathname === '/'")
    assert job not in server.get("/")
    quiet(browser, server)


def test_fifty_viewers_see_the_same_end(server: Server) -> None:
    """Many streams of one job: all of them tell of its end, and pages are answered meanwhile."""

    async def view(path: str) -> list[dict[str, object]]:
        host, port = server.host.split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        answer = await asyncio.wait_for(reader.read(), 120)
        writer.close()
        return [json.loads(one) for one in re.findall(rb"^data: (.*?)\r?$", answer, re.MULTILINE)]

    async def all_of_them(path: str) -> list[list[dict[str, object]]]:
        return await asyncio.gather(*(view(path) for _ in range(50)))

    job = server.solve(
        "edge-matching/8x8", construction="random", chosen="these", neighbourhood=["swap-rotate"], seconds="2"
    )
    seen = asyncio.run(all_of_them(f"{job}/events"))
    assert server.state(job) == "done"
    assert len(seen) == 50
    assert len({json.dumps(messages[-1]) for messages in seen}) == 1
    assert all(messages[-1]["live"] is False and len(messages) > 2 for messages in seen)


def test_hostile_names_do_nothing(browser: Browser, server: Server) -> None:
    """A file name that is markup is text in the form, in the list, on the page of the job, and in the comparison."""
    _, where, _ = server.upload({HOSTILE: b"0 1 2\n3 4 5\n6 8 7\n"})
    name = where.partition("instance=")[2]
    jobs = [server.solve(name, note="<b onclick=alert(1)>note</b>") for _ in range(2)]
    for job in jobs:
        server.wait(job, "done", "failed")
    ids = "&".join(f"job={job.split('/')[-1]}" for job in jobs)
    for path in (where, "/", jobs[0], f"/compare?{ids}", f"/play?instance={name}"):
        browser.open(f"{server.address}{path}")
        assert "onerror=document.title" in browser.evaluate("document.body.textContent"), path
        assert browser.evaluate("document.querySelectorAll('[onerror], [onclick], img[src=x]').length") == 0
        assert browser.evaluate("document.title").endswith("matheur")
        quiet(browser, server)


def test_play_by_keys(browser: Browser, server: Server) -> None:
    """A small board is solved with the arrow keys, without loading the page again; Backspace takes back."""
    _, where, _ = server.post("/inputs", {"text": "# goal: blank-last\n1 2 3\n4 5 6\n0 7 8\n"})
    browser.open(f"{server.address}/play?{where.partition('?')[2]}")
    browser.evaluate("window.same = true")
    assert "Not solved yet" in browser.evaluate("document.getElementById('game').textContent")
    for moves, key in enumerate(("ArrowLeft", "ArrowLeft"), start=1):
        press(browser, key)
        until(browser, f"document.querySelectorAll('#game dd')[1].textContent === '{moves}'")
    assert browser.evaluate("document.querySelector('#game [role=status]').className") == "good"
    press(browser, "Backspace")
    until(browser, "document.querySelectorAll('#game dd')[1].textContent === '1'")
    browser.evaluate("[...document.querySelectorAll('.cell')].find(one => one.textContent === '8').click()")
    until(browser, "document.querySelector('#game [role=status]').className === 'good'")
    assert browser.evaluate("window.same") is True
    browser.evaluate("document.querySelector('[formaction]').click()")
    until(browser, "document.querySelector('form.job [name=moves]')")
    assert browser.evaluate("document.querySelector('form.job [name=moves]').value") == '["L", "L"]'
    quiet(browser, server)


def test_quick_players_lose_no_move(browser: Browser, server: Server) -> None:
    """What is pressed before the answer to the last move is there counts too, by keys and by the mouse."""
    browser.open(f"{server.address}/play?instance=lights-out/demo")
    browser.evaluate("for (const i of [0, 1, 2, 1, 3]) document.querySelectorAll('#game .cell')[i].click()")
    until(browser, "document.querySelectorAll('#game dd')[1].textContent === '5'")
    assert browser.evaluate("document.querySelector('#game [name=moves]').value") == '["0", "1", "2", "1", "3"]'
    _, where, _ = server.post("/inputs", {"text": "# goal: blank-last\n1 2 3\n4 5 6\n0 7 8\n"})
    browser.open(f"{server.address}/play?{where.partition('?')[2]}")
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Backspace", "ArrowDown"):
        press(browser, key)  # the first and the fourth lead nowhere
    until(browser, "document.querySelector('#game [name=moves]').value === '[\"L\", \"D\"]'")
    browser.open(f"{server.address}/play?instance=party/demo")
    browser.evaluate("document.querySelector('#game [name=put]').selectedIndex = 1")
    chosen = browser.evaluate("document.querySelector('#game [name=put]').value")
    browser.evaluate("document.querySelector('#game .go').click()")
    until(browser, "document.querySelector('#game [name=moves]').value !== '[]'")
    assert json.loads(browser.evaluate("document.querySelector('#game [name=moves]').value"))[0] == chosen
    quiet(browser, server)


BUTTONS = "[...document.querySelectorAll('#kept button')]"


def test_own_solutions_are_kept(browser: Browser, server: Server) -> None:
    """A solution is kept in the browser, also after the page was left, and shown again; none goes to the server."""
    _, where, _ = server.post("/inputs", {"text": "# goal: blank-last\n1 2 3\n4 5 6\n0 7 8\n"})
    page = f"{server.address}/play?{where.partition('?')[2]}"
    browser.open(page)
    assert browser.evaluate("document.getElementById('kept').hidden") is True
    for moves in range(1, 3):
        press(browser, "ArrowLeft")
        until(browser, f"document.querySelectorAll('#game dd')[1].textContent === '{moves}'")
    until(browser, f"{BUTTONS}.some(one => one.textContent === 'Keep this solution')")
    browser.evaluate(f"{BUTTONS}[0].click()")
    assert browser.evaluate("document.querySelectorAll('#kept tbody tr').length") == 1
    assert browser.evaluate(f"{BUTTONS}.map(one => one.textContent)") == ["Show it", "Forget it"]
    browser.open(page)
    assert browser.evaluate("document.querySelector('#game [role=status]').textContent") == "Not solved yet."
    assert browser.evaluate("document.querySelector('#kept td').textContent") == "2"
    browser.evaluate(f"{BUTTONS}[0].click()")
    until(browser, "document.querySelector('#game [role=status]').className === 'good'")
    assert browser.evaluate("document.querySelector('#game [name=moves]').value") == '["L", "L"]'
    browser.evaluate(
        "const now = document.getElementById('game').dataset; now.best = '1'; now.proved = 'yes'; showKept()"
    )
    assert browser.evaluate("document.querySelectorAll('#kept td')[1].textContent") == "1 worse than the optimum"
    browser.evaluate("document.getElementById('game').dataset.unit = '0.0001'; showKept()")
    assert browser.evaluate("document.querySelectorAll('#kept td')[1].textContent") == "0.0001 worse than the optimum"
    browser.evaluate(
        "localStorage.setItem('matheur solutions ' + document.getElementById('kept').dataset.instance, '5')"
    )
    browser.evaluate("showKept()")
    assert browser.evaluate(f"{BUTTONS}.map(one => one.textContent)") == ["Keep this solution"]
    quiet(browser, server)


def test_a_kept_party_is_shown_again(browser: Browser, server: Server) -> None:
    """Its items take the place of those that the lists of the page have at the moment."""
    browser.open(f"{server.address}/play?instance=party/demo")
    browser.evaluate("localStorage.clear()")
    first = browser.evaluate("[...document.querySelectorAll('#game [name=put]')].map(one => one.value)")
    kept = browser.evaluate("[...document.querySelectorAll('#game [name=put]')].map(one => one.options[3].value)")
    assert kept != first
    browser.evaluate(
        "localStorage.setItem('matheur solutions ' + document.getElementById('kept').dataset.instance,"
        f" JSON.stringify([{{ moves: JSON.stringify({json.dumps(kept)}), score: '7', objective: 7, when: '' }}]))"
    )
    browser.evaluate("showKept()")
    browser.evaluate(f"{BUTTONS}[0].click()")
    until(browser, "document.querySelector('#game [name=moves]').value !== '[]'")
    assert browser.evaluate("[...document.querySelectorAll('#game [name=put]')].map(one => one.value)") == kept
    quiet(browser, server)


def test_own_solutions_are_those_of_an_instance(browser: Browser, server: Server) -> None:
    """The same board, brought again or played from a run, has the same kept solutions and the same best run."""
    board = {"text": "# goal: blank-last\n1 2 3\n4 5 6\n0 7 8\n"}
    pages = [f"{server.address}/play?{server.post('/inputs', board)[1].partition('?')[2]}" for _ in range(2)]
    instances = [one.partition("instance=")[2] for one in pages]
    weak = server.solve(instances[0], construction="rule-based", chosen="these", seconds="0")
    job = server.solve(instances[0], construction="astar", chosen="these")
    assert (server.wait(weak, "done", "failed"), server.wait(job, "done", "failed")) == ("done", "done")
    browser.open(pages[0])
    browser.evaluate("localStorage.clear()")
    browser.evaluate(
        "localStorage.setItem('matheur solutions ' + document.getElementById('kept').dataset.former,"
        " JSON.stringify([{ moves: '[]', score: '7', objective: 7, when: '2026-01-01' }]))"
    )
    browser.evaluate("showKept()")
    assert browser.evaluate("document.querySelector('#kept td').textContent") == "7"  # of an earlier version
    browser.evaluate("localStorage.clear()")
    for moves in range(1, 3):
        press(browser, "ArrowLeft")
        until(browser, f"document.querySelectorAll('#game dd')[1].textContent === '{moves}'")
    until(browser, f"{BUTTONS}.some(one => one.textContent === 'Keep this solution')")
    browser.evaluate(f"{BUTTONS}[0].click()")
    for page in (*pages, f"{server.address}/play?job={job}", f"{server.address}/play?job={weak}"):
        browser.open(page.replace("/jobs/", ""))
        assert browser.evaluate("document.querySelectorAll('#kept tbody tr').length") == 1
        assert browser.evaluate("document.querySelector('#game').dataset.proved") == "yes"
        assert "optimum" in browser.evaluate("document.querySelector('#game dl').innerText")
    quiet(browser, server)


def test_a_page_says_that_its_server_is_gone(browser: Browser, tmp_path: Path) -> None:
    """What was played stays, the clock of a run stops; when the server is there again, both go on."""
    server = Server(tmp_path)
    try:
        job = server.solve("edge-matching/16x16", construction="random", chosen="these", neighbourhood="swap-rotate")
        server.wait(job, "running")
        server.options = ("--port", server.host.rpartition(":")[2])
        _, where, _ = server.post("/inputs", {"text": "# goal: blank-last\n1 2 3\n4 5 6\n0 7 8\n"})
        browser.open(f"{server.address}/play?{where.partition('?')[2]}")
        press(browser, "ArrowLeft")
        until(browser, "document.querySelectorAll('#game dd')[1].textContent === '1'")
        server.kill()
        press(browser, "ArrowLeft")
        until(browser, "document.querySelector('[role=alert]')")
        assert "Your moves are still here" in browser.evaluate("document.querySelector('[role=alert]').textContent")
        assert browser.evaluate("document.querySelector('#game [name=moves]').value") == '["L"]'
        server.start()
        press(browser, "ArrowLeft")
        until(browser, "document.querySelector('#game [role=status]').className === 'good'")
        assert browser.evaluate("document.querySelector('[role=alert]')") is None
        browser.open(f"{server.address}{job}")
        until(browser, "Number(document.body.dataset.updates) > 1")
        server.kill()
        until(browser, "document.querySelector('[role=alert]')")
        assert "does not answer" in browser.evaluate("document.querySelector('[role=alert]').textContent")
        seconds = browser.evaluate("document.querySelector('[data-text=seconds]').textContent")
        time.sleep(2.5)
        assert browser.evaluate("document.querySelector('[data-text=seconds]').textContent") == seconds
        server.start()
        until(browser, "!document.querySelector('[role=alert]')")
    finally:
        server.kill()


def test_a_refused_move_leaves_the_board(browser: Browser, server: Server) -> None:
    """What is wrong with it is said above; the board stays, and one can go on."""
    browser.open(f"{server.address}/play?instance=sliding-tile/demo")
    browser.evaluate("document.querySelector('#game [name=moves]').value = '[5]'")
    browser.evaluate("document.querySelector('#game [name=move]:enabled').click()")
    until(browser, "document.querySelector('[role=alert]')")
    assert "cannot be read" in browser.evaluate("document.querySelector('[role=alert]').textContent")
    browser.evaluate("document.querySelector('#game [name=moves]').value = '[]'")
    browser.evaluate("document.querySelector('#game [name=move]:enabled').click()")
    until(browser, "document.querySelectorAll('#game dd')[1].textContent === '1'")
    assert browser.evaluate("document.querySelector('[role=alert]')") is None


def test_cells_are_edited(browser: Browser, server: Server) -> None:
    """Cells that are pressed change the text; the server reads it, and says what is wrong with it."""
    browser.open(f"{server.address}/new?instance=lights-out/all-4x4")
    browser.evaluate("document.querySelector('.edit').open = true")
    browser.evaluate("document.querySelectorAll('.palette button')[1].click()")
    browser.evaluate("document.querySelectorAll('.editor .board button')[5].focus()")
    browser.press("Enter")
    assert browser.evaluate("document.getElementById('edited').value") == "1111\n1011\n1111\n1111\n"
    browser.evaluate("document.querySelector('.edit form').requestSubmit()")
    until(browser, "location.search.includes('instance=2')")
    assert "(edited)" in browser.evaluate("document.querySelector('h1').textContent")
    assert "15 of 16 lights" in server.get("/picture" + browser.evaluate("location.search"))
    browser.open(f"{server.address}/new?instance=edge-matching/3x3")
    browser.evaluate("document.querySelector('.edit').open = true")
    for name, value in (("row", 1), ("column", 1), ("piece", 9)):
        browser.evaluate(f"document.getElementById('hint-{name}').value = {value}")
    browser.evaluate("[...document.querySelectorAll('.hints button')][0].click()")
    hints = browser.evaluate("JSON.parse(document.getElementById('edited').value).hints")
    assert hints == [{"row": 1, "column": 1, "piece": 9}]
    browser.evaluate("document.getElementById('edited').value += 'x'")
    browser.evaluate("document.querySelector('.edit form').requestSubmit()")
    until(browser, "document.querySelector('[role=alert]')")
    assert "JSON" in browser.evaluate("document.querySelector('[role=alert]').textContent")


@pytest.fixture(scope="module")
def paths(server: Server) -> list[str]:
    """One page of each kind."""
    jobs = [server.solve("lights-out/all-4x4", note="a note"), server.solve("edge-matching/3x3", iterations="1")]
    for job in jobs:
        server.wait(job, "done")
    ids = "&".join(f"job={job.split('/')[-1]}" for job in jobs)
    return ["/", "/new?instance=sokoban/two-rooms", *jobs, f"/compare?{ids}", "/play?instance=edge-matching/6x6"]


def named(browser: Browser) -> None:
    """Controls are named, pictures described, there is one heading on top, and no place is called like another."""
    unnamed = browser.evaluate(
        "[...document.querySelectorAll('input:not([type=hidden]), select, textarea, button')].filter(one =>"
        " !(one.labels && one.labels.length) && !one.getAttribute('aria-label') && !one.textContent.trim())"
        ".map(one => one.outerHTML)"
    )
    assert unnamed == []
    assert browser.evaluate("document.querySelectorAll('h1').length") == 1
    assert browser.evaluate("[...document.images].every(one => one.hasAttribute('alt'))")
    assert browser.evaluate("document.querySelectorAll('main, nav').length") == 2
    ids = browser.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_shows_all_of_it(browser: Browser, server: Server, paths: list[str], dark: bool) -> None:
    """At the width of a phone nothing overflows sideways, text stands out in both themes, and all has a name."""
    framed = ".wide, .frame, pre, svg, .skip, .said, .choices"
    beyond = (
        f"[...document.querySelectorAll('body *')].filter(one => !one.closest('{framed}')"
        " && one.getBoundingClientRect().right > 361).map(one => one.outerHTML.slice(0, 90))"
    )
    for path in paths:
        browser.open(f"{server.address}{path}", width=360, height=740, dark=dark)
        browser.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert browser.evaluate("document.documentElement.scrollWidth") == 360, path
        assert browser.evaluate(beyond) == [], path
        for selector in ("h1", ".note", "a", "label", ".go", ".button", "summary", ".quiet"):
            found = browser.evaluate(
                f"(one => {{ if (!one) return null; let ground = one; while (getComputedStyle(ground).backgroundColor"
                " === 'rgba(0, 0, 0, 0)') ground = ground.parentElement;"
                " return [getComputedStyle(one).color, getComputedStyle(ground).backgroundColor]; })"
                f"(document.querySelector({selector!r}))"
            )
            assert found is None or contrast(*found) >= 4.5, (path, selector, found)
        named(browser)
        quiet(browser, server)


def test_a_formation_is_edited(browser: Browser, server: Server) -> None:
    """Neighbours and the least synergy of a party change in its text; its table stays with it."""
    browser.open(f"{server.address}/new?instance=party/demo")
    browser.evaluate("document.querySelector('.edit').open = true")
    edges = "JSON.parse(document.getElementById('edited').value).edges"
    before = browser.evaluate(edges)
    browser.evaluate("document.querySelector('.formation input:checked').click()")
    assert len(browser.evaluate(edges)) == len(before) - 1
    browser.evaluate("document.querySelector('.formation input:not(:checked)').click()")
    assert sorted(map(sorted, browser.evaluate(edges))) == sorted(map(sorted, before))
    browser.evaluate(
        "(box => { box.value = '0.7'; box.dispatchEvent(new Event('change')); })"
        "(document.querySelector('.editor input[type=number]'))"
    )
    assert browser.evaluate("JSON.parse(document.getElementById('edited').value).synergy.min") == 0.7
    browser.evaluate("document.querySelector('.edit form').requestSubmit()")
    until(browser, "location.search.includes('instance=2')")
    assert "0.7" in server.get("/picture" + browser.evaluate("location.search"))


def test_ticks_and_the_choice_of_neighbourhoods_agree(browser: Browser, server: Server) -> None:
    """Who ticks one wants it; who goes back to the preset wants none of them."""
    browser.open(f"{server.address}/new?instance=edge-matching/demo")
    box, chosen = (
        "document.querySelector('[name=neighbourhood]')",
        "document.querySelector('[name=chosen]:checked').value",
    )
    assert browser.evaluate(chosen) == "preset"
    browser.evaluate(f"{box}.click()")
    assert browser.evaluate(chosen) == "these"
    browser.evaluate("document.querySelector('[name=chosen][value=preset]').click()")
    assert browser.evaluate(f"{box}.checked") is False
    browser.evaluate("document.querySelector('[name=chosen][value=these]').click()")  # none: the construction alone
    assert browser.evaluate(chosen) == "these"
    quiet(browser, server)


def test_files_are_dropped(browser: Browser, server: Server) -> None:
    """A file that is dropped on the form is brought at once."""
    browser.open(f"{server.address}/")
    browser.evaluate(
        "(() => { const data = new DataTransfer(); data.items.add(new File(['010\\n111\\n010\\n'], 'cross.txt'));"
        " document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true,"
        " cancelable: true })); })()"
    )
    until(browser, "document.querySelector('form.job')")
    assert browser.evaluate("document.querySelector('h1').textContent") == "cross.txt"
    assert "lights-out" in browser.evaluate("document.querySelector('.note').textContent")
    quiet(browser, server)
