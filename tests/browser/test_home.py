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
    page.get_by_role("link", name="<b>mine</b>").click(timeout=120_000)
    page.get_by_role("tab", name="Segments").click()
    page.locator(".row").first.click()
    page.get_by_text("Where the score was lost").first.wait_for(timeout=120_000)
    assert visit.said == []
