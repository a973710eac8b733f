"""The report as a reader has it: opened from disk, without a network, in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from albeit import EvalSet, score
from albeit.data.evalset import Document
from albeit.evaluation import Evaluation
from albeit.report.page import render_page
from albeit.report.page.build import report_data
from tests.browser.conftest import Visit

HOSTILE = (
    "<img src=x onerror=alert(1)> \"'` javascript:alert(2) \u202eRTL\u202c"
    " </script><script>alert(3)</script> 😀 end"
)
SEGMENTS = 60


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems, two documents, hostile names and texts; explanations of some segments."""
    reference = [f"Number {n} is a line that says what {n * n} is." for n in range(SEGMENTS)]
    reference[7] = HOSTILE
    near = tuple(line.replace("line", "row") for line in reference)
    far = tuple("Something else." if n % 3 else line for n, line in enumerate(near))
    evalset = EvalSet(
        {"ref": tuple(reference)},
        {"near": near, "far": far, HOSTILE: tuple(reference)},
        tuple(reference),
        (Document("one", 0, 30), Document(HOSTILE, 30, SEGMENTS)),
        "de",
        "en",
        "toy",
    )
    table = score(evalset, ["chrf", "ter", "cohesion"])
    profile = score(evalset, ["cohesion"])
    path = tmp_path_factory.mktemp("report") / "report.html"
    data = report_data(Evaluation(evalset), table, profile, title=HOSTILE, explain=20)
    path.write_text(render_page(data, warnings=[HOSTILE]), encoding="utf-8")
    return path


def numbers(visit: Visit) -> list[int]:
    """The segments in sight, from the top."""
    return [int(text) for text in visit.page.locator(".row .number").all_inner_texts()]


def test_every_part_opens_and_the_console_stays_empty(visit: Visit, report: Path) -> None:
    page = visit.open(report)
    assert page.locator("h1").inner_text().startswith("<img src=x")
    assert page.locator(".read-first li").first.inner_text().startswith("<img src=x")
    for name in page.locator("nav [role=tab]").all_inner_texts():
        page.get_by_role("tab", name=name).click()
        assert page.locator("main h2").first.is_visible()
    assert visit.is_quiet(), (visit.said, visit.asked)


def test_sorting_and_filtering(visit: Visit, report: Path) -> None:
    page = visit.open(report, "tab=segments&a=near&b=far")
    page.get_by_label("sort by").select_option("order")
    assert numbers(visit)[:3] == [1, 2, 3]
    page.get_by_label("sort by").select_option("a-wins")
    assert numbers(visit)[0] % 3 != 1  # where the other system says something else
    page.get_by_label("text", exact=True).fill("what 841 is")
    assert page.get_by_role("status").inner_text().startswith("1 of 60")
    assert numbers(visit) == [30]
    page.get_by_label("text", exact=True).fill("")
    page.get_by_label("document").select_option(HOSTILE)
    assert page.get_by_role("status").inner_text().startswith("30 of 60")
    page.get_by_label("show").select_option("b")
    assert page.get_by_role("status").inner_text().startswith("0 of 60")
    page.get_by_label("document").select_option("")
    page.get_by_label("show").select_option("explained")
    assert page.get_by_role("status").inner_text().startswith("20 of 60")
    assert visit.is_quiet(), visit.said


def test_an_explanation_opens_and_can_be_linked(visit: Visit, report: Path) -> None:
    page = visit.open(report, "tab=segments&a=near&b=far&sort=a-wins")
    page.locator(".row").first.click()
    page.get_by_role("button", name="ter", exact=True).click()
    assert "Where the score was lost" in page.locator(".views").inner_text()
    first, second = (f"Segment {number}" for number in numbers(visit)[:2])
    page.get_by_role("button", name="Next").click()  # in the order of the table
    assert page.locator(".opened h3").inner_text().startswith(second)
    page.get_by_role("button", name="Previous").click()
    assert page.locator(".opened h3").inner_text().startswith(first)
    assert page.get_by_role("button", name="Previous").is_disabled()
    assert page.locator(".view h5").all_inner_texts()[:2] == ["near", "far"]
    address = page.url
    heading = page.locator(".opened h3").inner_text()
    again = visit.open(report, address.partition("#")[2])
    assert again.locator(".opened h3").inner_text() == heading
    assert again.locator(".choices [aria-pressed=true]").inner_text() == "ter"
    assert visit.is_quiet(), visit.said


def test_hostile_text_stays_text_and_tokens_fall_on_words(visit: Visit, report: Path) -> None:
    page = visit.open(report, "tab=segments&open=8&why=ter&b=far")
    assert page.locator("img").count() == 0
    assert "onerror=alert(1)" in page.locator(".opened .texts").inner_text()
    words = page.locator(".views mark").all_inner_texts()
    assert {"😀", "end"} <= set(words)  # behind a character that a browser counts twice
    page.get_by_role("tab", name="Documents").click()
    page.locator("tbody th button").nth(1).click()
    page.locator("tbody th button", has_text="onerror").click()
    assert page.locator(".reading p").count() == 60
    assert page.locator("a[href^='javascript']").count() == 0
    assert visit.is_quiet(), visit.said


def test_a_document_is_explained_with_its_chains(visit: Visit, report: Path) -> None:
    page = visit.open(report, "tab=documents&doc=one")
    assert page.locator(".choices [aria-pressed=true]").inner_text() == "cohesion"
    assert page.locator(".strips").count() == 1  # of the system that is read
    page.get_by_label("left").select_option("far")
    assert page.locator(".strips").count() == 2
    assert page.locator(".view .compared").first.inner_text().count("\n") == 29  # a line a segment
    assert visit.is_quiet(), visit.said


