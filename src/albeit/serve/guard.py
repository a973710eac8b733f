"""Who may talk to the server: the right host name, the right origin, the token, a bounded body in a bounded time.

A browser that visits a hostile page can be made to send requests to 127.0.0.1, under a
name of that page's choosing (DNS rebinding) or with a form of its own (CSRF). So the
``Host`` must be one that the server was started for, a request that changes anything must
come from a page of ours, as JSON, and a server that others can reach asks for a token.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Collection, MutableMapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["HEADERS", "Guard"]

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
COOKIE = "albeit-token"


class _TooLargeError(Exception):
    """The body is larger than the server takes."""


class Guard:
    """Middleware in front of everything; a body has so many bytes at most, and so many seconds."""

    def __init__(
        self, app: ASGIApp, hosts: Collection[str], token: str, upload: int, seconds: float
    ) -> None:
        self.app, self.hosts, self.token = app, frozenset(hosts), token
        self.upload, self.seconds = upload, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on with safe headers."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        refused = self._refused(request)
        if refused is not None:
            await refused(scope, receive, send)
            return
        taken, whole = 0, False
        end = asyncio.get_running_loop().time() + self.seconds

        async def bounded() -> Message:
            nonlocal taken, whole
            async with asyncio.timeout_at(None if whole else end):
                message = await receive()
            whole = not message.get("more_body", False)
            taken += len(message.get("body", b""))
            if taken > self.upload:
                raise _TooLargeError
            return message

        async def safe(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                known = {key.lower() for key, _ in message["headers"]}
                for key, value in HEADERS.items():
                    if key.lower().encode() not in known:
                        message["headers"].append((key.lower().encode(), value.encode()))
                if self.token and request.query_params.get("token"):
                    cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
                    message["headers"].append((b"set-cookie", cookie.encode()))
            await send(message)

        try:
            await self.app(scope, bounded, safe)
        except TimeoutError:
            await _no(408, f"the request did not arrive in {self.seconds:,.0f} seconds.")(
                scope, receive, send
            )
        except _TooLargeError:
            await _no(413, f"the request is larger than {self.upload:,} bytes.")(
                scope, receive, send
            )

    def _refused(self, request: Request) -> Response | None:
        host = request.headers.get("host", "")
        if host not in self.hosts:
            return _no(421, f"this server is not called {host!r}.")
        if request.method not in ("GET", "HEAD"):
            origin = request.headers.get("origin")
            if origin is not None and origin.partition("://")[2] not in self.hosts:
                return _no(403, "requests from other sites are not taken.")
            kind = request.headers.get("content-type", "").partition(";")[0]
            if kind != "application/json":
                return _no(415, "send JSON (content-type: application/json).")
        length = request.headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 18 or int(length) > self.upload:
            return _no(413, f"the request is larger than {self.upload:,} bytes.")
        shown = self._shown(request).encode()
        if self.token and not secrets.compare_digest(shown, self.token.encode()):
            return _no(401, "give the token: ?token=… in the address, or Authorization: Bearer …")
        return None

    @staticmethod
    def _shown(request: Request) -> str:
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        return bearer or request.query_params.get("token") or request.cookies.get(COOKIE, "")


def _no(status: int, why: str) -> Response:
    return JSONResponse({"error": why}, status, headers=HEADERS)
