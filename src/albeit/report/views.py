"""Explanations of scores as text, JSON, or one HTML page, and lexical chains as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from albeit.evaluation import Evaluation, choose_documents
from albeit.metrics import AlbeitError, Chain, Chains, Link, Loss, Ngrams, Node, Side, Tree, View
from albeit.metrics.significance import Comparison
from albeit.metrics.table import ScoreTable
from albeit.report.formats import html_table, write_json
from albeit.report.page import VIEW, shell
from albeit.report.rankings import ranking_table
from albeit.report.scores import comparison_table, score_table
from albeit.report.table import Cell, Heading, Row, Table
from albeit.report.terminal import render_text

if TYPE_CHECKING:
    from albeit.metaeval import Ranking
    from albeit.metrics.cohesion import Cohesion

    Displayable = ScoreTable | Comparison | Ranking | View

VIEW_FORMATS = ("text", "json", "html")
MOST_LOSSES, MOST_NGRAMS = 20, 8
"""How many losses and n-grams the text has."""
BRIEF_LOSSES, BRIEF_NGRAMS, BRIEF_CHAINS = 6, 3, 30
"""How many losses, n-grams, and chains a report has per view."""

_GROUPS = {Side.REFERENCE: "references", Side.HYPOTHESIS: "systems", Side.SOURCE: "source"}
_HEADINGS = {
    "matching": "matching: in a reference and in a system",
    "missed": "missed: in references only",
    "false": "false: in systems only",
}
_REFERENCE_HEADINGS = {
    "matching": "matching: in all references",
    "missed": "in some references",
}


def render_views(
    views: Sequence[View],
    form: str = "text",
    warnings: Sequence[str] | None = None,
    *,
    colour: bool = False,
) -> str:
    """Write views in one of :data:`VIEW_FORMATS`, as text that ends in a newline.

    JSON is a list; each view has the ``warnings``. HTML is one page that needs no other file.
    """
    if form == "json":
        more = {} if warnings is None else {"warnings": warnings}
        return write_json([view.to_json() | more for view in views])
    if form == "html":
        metrics = ", ".join(dict.fromkeys(view.metric for view in views))
        what = "Explained by" if any(view.system for view in views) else "Tokenization of"
        return _page(views, f"{what} {metrics}" if views else "Nothing to explain")
    if form == "text":
        return "\n".join(view_text(view, colour=colour) for view in views)
    raise AlbeitError(f"unknown format {form!r}; there are {', '.join(VIEW_FORMATS)}.")


def as_text(value: Displayable) -> str:
    """Format a result for ``print``, without a line break at the end."""
    text = view_text(value) if isinstance(value, View) else render_text([_table(value)])
    return text.rstrip("\n")


def as_html(value: Displayable) -> str:
    """Format a result for a notebook; a view is in a frame, so that it can't change others."""
    if not isinstance(value, View):
        return html_table(_table(value))
    return (
        '<iframe sandbox="allow-scripts" width="100%" height="420" title="explanation"'
        f' style="border:0;resize:vertical" srcdoc="{escape(_page([value], ""))}"></iframe>'
    )


def _table(value: ScoreTable | Comparison | Ranking) -> Table:
    if isinstance(value, ScoreTable):
        return score_table(value)
    return comparison_table(value) if isinstance(value, Comparison) else ranking_table(value)


def _page(views: Sequence[View], title: str) -> str:
    data = {"title": title, "views": [page_view(view) for view in views]}
    return shell(title or "albeit", ("base.js", *VIEW, "views.js"), kind="views", data=data)


def page_view(view: View, *, brief: bool = False) -> dict[str, Any]:
    """Convert a view to the JSON that a page shows; ``brief`` keeps the most important parts."""
    decimals = 2 if view.perfect > 1 or view.perfect == 0 else 4  # also two for error rates
    content = {**view.to_json(), "partial": _is_partial(view), "decimals": decimals}
    return _brief(content) if brief else content


