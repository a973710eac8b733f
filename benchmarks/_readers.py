"""Every reader of albeit, and the grammar of metrics, with good files to damage."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _fuzz import Reader

from albeit import EvalSet, read, score, write
from albeit.cli import COMMANDS, command_parser
from albeit.cli.parser import read_config
from albeit.combine import Model
from albeit.combine.tune import Fitted
from albeit.data import BLANK_LINES, build_evalset, read_docids, read_lines, resegment
from albeit.data.build import read_pairs
from albeit.data.corpus import LoadedCorpus
from albeit.data.front import detect, open_corpus
from albeit.data.judgment_files import read_judgments
from albeit.data.resegment import read_loose, read_loose_set
from albeit.errors import InputError
from albeit.evaluation.partitions import read_run, score_partitions
from albeit.languages import normalise
from albeit.metaeval import read_judged
from albeit.metrics.connectives.load import DATA, read_dimlex, read_lexicon
from albeit.metrics.connectives.scores import read_sheet
from albeit.metrics.external import read_external
from albeit.metrics.registry import BUILTIN, metric
from albeit.metrics.significance import confidence
from albeit.parsing.alignment import Aligner, read_alignment
from albeit.parsing.formats import read_analyses, write_analyses, write_each
from albeit.parsing.layers import RST, TOKENS
from albeit.report import render
from albeit.report.formats import read_results
from albeit.report.page import render_page
from albeit.report.page.build import report_data
from albeit.report.scores import score_table
from albeit.rerank import read_candidates
from albeit.serve.requests import check_request, read_texts
from albeit.store.records import Cache

SET = EvalSet(
    {"A": ("One & two.", "Three <4>."), "B": ("", "So ‘it’ is.")},
    {"x": ("One, two.", "&quot;Three&quot;"), "y": ("1", "2")},
    ("Eins und zwei.", "Drei vier."),
    source_lang="de",
    name="small",
)


def readers() -> list[Reader]:
    """All of them."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            *_sets(Path(folder)),
            *_tables(),
            *_analyses(Path(folder)),
            *_lexicons(),
            *_kept(Path(folder)),
            *_strings(),
        ]


def _written(folder: Path, form: str, name: str) -> bytes:
    write(SET, folder / name, form)
    return (folder / name).read_bytes()


def _read_batches(path: Path) -> object:
    return list(open_corpus(path).partitions(1))


def _tree(folder: Path) -> list[Reader]:
    """Make a reader per file of a tree of mt-metrics-eval, of which one file is damaged."""
    write(SET, folder / "tree", "mt-metrics-eval")
    ratings = folder / "tree/human-scores/de-en.mqm.seg.score"
    ratings.parent.mkdir()
    ratings.write_bytes(b"x\t-1\nx\tNone\ny\t0\ny\t-5.5\n")
    good = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted((folder / "tree").rglob("*"))
        if path.is_file()
    }

    def read_tree(path: Path) -> object:
        root = next(each for each in path.parents if each.name == "tree").parent
        for name, data in good.items():
            if root / name != path:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_bytes(data)
        return read_judged(root / "tree", language_pair="de-en")

    return [Reader(f"mtme: {name[5:]}", read_tree, [data], name) for name, data in good.items()]


def _reading(form: str) -> Callable[[Path], object]:
    return lambda path: read(path, form)


def _sets(folder: Path) -> list[Reader]:
    endings = {form: f"a.{form}" for form in ("xml", "tsv", "jsonl", "parquet", "sgml")}
    found = [
        Reader(f"test set: {form}", _reading(form), [_written(folder, form, name)], name)
        for form, name in endings.items()
    ]
    lines = [b"One line.\nAnother &quot;one&quot;.\r\n\nd1\n"]
    record = (
        b'{"doc_id":"d","src_lang":"en","tgt_lang":"de","src_text":"One.","tgt_text":"Eins.",'
        b'"refs":{"r":{"ref":"Eins."}}}\n'
    )
    moses = b"0 ||| a text ||| lm= -1 2 tm= 3 ||| -4.5\n0 ||| another ||| lm= 1 2 tm= 1 ||| -5\n"
    lists = (
        b'{"id":"1","candidates":["a",{"text":"b","score":1.5}],"references":["a"],"source":"s",'
        b'"doc_id":"d"}\n'
    )
    everything = [each.good[0] for each in found]
    human = (
        b'{"doc_id":"de-en_#_news_#_d_#_0","src_text":"Eins.","tgt_text":{"x":"One."},"refs":{"r":'
        b'{"ref":"One."}},"scores":{"x":[{"score":9,"errors":[{"start_i":0,"end_i":1,"severity":'
        b'"minor"}]}]}}\n'
    )
    item = (
        b'{"item_id":"a_###_deu_###_eng_###_n_###_d_###_0","src":"Eins.","hyps":{"x":"One."},'
        b'"ref":{"text":"One."}}\n'
    )
    return [
        *found,
        *(
            Reader(f"test set in batches: {form}", _read_batches, each.good, each.file)
            for form, each in zip(endings, found, strict=True)
        ),
        Reader("test set: wmtjson", _reading("wmt-json"), [human, item], "a.jsonl"),
        Reader("ratings: WMT JSON lines", read_judgments, [human], "a.jsonl"),
        *_tree(folder),
        Reader("test set: which format?", detect, everything),
        Reader("documents: WMT JSON lines", read_loose_set, [record], "a.jsonl"),
        Reader("documents: text", lambda path: read_loose(SET, [f"x={path}"]), lines),
        Reader("lines", read_lines, lines),
        Reader("lines, entities resolved", lambda path: read_lines(path, unescape=True), lines),
        Reader("document ids", read_docids, [b"a\na\nb\n"]),
        Reader(
            "text files as a set",
            lambda path: build_evalset([path], [f"b={path}"], docs=path),
            [b"a\na\nb\n"],
        ),
        Reader(
            "blank lines between documents",
            lambda path: build_evalset([path], [path], docs=BLANK_LINES),
            lines,
        ),
        Reader("bitext", lambda path: read_pairs(str(path), str(path)), lines),
        Reader(
            "candidates: JSON lines",
            lambda path: read_candidates([str(path)]),
            [lists],
            "a.jsonl",
        ),
        Reader("candidates: Moses", lambda path: read_candidates([str(path)]), [moses]),
    ]


