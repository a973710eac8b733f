"""Take the pictures of the pages in docs/images from the present program, with a headless Chromium.

PYTHONPATH=src python -m tests.browser.pictures
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.conftest import OPTIONS, chromium
from tests.conftest import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IMAGES = ROOT / "docs" / "images"
DEMO, ERRORS = ROOT / "examples" / "demo", ROOT / "examples" / "errors"
ALBEIT = [sys.executable, "-m", "albeit"]
REPORTS: dict[str, list[str | Path]] = {
    "errors": [ERRORS / "ref.txt", "-i", ERRORS / "systems/old.txt", ERRORS / "systems/new.txt"],
    "demo": [DEMO / "ref.A.txt", DEMO / "ref.B.txt", "-i", *sorted(DEMO.glob("systems/*.txt"))],
}


def write_report(folder: Path, name: str, *more: str) -> str:
    """Write the report of a set; return its address."""
    texts = ROOT / "examples" / name
    path = folder / f"{name}.html"
    words: list[str | Path] = [
        "--source",
        texts / "src.txt",
        "--docs",
        texts / "docids.txt",
        "--source-lang",
        "de",
    ]
    subprocess.run([*ALBEIT, "report", *REPORTS[name], *words, *more, "-o", path, "-q"], check=True)
    return path.as_uri()


def open_page(browser: Browser, address: str, height: int) -> Page:
    """Open a page of 1,000 pixels."""
    page = browser.new_page(viewport={"width": 1000, "height": height})
    page.goto(address)
    page.wait_for_timeout(1000)
    return page


def main() -> None:
    """Write all pictures."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        browser = playwright.chromium.launch(executable_path=chromium(), args=OPTIONS)
        errors = write_report(folder, "errors", "--profile", "all", "--title", "Old and new system")
        open_page(browser, errors, 720).screenshot(path=IMAGES / "report-summary.png")
        page = open_page(browser, errors, 2400)  # all of it, below the menu that stays on top
        page.get_by_role("tab", name="Discourse profile").click()
        page.get_by_role("button", name="pronouns in context").click()
        heading = page.get_by_role("heading", name="pronouns in context: flagged errors")
        heading.locator("..").locator("summary:has-text('Evidence')").first.click()
        heading.locator("..").screenshot(path=IMAGES / "flagged-error.png")
        demo = write_report(folder, "demo", "--title", "Demonstration")
        page = open_page(browser, demo, 900)
        page.get_by_role("tab", name="Segments").click()
        page.locator(".row").first.click()
        page.wait_for_timeout(500)
        page.screenshot(path=IMAGES / "report-segment.png")
        words = [*ALBEIT, "serve", "--port", "8099", "--folder", f"{folder}/runs"]
        with subprocess.Popen(words) as server:
            time.sleep(5)
            open_page(browser, "http://127.0.0.1:8099", 760).screenshot(path=IMAGES / "serve.png")
            server.terminate()
        browser.close()


if __name__ == "__main__":
    main()
