"""Connections that do not say what they want: closed after a while.

uvicorn waits for a request's headers for ever, so that whoever sends a byte a minute, or none,
keeps a connection; a few hundred of those keep others out. (:mod:`albeit.serve.guard` bounds the
time of a body.)
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["bounded_protocol"]


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