def _tables() -> list[Reader]:
    scores = [
        b"system\tsegment\tmetric\tscore\nx\t1\tbleu\t.5\nx\t2\tbleu\tNone\ny\t1\tbleu\t1\ny\t2\tbleu\t2\n",
        b"m\tde-en\tsmall\tx\t1\t0.5\nm\tde-en\tsmall\tx\t2\t0.5\n",
        b"x\t1\nx\t2\ny\t3\ny\tNone\n",
    ]
    sheet = (
        b"# act\n#: system=x total=4 credit=1 case5=1 case6=1\n"
        b"id\tverdict\nx:1:1\tcorrect\nx:2:1\t\n"
    )
    ranked = (
        b"srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,"
        b"system2Id,system1rank,system2rank\nde,en,1,d,1,j,1,x,2,y,1,2\n"
    )
    esa = (
        b'r,x,1,TGT,deu,eng,59,d,False,"[{""start_i"":1,""end_i"":2,""severity"":""minor""}]",1,2\n'
        b"r,y,1,TGT,deu,eng,90,d,False,[],1.0,2.0\nr,y,1,BAD,deu,eng,9,d#bad,False,[],1.0,2.0\n"
    )
    return [
        Reader("scores of other tools", lambda path: read_external(path, SET), scores[:2], "m.txt"),
        Reader(
            "scores: .seg.score", lambda path: read_external(path, SET), scores[2:], "m.seg.score"
        ),
        Reader("judgments: rankings", read_judgments, [ranked], "r.csv"),
        Reader("judgments: pairs", read_judgments, [b"segment\tbetter\tworse\n1\tx\ty\n2\ty\tx\n"]),
        Reader("judgments: ESA", read_judgments, [esa], "esa.csv"),
        Reader(
            "judgments: ratings", read_judgments, [b"system\tsegment\tmqm\nx\t1\t-1.5\ny\t2\t0\n"]
        ),
        Reader(
            "judgments: marked errors",
            read_judgments,
            [
                b"system\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
                b"x\t1\tr\ts\ta <v>b</v>\tStyle\tMinor\ny\t1\tr\ts\tb\tNo-error\tno-error\n"
            ],
        ),
        Reader("judged sheets", read_sheet, [sheet]),
        Reader(
            "alignments",
            read_alignment,
            [
                b"0-0 1-2\n\n2-1\n",
                b"# Sentence pair (1) source length 2 target length 1 alignment score : 1\na\n"
                b"NULL ({ }) b ({ 1 }) c ({ })\n",
            ],
        ),
        Reader(
            "offsets of cuts",
            resegment.read_offset_table,
            ["\t".join((*resegment.COLUMNS, "way")).encode() + b"\nx\td\t1\t0\t4\tref\tedits\n"],
        ),
    ]


