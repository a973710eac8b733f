"""Each check by hand: what it flags, and what it must leave alone."""

import json

import pytest

from albeit.diagnose.check import Finding, Passage, check_named
from albeit.diagnose.numbers import numbers_in
from albeit.errors import AlbeitError

COPY = "Er wohnt in 12 Städten."
GERMAN = "Der Mann ging nach Hause und schlief dort."


def found(kind: str, line: str, source: str, pair: str) -> list[Finding]:
    source_lang, target_lang = pair.split("-")
    passage = Passage((line,), (source,), target_lang, source_lang)
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
        ("They found 7 of them.", "Man fand sieben.", "de-en", []),
        ("In 5 days, not twelve", "In fünf Tagen, nicht 12", "de-en", []),
        ("123,456,789 people", "123456789人", "zh-en", []),
        ("the May 1 holiday", "五一假期", "zh-en", []),
        ("1.8 thousand million yuan", "1,8 milliard de yuan", "fr-en", []),
        ("25 000 tourists", "25 Tausend Touristen", "de-en", []),
        ("1,000.5 euros", "1.000,5 Euro", "de-en", []),
        ("120 million people", "1.2亿人", "zh-en", []),
        ("At 3 pm on May 12", "下午15点，5月12日", "zh-en", []),
        ("at 18:00", "18时", "zh-en", []),
        ("The 21st century", "Das einundzwanzigste Jahrhundert, das 21.", "de-en", []),
        ("In 2020, on July 26", "7月26日", "zh-en", []),
        ("four thousand soldiers, 4000", "четыре тысячи солдат", "ru-en", []),
        ("See http://x.org/17", "Siehe dort", "de-en", []),
        ("COVID-19 spreads", "新冠肺炎蔓延", "zh-en", []),
        ("60 to 85 billion kWh", "600至850亿千瓦时", "zh-en", []),
        ("won by 25:19 and 25:16", "以25:19，25:16", "zh-en", []),
        ("about 376,000 metres", "约37.6万米", "zh-en", []),
        ("the 19th and 20th centuries", "des XIXe et XXe siècles", "fr-en", []),
        ("5 000 light years", "5000 Lichtjahre", "de-en", []),
    ],
)
def test_numbers_that_differ(line: str, source: str, pair: str, flagged: list[str]) -> None:
    findings = found("numbers", line, source, pair)
    assert words(line, findings) == flagged
    assert all(each.suggestion == "1968" for each in findings if "1968" in source)


@pytest.mark.parametrize(
    ("line", "source", "pair", "flagged"),
    [
        ("He said 你好 to us.", "他对我们说你好。", "zh-en", ["你好"]),
        ("Er sagte das government nicht.", "He named the government not.", "en-de", ["government"]),
        ("The mujer laughed.", "La mujer se rió.", "es-en", ["mujer"]),
        (COPY, COPY, "de-en", [COPY]),
        (GERMAN, "Der Mann ging am Abend nach Hause, wo er schlief.", "de-en", [GERMAN]),
        ("It is guanxi (关系), they say.", "他们说这是关系。", "zh-en", []),
        ("Das ist international normal.", "This is international and normal.", "en-de", []),
        ("Angela Merkel, Berlin", "Angela Merkel, Berlin", "de-en", []),
        ("Das Wort „government“ fiel.", "The word government was said.", "en-de", []),
        ("An iPhone is here.", "Un iPhone est ici.", "fr-en", []),
        ("Es war eine impulsive Entscheidung.", "It was an impulsive decision.", "en-de", []),
        ("Es ist tolerant und pink.", "It is tolerant and pink.", "en-de", []),
        ("Halt meine Tastatur :helix:", "Hold my keyboard :helix:", "en-de", []),
        ("Run main.py or visit стопкоронавирус.рф", "Запустите", "ru-en", []),
    ],
)
def test_words_that_were_left(line: str, source: str, pair: str, flagged: list[str]) -> None:
    assert words(line, found("untranslated", line, source, pair)) == flagged


def test_an_unknown_kind_raises() -> None:
    with pytest.raises(AlbeitError, match="there is no check 'spelling'; there are untranslated"):
        check_named("spelling")


def test_a_finding_as_json_says_everything() -> None:
    finding = Finding("numbers", 3, 10, 12, "the source has 17", 0.9, "17", (("source", "17 Uhr"),))
    shown = json.loads(json.dumps(finding.to_json()))
    assert " ".join(shown) == "kind line start end message probability suggestion evidence"
    assert list(shown.values())[:4] == ["numbers", 3, 10, 12]
    assert shown["evidence"] == [{"name": "source", "words": "17 Uhr"}]


def values(line: str) -> list[set[float]]:
    return [{float(v) for v in each.values} for each in numbers_in(line) if each.sure]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("25 million in 1999", [{25e6}, {1999}]),
        ("$3.5bn", [{3.5e9}]),
        ("1,000.5", [{1000.5}]),
        ("1.000,5 und 4,5", [{1000.5}, {4.5}]),
        ("1.000 Menschen", [{1000, 1}]),
        ("10 000 francs", [{10000}]),
        ("0,500", [{0.5}]),
        ("12.05.2020", [{12}, {5}, {2020}]),
        ("3亿5000万元", [{350e6}]),
        ("1万4092人", [{14092}]),
        ("1100多万", [{11e6}]),
        ("25 million 300", [{25e6}, {300}]),
        ("60 to 85 billion", [{60, 60e9}, {85e9}]),
        ("二十五人，二〇二〇年", [{25}, {2020}]),
        ("三千二百万，三点一四", [{32e6}, {3.14}]),
        ("６成", [{6, 60}]),
        ("٢٥ كتابا", [{25}]),
    ],
)
def test_digits_numerals_and_multipliers(line: str, expected: list[set[float]]) -> None:
    assert values(line) == expected
