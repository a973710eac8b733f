"""``function``: a metric that any Python callable can be."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from albeit.data.evalset import EvalSet
from albeit.data.plugins import loaded
from albeit.errors import AlbeitError, MetricError
from albeit.metrics.base import Batch, Context, FloatArray, mean_statistics
from albeit.metrics.external import AsTold, checked_score, ordered

__all__ = ["Function"]


@dataclass(frozen=True)
class Function(AsTold):
    """A Python function that scores segments: ``package.module:name``, or ``file.py:name``.

    It is called with the keyword arguments that ``texts`` names, each a list with an entry
    per segment: ``sources``, ``references`` (a list of references per segment) and
    ``translations``. It returns one number per segment. ``version`` goes into the signature, and
    so does a digest of the file that holds the function.
    """

    call: str
    texts: tuple[str, ...] = ("reference", "translation")
    better: Literal["higher", "lower"] = "higher"
    version: str | None = None

    name: ClassVar[str] = "function"
    summary: ClassVar[str] = "any Python function: lists of texts in, a list of scores out"

    def __post_init__(self) -> None:
        object.__setattr__(self, "texts", ordered(self.name, self.texts))
        module, colon, name = self.call.rpartition(":")
        if not (module and colon and name):
            raise MetricError(
                f"function: a function is named package.module:name, not {self.call!r}."
            )

    def check(self, evalset: EvalSet) -> None:
        """There must be such a function."""
        super().check(evalset)
        _function(self.call)

    def versions(self, context: Context = None) -> dict[str, str]:
        """A digest of the file that holds the function."""
        return {"file": _function(self.call)[1]}

    def statistics(self, batch: Batch, context: Context) -> FloatArray:
        """(score, 1) per segment."""
        texts: dict[str, object] = {"translations": list(batch.hypotheses)}
        if "reference" in self.texts:
            texts["references"] = [list(each) for each in zip(*batch.references, strict=True)]
        if "source" in self.texts:
            texts["sources"] = list(batch.sources or ())
        try:
            found = list(_function(self.call)[0](**texts))
        except AlbeitError:
            raise
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise MetricError(f"{self}: the function raised an error ({said}).") from error
        return mean_statistics(self._checked(found, batch.hypotheses))

    def _checked(self, found: Sequence[object], lines: Sequence[str]) -> list[float]:
        if len(found) != len(lines):
            raise MetricError(
                f"{self}: the function gave {len(found)} scores for {len(lines)} segments."
            )
        scores: list[float] = []
        for value, line in zip(found, lines, strict=True):
            score = checked_score(value)
            if score is None:
                raise MetricError(
                    f"{self}: the function gave {value!r}, which is not a number, for {line!r}."
                )
            scores.append(score)
        return scores


@cache
def _function(call: str) -> tuple[Callable[..., Any], str]:
    """The function of that name, imported once, and a digest of the file that held it then."""
    module, _, name = call.rpartition(":")
    found = _of_file(module, name) if module.endswith(".py") else loaded("function", call, call)
    if not callable(found):
        raise MetricError(f"function: {call} is a {type(found).__name__}, not a function.")
    home = sys.modules.get(getattr(found, "__module__", None) or module)
    path = module if module.endswith(".py") else getattr(home, "__file__", None)
    if path is None or not Path(path).is_file():
        return found, "none"
    return found, hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]


def _of_file(path: str, name: str) -> object:
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    if spec is None or spec.loader is None or not Path(path).is_file():
        raise MetricError(f"function: there is no file {path!r}.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise MetricError(f"function: {path} cannot be loaded: {error}.") from error
    if not hasattr(module, name):
        raise MetricError(f"function: {path} has no {name!r}.")
    return getattr(module, name)
