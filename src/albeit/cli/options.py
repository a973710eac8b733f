"""Options that several commands share, so that they are spelt and explained the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from albeit.cli.parser import Group, Parser

REPORT_FORMATS = ("text", "json", "tsv", "latex", "markdown", "html", "value")
"""The names in ``albeit.report.FORMATS`` (which a test compares), without importing it."""


def add_actions(parser: Parser, about: Mapping[str, str]) -> list[Parser]:
    """The parsers of a command's actions, in order; ``about`` says what each does."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    made = [actions.add_parser(n, help=a, description=f"{a}.") for n, a in about.items()]
    for action in made:
        add_quiet(action)
    return made


def add_inputs(parser: Parser, resegment: str | None = None) -> None:
    """What is scored: references, systems, documents, languages.

    ``resegment`` is the default of ``--resegment``, for the command that always cuts texts.
    """
    parser.file(
        "references",
        nargs="*",
        metavar="REF",
        help="reference translations, one file each; or one test set that holds everything:"
        " WMT XML or SGML, JSONL, TSV, a folder, an mt-metrics-eval tree",
    )
    group = parser.group("input")
    group.file(
        "-i",
        "--input",
        nargs="+",
        metavar="[NAME=]FILE",
        help="translations, one file per system ('-' is standard input, .gz is fine)",
    )
    group.several(
        "--systems", metavar="NAME", default=None, help="only these systems, in this order"
    )
    group.several(
        "--refs", metavar="NAME", default=None, help="only these references of a test set"
    )
    group.file("--source", help="the source text")
    group.file(
        "--docs",
        help="a file with one document id per line, or 'blank-lines' where empty lines end documents",
    )
    group.option("--lang", metavar="CODE", help="language translated into (default: en)")
    group.option("--source-lang", metavar="CODE", help="language translated from")
    group.option(
        "--input-format", metavar="NAME", help="format of the test set (default: seen from it)"
    )
    group.option(
        "-t",
        "--test-set",
        metavar="NAME",
        help="a test set by name, in place of REF, --source and --docs: sacreBLEU's (wmt23), or"
        " mtme:NAME, a tree of mt-metrics-eval",
    )
    group.option(
        "-l",
        "--language-pair",
        metavar="XX-YY",
        help="which pair of a named test set, or of an mt-metrics-eval tree",
    )
    group.option(
        "--origlang",
        metavar="CODE",
        help="only documents first written in this language (WMT XML and SGML say so)",
    )
    group.flag("--unescape", help="resolve HTML entities in the text")
    group.file(
        "--resegment",
        nargs="?",
        const="edits",
        default=resegment,
        metavar="FILE",
        help="translations are whole documents without lines: cut them to the reference's"
        " segments, or use the cuts saved in FILE",
    )


def add_annotations(parser: Parser) -> None:
    """Analyses from elsewhere, in place of the model's."""
    parser.group("annotations").file(
        "--annotations",
        nargs="+",
        metavar="[NAME=]FILE",
        default=[],
        help="analyses by another parser (.dis, .rs3, .rs4, .conllu, .ptb, .mrg, .json) of any"
        " reference or translation, found by its words; NAME= says whose lines they are",
    )


RECOMMENDED = "judge and chrf into English, else what 'albeit metrics --lang CODE' recommends"


def add_metrics(parser: Parser, default: str = RECOMMENDED, *names: str) -> None:
    """Which metrics, and the parameters most of them share.

    ``default`` says which they are if none is named; ``names`` are further names of the option.
    """
    group = parser.group("metrics")
    group.several(
        "-m",
        "--metrics",
        *names,
        metavar="METRIC",
        default=None,
        help="metrics, as NAME or 'NAME(key=value,...)'; 'albeit metrics' lists them"
        f" (default: {default})",
    )
    group.option("--tokenize", metavar="NAME", help="tokeniser of all metrics that have a choice")
    group.flag("--lowercase", help="ignore case in all metrics that have a choice")
    group.flag(
        "--skip-unusable",
        help="leave out metrics that cannot score this language or set, and say which",
    )
    add_trust(group)


def add_trust(group: Group | Parser) -> None:
    """Permission for what a model or run from someone else may do."""
    group.flag(
        "--trust",
        help="accept saved models and runs whose metrics start programs, run code, or read files",
    )


def add_scores(group: Group | Parser) -> None:
    """Scores of other tools, which stand beside those made here."""
    group.file(
        "--scores",
        nargs="+",
        metavar="[NAME=]FILE",
        default=[],
        help="scores of other tools: NAME.seg.score, NAME.sys.score, a table, a WMT submission",
    )
    group.several("--lower-is-better", metavar="NAME", help="metrics of --scores that count errors")


