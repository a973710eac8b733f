"""Whole documents: readers and trees over sentences."""

from pathlib import Path

from training.corpora import conllu, dis
from training.corpora.documents import Mention, head_word, mentions, splits
from training.documents import units


def tree(text: str, folder: Path) -> dis.Tree:
    path = folder / "one.dis"
    path.write_text(text, encoding="utf-8")
    return dis.read(path)


CROSSED = """( Root (span 1 4)
  ( Nucleus (leaf 1) (rel2par span) (text _!a_!) )
  ( Satellite (span 2 4) (rel2par elaboration-additional)
    ( Satellite (span 2 3) (rel2par context-background)
      ( Nucleus (leaf 2) (rel2par joint-list) (text _!b_!) )
      ( Nucleus (leaf 3) (rel2par joint-list) (text _!c_!) )
    )
    ( Nucleus (leaf 4) (rel2par span) (text _!d_!) )
  )
)"""


def test_a_tree_over_sentences(tmp_path: Path) -> None:
    found = tree(CROSSED, tmp_path)
    # every EDU is a sentence: the tree itself
    assert units.projected(found, [0, 1, 2, 3]) == found.nodes()
    # two sentences, ab and cd: a stands for the first, d for the second
    assert units.representatives(found, [0, 0, 1, 1]) == [0, 3]
    assert units.projected(found, [0, 0, 1, 1]) == [(0, 1, 0, "NS", "elaboration")]


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
    assert mentions(sentence, 10) == [
        Mention(13, 14, 13, 4, "organization", "giv:act"),
        Mention(10, 14, 11, 3, "person", "new"),
    ]
    assert head_word(0, 2, [0, 1]) == 0


def test_splits_leave_out_what_has_no_text(tmp_path: Path) -> None:
    path = tmp_path / "splits.md"
    path.write_text("## dev\n\n  * GUM_news_one\n  * GUM_reddit_two\n\n## test\n  * GUM_bio_x\n")
    assert splits(path) == {"dev": ["GUM_news_one"], "test": ["GUM_bio_x"]}
