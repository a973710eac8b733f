"""How the report looks: on a wide screen and on a phone, in light and in dark; checked by axe."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit import EvalSet, score
from albeit.data.evalset import documents_from_ids
from albeit.evaluation import Evaluation
from albeit.report.page import render_page
from albeit.report.page.build import report_data
from tests.browser.conftest import Visit, accessibility_errors
from tests.browser.test_report import HOSTILE, report
from tests.conftest import ROOT

__all__ = ["report"]

TABS = ("summary", "profile", "segments", "documents", "buckets", "metrics")
SIZES = {"wide": (1400, 1000), "phone": (390, 800)}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demonstration set with what 'judge' blames and with pronouns that went wrong."""
    folder = ROOT / "examples" / "demo"

    def lines(name: str) -> tuple[str, ...]:
        return tuple((folder / name).read_text(encoding="utf-8").splitlines())

    evalset = EvalSet(
        {"ref.A": lines("ref.A.txt")},
        {name: lines(f"systems/{name}.txt") for name in ("blunt", "shuffled")},
        lines("src.txt"),
        documents_from_ids(lines("docids.txt")),
        "de",
        "en",
    )
    table, profile = score(evalset, ["chrf", "judge"]), score(evalset, ["pronouns"])
    data = report_data(Evaluation(evalset), table, profile, explain=24)
    path = tmp_path_factory.mktemp("demo") / "report.html"
    path.write_text(render_page(data | {"command": "albeit report <b>"}), encoding="utf-8")
    return path


def sized(visit: Visit, size: str) -> None:
    width, height = SIZES[size]
    visit.page.set_viewport_size({"width": width, "height": height})


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(visit: Visit, report: Path, demo: Path, size: str, theme: str) -> None:
    sized(visit, size)
    said: list[tuple[str, ...]] = []
    for path in (report, demo):
        for tab in TABS:
            fragment = f"tab={tab}&open=8&why=judge&kind=pronouns&chain=line&theme={theme}"
            page = visit.open(path, fragment)
            said += accessibility_errors(page, f"{path.parent.name} {tab}")
    assert not said, "\n".join(map(str, said))


def test_the_summary_is_sorted_best_first_with_its_clusters(visit: Visit, report: Path) -> None:
    page = visit.open(report)

    def column(number: int) -> list[str]:
        cells = page.locator("table.scores").first.locator(f"tbody tr > :nth-child({number})")
        return cells.all_inner_texts()

    assert column(1) == [HOSTILE, "near", "far"]
    assert column(2) == sorted(column(2))
    assert page.get_by_text("cluster by chrf").is_visible()
    page.get_by_role("button", name="ter").first.click()  # lower is better: the best first again
    assert column(1)[0] == HOSTILE
    assert page.get_by_text("cluster by ter").is_visible()
    page.get_by_role("button", name="ter").first.click()
    assert column(1)[-1] == HOSTILE
    address = page.url.partition("#")[2]
    visit.open(report, address)
    assert column(1)[-1] == HOSTILE
    head = page.locator("th[aria-sort]")
    assert (head.count(), head.get_attribute("aria-sort")) == (1, "descending")


def test_the_profile_says_against_whom_and_marks_the_pronoun(visit: Visit, demo: Path) -> None:
    page = visit.open(demo, "tab=profile&kind=pronouns")
    said = page.locator("main").inner_text()
    assert "Higher is better" in said
    assert "tested against blunt" in said
    assert "corrected" in said
    assert "case 3" not in said
    assert "which says something else than their in the reference" in said
    marked = page.locator(".instance").first.locator("mark").all_inner_texts()
    assert marked == ["its", "their", "ihren"]


def test_a_phone_folds_filters_and_keeps_the_reference(visit: Visit, report: Path) -> None:
    sized(visit, "phone")
    page = visit.open(report, "tab=segments")
    assert page.get_by_label("sort by").is_hidden()
    page.get_by_text("Filters: none").click()
    assert page.get_by_label("sort by").is_visible()
    cells = page.locator(".row").first.locator(".cell b").all_inner_texts()
    assert cells[0] == "ref"
    assert len(cells) == 3
    assert "Profile" in page.locator("nav [role=tab]").all_inner_texts()
    assert "more-right" in (page.locator("[role=tablist]").get_attribute("class") or "")
    box = page.locator("h1").bounding_box()
    assert box is not None
    assert box["height"] < 70  # two lines of a title of many
    visit.open(report, "tab=summary")
    assert page.locator(".wide.more-right").count() >= 1
