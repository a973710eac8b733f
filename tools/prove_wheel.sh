#!/usr/bin/env bash
# Install a wheel in a clean environment and run the demonstration from outside the checkout.
# Called by `make dist`; by hand: bash tools/prove_wheel.sh dist/albeit-*.whl
set -euo pipefail
wheel=$(realpath "$1")
examples=$(realpath "$(dirname "$0")/../examples")
away=$(mktemp -d)
trap 'rm -rf "$away"' EXIT
"${PYTHON:-python3}" -m venv "$away/venv"
"$away/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel"
cp -r "$examples" "$away/examples"
cd "$away"
PATH="$away/venv/bin:$PATH" bash examples/demo.sh > demo.txt
home=$("$away/venv/bin/python" -c 'import albeit; print(albeit.__file__)')
case $home in
  "$away"/*) ;;
  *) echo "albeit was not imported from the wheel but from $home"; exit 1 ;;
esac
echo "$(basename "$wheel"): installed in a clean environment, $(wc -l < demo.txt) lines of demonstration"
