"""The allow-list of metrics for untrusted callers, over all metrics and all their parameters."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

import pytest

from albeit.errors import MetricError
from albeit.metrics import registry
from albeit.metrics.base import Metric
from albeit.metrics.lexical.chrf import Chrf
from albeit.metrics.registry import check_safe, is_open, is_safe, load, metric, untrusted_metric

REFUSED = {"comet", "comet-qe", "program", "function"}
_NAMES = """
    bleu chrf chrf++ ter terp-a nist rouge-l rouge-w
    meteor meteor-ex meteor-st meteor-sy meteor-pa
    cp-stm cp-oc cp-op dp-hwcm-w dp-hwcm-c dp-hwcm-r dp-or dp-oc dp-ol sr-or sr-mr ne-oe ne-me
    drs-or drs-orp drs-stm sim judge judge-small judge-many
    dr dr-lex discotk-light cohesion lc rc hybrid hbleu hmeteor coref
    act act-free connectives-free on-target pronouns pronouns-free terms
"""
ACCEPTED = set(_NAMES.split())
FILES = {
    (name, key)
    for name, keys in {
        **dict.fromkeys(("terp-a", "meteor-pa"), "table"),
        **dict.fromkeys(("judge", "judge-small"), "weights"),
        "judge-many": "weights base",
        **dict.fromkeys(("act", "act-free"), "alignment lexicon"),
        "terms": "glossary",
    }.items()
    for key in keys.split()
}
"""Parameters of accepted metrics that can name a file or a program."""
METRICS = {("hybrid", "metric"), *((name, "cohesion") for name in ("hybrid", "hbleu", "hmeteor"))}
"""Parameters whose value is a metric."""
_TYPED = "cp-oc cp-op dp-or dp-oc dp-ol sr-or sr-mr ne-oe ne-me drs-or drs-orp"
HARMLESS = {(name, "type") for name in _TYPED.split()}
"""Parameters whose text is compared with labels, and never used as a name of a file."""
HOSTILE = ("/etc/passwd", "x.json", "os:system", "id", "eflomal", "../x", "7", "'a b; id'")


def parameters(name: str) -> list[str]:
    return [f.name for f in fields(load(name)) if f.init]


def written(name: str, key: str, value: str) -> str:
    """A metric with this argument, and with those that it must be given."""
    first = "chrf," if name == "hybrid" and key != "metric" else ""
    return f"{name}({first}{key.rstrip('_')}={value})"


def test_every_metric_is_on_one_list() -> None:
    assert set(registry.names()) == ACCEPTED | REFUSED
    assert {name for name in registry.names() if is_safe(name)} == ACCEPTED


@pytest.mark.parametrize("name", sorted(ACCEPTED))
def test_accepted_with_defaults_and_so_are_all_parts(name: str) -> None:
    if is_open(load(name)):
        name = f"{name}(chrf)"
    assert untrusted_metric(name) == metric(name)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refused_with_any_parameters(name: str) -> None:
    for given in ("", "()", "(id)", *(f"({key}=id)" for key in parameters(name))):
        with pytest.raises(MetricError, match=f"^{name} can start programs, run code, or read"):
            check_safe(name + given)


def test_every_parameter_takes_no_hostile_text() -> None:
    """Text is refused, or it doesn't fit the parameter, except where it is harmless."""
    for name in ACCEPTED:
        for key in parameters(name):
            for value in HOSTILE:
                spec = written(name, key, value)
                if (name, key) in HARMLESS:
                    check_safe(spec)
                elif (name, key) in FILES:
                    with pytest.raises(MetricError, match=f"{key}=.* can name a file, code, or"):
                        check_safe(spec)
                elif (name, key) in METRICS or value != "7":
                    with pytest.raises(MetricError):
                        untrusted_metric(spec)


def test_choices_numbers_and_defaults_are_accepted() -> None:
    for spec in (
        "act(alignment=no,lexicon='')",
        "act-free(alignment=yes)",
        "terp-a(table=none)",
        "sr-or(type=A0)",
        "bleu(tokenize=char,smooth=floor,smooth_value=.1,lowercase=yes)",
        "hybrid(chrf(word_order=2),cohesion=coref(average=recall))",
    ):
        assert untrusted_metric(spec) == metric(spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("program(command=id,texts=translation)", "program can start programs"),
        ("hybrid(program(command=id))", "program can start programs"),
        ("hybrid('program(command=id)')", "program can start programs"),
        ("hybrid(metric=hybrid(function(os:system)))", "function can start programs"),
        ("hybrid(chrf,cohesion=program(id))", "program can start programs"),
        ("hybrid(terms(glossary=/etc/passwd))", "terms: glossary=/etc/passwd can name a file"),
        ("hybrid(model.json)", "model.json is a saved model"),
        ("model.json", "model.json is a saved model"),
        ("../chrf", "../chrf is a saved model"),
        ("act('careful','auto',/etc/passwd)", "act: alignment=/etc/passwd can name a file"),
        ("judge-many(shipped,x)", "judge-many: base=x can name a file"),
        ("act(lexicon=chrf(beta=1))", "act: lexicon=.* can name a file"),
        (f"act(lexicon={'x' * 9999})", "act: lexicon=.* can name a file"),
    ],
)
def test_what_is_refused_is_named(spec: str, message: str) -> None:
    with pytest.raises(MetricError, match=f"^{message}") as error:
        untrusted_metric(spec)
    assert "isn't allowed in requests" in str(error.value)
    assert len(str(error.value)) < 300


@dataclass(frozen=True)
class Plain(Chrf):
    """A plug-in that extends a safe metric and says nothing."""

    name: ClassVar[str] = "plain"


@dataclass(frozen=True)
class Stated(Chrf):
    """A plug-in that states that it is safe, with parameters of types that are not known to be."""

    name: ClassVar[str] = "stated"
    safe_for_untrusted: ClassVar[bool] = True

    texts: tuple[str, ...] = ()
    either: Metric | str = ""
    version: str | None = None


@pytest.fixture
def plug_ins(monkeypatch: pytest.MonkeyPatch) -> None:
    for cls in (Plain, Stated):
        monkeypatch.setitem(registry.BUILTIN, cls.name, f"{cls.__module__}:{cls.__qualname__}")


@pytest.mark.usefixtures("plug_ins")
def test_a_plug_in_does_not_inherit_the_permission_and_unknown_types_are_refused() -> None:
    with pytest.raises(MetricError, match="plain can start programs"):
        check_safe("plain")
    check_safe("stated(beta=1)")
    for given in ("texts=a+b", "either=chrf", "either=id", "version=1"):
        with pytest.raises(MetricError, match=r"stated: .* can name a file"):
            check_safe(f"stated({given})")


def test_unsafe_parts_of_a_safe_metric_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(metric("hbleu")), "parts", (metric("program(command=id)"),))
    with pytest.raises(MetricError, match="program can start programs"):
        untrusted_metric("hbleu")
