"""Every format: there and back without loss, errors that name the line, real corpora."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from albeit.errors import InputError
from albeit.parsing import formats, layers
from albeit.parsing.formats.rst import read_dis, read_rs3, write_rs3
from albeit.parsing.formats.treebanks import entity_marks, read_conllu, read_ptb, write_conllu
from albeit.parsing.layers import EDUS, RST, TOKENS, Analysis, Cluster, Mention, RstNode
from albeit.parsing.tokenize import join_forms
from tests.parsing.formats.brackets import write_dis, write_ptb
from tests.parsing.formats.strategies import analyses

CONLLU = (TOKENS, layers.SENTENCES, EDUS, layers.DEPENDENCIES)
few = settings(max_examples=50)


def text_of(analysis: Analysis) -> tuple[object, ...]:
    return analysis[TOKENS], analysis[EDUS], analysis[RST]


@few
@given(st.lists(analyses(least=1), max_size=3))
def test_dis_and_rs3(many: list[Analysis]) -> None:
    expected = [text_of(each) for each in many]
    assert [text_of(each) for each in read_dis(write_dis(many))] == expected
    assert [text_of(each) for each in read_rs3("".join(write_rs3(many)))] == expected


@few
@given(st.lists(analyses(spaced=True, least=1), max_size=3))
def test_conllu(many: list[Analysis]) -> None:
    for one, back in zip(many, read_conllu("".join(write_conllu(many))), strict=True):
        assert back == Analysis(one.text, {layer: one[layer] for layer in CONLLU})


@few
@given(st.lists(analyses(), max_size=3))
def test_ptb(many: list[Analysis]) -> None:
    for one, back in zip(many, read_ptb(write_ptb(many)), strict=True):
        assert back[layers.CONSTITUENTS] == one[layers.CONSTITUENTS]
        assert (back[TOKENS], back[layers.SENTENCES]) == (one[TOKENS], one[layers.SENTENCES])


@few
@given(st.lists(analyses(spaced=True), max_size=3))
def test_json(many: list[Analysis]) -> None:
    for one, back in zip(many, formats.read_json("".join(formats.write_json(many))), strict=True):
        assert back == one


@few
@given(analyses(spaced=True), st.sampled_from(layers.of_lines()))
def test_pretty_never_fails(one: Analysis, layer: layers.AnyLayer) -> None:
    (shown,) = formats.write_pretty([one], [layer])
    assert shown.startswith("1  ")


def test_pretty_tree() -> None:
    text = "( Root (span 1 2) ( Nucleus (leaf 1) (rel2par span) (text _!He left_!) )"
    text += "( Satellite (leaf 2) (rel2par causal) (text _!because it rained_!) ) )"
    (shown,) = formats.write_pretty(read_dis(text), [RST])
    assert shown == (
        "1  He left because it rained\n   causal (NS)\n   ├─N [1] He left\n"
        "   └─S [2] because it rained\n\n"
    )


def test_many_children_become_binary() -> None:
    leaves = (f"( Nucleus (leaf {n}) (rel2par List) (text _!w{n}_!) )" for n in (1, 2, 3))
    (one,) = read_dis(f"( Root (span 1 3) {' '.join(leaves)} )")
    inner = RstNode(1, 2, "NN", "List", RstNode(1, 1), RstNode(2, 2))
    assert one[RST] == RstNode(0, 2, "NN", "List", RstNode(0, 0), inner)


ZUM = """1\tGehen\t_\tVERB\t_\t_\t0\troot\t_\t_
2-3\tzum\t_\t_\t_\t_\t_\t_\t_\t_
2\tzu\t_\tADP\t_\t_\t4\tcase\t_\t_
3\tdem\t_\tDET\t_\t_\t4\tdet\t_\t_
4\tHaus\t_\tNOUN\t_\t_\t1\tobl\t_\tSpaceAfter=No
5-6\td'or\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
5\td'\t_\tADP\t_\t_\t6\tcase\t_\t_
6\tor\t_\tNOUN\t_\t_\t4\tnmod\t_\t_
7\t!\t_\tPUNCT\t_\t_\t1\tpunct\t_\tSpaceAfter=No

