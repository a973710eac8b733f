"""Translations with marked errors: each format, and what is wrong with broken files."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from albeit.data import marked, read
from albeit.data.judgment_files import read_judgments
from albeit.data.judgments import Ratings
from albeit.data.marked import Annotation, Span
from albeit.errors import AlbeitError, AlbeitWarning
from albeit.metaeval import read_judged

HUMAN = {
    "doc_id": "en-cs_CZ_#_news_#_d1_#_0",
    "src_text": "He came.\n\nLate.",
    "refs": {"refA": {"ref": "Přišel. Pozdě."}},
    "tgt_text": {"A": "Přišel.\n\nPozdě.", "B": "Přišla. Pozdě."},
    "scores": {
        "A": [{"human": "x", "score": 95, "errors": []}],
        "B": [
            {
                "human": "x",
                "score": 60,
                "errors": [
                    {"start_i": 0, "end_i": 5, "severity": "major"},
                    {"start_i": "missing", "end_i": "missing", "severity": "minor"},
                ],
            }
        ],
    },
}
INPUT = {
    "item_id": "official_###_eng_Latn_###_deu_Latn_###_social_###_1_###_0",
    "src": "He came.",
    "ref": {"text": "Er kam.", "type": "postedit"},
    "hyps": {"A": "Er kam.", "B": "Sie kam."},
}
MQM = [
    "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\t{}\t# See: …",
    "A\td\t1\t1\tr1\t他来了\t<v>She</v> came\tAccuracy/Mistranslation\tMajor\t{}",
    "A\td\t1\t1\tr1\t他<v>来</v>了\tShe came\tAccuracy/Omission\tMinor\t{}",
    "B\td\t1\t1\tr1\t他来了\tHe came\tNo-error\tNo-error\t{}",
    "B\td\t1\t1\tr2\t他来了\tHe <v>cat</v>\tFound\tHOTW-test\t{}",
]
ESA = [
    'r,A,1,TGT,eng,zho,59,d,False,"[{""start_i"":1,""end_i"":2,""severity"":""minor""}]",1.0,2.0',
    "r,B,1,TGT,eng,zho,90,d,False,[],1.0,2.0",
    "r,B,1,BAD,eng,zho,9,d#bad,False,[],1.0,2.0",
    "r,ende-tutorial1,1000001,TGT,eng,zho,0,ende-tutorial1,False,[],1.0,2.0",
]
SAMPLES = {
    "human.jsonl": json.dumps(HUMAN),
    "input.jsonl": json.dumps(INPUT),
    "mqm.tsv": "\n".join(MQM),
    "esa.csv": "\n".join(ESA),
}


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text + "\n", encoding="utf-8")
    return path


def ratings(path: Path) -> Ratings:
    found = read_judgments(path)
    assert isinstance(found, Ratings)
    return found


def test_wmt_json_is_a_test_set_with_judgments(tmp_path: Path) -> None:
    judged = read_judged(put(tmp_path, "human.jsonl", SAMPLES["human.jsonl"]))
    found = judged.evalset
    assert (found.source_lang, found.target_lang, found.name) == ("en", "cs", "human")
    assert found.systems == {"A": ("Přišel.  Pozdě.",), "B": ("Přišla. Pozdě.",)}
    assert [document.id for document in found.documents] == ["en-cs_CZ_#_news_#_d1"]
    assert isinstance(judged.judgments, Ratings)
    assert (judged.judgments.kind, judged.judgments.score.tolist()) == ("esa", [95, 60])
    assert judged.judgments.errors is not None
    assert judged.judgments.errors.tolist() == [0, 2]
    assert marked.read_human_json(tmp_path / "human.jsonl")[1].spans == (Span(0, 6, "major"),)


def test_the_input_of_the_metrics_task_is_a_test_set(tmp_path: Path) -> None:
    second = json.dumps(INPUT | {"item_id": str(INPUT["item_id"])[:-1] + "1"})
    found = read(put(tmp_path, "input.jsonl", f"{SAMPLES['input.jsonl']}\n{second}"))
    assert (found.source_lang, found.target_lang, len(found)) == ("en", "de", 2)
    assert found.references == {"ref": ("Er kam.", "Er kam.")}
    without = {key: value for key, value in INPUT.items() if key != "ref"}
    assert not read(put(tmp_path, "no-ref.jsonl", json.dumps(without))).references


def test_one_of_several_language_pairs(tmp_path: Path) -> None:
    other = json.dumps(HUMAN | {"doc_id": "en-uk_UA_#_news_#_d1_#_0", "src_text": "Bye."})
    path = put(tmp_path, "both.jsonl", f"{SAMPLES['human.jsonl']}\n{other}")
    with pytest.raises(AlbeitError, match=r"has 2 language pairs: en-cs, en-uk.*\n?.*-l"):
        read(path)
    judged = read_judged(path, language_pair="en-uk")
    assert judged.evalset.source == ("Bye.",)
    assert len(judged.judgments) == 2


@pytest.mark.parametrize(
    ("name", "kind", "scores", "errors"),
    [("mqm.tsv", "mqm", [-6, 0], [2, 0]), ("esa.csv", "esa", [59, 90], [1, 0])],
)
def test_attention_checks_are_excluded_and_counted(
    tmp_path: Path, name: str, kind: str, scores: list[float], errors: list[int]
) -> None:
    with pytest.warns(AlbeitWarning, match=r"[12] rows? of attention checks or tutorials"):
        found = ratings(put(tmp_path, name, SAMPLES[name]))
    assert (found.kind, found.systems, found.score.tolist()) == (kind, ("A", "B"), scores)
    assert found.errors is not None
    assert found.errors.tolist() == errors


def test_places_of_marked_words(tmp_path: Path) -> None:
    with warnings.catch_warnings(action="ignore"):
        first, second = marked.read_mqm(put(tmp_path, "mqm.tsv", SAMPLES["mqm.tsv"]))
        one, other = marked.read_esa(put(tmp_path, "esa.csv", SAMPLES["esa.csv"]))
    assert first == Annotation("A", 0, 2, -6.0, "r1", 2, (Span(0, 3, "major"),))
    assert one == Annotation("A", 0, 1, 59.0, "r", 1, (Span(1, 3, "minor"),))
    assert second.spans == other.spans == ()


BROKEN: dict[str, list[tuple[str, str, str]]] = {
    "human.jsonl": [
        ('"doc_id"', '"document"', "doc_id is not a string"),
        ("en-cs_CZ_#_news_#_d1_#_0", "d1", "which isn't parts joined by '_#_'"),
        ("en-cs_CZ", "en", "which isn't parts joined by '_#_'"),
        ('"src_text": "He', '"src_text": 1, "x": "He', "src_text is not a string"),
        ('{"refA": {"ref"', '{"refA": {"text"', "refA is not a string"),
        ('"scores": {"A"', '"scores": {"C"', "scores are of 'C', which has no text"),
        ('"score": 95', '"score": 950', "a score is 950, not a number from 0 to 100"),
        ('"severity": "major"', '"severity": "awful"', "there is no severity 'awful'"),
        ('"end_i": 5', '"end_i": 500', "an error is from 0 to 500, which is not in the text"),
        ('"errors": []', '"errors": {}, "errors": []', "'errors' is there twice"),
        ('"A": [{"human"', '"A": {"human"', "is not JSON"),
    ],
    "input.jsonl": [
        ('"item_id"', '"doc_id"', "item_id is not a string"),
        ("_###_deu_Latn", "", "which isn't parts joined|isn't a language code"),
        ("eng_Latn", "xyzzy", "'xyzzy' isn't a language code"),
        ('"src": "He', '"source": "He', "src is not a string"),
        ('"src": "', '"src": "x", "src": "', "'src' is there twice"),
        ('{"text": "Er kam."', '{"txt": "Er kam."', "ref is not a string"),
        ('{"text": "Er kam.", "type": "postedit"}', '"Er kam."', "ref is not an object"),
        ('{"A": "Er kam."', '{"A": null', "hyps of 'A' is not a string"),
        ('{"A": "Er kam.", "B": "Sie kam."}', '["Er kam."]', "hyps is not an object"),
        ('"Sie kam."}}', '"Sie kam."}', "is not JSON"),
    ],
    "mqm.tsv": [
        ("\tMajor\t", "\tAwful\t", ":2: there is no severity 'Awful'"),
        ("\tMajor\t", "\t\t", ":2: there is no severity ''"),
        ("<v>She</v>", "<v>She", ":2: the target has a <v> without its </v>"),
        ("<v>She</v> came", "<v>She</v> <v>came</v>", ":2: the target has a <v> without its </v>"),
        ("\td\t1\t1\t", "\td\t1\t0\t", ":2: globalSegId is '0', not the number of a segment"),
        ("\td\t1\t1\t", "\td\t1\tone\t", ":2: globalSegId is 'one', not the number"),
        ("system\t", "name\t", ":1: has no column system"),
        ("globalSegId", "number", ":1: has no column globalSegId or seg_id or segment"),
        ("\tMajor\t{}", "\tMajor", ":2: the line has 9 cells, but the header has 10"),
        ("\tMajor\t{}", "\tMajor\t{}\t", ":2: the line has 11 cells, but the header has 10"),
    ],
    "esa.csv": [
        ("r,A,1,TGT", "r,A,1,TXT", "known format of judgments"),
        ("r,B,1,TGT", "r,B,1,TXT", ":2: there is no type 'TXT'"),
        ("r,A,1,", "r,A,0,", ":1: the item is '0', not the number of a segment from 1"),
        ("r,A,1,", "r,A,x,", ":1: the item is 'x', not the number"),
        (",59,", ",590,", ":1: a score is 590.0, not a number from 0 to 100"),
        (",59,", ",good,", ":1: .*'good'"),
        ('""minor""', '""awful""', ":1: there is no severity 'awful'"),
        ('""end_i"":2', '""end_i"":0', ":1: an error is from 1 to 0, which is not in the text"),
        ('}]"', '}"', ":1: the error spans are not JSON"),
        ("[],1.0,2.0", "[]", ":2: the row has 10 fields; ratings of ESA with spans have 12"),
    ],
}
CASES = [(name, *case) for name, cases in BROKEN.items() for case in cases]


@pytest.mark.parametrize(("name", "old", "new", "says"), CASES)
def test_a_broken_file_is_one_clear_error(
    tmp_path: Path, name: str, old: str, new: str, says: str
) -> None:
    text = json.dumps(HUMAN, ensure_ascii=False) if name == "human.jsonl" else SAMPLES[name]
    assert old in text
    path = put(tmp_path, name, text.replace(old, new, 1))
    with warnings.catch_warnings(action="ignore"), pytest.raises(AlbeitError, match=says) as found:
        read(path) if name == "input.jsonl" else read_judgments(path)
    assert str(found.value).startswith(f"{path}:")


@pytest.mark.shared
def test_samples_of_the_formats(shared_data: Path) -> None:
    folder = shared_data / "formats"
    with warnings.catch_warnings(action="ignore"):
        sizes = [len(ratings(folder / n)) for n in ("mqm-google.tsv", "esa-appraise.csv")]
        assert [*sizes, len(ratings(folder / "wmt25-human.jsonl"))] == [9, 13, 4]
    assert list(read(folder / "wmt26-metrics.jsonl").systems) == ["A", "B"]
