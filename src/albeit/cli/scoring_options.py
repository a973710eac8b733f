"""Options of commands that score and compare; docstrings are their help."""

from __future__ import annotations

import math
from argparse import ArgumentTypeError
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from albeit.cli import options as shared
from albeit.cli.parser import Options, option

SEGMENT_SCORES = (
    r"system[\t,]document[\t,]segment[\t,]|segment[\t,]|\{\"(?:segment|system)\": |PAR1"
)
"""How files of segment scores begin."""
DOCUMENT_SCORES = r"system[\t,]document[\t,]|\{\"system\": |PAR1"
"""How files of document scores begin."""
REPORT = r'<!doctype html>(?s:.{0,80})<meta name="generator" content="albeit report '
"""How reports begin."""


def _limit(text: str) -> tuple[str, float]:
    """Parse ``judge=80``; a metric's own parameters may have equals signs."""
    name, _, number = text.rpartition("=")
    try:
        limit = float(number)
    except ValueError:
        limit = math.nan
    if not name or math.isnan(limit):
        raise ArgumentTypeError(f"must be METRIC=NUMBER, not {text!r}")
    return name, limit


def _range(text: str) -> range:
    """Parse ``--only``: ``3``, or ``1-8``; the range counts from 0.

    >>> _range("1-8")
    range(0, 8)
    """
    first, dash, last = text.partition("-")
    last = last if dash else first
    if not (first.isdecimal() and last.isdecimal() and 1 <= int(first) <= int(last)):
        raise ArgumentTypeError(f"must be a batch, or a first and a last batch: 1-8, not {text!r}")
    return range(int(first) - 1, int(last))


def _count(text: str) -> int | None:
    """Parse ``--explain``; ``None`` is all."""
    if text in ("all", "none"):
        return None if text == "all" else 0
    if not text.isdecimal():
        raise ArgumentTypeError(f"must be a number, 'all' or 'none', not {text!r}")
    return int(text)


class Batches(Options):
    """Options for large sets.

    :param out: read the set in batches, keep their statistics in this folder, and resume an
        earlier run
    :param only: score only batches N to M of the run, and print no table; a last call without
        --only completes the run and prints it
    :param batch_size: segments a batch has at least (default: 4000 translations, 1000 if
        annotated)
    :param on_error: a document that kills its worker process repeatedly ends the run, or is
        skipped and counted
    """

    out: Annotated[shared.File | None, option(metavar="RUN/")] = None
    only: Annotated[range | None, option(type=_range, metavar="N[-M]")] = None
    batch_size: int | None = None
    on_error: Literal["stop", "skip"] = "stop"


class ScoreOptions(shared.Resampled, Batches):
    """Score translations: systems are rows, metrics columns, signatures below.

    albeit score ref.txt -i a.txt b.txt -m bleu ter
    albeit score refA.txt refB.txt -i a.txt --docs docids.txt -m bleu --confidence
    albeit score newstest.xml -m chrf --systems online-A online-B -f json
    albeit score 'ref-*.zst' -i mt='mt-*.zst' -m chrf ter --out RUN/ --workers 0
    albeit score ref.txt -i a.txt --lang de -m dr --annotations ref=ref.rs3 a=a.rs3
    albeit score ref.txt -i a.txt -m judge chrf --fail-under judge=80

    :param level: level of the scores in the table
    :param segment_scores: also write all segment scores, by the name's ending: .tsv, .csv, .jsonl
        or .parquet; with --out, next to the texts
    :param document_scores: also write all document scores (.tsv, .csv, .jsonl, .parquet)
    :param fail_under: end with status 3 if a system's score is worse than this (below it, or
        above it where lower is better)
    """

    level: Literal["system", "document", "segment"] = "system"
    segment_scores: Annotated[shared.File | None, option(writes=SEGMENT_SCORES)] = None
    document_scores: Annotated[shared.File | None, option(writes=DOCUMENT_SCORES)] = None
    fail_under: Annotated[Sequence[Any], option(type=_limit, metavar="METRIC=X")] = ()


class CompareOptions(shared.Resampled, shared.FlaggedErrors):
    """Test whether systems differ from a baseline: by default the first system.

    albeit compare ref.txt -i base.txt new.txt -m bleu ter
    albeit compare ref.txt -i a.txt b.txt --docs docids.txt --unit document --test bootstrap
    albeit compare ref.txt -i a.txt b.txt c.txt -m chrf --all-pairs
    albeit compare ref.txt -i base.txt new.txt -m chrf --worst 20
    albeit compare ref.txt -i base.txt new.txt -m chrf --docs docids.txt --profile
    albeit compare ref.txt -i base.txt new.txt -m chrf ter --fail-if-worse chrf --margin 0.5

    The tests are paired: both systems are compared on the same segments. A star marks a system
    that is better, a dagger one that is worse (p < 0.05, corrected for the number of tests).

    :param baseline: the system that the others are tested against (default: the first)
    :param test: paired approximate randomization (10,000 trials unless --resamples is given) or
        paired bootstrap (1,000)
    :param all_pairs: test every pair of systems, and put those into one cluster that do not differ
        significantly
    :param power: also estimate how many more segments or documents each difference needs to be
        significant
    :param worst: also show the N segments and documents with each system's largest losses to the
        baseline
    :param profile: also show flagged errors of pronouns and terms that a system has and the
        baseline does not
    :param fail_if_worse: end with status 3 if a system is significantly worse than the baseline by
        one of these metrics (default: any)
    :param margin: for --fail-if-worse: and by more than X points
    """

    baseline: shared.Name | None = None
    test: Literal["randomisation", "bootstrap"] = "randomisation"
    all_pairs: bool = False
    power: bool = False
    worst: int | None = None
    profile: bool = False
    fail_if_worse: Annotated[Sequence[str] | None, option(nargs="*", metavar="METRIC")] = None
    margin: shared.Number | None = None


