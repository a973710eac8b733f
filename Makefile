# Two commands on a fresh machine (Python >= 3.11, make, a package index):
#   make demo   set up everything and score the demonstration set
#   make test   set up everything and run all checks
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := examples/demo

.PHONY: coverage replay demo test slow-test test-all research-test test-comet browser-test lint types imports bench docs dist clean help

help:  ## say what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "albeit needs Python 3.11 or newer; call: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	@echo "== setting up a virtual environment in $(VENV) (once)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	@echo "== installing albeit and its tools"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

demo: $(READY)  ## score the demonstration set: four systems, two references
	@PATH="$(CURDIR)/$(BIN):$$PATH" DEMO=$(DEMO) bash examples/demo.sh

lint: $(READY)  ## style
	@echo "== ruff"; $(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(READY)  ## types
	@echo "== mypy"; $(BIN)/mypy

imports: $(READY)  ## directions of imports
	@echo "== import-linter"; $(BIN)/lint-imports

test: lint types imports  ## all checks of the product but the slow ones
	@echo "== pytest"; $(BIN)/pytest -n auto --dist worksteal -m "not slow"

coverage: $(READY)  ## branch coverage of src by the quick tests; fails if it falls below tools/coverage.json
	@mkdir -p build/coverage
	@$(BIN)/pytest -n auto --dist worksteal -m "not slow" --cov --cov-report= --cov-report=json:build/coverage.json
	@$(BIN)/python tools/check_coverage.py build/coverage.json $(if $(RECORD),--record)

replay: $(READY)  ## commands, server, and scores against the commit in tools/baseline.txt (half an hour)
	@$(BIN)/python tools/replay.py against
	@$(BIN)/python tools/record_scores.py against

slow-test: $(READY)  ## tests that take long: workers that are killed, clusters, deep trees
	@echo "== pytest, slow"; $(BIN)/pytest -n auto --dist worksteal -m slow

test-all: test slow-test research-test  ## everything but the browser

research-test: lint  ## the checks of research/: how weights and results pages are made
	@echo "== mypy"; $(BIN)/mypy research/tests
	@echo "== pytest"; $(BIN)/pytest -n auto research/tests

test-comet:  ## the tests of comet and comet-qe, in an environment of their own (build/comet)
	@$(PYTHON) -m venv build/comet
	@build/comet/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	@build/comet/bin/python -m pip install --quiet --disable-pip-version-check -e '.[comet]' pytest hypothesis
	@build/comet/bin/python -m pytest tests/metrics/external

browser-test: $(READY)  ## the report and the server's pages in a real browser
	@command -v chromium chromium-browser google-chrome > /dev/null || [ -n "$$ALBEIT_CHROMIUM" ] || \
	  { echo "No Chromium was found. Install one: apt install chromium, or $(BIN)/playwright install chromium"; \
	    echo "(then set ALBEIT_CHROMIUM to its path), and call again."; exit 1; }
	@$(BIN)/pytest tests/browser

bench: $(READY)  ## speed, as ratios against peers in the same run
	@for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

docs: $(READY)  ## the documentation site, in build/site; a broken link fails
	@echo "== documentation"; $(BIN)/properdocs build

dist: $(READY)  ## wheel and sdist in dist/, proved in a clean environment outside the checkout
	@rm -rf dist && $(BIN)/python -m build --outdir dist . > /dev/null
	@PYTHON=$(BIN)/python bash tools/prove_wheel.sh dist/*.whl

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
