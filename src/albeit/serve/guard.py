"""Who may talk to the server: the right host name, the right origin, the token, a bounded body in a bounded time.

A browser that visits a hostile page can be made to send requests to 127.0.0.1, under a
name of that page's choosing (DNS rebinding) or with a form of its own (CSRF). So the
``Host`` must be one that the server was started for, a request that changes anything must
come from a page of ours, as JSON, and a server that others can reach asks for a token.

Connections that do not say what they want are closed after a while: uvicorn waits for a request's
headers for ever, so that whoever sends a byte a minute, or none, keeps a connection; a few hundred
of those keep others out.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Collection, Mapping, MutableMapping
from typing import Any, ClassVar

import h11
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from albeit.serve.runs import clip

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
COOKIE = "albeit-token"


class Guard:
    """Wraps the whole application: refuses requests, limits bodies, adds headers to all replies."""

    def __init__(
        self, app: ASGIApp, hosts: Collection[str], token: str, upload: int, seconds: float
    ) -> None:
        self.app, self.hosts, self.token = app, frozenset(hosts), token
        self.upload, self.seconds = upload, seconds
        self.too_large = f"the request is larger than {upload:,} bytes."

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on with safe headers."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        taken, whole = 0, False
        end = asyncio.get_running_loop().time() + self.seconds

        async def bounded() -> Message:
            nonlocal taken, whole
            try:
                async with asyncio.timeout_at(None if whole else end):
                    message = await receive()
            except TimeoutError:
                late = f"the request did not arrive in {self.seconds:,.0f} seconds."
                raise HTTPException(408, late) from None
            whole = not message.get("more_body", False)
            taken += len(message.get("body", b""))
            if taken > self.upload:
                raise HTTPException(413, self.too_large)
            return message

        async def safe(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                known = {key.lower() for key, _ in message["headers"]}
                for key, value in HEADERS.items():
                    if key.lower().encode() not in known:
                        message["headers"].append((key.lower().encode(), value.encode()))
                if self.token and refused is None and request.query_params.get("token"):
                    cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
                    message["headers"].append((b"set-cookie", cookie.encode()))
            await send(message)

        refused = self._refused(request)
        await (refused or self.app)(scope, bounded, safe)

    def _refused(self, request: Request) -> Response | None:
        host = request.headers.get("host", "")
        if host not in self.hosts:
            return error_reply(421, f"this server is not called {host[:200]!r}.")
        if request.method not in ("GET", "HEAD"):
            origin = request.headers.get("origin")
            if origin is not None and origin.partition("://")[2] not in self.hosts:
                return error_reply(403, "requests from other sites are not taken.")
            kind = request.headers.get("content-type", "").partition(";")[0]
            if kind != "application/json":
                return error_reply(415, "send JSON (content-type: application/json).")
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 18 or int(length) > self.upload:
            return error_reply(413, self.too_large)
        shown = self._shown(request).encode()
        if self.token and not secrets.compare_digest(shown, self.token.encode()):
            return error_reply(
                401, "give the token: ?token=… in the address, or Authorization: Bearer …"
            )
        return None

    @staticmethod
    def _shown(request: Request) -> str:
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        return bearer or request.query_params.get("token") or request.cookies.get(COOKIE, "")


def error_reply(
    status: int, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return an error as JSON, with at most 200 characters of bad input in one piece."""
    return JSONResponse({"error": clip(message)}, status, headers=dict(headers or {}))


class _Bounded(H11Protocol):
    """HTTP as uvicorn speaks it, with so many ``seconds`` for the headers of each request."""

    seconds: ClassVar[float]
    _end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The first request's time begins."""
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        """Headers that are whole end the time; the first bytes of others begin it."""
        super().data_received(data)
        self._look()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP, with the headers that all responses have."""
        headers = {**HEADERS, "Content-Type": "text/plain; charset=utf-8", "Connection": "close"}
        start = h11.Response(status_code=400, headers=list(headers.items()), reason="Bad Request")
        for event in (start, h11.Data(data=msg.encode("ascii")), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop()
        super().connection_lost(exc)

    def _look(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._end is None:
            self._end = self.loop.call_later(self.seconds, self.transport.close)

    def _stop(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None


def bounded_protocol(seconds: float) -> type[H11Protocol]:
    """A protocol for :class:`uvicorn.Config` that waits no longer for a request's headers."""
    return type("Bounded", (_Bounded,), {"seconds": seconds})
