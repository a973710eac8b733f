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
    """List metrics, their parameters, and their languages.

    Usage: albeit metrics [METRIC...] [OPTIONS]

    Examples:
      albeit metrics               # all metrics
      albeit metrics ter           # one metric, with all its parameters
      albeit metrics --lang zh     # metrics for translations into Chinese

    :param names: Metrics to show in full [default: a list of all]
    :param lang: List only metrics that can score this language
    :param directions: Show which metrics support which language pairs. The table is for the
        packages that are installed
    :param format: Select the output format
    """

    names: Annotated[Sequence[str], option(positional=True, nargs="*", metavar="METRIC")] = ()
    lang: shared.Code | None = None
    directions: bool = False
    format: shared.Format = "text"


class ParseOptions(shared.General):
    """Parse text, or convert parses, and print them.

    Usage: albeit parse [FILE] [OPTIONS]

    Examples:
      albeit parse text.txt                       # RST trees, in the terminal
      albeit parse text.txt --docs ids.txt        # coreference of documents
      albeit parse trees.dis -f json              # convert another parser's trees

    Layers of segments: tokens, sentences, edus, rst, dependencies, constituents, roles,
    connectives, entities, vectors, drs. Layers of documents (--docs): lines, stems, lemmas, words,
    chains, coreference, antecedents.

    With -f rs3, each text needs its own file: name a new folder or FILE.zip with -o.

    Common: layer format output docs text lang

    :param file: Text, one segment per line, or annotations. Text can be .gz. Annotations are .dis,
        .rs3, .rs4, .conllu, .ptb, .mrg, .json, or .jsonl [default: '-', standard input]
    :param layer: Print these layers; --help-all lists them [default: by the format]
    :param format: Select the output format
    :param output: Write to FILE, a new folder, or FILE.zip [default: standard output]
    :param docs: Parse whole documents, with IDs from FILE, or 'blank-lines'. FILE has one ID per
        line. With 'blank-lines', empty lines end documents
    :param text: Attach annotations to their raw text. FILE has one line per annotation, in order
    :param lang: Set the language of the text
    :param unescape: Resolve HTML entities in the text
    """

    file: Annotated[shared.File, option(positional=True, nargs="?")] = "-"
    layer: Annotated[Sequence[str] | None, option(metavar="LAYER")] = None
    format: Annotated[Literal["pretty", "rs3", "conllu", "json"], option("-f")] = "pretty"
    output: Annotated[shared.File | None, option("-o", writes=r"\Z", folder=True)] = None
    docs: shared.File | None = None
    text: shared.File | None = None
    lang: shared.Code = "en"
    unescape: bool = False


class Connectives(shared.InputOptions):
    """Connective options.

    :param preset: Select albeit's matcher, or the paper's procedure
    :param sense: Set when translations are synonyms [default: the preset's]
    :param connectives: Score the eight connectives of the paper, or all in the lexicon
    :param lexicon: Read your own lexicon, connectives (DiMLex XML), or a dictionary of the original
        ACT. DiMLex has the connectives of the language that isn't English
    :param aligner: Train an aligner on the texts, align by position, or load one. 'no' aligns by
        position, and FILE is a saved aligner
    :param bitext: Train the aligner also on these sentence pairs
    :param save_aligner: Write the trained aligner to FILE
    :param alignments: Read Pharaoh or GIZA++ files, one per reference and system
    """

    preset: Literal["careful", "classic"] = "careful"
    sense: Literal["strict", "compatible", "graded", "covering"] | None = None
    connectives: Annotated[Literal["eight", "all"], option(metavar="SET")] = "eight"
    lexicon: shared.File | None = None
    aligner: Annotated[shared.File, option(metavar="yes|no|eflomal|FILE")] = "yes"
    bitext: Bitext | None = None
    save_aligner: Annotated[shared.File | None, option(writes="PK\x03\x04")] = None
    alignments: Sequence[Annotated[shared.File, option(metavar="NAME=FILE")]] = ()


