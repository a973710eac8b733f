"""The page as a file: its policy fits its script, texts never become markup, text is readable."""

from __future__ import annotations

import base64
import hashlib
import re
from html import unescape
from importlib.resources import files

import pytest

from albeit import EvalSet, score
from albeit.evaluation import Evaluation
from albeit.report.page import render_page
from albeit.report.page.build import report_data
from tests.report.page.conftest import data_of

HOSTILE = '</script><script>alert(1)</script> & "\u2028 \u202e javascript:alert(1)'
ASSETS = files("albeit.report.page").joinpath("assets")


@pytest.fixture(scope="module")
def page() -> str:
    evalset = EvalSet({HOSTILE: (HOSTILE, "b")}, {HOSTILE: (HOSTILE, "c")}, name=HOSTILE)
    return render_page(report_data(Evaluation(evalset), score(evalset, ["chrf"]), title=HOSTILE))


def test_texts_and_names_are_data_never_markup(page: str) -> None:
    assert "alert(1)</script>" not in page
    assert page.count("<script") == 3  # two of data, one that runs
    assert "\u2028" not in page.replace("&", "").split("<title>")[0]
    data = data_of(page)
    assert data["title"] == data["systems"][0] == data["lines"][0][0] == HOSTILE


def test_the_policy_allows_exactly_the_page_s_own_script_and_style(page: str) -> None:
    policy = unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])  # type: ignore[index]
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    for tag in ("script", "style"):
        body = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[-1]
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not re.search(r"\son[a-z]+=\"", page.split("<body>")[0])


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


SOFT = ("ground", "card", "accent-ground", "own-ground", "good-ground")
GROUNDS = {
    **dict.fromkeys(("own", "good", "differ", *(f"t{n}" for n in range(8))), SOFT[:2]),
    "ink": (*SOFT, "chain-ground", "differ-ground"),
    "soft": SOFT,
    "accent": SOFT[:3],
    "card": ("accent",),
}
"""What is written (or drawn) on what."""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast_of_all_text_is_at_least_4_5(theme: str) -> None:
    style = ASSETS.joinpath("page.css").read_text(encoding="utf-8")
    both = re.findall(r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", style)
    colours = {name: light if theme == "light" else dark for name, light, dark in both}
    assert set(GROUNDS) <= set(colours)
    for ink, grounds in GROUNDS.items():
        for ground in grounds:
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
