"""Options that several commands share, so that they are spelt and explained the same."""

from __future__ import annotations

import argparse

from albeit.cli.parser import Parser

__all__ = [
    "SEGMENT_SCORES",
    "add_allow_mixed",
    "add_annotations",
    "add_batches",
    "add_common",
    "add_inputs",
    "add_metrics",
    "add_on_error",
    "add_output",
    "add_resampling",
    "add_scores",
    "add_seed",
    "add_workers",
    "file_argument",
    "output_argument",
    "whole_number",
]

FILE = {
    "bash": "_shtab_compgen_files",
    "zsh": "_files",
    "fish": "(__fish_complete_path (commandline -ct))",
}
"""What shtab wants of an option whose value is a file."""

REPORT_FORMATS = ("text", "json", "tsv", "latex", "markdown", "html", "value")
"""The names in ``albeit.report.FORMATS`` (which a test compares), without importing it."""


def report_formats() -> tuple[str, ...]:
    """Those that ship, and those that other packages add."""
    from albeit.plugins import plugins

    return (*REPORT_FORMATS, *(n for n in plugins("albeit.reports") if n not in REPORT_FORMATS))


def file_argument(parser: argparse._ActionsContainer, *names: str, **options: object) -> None:
    """An argument whose value is a file: shells complete it as one."""
    options.setdefault("metavar", "FILE")
    action = parser.add_argument(*names, **options)  # type: ignore[arg-type]
    action.complete = FILE  # type: ignore[attr-defined]


def output_argument(
    parser: argparse._ActionsContainer,
    *names: str,
    ours: str = r"\Z",
    folder: bool = False,
    **options: object,
) -> None:
    """An argument whose value is a file that will be written.

    It must be no input, and a file that is there already must begin with ``ours`` (a
    regular expression; by default it must be empty), as those do that albeit writes for this
    option, or be given up with ``--force`` (:mod:`albeit.cli.outputs`). ``folder`` says that
    it may be a folder too.
    """
    options.setdefault("metavar", "FILE")
    action = parser.add_argument(*names, **options)  # type: ignore[arg-type]
    action.complete = FILE  # type: ignore[attr-defined]
    action.ours, action.folder = ours, folder  # type: ignore[attr-defined]
    if "--force" not in parser._option_string_actions:
        parser.add_argument(
            "--force", action="store_true", help="write over a file that is not albeit's own"
        )


def whole_number(least: int) -> type[int]:
    """An argparse type: a whole number, at least ``least``."""

    def convert(text: str) -> int:
        number = int(text)
        if number < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, not {number}")
        return number

    convert.__name__ = "whole number"
    return convert  # type: ignore[return-value]


def add_inputs(parser: Parser, default_way: str | None = None) -> None:
    """What is scored: references, systems, documents, languages.

    ``default_way`` is for the command that always cuts texts to segments.
    """
    file_argument(
        parser,
        "references",
        nargs="*",
        metavar="REF",
        help="reference translations, one file each; or one test set that holds everything:"
        " WMT XML or SGML, JSONL, TSV, a folder, an mt-metrics-eval tree",
    )
    group = parser.add_argument_group("input")
    file_argument(
        group,
        "-i",
        "--input",
        nargs="+",
        metavar="[NAME=]FILE",
        help="translations, one file per system ('-' is standard input, .gz is fine)",
    )
    group.add_argument(
        "--systems", nargs="+", metavar="NAME", help="only these systems, in this order"
    )
    group.add_argument(
        "--refs", nargs="+", metavar="NAME", help="only these references of a test set"
    )
    file_argument(group, "--source", help="the source text")
    file_argument(
        group,
        "--docs",
        help="a file with one document id per line, or 'blank-lines' where empty lines end documents",
    )
    group.add_argument("--lang", metavar="CODE", help="language translated into (default: en)")
    group.add_argument("--source-lang", metavar="CODE", help="language translated from")
    group.add_argument(
        "--input-format", metavar="NAME", help="format of the test set (default: seen from it)"
    )
    group.add_argument(
        "-t",
        "--test-set",
        metavar="NAME",
        help="a test set by name, in place of REF, --source and --docs: sacreBLEU's (wmt23), or"
        " mtme:NAME, a tree of mt-metrics-eval; 'albeit sets' lists what is here",
    )
    group.add_argument(
        "-l",
        "--language-pair",
        metavar="XX-YY",
        help="which pair of a named test set, or of an mt-metrics-eval tree",
    )
    group.add_argument(
        "--origlang",
        metavar="CODE",
        help="only documents first written in this language (WMT XML and SGML say so)",
    )
    group.add_argument("--unescape", action="store_true", help="resolve HTML entities in the text")
    file_argument(
        group,
        "--resegment",
        nargs="?",
        const="auto",
        default=default_way,
        metavar="WAY",
        help="translations are whole documents without lines: cut them to the reference's"
        " segments by word 'edits', by 'meaning', 'auto' as fits, or as a saved FILE says",
    )


def add_annotations(parser: Parser) -> None:
    """Analyses from elsewhere, in place of the model's."""
    file_argument(
        parser.add_argument_group("annotations"),
        "--annotations",
        nargs="+",
        metavar="[NAME=]FILE",
        default=[],
        help="analyses by another parser (.dis, .rs3, .rs4, .conllu, .ptb, .mrg, .json) of any"
        " reference or translation, found by its words; NAME= says whose lines they are",
    )


