"""The judge of many languages: what it learns from, what it reads, and how much chrF stands beside it."""

from __future__ import annotations

import random

import numpy as np
import pytest

from training.judge.groups import Group
from training.judge.segments import Segment
from training.judge.store import Array, Store
from training.many import combine
from training.many.damage import KINDS, Everywhere, broken, turned
from training.many.store import LONGEST, MARKS, MODES, SAME, Entry, outside, packed, read_sizes

TEXTS = (
    "Die Kanzlerin reiste gestern mit drei Ministern nach Warschau, um über Gas zu sprechen.",
    "In Prag wurden am Montag 25 Gemälde gestohlen, sagte ein Sprecher der Polizei.",
    "Wer im Sommer viel trinkt, bleibt gesund, schreiben Forscher aus Wien.",
)


def segment(number: int, text: str, source: str = "some words in English") -> Segment:
    return Segment("wmt24", f"wmt24/en-de:{number}", "d", source, {"refA": text}, {"x": text[9:]})


def test_damage_leaves_the_reference_on_top_and_nothing_at_the_bottom() -> None:
    made = list(broken([("en-de", segment(k, text)) for k, text in enumerate(TEXTS)]))
    assert [language for language, *_ in made] == ["de"] * len(TEXTS)
    for (_, source, group), text in zip(made, TEXTS, strict=True):
        assert (source, group.reference) == ("some words in English", text)
        assert group.texts[group.names.index("copy")] == text
        assert {name for name in group.names if name in KINDS}
        better = {a for a, *_ in group.pairs}
        worse = {b for _, b, *_ in group.pairs}
        assert group.names.index("copy") in better - worse
        assert len(group.names) - 1 in worse - better


def test_text_without_spaces_is_damaged_and_stays_without() -> None:
    text = "总理昨天与三位部长一起前往华沙讨论天然气问题，警方发言人周一说。"
    breaker = Everywhere([segment(0, text)], random.Random(2), "zh")
    damaged = [breaker.damager(text, kind) for kind in ("dropped", "shuffled", "truncated")]
    assert all(one and one[0] != text and " " not in one[0] for one in damaged)
    kinds = {breaker.nothing(segment(0, text), text)[0] for _ in range(60)}
    assert "source" in kinds
    assert "again" not in kinds


def test_a_set_into_english_is_turned_round() -> None:
    into = Segment("wmt21", "wmt21/ja-en:1", "d", "猫が寝ている。", {"refA": "The cat sleeps."}, {})
    other = turned(into)
    assert (other.source, other.references) == ("The cat sleeps.", {"refA": "猫が寝ている。"})
    (found,) = broken([("ja-en", into)])
    assert found[0] == "ja"
    assert found[2].data == "made-wmt21"
    assert "machine" not in found[2].names


@pytest.mark.parametrize(
    ("subset", "folds"),
    [
        ("wmt23/en-de", "a"),
        ("wmt23-soft/en-de", "a"),
        ("made-wmt23/zh", "a"),
        ("wmt24/en-zh", "b"),
        ("made-bio/de", "b"),
        ("made-wmt21/ru", ""),
        ("ted/en-de", ""),
    ],
)
def test_what_a_fold_leaves_out(subset: str, folds: str) -> None:
    assert [outside(subset, fold) for fold in ("a", "b", "all")] == [
        "a" in folds,
        "b" in folds,
        False,
    ]


def small(subset: str = "ted/en-de") -> Store:
    """Two segments of two translations; a piece is a word."""
    words = ["a b c", "d e", "a b", "c", "long " * 400, "f", "g h", "i j k l"]
    entries = []
    for number, (source, reference, *texts) in enumerate((words[:4], words[4:])):
        group = Group("ted", f"ted/en-de:{number}|refA", "judged", "d", reference.strip())
        for name, text in zip("xy", texts, strict=True):
            group.add(name, text, -1.0)
        group.pairs.append((0, 1, 1.0, 1.0))
        entries.append(Entry(subset, source, group))
    entries[1] = entries[1]._replace(source=words[4])
    every = dict.fromkeys(
        " ".join(text.split())
        for entry in entries
        for text in (entry.source, entry.group.reference, *entry.group.texts)
    )
    known = {word: 10 + k for k, word in enumerate(dict.fromkeys(" ".join(every).split()))}
    ids = [[known[word] for word in text.split()] for text in every]
    places = {text: k for k, text in enumerate(every)}
    arrays = packed(entries, ids, places, np.full((4, 3), 0.5), 9)
    arrays |= {f"target_{fold}": np.full(4, np.nan, np.float16) for fold in ("a", "b", "all")}
    size = arrays["text_size"].astype(np.int64)
    starts = np.array([0, 2, 4])
    at = np.concatenate(([0], np.cumsum(size)))
    return Store(arrays, [subset], ["x", "y"], [], starts, at, np.zeros(4, np.int64))


