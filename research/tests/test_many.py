"""The judge of many languages: what it learns from, what it reads, and how much chrF stands beside
it."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from training.judge.groups import Group, synthesize
from training.judge.segments import Segment, remedy
from training.judge.store import Array, Store
from training.many import combine
from training.many.store import LONGEST, MARKS, MODES, SAME, Entry, held_out, pack, read_sizes
from training.synthetic import POINTS, make_errors

TEXTS = (
    "Die Kanzlerin reiste gestern mit drei Ministern nach Warschau, um über Gas zu sprechen.",
    "In Prag wurden am Montag 25 Gemälde gestohlen, sagte ein Sprecher der Polizei.",
    "Wer im Sommer viel trinkt, bleibt gesund, schreiben Forscher aus Wien.",
)


OUTPUT = "Die Kanzlerin ist vor 3 Tagen nach Warschau gereist, obwohl sie krank war, sagte er."


def segment(number: int, text: str) -> Segment:
    source, key = "some words in English", f"ted/en-de:{number}"
    return Segment("ted", key, "d", source, {"refA": text}, {"x": OUTPUT})


def test_synthetic_errors_are_in_system_outputs_of_any_language() -> None:
    own = [("en-de", segment(k, text)) for k, text in enumerate(TEXTS * 8)]
    made = list(synthesize(own, {}))
    assert len(made) > 20
    kinds = {name for _, _, group in made for name in group.names[1:]}
    assert {"antonym", "negation", "number", "dropped clause", "non-translation"} <= kinds
    assert "name" not in kinds, "all German nouns have capitals"
    for pair, one, group in made:
        assert (pair, group.kind, group.texts[0]) == ("en-de", "synthetic", OUTPUT)
        assert group.reference == one.references["refA"]
        assert all(a == 0 and points == POINTS[group.names[b]] for a, b, _, points in group.pairs)


def test_text_without_spaces_gets_errors_and_stays_without() -> None:
    text = "总理昨天与3位部长一起前往华沙讨论天然气问题，警方发言人周一说会议已经开始了，天气很好。"
    errors = make_errors(random.Random(2), [text, "今年的天气比去年好得多。"], "zh")
    for kind in errors.types:
        found = errors.make(text, kind, {"chancellor": ""})
        assert found
        assert found != text
        assert " " not in found.removeprefix("The sentence can be translated as: ").split(": ")[-1]
    assert errors.make(text, "antonym") == text.replace("开始", "结束")


NEGATED = [
    ("fr", "Cela n'est pas le bon chemin ici.", "Cela est le bon chemin ici."),
    ("es", "Esta casa está en el norte, dicen.", "Esta casa no está en el norte, dicen."),
    ("ru", "Он не может прийти сюда сегодня вечером.", "Он может прийти сюда сегодня вечером."),
    ("de", "Das war nicht der Weg nach Hause.", "Das war der Weg nach Hause."),
]


@pytest.mark.parametrize(("language", "text", "expected"), NEGATED)
def test_negations(language: str, text: str, expected: str) -> None:
    errors = make_errors(random.Random(1), [text], language)
    assert errors.make(text, "negation") == expected


def test_soft_labels_are_standardized_by_pair(tmp_path: Path) -> None:
    folder = tmp_path / "wmt24/en-cs"
    (folder / "systems").mkdir(parents=True)
    (folder / "src.txt").write_text("one\ntwo\n")
    (folder / "ref.txt").write_text("jedna\ndvě\n")
    for name in "abc":
        (folder / f"systems/{name}.txt").write_text(f"{name}1\n{name}2\n")
    rows = ["a\t1\t-2", "b\t1\t0.9", "c\t1\t0.91", "a\t2\t0.9", "b\t2\t0.9", "c\t2\t1"]
    lines = ["system\tsegment\tscore", *rows]
    (folder / "scores.tsv").write_text("\n".join(lines) + "\n")
    (_, first), (pair, second) = remedy(tmp_path)
    assert (pair, second.data) == ("en-cs", "remedy24")
    assert first.levels["b"] == second.levels["a"], "equal scores have equal levels"
    assert first.levels["a"] < first.levels["b"] < first.levels["c"] < second.levels["c"]
    values = [*first.levels.values(), *second.levels.values()]
    assert abs(float(np.mean(values))) < 0.1
    prepare = pytest.importorskip("training.many.prepare", reason="training needs PyTorch")
    (entry, _) = prepare.label([("en-cs", first), (pair, second)])
    assert (entry.subset, entry.group.kind) == ("remedy24/en-cs", "soft")
    assert len(entry.targets) == 3


@pytest.mark.parametrize(
    ("subsets", "folds"),
    [
        ("wmt23/en-de wmt23/zh-en wmt24/en-zh wmt22/en-de indicmt/en-ta", ["all", "b"]),
        ("remedy22/en-de bio/en-de", ["b"]),
        ("remedy22/en-cs ted/en-de", []),
    ],
)
def test_what_a_fold_leaves_out(subsets: str, folds: list[str]) -> None:
    for subset in subsets.split():
        assert [fold for fold in ("all", "b") if held_out(subset, fold)] == folds


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
    every = dict.fromkeys(text for entry in entries for text in entry.all_texts)
    known = {word: 10 + k for k, word in enumerate(dict.fromkeys(" ".join(every).split()))}
    ids = [[known[word] for word in text.split()] for text in every]
    places = {text: k for k, text in enumerate(every)}
    arrays = pack(entries, ids, places, np.full((4, 3), 0.5), 9)
    size = arrays["text_size"].astype(np.int64)
    starts = np.array([0, 2, 4])
    at = np.concatenate(([0], np.cumsum(size)))
    return Store(arrays, [subset], ["x", "y"], [], starts, at, np.zeros(4, np.int64))


def test_what_is_read_of_a_pair_by_mode() -> None:
    sizes = [read_sizes(small(), np.full(2, mode)) for mode, _ in enumerate(MODES)]
    assert list(MODES) == ["reference", "both", "source"]
    assert [size[:, 0].tolist() for size in sizes] == [[0, 2, 2], [3, 2, 2], [3, 0, 2]]
    long = sizes[1][:, 2:]  # cut in proportion, and no text is lost
    assert (long.sum(0) <= LONGEST - MARKS).all()
    assert (long > 0).all()


def test_the_sequence_is_source_reference_translation() -> None:
    pytest.importorskip("torch", reason="training needs PyTorch")
    pytest.importorskip("safetensors", reason="training needs safetensors")
    train = pytest.importorskip("training.many.train")
    begin, break_, end = train.BEGIN, train.BREAK, train.END
    store = small()
    feed = train.Feed(store, "cpu")
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
    """Two sets that no fold has seen: levels follow chrF, the network's scores are random."""
    rng = np.random.default_rng(1)
    count = segments * 3
    chrf = rng.random(2 * count)
    store = Store(
        {
            "pair_level": (-10 + 10 * chrf).astype(np.float32),
            "pair_group": np.repeat(np.arange(2 * segments), 3),
            "pair_name": np.tile([0, 1, 2], 2 * segments),
            "pair_facts": np.round(np.stack([chrf] * 3, 1) * SAME).astype(np.uint16),
            "group_set": np.repeat([0, 1], segments),
            "group_kind": np.zeros(2 * segments, np.int8),
            "group_first": np.ones(2 * segments, np.bool_),
            "group_dev": np.zeros(2 * segments, np.bool_),
        },
        ["wmt22/en-de", "wmt23/en-de"],
        ["x", "y", "z"],
        [],
        np.arange(0, 2 * count + 1, 3),
        np.zeros(1, np.int64),
        np.ones(2 * count, np.int64),
    )
    return store, {mode: rng.normal(size=2 * count) for mode in MODES}


