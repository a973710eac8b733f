"""The documentation site in a browser: pages fit the screen, and search works in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.browser.conftest import Visit
from tests.test_site import site

__all__ = ["site"]


@pytest.mark.parametrize("width", [1280, 390])
def test_no_page_is_wider_than_the_screen(visit: Visit, site: Path, width: int) -> None:
    page = visit.page
    page.context.set_offline(True)
    page.set_viewport_size({"width": width, "height": 900})
    for path in sorted({*site.rglob("*.html")} - {site / "404.html"}):
        page.goto(path.as_uri())
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, path.name
    assert visit.is_quiet(), (visit.said, visit.asked)


def test_search_finds_pages_of_files(visit: Visit, site: Path) -> None:
    page = visit.page
    page.context.set_offline(True)
    page.goto((site / "index.html").as_uri())
    page.wait_for_timeout(1000)  # until the index is read
    page.keyboard.press("Control+k")
    search = page.get_by_role("dialog").locator("input")
    search.press_sequentially("hallucination", delay=50)
    assert search.input_value() == "hallucination"
    page.get_by_role("dialog").get_by_text("and repetition").first.click()
    page.wait_for_url("**/metrics/judge.html*")
