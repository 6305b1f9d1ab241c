"""Routes of the workbench."""

from __future__ import annotations

import asyncio
import errno
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from starlette.applications import Starlette
from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from matheur.campaign.report import words
from matheur.engine.problem_type import ProblemType
from matheur.engine.problem_types import of_working, working_types
from matheur.engine.registry import Entry
from matheur.errors import ConfigurationError, InputError, MatheurError
from matheur.web import pages, subjects
from matheur.web.form_settings import settings_of
from matheur.web.forms import form_of, text_of, uploads_of, whole_of
from matheur.web.guard import Guard
from matheur.web.pages.frame import STATIC, static
from matheur.web.pages.start import bound_as_score
from matheur.web.puzzles import options_beside, scrambled_by
from matheur.web.store import DamagedError, Job
from matheur.web.workbench import Brought, Workbench

__all__ = ["create_app"]

_EVERY = 0.3  # seconds between two updates of a stream
_STILL = 15.0  # seconds without a message after which a stream sends a keep-alive
_FILES_MAX = 8
_VIEWERS = 400  # maximum number of simultaneous streams
_COMPARED = 8
_SHOWN = 200  # maximum number of runs in the list
_MOVE_MAX = 1000  # maximum length of a move, which may be the name of a vertex or an item
_SEEDS = 1_000_000  # new seeds are below this limit, so that they are short
_NONE = "'none'"
_PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)

Handler = Callable[[Workbench, Request], Awaitable[Response]]


