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
    """Options for large test sets.

    :param out: Process the set in batches, and keep their statistics in RUN/. The same command
        resumes an earlier run
    :param only: Score only batches N to M. No table is printed: a last call without --only
        completes the run and prints it
    :param batch_size: Set the minimum number of segments per batch [default: 4000, or 1000 if
        annotated]
    :param on_error: Stop at a document that kills its worker, or skip and count it
    """

    out: Annotated[shared.File | None, option(metavar="RUN/")] = None
    only: Annotated[range | None, option(type=_range, metavar="N[-M]")] = None
    batch_size: int | None = None
    on_error: Annotated[Literal["stop", "skip"], option(metavar="ACTION")] = "stop"


class ScoreOptions(shared.Resampled, Batches):
    """Score systems with one or more metrics.

    Usage: albeit score REF... -i SYSTEM... [OPTIONS]

    Examples:
      albeit score ref.txt -i a.txt b.txt -m bleu chrf          # two systems
      albeit score ref.txt -i a.txt --docs ids.txt -m cohesion  # whole documents
      albeit score -t wmt23 -l en-de -i out.txt                 # a WMT test set

    More examples, for several references, annotations, a minimum score, and large sets:

      albeit score refA.txt refB.txt -i a.txt -m bleu --confidence
      albeit score ref.txt -i a.txt --lang de -m dr --annotations a=a.rs3
      albeit score ref.txt -i a.txt -m judge chrf --fail-under judge=80
      albeit score 'ref-*.zst' -i mt='mt-*.zst' -m chrf --out RUN/ --workers 0

    Common: input metrics source docs lang format confidence

    :param level: Select the level of the scores in the table
    :param segment_scores: Write all segment scores to FILE (.tsv, .csv, .jsonl, .parquet). With
        --out, they are next to the texts
    :param document_scores: Write all document scores to FILE (.tsv, .csv, .jsonl, .parquet)
    :param fail_under: Exit with status 3 if a score is worse than this. A score is worse if it is
        lower, or higher where lower is better
    """

    level: Literal["system", "document", "segment"] = "system"
    segment_scores: Annotated[shared.File | None, option(writes=SEGMENT_SCORES)] = None
    document_scores: Annotated[shared.File | None, option(writes=DOCUMENT_SCORES)] = None
    fail_under: Annotated[Sequence[Any], option(type=_limit, metavar="METRIC=X")] = ()


class CompareOptions(shared.Resampled, shared.FlaggedErrors):
    """Test whether systems differ from a baseline.

    Usage: albeit compare REF... -i BASELINE SYSTEM... [OPTIONS]

    Examples:
      albeit compare ref.txt -i base.txt new.txt -m chrf            # two systems
      albeit compare ref.txt -i a.txt b.txt c.txt --all-pairs       # clusters
      albeit compare ref.txt -i a.txt b.txt -m chrf --fail-if-worse # for scripts

    The tests are paired: both systems are compared on the same segments. A star marks a system
    that is better, and a dagger one that is worse (p < 0.05, corrected for the number of tests).

    Common: input metrics docs baseline test unit format

    :param baseline: Select the baseline [default: the first system]
    :param test: Select the significance test. The first is paired approximate randomization, with
        10,000 trials, the second the paired bootstrap, with 1,000 resamples
    :param all_pairs: Test every pair, and cluster systems that don't differ
    :param resamples: Set the number of resamples or trials [default: 10000, or 1000 for the
        bootstrap]
    :param power: Estimate how many more units a significant difference needs. Units are segments or
        documents
    :param worst: Show the N segments and documents with the largest losses. They are losses of
        each system to the baseline
    :param new_errors: Show flagged errors that the baseline doesn't have. These are errors of
        pronouns and terms
    :param fail_if_worse: Exit with status 3 if a system is significantly worse. Without METRIC,
        it is tested by each metric
    :param tolerance: Ignore losses of up to X points in --fail-if-worse [default: 0]
    """

    baseline: shared.Name | None = None
    test: Literal["randomisation", "bootstrap"] = "randomisation"
    all_pairs: bool = False
    power: bool = False
    worst: int | None = None
    new_errors: bool = False
    fail_if_worse: Annotated[Sequence[str] | None, option(nargs="*", metavar="METRIC")] = None
    tolerance: shared.Number | None = None