class ExplainOptions(shared.Scored):
    """Show why segments or documents have their scores: what matched, and what was lost.

    albeit explain ref.txt -i a.txt b.txt --segment 12
    albeit explain ref.txt -i a.txt --segment 12 15 -m 'dr-lex(lambda=.1)' chrf -f html > why.html
    albeit explain ref.txt -i a.txt --docs docids.txt --document news-17 -m cohesion
    albeit explain ref.txt -i a.txt --segment 12 --scores COMET.seg.score

    :param metrics: metrics, as NAME or 'NAME(key=value,...)' (default: dr; 'albeit metrics' lists
        which explain themselves)
    :param segment: segments to explain (line numbers, from 1)
    :param document: documents to explain: as a whole, or segment by segment, as the metric scores
        them
    :param format: format of the output
    """

    metrics: Annotated[Sequence[shared.Metric] | None, option("-m", "--metric")] = None
    segment: shared.Segments = ()
    document: shared.Documents = ()
    format: shared.ViewFormat = "text"


class ChainsOptions(shared.InputOptions):
    """Show the lexical chains of a document in references and systems, side by side.

    albeit chains ref1.txt ref2.txt -i system.txt
    albeit chains ref.txt -i a.txt b.txt --docs ids.txt --document news-17 -f html > chains.html

    :param document: documents to show (default: the first; without document ids the whole text is
        one)
    :param metric: cohesion, with the parameters for the chains
    :param format: format of the output; HTML draws the chains
    """

    document: shared.Documents = ()
    metric: Annotated[str, option("-m", metavar="METRIC")] = "cohesion"
    format: shared.Format = "text"


class ProfileOptions(shared.Evaluated, shared.Seed, shared.FlaggedErrors):
    """Profile discourse: connectives, pronouns, terms, coreference, cohesion, trees.

    albeit profile ref.txt -i base.txt new.txt --docs docids.txt
    albeit profile ref.txt -i base.txt new.txt --source src.txt --source-lang de --docs docids.txt
    albeit profile ref.txt -i a.txt b.txt --docs docids.txt --worst 10 -f html > profile.html
    albeit profile ref.txt -i a.txt b.txt --docs docids.txt --scores COMET.seg.score

    Each row has a score with its interval, the significance of the difference to the baseline,
    the number of instances, flagged errors per thousand words, and the most probable of them with
    evidence, suggestion, context, source and reference. A kind that the languages or the input do
    not allow is skipped, with the reason.

    :param baseline: the system that the others are tested against (default: the first)
    :param worst: number of flagged errors, and of differences, per kind and system
    :param format: format of the output
    """

    baseline: shared.Name | None = None
    worst: shared.Natural = 3
    format: shared.ViewFormat = "text"


class CheckOptions(shared.TextOptions, shared.General):
    """Flag errors of a translation against its source, without a reference.

    albeit check out.txt --source src.txt --source-lang de
    albeit check out.de.txt --source src.en.txt --lang de --source-lang en --fail-on any
    albeit check a.txt b.txt --source src.txt --kinds numbers -f json
    albeit check wmt.jsonl --systems mine -f sarif > check.sarif
    albeit check --list

    One line per error: FILE:LINE:COLUMN: KIND MESSAGE. The status is 0, or 1 if an error was
    flagged whose kind is in --fail-on.

    :param texts: translations, one file each ('-' is standard input, .gz is fine); or one test set
        that has source and translations: JSONL, TSV, XML, SGML, a folder
    :param kinds: kinds of errors (default: those with high precision; see --list)
    :param least: only errors with at least this probability
    :param fail_on: end with status 1 if an error of these kinds is flagged; 'any' is all of them
    :param list: list the kinds, and end
    :param format: format of the output; json is JSON lines
    """

    texts: Annotated[Sequence[shared.File], option(positional=True, nargs="*", metavar="TEXT")] = ()
    kinds: Annotated[Sequence[str] | None, option(metavar="KIND")] = None
    least: Annotated[float, option(metavar="P")] = 0.5
    fail_on: Annotated[Sequence[str], option(metavar="KIND")] = ()
    list: bool = False
    format: Annotated[Literal["text", "json", "sarif"], option("-f")] = "text"


