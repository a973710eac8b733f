"""Names that version 0.3 removed, each with what to use instead. This module goes with version 0.4."""

from __future__ import annotations

__all__ = ["COMMANDS", "METRICS", "OPTIONS", "PARAMETERS"]

METRICS: dict[str, str] = {
    "albeit-party": "use judge, or a combination of your own that 'albeit tune' saves",
    "dr-doc": "use dr for trees of sentences, or coref for whole documents",
    "dr-lex-doc": "use dr-lex for trees of sentences, or coref for whole documents",
    "dr-sem": "use sim",
    "judge-facts": "use judge-many, or chrf",
    "judge-src": "use judge-many, which also scores without a reference",
}
"""Metric to a sentence without capital letter and full stop: ``use sim``."""

PARAMETERS: dict[str, str] = {
    "act(alignment=meaning)": "use alignment=yes, or alignment=eflomal",
    "act-free(alignment=meaning)": "use alignment=yes, or alignment=eflomal",
}
"""``metric(parameter)`` or ``metric(parameter=value)`` to the same."""

COMMANDS: dict[str, str] = {}
"""Command to the same."""

OPTIONS: dict[str, str] = {
    "--aligner meaning": "use --aligner yes, or --aligner eflomal",
    "--kinds names": "check finds numbers and untranslated words",
    "--resegment auto": "give --resegment without a value",
    "--resegment meaning": "give --resegment without a value",
}
"""Option, or option with one of its values (``--option value``), to the same."""
