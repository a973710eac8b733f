#!/usr/bin/env bash
# The demonstration: the first commands that a new user needs, on the set in examples/demo.
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

step "3. Explain the score of a segment: discourse trees of reference and translation" \
  albeit explain ref.A.txt -i systems/blunt.txt --segment 2

step "4. Compare the lexical chains of a document in all texts" \
  albeit chains ref.A.txt ref.B.txt -i systems/careful.txt systems/scattered.txt \
  --docs docids.txt --document bread

# shellcheck disable=SC2086
step "5. Write an HTML report" \
  albeit report ref.A.txt ref.B.txt -i $SYSTEMS --docs docids.txt --title "albeit's demonstration set" \
  -m bleu chrf ter meteor dr dr-lex cohesion sim -o "$here/report.html"
printf '\nThe report is in %s/report.html: open it in a browser.\n' "$here"