def _brief(view: dict[str, Any]) -> dict[str, Any]:
    """Shorten the JSON of a view: the largest losses, and the sum of the others; some n-grams."""
    least = 0.5 / 10 ** view["decimals"]
    losses = [loss for loss in view["losses"] if abs(loss["amount"]) >= least]
    losses.sort(key=lambda loss: -abs(loss["amount"]))
    view["losses"], rest = losses[:BRIEF_LOSSES], losses[BRIEF_LOSSES:]
    if rest:
        amount = math.fsum(loss["amount"] for loss in rest)
        view["rest"] = {"count": len(rest), "amount": amount}
    if view["trees"]:
        view["links"] = []  # a page draws the trees only
    for table in view["ngrams"]:
        missing = [row for row in table["rows"] if row[1] < row[2]][:BRIEF_NGRAMS]
        extra = [row for row in table["rows"] if row[1] > row[2]][:BRIEF_NGRAMS]
        table["rows"] = [] if table["of"] == "characters" else [*missing, *extra]
    if {table["of"] for table in view["ngrams"]} == {"characters"}:
        long = [link for link in view["links"] if len(link["one"]["tokens"]) > 2]
        view["links"] = long or view["links"]
    if view["chains"]:
        rows = sorted(view["chains"]["rows"], key=lambda row: -sum(map(len, row["positions"])))
        view["chains"]["rows"] = rows[:BRIEF_CHAINS]
    return view


def _is_partial(view: View) -> bool:
    """Check whether the metric compares only some words, so that an unmatched word isn't lost.

    A metric that compares all words has each of them in its links or losses. If no loss has a place
    (n-grams), all words count.
    """
    if view.chains is not None or not view.losses:
        return True
    if not any(loss.places for loss in view.losses):
        return False
    places = [place for link in view.links for place in (link.one, link.other)]
    places += [place for loss in view.losses for place in loss.places]
    touched = {(place.text, token) for place in places for token in place.tokens}
    return len(touched) < sum(len(text.tokens) for text in view.texts)


def view_text(view: View, *, colour: bool = False) -> str:
    """Write a view as text: texts or trees, what matched, and where the score was lost."""
    unit = "segment" if isinstance(view.place, int) else "document"
    lines = [f"== {', '.join(filter(None, [view.system, f'{unit} {view.place}']))}", _score(view)]
    if view.trees:
        for tree in view.trees:
            lines += ["", f"{_title(view, tree.text)}:", *_tree_lines(view, tree, colour)]
    elif view.chains is not None:
        lines += ["", render_text([chain_table(view)], terminal=colour).rstrip()]
    else:
        for number, text in enumerate(view.texts):
            lines += ["", f"{_title(view, number)}:", f"  {text.text}"]
        lines += _match_lines(view)
    lines += [line for table in view.ngrams for line in _ngram_lines(table)]
    lines += _loss_lines(view)
    if view.notes and view.chains is None:  # a table of chains has them
        lines += ["", *view.notes]
    return "\n".join(lines) + "\n"


def _score(view: View) -> str:
    if math.isnan(view.score):
        return f"{view.metric}: no score" if view.system else view.metric
    error = view.standard_error
    rest = "" if error is None else f" ± {error:.2f} (standard error)"
    return f"{view.metric} = {view.score:.4f}{rest}"


def _title(view: View, number: int) -> str:
    text = view.texts[number]
    return text.side if text.name in ("", text.side) else f"{text.side} {text.name}"


def _tree_lines(view: View, tree: Tree, colour: bool) -> Iterator[str]:
    """Write a tree; a node that the other tree has is marked ``=``, any other ``≠``."""
    if tree.root is None:
        yield "  (empty)"
        return
    links = [link for link in view.links if link.kind == "word"]
    places = [place for link in links for place in (link.one, link.other)]
    matched = {token for p in places if p.text == tree.text for token in p.tokens}
    forms = view.texts[tree.text].tokens.forms

    def paint(text: str, shared: bool) -> str:
        return f"\033[{'34' if shared else '33'}m{text}\033[0m" if colour else text

    def label(node: Node) -> str:
        role = f"[{node.role}] " if node.role else ""
        if node.children:
            return paint(f"{role}{node.relation}", node.shared)
        words = (
            paint(forms[token], token in matched if links else node.shared)
            for token in range(node.start, node.stop)
        )
        return (paint(role, node.shared) if role else "") + " ".join(words)

    def walk(node: Node, indent: str, branch: str) -> Iterator[str]:
        yield f"{indent}{branch}{'=' if node.shared else '≠'} {label(node)}"
        below = indent + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
        for number, child in enumerate(node.children, 1):
            yield from walk(child, below, "└─ " if number == len(node.children) else "├─ ")

    yield from walk(tree.root, "  ", "")


def _match_lines(view: View) -> Iterator[str]:
    if view.links:
        yield from ("", "matched:")
    for run in _match_runs(view.links):
        one, other = (
            " ".join(view.texts[place.text].tokens.forms[t] for place in side for t in place.tokens)
            for side in zip(*((link.one, link.other) for link in run), strict=True)
        )
        kind = f"  ({run[0].kind})" if run[0].kind else ""
        yield f"  {run[0].strength:5.2f}  {one if one == other else f'{one} = {other}'}{kind}"