class ExplainOptions(shared.Scored):
    """Explain segment or document scores.

    Usage: albeit explain REF... -i SYSTEM... --segment N|--document ID [OPTIONS]

    Examples:
      albeit explain ref.txt -i a.txt b.txt --segment 12         # two systems
      albeit explain ref.txt -i a.txt -n 12 -m chrf -f html      # a web page
      albeit explain ref.txt -i a.txt --docs ids.txt -d news-17  # a document

    An explanation shows what matched, and what was lost.

    Common: input segment document metrics source docs lang format

    :param metrics: Select metrics. 'albeit metrics' lists them [default: dr]
    :param segment: Explain these segments (line numbers, from 1)
    :param document: Explain these documents. A metric of segments explains each segment
    :param format: Select the output format
    """

    metrics: Annotated[Sequence[shared.Metric] | None, option("-m")] = None
    segment: shared.Segments = ()
    document: shared.Documents = ()
    format: shared.ViewFormat = "text"


class ChainsOptions(shared.InputOptions):
    """Show lexical chains of references and systems next to each other.

    Usage: albeit chains REF... [-i SYSTEM...] [OPTIONS]

    Examples:
      albeit chains ref1.txt ref2.txt -i system.txt               # two references
      albeit chains ref.txt -i a.txt --docs ids.txt -d news-17    # one document
      albeit chains ref.txt -i a.txt b.txt -f html > chains.html  # a drawing

    Common: input document metric docs source lang format

    :param document: Show these documents. Without document IDs, the whole text is one [default:
        the first]
    :param metric: Set parameters of the chains, as 'cohesion(...)'
    :param format: Select the output format. HTML draws the chains
    """

    document: shared.Documents = ()
    metric: Annotated[str, option("-m", "--metrics", metavar="METRIC")] = "cohesion"
    format: shared.Format = "text"


class ProfileOptions(shared.Evaluated, shared.Seed, shared.FlaggedErrors):
    """Profile pronouns, terms, connectives, and cohesion.

    Usage: albeit profile REF... -i BASELINE SYSTEM... [OPTIONS]

    Examples:
      albeit profile ref.txt -i base.txt new.txt --docs ids.txt      # two systems
      albeit profile ref.txt -i a.txt --source src.txt --source-lang de # source
      albeit profile ref.txt -i a.txt b.txt -f html > profile.html   # a web page

    Each row has a score with its interval, the significance of the difference to the baseline,
    the number of instances, and flagged errors per thousand words. The most probable errors are
    listed with evidence, suggestion, context, source, and reference. A row that the languages or
    the input don't support is skipped, with the reason.

    Common: input source source_lang docs baseline worst all errors format

    :param baseline: Select the baseline [default: the first system]
    :param worst: Show N flagged errors per kind and system; with --all, also N differences
    :param all: Show differences from the reference, too. Most of them aren't errors
    :param format: Select the output format
    """

    baseline: shared.Name | None = None
    worst: shared.Natural = 3
    all: bool = False
    format: shared.ViewFormat = "text"


class CheckOptions(shared.TextOptions, shared.General):
    """Flag wrong numbers and untranslated words, without a reference.

    Usage: albeit check TEXT... --source FILE [OPTIONS]

    Examples:
      albeit check out.txt --source src.txt --source-lang de          # into English
      albeit check a.txt --source src.txt --lang de --source-lang en  # into German
      albeit check wmt.jsonl --systems mine -f sarif --fail-on any    # for CI

    The output has one line per error: FILE:LINE:COLUMN: KIND MESSAGE. The status is 0, or 3 if an
    error was flagged whose kind is in --fail-on.

    Common: source source_lang lang kinds min_probability fail_on format

    :param texts: Translations, or one test set (XML, JSONL, TSV, folder). There is one file per
        translation. '-' is standard input. A test set must have the source
    :param kinds: Flag only these kinds of errors; see --list [default: all]
    :param min_probability: Flag only errors with at least this probability
    :param fail_on: Exit with status 3 if an error of these kinds is flagged. 'any' is all kinds
    :param list: List the kinds with their precision
    :param format: Select the output format. json is JSON lines
    """

    texts: Annotated[Sequence[shared.File], option(positional=True, nargs="*", metavar="TEXT")] = ()
    kinds: Annotated[Sequence[str] | None, option(metavar="KIND")] = None
    min_probability: Annotated[float, option(metavar="P")] = 0.5
    fail_on: Annotated[Sequence[str], option(metavar="KIND")] = ()
    list: bool = False
    format: Annotated[Literal["text", "json", "sarif"], option("-f")] = "text"


