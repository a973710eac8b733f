"""Groups of options that several commands share, and the kinds of values that they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from albeit.cli.parser import Options, option

Name = Annotated[str, option(metavar="NAME")]
Code = Annotated[str, option(metavar="CODE")]
Number = Annotated[float, option(metavar="X", least=0)]
Natural = Annotated[int, option(least=0)]
File = Annotated[str, option(metavar="FILE", reads=True)]
NamedFile = Annotated[str, option(metavar="FILE", reads=True)]
Metric = Annotated[str, option(metavar="METRIC", reads=True)]
Segments = Annotated[Sequence[int], option("-n", metavar="N")]
Documents = Annotated[Sequence[str], option("-d", metavar="ID")]
Format = Annotated[
    Literal["text", "json", "tsv", "latex", "markdown", "html", "value"], option("-f")
]
"""The names in ``albeit.report.FORMATS``, which a test compares."""
ViewFormat = Annotated[Literal["text", "json", "html"], option("-f")]


class Quiet(Options):
    """General options.

    :param quiet: Hide progress and warnings
    """

    quiet: Annotated[bool, option("-q")] = False


class General(Quiet):
    """General options.

    :param config: Read options from a TOML file. Keys are the long names of options
    """

    config: File | None = None


class Languages(Options):
    """Input options.

    :param lang: Set the target language [default: en]
    :param source_lang: Set the source language
    """

    lang: Code | None = None
    source_lang: Code | None = None


class TextOptions(Languages):
    """Input options.

    :param source: Read the source text from FILE
    :param docs: Read document IDs from FILE, or 'blank-lines'. FILE has one ID per line. With
        'blank-lines', empty lines in the texts end documents
    :param systems: Use only these systems of a test set, in this order [default: all]
    :param input_format: Set the format of the test set [default: detected]
    :param unescape: Resolve HTML entities in the texts
    """

    source: File | None = None
    docs: File | None = None
    systems: Sequence[Name] | None = None
    input_format: Name | None = None
    unescape: bool = False


class InputOptions(TextOptions, General):
    """Input options.

    :param references: References, or one test set (XML, JSONL, TSV, folder). A test set can
        also be SGML or an mt-metrics-eval tree
    :param input: Read system outputs, one file per system. '-' is standard input, .gz files are
        decompressed, and NAME=FILE names the system
    :param refs: Use only these references of a test set [default: all]
    :param test_set: Use a test set by name: wmt23 (sacreBLEU's), or mtme:NAME. It replaces REF,
        --source, and --docs. mtme:NAME is a tree of mt-metrics-eval
    :param language_pair: Select the language pair of a test set. It applies to -t, and to an
        mt-metrics-eval tree
    :param origlang: Use only documents originally in this language. Only WMT XML and SGML record
        it
    :param resegment: Align outputs that lack the reference's segments. Outputs are whole
        documents. With FILE, the saved cuts are used
    """

    references: Annotated[Sequence[File], option(positional=True, nargs="*", metavar="REF")] = ()
    input: Annotated[Sequence[NamedFile], option("-i")] = ()
    refs: Sequence[Name] | None = None
    test_set: Annotated[Name | None, option("-t")] = None
    language_pair: Annotated[str | None, option("-l", metavar="XX-YY")] = None
    origlang: Code | None = None
    resegment: Annotated[File | None, option(nargs="?", const="edits")] = None


class Annotations(Options):
    """Input options.

    :param annotations: Read annotations of another parser. Formats are .dis, .rs3, .rs4,
        .conllu, .ptb, .mrg, and .json. The text is found by its words, and NAME=FILE names it
    """

    annotations: Sequence[NamedFile] = ()


class Metrics(Options):
    """Metric options.

    :param metrics: Select metrics. 'albeit metrics' lists them. A metric is NAME or
        'NAME(key=value,...)'. For other languages than English, 'albeit metrics --lang CODE' shows
        the default [default: judge chrf for English]
    :param tokenize: Set the tokenizer of all metrics that have a choice [default: the metric's]
    :param lowercase: Ignore case in all metrics that have a choice
    :param skip_unusable: Skip metrics that can't score this set, with a warning
    :param trust: Accept untrusted saved models and runs. Their metrics can start programs, run
        code, or read files
    """

    metrics: Annotated[Sequence[Metric] | None, option("-m")] = None
    tokenize: Name | None = None
    lowercase: bool = False
    skip_unusable: bool = False
    trust: bool = False


class Scores(Options):
    """Input options.

    :param scores: Add the scores of other tools. FILE is NAME.seg.score, NAME.sys.score, a
        table, or a WMT submission
    :param lower_is_better: Name the metrics of --scores that count errors
    """

    scores: Sequence[NamedFile] = ()
    lower_is_better: Sequence[Name] = ()


class Running(General):
    """Processing options.

    :param workers: Run N worker processes; 0 means one per core
    :param engine: Run on a Dask cluster instead of on this machine
    :param allow_mixed: Accept workers with different processors or libraries. They can change
        the last digit of a score
    :param batch_timeout: Restart a worker that needs longer for a batch [default: no limit]
    :param no_cache: Disable the cache. ALBEIT_CACHE=off does the same
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
    """Output options.

    :param format: Select the output format
    :param decimals: Print N decimals [default: 2 for scores up to 100, 4 for scores up to 1]
    """

    format: Format = "text"
    decimals: Annotated[int | None, option(least=0, most=20)] = None


class Seed(Options):
    """Statistics options.

    :param seed: Set the seed of all random choices
    """

    seed: Natural = 12345


class Resampling(Seed):
    """Statistics options.

    :param confidence: Add bootstrap confidence intervals (95%)
    :param confidence_level: Set the level of confidence intervals
    :param resamples: Set the number of resamples or trials [default: 1000]
    :param unit: Select the unit to resample [default: the metric's unit]
    """

    confidence: bool = False
    confidence_level: Annotated[float, option(metavar="P")] = 0.95
    resamples: int | None = None
    unit: Literal["segment", "document"] | None = None


class Resampled(Scored, Output, Resampling):
    """A test set that is scored, optionally with confidence intervals."""


class Judged(Scored):
    """Judgment options.

    :param judgments: Read human judgments, one file per test set. Formats: WMT rankings (CSV);
        pairs (TSV: segment, better, worse); ratings (TSV: system, segment or line0, a score;
        or .seg.score) [default: files with a usual name in the test set]
    :param human_column: Select the score column of ratings, such as raw or z [default: detected]
    :param penalties: Treat ratings as error counts: lower is better
    :param by_rater: Standardize ratings per rater before averaging. The file needs a column
        'rater'
    :param margin: Treat ratings that differ by less than X as ties. The default is 0 for
        accuracy-ties and tau-b, which count ties [default: 1 for MQM, 25 for raw DA and ESA, 0.75
        for z-scores]
    :param judged_only: Score only segments with judgments. MQM often covers a part of the set
    """

    judgments: Sequence[File] = ()
    human_column: Name | None = None
    penalties: bool = False
    by_rater: bool = False
    margin: Number | None = None
    judged_only: bool = False


class FlaggedErrors(Options):
    """Output options.

    :param errors: Write all flagged errors to FILE (.tsv or .jsonl). Columns are system,
        document, line, span, kind, probability, and suggestion
    """

    errors: Annotated[str | None, option(metavar="FILE")] = None
