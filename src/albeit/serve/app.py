"""The server's addresses: pages for people, a JSON API for programs."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Collection
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route
from starlette.types import ASGIApp

from albeit.data.textio import whole_number
from albeit.errors import AlbeitError
from albeit.evaluation import unusable_into
from albeit.languages import normalise
from albeit.metrics.registry import is_open, is_safe, load, names
from albeit.serve.guard import Guard, error_reply
from albeit.serve.job import begin_explainer, explain_place
from albeit.serve.manager import Manager
from albeit.serve.openapi import OPENAPI
from albeit.serve.pages import api_page, demonstration, home_page, run_page
from albeit.serve.requests import checked
from albeit.serve.runs import (
    ENDED,
    Limits,
    QueueFullError,
    Run,
    RunError,
    Runs,
    RunStateError,
    StorageError,
)

TICK = 0.25
"""Seconds between looks at a run that somebody watches."""


def make_app(folder: Path, hosts: Collection[str], token: str, limits: Limits) -> ASGIApp:
    """Return the application over a folder of runs."""
    server = _Server(Runs(folder), Manager(limits))
    routes = [
        Route("/", server.home),
        Route("/api", server.api_page),
        Route("/api/openapi.json", server.openapi),
        Route("/api/metrics", server.metrics),
        Route("/api/demonstration", server.demonstration),
        Route("/api/runs", server.runs, methods=["GET"]),
        Route("/api/runs", server.create, methods=["POST"]),
        Route("/api/runs/{id}", server.run, methods=["GET"]),
        Route("/api/runs/{id}", server.delete, methods=["DELETE"]),
        Route("/api/runs/{id}/cancel", server.cancel, methods=["POST"]),
        Route("/api/runs/{id}/again", server.again, methods=["POST"]),
        Route("/api/runs/{id}/events", server.events),
        Route("/api/runs/{id}/explain", server.explain),
        Route("/runs/{id}", server.report),
    ]
    app = Starlette(
        routes=routes,
        lifespan=server.lifespan,
        exception_handlers={
            HTTPException: _http_error,
            RunError: _answer(404),
            RunStateError: _answer(409),
            QueueFullError: _answer(503),
            StorageError: _answer(507),
            AlbeitError: _answer(400),
            Exception: lambda *_: error_reply(500, "the server failed; see its output."),
        },
    )
    return Guard(  # outside of Starlette, whose own errors need the headers too
        app, hosts=hosts, token=token, upload=limits.upload, seconds=limits.request_seconds
    )


class _Server:
    """What the addresses do."""

    def __init__(self, runs: Runs, manager: Manager) -> None:
        self.all_runs, self.manager = runs, manager
        self._explainer: ProcessPoolExecutor | None = None
        self._one_body = asyncio.Lock()  # parsed JSON needs much more memory than the body

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """End all work when the server ends."""
        yield
        self.manager.close()
        if self._explainer is not None:
            self._explainer.shutdown(wait=False, cancel_futures=True)

    def _run(self, request: Request) -> Run:
        return self.all_runs.get(request.path_params["id"])

    async def home(self, _: Request) -> Response:
        return HTMLResponse(home_page())

    async def api_page(self, _: Request) -> Response:
        return HTMLResponse(api_page())

    async def openapi(self, _: Request) -> Response:
        return JSONResponse(OPENAPI)

    async def metrics(self, request: Request) -> Response:
        asked = request.query_params
        listed = await run_in_threadpool(
            usable_metrics, asked.get("lang") or "en", asked.get("source_lang") or None
        )
        return JSONResponse({"metrics": listed})

    async def demonstration(self, _: Request) -> Response:
        return Response(demonstration(), media_type="application/json")

    def runs(self, _: Request) -> Response:
        described = (run.described() for run in self.all_runs.all())
        return JSONResponse({"runs": [each for each in described if "state" in each]})

    async def create(self, request: Request) -> Response:
        body = await request.body()
        async with self._one_body:
            run = await run_in_threadpool(self._create, body)
        return JSONResponse(run.described(), 201, headers={"Location": f"/api/runs/{run.id}"})

    def _create(self, body: bytes) -> Run:
        self.manager.check_queue()
        try:
            asked = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise AlbeitError(f"the request is not JSON: {error}.") from None
        run = self.all_runs.create(checked(asked))
        try:
            self.manager.submit(run)
        except AlbeitError:
            self.all_runs.delete(run)
            raise
        return run

    def run(self, request: Request) -> Response:
        return JSONResponse(self._run(request).described())

    def delete(self, request: Request) -> Response:
        run = self._run(request)
        if self.manager.has(run):
            raise RunStateError("the run is under way; cancel it first.")
        self.all_runs.delete(run)
        return Response(status_code=204)

    def cancel(self, request: Request) -> Response:
        run = self._run(request)
        self.manager.cancel(run)
        return JSONResponse(run.described())

    def again(self, request: Request) -> Response:
        run = self._run(request)
        if run.state.get("state") not in ENDED - {"done"}:
            raise RunStateError("only a run that did not come to its end can be started again.")
        self.manager.submit(run)
        return JSONResponse(run.described())

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
                if state.get("state") in ENDED:
                    return
                await asyncio.sleep(TICK)

        return StreamingResponse(events(), media_type="text/event-stream")

    async def explain(self, request: Request) -> Response:
        run = self._run(request)
        number, document = (request.query_params.get(key) for key in ("segment", "document"))
        place = whole_number(number or "") if document is None else document
        if place == -1:
            raise AlbeitError("say what: ?segment=N, from 1, or ?document=ID.")
        return JSONResponse(await self._explained(run.folder, place))

    async def _explained(self, folder: Path, place: int | str) -> dict[str, Any]:
        """Asked of a process of its own, which loads the model once; one that died is replaced."""
        seconds = self.manager.limits.explain_seconds
        loop = asyncio.get_running_loop()
        for last in (False, True):
            if self._explainer is None:
                self._explainer = ProcessPoolExecutor(
                    1,
                    mp_context=get_context("spawn"),
                    initializer=begin_explainer,
                    initargs=(self.manager.limits.memory,),
                )
            start = loop.time()
            try:
                return await loop.run_in_executor(
                    self._explainer, explain_place, folder, place, seconds
                )
            except BrokenProcessPool:  # it took too long, or was killed, or another's did
                self._explainer = None
                if last or loop.time() - start >= seconds:
                    break
        raise AlbeitError(
            f"the explanation failed: its process died, or took longer than {seconds:,.0f} seconds."
        )

    async def report(self, request: Request) -> Response:
        run = self._run(request)
        if not run.report.exists():
            return HTMLResponse(run_page(), 202)
        return FileResponse(run.report, media_type="text/html")


def _answer(status: int) -> Callable[[Request, Exception], Response]:
    """Return a handler that answers an error with this status."""
    return lambda _, error: error_reply(status, str(error))


def _http_error(_: Request, error: Exception) -> Response:
    """Answer an unknown address or method, or a body that is too large or too slow."""
    assert isinstance(error, HTTPException)
    return error_reply(error.status_code, error.detail, error.headers)


def usable_metrics(lang: str, source_lang: str | None) -> list[dict[str, str]]:
    """Names, summaries and units of all metrics that can score translations into it."""
    return _usable(normalise(lang), normalise(source_lang) if source_lang else None)


@lru_cache(maxsize=64)
def _usable(lang: str, source_lang: str | None) -> list[dict[str, str]]:
    others = unusable_into(lang, source_lang)
    known = {name: load(name) for name in names() if name not in others}
    return [
        {"name": name, "summary": cls.summary, "unit": str(cls.unit)}
        for name, cls in known.items()
        if is_safe(name) and not is_open(cls)
    ]
