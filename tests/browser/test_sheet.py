"""The sheet for connectives as an annotator has it: blind, by key and by finger, in the dark."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit.data.evalset import EvalSet
from albeit.metrics.connectives.act import Act
from albeit.metrics.connectives.scores import instances, read_sheet
from albeit.report.act import assess, sheet_page
from tests.browser.conftest import Visit
from tests.metrics.connectives.conftest import BAD, GOOD, SOURCE


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    reference = ("Es regnet.", "Nichts.", "Er wartet. <b>", "Es regnet, wir bleiben.")
    systems = {"zephyr": tuple(GOOD), "boreas": tuple(BAD)}
    evalset = EvalSet(
        {"ref": reference}, systems, tuple(SOURCE), source_lang="en", target_lang="de"
    )
    assessed = assess(evalset, Act(alignment="no"))
    path = tmp_path_factory.mktemp("sheet") / "sheet.html"
    path.write_text(sheet_page(assessed, instances(assessed)), encoding="utf-8")
    return path


def test_answers_are_blind_and_have_a_name(visit: Visit, sheet: Path, tmp_path: Path) -> None:
    page = visit.open(sheet, shows=".item")
    assert page.locator(".item").count() == 8
    for name in ("zephyr", "boreas", "case"):
        assert name not in page.content().split('id="report"')[1].split("<noscript>")[0]
    for key in "yynu":  # two judged, the third wrong, the fourth left
        page.keyboard.press(key)
    assert page.get_by_role("status").inner_text() == "3 of 8 judged"
    page.get_by_role("button", name="Save answers").click()
    assert "Give your name first" in page.get_by_role("alert").inner_text()
    page.get_by_label("your name").fill("Anna Lind/../")
    page.get_by_label("your name").blur()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save answers").click()
    assert download.value.suggested_filename == "act-answers-Anna-Lind-..-.tsv"
    download.value.save_as(tmp_path / "anna.tsv")
    found = read_sheet(tmp_path / "anna.tsv")
    assert found.rater == "Anna Lind/../"
    assert set(found.systems) == {"zephyr", "boreas"}
    said = list(found.verdicts.values())
    assert (said.count(True), said.count(False), said.count(None)) == (2, 1, 5)
    assert visit.is_quiet(), visit.said


def test_answers_stay_with_who_gave_them(visit: Visit, sheet: Path) -> None:
    page = visit.open(sheet, shows=".item")
    name = page.get_by_label("your name")
    name.fill("Ben")
    name.blur()
    page.locator(".item").nth(2).get_by_role("button", name="wrong").click()
    visit.open(sheet, shows=".item")
    assert page.get_by_role("status").inner_text() == "0 of 8 judged"
    name.fill("Ben")
    name.blur()
    assert page.get_by_role("status").inner_text() == "1 of 8 judged"
