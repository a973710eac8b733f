"""The pictures of README and documentation, made from the demonstration set in a real browser.

python tools/screenshots.py            writes docs/images/*.png

Needs Playwright and a Chromium (see ``make browser-test``), and the extra ``albeit[web]``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / "examples" / "demo"
IMAGES = ROOT / "docs" / "images"
SYSTEMS = [f"systems/{name}.txt" for name in ("careful", "scattered", "blunt", "shuffled")]
LARGEST = 150_000
"""Bytes; what readers of a web page should not have to wait for."""


def main() -> None:
    """Make the report, start a server, take the pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        report = Path(folder) / "report.html"
        albeit(
            "report",
            "ref.A.txt",
            "ref.B.txt",
            "-i",
            *SYSTEMS,
            "--docs",
            "docids.txt",
            "--source",
            "src.txt",
            "--source-lang",
            "de",
            "-m",
            "bleu",
            "chrf",
            "ter",
            "dr-lex",
            "cohesion",
            "judge",
            "-o",
            str(report),
            "--title",
            "albeit's demonstration set",
        )
        path = os.environ.get("ALBEIT_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        blamed = "tab=segments&a=careful&b=blunt&metric=judge&open=2&why=judge"
        pictures = {
            "report-summary": ("", "h1", 900, "light"),
            "report-segment": (blamed, ".opened h4", 800, "light"),
            "report-dark": (
                "tab=documents&doc=bread&chain=bread&right=scattered",
                "h1",
                800,
                "dark",
            ),
        }
        for name, (fragment, top, height, scheme) in pictures.items():
            page = opened(browser, height, scheme)
            page.goto(f"{report.as_uri()}#{fragment}")
            page.wait_for_selector("nav [role=tab]")
            taken(page, name, top)
        serve(browser, Path(folder) / "runs")
        browser.close()


def albeit(*arguments: str) -> None:
    """Run a command in the demonstration set's folder."""
    subprocess.run([sys.executable, "-m", "albeit", *arguments], check=True, cwd=DEMO)


def opened(browser: Browser, height: int, scheme: str = "light") -> Page:
    """An empty page of a laptop's width."""
    size = {"width": 1100, "height": height}
    return browser.new_page(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]


def taken(page: Page, name: str, top: str = "h1") -> None:
    """What is in sight from some element on, as a picture; one that is too large is an error."""
    page.locator(top).first.evaluate("element => element.scrollIntoView({ block: 'start' })")
    page.wait_for_timeout(300)
    path = IMAGES / f"{name}.png"
    page.screenshot(path=path)
    size = path.stat().st_size
    if size > LARGEST:
        sys.exit(f"{path} has {size:,} bytes; {LARGEST:,} at most. Show less.")
    print(f"{path.relative_to(ROOT)}: {size:,} bytes")


def serve(browser: Browser, folder: Path) -> None:
    """The server's start page with one run done."""
    command = [sys.executable, "-m", "albeit", "serve", "--port", "0", "--folder", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = re.search(r"http://\S+", server.stdout.readline())
        assert address is not None
        page = opened(browser, 1200)
        page.goto(address[0])
        page.get_by_label("title").fill("careful and blunt")
        page.locator("[name=systems]").set_input_files([DEMO / SYSTEMS[0], DEMO / SYSTEMS[2]])
        page.locator("[name=references]").set_input_files([DEMO / "ref.A.txt"])
        page.locator("[name=documents]").set_input_files([DEMO / "docids.txt"])
        page.locator("[name=metric][value=ter]").check()
        page.get_by_role("button", name="Score").click()
        page.wait_for_selector("nav [role=tab]", timeout=180_000)  # its report
        page.goto(address[0])
        page.wait_for_selector(".runs table")
        taken(page, "serve")
        server.terminate()


if __name__ == "__main__":
    main()