def _analyses(folder: Path) -> list[Reader]:
    from albeit.parsing import annotate
    from albeit.parsing.layers import DEPENDENCIES

    texts = ["Although it rained, they went out.", "He left because she came. It was late."]
    found = annotate(texts, frozenset({TOKENS, RST, DEPENDENCIES}))
    analyses = [found[text] for text in texts]
    good = {
        form: ["".join(write_analyses(analyses, form)).encode()]
        for form in ("rs3", "conllu", "json")
    }
    good["dis"] = [
        b"( Root (span 1 2) "
        b"( Satellite (leaf 1) (rel2par adversative) (text _!Although it rained_!) )"
        b" ( Nucleus (leaf 2) (rel2par span) (text _!they went out_!) ) )"
    ]
    good["ptb"] = [b"(TOP (S (NP (PRP He)) (VP (VBD left)) (. .)))\n"]
    write_each(analyses, 2, str(folder / "trees.zip"), "rs3")
    zipped = Reader("analyses: zip", read_analyses, [(folder / "trees.zip").read_bytes()], "a.zip")
    return [
        *(
            Reader(f"analyses: .{form}", read_analyses, some, f"a.{form}")
            for form, some in good.items()
        ),
        zipped,
    ]


def _lexicons() -> list[Reader]:
    own = {item.name: item.read_bytes()[:3000] for item in DATA.iterdir()}
    dimlex = (
        b'<dimlex><entry id="1" word="weil"><orths><orth><part>weil</part></orth></orths><syn><sem>'
        b'<pdtb3_relation sense="contingency:cause:reason"/></sem></syn></entry></dimlex>'
    )
    pairs = [some for name, some in own.items() if "-" in name] or list(own.values())
    return [
        Reader("lexicon", read_lexicon, pairs),
        Reader("DiMLex", lambda path: read_dimlex(path, "de"), [dimlex]),
    ]


def _kept(folder: Path) -> list[Reader]:
    """What albeit itself wrote and somebody, or a broken disk, changed."""
    fitted = Fitted(("bleu",), np.zeros(1), np.ones(1), np.ones(1), 0.1)
    Model("mine", fitted, (True,), ("bleu",)).save(folder / "model.json")
    Aligner.fit([["a", "b"], ["c"]], [["x", "y"], ["z"]]).save(folder / "aligner")
    score_partitions(LoadedCorpus(SET), [metric("bleu")], folder / "run")
    manifest = (folder / "run" / "manifest.json").read_bytes()
    parts = {
        path.relative_to(folder / "run"): path.read_bytes()
        for path in (folder / "run" / "parts").iterdir()
    }

    many = EvalSet({"A": ("One.",) * 20}, {"x": ("Two.",) * 20, "y": ("One.",) * 20})
    printed = render(score_table(confidence(score(many, ["bleu", "ter"]), resamples=9)), "json")

    def shown_results(path: Path) -> object:
        return render_page(report_data(None, read_results(path)))

    def kept_run(path: Path) -> object:
        for name, data in parts.items():
            (path.parent / name).parent.mkdir(exist_ok=True)
            (path.parent / name).write_bytes(data)
        return read_run(path.parent)

    found = [
        Reader("saved model", Model.load, [(folder / "model.json").read_bytes()], "m.json"),
        Reader("saved aligner", Aligner.load, [(folder / "aligner").read_bytes()]),
        Reader("kept run", kept_run, [manifest], "run/manifest.json"),
        Reader("printed results", shown_results, [printed.encode()], "scores.json"),
        Reader(
            "settings (--config)",
            _config,
            [b'metrics = ["bleu"]\n[score]\nlang = "de"\nworkers = 2\n'],
            "a.toml",
        ),
    ]
    cache = Cache(folder, "v1")
    cache.add([("text", {TOKENS: b"[]"})])
    found.append(Reader("cache", _cache, [cache.path.read_bytes()], cache.path.name))
    return found


def _config(path: Path) -> object:
    parser = command_parser("score")
    read_config(parser, "score", ["--config", str(path)], COMMANDS)
    return parser.read([])


def _cache(path: Path) -> object:
    return Cache(path.parent, "v1").layers(["text"], [TOKENS])


def _request(path: Path) -> object:
    try:
        request = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise InputError(str(error)) from None
    with tempfile.TemporaryDirectory() as folder:
        return read_texts(check_request(request), Path(folder), 10**6)


def _strings() -> list[Reader]:
    def text(path: Path) -> str:
        return path.read_bytes().decode("utf-8", "surrogateescape")

    names = [f"{name}(a=1)".encode() for name in BUILTIN] + [
        b"dr(lambda=.2, labels=none)",
        b"hybrid(bleu,alpha=.3)",
        b"chrf(word_order=2,beta=3,lowercase=yes)",
        b"cohesion(words=word,realign=no)",
        b"bleu(tokenize=zh, smooth=floor,smooth_value=.1)",
    ]
    asked = b'{"metrics":["chrf"],"references":[{"name":"r","text":"a"}],"lang":"en","systems":['
    asked += b'{"name":"s","data":"YQo="}],"title":"t","documents":"d","source":{"data":"Yg=="}}'
    return [
        Reader("server requests", _request, [asked]),
        Reader("metric grammar", lambda path: metric(text(path)), names),
        Reader(
            "language tags", lambda path: normalise(text(path)), [b"zh-Hans-CN", b"en_GB", b"deu"]
        ),
    ]
