"""Facts on pages that a program can compare: languages, defaults, figures, and numbers of words."""

from __future__ import annotations

import re

import pytest

from albeit.evaluation import recommended_into, unusable_into
from tests.conftest import ROOT

DOCS = ROOT / "docs"


def read_page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of all rows of tables."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def languages_on_the_page() -> dict[str, set[str]]:
    """Return metric to target languages, from the page of language pairs."""
    text = read_page("language-pairs.md")
    every = re.findall(r"\b[a-z]{2}\b", text.partition("of which ")[2].partition(" were")[0])
    found: dict[str, set[str]] = {}
    for names, languages in rows_of(text)[2:]:
        targets = {*every} - {"and"} if languages == "all" else {*languages.split(", ")}
        found |= dict.fromkeys(re.findall(r"`(.*?)`", names), targets)
    return found


def test_target_languages_are_those_of_the_program() -> None:
    stated = languages_on_the_page()
    works: dict[str, set[str]] = {name: set() for name in stated}
    for lang in sorted(stated["bleu"]):
        for source in ("de", "en"):
            problems = {} if source == lang else unusable_into(lang, source)
            for name in works if source != lang else ():
                if name not in problems or "pip install" in str(problems[name]):
                    works[name].add(lang)
    assert works == stated


@pytest.mark.parametrize("metric", ["terms", "cohesion"])
def test_the_pages_of_metrics_have_the_same_languages(metric: str) -> None:
    (line,) = re.findall(r"\*\*Languages.*", read_page(f"metrics/{metric}.md"))
    listed = set(re.findall(r"\b[a-z]{2}\b(?=[,.])", line.partition("For ja")[0]))
    assert listed == languages_on_the_page()[metric]


def test_pages_name_the_default_metrics() -> None:
    assert recommended_into("en") == ["judge", "chrf"]
    assert recommended_into("de") == ["chrf"]
    stated = (
        "Without `-m`, `judge` and `chrf` are used into English, and `chrf` into other languages"
    )
    assert stated in read_page("cli.md")
    for page in (read_page("index.md"), (ROOT / "README.md").read_text(encoding="utf-8")):
        assert re.search(r"[Ii]nto English.*`judge` and `chrf`.*default", page)
        assert re.search(r"another language|other languages", page)
        assert "judge-facts" not in page


def test_figures_in_readme_are_those_of_the_results() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = rows_of(text.partition("## Accuracy")[2].partition("## Limitations")[0])[2:]
    tables = {"judge": "**WMT23 zh-en, experts**", "from-english": "**WMT23 en-de with learned"}
    into, out = (
        {
            row[0]: row[1]
            for row in rows_of(read_page(f"results/{page}.md").partition(head)[2])[::-1]
        }
        for page, head in tables.items()
    )
    names = {
        "MetricX-23": ("MetricX-23", "MetricX-23"),
        "COMET-22": ("COMET-22", "COMET"),
        "BERTScore": ("BERTscore", "BERTscore"),
        "chrF": ("chrF", "chrf"),
        "`judge` (zh-en), `judge-many` (en-de)": (
            "judge, trained without this set",
            "judge-many, source and reference (held out)",
        ),
    }
    for name, *cells in table:
        left, right = names[name]
        assert cells == [f"{float(cell):.2f}" for cell in (into[left], out[right])], name


def test_shares_of_real_errors_agree() -> None:
    """README and profile.md have both; the page of each metric has its own."""
    both = re.compile(r"(\d+)% of the pronouns and (\d+)% of the terms")
    one = re.compile(r"(\d+)% \((\d+) of (\d+)\) of the (?:pronouns|terms)")
    found = [one.search(read_page(f"metrics/{name}.md")) for name in ("pronouns", "terms")]
    shares = tuple(match[1] for match in found if match)
    for text in (read_page("profile.md"), (ROOT / "README.md").read_text(encoding="utf-8")):
        (stated,) = both.findall(text)
        assert stated == shares
    for match in found:
        assert match
        assert round(100 * int(match[2]) / int(match[3])) == int(match[1])


@pytest.mark.parametrize(("pattern", "most"), [("results/*.md", 12_000), ("**/*.md", 32_000)])
def test_pages_are_short(pattern: str, most: int) -> None:
    words = " ".join(path.read_text(encoding="utf-8") for path in DOCS.glob(pattern)).split()
    assert len([word for word in words if re.search(r"\w", word)]) <= most
