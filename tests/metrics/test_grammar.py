from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit._version import __version__
from albeit.errors import MetricError
from albeit.metrics.grammar import Call, Signature, literal, parse, quote


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("bleu", Call("bleu")),
        (" bleu ( ) ", Call("bleu")),
        ("chrf++", Call("chrf++")),
        ("dr-lex(lambda=.2)", Call("dr-lex", (), (("lambda", 0.2),))),
        ("x(low=yes,n=2)", Call("x", (), (("low", True), ("n", 2)))),
        ("hybrid(bleu,alpha=.3)", Call("hybrid", ("bleu",), (("alpha", 0.3),))),
        ("hybrid(bleu(max_ngram=2))", Call("hybrid", (Call("bleu", (), (("max_ngram", 2),)),))),
        ("x(a=f(1,b=no))", Call("x", (), (("a", Call("f", (1,), (("b", False),))),))),
        ("models/tuned.json", Call("models/tuned.json")),
        ("models/it's.json", Call("models/it's.json")),
        ("p('a b', c=\"d (e), 'f'\")", Call("p", ("a b",), (("c", "d (e), 'f'"),))),
        (r'p(c="\"a\\b\"")', Call("p", (), (("c", '"a\\b"'),))),
        ('p(c="1.0")', Call("p", (), (("c", "1.0"),))),
    ],
)
def test_what_the_grammar_reads(text: str, call: Call) -> None:
    assert parse(text) == call


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "a metric name before 'the end'"),
        ("bleu(", "an argument or ')' before 'the end'"),
        ("bleu(a=)", "a value before ')'"),
        ("bleu)", "nothing more before ')'"),
        ("bleu(a=1 b=2)", "',' or ')' before 'b=2)'"),
        ("bleu(a=1,a=2)", "'a' only once"),
        ("bleu(a=1,2)", "positional ones come first"),
        ("bleu ter", "nothing more before 'ter'"),
    ],
)
def test_what_it_does_not_read_is_shown(text: str, expected: str) -> None:
    with pytest.raises(MetricError) as caught:
        parse(text)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("word", "value"),
    [("1", 1), ("1.0", 1.0), (".5", 0.5), ("-2e3", -2000.0), ("YES", True), ("13a", "13a")],
)
def test_literals(word: str, value: object) -> None:
    found = literal(word)
    assert found == value
    assert type(found) is type(value)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(MetricError):
        assert parse(text).name


def test_metrics_within_metrics_have_an_end() -> None:
    assert parse("hybrid(" * 15 + "chrf" + ")" * 15).name == "hybrid"
    with pytest.raises(MetricError, match="at most 20 deep"):
        parse("hybrid(" * 3000)


@given(st.text(min_size=1))
def test_any_text_in_quotes_is_read_back(text: str) -> None:
    (value,) = parse(f"p({quote(text)})").args
    shown = ("no", "yes")[value] if isinstance(value, bool) else f"{value}"
    assert shown == text


BLEU = Signature("bleu", (("tokenize", "13a"), ("sacrebleu", "2.4")))
WHOLE = Signature("hybrid", (("annotator", "m1"), ("parts", (BLEU, BLEU.with_("annotator", "m1")))))

names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6)
signatures = st.recursive(
    st.builds(Signature, names, st.lists(st.tuples(names, names), max_size=3).map(tuple)),
    lambda inner: st.builds(
        Signature, names, st.tuples(st.tuples(names, st.lists(inner, max_size=2).map(tuple)))
    ),
    max_leaves=4,
)


def test_it_prints_name_fields_and_version_in_order() -> None:
    assert str(BLEU) == f"bleu|tokenize:13a|sacrebleu:2.4|v:{__version__}"
    assert str(WHOLE).startswith("hybrid|annotator:m1|parts:[bleu|tokenize:13a|")
    comet = Signature("comet", (("read from a file", ""),), version="")
    assert str(comet) == "comet|read from a file"


def test_a_field_is_added_last_or_changed_where_it_stands() -> None:
    assert [key for key, _ in BLEU.with_("refs", "2").fields] == ["tokenize", "sacrebleu", "refs"]
    assert BLEU.with_("tokenize", "zh").fields == (("tokenize", "zh"), ("sacrebleu", "2.4"))


def test_a_field_is_left_out_of_parts_too() -> None:
    assert "annotator" not in str(WHOLE.without("annotator"))
    assert WHOLE.without("annotator").fields == (("parts", (BLEU, BLEU)),)


@given(signatures)
def test_it_comes_back_from_json(signature: Signature) -> None:
    assert Signature.from_json(json.loads(json.dumps(signature.to_json()))) == signature
