#!/usr/bin/env bash
# The demonstration: every command a newcomer needs first, on the set in examples/demo.
# Called by `make demo`; or by hand where albeit is installed: bash examples/demo.sh
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/demo"

step() { printf '\n%s\n$ %s\n' "$1" "${*:2}"; "${@:2}"; }
SYSTEMS="systems/careful.txt systems/scattered.txt systems/blunt.txt systems/shuffled.txt"

# shellcheck disable=SC2086
step "1. Four systems, two references, one table: words, discourse trees, cohesion, similarity" \
  albeit score ref.A.txt ref.B.txt -i $SYSTEMS --docs docids.txt \
  -m bleu chrf ter meteor dr dr-lex cohesion sim

# shellcheck disable=SC2086
step "2. Is the difference real? Each system against the first, by approximate randomisation" \
  albeit compare ref.A.txt ref.B.txt -i $SYSTEMS --docs docids.txt -m bleu meteor dr-lex

step "3. Where did a segment lose its score? Discourse trees of reference and translation" \
  albeit explain ref.A.txt -i systems/blunt.txt --segment 2

step "4. Which words hold a document together, in every text" \
  albeit chains ref.A.txt ref.B.txt -i systems/careful.txt systems/scattered.txt \
  --docs docids.txt --document bread

# shellcheck disable=SC2086
step "5. All of it in one file, to read, to link into and to mail" \
  albeit report ref.A.txt ref.B.txt -i $SYSTEMS --docs docids.txt --title "albeit's demonstration set" \
  -m bleu chrf ter meteor dr dr-lex cohesion sim -o "$here/report.html"
printf '\nThe report is in %s/report.html: open it in a browser.\n' "$here"
