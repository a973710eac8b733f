"""Explanations and chains on a page of their own: the report's components, from disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from albeit import EvalSet, explain, score
from albeit.data.evalset import Document
from albeit.diagnose.profile import KINDS, gather
from albeit.evaluation import Evaluation
from albeit.metrics.cohesion import Cohesion
from albeit.report.profile import profile_page
from albeit.report.views import render_views, side_by_side
from tests.browser.conftest import Visit

TEXTS = ("The 😀 bridge fell.", "Engineers saw the bridge.", "A bridge is a bridge.")
OTHER = ("The 😀 viaduct fell.", "Engineers saw the bridge.", "<b>It</b> is.")


@pytest.fixture
def evalset() -> EvalSet:
    return EvalSet({"ref": TEXTS}, {"a": OTHER})


def test_an_explanation_marks_its_words(visit: Visit, tmp_path: Path, evalset: EvalSet) -> None:
    path = tmp_path / "why.html"
    path.write_text(render_views(explain(evalset, "ter", segments=[1, 3]), "html"), "utf-8")
    page = visit.open(path, shows=".view")
    assert page.locator("h1").inner_text() == "Explained by ter"
    assert page.locator(".view h2").all_inner_texts() == ["a, segment 1", "a, segment 3"]
    marked = page.locator(".view").first.locator("mark.own").all_inner_texts()
    assert marked == ["viaduct", "bridge"]  # behind a character that a browser counts twice
    assert page.locator(".view b").all_inner_texts() == ["ter", "ter"]  # <b> stays text
    assert "Where the score was lost" in page.locator(".view").first.inner_text()
    assert visit.is_quiet(), visit.said


def test_trees_are_drawn(visit: Visit, tmp_path: Path) -> None:
    told = "Although it rained, they went out."
    evalset = EvalSet({"ref": (told,)}, {"a": ("It rained. They went out.",)})
    path = tmp_path / "why.html"
    path.write_text(render_views(explain(evalset, "dr", segments=[1]), "html"), "utf-8")
    page = visit.open(path, shows="svg.tree")
    assert page.locator("svg.tree").count() == 2
    assert visit.is_quiet(), visit.said


def test_chains_are_strips(visit: Visit, tmp_path: Path, evalset: EvalSet) -> None:
    path = tmp_path / "chains.html"
    views = side_by_side(Evaluation(evalset), Cohesion(), [evalset.documents[0].id])
    path.write_text(render_views(list(views), "html"), "utf-8")
    page = visit.open(path, shows=".strips")
    assert "bridge" in page.locator(".strips th[scope=row]").all_inner_texts()
    assert page.locator(".strips i.gone").count() >= 1
    visit.page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert visit.is_quiet(), visit.said


def test_a_profile_on_a_page_of_its_own(visit: Visit, tmp_path: Path) -> None:
    lines = ("The <b>bank</b> closed.", "The bank opened.", "A bank is a bank.")
    evalset = EvalSet(
        {"ref": lines},
        {"same": lines, "other": tuple(line.replace("bank", "<i>shop</i>", 1) for line in lines)},
        documents=(Document("one", 0, 2), Document("two", 2, 3)),
    )
    table = score(evalset, ["cohesion"])
    kinds = [kind for kind in KINDS if kind.metric == "cohesion"]
    profile = gather(
        Evaluation(evalset), table, kinds, {"terms": "why <b>not</b>"}, seed=1, baseline="other"
    )
    path = tmp_path / "profile.html"
    path.write_text(profile_page(profile, (None, "en")), encoding="utf-8")
    page = visit.open(path, shows="main table")
    assert "is tested against other" in page.locator("main").inner_text()
    places = page.locator(".instances")
    assert "<i>shop</i>" in places.inner_text()
    assert page.locator(".instances i").count() == 0
    page.get_by_role("button", name="lexical cohesion").click()
    assert "kind=lexical" in page.url
    page.get_by_text("Not measured: terms").click()
    assert page.get_by_text("why <b>not</b>").is_visible()
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert visit.is_quiet(), visit.said
