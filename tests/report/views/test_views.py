"""Views rendered: nothing of a text becomes markup, pages stand alone, all parts are shown."""

from __future__ import annotations

import json
import math
import re

import pytest

from albeit.metrics.view import Chain, Chains, Compared, Link, Loss, Ngrams, Node, Place, Tree, View
from albeit.parsing.layers import Tokens
from albeit.parsing.needs import Side
from albeit.report.views import page_view, render_views

HOSTILE = '<script>alert("x")</script> & \u2028 \u202e \x0b ]]>'


def text(side: Side, words: str, name: str) -> Compared:
    forms = tuple(words.split(" "))
    places, at = [], 0
    for form in forms:
        places.append((at, at + len(form)))
        at += len(form) + 1
    return Compared(side, words, Tokens(forms, tuple(places)), name=name)


def leaf(start: int, stop: int, *, shared: bool) -> Node:
    return Node("N", "", start, stop, shared, 0.1)


VIEW = View(
    HOSTILE,
    0.25,
    1.0,
    (text(Side.HYPOTHESIS, HOSTILE, HOSTILE), text(Side.REFERENCE, "a b c d", HOSTILE)),
    (
        Link(Place(0, (0,)), Place(1, (0,)), 0.4, "word"),
        Link(Place(0, (1,)), Place(1, (1,)), 1, HOSTILE),
    ),
    (Loss(HOSTILE, 0.75, (Place(0, (2,)), Place(1, (2,))), {"case": 4}),),
    (
        Tree(
            1,
            Node(
                "", HOSTILE, 0, 4, False, 0.2, (leaf(0, 2, shared=True), leaf(2, 4, shared=False))
            ),
        ),
        Tree(0, None),
    ),
    Chains(3, 4, (Chain("k", HOSTILE, "matching", ((1, 3), (1, 2)), ((0, 2), (0, 1))),)),
    (Ngrams("words", 1, ((HOSTILE, 2, 1), ("b", 0, 3))),),
    (HOSTILE,),
    HOSTILE,
    HOSTILE,
)


def test_a_page_holds_texts_as_text_and_nothing_from_elsewhere() -> None:
    written = render_views([VIEW], "html")
    markup = re.sub(r"(?s)<(script|style)\b([^>]*)>.*?</\1>", r"<\1\2>", written)
    assert markup.count("<script") == 2  # the data, and the one script that the policy names
    assert not re.search(r"[\s\"'](?:src|href|onclick|onload|style)\s*=", markup)
    assert "default-src &#x27;none&#x27;" in written
    assert "<script>alert" not in written
    assert "light-dark(" in written


def test_text_shows_every_part() -> None:
    shown = render_views([VIEW])
    for part in ("= 0.2500", "≠ ", "(empty)", "missing: b ×3", "too many", "adds up to 0.7500"):
        assert part in shown
    assert "\033[" not in shown
    assert "\033[34m" in render_views([VIEW], colour=True)


def test_json_says_all_and_no_score_is_null() -> None:
    nothing = View("act", math.nan, 1.0, VIEW.texts, notes=("none",), system="s", place=3)
    found, empty = json.loads(render_views([VIEW, nothing], "json"))
    assert empty["score"] is None
    assert "act: no score" in render_views([nothing])
    assert found["losses"][0]["details"] == {"case": 4}
    assert found["trees"][0]["root"]["children"][1]["shared"] is False
    assert found["chains"]["rows"][0]["positions"] == [[1, 3], [1, 2]]
    assert found["ngrams"][0]["matched"] == 1
    assert found["texts"][1]["tokens"] == [[0, 1], [2, 3], [4, 5], [6, 7]]


def test_links_that_continue_are_one_run() -> None:
    def link(i: int, j: int, kind: str = "same") -> Link:
        return Link(Place(0, (i,)), Place(1, (j,)), 1.0, kind)

    words = text(Side.HYPOTHESIS, "a b c d", ""), text(Side.REFERENCE, "x y a b z c d", "")
    links = (link(0, 2), link(1, 3), link(2, 5), link(3, 6, "shifted"))
    shown = render_views([View("m", 1.0, 1.0, words, links)])
    matches = shown.split("matched:\n")[1].splitlines()
    assert matches == ["   1.00  a b  (same)", "   1.00  c  (same)", "   1.00  d  (shifted)"]


def test_a_brief_view_has_the_largest_losses_and_the_sum_of_the_others() -> None:
    losses = tuple(Loss(str(n), n / 100) for n in range(10))
    rows = tuple((str(n), n % 2, 1 - n % 2) for n in range(20))
    view = View("m", 0.55, 1.0, VIEW.texts, VIEW.links, losses, ngrams=(Ngrams("words", 1, rows),))
    brief = page_view(view, brief=True)
    assert [loss["label"] for loss in brief["losses"]] == list("987654")
    assert brief["rest"] == {"count": 3, "amount": pytest.approx(0.06)}
    assert len(brief["ngrams"][0]["rows"]) == 6
    assert brief["ngrams"][0]["hypothesis"] == 10
    assert len(brief["links"]) == 2
    assert page_view(VIEW, brief=True)["links"] == []  # a page draws the trees
    assert len(page_view(view)["losses"]) == 10
