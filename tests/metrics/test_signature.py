from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from albeit._version import __version__
from albeit.metrics.signature import Signature

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
    assert (
        str(Signature("comet", (("read from a file", ""),), version="")) == "comet|read from a file"
    )


def test_a_field_is_added_last_or_changed_where_it_stands() -> None:
    assert [key for key, _ in BLEU.with_("refs", "2").fields] == ["tokenize", "sacrebleu", "refs"]
    assert BLEU.with_("tokenize", "zh").fields == (("tokenize", "zh"), ("sacrebleu", "2.4"))


def test_a_field_is_left_out_of_parts_too() -> None:
    assert "annotator" not in str(WHOLE.without("annotator"))
    assert WHOLE.without("annotator").fields == (("parts", (BLEU, BLEU)),)


@given(signatures)
def test_it_comes_back_from_json(signature: Signature) -> None:
    assert Signature.from_json(json.loads(json.dumps(signature.to_json()))) == signature
