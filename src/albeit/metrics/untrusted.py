"""The allow-list of metrics for requests to a server and for models and runs from other people.

A metric can start programs (``program``), run code (``function``, ``comet``), and read any file that
a parameter names. A class is allowed if it sets ``safe_for_untrusted`` itself: a plug-in doesn't
inherit that from the class it extends. Numbers, truth values, and choices from a list are allowed as
parameters. Text is allowed only in parameters that the class lists in ``harmless_text``, or if it is
the default. Nothing is built, loaded, or imported for a metric that is refused.
"""

from __future__ import annotations

from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from albeit.errors import MetricError
from albeit.metrics.base import Metric
from albeit.metrics.composite import Composite
from albeit.metrics.grammar import Call, Value, parse
from albeit.metrics.registry import arguments, is_saved, load, metric, word

__all__ = ["check_safe", "is_safe", "untrusted_metric"]

_WHERE = "isn't allowed in requests to a server or in files from someone else"


def is_safe(cls: type[Metric]) -> bool:
    """Whether a metric class states itself that untrusted callers may use it."""
    return vars(cls).get("safe_for_untrusted") is True


def check_safe(spec: str) -> None:
    """Raise ``MetricError`` unless an untrusted caller may use this metric. Nothing is built."""
    _check(parse(spec))


def untrusted_metric(spec: str) -> Metric:
    """Build a metric for an untrusted caller; raise ``MetricError`` if it isn't allowed."""
    check_safe(spec)
    made = metric(spec)
    _check_parts(made)
    return made


def _check_parts(made: Metric) -> None:
    for part in made.parts if isinstance(made, Composite) else ():
        check_safe(str(part))
        _check_parts(part)


def _check(call: Call) -> None:
    if is_saved(call.name):
        raise MetricError(f"{_short(call.name)} is a saved model, which {_WHERE}.")
    cls = load(call.name)
    if not is_safe(cls):
        raise MetricError(f"{call.name} can start programs, run code, or read files: it {_WHERE}.")
    hints = get_type_hints(cls)
    defaults = {f.name: f.default for f in fields(cls)}
    for name, value in arguments(cls, call).items():
        if isinstance(hints[name], type) and issubclass(hints[name], Metric):
            _check(value if isinstance(value, Call) else parse(str(value)))
        elif name not in cls.harmless_text and not _is_harmless(value, hints[name], defaults[name]):
            raise MetricError(
                f"{call.name}: {name.rstrip('_')}={_short(value)} can name a file, code, or a"
                f" program, which {_WHERE}."
            )


def _is_harmless(value: Value, hint: Any, default: object) -> bool:
    """Whether a parameter takes only numbers and listed choices, or has one of these, or its default."""
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    choices = [c for option in options if get_origin(option) is Literal for c in get_args(option)]
    others = [option for option in options if get_origin(option) is not Literal]
    return set(others) <= {bool, int, float, NoneType} or word(value) in (*choices, default)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