def add_scored(parser: Parser) -> None:
    """A set and all that stands beside it in one table: metrics, and scores of other tools."""
    add_inputs(parser)
    add_annotations(parser)
    add_metrics(parser)
    add_scores(parser.group("scores of other tools"))


def add_resampling(group: Group | Parser) -> None:
    """Confidence intervals, and how resampling is done."""
    group.flag("--confidence", help="add confidence intervals")
    group.option("--confidence-level", type=float, default=0.95, metavar="P")
    group.number("--resamples", help="how many resamples or trials")
    group.option(
        "--unit",
        choices=("segment", "document"),
        help="what is resampled (default: what the metric scores)",
    )
    add_seed(group)


def add_faults(group: Group | Parser) -> None:
    """Where likely faults are written, one a line."""
    group.option(
        "--faults",
        metavar="FILE",
        help="write all likely faults to FILE.tsv or FILE.jsonl: system, document, line, span, kind,"
        " probability, suggestion",
    )


def add_seed(group: Group | Parser, what: str = "seed of all random choices") -> None:
    """Where random choices start, so that they can be made again."""
    group.number("--seed", help=what, least=0, default=12345)


def add_format(
    group: Group | Parser, formats: Sequence[str] = REPORT_FORMATS, help: str = ""
) -> None:
    """The form of what is printed, text if nothing else is said; the first is the default."""
    group.option("-f", "--format", choices=formats, default=formats[0], help=help)


def add_output(parser: Parser) -> Group:
    """How results are printed."""
    group = parser.group("output")
    add_format(group)
    group.number(
        "--decimals",
        help="digits after the point (default: 2 for scores up to 100, 4 for scores up to 1)",
        least=0,
    )
    return group


def add_workers(group: Group | Parser) -> None:
    """How many processes work."""
    group.number(
        "--workers", help="processes that share the work; 0 is one per core", least=0, default=1
    )


def add_quiet(group: Group | Parser, what: str = "no warnings") -> None:
    """Nothing but results."""
    group.option("-q", "--quiet", action="store_true", help=what)


def add_config(group: Group | Parser) -> None:
    """Options in a file."""
    group.file("--config", help="a TOML file with any of these options (keys are long names)")


def add_common(parser: Parser) -> Group:
    """What every command that works for a while takes."""
    group = parser.group("running")
    add_workers(group)
    group.option(
        "--engine",
        metavar="dask://HOST:PORT",
        help="a Dask cluster that does the work, in place of processes of this machine",
    )
    add_allow_mixed(group)
    group.option(
        "--batch-timeout",
        type=float,
        metavar="SECONDS",
        help="a worker process that takes longer over a batch counts as dead",
    )
    parser.set_defaults(on_error="stop")
    group.flag(
        "--no-cache", help="work everything out anew, and keep nothing (as ALBEIT_CACHE=off does)"
    )
    add_quiet(group, "no progress, no warnings")
    add_config(group)
    return group


SEGMENT_SCORES = (
    r"system[\t,]document[\t,]segment[\t,]|segment[\t,]|\{\"(?:segment|system)\": |PAR1"
)
"""How files of segment scores begin, in any of their forms."""
DOCUMENT_SCORES = r"system[\t,]document[\t,]|\{\"system\": |PAR1"
"""The same of document scores."""


def add_batches(group: Group | Parser) -> None:
    """A set that is read in batches, and what becomes of them."""
    group.file(
        "--out",
        metavar="RUN/",
        help="read the set in batches, keep their statistics in this folder, and go on where an"
        " earlier run was ended",
    )
    group.option(
        "--only",
        metavar="N[-M]",
        help="score only batches N to M of the run, and print no table; a last call without"
        " --only completes the run and prints it",
    )
    group.number(
        "--batch-size",
        help="segments a batch holds at least (default: 4000 translations, 1000 if analysed)",
    )


def add_allow_mixed(group: Group | Parser) -> None:
    """What a user may allow who can do without the last digit."""
    group.flag(
        "--allow-mixed",
        help="accept machines whose processors or libraries could change a score's last digit",
    )


def add_on_error(group: Group | Parser) -> None:
    """What becomes of a document that kills its worker processes."""
    group.option(
        "--on-error",
        choices=("stop", "skip"),
        default="stop",
        help="a document that kills its worker process, again and again, ends the run, or is left"
        " out and counted",
    )
