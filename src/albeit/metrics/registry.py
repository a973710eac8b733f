"""The metrics that exist, and how a name becomes a metric.

A built-in metric is one entry in :data:`SAFE` or :data:`BUILTIN`: its name and its class, in the
line of its module, so that listing names imports nothing. Other packages add metrics by the entry
point group ``albeit.metrics`` (name = "package.module:Class"), and kinds of saved models by the
group ``albeit.models`` (file suffix = a metric that is built from a path).

A metric can start programs (``program``), run code (``function``, ``comet``), and read any file
that a parameter names. Untrusted callers (requests to a server, models and runs of other people)
may use the metrics in :data:`SAFE`, and plug-ins whose class sets ``safe_for_untrusted`` itself.
Numbers, truth values, and choices from a list are allowed as parameters. Text is allowed only in
parameters that the class lists in ``harmless_text``, or if it is the default. Nothing is built,
loaded, or imported for a metric that is refused.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from difflib import get_close_matches
from pathlib import PurePath
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from albeit import removed
from albeit.data.plugins import loaded, plugins
from albeit.metrics import Call, Composite, Metric, MetricError, Value, parse, to_word

METRICS, MODELS = "albeit.metrics", "albeit.models"
"""Entry point groups: metrics by name, saved models by the suffix of their files."""


def _classes(table: str) -> dict[str, str]:
    """Return the place of the class of each metric of a table."""
    rows = (line.split(": ") for line in table.splitlines())
    metrics = ((module, *item.split("=")) for module, items in rows for item in items.split())
    return {name: f"albeit.metrics.{module}:{cls}" for module, name, cls in metrics}


SAFE = _classes("""\
lexical.bleu: bleu=Bleu
lexical.chrf: chrf=Chrf chrf++=ChrfPlusPlus
lexical.ter: ter=Ter terp-a=TerpA
lexical.bleu: nist=Nist
lexical.rouge: rouge-l=RougeL rouge-w=RougeW
lexical.meteor: meteor=Meteor meteor-ex=MeteorExact meteor-st=MeteorStem meteor-sy=MeteorSynonym
lexical.meteor: meteor-pa=MeteorParaphrase
syntax: cp-stm=CpStm cp-oc=CpOc cp-op=CpOp dp-hwcm-w=DpHwcmW dp-hwcm-c=DpHwcmC dp-hwcm-r=DpHwcmR
syntax: dp-or=DpOr dp-oc=DpOc dp-ol=DpOl
semantics: sr-or=SrOr sr-mr=SrMr ne-oe=NeOe ne-me=NeMe drs-or=DrsOr drs-orp=DrsOrp
semantics: drs-stm=DrsStm
judge.sim: sim=Sim
judge.metric: judge=Judge judge-small=JudgeSmall judge-many=JudgeMany
rst: dr=Dr dr-lex=DrLex discotk-light=DiscoTkLight
cohesion: cohesion=Cohesion
cohesion.hybrid: lc=LexicalCohesion rc=Repetition hybrid=Hybrid hbleu=Hbleu hmeteor=Hmeteor
coref: coref=Coref
connectives.act: act=Act act-free=ActFree
judge.fit: connectives-free=ConnectivesFree
pronouns: pronouns=Pronouns
judge.fit: pronouns-free=PronounsFree
terms: terms=Terms
ontarget: on-target=OnTarget
""")
"""Metrics for any caller: with default parameters they start no program and read no file or code
from outside albeit's resources."""

BUILTIN = SAFE | _classes("""\
external.comet: comet=Comet comet-qe=CometQe
external.program: program=Program function=Function
""")

RECOMMENDED = ("judge", "chrf")
"""The metrics used if none is named: those of them that can score the set.

See ``docs/results/judge.md``.
"""

REFERENCE_FREE = {
    "judge-many": "reads the source; needs albeit[multilingual]; not for ranking systems",
    "comet-qe": "reads the source; needs albeit[comet]",
    "pronouns-free": "only pronouns, in documents, into English",
    "connectives-free": "only connectives, in documents, into English",
    "terms": "only repeated terms, in documents",
}
"""Metrics for sets without references, and their limits."""