def test_by_keyboard_alone(visit: Visit, report: Path) -> None:
    page = visit.open(report)
    page.get_by_role("tab", name="Summary").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("tab", name="Segments").get_attribute("aria-selected") == "true"
    page.get_by_role("listbox").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    assert page.locator(".opened").is_visible()
    assert visit.is_quiet(), visit.said


def test_the_filtered_table_is_saved_as_tsv(visit: Visit, report: Path, tmp_path: Path) -> None:
    page = visit.open(report, "tab=segments&text=what+841+is")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save these as TSV").click()
    download.value.save_as(tmp_path / "saved.tsv")
    head, *rows = (tmp_path / "saved.tsv").read_text(encoding="utf-8").splitlines()
    assert head.split("\t")[:5] == ["segment", "document", "system", "chrf", "ter"]
    assert [row.split("\t")[:3] for row in rows] == [
        ["30", "one", "near"],
        ["30", "one", "far"],
        ["30", "one", HOSTILE],
    ]
    assert {row.count("\t") for row in rows} == {head.count("\t")}


def ground(visit: Visit) -> int:
    """How bright the page is, from 0 to 255."""
    colour = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    return max(int(n) for n in re.findall(r"\d+", colour))


def test_dark_by_the_system_and_by_the_button(visit: Visit, report: Path) -> None:
    page = visit.open(report)
    assert ground(visit) > 200
    page.get_by_role("button", name="Dark colors").click()
    page.get_by_role("button", name="Light colors").wait_for()
    assert ground(visit) < 60
    page.emulate_media(color_scheme="dark")
    visit.open(report)
    assert ground(visit) < 60


def test_scores_alone_make_a_report_without_texts(visit: Visit, tmp_path: Path) -> None:
    lines = tuple(f"This is line {n}." for n in range(30))
    worse = tuple(line.replace("This", "That") for line in lines)
    documents = (Document("one", 0, 15), Document("two", 15, 30))
    evalset = EvalSet({"ref": lines}, {"a": lines, "b": worse}, documents=documents)
    path = tmp_path / "scores.html"
    data = report_data(None, score(evalset, ["chrf", "ter", "cohesion"]))
    path.write_text(render_page(data), encoding="utf-8")
    page = visit.open(path)
    tabs = page.locator("nav [role=tab]").all_inner_texts()
    assert tabs == ["Summary", "Segments", "Documents", "Buckets", "Metrics"]
    for name in tabs:
        page.get_by_role("tab", name=name).click()
        assert page.locator("main h2").first.is_visible()
    page.get_by_role("tab", name="Segments").click()
    page.locator(".row").first.click()
    assert "chrf" in page.locator(".opened").inner_text()
    assert page.get_by_label("text", exact=True).count() == 0
    assert visit.is_quiet(), visit.said


def test_paper_has_all_rows_and_no_empty_pages(visit: Visit, report: Path) -> None:
    page = visit.open(report, "tab=segments&a=near&b=far&sort=order")
    assert page.locator(".row").count() < SEGMENTS
    sheets = len(re.findall(rb"/Type\s*/Page\b", page.pdf()))
    assert 2 <= sheets <= 12
    page.evaluate("() => { dispatchEvent(new Event('beforeprint')); }")
    page.wait_for_timeout(50)
    assert page.locator(".row").count() == SEGMENTS
    page.emulate_media(media="print")
    assert page.locator("nav").is_hidden()
    height = page.locator(".sheet").evaluate("element => element.scrollHeight")
    assert height < 60 * SEGMENTS
    visit.open(report, "tab=profile", shows="main table")
    assert page.get_by_text("lexical cohesion").first.is_visible()  # names of rows are buttons


def test_damaged_explanations_are_told(visit: Visit, report: Path, tmp_path: Path) -> None:
    text = report.read_text(encoding="utf-8")
    broken = tmp_path / "cut.html"
    broken.write_text(re.sub(r'(id="later">)[^<]{40}', r"\1", text), encoding="utf-8")
    page = visit.page
    page.goto(f"{broken.as_uri()}#tab=segments")
    page.get_by_text("This page cannot be shown").wait_for()  # damage is told, not passed over
    visit.open(report, "tab=segments&better=explained")
    assert page.get_by_role("status").inner_text().startswith("20 of 60")


def test_the_best_two_are_compared_and_escape_closes(visit: Visit, report: Path) -> None:
    page = visit.open(report)
    names = page.locator("table.pairs tbody th").all_inner_texts()
    ranked = page.locator("section table.scores").first.locator("tbody th").all_inner_texts()
    assert names == ranked[:-1]
    assert page.locator("table.pairs thead th").all_inner_texts()[1:] == ranked[1:]
    page = visit.open(report, "tab=segments&open=3")
    labels = ("label.field:has(> span:text-is('A'))", "label.field:has(> span:text-is('B'))")
    chosen = [page.locator(f"{label} select").input_value() for label in labels]
    assert chosen == ranked[:2]
    page.keyboard.press("Escape")
    assert page.locator("article.opened").count() == 0
    assert visit.is_quiet()


def test_the_profile_is_stacked_by_system_on_a_phone(visit: Visit, report: Path) -> None:
    visit.page.set_viewport_size({"width": 390, "height": 800})
    page = visit.open(report, "tab=profile")
    cell = page.locator(".stacked td").first
    box = cell.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= 390
    label = cell.evaluate("each => getComputedStyle(each, '::before').content")
    assert "toy" not in label
    assert cell.get_attribute("data-label") in label
