"""Each check by hand: what it flags, and what it must leave alone."""

import pytest

from albeit.diagnose.checks import CHECKS, Passage, check_named, kinds
from albeit.diagnose.finding import Finding
from albeit.errors import AlbeitError


def found(kind: str, line: str, source: str, pair: str) -> list[Finding]:
    return found_all(kind, [line], [source], pair)


def found_all(kind: str, lines: list[str], sources: list[str], pair: str) -> list[Finding]:
    source_lang, target_lang = pair.split("-")
    passage = Passage(tuple(lines), tuple(sources), target_lang, source_lang)
    return list(check_named(kind).find(passage))


def words(line: str, findings: list[Finding]) -> list[str]:
    return [line[each.start : each.end] for each in findings]


@pytest.mark.parametrize(
    ("line", "source", "pair", "flagged"),
    [
        ("Born in 1986.", "Geboren 1968.", "de-en", ["1986"]),
        ("He has 12 dogs.", "Er hat 120 Hunde.", "de-en", ["12"]),
        ("1.2 billion people", "1.2亿人", "zh-en", ["1.2 billion"]),
        ("203 million yuan", "2030万元", "zh-en", ["203 million"]),
    ],
)
def test_numbers_that_are_wrong(line: str, source: str, pair: str, flagged: list[str]) -> None:
    assert words(line, found("numbers", line, source, pair)) == flagged


@pytest.mark.parametrize(
    ("line", "source", "pair"),
    [
        ("They found 7 of them.", "Man fand sieben.", "de-en"),
        ("In 5 days, not twelve", "In fünf Tagen, nicht 12", "de-en"),
        ("123,456,789 people", "123456789人", "zh-en"),
        ("the May 1 holiday", "五一假期", "zh-en"),
        ("1.8 thousand million yuan", "1,8 milliard de yuan", "fr-en"),
        ("25 000 tourists", "25 Tausend Touristen", "de-en"),
        ("1,000.5 euros", "1.000,5 Euro", "de-en"),
        ("120 million people", "1.2亿人", "zh-en"),
        ("At 3 pm on May 12", "下午15点，5月12日", "zh-en"),
        ("at 18:00", "18时", "zh-en"),
        ("The 21st century", "Das einundzwanzigste Jahrhundert, das 21.", "de-en"),
        ("In 2020, on July 26", "7月26日", "zh-en"),
        ("four thousand soldiers, 4000", "четыре тысячи солдат", "ru-en"),
        ("See http://x.org/17", "Siehe dort", "de-en"),
        ("COVID-19 spreads", "新冠肺炎蔓延", "zh-en"),
        ("60 to 85 billion kWh", "600至850亿千瓦时", "zh-en"),
        ("won by 25:19 and 25:16", "以25:19，25:16", "zh-en"),
        ("about 376,000 metres", "约37.6万米", "zh-en"),
        ("the 19th and 20th centuries", "des XIXe et XXe siècles", "fr-en"),
        ("5 000 light years", "5000 Lichtjahre", "de-en"),
    ],
)
def test_numbers_that_are_right(line: str, source: str, pair: str) -> None:
    assert found("numbers", line, source, pair) == []


def test_a_suggestion_is_the_number_of_the_source() -> None:
    (one,) = found("numbers", "Born in 1986.", "Geboren 1968.", "de-en")
    assert (one.suggestion, one.probability) == ("1968", 0.9)


@pytest.mark.parametrize(
    ("line", "source", "pair", "flagged"),
    [
        ("He said 你好 to us.", "他对我们说你好。", "zh-en", ["你好"]),
        ("Er sagte das government nicht.", "He named the government not.", "en-de", ["government"]),
        ("The mujer laughed.", "La mujer se rió.", "es-en", ["mujer"]),
        (
            "Er wohnt in 12 Städten.",
            "Er wohnt in 12 Städten.",
            "de-en",
            ["Er wohnt in 12 Städten."],
        ),
        (
            "Der Mann ging nach Hause und schlief dort.",
            "Der Mann ging am Abend nach Hause, wo er schlief.",
            "de-en",
            ["Der Mann ging nach Hause und schlief dort."],
        ),
    ],
)
def test_words_that_were_left(line: str, source: str, pair: str, flagged: list[str]) -> None:
    assert words(line, found("untranslated", line, source, pair)) == flagged


@pytest.mark.parametrize(
    ("line", "source", "pair"),
    [
        ("It is guanxi (关系), they say.", "他们说这是关系。", "zh-en"),
        ("Das ist international normal.", "This is international and normal.", "en-de"),
        ("Angela Merkel, Berlin", "Angela Merkel, Berlin", "de-en"),
        ("Das Wort „government“ fiel.", "The word government was said.", "en-de"),
        ("An iPhone is here.", "Un iPhone est ici.", "fr-en"),
        ("Es war eine impulsive Entscheidung.", "It was an impulsive decision.", "en-de"),
        ("Es ist tolerant und pink.", "It is tolerant and pink.", "en-de"),
        ("Halt meine Tastatur :helix:", "Hold my keyboard :helix:", "en-de"),
        ("Run main.py or visit стопкоронавирус.рф", "Запустите", "ru-en"),
    ],
)
def test_words_that_belong_there(line: str, source: str, pair: str) -> None:
    assert found("untranslated", line, source, pair) == []


def test_an_unknown_kind_raises() -> None:
    assert set(CHECKS) <= set(kinds())
    with pytest.raises(AlbeitError, match="there is no check 'spelling'; there are untranslated"):
        check_named("spelling")
