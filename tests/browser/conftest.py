"""A real browser (Debian's Chromium, or any that Playwright can start); skipped without one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOW = "see 'make browser-test' for how to install one"
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def chromium() -> str | None:
    """Where a Chromium is: ``ALBEIT_CHROMIUM``, or one on the path."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("ALBEIT_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    api = pytest.importorskip("playwright.sync_api", reason=f"needs Playwright; {HOW}")
    path = chromium()
    with api.sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        except api.Error as error:
            pytest.skip(f"no browser can be started ({str(error).splitlines()[0]}); {HOW}")
        yield started
        started.close()


class Visit:
    """A page, with everything that its console said and every address that it asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))

    def open(self, path: Path, fragment: str = "", shows: str = "nav [role=tab]") -> Page:
        """Open a file, without a network, and wait until all of it is there, and what it shows."""
        self.page.context.set_offline(True)
        self.page.goto(f"about:blank#{fragment}")  # a new fragment alone would not load again
        self.page.goto(f"{path.as_uri()}{fragment and '#' + fragment}")
        self.page.wait_for_selector("html[data-whole]", state="attached")
        self.page.wait_for_selector(shows)
        return self.page

    def is_quiet(self) -> bool:
        """No message on the console, and nothing asked for but files."""
        return not self.said and all(
            url.startswith(("file:", "about:", "blob:")) for url in self.asked
        )


def accessibility_errors(page: Page, place: str) -> list[tuple[str, ...]]:
    """What axe finds on a page: the place, the rule, and the element."""
    api = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe")
    found = api.Axe().run(page).response["violations"]
    return [(place, each["id"], each["nodes"][0]["html"][:200]) for each in found]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """A fresh page, in light colours, on a laptop's screen."""
    context = browser.new_context(
        viewport={"width": 1200, "height": 900}, color_scheme="light", accept_downloads=True
    )
    yield Visit(context.new_page())
    context.close()
