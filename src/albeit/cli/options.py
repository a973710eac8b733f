"""Groups of options that several commands share, and the kinds of values that they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from albeit.cli.parser import Options, option

Name = Annotated[str, option(metavar="NAME")]
Code = Annotated[str, option(metavar="CODE")]
Number = Annotated[float, option(metavar="X")]
Natural = Annotated[int, option(least=0)]
File = Annotated[str, option(metavar="FILE", reads=True)]
NamedFile = Annotated[str, option(metavar="[NAME=]FILE", reads=True)]
Metric = Annotated[str, option(metavar="METRIC", reads=True)]
Segments = Annotated[Sequence[int], option("-n", metavar="N")]
Documents = Annotated[Sequence[str], option("-d", metavar="ID")]
Format = Annotated[
    Literal["text", "json", "tsv", "latex", "markdown", "html", "value"], option("-f")
]
"""The names in ``albeit.report.FORMATS``, which a test compares."""
ViewFormat = Annotated[Literal["text", "json", "html"], option("-f")]


class Quiet(Options):
    """Options of all commands that print warnings.

    :param quiet: no progress, no warnings
    """

    quiet: Annotated[bool, option("-q")] = False


class General(Quiet):
    """Options of all commands that work for a while.

    :param config: a TOML file with any of these options (keys are long names)
    """

    config: File | None = None


class Languages(Options):
    """The languages of a set.

    :param lang: language translated into (default: en)
    :param source_lang: language translated from
    """

    lang: Code | None = None
    source_lang: Code | None = None


class TextOptions(Languages):
    """Options for the texts of a set.

    :param source: the source text
    :param docs: a file with one document id per line, or 'blank-lines' where empty lines end
        documents
    :param systems: only these systems of a test set, in this order
    :param input_format: format of the test set (default: detected)
    :param unescape: resolve HTML entities in the text
    """

    source: File | None = None
    docs: File | None = None
    systems: Sequence[Name] | None = None
    input_format: Name | None = None
    unescape: bool = False


class InputOptions(TextOptions, General):
    """Options for what is scored.

    :param references: reference translations, one file each; or one test set that holds
        everything: WMT XML or SGML, JSONL, TSV, a folder, an mt-metrics-eval tree
    :param input: translations, one file per system ('-' is standard input, .gz is fine)
    :param refs: only these references of a test set
    :param test_set: a test set by name, in place of REF, --source and --docs: sacreBLEU's (wmt23),
        or mtme:NAME, a tree of mt-metrics-eval
    :param language_pair: the pair of a named test set, or of an mt-metrics-eval tree
    :param origlang: only documents first written in this language, if the test set has it (WMT
        XML, SGML)
    :param resegment: translations are whole documents without lines: cut them to the reference's
        segments, or use the cuts saved in FILE
    """

    references: Annotated[Sequence[File], option(positional=True, nargs="*", metavar="REF")] = ()
    input: Annotated[Sequence[NamedFile], option("-i")] = ()
    refs: Sequence[Name] | None = None
    test_set: Annotated[Name | None, option("-t")] = None
    language_pair: Annotated[str | None, option("-l", metavar="XX-YY")] = None
    origlang: Code | None = None
    resegment: Annotated[File | None, option(nargs="?", const="edits")] = None


class Annotations(Options):
    """Annotations by other parsers.

    :param annotations: annotations by another parser (.dis, .rs3, .rs4, .conllu, .ptb, .mrg,
        .json) of any reference or translation, found by its words; NAME= names the text
    """

    annotations: Sequence[NamedFile] = ()


class Metrics(Options):
    """Metrics, and the parameters that most of them share.

    :param metrics: metrics, as NAME or 'NAME(key=value,...)'; 'albeit metrics' lists them
        (default: judge and chrf into English, else what 'albeit metrics --lang CODE' recommends)
    :param tokenize: tokenizer of all metrics that have a choice
    :param lowercase: ignore case in all metrics that have a choice
    :param skip_unusable: skip metrics that cannot score this language or set, with a warning
    :param trust: accept saved models and runs whose metrics start programs, run code, or read
        files
    """

    metrics: Annotated[Sequence[Metric] | None, option("-m")] = None
    tokenize: Name | None = None
    lowercase: bool = False
    skip_unusable: bool = False
    trust: bool = False


class Scores(Options):
    """Scores of other tools.

    :param scores: scores of other tools: NAME.seg.score, NAME.sys.score, a table, a WMT submission
    :param lower_is_better: metrics of --scores that count errors
    """

    scores: Sequence[NamedFile] = ()
    lower_is_better: Sequence[Name] = ()


class Running(General):
    """Options for how the work is done.

    :param workers: processes that share the work; 0 is one per core
    :param engine: a Dask cluster that does the work, in place of processes of this machine
    :param allow_mixed: accept machines whose processors or libraries could change a score's last
        digit
    :param batch_timeout: a worker process that takes longer for a batch counts as dead
    :param no_cache: compute everything, and keep nothing (as ALBEIT_CACHE=off does)
    """

    workers: Natural = 1
    engine: Annotated[str | None, option(metavar="dask://HOST:PORT")] = None
    allow_mixed: bool = False
    batch_timeout: Annotated[float | None, option(metavar="SECONDS")] = None
    no_cache: bool = False


class Evaluated(InputOptions, Annotations, Scores, Running):
    """A test set, its annotations, and scores of other tools."""


class Scored(Evaluated, Metrics):
    """A test set that is scored with metrics."""


class Output(Options):
    """How results are printed.

    :param format: format of the output
    :param decimals: digits after the point (default: 2 for scores up to 100, 4 for scores up to 1)
    """

    format: Format = "text"
    decimals: Natural | None = None


class Seed(Options):
    """Random choices.

    :param seed: seed of all random choices
    """

    seed: Natural = 12345


class Resampling(Seed):
    """Confidence intervals, and how scores are resampled.

    :param confidence: add confidence intervals
    :param confidence_level: the level of confidence intervals
    :param resamples: number of resamples or trials
    :param unit: unit to resample (default: the metric's unit)
    """

    confidence: bool = False
    confidence_level: Annotated[float, option(metavar="P")] = 0.95
    resamples: int | None = None
    unit: Literal["segment", "document"] | None = None


class Resampled(Scored, Output, Resampling):
    """A test set that is scored, with confidence intervals if they are asked for."""


class Judged(Scored):
    """Options for human judgments.

    :param judgments: human judgments: WMT rankings (CSV), pairs (TSV: segment, better, worse),
        ratings (TSV: system, segment or line0, a score; or .seg.score); one file per test set.
        Without it, a test set's folder is searched for files with a usual name
    :param human_column: score column of ratings (raw, z, mqm …)
    :param penalties: ratings count errors: lower is better
    :param by_rater: standardize ratings by rater (z), if the file has a column 'rater', before
        they are averaged
    :param margin: ratings that differ by less than this are a tie (default: 1 point of MQM, 25 of
        raw DA and ESA, .75 of z-scores; 0 for accuracy-ties and tau-b, which count ties)
    :param judged_only: score only segments with judgments (MQM often covers a part of the set)
    """

    judgments: Sequence[File] = ()
    human_column: Name | None = None
    penalties: bool = False
    by_rater: bool = False
    margin: Number | None = None
    judged_only: bool = False


class FlaggedErrors(Options):
    """Flagged errors in a file.

    :param faults: write all flagged errors to FILE.tsv or FILE.jsonl: system, document, line,
        span, kind, probability, suggestion
    """

    faults: Annotated[str | None, option(metavar="FILE")] = None
