"""The training of sixteen languages: corpora as text, what is left out, weights that preferences give."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from training.judge.groups import Group
from training.languages.corpora import coarse, written
from training.languages.damage import KINDS, Breaker
from training.languages.fit import MODES, Set, fitted, pearson, tau, within
from training.languages.segments import esa
from training.languages.store import Judged, usable


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("Er kam ( spät ) , sagte sie .", "Er kam (spät), sagte sie."),
        ("L' homme n' a pas", "L'homme n'a pas"),
        ("我 爱 Python 吗 ？", "我爱Python吗？"),
        ("do n't", "don't"),
    ],
)
def test_words_are_put_together_as_they_are_written(words: str, text: str) -> None:
    given = words.split()
    found, places = written(given)
    assert found == text
    assert [found[a : a + len(w)] for a, w in zip(places, given, strict=True)] == given


def test_relations_of_all_corpora_are_the_same_classes() -> None:
    assert coarse("e-elaboration") == coarse("elaboration-additional") == "elaboration"
    assert coarse("evaluation-s") == coarse("interpretation") == "evaluation"
    assert coarse("sameunit") == coarse("same-unit") == "same-unit"
    assert coarse("reason-N") == "explanation"


def test_esa_scores_become_levels_like_mqm(tmp_path: Path) -> None:
    (tmp_path / "systems").mkdir()
    texts = {"src.txt": "a", "ref.txt": "b", "docids.txt": "d", "systems/x.txt": "c"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text + "\n")
    rows = "segment\tsystem\tesa\n1\tx\t90\n1\tx\t80\n1\tnobody\t10\n"
    (tmp_path / "judgments.tsv").write_text(rows)
    (segment,) = esa(tmp_path)
    assert segment.levels == {"x": -3.0}


def test_what_shares_a_text_with_a_tested_set_is_left_out() -> None:
    def one(data: str, pair: str, reference: str, source: str) -> Judged:
        group = Group(data, f"{data}:1", "judged", "d", reference)
        group.add("x", f"a translation by x in {data} {pair}")
        return Judged(group, pair, source)

    shared = "a sentence that two sets share"
    groups = [
        one("ted", "en-de", "deutscher Satz Nummer eins", shared),
        one("ted", "zh-en", shared, "中文中文中文中文中文中文中文"),
        one("wmt23", "zh-en", "another sentence altogether", "不同不同不同不同不同不同不同"),
    ]
    assert usable(groups, ("ted/en-de",)).tolist() == [False, False, True]
    assert usable(groups, ("/en",)).tolist() == [False, False, False]
    assert usable(groups, ()).all()


def test_damage_changes_a_text_in_any_script() -> None:
    breaker = Breaker(["Ein ganz anderer Satz steht hier.", "这是另外一个句子。"], random.Random(1))
    for text in ("Die alte Brücke wurde gestern wieder geöffnet.", "这座旧桥昨天重新开放了。"):
        for kind in KINDS:
            found = {breaker.damaged(text, kind) for _ in range(8)}
            assert found != {text}
    assert breaker.damaged("Ja.", "dropped") == "Ja."


def test_weights_follow_what_people_prefer() -> None:
    rng = np.random.default_rng(3)
    facts = rng.normal(size=(400, MODES["judge-src"].stop))
    level = 3 * facts[:, 0] - 2 * facts[:, 4] + 0.1 * rng.normal(size=400)
    segment = np.repeat(np.arange(40), 10)
    better, worse = within(level, segment, 1.0)
    assert (level[better] - level[worse] >= 1).all()
    assert (segment[better] == segment[worse]).all()
    systems = np.tile(np.array([f"s{k}" for k in range(10)]), 40)
    one = Set("a/b", facts, level, systems, np.ones((400, 2)), better, worse, np.ones(len(better)))
    weights = fitted([one], "judge-facts")
    assert weights.argmax() == 0
    assert weights.argmin() == 4
    scores = facts[:, MODES["judge-facts"]] @ weights
    assert tau(one, scores) > 0.9
    assert pearson(one, scores) > 0.9
    assert tau(one, -scores) < -0.9
