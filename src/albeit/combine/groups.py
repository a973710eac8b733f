"""Named groups of metrics, kept as data in ``groups.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from albeit.errors import MetricError


@dataclass(frozen=True)
class Group:
    """A name for tables, and the members in order."""

    name: str
    title: str
    members: tuple[str, ...]

    def present(self, known: Collection[str]) -> tuple[str, ...]:
        """The members among ``known`` metrics."""
        return tuple(member for member in self.members if member in known)

    def absent(self, known: Collection[str]) -> tuple[str, ...]:
        """The members that are not known: the gap to tell of."""
        return tuple(member for member in self.members if member not in known)


@cache
def groups() -> dict[str, Group]:
    """All groups by name."""
    text = files("albeit.combine").joinpath("groups.toml").read_text(encoding="utf-8")
    data: dict[str, Any] = tomllib.loads(text)

    def members(name: str) -> tuple[str, ...]:
        found: list[str] = []
        for item in data[name]["metrics"]:
            found += members(item[1:]) if item.startswith("@") else [item]
        return tuple(found)

    return {name: Group(name, data[name]["title"], members(name)) for name in data}


def group(name: str) -> Group:
    """A group by its name."""
    try:
        return groups()[name.lower()]
    except KeyError:
        known = ", ".join(groups())
        raise MetricError(f"unknown group of metrics {name!r}; there are {known}.") from None
