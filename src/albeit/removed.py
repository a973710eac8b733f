"""Names that version 0.3 removed and version 0.4 renamed, each with its replacement."""

from __future__ import annotations

METRICS: dict[str, str] = {
    "albeit-party": "use judge, or a combination of your own that 'albeit tune' saves",
    "dr-doc": "use dr for trees of sentences, or coref for whole documents",
    "dr-lex-doc": "use dr-lex for trees of sentences, or coref for whole documents",
    "dr-sem": "use sim",
    "judge-facts": "use judge-many, or chrf",
    "judge-src": "use judge-many, which also scores without a reference",
}
"""Metric to a sentence without capital letter and full stop: ``use sim``."""

_BEST = "the reference with the highest score counts"
PARAMETERS: dict[str, str] = {
    "ter(match)": "use terp-a, which matches stems and synonyms",
    "act(alignment=meaning)": "use alignment=yes, or alignment=eflomal",
    "act-free(alignment=meaning)": "use alignment=yes, or alignment=eflomal",
    "cohesion(consensus)": _BEST,
    "cohesion(content)": "content words are found by a stop list",
    "cohesion(entities)": "words are compared one by one",
    "cohesion(tolerance)": "positions must be equal",
    "cohesion(wordnet)": "use lc for cohesion with WordNet",
    "cohesion(words=lemma)": "use words=stem",
    "coref(other)": "it is 0.5",
    "dp-or(scope)": "all words below a relation count",
    "sim(tail)": "all tokens count",
    "discotk-light(consensus)": _BEST,
    "discotk-light(lambda)": "it is 0.7, as in dr",
    "discotk-light(words_lambda)": "it is 0.05, as in dr-lex",
    "dr(consensus)": _BEST,
    "dr(layout)": "use dr-lex, which has labels as children",
    "dr-lex(consensus)": _BEST,
    "dr-lex(grouping)": "each word has its own NGRAM",
    "dr-lex(labels)": "use dr(labels=...)",
    "dr-lex(words)": "words are compared as written",
}
"""``metric(parameter)`` or ``metric(parameter=value)`` to the same."""

COMMANDS: dict[str, str] = {
    "convert": "use albeit.write(albeit.read(PATH), NEW_PATH) in Python; commands read all formats",
    "merge": "run 'albeit score --out RUN' without --only: it completes the run and sums",
    "select": "use subset2evaluate (https://github.com/zouharvi/subset2evaluate)",
    "sets": "use -t NAME with any command; 'sacrebleu --list' lists the names",
}
"""Command to the same."""

OPTIONS: dict[str, str] = {
    "--aligner meaning": "use --aligner yes, or --aligner eflomal",
    "--kinds names": "check finds numbers and untranslated words",
    "--resegment auto": "give --resegment without a value",
    "--resegment meaning": "give --resegment without a value",
    "--shard": "use --only 1-8 with --out, a range of batches for each task",
    "lexicon --hidden": "check without it",
    "rerank --beam": "rerank chooses segment by segment",
    "rerank --by": "rerank chooses segment by segment",
    "rerank --docs": "rerank chooses segment by segment",
    "rerank --documents": "rerank chooses segment by segment, by metrics of segments",
    "rerank --features": "use --scores FILE, with one file of candidates per system",
    "rerank --learn-weights": "tune weights with another tool, and use -m 0.5*METRIC",
    "rerank --prune": "use --fast",
    "rerank --seed": "rerank has no random choices",
    "rerank --temperature": "all candidates weigh the same as references",
    "rerank --weights": "use -m 0.5*METRIC",
    "tune --learner": "weights are tuned by logistic regression",
}
"""Option, option with one value (``--option value``), or command and option, to the same."""

RENAMED: dict[str, str] = {
    "chains --metric": "--metrics",
    "check --least": "--min-probability",
    "compare --faults": "--errors",
    "compare --margin": "--tolerance",
    "compare --profile": "--new-errors",
    "explain --metric": "--metrics",
    "parse -l": "--layer",
    "profile --faults": "--errors",
    "resegment --resegment": "--cuts",
}
"""Command and old option to the new name; the old name still works, until version 0.5."""
