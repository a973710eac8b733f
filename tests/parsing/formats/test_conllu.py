"""Coreference as brackets, by hand."""

from albeit.parsing.formats.treebanks import entity_marks, write_conllu
from albeit.parsing.layers import COREFERENCE, SENTENCES, TOKENS, Analysis, Cluster, Mention, Tokens

# The head of Ford resigned . She ...
CLUSTERS = (
    Cluster("person", "singular", "animate", "feminine", (Mention(0, 4, 1), Mention(6, 7, 6))),
    Cluster("organization", "singular", "inanimate", "", (Mention(3, 4, 3),)),
)


def test_brackets_close_before_others_open() -> None:
    assert entity_marks(CLUSTERS) == {
        0: "(e1-person-2-sing-anim-fem",
        3: "e1)(e2-organization-1-sing-inan-)",
        6: "(e1-person-1-sing-anim-fem)",
    }


def test_nested_mentions_open_outside_in_and_close_inside_out() -> None:
    inner = Cluster("place", "", "", "", (Mention(1, 3, 2),))
    outer = Cluster("person", "", "", "", (Mention(1, 4, 1),))
    last = Cluster("event", "", "", "", (Mention(0, 4, 0),))
    marks = entity_marks((inner, outer, last))
    assert marks[1] == "(e2-person-1---(e1-place-2---"
    assert marks[3] == "e2)e3)"


def test_conllu_holds_them() -> None:
    forms = ("The", "head", "of", "Ford", "resigned", ".", "She")
    offsets = []
    at = 0
    for form in forms:
        offsets.append((at, at + len(form)))
        at += len(form) + 1
    values = {TOKENS: Tokens(forms, tuple(offsets)), SENTENCES: ((0, 6), (6, 7))}
    analysis = Analysis(" ".join(forms), {**values, COREFERENCE: CLUSTERS})
    first, second = write_conllu([analysis])
    lines = first.splitlines()
    assert lines[:2] == [
        "# newdoc id = 1",
        "# global.Entity = eid-etype-head-number-animacy-gender",
    ]
    assert lines[5].endswith("\tEntity=(e1-person-2-sing-anim-fem")
    assert "Entity=(e1-person-1-sing-anim-fem)|SpaceAfter=No" in second
