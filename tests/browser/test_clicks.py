"""Seventy clicks through a report, as a reader goes: after each, something is there and nothing is said on the console."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator

from tests.browser.conftest import Visit
from tests.browser.test_looks import SIZES, demo, sized

__all__ = ["demo"]


class Reader:
    """Who clicks and chooses, and looks each time whether the page still stands."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.page, self.done = visit, visit.page, 0

    def click(self, place: Locator) -> None:
        place.click()
        self._look(str(place))

    def field(self, label: str) -> Locator:
        return self.page.locator(f'label:has(> span:text-is("{label}")) > select')

    def choose(self, label: str, value: str) -> None:
        self.field(label).select_option(value)
        self._look(f"{label}: {value}")

    def tab(self, name: str) -> None:
        self.click(self.page.get_by_role("tab", name=name))

    def button(self, name: str, nth: int = 0) -> None:
        self.click(self.page.get_by_role("button", name=name, exact=True).nth(nth))

    def _look(self, what: str) -> None:
        self.done += 1
        assert self.visit.is_quiet(), (what, self.visit.said)
        assert self.page.locator("main h2").first.is_visible(), what
        width = self.page.viewport_size["width"] if self.page.viewport_size else 0
        assert self.page.evaluate("document.documentElement.scrollWidth") <= width, what


@pytest.mark.parametrize("size", SIZES)
def test_seventy_clicks(visit: Visit, demo: Path, size: str) -> None:
    sized(visit, size)
    reader = Reader(visit)
    page = visit.open(demo)
    _summary(reader)
    _profile(reader)
    _segments(reader, size)
    _documents(reader)
    _rest(reader)
    assert reader.done >= 70
    page.go_back()
    assert page.locator("main h2").first.is_visible()


def _summary(reader: Reader) -> None:
    heads = reader.page.locator("table.scores").first.locator("button.sort")
    for number in (0, 0, 1, 1, 2, 2):
        reader.click(heads.nth(number))
    for metric in ("judge", "chrf"):
        reader.choose("metric", metric)
    for _ in range(2):
        reader.click(reader.page.get_by_text("How to get these scores again"))
    for _ in range(2):
        reader.click(reader.page.locator("button.theme"))


def _profile(reader: Reader) -> None:
    reader.tab("profile")
    for _ in range(3):
        reader.button("pronouns")
    reader.click(reader.page.locator(".instances summary").first)
    reader.click(reader.page.locator(".instances summary").first)
    reader.click(reader.page.get_by_text("Not measured").first)
    reader.click(reader.page.locator(".instance a").first)  # goes to the segment
    reader.button("Close")


def _segments(reader: Reader, size: str) -> None:
    page = reader.page
    if size == "phone":
        reader.click(page.get_by_text("Filters: none"))
    for metric in ("judge", "chrf", "judge"):
        reader.choose("metric", metric)
    for order in ("a-wins", "b-wins", "worst", "best", "order", "apart"):
        reader.choose("sort by", order)
    for which in ("a", "b", "explained", ""):
        reader.choose("show", which)
    for beside in ("source", ""):
        reader.choose("beside", beside)
    for document in ("bees", ""):
        reader.choose("document", document)
    page.get_by_label("text", exact=True).fill("no such words")
    reader.button("Clear them")
    reader.click(page.locator(".row").first)
    for name in ("chrf", "judge"):
        reader.button(name)
    for name in ("Next", "Next", "Previous", "Close"):
        reader.button(name)
    reader.click(page.locator(".row").nth(1))
    reader.click(page.locator(".opened header a"))  # its document


def _documents(reader: Reader) -> None:
    page = reader.page
    heads = page.locator(".tall button.sort")
    for number in range(heads.count()):
        reader.click(heads.nth(number))
    for metric in ("judge", "chrf"):
        reader.choose("metric", metric)
    for number in (0, 2, 3):
        reader.click(page.locator(".tall tbody button").nth(number))
    reader.button("Previous")
    reader.button("Next")
    for side, text in (("left", "blunt"), ("right", "shuffled"), ("left", "reference ref.A")):
        reader.choose(side, text)
    reader.click(page.locator(".pair a").first)  # its segment
    reader.button("Close")


def _rest(reader: Reader) -> None:
    page = reader.page
    reader.tab("Buckets")
    options = reader.field("by").locator("option")
    for value in [str(each.get_attribute("value")) for each in options.all()]:
        reader.choose("by", value)
    reader.choose("metric", "judge")
    reader.tab("Metrics")
    reader.choose("system", "shuffled")
    reader.choose("across", "judge")
    reader.choose("up", "chrf")
    reader.click(page.locator(".scatter .dot").first)  # opens its segment
    reader.button("Close")
    reader.tab("Summary")
