"""Which metrics exist, and how a name becomes one.

A built-in metric is one line in :data:`BUILTIN`: its name and where its class lives, so
that listing names imports nothing. Other packages add theirs by the entry point group
``albeit.metrics`` (name = "package.module:Class"), and kinds of saved models by the group
``albeit.models`` (the ending of their files = a metric made from a path). The combinations
that ship with albeit come the same way, since they are built on metrics.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from difflib import get_close_matches
from pathlib import PurePath
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from albeit import removed
from albeit.data.plugins import loaded, plugins
from albeit.errors import MetricError
from albeit.metrics.base import Metric
from albeit.metrics.grammar import Call, Value, parse

__all__ = [
    "BUILTIN",
    "METRICS",
    "MODELS",
    "RECOMMENDED",
    "arguments",
    "build",
    "is_open",
    "is_saved",
    "load",
    "metric",
    "names",
    "word",
]

METRICS, MODELS = "albeit.metrics", "albeit.models"
"""Groups of entry points: metrics by name, saved models by the ending of their files."""

BUILTIN: dict[str, str] = {
    "bleu": "albeit.metrics.lexical.bleu:Bleu",
    "chrf": "albeit.metrics.lexical.chrf:Chrf",
    "chrf++": "albeit.metrics.lexical.chrf:ChrfPlusPlus",
    "ter": "albeit.metrics.lexical.ter:Ter",
    "terp-a": "albeit.metrics.lexical.terp:TerpA",
    "nist": "albeit.metrics.lexical.nist:Nist",
    "rouge-l": "albeit.metrics.lexical.rouge:RougeL",
    "rouge-w": "albeit.metrics.lexical.rouge:RougeW",
    "meteor": "albeit.metrics.lexical.meteor:Meteor",
    "meteor-ex": "albeit.metrics.lexical.meteor:MeteorExact",
    "meteor-st": "albeit.metrics.lexical.meteor:MeteorStem",
    "meteor-sy": "albeit.metrics.lexical.meteor:MeteorSynonym",
    "meteor-pa": "albeit.metrics.lexical.meteor:MeteorParaphrase",
    "cp-stm": "albeit.metrics.linguistic.syntax:CpStm",
    "cp-oc": "albeit.metrics.linguistic.syntax:CpOc",
    "cp-op": "albeit.metrics.linguistic.syntax:CpOp",
    "dp-hwcm-w": "albeit.metrics.linguistic.syntax:DpHwcmW",
    "dp-hwcm-c": "albeit.metrics.linguistic.syntax:DpHwcmC",
    "dp-hwcm-r": "albeit.metrics.linguistic.syntax:DpHwcmR",
    "dp-or": "albeit.metrics.linguistic.syntax:DpOr",
    "dp-oc": "albeit.metrics.linguistic.syntax:DpOc",
    "dp-ol": "albeit.metrics.linguistic.syntax:DpOl",
    "sr-or": "albeit.metrics.linguistic.semantics:SrOr",
    "sr-mr": "albeit.metrics.linguistic.semantics:SrMr",
    "ne-oe": "albeit.metrics.linguistic.semantics:NeOe",
    "ne-me": "albeit.metrics.linguistic.semantics:NeMe",
    "drs-or": "albeit.metrics.linguistic.semantics:DrsOr",
    "drs-orp": "albeit.metrics.linguistic.semantics:DrsOrp",
    "drs-stm": "albeit.metrics.linguistic.semantics:DrsStm",
    "sim": "albeit.metrics.judge.sim:Sim",
    "judge": "albeit.metrics.judge.metric:Judge",
    "judge-small": "albeit.metrics.judge.metric:JudgeSmall",
    "judge-many": "albeit.metrics.judge.metric:JudgeMany",
    "dr": "albeit.metrics.rst.dr:Dr",
    "dr-lex": "albeit.metrics.rst.dr:DrLex",
    "discotk-light": "albeit.metrics.rst.dr:DiscoTkLight",
    "cohesion": "albeit.metrics.cohesion.cohesion:Cohesion",
    "lc": "albeit.metrics.cohesion.hybrid:LexicalCohesion",
    "rc": "albeit.metrics.cohesion.hybrid:Repetition",
    "hybrid": "albeit.metrics.cohesion.hybrid:Hybrid",
    "hbleu": "albeit.metrics.cohesion.hybrid:Hbleu",
    "hmeteor": "albeit.metrics.cohesion.hybrid:Hmeteor",
    "coref": "albeit.metrics.coreference.coref:Coref",
    "act": "albeit.metrics.connectives.act:Act",
    "act-free": "albeit.metrics.connectives.free:ActFree",
    "connectives-free": "albeit.metrics.judge.fit:ConnectivesFree",
    "pronouns": "albeit.metrics.pronouns.apt:Pronouns",
    "pronouns-free": "albeit.metrics.pronouns.free:PronounsFree",
    "terms": "albeit.metrics.terms.metric:Terms",
    "comet": "albeit.metrics.others.comet:Comet",
    "comet-qe": "albeit.metrics.others.comet:CometQe",
    "program": "albeit.metrics.others.program:Program",
    "function": "albeit.metrics.others.function:Function",
}

RECOMMENDED = ("judge", "chrf")
"""The metrics used if none is named: those of them that can score the set.

