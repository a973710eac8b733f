"""Boxes of textbook sentences, as the rules build them."""

from __future__ import annotations

import re

import pytest

from albeit.parsing.layers import DEPENDENCIES, ROLES, Analysis, Dependencies, Predicate
from albeit.parsing.layers.drs import DRS
from tests.metrics.documents import segment


def sentence(rows: str, *roles: Predicate) -> Analysis:
    """A segment from ``word/UPOS/head/relation`` items, heads counted from 1, 0 for the root."""
    forms, tags, heads, relations = zip(*(row.split("/") for row in rows.split()), strict=True)
    found = Dependencies(tags, tuple(int(head) - 1 for head in heads), relations)
    return segment(" ".join(forms), {DEPENDENCIES: found, ROLES: roles})


SENTENCES = """\
John/PROPN/4/nsubj does/AUX/4/aux n't/PART/4/advmod love/VERB/0/root Mary/PROPN/4/obj
[ | not([e1 x1 x2 | love(e1), john(x1), ARG0(e1, x1), mary(x2), ARG1(e1, x2)])]
Every/DET/2/det farmer/NOUN/3/nsubj owns/VERB/0/root a/DET/5/det donkey/NOUN/3/obj
[ | every([x1 | farmer(x1)], [e1 x2 | owns(e1), ARG0(e1, x1), donkey(x2), ARG1(e1, x2)])]
If/SCONJ/3/mark he/PRON/3/nsubj comes/VERB/6/advcl ,/PUNCT/3/punct we/PRON/6/nsubj
leave/VERB/0/root
[ | if([e1 x1 | comes(e1), he(x1), ARG0(e1, x1)], [e2 x2 | leave(e2), we(x2), ARG0(e2, x2)])]
Three/NUM/3/nummod old/ADJ/3/amod men/NOUN/5/nsubj may/AUX/5/aux leave/VERB/0/root
early/ADV/5/advmod
[ | pos([e1 x1 | leave(e1), men(x1), three(x1), old(x1), ARG0(e1, x1), early(e1)])]
She/PRON/2/nsubj said/VERB/0/root that/SCONJ/5/mark he/PRON/5/nsubj left/VERB/2/ccomp
[e1 x1 | said(e1), she(x1), ARG0(e1, x1), prop(e1, [e2 x2 | left(e2), he(x2), ARG0(e2, x2)])]
It/PRON/3/nsubj will/AUX/3/aux rain/VERB/0/root in/ADP/6/case New/PROPN/6/compound York/PROPN/3/obl
[e1 x1 x2 | rain(e1), future(e1), it(x1), ARG0(e1, x1), new_york(x2), in(e1, x2)]
No/DET/2/det man/NOUN/3/nsubj slept/VERB/0/root
[ | not([e1 x1 | slept(e1), man(x1), ARG0(e1, x1)])]
They/PRON/2/nsubj sang/VERB/0/root or/CCONJ/4/cc danced/VERB/2/conj
[e1 x1 | sang(e1), they(x1), ARG0(e1, x1), or([e2 | danced(e2), past(e2)])]
You/PRON/3/nsubj must/AUX/3/aux pay/VERB/0/root
[ | nec([e1 x1 | pay(e1), you(x1), ARG0(e1, x1)])]
Go/VERB/0/root Stop/VERB/0/root
[e1 e2 | go(e1), stop(e2)]
"""
"""A sentence, then its box in one line."""


@pytest.mark.parametrize(("rows", "box"), re.findall(r"([^\[]+)(\[.*)", SENTENCES))
def test_textbook_sentences(rows: str, box: str) -> None:
    assert str(DRS.derive(sentence(rows))) == box


def test_propbank_roles_win_over_grammar() -> None:
    rows = "Money/NOUN/3/nsubj:pass was/AUX/3/aux lent/VERB/0/root yesterday/NOUN/3/obl"
    predicate = Predicate(2, (("ARG1", 0, 1), ("ARGM-TMP", 3, 4)))
    assert str(DRS.derive(sentence(rows, predicate))) == (
        "[e1 x1 x2 | lent(e1), past(e1), money(x1), ARG1(e1, x1), yesterday(x2), ARGM-TMP(e1, x2)]"
    )


def test_conditions_rest_on_tokens() -> None:
    box = DRS.derive(sentence("Big/ADJ/2/amod dogs/NOUN/3/nsubj bark/VERB/0/root"))
    resting = [(c.type, c.tokens) for c in box.walk()]
    assert resting == [("event", (2,)), ("entity", (1,)), ("property", (0,)), ("role", (1,))]