"""


RS3 = '<rst><body><segment id="1"{}>a</segment></body></rst>'
BAD = [
    ("a.dis", "( Root (span 1 2)\n ( Nucleus (leaf 1) (text _!a_!) )", "never closed"),
    ("a.dis", "\n\nhello", r"a\.dis:3: this isn't an RST tree"),
    ("a.dis", "( Root (span 1 2) ( Satellite (leaf 1) (rel2par x) (text _!a_!) ) )", "no nucleus"),
    ("a.rs3", "<rst>\n<body>\n<segment></body></rst>", r"a\.rs3:3: not well-formed"),
    ("a.rs3", RS3.format(' parent="9" relname="x"'), "doesn't exist"),
    ("a.rs3", RS3.format("").replace("</body>", '<segment id="2">b</segment></body>'), "one root"),
    ("a.conllu", "1\ta\n", r"a\.conllu:1: .* 10 columns"),
    ("a.conllu", "1\ta\t_\tX\t_\t_\t7\tdep\t_\t_\n", "isn't a head"),
    ("a.ptb", "(S (NP a)\n", "never closed"),
    ("a.json", '{"text": "a", "tokens": ["a"]}', r"a\.json:1: not an analysis"),
    ("a.json", "{", r"a\.json:1: not JSON"),
    ("a.xyz", "", "cannot be read from"),
    ("a.dis", None, "cannot be read"),
    ("a.conllu", ZUM.replace("5-6", "3-2"), "isn't a range of words"),
    ("a.conllu", ZUM.replace("5-6", "2-"), "isn't a range of words"),
    ("a.conllu", ZUM.replace("5-6", "6-9"), "goes beyond the 7 words"),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD)
def test_errors_name_the_line(tmp_path: Path, name: str, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        formats.read_analyses(tmp_path / name)


def test_annotations_are_laid_onto_the_text(tmp_path: Path) -> None:
    path = tmp_path / "own.ptb"
    path.write_text("(S (NP (PRP He)) (VP (VBD left) (-LRB- -LRB-) (RB n't) (-RRB- -RRB-)))\n\n")
    texts = ["He left (n’t)", ""]
    tokens = formats.read_attached(path, texts)[0][TOKENS]
    assert tokens.forms == ("He", "left", "(", "n’t", ")")
    assert tokens.offsets[-1] == (12, 13)
    with pytest.raises(InputError, match="2 annotations for 1 texts"):
        formats.read_attached(path, texts[:1])
    with pytest.raises(InputError, match="annotation 1: word 2"):
        formats.read_attached(path, ["He went", ""])
    with pytest.raises(InputError, match="goes on: ' c'"):
        formats.attach(read_ptb("(S (X a) (X b))")[0], "a b c")


def test_words_of_a_contraction_share_its_position() -> None:
    (found,) = read_conllu(ZUM)
    tokens = found[TOKENS]
    assert found.text == "Gehen zum Hausd'or!"
    assert tokens.forms == ("Gehen", "zu", "dem", "Haus", "d'", "or", "!")
    written = [found.text[a:b] for a, b in tokens.offsets]
    assert written == ["Gehen", "zum", "zum", "Haus", "d'", "or", "!"]
    assert list(tokens.groups()) == [(0, 1), (1, 3), (3, 4), (4, 5), (5, 6), (6, 7)]
    laid = formats.attach(found, "  Gehen  zum Haus d’or !")
    assert laid[TOKENS].offsets[1] == laid[TOKENS].offsets[2] == (9, 12)
    lines = "".join(write_conllu([laid]))
    assert "\n2-3\tzum\t" in lines
    assert read_conllu(lines) == [laid]
    with pytest.raises(InputError, match="word 2 of an annotation, 'zum', is not what"):
        formats.attach(found, "Gehen zu dem Haus d'or!")


def test_rs3_refuses_control_characters() -> None:
    text, tokens = join_forms(["a", "\x01", "b"])
    one = Analysis(text, {TOKENS: tokens, EDUS: ((0, 3),), RST: RstNode(0, 0)})
    with pytest.raises(InputError, match="XML cannot hold"):
        list(write_rs3([one]))


@pytest.mark.shared
@pytest.mark.slow
def test_all_of_gum(shared_data: Path) -> None:
    """Both RST formats of every GUM document give the same tree, and come back the same."""
    trees: dict[str, dict[str, Analysis]] = {}
    with tarfile.open(shared_data / "gum.tar.xz") as archive:
        for member in archive:
            path = Path(member.name)
            file = archive.extractfile(member) if path.suffix in (".dis", ".rs4") else None
            if file is not None:
                read = read_dis if path.suffix == ".dis" else read_rs3
                (one,) = read(file.read().decode(), path=path)
                trees.setdefault(path.stem, {})[path.suffix] = one
    assert len(trees) == 237
    for both in trees.values():
        assert both[".dis"][RST] == both[".rs4"][RST]
        (again,) = read_rs3("".join(write_rs3([both[".dis"]])))
        assert text_of(again) == text_of(both[".dis"])


# The head of Ford resigned . She ...
CLUSTERS = (
    Cluster("person", "singular", "animate", "feminine", (Mention(0, 4, 1), Mention(6, 7, 6))),
    Cluster("organization", "singular", "inanimate", "", (Mention(3, 4, 3),)),
)


def test_coreference_as_brackets_in_conllu() -> None:
    inner = Cluster("place", "", "", "", (Mention(1, 3, 2),))
    outer = Cluster("person", "", "", "", (Mention(1, 4, 1),))
    last = Cluster("event", "", "", "", (Mention(0, 4, 0),))
    marks = entity_marks((inner, outer, last))
    assert (marks[1], marks[3]) == ("(e2-person-1---(e1-place-2---", "e2)e3)")
    assert entity_marks(CLUSTERS)[3] == "e1)(e2-organization-1-sing-inan-)"
    text, tokens = join_forms(["The", "head", "of", "Ford", "resigned", ".", "She"])
    values = {TOKENS: tokens, layers.SENTENCES: ((0, 6), (6, 7)), layers.COREFERENCE: CLUSTERS}
    first, second = write_conllu([Analysis(text, values)])
    assert first.startswith("# newdoc id = 1\n# global.Entity = eid-etype-head-number-animacy-gen")
    assert first.splitlines()[5].endswith("\tEntity=(e1-person-2-sing-anim-fem")
    assert "Entity=(e1-person-1-sing-anim-fem)|SpaceAfter=No" in second