class ActOptions(Connectives):
    """Score the translation of connectives (ACT), automatically or by hand.

    Usage: albeit act ACTION [OPTIONS]

    Examples (each with --source src.txt --source-lang en --lang de):
      albeit act score ref.txt -i a.txt b.txt              # scores of two systems
      albeit act report ref.txt -i a.txt                   # details of one system
      albeit act annotate ref.txt -i a.txt -o sheet.html   # judge by hand
    """


class ActScoreOptions(ActOptions, shared.Output):
    """Score the translation of connectives (ACT).

    Usage: albeit act score REF... -i SYSTEM... --source FILE [OPTIONS]

    Examples (each with --source src.txt --source-lang en --lang de):
      albeit act score ref.txt -i a.txt b.txt               # two systems
      albeit act score ref.txt -i a.txt --preset classic    # the paper's procedure
      albeit act score ref.txt -i a.txt --decisions d.tsv   # each decision

    The table has ACTa, ACTa5+6 with its coverage, and the six cases of each system.

    Common: input source source_lang lang preset decisions format

    :param decisions: Write the decision for each connective to FILE, with the reason
    """

    decisions: Annotated[shared.File | None, option(writes=r"system\tline\t")] = None


class ActReportOptions(ActOptions, shared.Output, shared.Seed):
    """Print one system's connectives in detail, and compare systems.

    Usage: albeit act report REF... -i SYSTEM... --source FILE [OPTIONS]

    Examples (each with --source src.txt --source-lang en --lang fr):
      albeit act report ref.txt -i a.txt b.txt              # the first system
      albeit act report ref.txt -i a.txt b.txt --system b   # another system
      albeit act report ref.txt -i a.txt b.txt --least 5    # frequent confusions

    The tables have connectives, senses, and confusions.

    Common: input source source_lang lang preset system format

    :param system: Show this system [default: the first]
    :param least: List confusions that occur at least N times
    :param resamples: Set the number of resamples
    """

    system: shared.Name | None = None
    least: int = 2
    resamples: int = 1000


class ActAnnotateOptions(ActOptions):
    """Write a sheet of undecided connectives for human judgment.

    Usage: albeit act annotate REF... -i SYSTEM... --source FILE [OPTIONS]

    Examples (each with --source src.txt --source-lang en --lang de):
      albeit act annotate ref.txt -i a.txt > sheet.tsv        # a table
      albeit act annotate ref.txt -i a.txt -o sheet.html      # a web page
      albeit act annotate ref.txt -i a.txt --case-4 -o s.tsv  # with case 4

    The sheet lists the instances of cases 5 and 6.

    Common: input source source_lang lang preset case_4 output

    :param output: Write the sheet to FILE (.html, or TSV) [default: TSV on standard output]
    :param case_4: List case 4 too. It needs no judgment
    """

    output: Annotated[shared.File | None, option("-o", writes=SHEET)] = None
    case_4: bool = False


class ActMergeOptions(shared.Output, shared.Quiet):
    """Compute ACTm and annotator agreement from judged sheets.

    Usage: albeit act merge SHEET... [OPTIONS]

    Examples:
      albeit act merge sheet-anna.tsv                  # one annotator
      albeit act merge sheet-anna.tsv sheet-ben.tsv    # two annotators
      albeit act merge sheet-anna.tsv -f json          # JSON

    ACTm has lower and upper bounds for connectives without a judgment.

    :param sheets: Judged sheets
    """

    sheets: Annotated[Sequence[shared.File], option(positional=True, nargs="+", metavar="SHEET")]


class LexiconOptions(shared.Quiet):
    """Check, count, and induce lexicons of connectives.

    Usage: albeit lexicon ACTION [OPTIONS]

    Examples:
      albeit lexicon check my.tsv                                   # find errors
      albeit lexicon count my.tsv --bitext en.txt de.txt > out.tsv  # add counts
      albeit lexicon induce --bitext en.txt es.txt --lang es        # a new lexicon
    """