def _match_runs(links: Sequence[Link]) -> list[list[Link]]:
    """Group links that continue the one before, with the same strength and kind."""
    runs: list[list[Link]] = []
    for link in links:
        if runs and _continues(runs[-1][-1], link):
            runs[-1].append(link)
        else:
            runs.append([link])
    return runs


def _continues(before: Link, link: Link) -> bool:
    return (before.strength, before.kind) == (link.strength, link.kind) and all(
        old.text == new.text and old.tokens[-1] + 1 == new.tokens[0]
        for old, new in ((before.one, link.one), (before.other, link.other))
    )


def _ngram_lines(table: Ngrams) -> Iterator[str]:
    yield ""
    sums = table.sums
    yield (
        f"{table.order}-grams of {table.of}: {sums['matched']} matched of {sums['hypothesis']}"
        f" here, {sums['reference']} in the reference"
    )
    for label, sign in (("missing", 1), ("too many", -1)):
        counts = [(gram, sign * (reference - own)) for gram, own, reference in table.rows]
        grams = [gram if n == 1 else f"{gram} ×{n}" for gram, n in counts if n > 0]
        if grams:
            more = f" … {len(grams) - MOST_NGRAMS} more" if len(grams) > MOST_NGRAMS else ""
            yield f"  {label}: {' | '.join(grams[:MOST_NGRAMS])}{more}"


def _loss_lines(view: View) -> Iterator[str]:
    if not view.losses:
        return
    total = "" if math.isnan(view.score) else f" (adds up to {abs(view.perfect - view.score):.4f})"
    yield from ("", f"lost{total}:")
    losses: list[Loss] = sorted(view.losses, key=lambda loss: -abs(loss.amount))
    for loss in losses[:MOST_LOSSES]:
        severity = f"  ({loss.severity})" if loss.severity else ""
        yield f"  {loss.amount:8.4f}  {loss.label}{severity}"
    if rest := losses[MOST_LOSSES:]:
        yield f"  {sum(loss.amount for loss in rest):8.4f}  in {len(rest)} more places"


def side_by_side(
    evaluation: Evaluation, metric: Cohesion, documents: Sequence[str]
) -> Iterator[View]:
    """Find the lexical chains of documents, by ID, in all references and systems."""
    evalset = evaluation.evalset
    for document in choose_documents(evalset, documents):
        batch = evaluation.batch([metric], [document])
        systems = {name: lines[document.rows] for name, lines in evalset.systems.items()}
        view = metric.side_by_side(batch, systems, tuple(evalset.references))
        yield replace(view, place=document.id)


def chain_table(view: View, scores: Mapping[str, float] | None = None) -> Table:
    """Build a table with one row per chain and one column per text; matching chains come first.

    A cell has the positions of the chain in that text, aligned with those of the other texts, and
    dots for positions of other texts only. Chains that agree fully with a reference are bold, false
    ones italic.
    """
    chains = view.chains or Chains(0, 0, ())
    columns = [Heading("Chain", key="chain", align="left")]
    columns += [Heading(text.name, group=_GROUPS[text.side], align="left") for text in view.texts]
    alone = all(text.side == Side.REFERENCE for text in view.texts)
    headings, texts = _REFERENCE_HEADINGS if alone else _HEADINGS, range(len(view.texts))
    rows = [
        Row.of([row.word, *(_chain_cell(view, row, n) for n in texts)], headings[row.kind])
        for row in chains.rows
    ]
    note = f"Positions are segments, 1 to {chains.segments}."
    if not chains.rows:
        note = "No text has a content word in two sentences."
    elif chains.length != chains.segments:
        note = (
            f"Positions are sentences, 1 to {chains.length}, in {chains.segments} segments;"
            " sentences of a segment were matched in order with those of the first reference."
        )
    meta = {"document": view.place, "metric": view.metric, "scores": dict(scores or {})}
    return Table.of(columns, rows, f"Chains of document {view.place}", [note, *view.notes], meta)


def _chain_cell(view: View, row: Chain, text: int) -> Cell:
    own = row.positions[text]
    if not own:
        return Cell("–")
    known = sorted({position for positions in row.positions for position in positions})
    shown = " ".join(str(p) if p in own else "·" * len(str(p)) for p in known)
    references = [n for n, text in enumerate(view.texts) if text.side == Side.REFERENCE]
    if view.texts[text].side != Side.HYPOTHESIS or not references:
        return Cell(shown)
    expected = [row.positions[n] for n in references if row.positions[n]]
    score = max((len(set(own) & set(each)) / len(each) for each in expected), default=0.0)
    return Cell(shown, bold=score == 1.0, italic=row.kind == "false", details={"score": score})
