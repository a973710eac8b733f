"""The server's addresses: web pages, a JSON API for programs (``docs/serve.md``).

A browser on a hostile page can send requests to 127.0.0.1, under a name of that page's choosing
(DNS rebinding) or with a form (CSRF). So ``Host`` must be a name of this server, a request that
changes anything must come from a page of this server, as JSON, and a server that others can reach
needs a token. All requests are limited in size and time.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from asyncio import TimerHandle, Transport
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import h11
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from albeit.data.textio import whole_number
from albeit.errors import AlbeitError
from albeit.evaluation import unusable_into
from albeit.evaluation.executors import Pool, WorkerDiedError
from albeit.languages import normalise
from albeit.metrics.registry import is_open, is_safe, load, names
from albeit.report.page import shell
from albeit.serve.job import Manager, explain
from albeit.serve.requests import check_request
from albeit.serve.runs import ENDED, Limits, Run, Runs, ServerError, clip

TICK = 0.25
"""Seconds between looks at a run that a browser follows."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
COOKIE = "albeit-token"


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
        return _page("home.js")

    def metrics(self, request: Request) -> Response:
        query = request.query_params
        lang, source_lang = query.get("lang") or "en", query.get("source_lang") or ""
        return JSONResponse({"metrics": usable_metrics(lang[:50], source_lang[:50])})

    async def demonstration(self, _: Request) -> Response:
        """Return the demonstration set as a request (from ``tests/serve/demonstration.py``)."""
        return Response(asset("demonstration.json"), media_type="application/json")

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
            what = f"the explanation failed: its process died, or took longer than {limit}."
            raise AlbeitError(what) from None

    async def report(self, request: Request) -> Response:
        run = self._run(request)
        if not run.report.exists():
            return _page("watch.js", 202)
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


def _page(script: str, status: int = 200) -> Response:
    """Return a page of the server: components of the report, and a script of its own."""
    own = "\n".join(map(asset, ("run.js", script)))
    page = shell("albeit", ("base.js",), own, kind="serve", connect="'self'")
    return Response(page, status, media_type="text/html")


@cache
def asset(name: str) -> str:
    """Return a file of the server's pages."""
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


def error_reply(status: int, message: str, headers: Any = None) -> JSONResponse:
    """Return an error as JSON, with at most 200 characters of bad input in one piece."""
    return JSONResponse({"error": clip(message)}, status, headers=headers)


class Guard:
    """Wrap an application: refuse requests, limit their bodies, and add headers to all replies."""

    def __init__(self, app: ASGIApp, hosts: Collection[str], token: str, limits: Limits) -> None:
        self.app, self.hosts, self.token, self.limits = app, frozenset(hosts), token, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        refusal = self._refuse(request)

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                if self.token and refusal is None and request.query_params.get("token"):
                    cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
                    headers.append("Set-Cookie", cookie)
            await send(message)

        await (refusal or self.app)(scope, self._limit_body(receive), send_safely)

    def _limit_body(self, receive: Receive) -> Receive:
        """Return a function that receives a body within the limits of size and time."""
        size, complete = 0, False
        seconds, upload = self.limits.request_seconds, self.limits.upload
        end = asyncio.get_running_loop().time() + seconds

        async def receive_limited() -> Message:
            nonlocal size, complete
            try:
                async with asyncio.timeout_at(None if complete else end):
                    message = await receive()
            except TimeoutError:
                late = f"the request did not arrive in {seconds:,.0f} seconds."
                raise HTTPException(408, late) from None
            complete = not message.get("more_body", False)
            size += len(message.get("body", b""))
            if size > upload:
                raise HTTPException(413, f"the request is larger than {upload:,} bytes.")
            return message

        return receive_limited

    def _refuse(self, request: Request) -> Response | None:
        host = request.headers.get("host", "")
        if host not in self.hosts:
            return error_reply(421, f"this server does not have the name {host[:200]!r}.")
        if request.method not in ("GET", "HEAD"):
            origin = request.headers.get("origin")
            if origin is not None and origin.partition("://")[2] not in self.hosts:
                return error_reply(403, "requests from pages of other sites are refused.")
            kind = request.headers.get("content-type", "").partition(";")[0]
            if kind != "application/json":
                return error_reply(415, "send JSON (content-type: application/json).")
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        token = bearer or request.query_params.get("token") or request.cookies.get(COOKIE, "")
        if self.token and not secrets.compare_digest(token.encode(), self.token.encode()):
            hint = "give the token: ?token=… in the address, or Authorization: Bearer …"
            return error_reply(401, hint)
        return None


class Protocol(H11Protocol):
    """HTTP of uvicorn, with ``timeout_keep_alive`` seconds for the headers of each request.

    uvicorn alone waits for headers without end, so that a few hundred idle connections keep
    others from connecting.
    """

    _timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Start the time of the first request."""
        super().connection_made(transport)
        self._set_timer()

    def data_received(self, data: bytes) -> None:
        """Stop the time if the headers are complete."""
        super().data_received(data)
        self._set_timer()

    def send_400_response(self, msg: str) -> None:
        """Answer requests that aren't HTTP, with the headers of all replies."""
        headers = {**HEADERS, "Content-Type": "text/plain", "Connection": "close"}
        lines = ["HTTP/1.1 400 Bad Request", *(f"{key}: {headers[key]}" for key in headers)]
        self.transport.write("\r\n".join([*lines, "", msg]).encode())
        self.transport.close()

    def _set_timer(self) -> None:
        waits = self.conn.their_state is h11.IDLE
        if self._timer is not None and not waits:
            self._timer.cancel()
            self._timer = None
        elif self._timer is None and waits:
            self._timer = self.loop.call_later(self.timeout_keep_alive, self.transport.close)
