#!/usr/bin/env bash
# The demonstration: the first commands that a new user needs, on the sets in examples/.
# Run by `make demo`, or, if albeit is installed: bash examples/demo.sh
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/demo"

step() { printf '\n%s\n$ %s\n' "$1" "${*:2}"; "${@:2}"; }
SYSTEMS="systems/careful.txt systems/scattered.txt systems/blunt.txt systems/shuffled.txt"

# shellcheck disable=SC2086
step "1. Score four systems with lexical, discourse, and similarity metrics" \
  albeit score ref.A.txt ref.B.txt -i $SYSTEMS --docs docids.txt \
  -m bleu chrf ter meteor dr dr-lex cohesion sim

# shellcheck disable=SC2086
step "2. Test whether each system differs from the first" \
  albeit compare ref.A.txt ref.B.txt -i $SYSTEMS --docs docids.txt -m bleu meteor dr-lex

step "3. Compare the lexical chains of a document in all texts" \
  albeit chains ref.A.txt ref.B.txt -i systems/careful.txt systems/scattered.txt \
  --docs docids.txt --document bread

cd ../errors
step "4. Find wrong pronouns and terms: here, the system with the higher scores has them" \
  albeit profile ref.txt -i systems/old.txt systems/new.txt --docs docids.txt \
  --source src.txt --source-lang de --worst 2

step "5. Find wrong numbers without a reference" \
  albeit check systems/old.txt --source src.txt --source-lang de

step "6. Explain a score: discourse trees of reference and translation" \
  albeit explain ref.txt -i systems/old.txt -m dr --segment 11

step "7. Write an HTML report" \
  albeit report ref.txt -i systems/old.txt systems/new.txt --docs docids.txt --source src.txt \
  --source-lang de --profile all --title "Old and new system" -o "$here/report.html"
printf '\nThe report is in %s/report.html: open it in a browser.\n' "$here"
