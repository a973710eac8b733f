"""How well hidden words fit, by a network that says what the test makes it say."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from albeit import Document, EvalSet, explain, metric, score
from albeit.metrics.judge import cloze
from albeit.metrics.judge.fit import connective_shares, predict, pronoun_shares
from albeit.parsing.encoder import CLS, SEP
from albeit.parsing.model import ModelError
from tests.conftest import ROOT

LINE = "Ann sold the car. She said that she liked it, but he did not. However, this is odd."
TEXT = LINE.split()


def logs(**chances: float) -> np.ndarray:
    """A row of log probabilities: those that are named, next to nothing for the rest."""
    return np.log([max(chances.get(name, 0.0), 1e-12) for name in cloze.CLASSES])


class Guesser:
    """Says of every hidden run what was prepared for its first word."""

    version = "toy"
    judge = SimpleNamespace(version="toy judge")

    def __init__(self, said: Mapping[str, np.ndarray]) -> None:
        self.said = said
        self.asked: list[cloze.Hidden] = []

    def read(self, wanted: Sequence[cloze.Hidden]) -> list[np.ndarray]:
        self.asked += wanted
        return [np.array([self.said[one.words[start]] for start, _ in one.runs]) for one in wanted]


def guesser(monkeypatch: pytest.MonkeyPatch, **said: np.ndarray) -> Guesser:
    """In place of the network that ships."""
    made = Guesser(said)
    monkeypatch.setattr(cloze, "load_cloze", lambda: made)
    return made


def test_a_hidden_run_leaves_one_mask_and_no_trace_in_the_casing_after_it() -> None:
    ids, cases = np.arange(200, 206), np.array([2, 2, 1, 2, 3, 1])
    said = cloze.mask_runs(ids, cases, [(2, 3), (4, 4)])
    assert said.ids.tolist() == [CLS, 200, 201, cloze.MASK, 203, cloze.MASK, 204, 205, SEP]
    assert said.cases.tolist() == [0, 2, 2, 1, 1, 1, 3, 1, 0]
    assert said.positions.tolist() == [3, 5]


def test_what_is_read_is_around_the_runs() -> None:
    ids, cases = np.arange(2000), np.ones(2000, np.int64)
    said = cloze.mask_runs(ids, cases, [(1000, 1001), (1100, 1101)])
    assert len(said.ids) == 479
    assert said.ids[said.positions - 1].tolist() == [999, 1099]
    assert said.ids[1] == (1000 + 1101) // 2 - 477 // 2
    assert cloze.mask_runs(ids, cases, [(0, 1), (1999, 2000)]).positions.tolist() == [-1, -1]
    assert cloze.mask_runs(ids, cases, [(1999, 2000)]).ids[1] == 2000 - 477


def test_pronouns_of_one_class_in_one_sentence_are_hidden_together() -> None:
    seen = Guesser(dict.fromkeys(TEXT, logs()))
    she, other, it = cloze.Target(4, 5, "she"), cloze.Target(7, 8, "she"), cloze.Target(9, 10, "it")
    together = predict([(TEXT, [she, it, other])], seen)  # type: ignore[arg-type]
    # she … she, it, he and this are no more than can be hidden at once
    assert [one.runs for one in seen.asked] == [((4, 5), (7, 8), (9, 10), (11, 12), (15, 16))]
    assert together[0].shape == (3, len(cloze.CLASSES))
    alone = predict([(TEXT, [other])], seen)  # type: ignore[arg-type]
    assert seen.asked[-1] == seen.asked[0]
    assert np.array_equal(alone[0][0], together[0][2])


def test_neighbours_are_not_hidden_at_once_where_there_are_many() -> None:
    words = " ".join(f"He saw it {n}." for n in range(5)).split()
    seen = Guesser(dict.fromkeys(words, logs()))
    asked = [t for t in cloze.pronouns(words) if t.name == "he"]
    predict([(words, asked)], seen)  # type: ignore[arg-type]
    assert [len(one.runs) for one in seen.asked] == [4, 3, 3]
    for one in seen.asked:
        starts = [start for start, _ in one.runs]
        assert min(np.diff(starts)) > 4
        assert starts == sorted(starts)


def test_shares_by_hand() -> None:
    row = logs(he=0.1, she=0.4, it=0.2, they=0.1, noun=0.2)[None]
    assert pronoun_shares(row)[0].tolist() == pytest.approx([0.125, 0.5, 0.25, 0.125])
    # among connectives: but .4, however .2, because .4. Although can say two things (concession,
    # contrast), however the same two, but these and two more; because can say but one
    row = logs(none=0.25, but=0.3, however=0.15, because=0.3)[None]
    shares = dict(zip(cloze.CONNECTIVES, connective_shares(row)[0].tolist(), strict=True))
    assert shares["although"] == pytest.approx(0.2 + 0.4 * 2 / 4)
    assert shares["but"] == pytest.approx(0.4 + 0.2 * 2 / 4)
    assert shares["therefore"] == shares["because"] == pytest.approx(0.4)


def test_a_document_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    she, it = logs(she=0.45, he=0.45, it=0.05, they=0.05), logs(it=0.9, he=0.05, she=0.05)
    guesser(monkeypatch, She=she, it=it)
    chosen = metric("pronouns-free")
    documents = (Document("a", 0, 2), Document("b", 2, 3))
    texts = EvalSet({}, {"s": ("She left.", "Then it rained.", "No.")}, documents=documents)
    column = score(texts, [chosen])[str(chosen)]
    expected = [[(0.45 + 0.9) / 2, np.nan]]
    np.testing.assert_allclose(column.at("document"), expected, atol=1e-6)
    assert "toy judge" in str(column.signature)
    # he fits as well as she, not twice as well
    assert np.asarray(column.statistics)[0, :, 2].tolist() == [0, 0]
    [view] = explain(texts, chosen, documents=["a"])
    assert view.score == pytest.approx(column.at("document")[0, 0])
    assert sum(loss.amount for loss in view.losses) == pytest.approx(1 - view.score)
    assert view.losses[1].details["best"] == "it"


def test_connectives_of_a_document(monkeypatch: pytest.MonkeyPatch) -> None:
    but = logs(but=0.9, because=0.1)
    guesser(monkeypatch, Because=but, however=but)
    chosen = metric("connectives-free")
    documents = (Document("a", 0, 1), Document("b", 1, 2))
    lines = ("Because it rained, he left.", "No, however he stayed.")
    texts = EvalSet({}, {"s": lines}, documents=documents)
    column = score(texts, [chosen])[str(chosen)]
    assert column.at("document").tolist() == [pytest.approx([0.1, 0.9 / 2])]
    [view] = explain(texts, chosen, documents=["a"])
    assert view.losses[0].label.startswith("Because: fits 0.10, ")
    assert view.losses[0].details["word"] == "because"
    assert view.losses[0].details["doubtful"] == "yes"


def test_what_is_found_in_text() -> None:
    assert [t.name for t in cloze.pronouns(TEXT)] == ["she", "she", "it", "he", cloze.THIS]
    assert [t.name for t in cloze.connectives(TEXT)] == [cloze.NONE, "but", "however"]


def asked() -> list[cloze.Hidden]:
    """All pronouns and connectives of the demonstration, one by one and two at once."""
    found = []
    for path in sorted((ROOT / "examples" / "demo").glob("ref.*.txt")):
        words = tuple(path.read_text(encoding="utf-8").split())
        runs = [(t.start, t.stop) for t in (*cloze.pronouns(words), *cloze.connectives(words))]
        found += [cloze.Hidden(words, (run,)) for run in runs[:4]]
        found += [cloze.Hidden(words[:60], tuple(run for run in runs if run[1] < 60)[:2])]
    return found


def test_probabilities_add_up_and_no_batch_changes_them() -> None:
    every = asked()
    together = cloze.load_cloze().read(every)
    assert len(every) >= 10
    for one, rows in zip(every, together, strict=True):
        assert rows.shape == (len(one.runs), len(cloze.CLASSES))
        parts = np.split(np.exp(rows), [cloze.FIRST_CONNECTIVE], axis=1)
        assert all(np.allclose(part.sum(axis=1), 1) for part in parts)
    for k in (0, 3, len(every) - 1):
        fresh = cloze.Cloze(judge=cloze.load_cloze().judge)
        assert np.array_equal(fresh.read([every[k]])[0], together[k])


def test_words_are_read_once_for_scores_flags_and_explanations(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    network = cloze.Cloze(judge=cloze.load_cloze().judge)
    first = network.read(asked()[:2])
    monkeypatch.setattr(network, "logits", None)  # it must not be run again
    assert [a.tolist() for a in network.read(asked()[:2])] == [a.tolist() for a in first]


def test_it_reads_the_context() -> None:
    good = ("The old bridge was built in 1850.", "Last year it was closed, because it had cracks.")
    bad = (good[0], "Last year she was closed, although she had cracks.")
    texts = EvalSet({}, {"good": good, "bad": bad}, documents=(Document("a", 0, 2),))
    table = score(texts, ["pronouns-free", "pronouns-free(by=antecedents)", "connectives-free"])
    for column in table.columns.values():
        right, wrong = column.system
        assert right > 1.5 * wrong, column.name


def test_what_is_damaged_or_missing_is_told(tmp_path: Path) -> None:
    shutil.copytree(cloze.FOLDER, tmp_path / "cloze")
    judge = cloze.load_cloze().judge
    with (tmp_path / "cloze" / "cloze.onnx").open("ab") as file:
        file.write(b"x")
    with pytest.raises(ModelError, match="damaged"):
        cloze.Cloze(tmp_path / "cloze", judge).read(asked()[:1])
    (tmp_path / "cloze" / "meta.json").unlink()
    with pytest.raises(ModelError, match="missing"):
        cloze.Cloze(tmp_path / "cloze", judge)