def create_app(bench: Workbench, hosts: frozenset[str] | None, token: str | None) -> Guard:
    """Create the ASGI application.

    Parameters
    ----------
    bench
        The workbench; its unfinished jobs are resumed when the application starts.
    hosts, token
        See `Guard`.
    """
    routes: list[tuple[str, str, Handler]] = [
        ("GET", "/", _start),
        ("GET", "/new", _new),
        ("POST", "/new", _go_on),
        ("POST", "/inputs", _bring),
        ("POST", "/scramble", _scramble),
        ("GET", "/picture", _picture),
        ("POST", "/jobs", _order),
        ("GET", "/jobs/{job}", _job),
        ("GET", "/jobs/{job}/events", _events),
        ("GET", "/jobs/{job}/picture.svg", _job_picture),
        ("GET", "/jobs/{job}/plot", _plot),
        ("GET", "/jobs/{job}/page", _page),
        ("GET", "/jobs/{job}/files/{name}", _file),
        ("POST", "/jobs/{job}/stop", _stop),
        ("POST", "/jobs/{job}/resume", _resume),
        ("POST", "/jobs/{job}/delete", _delete),
        ("GET", "/compare", _compare),
        ("GET", "/play", _play),
        ("POST", "/play", _play),
        ("GET", "/static/{name}", _static),
    ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        bench.queue.adopt()
        try:
            yield
        finally:
            await bench.close()

    app = Starlette(
        routes=[Route(path, partial(_answered, bench, handler), methods=[method]) for method, path, handler in routes],
        lifespan=lifespan,
        exception_handlers={HTTPException: _refused},
    )
    return Guard(app, hosts, token, bench.limits.upload)


class _Page(Response):
    """HTML in which characters that UTF-8 cannot encode (lone surrogates in a stored text) become question marks."""

    media_type = "text/html"

    def render(self, content: Any) -> bytes:
        """As in Starlette."""
        return str(content).encode("utf-8", "replace")


class _Stream(StreamingResponse):
    """A stream of events, with a limit on the number of viewers."""

    def __init__(self, bench: Workbench, content: AsyncIterator[str], **more: Any) -> None:
        super().__init__(content, **more)
        self._bench = bench

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """As in ASGI."""
        if self._bench.viewers >= _VIEWERS:
            await _Page(pages.error_page("Too many viewers", "Maybe in a moment?"), 503)(scope, receive, send)
            return
        self._bench.viewers += 1
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._bench.viewers -= 1


async def _answered(bench: Workbench, handler: Handler, request: Request) -> Response:
    """The response of a handler; errors that a user can fix, or of missing resources, become a page."""
    try:
        return await handler(bench, request)
    except DamagedError as error:
        return _damaged(bench, error, 400)
    except MatheurError as error:
        missing = isinstance(error, InputError) and error.source is None and request.method in ("GET", "HEAD")
        return _Page(pages.error_page("This does not work", _said(bench, error)), 404 if missing else 400)
    except OSError as error:
        full = error.errno in _NO_ROOM
        return _Page(pages.error_page("This does not work now", f"{error.strerror}."), 507 if full else 503)


def _damaged(bench: Workbench, error: DamagedError, status: int) -> Response:
    return _Page(pages.damaged_page(error.name, error.reason, held=bench.queue.holds(error.name)), status)


def _said(bench: Workbench, error: MatheurError) -> str:
    """The message of an error, without the private path of the server's folder."""
    return str(error).replace(f"{bench.store.folder}/", "")


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _Page(pages.error_page(str(error.detail), f"Status {error.status_code}."), error.status_code)


# Instances


async def _start(bench: Workbench, _: Request) -> Response:
    problems = {
        one.name: offer for one, kind in working_types() for offer in of_working(one.name, partial(_offer, one, kind))
    }
    rows = await bench.rows(bench.store.entries(_SHOWN))
    count = len(bench.store.job_names())
    return _Page(pages.start_page(problems, rows, count, bench.limits, bench.store.warnings))


def _offer(entry: Entry, kind: ProblemType) -> pages.Offer:
    return pages.Offer(entry.summary, kind.builtins(), scrambles=bool(scrambled_by(entry.name)))


async def _bring(bench: Workbench, request: Request) -> Response:
    async with form_of(request, files=_FILES_MAX, fields=50, part=bench.limits.upload) as form:
        problem = text_of(form, "problem") or None
        files, shown = await uploads_of(form), ""
        if not files:
            files = {"pasted.txt": text_of(form, "text").encode("utf-8", "replace")}
            if not files["pasted.txt"].strip():
                raise InputError("there is neither a file nor a text")
            shown = "pasted"
        options = text_of(form, "options")
        if base := text_of(form, "base"):
            origin, options = bench.brought(base), options_beside(problem or "", options)
            more = await bench.pool.ask(subjects.companions, dict(origin.subject), origin.place)
            files |= {name: text.encode() for name, text in more.items()}
            shown = f"{origin.subject['name'].removesuffix(' (edited)')} (edited)"
        one = await bench.bring(files, shown, problem, options)
    return _to_instance(one, options)


async def _scramble(bench: Workbench, request: Request) -> Response:
    """A new random instance similar to a given one; without a seed, it draws one and shows it."""
    async with form_of(request, fields=10) as form:
        options = text_of(form, "options")
        origin = bench.brought(text_of(form, "instance"), options)
        length = whole_of(form, "length")
        seed = whole_of(form, "seed")
    seed = secrets.randbelow(_SEEDS) if seed is None else seed
    facts = await bench.inspect(origin)
    text = await bench.pool.ask(subjects.scramble, dict(origin.subject), origin.place, length, seed)
    far = "" if length is None else f"{length} {facts['scrambled_by']}, "
    shown = f"{facts['problem']}: {far}seed {seed}"
    one = await bench.bring({"scramble.txt": text.encode()}, shown, facts["problem"])
    return _to_instance(one, options_beside(facts["problem"], options))


def _to_instance(one: Brought, options: str) -> Response:
    query = {"instance": one.name, "options": options}
    return RedirectResponse(f"/new?{urlencode({key: value for key, value in query.items() if value})}", 303)


def _asked_instance(bench: Workbench, request: Request) -> Brought:
    query = request.query_params
    return bench.brought(query.get("instance", ""), query.get("options", ""))


async def _new(bench: Workbench, request: Request) -> Response:
    query = request.query_params
    former = bench.store.job(query["job"]) if "job" in query else None
    filled: dict[str, Any] = {}
    options = query.get("options", "")
    if former is not None:
        one, options = bench.again(former)
        filled = {**former.order.get("form", {}), "start": ""}
        if query.get("start"):
            filled |= {"start": former.id, "moves": ""}
    else:
        one = _asked_instance(bench, request)
    return await _form(bench, one, options, filled, "")


async def _form(bench: Workbench, one: Brought, options: str, filled: dict[str, Any], wrong: str) -> Response:
    facts = await bench.inspect(one)
    operators = await bench.pool.ask(subjects.operators_of, facts["problem"])
    page = pages.form_page(one, facts, operators, bench.limits, options=options, filled=filled, wrong=wrong)
    return _Page(page, 400 if wrong else 200)


async def _picture(bench: Workbench, request: Request) -> Response:
    facts = await bench.inspect(_asked_instance(bench, request))
    return _svg(facts["svg"].encode(), "private, max-age=600")


def _svg(data: bytes, caching: str = "private, max-age=3600") -> Response:
    headers = {"content-security-policy": _PICTURE_POLICY, "cache-control": caching}
    return Response(data, media_type="image/svg+xml", headers=headers)


# Jobs


def _asked_job(bench: Workbench, request: Request) -> Job:
    return bench.store.job(request.path_params["job"])


async def _order(bench: Workbench, request: Request) -> Response:
    async with form_of(request, fields=200) as form:
        options = text_of(form, "options")
        one = bench.brought(text_of(form, "instance"), options)
        filled: dict[str, Any] = {key: text_of(form, key) for key in form}
        filled["neighbourhood"] = [one for one in form.getlist("neighbourhood") if isinstance(one, str)]
    try:
        start = None
        if filled.get("start"):
            start = bench.store.job(filled["start"]).outcome().get("solution")
            if start is None:
                raise InputError("the run to start from has no solution that can be read")
        elif filled.get("moves"):
            now = await bench.pool.ask(subjects.play, dict(one.subject), one.place, _list_of(filled["moves"]))
            if not now["valid"]:
                raise InputError("the edited solution is not valid")
            start = now["solution"]
        wanted = {**settings_of(filled), "start": start}
        job = await bench.order(one, wanted, certify=bool(filled.get("certify")), form=filled)
    except MatheurError as error:
        return await _form(bench, one, options, filled, _said(bench, error))
    return RedirectResponse(f"/jobs/{job.id}", 303)


async def _job(bench: Workbench, request: Request) -> Response:
    try:
        job = _asked_job(bench, request)
    except DamagedError as error:
        return _damaged(bench, error, 200)
    (one,) = await bench.followed([job])
    companions = await bench.companions_of(job)
    held = bench.queue.holds(job.id)
    return _Page(pages.job_page(one, bench.queue.position(job), tuple(companions), held=held))


async def _events(bench: Workbench, request: Request) -> Response:
    job = _asked_job(bench, request)
    kind, headers = "text/event-stream", {"x-accel-buffering": "no"}
    if request.method == "HEAD":
        return Response(media_type=kind, headers=headers)

    async def stream() -> AsyncIterator[str]:
        """A message for each change; the last one marks the end of the stream."""
        one, seen, still = bench.follower(job), None, 0.0
        while not bench.closing():
            await one.look()
            position = bench.queue.position(job)
            if (one.version, position) != seen:
                seen, still = (one.version, position), 0.0
                yield f"data: {json.dumps(pages.snapshot(one, position))}\n\n"
                if not one.live:
                    return
            elif still >= _STILL:
                still = 0.0
                yield ": still here\n\n"
            await asyncio.sleep(_EVERY)
            still += _EVERY

    return _Stream(bench, stream(), media_type=kind, headers=headers)


async def _job_picture(bench: Workbench, request: Request) -> Response:
    job = _asked_job(bench, request)
    subject, folder = bench.subject_of(job)
    data = await bench.pool.ask(subjects.draw, subject, folder, job.outcome().get("solution"), "svg")
    return _svg(data)


async def _plot(bench: Workbench, request: Request) -> Response:
    (one,) = await bench.followed([_asked_job(bench, request)])
    return _Page(pages.plot_of(one))


async def _page(bench: Workbench, request: Request) -> Response:
    job = _asked_job(bench, request)
    subject, folder = bench.subject_of(job)
    data, scripts = await bench.pool.ask(subjects.page_of, subject, folder, job.outcome().get("solution"))
    policy = (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {' '.join(scripts or [_NONE])}; "
        "frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox allow-scripts"
    )
    headers = {"content-security-policy": policy, "x-frame-options": "SAMEORIGIN"}
    return Response(data, media_type="text/html", headers=headers)


async def _file(bench: Workbench, request: Request) -> Response:
    job, name = _asked_job(bench, request), request.path_params["name"]
    subject, folder = bench.subject_of(job)
    if name == "picture.svg":
        data = await bench.pool.ask(subjects.draw, subject, folder, job.outcome().get("solution"), "svg")
        return Response(data, media_type="image/svg+xml", headers=_attached(name))
    if name.startswith("solution."):
        text = await bench.pool.ask(subjects.written, subject, folder, job.outcome(), name.removeprefix("solution"))
        return Response(text, media_type="text/plain", headers=_attached(name))
    if name == "instance.txt" and not subject["builtin"]:
        return _download(Path(folder) / subject["source"], subject["source"])
    if name == "instance.txt":
        facts = await bench.pool.ask(subjects.inspect, subject, folder)
        if facts["text"] is None:
            raise InputError("this instance is too large to be written here. Maybe 'matheur export'?")
        return Response(facts["text"], media_type="text/plain", headers=_attached(name))
    if name.startswith("companion-"):
        companions = await bench.companions_of(job)
        numbered = {f"companion-{number}": one for number, one in enumerate(companions.items())}
        called, data = numbered.get(name, ("", Path()))
        if isinstance(data, Path):
            return _download(data, called)
        return Response(data, media_type="text/plain", headers=_attached(called))
    if name in ("graph.clq", "nodes.csv"):
        graph, nodes = job.folder / "graph.clq", job.folder / "nodes.csv"
        if not graph.is_file():
            await bench.pool.ask(subjects.clique_graph, subject, folder, str(graph), str(nodes), keep=False)
    path = {"result.json": job.result, "trace.jsonl": job.events}.get(name, job.folder / name)
    if name not in ("result.json", "trace.jsonl", "graph.clq", "nodes.csv"):
        raise InputError("there is no such file (yet)")
    return _download(path, name)


def _download(path: Path, name: str) -> Response:
    if path.is_symlink() or not path.is_file():
        raise InputError("there is no such file (yet)")
    return FileResponse(path, filename=name, media_type="text/plain")


def _attached(name: str) -> dict[str, str]:
    plain = quote(name)
    said = f'filename="{name}"' if plain == name else f"filename*=utf-8''{plain}"
    return {"content-disposition": f"attachment; {said}", "content-security-policy": _PICTURE_POLICY}


def _known(bench: Workbench, name: str) -> str:
    """The name of an existing job, damaged or not."""
    try:
        return bench.store.job(name).id
    except DamagedError as error:
        return error.name


def _to_job(job: Job) -> Response:
    return RedirectResponse(f"/jobs/{job.id}", 303)


async def _stop(bench: Workbench, request: Request) -> Response:
    name = request.path_params["job"]
    bench.queue.stop(name)
    return RedirectResponse(f"/jobs/{_known(bench, name)}", 303)


async def _resume(bench: Workbench, request: Request) -> Response:
    job = _asked_job(bench, request)
    bench.queue.resume(job)
    return _to_job(job)


async def _delete(bench: Workbench, request: Request) -> Response:
    bench.forget(_known(bench, request.path_params["job"]))
    return RedirectResponse("/", 303)


async def _compare(bench: Workbench, request: Request) -> Response:
    names = list(dict.fromkeys(request.query_params.getlist("job")))
    if not 2 <= len(names) <= _COMPARED:
        raise ConfigurationError(
            f"2 to {_COMPARED} runs can be compared ({len(names)}). Maybe choose them in the list?"
        )
    jobs = [bench.store.job(name) for name in names]
    return _Page(pages.compare_page(await bench.followed(jobs), await bench.rows(jobs)))


# Playing


async def _go_on(bench: Workbench, request: Request) -> Response:
    """Continue a game: the form with the played solution as start, or the remaining puzzle as an instance."""
    async with form_of(request, fields=500) as form:
        moves = _moves(form)
        if form.get("job"):
            one, options = bench.again(bench.store.job(text_of(form, "job")))
        else:
            options = text_of(form, "options")
            one = bench.brought(text_of(form, "instance"), options)
    now = await bench.pool.ask(subjects.play, dict(one.subject), one.place, moves)
    if now["valid"]:
        return await _form(bench, one, options, {"moves": json.dumps(moves)}, "")
    if not now["text"]:
        raise InputError("this is neither a solution nor a puzzle to continue from")
    problem = (await bench.inspect(one))["problem"]
    shown = f"{one.subject['name']} (after {words.counted(len(moves), 'move')})"
    left = await bench.bring({"position.txt": now["text"].encode()}, shown, problem)
    return _to_instance(left, options_beside(problem, options))


async def _play(bench: Workbench, request: Request) -> Response:
    given: Any = request.query_params
    moves: list[str] = []
    if request.method == "POST":
        async with form_of(request, fields=500) as given:
            moves = _moves(given)
    hidden = {key: text_of(given, key) for key in ("instance", "options", "job") if given.get(key)}
    if "job" in hidden:
        subject, folder = bench.subject_of(bench.store.job(hidden["job"]))
    else:
        brought = bench.brought(hidden.get("instance", ""), hidden.get("options", ""))
        subject, folder = dict(brought.subject), brought.place
    now = await bench.pool.ask(subjects.play, subject, folder, moves)
    job = bench.best_of(now["problem"], now["fingerprint"])
    best = None
    if job is not None:
        (one,) = await bench.followed([job])
        course = one.course
        best = {
            "score": course.score,
            "objective": course.objective,
            "status": job.outcome().get("status"),
            "bound": bound_as_score(job.order, course.bound),
        }
    return _Page(pages.play_page(subject["name"], hidden, moves, now, best))


def _list_of(text: str) -> list[str]:
    try:
        moves = json.loads(text)
    except (ValueError, RecursionError):
        moves = None
    if not isinstance(moves, list) or not all(isinstance(one, str) and len(one) <= _MOVE_MAX for one in moves):
        raise InputError("the moves cannot be read")
    return moves


def _moves(form: FormData) -> list[str]:
    """The moves so far, including the latest one and without those taken back."""
    moves = _list_of(text_of(form, "moves") or "[]")
    if form.get("restart"):
        return []
    if form.get("back"):
        return moves[:-1]
    if form.get("move"):
        return [*moves, text_of(form, "move")[:_MOVE_MAX]]
    puts = [one[:_MOVE_MAX] for one in form.getlist("put") if isinstance(one, str)]
    return puts or moves


async def _static(_: Workbench, request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC:
        raise HTTPException(404, "Not found")
    headers = {"content-type": STATIC[name], "cache-control": "private, max-age=86400"}
    return Response(static(name)[0], headers=headers)
