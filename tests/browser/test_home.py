"""The server's pages in a real browser: from files, texts, or the demonstration to a report."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import Visit, accessibility_errors
from tests.serve.conftest import REQUEST, Start, ended, start

__all__ = ["start"]

TEXTS = {
    "systems": {"a": "the cat sat\nlate\n", "b": "a dog\nlate\n"},
    "references": {"ref": "the cat sat\nlate\n"},
}


def choose(page: Page, texts: Mapping[str, Mapping[str, str | bytes]]) -> None:
    for field, named in texts.items():
        chosen = [
            {
                "name": f"{name}.txt",
                "mimeType": "text/plain",
                "buffer": text.encode() if isinstance(text, str) else text,
            }
            for name, text in named.items()
        ]
        page.locator(f"[name={field}]").set_input_files(chosen)  # type: ignore[arg-type]


def test_files_are_chosen_scored_and_read(visit: Visit, start: Start) -> None:
    page = visit.page
    page.goto(start().address)
    page.locator("[name=metric][value=judge]").wait_for()
    assert page.locator("[name=metric]:checked").count() == 2
    assert page.locator("[name=metric][value=judge]").is_checked()
    page.locator("[name=metric][value=judge]").uncheck()
    page.get_by_label("title").fill("<b>mine</b>")
    choose(page, TEXTS)
    page.get_by_role("button", name="Score").click()
    page.wait_for_url("**/runs/*")  # the run's own page, which becomes its report
    page.get_by_role("tab", name="Segments").wait_for(timeout=120_000)
    page.get_by_role("tab", name="Segments").click()
    page.locator(".row").first.click()
    page.get_by_text("Where the score was lost").first.wait_for(timeout=120_000)
    page.get_by_role("link", name="All runs").click()
    card = page.locator(".runs li").first
    card.get_by_role("link", name="<b>mine</b>").wait_for()
    assert card.locator("tbody tr").count() == 2  # scores stand on the card
    page.once("dialog", lambda dialog: dialog.accept())
    card.get_by_role("button", name="Delete").click()
    page.get_by_text("None yet.").wait_for()
    assert visit.said == []


def test_pasted_texts_and_what_the_command_line_says_of_files(visit: Visit, start: Start) -> None:
    page = visit.page
    page.goto(start().address)
    page.locator("[name=metric][value=judge]").uncheck()
    latin: dict[str, dict[str, str | bytes]] = {
        "systems": {"a": "saß\n".encode("latin-1")},
        "references": {"r": "sat\n"},
    }
    choose(page, latin)
    page.get_by_role("button", name="Score").click()
    page.wait_for_url("**/runs/*")
    page.get_by_text("a:1: byte 0xDF").wait_for(timeout=60_000)  # as the command says it
    page.get_by_role("link", name="All runs").click()
    page.locator("[name=metric][value=judge]").uncheck()
    page.get_by_text("Or paste texts").click()
    page.get_by_label("translation 1").fill("the cat\n\nlate")
    page.get_by_role("button", name="Another translation").click()
    page.get_by_label("translation 2").fill("a dog\nsat\nlate")
    page.get_by_label("reference", exact=True).fill("the cat\nsat\nlate")
    page.get_by_role("button", name="Score").click()
    page.get_by_role("tab", name="Segments").wait_for(timeout=120_000)
    page.get_by_role("link", name="All runs").click()
    page.get_by_role("link", name="pasted 1, pasted 2").wait_for()  # named by its systems
    assert page.get_by_text("1 of 3 lines are empty").is_visible()


def test_a_run_under_way_is_watched_and_cancelled(visit: Visit, start: Start) -> None:
    server = start()
    with server.client() as client:
        run = client.post("/api/runs", json=REQUEST | {"metrics": ["slow"]}).json()["id"]
        page = visit.page
        page.goto(f"{server.address}/runs/{run}")
        page.locator("progress").wait_for()
        page.get_by_role("button", name="Cancel").click()
        page.get_by_text("cancelled").wait_for(timeout=30_000)
        assert page.get_by_role("button", name="Start again").is_visible()


def test_only_runs_of_one_set_are_compared(visit: Visit, start: Start) -> None:
    server = start()
    with server.client() as client:
        other = {"references": [{"name": "ref", "text": "x y\nit was\n"}], "title": "other"}
        for change in ({"title": "first"}, {"title": "second"}, other):
            run = client.post("/api/runs", json=REQUEST | change).json()["id"]
            assert ended(client, run)["state"] == "done"
    page = visit.page
    page.goto(server.address)
    page.locator("[name=compare]").nth(2).wait_for()
    for number in (1, 2):
        page.locator("[name=compare]").nth(number).check()
    assert page.locator("#compared-title ~ .wide tbody tr").count() == 4
    page.reload()
    page.locator("#compared-title").wait_for()  # what is compared stands in the address
    page.locator("[name=compare]").nth(0).check()
    said = page.get_by_role("alert").inner_text()
    assert "can't be compared" in said
    assert "different references" in said


@pytest.mark.parametrize("size", [(1400, 1000), (390, 800)])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(visit: Visit, start: Start, size: tuple[int, int], theme: str) -> None:
    server, page = start(), visit.page
    with server.client() as client:
        long = {
            "systems": [
                item | {"name": f"{item['name']} {'long ' * 20}"} for item in REQUEST["systems"]
            ]
        }
        run = client.post("/api/runs", json=REQUEST | long).json()["id"]
        assert ended(client, run)["state"] == "done"
        slow = client.post("/api/runs", json=REQUEST | {"metrics": ["slow"]}).json()["id"]
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for path, shows in (("/", ".runs table"), (f"/runs/{slow}", "progress")):
        page.goto(f"{server.address}{path}#theme={theme}")
        page.locator(shows).first.wait_for()
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        assert not accessibility_errors(page, path)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
