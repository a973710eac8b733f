"""Protect the server: host names, origins, a token, and limits of size and time for requests.

A browser on a hostile page can send requests to 127.0.0.1, under a name of that page's choosing
(DNS rebinding) or with a form (CSRF). So ``Host`` must be a name of this server, a request that
changes anything must come from a page of this server, as JSON, and a server that others can reach
needs a token.
"""

from __future__ import annotations

import asyncio
import secrets
from asyncio import TimerHandle, Transport
from collections.abc import Collection, Mapping

import h11
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from albeit.serve.runs import Limits, clip

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
COOKIE = "albeit-token"


def error_reply(
    status: int, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return an error as JSON, with at most 200 characters of bad input in one piece."""
    return JSONResponse({"error": clip(message)}, status, headers=dict(headers or {}))


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
        """Answer what is not HTTP, with the headers that all replies have."""
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