class MetaevalOptions(shared.Judged, shared.Output, shared.Seed):
    """Rank metrics by their correlation with human judgments.

    albeit metaeval ref.txt -i a.txt b.txt c.txt --judgments judgments.csv -m bleu ter
    albeit metaeval wmt12/cs-en wmt12/de-en -m bleu chrf model.json --confidence --test input
    albeit metaeval set.xml --judgments mqm.seg.score --scores COMET.seg.score
                    --level system --statistic spa
    albeit metaeval mt-metrics-eval-v2/wmt23 --language-pair zh-en --judged-only
                    --level segment system      (its own judgments, and all its metrics' scores)

    Without --statistic it is what is usual for the judgments. For rankings: the tau of WMT12, and
    spearman for systems. For ratings (MQM, DA, ESA): the tau of WMT14 over pairs that differ by a
    margin, and pearson for systems. For documents: pearson.

    Statistics: segment and document level: tau-wmt12, tau-wmt13, tau-wmt14, tau-b, accuracy,
    accuracy-ties (ties calibrated), pearson, spearman, kendall; system level: pearson,
    spearman, kendall, accuracy, spa, spa-mtme (with the random draws of mt-metrics-eval).

    --task wmt24 ranks by the mean of spa-mtme and accuracy-ties by item over all test sets; with
    --resamples N, ranks are clusters by N exchanges.

    :param level: one or several levels; metrics are ranked by the first (default: segment)
    :param statistic: one per level (default: by the kind of judgments)
    :param by: all pairs or scores together, or the mean over segments or documents
    :param uniform: also rank uniform combinations of these metrics, or of a group: asiya-lex,
        asiya-syn, asiya-srl, asiya-sem, asiya-0809, asiya-all (min-max over this data)
    :param confidence: 95 % intervals, resampling documents
    :param test: significance clusters by this test; pairs is for accuracy-ties
    :param task: rank as this shared task, with its statistics and tests
    :param resamples: number of resamples or exchanges (default: 1000, more to test more than 25
        metrics)
    """

    level: Sequence[Literal["segment", "document", "system"]] = ("segment",)
    statistic: Sequence[shared.Name] | None = None
    by: Literal["global", "item"] = "global"
    uniform: Annotated[Sequence[str], option(metavar="[NAME=]A+B")] = ()
    confidence: bool = False
    test: Literal["input", "system", "both", "pairs", "williams"] | None = None
    task: Literal["wmt24"] | None = None
    resamples: int | None = None


class TuneOptions(shared.Judged, shared.Output, shared.Seed):
    """Tune a combination of metrics on human preferences and save it as a model, or tune hybrids.

    albeit tune wmt12/cs-en wmt12/de-en -m bleu ter meteor dr-lex -o model.json
    albeit tune ref.txt -i a.txt b.txt --docs ids.txt --judgments pairs.tsv -m bleu ter -o m.json
    albeit score ref.txt -i a.txt -m model.json

    Cross-validation over whole documents estimates the model's value on unseen text. The model is
    then tuned on all data. Of hybrids (-m hbleu), the weight of cohesion is tuned.

    :param output: where the model is written (JSON)
    :param name: the model's name in signatures
    :param l2: strength of L2 (default: by inner cross-validation)
    :param folds: folds of whole documents in cross-validation
    """

    output: Annotated[shared.File | None, option("-o", writes=r'\{\s*"format": "albeit')] = None
    name: str = "model"
    l2: shared.Number | None = None
    folds: Annotated[int, option(least=2)] = 10


class ReportOptions(shared.Judged, shared.Seed):
    """Write a report: one HTML file with scores, tests, segments, documents and explanations.

    albeit report ref.txt -i a.txt b.txt --docs docids.txt -m chrf dr-lex -o report.html
    albeit report newstest.xml -m bleu chrf --explain all --title "Release 7"
    albeit report wmt12/cs-en -m bleu meteor      (a folder with judgments: correlation too)
    albeit report --results RUN/ ref.txt -i a.txt b.txt      (scored before)
    albeit report --results scores.json           (the output of 'albeit score -f json')

    The file opens from disk, needs no network and can be sent by mail.

    :param output: the file to write
    :param title: title of the report (default: the name of the set)
    :param results: show these results of an earlier 'albeit score' (its folder --out, or its JSON
        output) without scoring again; texts given with a folder are shown too, and --profile
        scores the profile
    :param explain: number of segments to explain, those on which systems differ most first
    :param profile: also score the metrics of the discourse profile that the languages allow:
        'quick' (pronouns, terms, cohesion, trees of sentences; coreference only for explained
        documents), 'all', 'none' (default: none)
    """

    output: Annotated[shared.File, option("-o", writes=REPORT)] = "report.html"
    title: str = ""
    results: Annotated[shared.File | None, option(metavar="RUN|JSON")] = None
    explain: Annotated[Any, option(type=_count, metavar="N|all|none")] = 200
    profile: Literal["quick", "all", "none"] = "none"
