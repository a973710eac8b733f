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
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from albeit.corpus.textio import whole_number
from albeit.engine import unusable_into
from albeit.errors import AlbeitError, InputError
from albeit.languages import normalise
from albeit.metrics.registry import is_open, load, names
from albeit.metrics.untrusted import is_safe
from albeit.serve.guard import Guard
from albeit.serve.job import end_with_the_server, explain_place
from albeit.serve.manager import Limits, Manager
from albeit.serve.openapi import OPENAPI
from albeit.serve.pages import api_page, demonstration, home_page, run_page
from albeit.serve.requests import checked
from albeit.serve.runs import ENDED, Run, RunError, Runs, RunStateError

__all__ = ["make_app", "usable_metrics"]

TICK = 0.25
"""Seconds between looks at a run that somebody watches."""


def make_app(folder: Path, hosts: Collection[str], token: str, limits: Limits) -> Starlette:
    """The application over a folder of runs."""
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
    guard = Middleware(
        Guard, hosts=hosts, token=token, upload=limits.upload, seconds=limits.request_seconds
    )
    return Starlette(
        routes=routes,
        middleware=[guard],
        lifespan=server.lifespan,
        exception_handlers={
            RunError: _answered(404),
            RunStateError: _answered(409),
            AlbeitError: _answered(400),
        },
    )


class _Server:
    """What the addresses do."""

    def __init__(self, runs: Runs, manager: Manager) -> None:
        self.all_runs, self.manager = runs, manager
        self._explainer: ProcessPoolExecutor | None = None

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

    async def runs(self, _: Request) -> Response:
        return JSONResponse({"runs": [run.described() for run in self.all_runs.all()]})

    async def create(self, request: Request) -> Response:
        asked = await run_in_threadpool(_asked, await request.body())
        if self.manager.full:
            return JSONResponse({"error": "too many runs are waiting; try again later."}, 503)
        run = self.all_runs.create(asked)
        self.manager.submit(run)
        return JSONResponse(run.described(), 201, headers={"Location": f"/api/runs/{run.id}"})

    async def run(self, request: Request) -> Response:
        return JSONResponse(self._run(request).described())

    async def delete(self, request: Request) -> Response:
        self.all_runs.delete(self._run(request))
        return Response(status_code=204)

    async def cancel(self, request: Request) -> Response:
        run = self._run(request)
        await run_in_threadpool(self.manager.cancel, run)
        return JSONResponse(run.described())

    async def again(self, request: Request) -> Response:
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
                    1, mp_context=get_context("spawn"), initializer=end_with_the_server
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


def _answered(status: int) -> Callable[[Request, Exception], Response]:
    """What answers an error."""
    return lambda _, error: JSONResponse({"error": str(error)}, status)


def _asked(body: bytes) -> dict[str, Any]:
    """What a request asks for, checked."""
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the request is not JSON: {error}.") from None
    return checked(asked)


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
        if is_safe(cls) and not is_open(cls)
    ]
