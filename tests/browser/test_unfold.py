"""Explanations as the file keeps them, unfolded by the page, are those that metrics gave."""

from __future__ import annotations

import json
from typing import Any

import pytest

from albeit import EvalSet, explain, metric
from albeit.data.evalset import Document
from albeit.metrics.view import View
from albeit.report.page import _asset
from albeit.report.page.folded import MOST_LOSSES, Folder
from tests.browser.conftest import Visit

LINES = (
    "The talks failed, but the cat sat on the cat because it was late.",
    "He didn't say “no” to 3.5 % of 😀 people; well-known, isn't it?",
    "",
    "a a a b a a b b a",
)
SYSTEM = (
    "The talks have failed because the cat sat down, but it was later.",
    'He did not say "no" to 3,5 per cent of 😀😀 people &amp; well known is it.',
    "Something.",
    "b a a a b a",
)
SCRIPT = """({ scripts, folded, labels, texts }) => {
  const unfold = new Function(`${scripts}; return unfold;`)();
  const report = { systems: ["s"], references: ["r", "q"], labels, source: texts.s,
    reference_texts: texts.r, system_texts: [texts.h] };
  return folded.map(({ at, metric, view }) => unfold(report, (text) => text[at], 1, 0, metric, view));
}"""


def views(name: str, evalset: EvalSet) -> list[View]:
    return explain(evalset, metric(name), segments=range(1, len(evalset) + 1))


@pytest.mark.parametrize(
    "name", ["bleu", "chrf", "chrf++", "ter", "sim", "dr-lex", "bleu(lowercase=yes)"]
)
def test_unfolded_is_what_was_folded(visit: Visit, name: str) -> None:
    evalset = EvalSet(
        {"r": LINES, "q": tuple(line.lower() for line in LINES)},
        {"s": SYSTEM},
        LINES,
        (Document("d", 0, len(LINES)),),
        "de",
        "en",
    )
    found, folder = views(name, evalset), Folder()
    folded = [
        {"at": at, "metric": name, "view": folder.folded(view)} for at, view in enumerate(found)
    ]
    scripts = "\n".join(map(_asset, ("cuts.js", "grams.js", "unfold.js")))
    texts = {"s": LINES, "r": list(evalset.references.values()), "h": SYSTEM}
    visit.page.goto("about:blank")
    made = visit.page.evaluate(
        SCRIPT,
        json.loads(
            json.dumps(
                {"scripts": scripts, "folded": folded, "labels": folder.labels, "texts": texts}
            )
        ),
    )
    assert len(made) == len(LINES)
    for view, again in zip(found, made, strict=True):
        _same(view, again)


def _same(view: View, again: dict[str, Any]) -> None:
    assert again["score"] == pytest.approx(view.score, abs=1e-3)
    for text, other in zip(view.texts, again["texts"], strict=True):
        assert (text.text, str(text.side)) == (other["text"], other["side"])
        units = text.text.encode("utf-16-le")
        words = [units[2 * a : 2 * b].decode("utf-16-le") for a, b in other["tokens"]]
        assert words == [text.text[a:b] for a, b in text.tokens.offsets]
    if not view.trees:  # where trees are drawn, links are not
        letters = any(t.of == "characters" for t in view.ngrams) and not any(
            t.of == "words" for t in view.ngrams
        )
        least = 3 if letters and any(len(link.one.tokens) > 2 for link in view.links) else 1
        wanted = [link.to_json() for link in view.links if len(link.one.tokens) >= least]
        key = lambda link: json.dumps([link["one"], link["other"], link["kind"]])  # noqa: E731
        for link, other in zip(
            sorted(wanted, key=key), sorted(again["links"], key=key), strict=True
        ):
            assert (link["one"], link["other"], link["kind"]) == (
                other["one"],
                other["other"],
                other["kind"],
            )
            assert link["strength"] == pytest.approx(other["strength"], abs=0.006)
    for table, other in zip(view.ngrams, again["ngrams"], strict=True):
        told = (table.of, table.order, table.matched, table.hypothesis, table.reference)
        assert told == tuple(
            other[key] for key in ("of", "order", "matched", "hypothesis", "reference")
        )
    losses = sorted(view.losses, key=lambda loss: -abs(loss.amount))[:MOST_LOSSES]
    for loss, other in zip(
        [x for x in losses if abs(x.amount) > 0.005], again["losses"], strict=False
    ):
        assert loss.label.lower() == other["label"].lower()
        assert loss.amount == pytest.approx(other["amount"], abs=0.006)
    for tree, other in zip(view.trees, again["trees"], strict=True):
        root = tree.root and _bare(tree.root.to_json())
        assert (tree.text, root) == (other["text"], other["root"])


def _bare(node: dict[str, Any]) -> dict[str, Any]:
    """Without what was lost at each node, which losses tell."""
    kept = {key: value for key, value in node.items() if key != "lost"}
    return kept | {"children": [_bare(child) for child in kept["children"]]}
