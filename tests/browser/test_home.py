"""The server's start page in a real browser: from files to a report that explains on demand."""

from __future__ import annotations

from tests.browser.conftest import Visit
from tests.serve.conftest import Start, start

__all__ = ["start"]


def test_files_are_chosen_scored_and_read(visit: Visit, start: Start) -> None:
    page = visit.page
    page.goto(start().address)
    page.get_by_label("title").fill("<b>mine</b>")
    files = {
        "systems": {"a": "the cat sat\nlate\n", "b": "a dog\nlate\n"},
        "references": {"ref": "the cat sat\nlate\n"},
    }
    for field, texts in files.items():
        chosen = [
            {"name": f"{name}.txt", "mimeType": "text/plain", "buffer": text.encode()}
            for name, text in texts.items()
        ]
        page.locator(f"[name={field}]").set_input_files(chosen)  # type: ignore[arg-type]
    page.get_by_role("button", name="Score").click()
    page.get_by_role("link", name="<b>mine</b>").wait_for(timeout=120_000)
    page.get_by_role("button", name="Score").click()  # the same once more, to compare
    page.locator("[name=compare]").nth(1).wait_for(timeout=120_000)
    for box in page.locator("[name=compare]").all():
        box.check()
    assert page.locator("#compared-title + .wide tbody tr").count() == 4
    page.reload()
    page.locator("#compared-title").wait_for()  # what is compared stands in the address
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Delete").first.click()
    page.locator(".runs li").nth(1).wait_for(state="detached")
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1200, "height": 900})
    page.get_by_role("link", name="<b>mine</b>").click()
    page.get_by_role("tab", name="Segments").click()
    page.locator(".row").first.click()
    page.get_by_text("Where the score was lost").first.wait_for(timeout=120_000)
    assert visit.said == []