def test_chrf_weighs_as_much_as_it_helps() -> None:
    store, runs = scored()
    sets = combine.unseen(store, "b")
    assert set(sets) == {"wmt22/en-de", "wmt23/en-de"}
    assert combine.choose(store, runs, sets) > 10
    known = {name: store["pair_level"].astype(np.float64) for name in runs}
    assert combine.choose(store, known, sets) == 0
    pairs = sets["wmt23/en-de"]
    alone = combine.tau(store, pairs, runs["both"][pairs])
    more = combine.tau(store, pairs, combine.raised(store, runs["both"], pairs, 20))
    assert more > alone + 0.5


def test_scores_beside_a_source_alone_are_brought_to_the_scale_of_the_others() -> None:
    pytest.importorskip("torch", reason="training needs PyTorch")
    pytest.importorskip("safetensors", reason="training needs safetensors")
    calibrate = pytest.importorskip("training.many.calibrate")
    curve = calibrate.Calibration(1.2, 0.5, 1.0, [(0.3, -0.4)])
    raw = np.linspace(-3, 3, 60)
    lost = calibrate.DEEPEST * (1 - curve.share(1.7 * raw - 0.6)[0])
    assert calibrate.line(raw, lost, curve) == pytest.approx((1.7, -0.6), abs=0.01)
