"""Lines that aren't in the target language."""

from __future__ import annotations

import warnings

import pytest

import albeit
from albeit.data.plausible import is_off_target, warn_of_off_target
from albeit.errors import AlbeitWarning

LINES = {
    "en": "The government said that it would not change the law this year.",
    "de": "Die Regierung sagte, dass sie das Gesetz in diesem Jahr nicht ändern wird.",
    "ru": "Правительство заявило, что не будет менять закон в этом году.",
    "uk": "Уряд заявив, що цього року не змінюватиме закон.",
    "zh": "政府表示今年不会修改这项法律。",
    "ja": "政府は今年この法律を改正しないと述べた。",
    "ko": "정부는 올해 이 법을 개정하지 않겠다고 밝혔다.",
    "hi": "सरकार ने कहा कि वह इस साल कानून नहीं बदलेगी।",
}


@pytest.mark.parametrize("target", [*LINES, "cs"])
def test_each_language_against_the_others(target: str) -> None:
    found = {code for code, line in LINES.items() if is_off_target(line, target)}
    assert found == LINES.keys() - {target}


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("", "de"),
        ("Microsoft Office 365", "zh"),
        ("使用 Microsoft Office 365。", "zh"),
        ("https://www.example.com/the-law-of-the-year and@the.com", "ja"),
        ("東京都", "ja"),
        ("免费Matt Gray贴纸。", "zh"),
        ("@user48 #TeaganAir #pilot #flying #pa28 #PilotTraining", "zh"),
        ("Angela Merkel, Emmanuel Macron, Boris Johnson, Giuseppe Conte", "en"),
    ],
)
def test_what_is_not_clear_is_on_target(line: str, target: str) -> None:
    assert not is_off_target(line, target)


def test_a_warning_and_a_metric() -> None:
    lines = (LINES["de"],) * 8
    mixed = (*lines[:6], LINES["en"], LINES["en"])
    evalset = albeit.EvalSet({"ref": lines}, {"good": lines, "mixed": mixed}, target_lang="de")
    with pytest.warns(
        AlbeitWarning, match=r"'mixed': 2 of 8 lines are not in 'de' \(line 7"
    ) as told:
        warn_of_off_target(evalset)
    assert len(told) == 1
    assert albeit.score(evalset, ["on-target"])["on-target"].system.tolist() == [1.0, 0.75]
    view = albeit.explain(evalset, "on-target", segments=[7])[1]
    assert (view.losses[0].label, view.losses[0].amount) == ("not in 'de'", 1.0)
    wrong = albeit.EvalSet({"ref": lines}, {"all": (LINES["en"],) * 8}, target_lang="de")
    with warnings.catch_warnings(action="error"):
        warn_of_off_target(wrong)  # has a warning of its own, about the whole text
