from __future__ import annotations

import json
import re

import pytest

from albeit.errors import AlbeitError
from albeit.report import FORMATS, Cell, Heading, Row, Table, render
from albeit.report.formats import escape_latex
from albeit.report.table import number_text
from albeit.report.terminal import render_text


@pytest.fixture
def table() -> Table:
    return Table(
        (
            Heading("System", key="system", align="left"),
            Heading("score", group="bleu", direction="up", decimals=2),
            Heading("p", group="bleu"),
        ),
        (
            Row((Cell("a_1"), Cell(34.5, interval=(33.1, 35.25), details={"n": 3}), Cell(0.01))),
            Row((Cell("<b>|"), Cell(12.0, bold=True, italic=True, marks="*"), Cell(None)), "late"),
            Row((Cell("c"), Cell(float("nan")), Cell(0.25)), "late"),
        ),
        caption="50% & more",
        notes=("* p < 0.05",),
        meta={"seed": 7, "odd": float("inf")},
    )


def test_text_away_from_a_terminal_is_plain_and_whole(table: Table) -> None:
    shown = render_text([table], terminal=False)
    assert "\x1b" not in shown
    assert "34.50 [33.10, 35.25]" in shown
    assert "12.00*" in shown
    assert "score ↑" in shown
    assert not re.search(r" $", shown, re.MULTILINE)


def test_marks_do_not_push_digits_aside() -> None:
    one, two = Cell(1.0, marks="*", decimals=1), Cell(2.0, decimals=1)
    shown = render_text([Table.of(["x", "y"], [["a", one], ["b", two]])], terminal=False)
    lines = shown.splitlines()
    assert lines[2].index("1.0*") == lines[3].index("2.0")


def test_text_on_a_terminal_has_bold_and_italic(table: Table) -> None:
    shown = render_text([table], terminal=True)
    assert re.search(r"\x1b\[1;3m *12\.00\*", shown)


def test_json_keeps_exact_numbers_and_undefined_is_null(table: Table) -> None:
    found = json.loads(render(table, "json"))
    assert found["seed"] == 7
    assert found["odd"] is None
    assert found["rows"][0] == {
        "system": "a_1",
        "bleu.score": {"value": 34.5, "low": 33.1, "high": 35.25, "n": 3},
        "bleu.p": 0.01,
    }
    assert found["rows"][2]["bleu.score"] is None
    assert found["rows"][2]["group"] == "late"
    assert len(json.loads(render([table, table], "json"))) == 2


def test_tsv_has_the_same_number_of_fields_everywhere(table: Table) -> None:
    lines = [line.split("\t") for line in render(table, "tsv").splitlines()]
    score = "bleu.score bleu.score.low bleu.score.high bleu.score.n"
    assert lines[0] == f"group system {score} bleu.p".split()
    assert {len(line) for line in lines} == {7}
    assert lines[1] == ["", "a_1", "34.5", "33.1", "35.25", "3", "0.01"]
    assert lines[2][2:] == ["12.0", "", "", "", ""]


def test_latex_escapes_and_sets_bold(table: Table) -> None:
    shown = render(table, "latex")
    assert r"\caption{50\% \& more}" in shown
    assert r"\textless{}b\textgreater{}\textbar{} & \textbf{\textit{12.00}}$^{*}$ & --" in shown
    assert r"\multicolumn{2}{c}{bleu}" in shown
    assert shown.count(r"\begin{table}") == shown.count(r"\end{table}") == 1
    assert escape_latex("a\\b{") == r"a\textbackslash{}b\{"


def test_markdown_escapes_pipes(table: Table) -> None:
    lines = render(table, "markdown").splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {4}
    assert "**_12.00_**\\*" in render(table, "markdown")


def test_html_is_one_escaped_page(table: Table) -> None:
    shown = render(table, "html")
    assert "<strong><em>12.00*</em></strong>" in shown
    assert "&lt;b&gt;|" in shown
    assert not re.search("(src|href)=", shown)


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_writes_an_empty_table(form: str) -> None:
    assert render(Table.of(["system", "score"], []), form).endswith("\n")


def test_unknown_format_is_an_error(table: Table) -> None:
    with pytest.raises(AlbeitError, match="unknown format 'pdf'; there are text, json"):
        render(table, "pdf")


def test_a_ragged_or_ambiguous_table_is_refused() -> None:
    with pytest.raises(ValueError, match="1 cells in a table of 2 columns"):
        Table.of(["a", "b"], [[1]])
    with pytest.raises(ValueError, match="share a name"):
        Table.of(["a", "a"], [])


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (float("nan"), "–"), (-0.0001, "0.00"), (-0.5, "-0.50"), (3, "3"), (True, "yes")],
)
def test_number_text(value: float | None, shown: str) -> None:
    assert number_text(value, 2) == shown


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_no_terminal_breaks_a_number(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("NO_COLOR", "1")
    columns = [Heading("System", key="system", align="left")]
    values: list[float] = []
    rows = [[Cell("a-system-with-a-very-long-name-of-its-own")], [Cell("b")]]
    for metric in ("chrf++", "dr-lex(lambda=0.2)", "ter"):
        for key in ("score", "diff", "p"):
            columns.append(Heading(key, group=metric, direction="up"))
            for row in rows:
                values.append(1000.1234 + len(values))
                interval = (values[-1] - 1, values[-1] + 1) if key == "score" else None
                row.append(Cell(values[-1], marks="*" if key == "diff" else "", interval=interval))
    table = Table(tuple(columns), tuple(Row(tuple(row)) for row in rows), notes=("a note",))
    shown = render_text([table], terminal=True)
    assert "\x1b" not in shown
    for value in values:
        assert f"{value:.4f}" in shown
    tabular = shown.split("\n\na note")[0]
    assert max(map(len, tabular.splitlines())) <= width
    assert shown.count("a note") == 1
    assert "b" in shown.split()
