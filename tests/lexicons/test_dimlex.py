from __future__ import annotations

from pathlib import Path

import pytest

from albeit.errors import InputError
from albeit.lexicons.detect import Detector
from albeit.lexicons.dimlex import read_dimlex
from albeit.lexicons.words import cut

XML = """<dimlex>
<entry id="1" word="zwar…aber"><orths>
 <orth type="discont"><part type="single">zwar</part><part type="single">aber</part></orth>
 <orth type="discont"><part type="single">Zwar</part><part type="single">aber</part></orth></orths>
 <syn><sem><pdtb3_relation sense="COMPARISON:Concession:arg2-as-denier"/></sem>
 <sem><pdtb3_relation sense="contrast"/></sem></syn></entry>
<entry id="2" word="denn"><orths><orth><part>denn</part></orth></orths></entry>
</dimlex>"""


def test_parts_variants_and_senses(tmp_path: Path) -> None:
    path = tmp_path / "d.xml"
    path.write_text(XML, encoding="utf-8")
    found = read_dimlex(path, "de")
    assert list(found.connectives) == ["zwar … aber", "denn"]
    senses = found.connectives["zwar … aber"].senses
    assert senses == ("Comparison.Concession", "Comparison.Contrast")
    assert found.connectives["denn"].senses == ()
    detected = Detector(found)(cut("Zwar gut, aber teuer, denn neu", "de"))
    assert [c.name for c in detected] == ["zwar … aber", "denn"]


@pytest.mark.parametrize(
    ("written", "senses"),
    [
        ("concession-arg2-as-denier", ("Comparison.Concession",)),
        ("negative-condition-arg1-as-consequent", ("Contingency.Negative-condition",)),
        ("cause-reason", ("Contingency.Cause",)),
        ("Expansion.Level-of-detail.Arg2-as-detail", ("Expansion.Level-of-detail",)),
        ("EXPANSION:Specification:Arg1-as-detail(Summarization)", ()),
        ("", ()),
    ],
)
def test_third_levels_are_dropped(tmp_path: Path, written: str, senses: tuple[str, ...]) -> None:
    path = tmp_path / "d.xml"
    text = f'<dimlex><entry word="x"><pdtb3_relation sense="{written}"/></entry></dimlex>'
    path.write_text(text, encoding="utf-8")
    assert read_dimlex(path, "de").connectives["x"].senses == senses


@pytest.mark.parametrize(
    ("text", "message"),
    [("<dimlex>", "not well-formed"), ("<lex/>", "root is <lex>"), ("<dimlex/>", "no entries")],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "d.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_dimlex(path, "de")
    with pytest.raises(InputError, match="cannot read"):
        read_dimlex(tmp_path / "none.xml", "de")