class MetaevalOptions(shared.Judged, shared.Output, shared.Seed):
    """Correlate metrics with human judgments.

    Usage: albeit metaeval REF... -i SYSTEM... --judgments FILE [OPTIONS]

    Examples:
      albeit metaeval ref.txt -i a.txt b.txt --judgments hj.csv -m bleu  # own files
      albeit metaeval wmt12/cs-en wmt12/de-en -m bleu chrf --confidence  # folders
      albeit metaeval -t mtme:wmt23 -l zh-en --level segment system      # WMT

    The default statistic depends on the judgments. For rankings, it is the tau of WMT12, and
    Spearman's rho for systems. For ratings (MQM, DA, ESA), it is the tau of WMT14 over pairs that
    differ by the margin, and Pearson's r for systems. For documents, it is Pearson's r.

    Statistics of segments and documents: tau-wmt12, tau-wmt13, tau-wmt14, tau-b, accuracy,
    accuracy-ties (ties calibrated), pearson, spearman, kendall. Of segments: error-free (WMT26).
    Statistics of systems: pearson, spearman, kendall, accuracy, spa, spa-mtme (with the random
    draws of mt-metrics-eval).

    --task selects the statistics of a year of the WMT metrics task: wmt12, wmt13, wmt14, or wmt23.
    --task wmt24 ranks by the mean of spa-mtme and accuracy-ties by item over all test sets; with
    --resamples N, ranks are clusters by N exchanges.

    Common: input judgments metrics scores level statistic

    :param level: Rank metrics at these levels. The order of the table is by the first
    :param statistic: Set one statistic per level [default: depends on the judgments]
    :param by: Pool all pairs or scores, or average over items. Items are segments or documents
    :param uniform: Rank uniform combinations of these metrics, too. A combination can also be a
        group: asiya-lex, asiya-syn, asiya-srl, asiya-sem, asiya-0809, or asiya-all (min-max over
        this data)
    :param confidence: Add 95% intervals, resampled over documents
    :param test: Cluster metrics by this significance test. pairs is for accuracy-ties
    :param sentinels: Add rows that know too little: lengths of translations, their ratio to the
        reference, and lengths of sources
    :param raters: Add a row per rater, against the mean of the others
    :param task: Rank as this shared task, with its statistics and tests
    :param spans: Compare marked errors with those of annotators in FILE, in place of scores: words
        that metrics mark, spans of --marked, each annotator against the others [default: the file
        of the judgments]
    :param marked: Compare these files of marked errors: TSV (system, segment, start, end,
        severity), MQM, ESA, WMT's JSON lines, or the flagged errors of --errors
    :param resamples: Set the number of resamples or exchanges. It is larger to test more than 25
        metrics [default: 1000]
    """

    level: Sequence[Literal["segment", "document", "system"]] = ("segment",)
    statistic: Sequence[shared.Name] | None = None
    by: Literal["global", "item"] = "global"
    uniform: Annotated[Sequence[str], option(metavar="[NAME=]A+B")] = ()
    confidence: bool = False
    test: Literal["input", "system", "both", "pairs", "williams"] | None = None
    sentinels: bool = False
    raters: bool = False
    spans: Annotated[str | None, option(nargs="?", const="", metavar="FILE", reads=True)] = None
    marked: Sequence[shared.NamedFile] = ()
    task: Annotated[
        Literal["wmt12", "wmt13", "wmt14", "wmt23", "wmt24"] | None, option("--task", "--as")
    ] = None
    resamples: int | None = None


