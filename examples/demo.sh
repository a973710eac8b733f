#!/usr/bin/env bash
# The demonstration: every command a newcomer needs first, on the set in examples/demo.
# Called by `make demo`; or by hand where albeit is installed: bash examples/demo.sh
set -euo pipefail
cd "$(dirname "$0")/demo"

step() { printf '\n\033[1m%s\033[0m\n$ %s\n' "$1" "${*:2}"; "${@:2}"; }

step "1. Four systems, two references, one table" \
  albeit score ref.A.txt ref.B.txt -i systems/careful.txt systems/scattered.txt \
  systems/blunt.txt systems/shuffled.txt --docs docids.txt -m bleu chrf ter meteor rouge-w

step "2. Is the difference real? Each system against the first, by approximate randomisation" \
  albeit compare ref.A.txt ref.B.txt -i systems/careful.txt systems/scattered.txt \
  systems/blunt.txt systems/shuffled.txt --docs docids.txt -m bleu chrf meteor
