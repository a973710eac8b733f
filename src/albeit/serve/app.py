"""The server's addresses: pages for people, a JSON API for programs (``docs/serve.md``)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from albeit.data.textio import whole_number
from albeit.errors import AlbeitError
from albeit.evaluation import unusable_into
from albeit.evaluation.executors import Pool, WorkerDiedError
from albeit.languages import normalise
from albeit.metrics.registry import is_open, is_safe, load, names
from albeit.report.page import shell
from albeit.serve.guard import Guard, error_reply
from albeit.serve.job import explain
from albeit.serve.manager import Manager
from albeit.serve.requests import check_request
from albeit.serve.runs import ENDED, Limits, Run, Runs, ServerError

TICK = 0.25
"""Seconds between looks at a run that a browser follows."""


def make_app(folder: Path, hosts: Collection[str], token: str, limits: Limits) -> ASGIApp:
    """Return the application over a folder of runs."""
    server = _Server(Runs(folder), limits)
    app = Starlette(
        routes=[
            Route("/", server.home),
            Route("/api/metrics", server.metrics),
            Route("/api/demonstration", server.demonstration),
            Route("/api/runs", server.list_runs, methods=["GET"]),
            Route("/api/runs", server.create, methods=["POST"]),
            Route("/api/runs/{id}", server.describe, methods=["GET"]),
            Route("/api/runs/{id}", server.delete, methods=["DELETE"]),
            Route("/api/runs/{id}/cancel", server.cancel, methods=["POST"]),
            Route("/api/runs/{id}/again", server.again, methods=["POST"]),
            Route("/api/runs/{id}/events", server.events),
            Route("/api/runs/{id}/explain", server.explain),
            Route("/runs/{id}", server.report),
        ],
        lifespan=server.lifespan,
        exception_handlers=dict.fromkeys((HTTPException, AlbeitError, OSError, Exception), _reply),
    )
    return Guard(app, hosts, token, limits)  # around Starlette, whose errors need headers too


class _Server:
    """The replies of the server."""

    def __init__(self, runs: Runs, limits: Limits) -> None:
        self.runs, self.limits, self.manager = runs, limits, Manager(limits)
        self._explainer = Pool(1)  # loads the model once; its process ends with the server
        self._one_body = asyncio.Lock()  # parsed JSON needs much more memory than the body

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """End all work when the server ends."""
        yield
        await self.manager.close()
        self._explainer.close(kill=True)

    def _run(self, request: Request) -> Run:
        return self.runs.get(request.path_params["id"])

    async def home(self, _: Request) -> Response:
        return Response(_page("home.js"), media_type="text/html")

    async def metrics(self, request: Request) -> Response:
        query = request.query_params
        lang, source_lang = query.get("lang") or "en", query.get("source_lang") or ""
        metrics = await run_in_threadpool(usable_metrics, lang[:50], source_lang[:50])
        return JSONResponse({"metrics": metrics})

    async def demonstration(self, _: Request) -> Response:
        return Response(demonstration(), media_type="application/json")

    def list_runs(self, _: Request) -> Response:
        descriptions = (run.description() for run in self.runs.list())
        return JSONResponse({"runs": [each for each in descriptions if "state" in each]})

    async def create(self, request: Request) -> Response:
        body = await request.body()
        self.manager.check_queue()
        async with self._one_body:
            run = await run_in_threadpool(self._create, body)
        try:
            self.manager.submit(run)
        except (AlbeitError, OSError):
            run.delete()
            raise
        return JSONResponse(run.description(), 201, headers={"Location": f"/api/runs/{run.id}"})

    def _create(self, body: bytes) -> Run:
        try:
            request = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise AlbeitError(f"the request is not JSON: {error}.") from None
        return self.runs.create(check_request(request))

    def describe(self, request: Request) -> Response:
        return JSONResponse(self._run(request).description())

    def delete(self, request: Request) -> Response:
        run = self._run(request)
        self.manager.check_idle(run)
        run.delete()
        return Response(status_code=204)

    async def cancel(self, request: Request) -> Response:
        run = self._run(request)
        await self.manager.cancel(run)
        return JSONResponse(run.description())

    async def again(self, request: Request) -> Response:
        run = self._run(request)
        if run.state.get("state") not in ENDED - {"done"}:
            raise ServerError(409, "only a run that has ended, and isn't done, can start again.")
        self.manager.submit(run)
        return JSONResponse(run.description())

    async def events(self, request: Request) -> Response:
        run = self._run(request)

        async def events() -> AsyncIterator[str]:
            last = None
            while not await request.is_disconnected():
                state = run.state
                if not state:  # deleted
                    return
                if state != last:
                    yield f"data: {json.dumps(state)}\n\n"
                    last = state
                if state["state"] in ENDED:
                    return
                await asyncio.sleep(TICK)

        return StreamingResponse(events(), media_type="text/event-stream")

    async def explain(self, request: Request) -> Response:
        run = self._run(request)
        number, document = (request.query_params.get(key) for key in ("segment", "document"))
        key = whole_number(number or "") if document is None else document
        if key == -1:
            raise AlbeitError("specify what to explain: ?segment=N, from 1, or ?document=ID.")
        future = self._explainer.submit(explain, self.limits, run.folder, key)
        try:
            return JSONResponse(await asyncio.wrap_future(future))
        except WorkerDiedError:
            limit = f"{self.limits.explain_seconds:,.0f} seconds"
            message = f"the explanation failed: its process died, or took longer than {limit}."
            raise AlbeitError(message) from None

    async def report(self, request: Request) -> Response:
        run = self._run(request)
        if not run.report.exists():
            return Response(_page("watch.js"), 202, media_type="text/html")
        return FileResponse(run.report, media_type="text/html")


def _reply(_: Request, error: Exception) -> Response:
    """Answer an error."""
    if isinstance(error, HTTPException):
        return error_reply(error.status_code, error.detail, error.headers)
    if isinstance(error, AlbeitError):
        return error_reply(getattr(error, "status", 400), str(error))
    if isinstance(error, OSError):
        return error_reply(507, f"a file of the run cannot be read or written: {error.strerror}.")
    return error_reply(500, "the server failed; see its output.")


@cache
def _page(script: str) -> str:
    """Return a page of the server: components of the report, and a script of its own."""
    own = "\n".join(map(_asset, ("run.js", script)))
    return shell("albeit", ("base.js",), own, kind="serve", connect="'self'")


@cache
def demonstration() -> str:
    """Return the demonstration set as the request of a run (from ``tools/demonstration.py``)."""
    return _asset("demonstration.json")


def _asset(name: str) -> str:
    return files("albeit.serve").joinpath("assets", name).read_text(encoding="utf-8")


@lru_cache(maxsize=64)
def usable_metrics(lang: str, source_lang: str) -> list[dict[str, str]]:
    """Return name, summary, and unit of all metrics that can score translations into a language."""
    others = unusable_into(normalise(lang), normalise(source_lang) if source_lang else None)
    classes = {name: load(name) for name in names() if name not in others}
    return [
        {"name": name, "summary": cls.summary, "unit": str(cls.unit)}
        for name, cls in classes.items()
        if is_safe(name) and not is_open(cls)
    ]
