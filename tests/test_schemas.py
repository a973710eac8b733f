"""Every ``-f json`` has the form that ``docs/schemas.json`` states."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from albeit.cli import list_parsers, main
from tests.conftest import ROOT
from tests.test_printed_commands import cache, folder

__all__ = ["cache", "folder"]

SCHEMAS = json.loads((ROOT / "docs" / "schemas.json").read_text(encoding="utf-8"))
ERRORS = ROOT / "examples" / "errors"
SOURCE = f"--source {ERRORS}/src.txt --source-lang de"
SHEETS = "ref.txt -i a.txt --source src.txt --source-lang de"
COMMANDS = [
    "score ref.txt refB.txt -i a.txt b.txt --docs docids.txt -m chrf cohesion --confidence",
    "score ref.txt -i a.txt b.txt --docs docids.txt -m bleu judge-small --level segment",
    "compare ref.txt -i a.txt b.txt -m chrf",
    "compare ref.txt -i a.txt b.txt --docs docids.txt -m chrf cohesion --power --worst 2",
    "compare ref.txt -i a.txt b.txt c.txt -m chrf --all-pairs",
    "compare ref.txt -i a.txt b.txt --docs docids.txt -m chrf --new-errors",
    "metrics",
    "metrics chrf dr",
    "explain ref.txt -i a.txt b.txt -n 2 -m chrf ter dr judge",
    "explain ref.txt -i c.txt --docs docids.txt -d bread -m cohesion terms",
    f"profile {ERRORS}/ref.txt -i {ERRORS}/systems/old.txt {ERRORS}/systems/new.txt "
    f"{SOURCE} --docs {ERRORS}/docids.txt",
    f"check {ERRORS}/systems/old.txt {SOURCE}",
    "metaeval FOLDER -m chrf bleu --confidence --test input",
    "metaeval FOLDER -m chrf bleu --level segment system",
    "tune FOLDER -m chrf bleu -o m.json",
    "parse ref.txt",
    "parse ref.txt --docs docids.txt",
    f"act score {SHEETS}",
    f"act report {SHEETS}",
    "act merge anna.tsv ben.tsv",
    "resegment ref.txt -i document.txt",
    "rerank candidates.jsonl -m chrf",
    "cache info",
    "chains ref.txt -i a.txt c.txt --docs docids.txt -d bread",
    "reproduce --list",
]
LINES = ("check", "parse")
"""What prints one object per line."""


def schema_of(command: str) -> str:
    words = command.split()
    return " ".join(words[: 2 if words[0] == "act" else 1])


def test_outputs_have_their_schema(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("anna.tsv", "ben.tsv"):
        assert main(f"act annotate {SHEETS} -o {name} -q".split()) == 0
    wrong = []
    for command in COMMANDS:
        name = schema_of(command)
        capsys.readouterr()
        assert main([*command.split(), "-f", "json"]) == 0
        text = capsys.readouterr().out
        values = map(json.loads, text.splitlines()) if name in LINES else [json.loads(text)]
        schema = {"$ref": f"#/$defs/{name}", "$defs": SCHEMAS["$defs"]}
        validator = jsonschema.Draft202012Validator(schema)
        errors = [error for value in values for error in validator.iter_errors(value)]
        wrong += [f"{command}: {jsonschema.exceptions.best_match([each])}" for each in errors[:2]]
    assert not wrong, "\n".join(wrong)


def test_every_command_with_json_has_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMAS)
    for parser in list_parsers():
        choices = [each.choices or () for each in parser._actions if each.dest == "format"]
        if any("json" in each for each in choices):
            name = parser.prog.removeprefix("albeit ")
            assert name in SCHEMAS["$defs"]
            assert name in map(schema_of, COMMANDS)