def test_what_is_read_of_a_pair_by_mode() -> None:
    store = small()
    found = {
        name: read_sizes(store, np.full(2, mode))[:, 0].tolist() for mode, name in enumerate(MODES)
    }
    assert found == {"reference": [0, 2, 2], "both": [3, 2, 2], "source": [3, 0, 2]}


def test_long_texts_are_cut_in_proportion_and_none_is_lost() -> None:
    sizes = read_sizes(small(), np.array([1, 1]))[:, 2:]
    assert (sizes.sum(0) <= LONGEST - MARKS).all()
    assert (sizes > 0).all()


def test_the_sequence_is_source_reference_translation() -> None:
    pytest.importorskip("torch", reason="training needs PyTorch")
    pytest.importorskip("safetensors", reason="training needs safetensors")
    train = pytest.importorskip("training.many.train")
    begin, break_, end = train.BEGIN, train.BREAK, train.END
    store = small()
    feed = train.Feed(store, "cpu", "a")
    dense = dict(enumerate(store["pieces"].tolist()))
    for mode, name in enumerate(MODES):
        feed.read_in(np.full(2, mode))
        read = feed.read(np.array([0]))
        kept = read["mask"][0]
        ids = [dense[k] if k > break_ else k for k in read["ids"][0][kept].tolist()]
        source, reference, ours = [10, 11, 12], [13, 14], [10, 11]
        expected = [begin]
        expected += [*source, break_] if name != "reference" else []
        expected += [*reference, break_] if name != "source" else []
        assert ids == [*expected, *ours, end]
        assert read["sides"][0][kept].tolist().count(2) == len(ours)


def scored(segments: int = 40) -> tuple[Store, dict[str, Array]]:
    """Two folds, each with a set it left out: people follow chrF, networks follow nothing."""
    rng = np.random.default_rng(1)
    count = segments * 3
    chrf = rng.random(2 * count)
    sets = np.repeat([0, 1], segments)
    store = Store(
        {
            "pair_level": (-10 + 10 * chrf).astype(np.float32),
            "pair_group": np.repeat(np.arange(2 * segments), 3),
            "pair_name": np.tile([0, 1, 2], 2 * segments),
            "pair_facts": np.round(np.stack([chrf] * 3, 1) * SAME).astype(np.uint16),
            "group_set": sets,
            "group_kind": np.zeros(2 * segments, np.int8),
            "group_first": np.ones(2 * segments, np.bool_),
            "group_dev": np.zeros(2 * segments, np.bool_),
        },
        ["newstest20/en-de", "wmt23/en-de"],
        ["x", "y", "z"],
        [],
        np.arange(0, 2 * count + 1, 3),
        np.zeros(1, np.int64),
        np.ones(2 * count, np.int64),
    )
    runs = {f"{fold} {mode}": rng.normal(size=2 * count) for fold in "ab" for mode in MODES}
    return store, runs


def test_each_fold_leaves_out_sets_of_its_own() -> None:
    store, _ = scored()
    found = combine.unseen(store)
    assert {fold: list(sets) for fold, sets in found.items()} == {
        "a": ["wmt23/en-de"],
        "b": ["newstest20/en-de"],
    }


def test_chrf_weighs_as_much_as_it_helps() -> None:
    store, runs = scored()
    folds = combine.unseen(store)
    assert combine.chosen(store, runs, folds) > 10
    known = {name: store["pair_level"].astype(np.float64) for name in runs}
    assert combine.chosen(store, known, folds) == 0
    pairs = folds["a"]["wmt23/en-de"]
    alone = combine.tau(store, pairs, runs["a both"][pairs])
    more = combine.tau(store, pairs, combine.raised(store, runs["a both"], pairs, 20))
    assert more > alone + 0.5


def test_scores_beside_a_source_alone_are_brought_to_the_scale_of_the_others() -> None:
    pytest.importorskip("torch", reason="training needs PyTorch")
    pytest.importorskip("safetensors", reason="training needs safetensors")
    calibrate = pytest.importorskip("training.many.calibrate")
    curve = calibrate.Calibration(1.2, 0.5, 1.0, [(0.3, -0.4)])
    raw = np.linspace(-3, 3, 60)
    lost = calibrate.DEEPEST * (1 - curve.share(1.7 * raw - 0.6)[0])
    assert calibrate.line(raw, lost, curve) == pytest.approx((1.7, -0.6), abs=0.01)