class LexiconCheckOptions(LexiconOptions):
    """Check lexicons for unknown senses, duplicates, and wrong forms.

    Usage: albeit lexicon check [LEXICON...] [OPTIONS]

    Examples:
      albeit lexicon check                  # the lexicons of the package
      albeit lexicon check my.tsv           # your own
      albeit lexicon check my.tsv other.tsv # several

    The status is 1 if there is an error.

    :param lexicons: Lexicon files [default: those of the package]
    """

    lexicons: Annotated[
        Sequence[shared.File], option(positional=True, nargs="*", metavar="LEXICON")
    ] = ()


class LexiconCountOptions(LexiconOptions):
    """Add the counts of a bitext to a lexicon's translations.

    Usage: albeit lexicon count LEXICON --bitext SOURCE TARGET [OPTIONS]

    Examples:
      albeit lexicon count my.tsv --bitext en.txt de.txt > out.tsv    # text
      albeit lexicon count my.tsv --bitext en.gz de.gz > out.tsv      # compressed
      albeit lexicon count my.tsv --bitext en.txt de.txt -q > out.tsv # quiet

    :param lexicon: The lexicon file
    :param bitext: Read two files with one sentence per line (.gz is allowed)
    """

    lexicon: Annotated[shared.File, option(positional=True, metavar="LEXICON")]
    bitext: Annotated[Bitext, option(required=True)]


class LexiconInduceOptions(LexiconOptions):
    """Propose translations of connectives from a bitext.

    Usage: albeit lexicon induce --bitext SOURCE TARGET --lang CODE [OPTIONS]

    Examples (each with --bitext en.txt es.txt --lang es):
      albeit lexicon induce > proposed.tsv                    # those of ACT
      albeit lexicon induce --all > proposed.tsv              # all connectives
      albeit lexicon induce --connectives 'even though' since # only these

    A person must accept the proposals.

    :param bitext: Read two files with one sentence per line (.gz is allowed)
    :param lang: Set the target language
    :param source_lang: Set the source language
    :param connectives: Propose translations of these [default: the eight of ACT]
    :param all: Propose translations of all connectives of the inventory
    :param least: Propose translations that occur at least N times
    :param dimlex: Read source connectives from a DiMLex XML file
    """

    bitext: Annotated[Bitext, option(required=True)]
    lang: Annotated[shared.Code, option(required=True)]
    source_lang: shared.Code = "en"
    connectives: Annotated[Sequence[str] | None, option(metavar="NAME")] = None
    all: bool = False
    least: int = 3
    dimlex: shared.File | None = None


class ReproduceOptions(Options):
    """Reproduce the tables of three papers.

    Usage: albeit reproduce PAPER --data DIR [OPTIONS]

    Examples:
      albeit reproduce --list                                  # tables
      albeit reproduce guzman2014 --table 3 --data DIR         # one table
      albeit reproduce gong2015 --data DIR -f markdown         # one paper

    The tables have our values next to the published ones.

    :param paper: The paper
    :param list: List papers, tables, and language pairs
    :param data: Read the test sets in DIR
    :param table: Make only these tables [default: all]
    :param pairs: Use only these language pairs [default: all]
    :param format: Select the output format
    :param workers: Run N worker processes; 0 means one per core
    :param quiet: Hide progress and warnings
    """

    paper: Annotated[
        Literal["guzman2014", "gong2015", "hajlaoui2013", "all"] | None,
        option(positional=True, nargs="?", metavar="PAPER"),
    ] = None
    list: bool = False
    data: Annotated[str | None, option(metavar="DIR")] = None
    table: Annotated[Sequence[str], option(metavar="N")] = ()
    pairs: Annotated[Sequence[str], option(metavar="LP")] = ()
    format: Annotated[Literal["text", "json", "markdown"], option("-f")] = "text"
    workers: shared.Natural = 2
    quiet: Annotated[bool, option("-q")] = False