def add_metrics(parser: Parser) -> None:
    """Which metrics, and the parameters most of them share."""
    group = parser.add_argument_group("metrics")
    group.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        metavar="METRIC",
        help="metrics, as NAME or 'NAME(key=value,...)'; 'albeit metrics' lists them"
        " (default: judge and chrf into English, else what 'albeit metrics --lang CODE' recommends)",
    )
    group.add_argument(
        "--tokenize", metavar="NAME", help="tokeniser of all metrics that have a choice"
    )
    group.add_argument(
        "--lowercase", action="store_true", help="ignore case in all metrics that have a choice"
    )
    group.add_argument(
        "--skip-unusable",
        action="store_true",
        help="leave out metrics that cannot score this language or set, and say which",
    )


def add_scores(group: argparse._ActionsContainer) -> None:
    """Scores of other tools, which stand beside those made here."""
    file_argument(
        group,
        "--scores",
        nargs="+",
        metavar="[NAME=]FILE",
        default=[],
        help="scores of other tools: NAME.seg.score, NAME.sys.score, a table, a WMT submission",
    )
    group.add_argument(
        "--lower-is-better",
        nargs="+",
        metavar="NAME",
        default=[],
        help="metrics of --scores that count errors",
    )


def add_resampling(group: argparse._ActionsContainer) -> None:
    """Confidence intervals, and how resampling is done."""
    group.add_argument("--confidence", action="store_true", help="add confidence intervals")
    group.add_argument(
        "--confidence-level", type=float, default=0.95, metavar="P", help="(default: %(default)s)"
    )
    group.add_argument(
        "--resamples", type=whole_number(1), metavar="N", help="how many resamples or trials"
    )
    group.add_argument(
        "--unit",
        choices=("segment", "document"),
        help="what is resampled (default: what the metric scores)",
    )
    add_seed(group)


def add_seed(
    group: argparse._ActionsContainer,
    default: int = 12345,
    what: str = "seed of all random choices",
) -> None:
    """Where random choices start, so that they can be made again."""
    group.add_argument(
        "--seed",
        type=whole_number(0),
        default=default,
        metavar="N",
        help=f"{what} (default: %(default)s)",
    )


def add_output(parser: Parser) -> argparse._ArgumentGroup:
    """How results are printed."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "-f", "--format", choices=report_formats(), default="text", help="(default: %(default)s)"
    )
    group.add_argument(
        "--decimals",
        type=whole_number(0),
        metavar="N",
        help="digits after the point (default: 2 for scores up to 100, 4 for scores up to 1)",
    )
    return group


def add_workers(group: argparse._ActionsContainer) -> None:
    """How many processes work."""
    group.add_argument(
        "--workers",
        type=whole_number(0),
        default=1,
        metavar="N",
        help="processes that share the work; 0 is one per core (default: %(default)s)",
    )


def add_common(parser: Parser) -> argparse._ArgumentGroup:
    """What every command that works for a while takes."""
    group = parser.add_argument_group("running")
    add_workers(group)
    group.add_argument(
        "--engine",
        metavar="dask://HOST:PORT",
        help="a Dask cluster that does the work, or what another package connects to, in place of"
        " processes of this machine",
    )
    add_allow_mixed(group)
    group.add_argument(
        "--batch-timeout",
        type=float,
        metavar="SECONDS",
        help="a worker process that takes longer over a batch counts as dead",
    )
    parser.set_defaults(on_error="stop")
    group.add_argument(
        "--no-cache",
        action="store_true",
        help="work everything out anew, and keep nothing (as ALBEIT_CACHE=off does)",
    )
    group.add_argument("-q", "--quiet", action="store_true", help="no progress, no warnings")
    file_argument(
        group, "--config", help="a TOML file with any of these options (keys are long names)"
    )
    return group


SEGMENT_SCORES = (
    r"system[\t,]document[\t,]segment[\t,]|segment[\t,]|\{\"(?:segment|system)\": |PAR1"
)
"""How files of segment scores begin, in any of their forms."""
DOCUMENT_SCORES = r"system[\t,]document[\t,]|\{\"system\": |PAR1"
"""The same of document scores."""


def add_batches(group: argparse._ActionsContainer) -> None:
    """A set that is read in batches, and what becomes of them."""
    file_argument(
        group,
        "--out",
        metavar="RUN/",
        help="read the set in batches, keep their statistics in this folder, and go on where an"
        " earlier run was ended",
    )
    group.add_argument(
        "--shard", metavar="I/N", help="only every Nth batch, from the Ith on; then: albeit merge"
    )
    group.add_argument(
        "--batch-size",
        type=whole_number(1),
        metavar="N",
        help="segments a batch holds at least (default: 4000 translations, 1000 if analysed)",
    )


def add_allow_mixed(group: argparse._ActionsContainer) -> None:
    """What a user may allow who can do without the last digit."""
    group.add_argument(
        "--allow-mixed",
        action="store_true",
        help="accept machines whose processors or libraries could change a score's last digit",
    )


def add_on_error(group: argparse._ActionsContainer) -> None:
    """What becomes of a document that kills its worker processes."""
    group.add_argument(
        "--on-error",
        choices=("stop", "skip"),
        default="stop",
        help="a document that kills its worker process, again and again, ends the run, or is left"
        " out and counted (default: %(default)s)",
    )
