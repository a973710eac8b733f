"""Words and sentences: UD's conventions, tokenised input, any Unicode, real corpora."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albeit.parsing.annotator import TOKENIZER_VERSION
from albeit.parsing.sentences import LONGEST, split_sentences, splitter
from albeit.parsing.tokenize import cut_words, plain_forms, tokenize

CASES = [
    ("Don't you think it's Bob's?", "Do n't you think it 's Bob 's ?"),
    ("They cannot, he’d’ve said.", "They can not , he ’d ’ve said ."),
    ("a well-known 15-year-old e-mail", "a well - known 15 - year - old e-mail"),
    ("the non-profit's co-founder", "the non-profit 's co-founder"),
    (
        "Mr. Smith of the U.S. paid $5.50 at 7:30 a.m.",
        "Mr. Smith of the U.S. paid $ 5.50 at 7:30 a.m.",
    ),
    (
        "See www.example.com/a?b=1, or mail me@x.org.",
        "See www.example.com/a?b=1 , or mail me@x.org .",
    ),
    ('"Well..." (he paused) -- 3,000,000 €!', '" Well ... " ( he paused ) -- 3,000,000 € !'),
    ("J. K. Rowling wrote No. 7 in the 1990s.", "J. K. Rowling wrote No. 7 in the 1990s ."),
    ("I like tea, coffee, etc.", "I like tea , coffee , etc ."),
    ("50% of the 3rd and/or 4th", "50 % of the 3rd and / or 4th"),
    ("他说hello", "他 说 hello"),
]
TOKENISED = [
    "he did n't say `` no '' , it 's a rock @-@ hard case .",
    "the government &apos;s plan &quot; failed &quot;",
    "do n't , ca n't , wo n't",
    "$ 5 and 10 % - ( so he said ) ...",
]


@pytest.mark.parametrize(("text", "words"), [*CASES, *((text, text) for text in TOKENISED)])
def test_words(text: str, words: str) -> None:
    assert " ".join(tokenize(text).forms) == words


def test_the_model_sees_plain_words() -> None:
    forms = ["@-@", "&quot;", "``", "n&apos;t", "AT&T", "word"]
    assert plain_forms(forms) == ["-", '"', '"', "n't", "AT&T", "word"]


@given(st.text())
def test_nothing_is_lost(text: str) -> None:
    spans = tokenize(text).offsets
    assert all(a < b for a, b in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    covered = {i for a, b in spans for i in range(a, b)}
    lost = [c for i, c in enumerate(text) if i not in covered]
    assert all(
        c.isspace() or ord(c) < 32 or 127 <= ord(c) < 160 or c in "\u200b\u2060\ufeff\ufffe\uffff"
        for c in lost
    )


SPLITS = [
    "He left.|She stayed.",
    '"Stop!" he said.|"Why?"|She ran.',
    "Dr. Smith met J. Doe in the U.S. Senate.|It rained at 5 p.m. on Monday.",
    "He lives in the U.S.|The rest do not.",
    "lower case here .|then more of it .",
    "Wait... what?|Yes!!!|No",
    "1. Open the box.|2. Close it.",
    "It costs 3.50 (approx. half).|Good.",
    "Roe v. Wade is a case.|So is U.S. v. Nixon.",
    "Brown vs. Board of Education was decided on Sept. 5.|It stands.",
    "Smith v. Jones, 5 F. Supp. 2d 33 (D. Mass. 1998), held so.|They went to Mass."
    "|The priest spoke.",
    "Amb. Rice met Gen. Smith and J. R. R. Tolkien.|Det. Brown left in Jan. 1999.",
    "No. 5 is alive.|He said no.|She agreed.|See Sec. 2, Art. 5 and Fig. 3.",
]


@pytest.mark.parametrize("case", SPLITS)
def test_sentences(case: str) -> None:
    tokens = tokenize(case.replace("|", " "))
    spans = split_sentences(tokens.forms, tokens.offsets)
    found = [" ".join(tokens.forms[a:b]) for a, b in spans]
    assert found == [" ".join(tokenize(part).forms) for part in case.split("|")]


def test_no_sentence_is_endless() -> None:
    tokens = tokenize("word " * 3000)
    spans = split_sentences(tokens.forms, tokens.offsets)
    assert max(b - a for a, b in spans) <= LONGEST
    assert [n for a, b in spans for n in range(a, b)] == list(range(3000))


def test_a_change_of_words_needs_a_new_version() -> None:
    """Cached layers count words. If this fails: raise TOKENIZER_VERSION, then the digest here."""
    digest = hashlib.sha256(TOKENIZER_VERSION.encode())
    for text in [*(text for text, _ in CASES), *TOKENISED, *SPLITS]:
        tokens = tokenize(text)
        digest.update(repr((tokens, split_sentences(tokens.forms, tokens.offsets))).encode())
    assert digest.hexdigest()[:16] == "ed0165cab0e9ae44"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Das geht, sagte er.", "Das geht , sagte er ."),
        ("L'homme qu’il a vu aujourd'hui", "L' homme qu’ il a vu aujourd'hui"),
        ("Dell'arte, quest’anno", "Dell' arte , quest’ anno"),
        ("3.000,50 € um 12:30", "3.000,50 € um 12:30"),
        ("İstanbul'da çok", "İstanbul'da çok"),
        ("그는 갔다.", "그는 갔다 ."),
        ("siehe https://a.de/b?c=d.", "siehe https://a.de/b?c=d ."),
        ("需要全身麻醉的手术。", "需要 全身 麻醉 的 手术 。"),
        ("彼は学生です", "彼 は 学生 です"),
        ("ฉันรักภาษาไทย", "ฉัน รัก ภาษา ไทย"),
        ("我爱Python3和C", "我 爱 Python 3 和 C"),
        ("\u200fمرحبا\u200e \u202bعالم\u202c", "مرحبا عالم"),
        ("\u200b\ufeff", ""),
        ("", ""),
        ("gut 👩‍👩‍👧👍🏽! ❤️ 🇩🇪🇫🇷", "gut 👩‍👩‍👧 👍🏽 ! ❤️ 🇩🇪 🇫🇷"),
        ("\u200d \u200c \ufe0f", ""),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("كَتَبَ", "كَتَبَ"),
    ],
)
def test_words_of_other_languages(text: str, words: str) -> None:
    assert " ".join(cut_words(text).forms) == words


@given(st.text(max_size=60))
def test_words_cover_all_that_is_seen_in_order(text: str) -> None:
    tokens = cut_words(text)
    at = 0
    for form, (start, stop) in zip(tokens.forms, tokens.offsets, strict=True):
        assert at <= start < stop
        assert text[start:stop] == form
        assert not any(map(str.isalnum, text[at:start]))
        at = stop
    assert not any(map(str.isalnum, text[at:]))


@pytest.mark.parametrize(
    ("lang", "sentences"),
    [
        ("en", ["Mr. Smith left the U.S. Army.", '"He came back!"', "Why?", "No. 5 knew."]),
        ("de", ["Am 3. Oktober kam er.", "Dann ging er."]),
        ("fr", ["« Il est parti. »", "M. Dupont reste."]),
        ("es", ["Llegó tarde.", "¿Por qué?", "Nadie sabe."]),
        ("ru", ["Он пришёл.", "Она ушла."]),
        ("ar", ["ماذا حدث؟", "لا شيء."]),
        ("ja", ["今日は。", "「はい。」", "明日！"]),
        ("zh", ["他来了。", "她走了？"]),
        ("en", ["  One of 3.5 things, e.g. this. "]),
        ("en", [""]),
        ("en", ["1. " * 20_000]),
    ],
)
def test_sentences_are_found(lang: str, sentences: list[str]) -> None:
    between = "" if lang in ("ja", "zh") else " "
    assert splitter(lang)(between.join(sentences)) == tuple(sentences)


@given(st.text(), st.sampled_from(["en", "de", "zh", "ar"]))
def test_nothing_but_white_space_is_lost(text: str, lang: str) -> None:
    pieces = splitter(lang)(text)
    assert len(pieces) >= 1
    assert "".join("".join(pieces).split()) == "".join(text.split())
