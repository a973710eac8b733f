"""Cloze heads: what is hidden, what is read of it, and a training of a few steps."""

from __future__ import annotations

import json
import random
import time
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

from training.cloze import store, texts
from training.cloze.words import CLASSES, NONE, NOUN, THIS, Target, connectives, pronouns, recurring
from training.judge.store import Cutter

TOKENIZER = Path("src/albeit/parsing/weights/tokenizer.json")
LINES = [
    "The minister met Angela in Paris.",
    "She said that the minister was late, but he denied it.",
    "However, this is not the end.",
    "Angela left because of the rain.",
]


def document(name: str = "d") -> texts.Document:
    return texts.Document(name, [line.split() for line in LINES])


def names(found: list[Target], words: list[str]) -> list[tuple[str, str]]:
    return [(" ".join(words[t.start : t.stop]), t.name) for t in found]


def test_pronouns_are_classed_by_what_they_stand_for() -> None:
    words = document().words
    assert names(pronouns(words), words) == [
        ("She", "she"),
        ("he", "he"),
        ("it.", "it"),
        ("this", THIS),
    ]
    assert not pronouns(["He", "says", "this", "house", "is", "that", "big"][1:])


def test_a_name_that_recurs_is_what_could_have_been_a_pronoun() -> None:
    words = document().words
    assert names(recurring(words), words) == [("minister", NOUN)]  # Angela begins her sentence


def test_connectives_begin_clauses_and_sentences_may_have_none() -> None:
    words = document().words
    assert names(connectives(words), words) == [
        ("", NONE),
        ("but", "but"),
        ("However,", "however"),
        ("", NONE),
    ]
    also = ["Prices", "fell.", "For", "example,", "oil", "did."]
    assert names(connectives(also), also)[-1] == ("For example,", "for example")


@pytest.fixture
def places() -> store.Places:
    builder = store.Builder(Cutter(TOKENIZER), random.Random(1))
    one, other = document(), document("other")
    builder.learn(one)
    wrong = texts._with(one, connectives(one.words)[1], "therefore", "wrong")
    target = connectives(one.words)[1]
    builder.test(
        [one, other, wrong],
        [
            texts.Place("connectives test", "d", target, True, 0),
            texts.Place("connectives test", "wrong", texts._moved(target, "therefore"), False, 0),
        ],
    )
    return store.Places.of(builder.arrays({"senses": {}}))


def test_a_hidden_word_leaves_a_mask_and_no_trace_in_the_casing_after_it(
    places: store.Places,
) -> None:
    chosen = places.chosen("train")
    classes = [CLASSES[k] for k in places.table[chosen, 6]]
    however = chosen[classes.index("however")]
    ids, _cases, at = places.read(np.array([however]))
    assert ids[0] == store.CLS
    assert ids[-1] == store.SEP
    assert (ids == store.MASK).sum() == 1
    assert ids[at[0]] == store.MASK
    hidden = chosen[classes.index(NONE)]
    _, before, where = places.read(np.array([hidden]))
    assert before[where[0] + 1] == 1  # "She" after a mask looks as any word does


def test_several_places_of_a_text_are_hidden_at_once(places: store.Places) -> None:
    chosen = places.chosen("train")
    ids, _, at = places.read(chosen[:3])
    assert (ids == store.MASK).sum() == (at >= 0).sum() > 1
    assert all(ids[k] == store.MASK for k in at if k >= 0)


def test_another_context_has_the_same_line_elsewhere(places: store.Places) -> None:
    (number, _) = places.chosen("connectives test")
    ids, _, at = places.elsewhere(int(number), 1)
    assert ids[at[0]] == store.MASK
    mine, _, true = places.read(np.array([number]))
    assert np.array_equal(ids[at[0] + 1 : at[0] + 3], mine[true[0] + 1 : true[0] + 3])


def test_exchanged_words_keep_case_and_punctuation() -> None:
    one = document()
    target = connectives(one.words)[2]
    assert texts._with(one, target, "for example", "x").lines[2][:3] == ["For", "example,", "this"]


def test_marked_pronouns_are_those_that_two_experts_marked_by_short_spans() -> None:
    line = ["He", "said", "that", "he", "saw", "them", "."]
    spans = [("r1", "them"), ("r2", "saw them"), ("r1", "said"), ("r3", "he")]
    assert texts._raters(line, 5, spans)["short"] == {"r1", "r2"}
    assert texts._raters(line, 1, spans)["short"] == {"r1"}
    assert texts._raters(["Then", *line], 0, [])["any"] == set()


def test_it_trains_tests_and_comes_back(tmp_path: Path, places: store.Places) -> None:
    torch = pytest.importorskip("torch", reason="training needs PyTorch")
    pytest.importorskip("safetensors", reason="training needs safetensors")
    network = pytest.importorskip("training.cloze.network")
    train = pytest.importorskip("training.cloze.train")
    encoders = pytest.importorskip("training.model.encoder")

    assert train.area(np.array([0.0, 1.0]), np.array([1.0, 2.0])) == 0.875
    config = encoders.Config(
        width=24, inner=48, attention_heads=4, layers=2, middle=2, case_after=0, mixed=1, cases=12
    )
    for tower, rank in ((1, 0), (0, 2)):
        torch.manual_seed(1)
        encoder = encoders.Encoder(config)
        before = {n: v.clone() for n, v in encoder.state_dict().items()}
        cloze = network.Cloze(encoder, tower, rank)
        args = Namespace(
            seed=1, lr=1e-3, until=float("inf"), aside=0.0, limit=3, texts=2, sample=8, latest=1e12
        )
        args.until = time.time() + 600
        assert train.fit(cloze, places, args, "cpu") == 3
        own = cloze.encoder.state_dict()
        for name, value in before.items():
            owner, kind = name.rsplit(".", 1) if "." in name else ("", name)
            same = own[name] if name in own else own[f"{owner}.whole.{kind}"]
            assert torch.equal(value, same), "the judge's own stays"
        figures = train.tested(cloze, places, "cpu", args)
        assert figures["connectives test"]["right"] == 1
        json.dumps(figures)
        network.save(cloze, tmp_path / "a/adapter.npz")
        fresh = encoders.Encoder(config)
        fresh.load_state_dict(before)
        again = network.load(fresh, tmp_path / "a/adapter.npz")
        text = [places.read(places.chosen("train")[:1])]
        one, other = (train.said(c, text, "cpu", 2) for c in (cloze, again))
        assert np.abs(one - other).max() < 0.1  # bytes