See ``docs/results/judge.md``.
"""


def names() -> list[str]:
    """All metric names, built-in first, each group in its own order."""
    return [*BUILTIN, *(name for name in plugins(METRICS) if name not in BUILTIN)]


def load(name: str) -> type[Metric]:
    """The class behind a name."""
    target = BUILTIN.get(name.lower()) or plugins(METRICS).get(name.lower())
    if target is None:
        if advice := removed.METRICS.get(name.lower()):
            raise MetricError(f"the metric {name!r} was removed in version 0.3: {advice}.")
        close = get_close_matches(name.lower(), names(), n=3, cutoff=0.5)
        hint = f" Did you mean {' or '.join(close)}?" if close else ""
        raise MetricError(f"unknown metric {name!r}.{hint} 'albeit metrics' lists them all.")
    return _metric_class(name, target)


def _metric_class(name: str, target: str) -> type[Metric]:
    found = loaded("metric", name, target)
    if not (isinstance(found, type) and issubclass(found, Metric)):
        raise MetricError(f"the plug-in {target!r} for metric {name!r} is not an albeit Metric.")
    return found


def metric(spec: str | Metric, *, trust: bool = False) -> Metric:
    """The metric that an expression names.

    :param spec: a name in the metric grammar, a saved model's path, or a metric, which is returned
    :param trust: accept saved models whose features can start programs, run code, or read files

    >>> import albeit
    >>> print(albeit.metric("dr-lex(lambda=.2)"))
    dr-lex(lambda=0.2)
    """
    if isinstance(spec, Metric):
        return spec
    if not isinstance(spec, str):
        raise MetricError(f"a metric is a name or a Metric, not {spec!r}.")
    return build(parse(spec), trust=trust)


def build(call: Call, *, trust: bool = False) -> Metric:
    """A metric from a parsed expression; arguments are checked against its fields."""
    if is_saved(call.name):
        return _saved(call, trust=trust)
    cls = load(call.name)
    hints = get_type_hints(cls)
    values: dict[str, Any] = {
        name: _fit(call.name, name, value, hints[name], trust=trust)
        for name, value in arguments(cls, call).items()
    }
    missing = [
        f.name
        for f in fields(cls)
        if f.init and f.name not in values and f.default is MISSING and f.default_factory is MISSING
    ]
    if missing:
        raise MetricError(f"{call.name} needs {', '.join(missing)}: {call.name}({missing[0]}=...).")
    return cls(**values)


def arguments(cls: type[Metric], call: Call) -> dict[str, Value]:
    """Assign the arguments of an expression to the fields of a metric class, as they are written."""
    known = [f for f in fields(cls) if f.init]
    if len(call.args) > len(known):
        raise MetricError(f"{call.name} takes at most {len(known)} arguments.")
    given = [(f.name, value) for f, value in zip(known, call.args, strict=False)]
    by_name = {f.name.rstrip("_"): f.name for f in known}
    for key, value in call.kwargs:
        name = by_name.get(key.lower().replace("-", "_"))
        if name is None:
            _check_removed(call.name, key, value)
            options = ", ".join(by_name) or "no parameters"
            raise MetricError(f"{call.name} has no parameter {key!r}; it has {options}.")
        given.append((name, value))
    found: dict[str, Value] = {}
    for name, value in given:
        if name in found:
            raise MetricError(f"{call.name}: {name.rstrip('_')} is given twice.")
        _check_removed(call.name, name.rstrip("_"), value)
        found[name] = value
    return found


def is_saved(name: str) -> bool:
    """Whether a name in an expression is the path of a saved model."""
    return "/" in name or _ending(name) in plugins(MODELS)


def _check_removed(metric_name: str, parameter: str, value: object) -> None:
    """Raise if version 0.3 removed the parameter, or this value of it."""
    for written in (parameter, f"{parameter}={value}"):
        if advice := removed.PARAMETERS.get(f"{metric_name.lower()}({written})"):
            raise MetricError(f"{metric_name}({written}) was removed in version 0.3: {advice}.")


def is_open(cls: type[Metric]) -> bool:
    """Whether some parameter must be given."""
    return any(
        f.init and f.default is MISSING and f.default_factory is MISSING for f in fields(cls)
    )


def _ending(name: str) -> str:
    return PurePath(name).suffix.removeprefix(".").lower()


def _saved(call: Call, *, trust: bool) -> Metric:
    """A saved model, by its path; the ending of the file says which kind of metric it is."""
    if call.args or call.kwargs:
        raise MetricError(f"the saved model {call.name} takes no parameters.")
    target = plugins(MODELS).get(_ending(call.name))
    if target is None:
        known = ", ".join(f".{ending}" for ending in plugins(MODELS))
        raise MetricError(f"{call.name} is no saved model; their files end in {known}.")
    made: Any = _metric_class(call.name, target)
    can_trust = any(f.name == "trust" for f in fields(made))
    return metric(made(call.name, trust=True) if trust and can_trust else made(call.name))


def _fit(metric_name: str, name: str, value: object, hint: Any, *, trust: bool) -> object:
    """Fit a parsed value to the field's type, or say what the field takes."""
    options = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    for option in options:
        if isinstance(option, type) and issubclass(option, Metric):
            call = value if isinstance(value, Call) else parse(str(value))
            return build(call, trust=trust)
        if option is bool and isinstance(value, bool):
            return value
        if option is int and isinstance(value, int) and not isinstance(value, bool):
            return value
        if option is float and isinstance(value, int | float) and not isinstance(value, bool):
            return float(value)
        if option is str and not isinstance(value, Call):
            return word(value)
        if get_origin(option) is tuple and not isinstance(value, Call):
            return tuple(word(value).split("+"))
        if hasattr(option, "__args__") and word(value) in get_args(option):
            return word(value)
    kinds = ", ".join(
        " or ".join(map(str, get_args(o))) if get_args(o) else getattr(o, "__name__", str(o))
        for o in options
    )
    raise MetricError(f"{metric_name}: {name.rstrip('_')} takes {kinds}, not {value!r}.")


def word(value: object) -> str:
    """Convert a parsed value back to text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
