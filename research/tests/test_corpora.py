from __future__ import annotations

from pathlib import Path

from training.corpora import conllu, ewt, gum
from training.corpora.documents import (
    Mention,
    head_word,
    mentions,
    named_entities,
    read_connectives,
    splits,
)
from training.rows import Frame, Item, Row, read_items, write_items


def test_brackets_lose_functions_and_join_unary_chains() -> None:
    column = ["(TOP(S(NP-SBJ*)", "(VP*", "(NP(QP*)))))"]
    assert ewt.brackets(column) == [(0, 3, "S"), (0, 1, "NP"), (1, 3, "VP"), (2, 3, "NP+QP")]


def test_frames_follow_their_columns() -> None:
    rows = [
        ["p", "0", "0", "[WORD]", "NN", "*", "-", "-", "(ARG0*)", "*"],
        ["p", "0", "1", "[WORD]", "VB", "*", "see", "see.01", "(V*)", "*"],
        ["p", "0", "2", "[WORD]", "VB", "*", "go", "go.01", "(ARG1*", "(V*)"],
        ["p", "0", "3", "[WORD]", "RB", "*", "-", "-", "*)", "(ARGM-DIR*)"],
    ]
    see, go = Frame(1, [(0, 1, "ARG0"), (2, 4, "ARG1")]), Frame(2, [(3, 4, "ARGM-DIR")])
    assert ewt.frames(rows) == [see, go]


def test_a_document_tree_becomes_nodes(tmp_path: Path) -> None:
    text = """( Root (span 1 3)
      ( Nucleus (span 1 2) (rel2par span)
        ( Nucleus (leaf 1) (rel2par joint-list) (text _!one ( two_!) )
        ( Nucleus (leaf 2) (rel2par joint-list) (text _!three_!) )
      )
      ( Satellite (leaf 3) (rel2par elaboration-additional) (text _!four_!) )
    )"""
    path = tmp_path / "x.dis"
    path.write_text(text)
    tree = gum.read_tree(path)
    assert gum.nodes(tree) == [(0, 2, 1, "NS", "elaboration"), (0, 1, 0, "NN", "joint")]
    assert gum.coarse("same-unit") == "same-unit"


def test_connectives_are_cut_where_they_are_apart(tmp_path: Path) -> None:
    line = "Explicit|1..2||||||if|Contingency.Condition.Arg2-as-cond|" + "|" * 20
    other = "Implicit|||||||then|Temporal.Asynchronous.Precedence|" + "|" * 20
    path = tmp_path / "doc"
    path.write_text(f"{line}GDTB::doc:3;3,8-9;1-2;4-7|\n{other}GDTB::doc:5;_;1-2;5-6|\n")
    sense = "Contingency.Condition"
    assert read_connectives(path) == [(2, 3, sense), (7, 9, sense)]


def test_named_entities_are_the_outermost_with_a_proper_head() -> None:
    misc = ["Entity=(1-person-new-x", "Entity=(2-place-new-x)1)", "Entity=(3-object-new-x)", "_"]
    upos = ["PROPN", "PROPN", "NOUN", "VERB"]
    sentence = conllu.Sentence(misc=misc, upos=upos, heads=[4, 1, 4, 0])
    assert named_entities(sentence) == [(0, 2, "person")]


def test_items_survive_the_disk(tmp_path: Path) -> None:
    row = Row("x", "ewt", "blog", ["é", "b"], brackets=[(0, 2, "S")])
    row.frames = [Frame(1, [(0, 1, "A")])]
    items = [Item([row], [(0, 1, 0, "NS", "joint")], kind="complete")]
    path = tmp_path / "a.jsonl.gz"
    assert write_items(path, items) == 1
    assert list(read_items(path)) == items


def test_mentions_with_heads_entities_and_types() -> None:
    sentence = conllu.Sentence(
        words=["The", "head", "of", "Ford", "resigned"],
        heads=[2, 5, 4, 2, 0],
        misc=[
            "Entity=(3-person-new-nnnnn-cf1-2-coref",
            "_",
            "_",
            "Entity=(4-organization-giv:act-nnnnn-cf2-1-coref-Ford)3)|SpaceAfter=No",
            "_",
        ],
    )
    ford, head = Mention(13, 14, 13, 4, "organization"), Mention(10, 14, 11, 3, "person")
    assert mentions(sentence, 10) == [ford, head]
    assert head_word(0, 2, [0, 1]) == 0


def test_splits_leave_out_what_has_no_text(tmp_path: Path) -> None:
    path = tmp_path / "splits.md"
    path.write_text("## dev\n\n  * GUM_news_one\n  * GUM_reddit_two\n\n## test\n  * GUM_bio_x\n")
    assert splits(path) == {"dev": ["GUM_news_one"], "test": ["GUM_bio_x"]}