def names() -> list[str]:
    """Return all metric names, built-in metrics first."""
    return list(dict.fromkeys([*BUILTIN, *plugins(METRICS)]))


def load(name: str) -> type[Metric]:
    """Return the metric class of a name."""
    target = BUILTIN.get(name.lower()) or plugins(METRICS).get(name.lower())
    if target is None:
        if advice := removed.METRICS.get(name.lower()):
            raise MetricError(f"the metric {name!r} was removed in version 0.3: {advice}.")
        close = get_close_matches(name.lower(), names(), n=3, cutoff=0.5)
        hint = f" Did you mean {' or '.join(close)}?" if close else ""
        raise MetricError(f"unknown metric {name!r}.{hint} 'albeit metrics' lists them all.")
    return _load_class(name, target)


def _load_class(name: str, target: str) -> type[Metric]:
    cls = loaded("metric", name, target)
    if not (isinstance(cls, type) and issubclass(cls, Metric)):
        raise MetricError(f"the plug-in {target!r} for metric {name!r} is not an albeit Metric.")
    return cls


def metric(spec: str | Metric, *, trust: bool = False) -> Metric:
    """Return the metric that an expression names.

    :param spec: a name in the metric grammar, a saved model's path, or a metric, which is returned
    :param trust: accept saved models whose features can start programs, run code, or read files
    :return: the metric

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
    """Build a metric from a parsed expression; check arguments against its fields."""
    if is_saved(call.name):
        return _load_model(call, trust=trust)
    cls = load(call.name)
    hints = get_type_hints(cls)
    values: dict[str, Any] = {
        name: _convert(call.name, name, value, hints[name], trust=trust)
        for name, value in _assign(cls, call).items()
    }
    if missing := [name for name in _required(cls) if name not in values]:
        raise MetricError(f"{call.name} needs {', '.join(missing)}: {call.name}({missing[0]}=...).")
    return cls(**values)


def _assign(cls: type[Metric], call: Call) -> dict[str, Value]:
    """Assign the arguments of an expression to the fields of a metric class, as written."""
    known = [f.name for f in fields(cls) if f.init]
    if len(call.args) > len(known):
        raise MetricError(f"{call.name} takes at most {len(known)} arguments.")
    given = list(zip(known, call.args, strict=False))
    by_name = {name.rstrip("_"): name for name in known}
    for key, value in call.kwargs:
        name = by_name.get(key.lower().replace("-", "_"))
        if name is None:
            _check_removed(call.name, key, value)
            options = ", ".join(by_name) or "no parameters"
            raise MetricError(f"{call.name} has no parameter {key!r}; it has {options}.")
        given.append((name, value))
    values: dict[str, Value] = {}
    for name, value in given:
        if name in values:
            raise MetricError(f"{call.name}: {name.rstrip('_')} is given twice.")
        _check_removed(call.name, name.rstrip("_"), value)
        values[name] = value
    return values


def _check_removed(metric_name: str, parameter: str, value: object) -> None:
    """Raise if version 0.3 removed the parameter, or this value of it."""
    for written in (parameter, f"{parameter}={value}"):
        if advice := removed.PARAMETERS.get(f"{metric_name.lower()}({written})"):
            raise MetricError(f"{metric_name}({written}) was removed in version 0.3: {advice}.")


def _required(cls: type[Metric]) -> list[str]:
    """Return the parameters without a default."""
    return [f.name for f in fields(cls) if f.init and f.default is f.default_factory is MISSING]


def is_open(cls: type[Metric]) -> bool:
    """Return whether the metric has a parameter without a default."""
    return bool(_required(cls))


def is_saved(name: str) -> bool:
    """Return whether a name in an expression is the path of a saved model."""
    return "/" in name or PurePath(name).suffix[1:].lower() in plugins(MODELS)


def _load_model(call: Call, *, trust: bool) -> Metric:
    """Load a saved model by its path; the suffix of the file names the kind of metric."""
    if call.args or call.kwargs:
        raise MetricError(f"the saved model {call.name} takes no parameters.")
    target = plugins(MODELS).get(PurePath(call.name).suffix[1:].lower())
    if target is None:
        known = ", ".join(f".{suffix}" for suffix in plugins(MODELS))
        raise MetricError(f"{call.name} isn't a saved model; their files end in {known}.")
    cls: Any = _load_class(call.name, target)
    can_trust = any(f.name == "trust" for f in fields(cls))
    return metric(cls(call.name, trust=True) if trust and can_trust else cls(call.name))


def _options(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _convert(metric_name: str, name: str, value: object, hint: Any, *, trust: bool) -> object:
    """Convert a parsed value to the field's type, or raise an error that lists its values."""
    for option in _options(hint):
        if isinstance(option, type) and issubclass(option, Metric):
            return build(_as_call(value), trust=trust)
        if option is bool and isinstance(value, bool):
            return value
        if option in (int, float) and isinstance(value, int) and not isinstance(value, bool):
            return option(value)
        if option is float and isinstance(value, float):
            return value
        if option is str and not isinstance(value, Call):
            return to_word(value)
        if get_origin(option) is tuple and not isinstance(value, Call):
            return tuple(to_word(value).split("+"))
        if get_origin(option) is Literal and to_word(value) in get_args(option):
            return to_word(value)
    kinds = ", ".join(
        " or ".join(map(str, get_args(o))) if get_args(o) else getattr(o, "__name__", str(o))
        for o in _options(hint)
    )
    raise MetricError(f"{metric_name}: {name.rstrip('_')} takes {kinds}, not {value!r}.")


