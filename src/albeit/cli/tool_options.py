"""Options of commands that annotate, count, choose, and serve; docstrings are their help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from albeit.cli import options as shared
from albeit.cli.parser import Options, option

SHEET = r'<!doctype html>(?s:.{0,80})<meta name="generator" content="albeit sheet '
"""How pages for judging begin."""
Bitext = Annotated[Sequence[shared.File], option(nargs=2, metavar=("SOURCE", "TARGET"))]


class MetricsOptions(Options):
    """List the metrics: their units, which direction is better, and their needs and parameters.

    albeit metrics              all of them
    albeit metrics ter          one, with all its parameters
    albeit metrics --lang zh    those that can score translations into Chinese, as installed here
    albeit metrics --directions    which metrics work in which directions, as installed here

    :param names: only these, in full
    :param lang: only those that can score this language
    :param directions: which metrics work in which directions, as installed here
    :param format: format of the output
    """

    names: Annotated[Sequence[str], option(positional=True, nargs="*", metavar="METRIC")] = ()
    lang: shared.Code | None = None
    directions: bool = False
    format: shared.Format = "text"


class ParseOptions(shared.General):
    """Annotate English text and print trees, dependencies, roles, and more.

    albeit parse text.txt                          RST trees, drawn in the terminal
    albeit parse text.txt --layer dependencies     any other layer
    albeit parse text.txt -f rs3 -o trees          for rstWeb: a file per text, in a folder or zip
    albeit parse text.txt --docs docids.txt        coreference, document by document
    albeit parse trees.dis -f json                 another parser's trees, converted
    albeit parse trees.rs3 --text text.txt -f json   the same, for their own raw text

    :param file: text, one segment per line (default: '-', standard input; .gz is fine); or
        annotations: .dis, .rs3, .rs4, .conllu, .ptb, .mrg, .json, .jsonl
    :param layer: layers to print: tokens, sentences, edus, rst, dependencies, constituents, roles,
        connectives, entities, vectors, drs; with --docs lines, stems, lemmas, words, chains,
        coreference, antecedents (default: by the format)
    :param format: format of the output
    :param output: where to write (default: standard output); an rs3 file has one text, so several
        are written to a new folder or FILE.zip
    :param docs: annotate whole documents: a file with one document id per line, or 'blank-lines'
        where empty lines end documents
    :param text: with annotations: their raw text, one line per annotation, in order
    :param lang: language of the text
    :param unescape: resolve HTML entities in the text
    """

    file: Annotated[shared.File, option(positional=True, nargs="?")] = "-"
    layer: Annotated[Sequence[str] | None, option("-l", metavar="LAYER")] = None
    format: Annotated[Literal["pretty", "rs3", "conllu", "json"], option("-f")] = "pretty"
    output: Annotated[shared.File | None, option("-o", writes=r"\Z", folder=True)] = None
    docs: shared.File | None = None
    text: shared.File | None = None
    lang: shared.Code = "en"
    unescape: bool = False


class ActOptions(shared.InputOptions):
    """Score the translation of connectives (ACT), automatically or by hand.

    :param preset: our matcher, or the paper's procedure
    :param sense: when translations are synonyms (default: the preset's)
    :param connectives: those of the paper, or all in the lexicon
    :param lexicon: your own lexicon, or connectives of the language that is not English (DiMLex
        XML)
    :param aligner: train an aligner on source and references, go by position, use eflomal, or load
        one
    :param bitext: train the aligner on these sentence pairs too
    :param save_aligner: keep the trained aligner in a file
    :param alignments: Pharaoh or GIZA++ files, one per reference and system
    """

    preset: Literal["careful", "classic"] = "careful"
    sense: Literal["strict", "compatible", "graded", "covering"] | None = None
    connectives: Literal["eight", "all"] = "eight"
    lexicon: shared.File | None = None
    aligner: Annotated[shared.File, option(metavar="yes|no|eflomal|FILE")] = "yes"
    bitext: Bitext | None = None
    save_aligner: Annotated[shared.File | None, option(writes="PK\x03\x04")] = None
    alignments: Sequence[Annotated[shared.File, option(metavar="NAME=FILE")]] = ()


class ActScoreOptions(ActOptions, shared.Output):
    """Print ACTa, ACTa5+6 and its coverage, and the six cases of every system.

    albeit act score ref.txt -i a.txt b.txt --source src.txt --source-lang en --lang de

    :param decisions: also write the decision for each connective, with the reason
    """

    decisions: Annotated[shared.File | None, option(writes=r"system\tline\t")] = None


class ActReportOptions(ActOptions, shared.Output, shared.Seed):
    """Print one system in detail: connectives, senses, confusions; and compare systems.

    albeit act report ref.txt -i a.txt b.txt --source src.txt --source-lang en --lang fr --system a

    :param system: the system to show (default: the first)
    :param least: minimum count of confusions
    :param resamples: number of resamples
    """

    system: shared.Name | None = None
    least: int = 2
    resamples: int = 1000


class ActAnnotateOptions(ActOptions):
    """Write a sheet of case 5 and 6 instances for people to judge.

    albeit act annotate ref.txt -i a.txt --source src.txt --source-lang en --lang de -o sheet.html

    :param output: the sheet (.html: a page; default: TSV on stdout)
    :param case_4: list case 4 too (no verdict)
    """

    output: Annotated[shared.File | None, option("-o", writes=SHEET)] = None
    case_4: bool = False


class ActMergeOptions(shared.Output, shared.Quiet):
    """Read judged sheets: ACTm with bounds, and the annotators' agreement.

    albeit act merge sheet-anna.tsv sheet-ben.tsv

    :param sheets: judged sheets
    """

    sheets: Annotated[Sequence[shared.File], option(positional=True, nargs="+", metavar="SHEET")]


class LexiconOptions(shared.Quiet):
    """Check, count and induce lexicons of connectives."""


class LexiconCheckOptions(LexiconOptions):
    """Check for unknown senses, duplicates, impossible forms, and unknown connectives.

    albeit lexicon check my-lexicon.tsv

    The status is 1 if there is an error.

    :param lexicons: lexicon files (default: those in the package)
    """

    lexicons: Annotated[
        Sequence[shared.File], option(positional=True, nargs="*", metavar="LEXICON")
    ] = ()


class LexiconCountOptions(LexiconOptions):
    """Add the counts in a bitext to the translations of a lexicon.

    albeit lexicon count my-lexicon.tsv --bitext en.txt.gz de.txt.gz > counted.tsv

    :param lexicon: the lexicon file
    :param bitext: two files with one sentence per line (.gz is fine)
    """

    lexicon: Annotated[shared.File, option(positional=True, metavar="LEXICON")]
    bitext: Annotated[Bitext, option(required=True)]


class LexiconInduceOptions(LexiconOptions):
    """Propose translations from a bitext, for a person to accept.

    albeit lexicon induce --bitext en.txt.gz es.txt.gz --lang es > proposed.tsv

    :param bitext: two files with one sentence per line (.gz is fine)
    :param lang: language translated into
    :param source_lang: language translated from
    :param connectives: only these, as 'even though' (default: the eight of ACT)
    :param all: all connectives of the inventory
    :param least: minimum count of translations
    :param dimlex: source connectives from a DiMLex XML file
    """

    bitext: Annotated[Bitext, option(required=True)]
    lang: Annotated[shared.Code, option(required=True)]
    source_lang: shared.Code = "en"
    connectives: Annotated[Sequence[str] | None, option(metavar="NAME")] = None
    all: bool = False
    least: int = 3
    dimlex: shared.File | None = None


class ReproduceOptions(Options):
    """Reproduce the tables of three papers: our values next to the published ones.

    albeit reproduce --list
    albeit reproduce guzman2014 --table 3 --data DIR --pairs cs-en

    :param paper: guzman2014, gong2015, hajlaoui2013, or all
    :param list: list papers, tables, and language pairs
    :param data: folder of the test sets
    :param table: only these tables
    :param pairs: only these language pairs
    :param format: text, json, or markdown
    :param workers: processes that share the work
    :param quiet: no progress, no warnings
    """

    paper: Annotated[
        Literal["guzman2014", "gong2015", "hajlaoui2013", "all"] | None,
        option(positional=True, nargs="?", metavar="PAPER"),
    ] = None
    list: bool = False
    data: Annotated[str | None, option(metavar="DIR")] = None
    table: Annotated[Sequence[str], option(metavar="N")] = ()
    pairs: Annotated[Sequence[str], option(metavar="LP")] = ()
    format: Annotated[Literal["text", "json", "markdown"], option("-f", metavar="F")] = "text"
    workers: shared.Natural = 1
    quiet: Annotated[bool, option("-q")] = False


class RerankOptions(shared.Scores, shared.General):
    """Choose the best of several translations of each segment: by minimum Bayes risk, or best of n.

    albeit rerank candidates.jsonl -m sim                        minimum Bayes risk by sim
    albeit rerank a.txt b.txt c.txt -m chrf 0.5*dr-lex           one line per segment in each file
    albeit rerank nbest.moses -m chrf --fast                     against mean n-gram counts
    albeit rerank a.txt b.txt -m chrf --scores COMET.seg.score   with scores of another tool
    albeit rerank candidates.jsonl -m sim --against references   the best that could be chosen

    :param candidates: JSON lines with one object per segment, a Moses n-best list, or several files
        with one candidate per line each
    :param references: references, one line per segment
    :param source: the source text
    :param lang: language translated into
    :param source_lang: language translated from
    :param metrics: metrics to choose by, each with a weight in front if it is not 1
    :param trust: accept saved models whose metrics start programs, run code, or read files
    :param against: what candidates are compared with
    :param fast: linear time: bleu, chrf, sim by mean statistics
    :param format: the chosen lines, or all ratings
    :param output: write to this file instead of standard output
    :param workers: processes that share the work; 0 is one per core
    """

    candidates: Annotated[Sequence[shared.File], option(positional=True, nargs="+", metavar="FILE")]
    references: Sequence[shared.File] = ()
    source: shared.File | None = None
    lang: shared.Code = "en"
    source_lang: shared.Code | None = None
    metrics: Annotated[Sequence[str], option("-m", metavar="[W*]METRIC", reads=True)] = ()
    trust: bool = False
    against: Literal["candidates", "references"] = "candidates"
    fast: bool = False
    format: Annotated[Literal["text", "json"], option("-f")] = "text"
    output: Annotated[shared.File | None, option("-o", writes=r"\Z")] = None
    workers: shared.Natural = 1


class ResegmentOptions(shared.InputOptions):
    """Cut translations of whole documents to the reference's segments, and show how.

    albeit resegment ref.txt -i system.txt                 one running text against a reference
    albeit resegment ref.txt --docs ids.txt -i system/     a folder with one file per document
    albeit resegment wmt26.jsonl -o cut/                   one object per document; writes a set
    albeit resegment ref.txt -i system.txt --save cuts.tsv -f html > cuts.html

    Every command that scores takes --resegment and does the same before scoring.

    :param output: write the cut set: a folder, or .jsonl, .tsv, .xml, .sgm by its ending
    :param save: write the cuts as a table of offsets (TSV)
    :param format: format of the output
    """

    output: Annotated[shared.File | None, option("-o", writes=r"\Z", folder=True)] = None
    save: Annotated[shared.File | None, option(writes=r"system\tdocument\tsegment\tstart\t")] = None
    format: Annotated[Literal["text", "html", "json"], option("-f")] = "text"


class ServeOptions(Options):
    """Serve a page where files are scored and read as reports; runs are kept on disk.

    albeit serve                                  at http://127.0.0.1:8000, for this machine alone
    albeit serve --host 0.0.0.0 --names box.example.org     for others, who need the token it prints

    Needs the extra: pip install 'albeit[web]'. docs/serve.md describes the API and its safety.

    :param host: address to listen at
    :param port: port to listen at; 0 takes any that is free
    :param names: names under which browsers reach this machine
    :param token_file: file with the token that visitors must show, or set ALBEIT_TOKEN (default: a
        random token if the server can be reached from outside, none on this machine)
    :param token: ==SUPPRESS==
    :param folder: where runs are kept (default: the user's data folder)
    :param at_once: runs that work at the same time
    :param waiting: runs that may wait
    :param minutes: time limit of a run
    :param explain_seconds: time limit of an explanation
    :param request_seconds: time limit for the headers of a request, and then for its body
    :param megabytes: the largest upload
    :param memory: GiB of memory that a process of a run may use
    """

    host: str = "127.0.0.1"
    port: shared.Natural = 8000
    names: Sequence[shared.Name] = ()
    token_file: shared.File | None = None
    token: Annotated[str | None, option(nargs="?", const="")] = None
    folder: Annotated[shared.File | None, option(metavar="DIR")] = None
    at_once: int = 1
    waiting: int = 20
    minutes: int = 360
    explain_seconds: int = 120
    request_seconds: int = 60
    megabytes: int = 64
    memory: int = 8


class CacheOptions(Options):
    """Show, clear or share the cache: annotations of texts, and statistics of scored sets.

    albeit cache info           its folder, size, model versions, and number of scored sets
    albeit cache clear          delete it; everything is computed again when it is needed
    albeit cache export PACK/   copy the annotations into a folder that many machines may read
    albeit cache import PACK/   add the annotations of such a folder to the cache

    :param action: what to do
    :param pack: the folder of export and import; if ALBEIT_CACHE_PACKS names it, it is read in
        place
    :param format: format of the output
    """

    action: Annotated[Literal["info", "clear", "export", "import"], option(positional=True)]
    pack: Annotated[shared.File | None, option(positional=True, nargs="?", metavar="PACK/")] = None
    format: Annotated[Literal["text", "json"], option("-f")] = "text"


class CompletionOptions(Options):
    """Print a completion script for a shell.

    bash:  albeit completion bash > ~/.local/share/bash-completion/completions/albeit
    zsh:   albeit completion zsh > ~/.zfunc/_albeit      (a folder in $fpath)
    fish:  albeit completion fish > ~/.config/fish/completions/albeit.fish

    :param shell: which shell
    """

    shell: Annotated[Literal["bash", "zsh", "fish"], option(positional=True)]