class TuneOptions(shared.Judged, shared.Output, shared.Seed):
    """Train a metric combination on human judgments.

    Usage: albeit tune REF... [-i SYSTEM...] -m METRIC... -o MODEL [OPTIONS]

    Examples:
      albeit tune wmt12/cs-en wmt12/de-en -m bleu ter dr -o model.json  # train
      albeit tune ref.txt -i a.txt b.txt --judgments hj.tsv -m hbleu    # a hybrid
      albeit score ref.txt -i a.txt -m model.json                       # use it

    Cross-validation over whole documents estimates the model's correlation on held-out text. The
    model is then tuned on all data. Of hybrids (-m hbleu), the weight of cohesion is tuned.

    Common: input judgments metrics scores output folds format

    :param output: Write the model to FILE (JSON)
    :param name: Set the model's name in signatures
    :param l2: Set the strength of L2 regularization [default: by inner cross-validation]
    :param folds: Split the documents into N folds for cross-validation
    """

    output: Annotated[shared.File | None, option("-o", writes=r'\{\s*"format": "albeit')] = None
    name: str = "model"
    l2: shared.Number | None = None
    folds: Annotated[int, option(least=2)] = 10


class ReportOptions(shared.Judged, shared.Seed):
    """Write a self-contained HTML report.

    Usage: albeit report REF... -i SYSTEM... [OPTIONS]

    Examples:
      albeit report ref.txt -i a.txt b.txt --docs ids.txt -o report.html  # texts
      albeit report wmt12/cs-en -m bleu meteor                         # judgments
      albeit report --results RUN/ ref.txt -i a.txt                # a finished run

    The file has scores, tests, segments, documents, and explanations. It opens from disk, and
    needs no network.

    Common: input metrics source docs judgments profile output

    :param output: Write the report to FILE
    :param title: Set the title of the report [default: the name of the set]
    :param baseline: Select the system to compare with [default: the best by the first metric]
    :param results: Show the results of an earlier 'albeit score'. They are its folder --out, or its
        JSON output. Texts given with a folder are shown, and --profile scores the profile
    :param explain: Explain N segments, those with the largest differences first
    :param profile: Add the discourse profile. quick has pronouns, terms, cohesion, and trees of
        sentences; coreference is only in explained documents
    """

    output: Annotated[shared.File, option("-o", writes=REPORT)] = "report.html"
    title: str = ""
    baseline: shared.Name | None = None
    results: Annotated[shared.File | None, option(metavar="RUN|JSON")] = None
    explain: Annotated[Any, option(type=_count, metavar="N|all|none")] = 200
    profile: Literal["quick", "all", "none"] = "none"


class RerankOptions(shared.Scores, shared.General):
    """Choose the best of several translations of each segment.

    Usage: albeit rerank FILE... -m METRIC... [OPTIONS]

    Examples:
      albeit rerank candidates.jsonl -m sim            # minimum Bayes risk (MBR)
      albeit rerank a.txt b.txt -m chrf 0.5*dr-lex     # one file per system
      albeit rerank nbest.moses -m chrf --fast         # linear time

    With --scores, the scores of another tool choose, or contribute to the choice. With --against
    references, the result is the best translation that could be chosen.

    Common: metrics scores references source lang fast output

    :param candidates: Candidates: JSON lines, Moses n-best, or one file per system. JSON lines have
        one object per segment
    :param references: Read references, one line per segment
    :param source: Read the source text from FILE
    :param lang: Set the target language [default: en]
    :param source_lang: Set the source language
    :param metrics: Choose by these metrics; W is a weight [default: weight 1]
    :param trust: Accept untrusted saved models. Their metrics can start programs, run code, or
        read files
    :param against: Compare candidates with each other or with references
    :param fast: Use linear time for bleu, chrf, and sim. Candidates are compared with mean
        statistics
    :param format: Select the output format. text has the chosen lines, json all ratings
    :param output: Write to FILE [default: standard output]
    :param workers: Run N worker processes; 0 means one per core
    """

    candidates: Annotated[Sequence[shared.File], option(positional=True, nargs="+", metavar="FILE")]
    references: Sequence[shared.File] = ()
    source: shared.File | None = None
    lang: shared.Code | None = None
    source_lang: shared.Code | None = None
    metrics: Annotated[Sequence[str], option("-m", metavar="[W*]METRIC", reads=True)] = ()
    trust: bool = False
    against: Literal["candidates", "references"] = "candidates"
    fast: bool = False
    format: Annotated[Literal["text", "json"], option("-f")] = "text"
    output: Annotated[shared.File | None, option("-o", writes=r"\Z")] = None
    workers: shared.Natural = 1
