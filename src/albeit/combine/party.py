"""``albeit-party``: the combination that ships with its weights, the one to use into English."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import ClassVar

from albeit.combine.metric import ModelMetric
from albeit.combine.saved import Model

__all__ = ["RESOURCE", "AlbeitParty"]

RESOURCE = "party.json"
"""The model's file in this package, written by ``research/experiments/party.py``."""


@cache
def _shipped() -> Model:
    place = files("albeit.combine").joinpath(RESOURCE)
    return Model.parse(place.read_text(encoding="utf-8"), str(place))


@dataclass(frozen=True)
class AlbeitParty(ModelMetric):
    """All families together, tuned on the human preferences of WMT12 and WMT13."""

    name: ClassVar[str] = "albeit-party"
    safe_for_untrusted: ClassVar[bool] = True
    summary: ClassVar[str] = "all families in one, tuned on human preferences (into English)"

    @property
    def model(self) -> Model:
        """The model that ships with the package."""
        return _shipped()