def _as_call(value: object) -> Call:
    return value if isinstance(value, Call) else parse(str(value))


_WHERE = "isn't allowed in requests to a server or in files from someone else"


def is_safe(name: str) -> bool:
    """Return whether untrusted callers may use the metric of this name."""
    return name.lower() in SAFE or vars(load(name)).get("safe_for_untrusted") is True


def check_safe(spec: str) -> None:
    """Raise ``MetricError`` unless an untrusted caller may use this metric. Nothing is built."""
    _check_call(parse(spec))


def untrusted_metric(spec: str) -> Metric:
    """Build a metric for an untrusted caller; raise ``MetricError`` if it isn't allowed."""
    check_safe(spec)
    built = metric(spec)
    _check_parts(built)
    return built


def _check_parts(built: Metric) -> None:
    for part in built.parts if isinstance(built, Composite) else ():
        check_safe(str(part))
        _check_parts(part)


def _check_call(call: Call) -> None:
    if is_saved(call.name):
        raise MetricError(f"{_shorten(call.name)} is a saved model, which {_WHERE}.")
    if not is_safe(call.name):
        raise MetricError(f"{call.name} can start programs, run code, or read files: it {_WHERE}.")
    cls = load(call.name)
    hints = get_type_hints(cls)
    defaults = {f.name: f.default for f in fields(cls)}
    for name, value in _assign(cls, call).items():
        if isinstance(hints[name], type) and issubclass(hints[name], Metric):
            _check_call(_as_call(value))
        elif name not in cls.harmless_text and not _is_harmless(value, hints[name], defaults[name]):
            raise MetricError(
                f"{call.name}: {name.rstrip('_')}={_shorten(value)} can name a file, code, or a"
                f" program, which {_WHERE}."
            )


def _is_harmless(value: Value, hint: Any, default: object) -> bool:
    """Return whether a parameter takes only numbers and choices, or has a choice or default."""
    options = _options(hint)
    choices = [c for option in options if get_origin(option) is Literal for c in get_args(option)]
    others = {option for option in options if get_origin(option) is not Literal}
    return others <= {bool, int, float, NoneType} or to_word(value) in (*choices, default)


def _shorten(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