class ResegmentOptions(shared.InputOptions):
    """Align whole-document translations with the reference's segments.

    Usage: albeit resegment REF... -i SYSTEM... [OPTIONS]

    Examples:
      albeit resegment ref.txt -i system.txt               # one running text
      albeit resegment ref.txt --docs ids.txt -i system/   # one file per document
      albeit resegment wmt26.jsonl -o cut/                 # writes a test set

    Commands that score have the option --resegment, which does the same before scoring.

    Common: input docs lang output save resegment format

    :param output: Write the test set to a folder, .jsonl, .tsv, .xml, or .sgm
    :param save: Write the cuts to FILE, as a table of offsets (TSV)
    :param resegment: Apply the cuts that --save wrote to FILE
    :param format: Select the output format
    """

    resegment: Annotated[shared.File | None, option("--cuts")] = None
    output: Annotated[shared.File | None, option("-o", writes=r"\Z", folder=True)] = None
    save: Annotated[shared.File | None, option(writes=r"system\tdocument\tsegment\tstart\t")] = None
    format: Annotated[Literal["text", "html", "json"], option("-f")] = "text"


class ServeOptions(Options):
    """Start the web interface.

    Usage: albeit serve [OPTIONS]

    Examples:
      albeit serve                                          # for this machine only
      albeit serve --host 0.0.0.0 --names box.example.org   # for others
      albeit serve --folder runs/ --port 0                  # own folder, free port

    Users upload files, and read the reports. Runs are kept on disk. The server needs an extra: pip
    install 'albeit[web]'. docs/serve.md describes the API and its safety. A server for others
    prints a token that they need.

    Common: host port names token_file folder at_once minutes memory

    :param host: Listen at this address
    :param port: Listen at this port; 0 selects a free one
    :param names: Accept these names of this machine in browsers
    :param token_file: Read the token that visitors must show from FILE. ALBEIT_TOKEN sets it, too
        [default: a random token, or none on this machine]
    :param token: ==SUPPRESS==
    :param folder: Keep runs in this folder [default: the user's data folder]
    :param at_once: Work on N runs at the same time
    :param waiting: Let N runs wait
    :param minutes: Limit the minutes of a run
    :param explain_seconds: Limit the seconds of an explanation
    :param request_seconds: Limit the seconds for a request's headers, and for its body
    :param megabytes: Limit the size of an upload
    :param memory: Limit the memory of a run's process (GiB)
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
    """Show, clear, or share the cache.

    Usage: albeit cache ACTION [PACK/] [OPTIONS]

    Examples:
      albeit cache info           # folder, size, model versions, scored sets
      albeit cache clear          # delete everything
      albeit cache export PACK/   # copy the annotations into a folder

    The cache has annotations of texts, and statistics of scored sets. What is deleted is computed
    again when it is needed. 'albeit cache import PACK/' adds annotations to the cache.
    ALBEIT_CACHE_PACKS names folders that are read in place.

    :param action: What to do
    :param pack: The folder of export and import
    :param format: Select the output format
    """

    action: Annotated[Literal["info", "clear", "export", "import"], option(positional=True)]
    pack: Annotated[shared.File | None, option(positional=True, nargs="?", metavar="PACK/")] = None
    format: Annotated[Literal["text", "json"], option("-f")] = "text"


class CompletionOptions(Options):
    """Print a completion script for a shell.

    Usage: albeit completion SHELL [OPTIONS]

    Examples:
      albeit completion bash > ~/.local/share/bash-completion/completions/albeit
      albeit completion zsh > ~/.zfunc/_albeit      # a folder in $fpath
      albeit completion fish > ~/.config/fish/completions/albeit.fish

    :param shell: The shell
    """

    shell: Annotated[Literal["bash", "zsh", "fish"], option(positional=True)]
