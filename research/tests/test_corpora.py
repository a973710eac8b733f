from __future__ import annotations

from pathlib import Path

from training.corpora import connectives, dis, entities, ewt, umuc
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
    assert ewt.frames(rows) == [
        Frame(1, [(0, 1, "ARG0"), (2, 4, "ARG1")]),
        Frame(2, [(3, 4, "ARGM-DIR")]),
    ]


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
    tree = dis.read(path)
    assert tree.nodes() == [(0, 2, 1, "NS", "elaboration"), (0, 1, 0, "NN", "joint")]
    assert dis.coarse("same-unit") == "same-unit"


def test_connectives_are_cut_where_they_are_apart(tmp_path: Path) -> None:
    line = "Explicit|1..2||||||if|Contingency.Condition.Arg2-as-cond|" + "|" * 20
    other = "Implicit|||||||then|Temporal.Asynchronous.Precedence|" + "|" * 20
    path = tmp_path / "doc"
    path.write_text(f"{line}GDTB::doc:3;3,8-9;1-2;4-7|\n{other}GDTB::doc:5;_;1-2;5-6|\n")
    sense = "Contingency.Condition"
    assert connectives.read(path) == [(2, 3, sense), (7, 9, sense)]


def test_named_entities_are_the_outermost_with_a_proper_head() -> None:
    misc = ["Entity=(1-person-new-x", "Entity=(2-place-new-x)1)", "Entity=(3-object-new)", "_"]
    upos = ["PROPN", "PROPN", "NOUN", "VERB"]
    assert entities.named(misc, upos, [4, 1, 4, 0]) == [(0, 2, "person")]


def test_items_survive_the_disk(tmp_path: Path) -> None:
    row = Row(
        "x", "ewt", "blog", ["é", "b"], brackets=[(0, 2, "S")], frames=[Frame(1, [(0, 1, "A")])]
    )
    items = [Item([row], [(0, 1, 0, "NS", "joint")], kind="complete")]
    path = tmp_path / "a.jsonl.gz"
    assert write_items(path, items) == 1
    assert list(read_items(path)) == items


def test_umuc_sentences_end_with_an_edu_that_ends_in_final_punctuation(tmp_path: Path) -> None:
    folder = tmp_path / umuc.FOLDER
    folder.mkdir(parents=True)
    (folder / "UNSC_1_spch001.rs3").write_text(
        "<rst><body>"
        '<segment id="1">Unless it rains,</segment><segment id="2"> </segment>'
        '<segment id="3">we shan\'t stay.</segment><segment id="4">I thank you.\u201d</segment>'
        "</body></rst>",
        encoding="utf-8",
    )
    first, second = umuc.read(tmp_path)
    assert first.rows[0].words == ["Unless", "it", "rains", ",", "we", "sha", "n't", "stay", "."]
    assert first.rows[0].edus == [0, 4]
    assert second.rows[0].edus == [0]
