"""The records of a cache file: where they stand, and that they are what was written."""

from __future__ import annotations

import sqlite3
import time
import zlib
from collections.abc import Sequence

__all__ = ["DAY", "SCHEMA", "CorruptError", "read_records", "sealed", "touch_records"]

SCHEMA = """
create table if not exists records (
    key blob not null unique, used integer not null, data blob not null
);
create index if not exists by_use on records (used);
"""
DAY = 86_400
_BATCH = 900

Record = tuple[bytes, int, bytes]
"""Key, day of last use, data."""


class CorruptError(Exception):
    """A record's checksum does not fit."""


def read_records(db: sqlite3.Connection, keys: Sequence[bytes]) -> list[Record]:
    """The records of some keys, checked."""
    found: list[Record] = []
    for start in range(0, len(keys), _BATCH):
        part = keys[start : start + _BATCH]
        marks = ",".join("?" * len(part))
        rows = db.execute(f"select key, used, data from records where key in ({marks})", part)
        found += [(key, used, _checked(key, data)) for key, used, data in rows]
    return found


def touch_records(db: sqlite3.Connection, records: Sequence[Record]) -> None:
    """They count as used today."""
    today = int(time.time()) // DAY
    old = [(today, key) for key, used, _ in records if used < today]
    if old:
        with db:
            db.executemany("update records set used = ? where key = ?", old)


def sealed(key: bytes, data: bytes) -> bytes:
    """Data as it is kept: behind a checksum of itself and its key."""
    return zlib.crc32(data, zlib.crc32(key)).to_bytes(4, "little") + data


def _checked(key: bytes, data: bytes) -> bytes:
    if zlib.crc32(data[4:], zlib.crc32(key)).to_bytes(4, "little") != data[:4]:
        raise CorruptError("a record's checksum does not fit")
    return data[4:]
