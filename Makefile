# Two commands on a fresh machine (Python >= 3.11, make, a package index):
#   make demo   set up everything and score the demonstration set
#   make test   set up everything and run all checks
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := examples/demo

.PHONY: coverage replay demo test slow-test test-all research-test test-comet browser-test lint types imports bench docs dist clean help

help:  ## list the targets
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

lint: $(READY)  ## check style and format
	@echo "== ruff"; $(BIN)/ruff check . && $(BIN)/ruff format --check .

types: $(READY)  ## check types
	@echo "== mypy"; $(BIN)/mypy

imports: $(READY)  ## check the layers of packages
	@echo "== import-linter"; $(BIN)/lint-imports

test: lint types imports  ## run all checks of the product except slow tests
	@echo "== pytest"; $(BIN)/pytest -n auto --dist worksteal -m "not slow"

coverage: $(READY)  ## measure branch coverage of src by the quick tests; fail below tools/coverage.json
	@mkdir -p build/coverage
	@$(BIN)/pytest -n auto --dist worksteal -m "not slow" --cov --cov-report= --cov-report=json:build/coverage.json
	@$(BIN)/python tools/check_coverage.py build/coverage.json $(if $(RECORD),--record)

replay: $(READY)  ## compare commands, server, and scores with the commit in tools/baseline.txt (half an hour)
	@$(BIN)/python tools/replay.py against
	@$(BIN)/python tools/record_scores.py against

slow-test: $(READY)  ## run slow tests: killed workers, clusters, deep trees
	@echo "== pytest, slow"; $(BIN)/pytest -n auto --dist worksteal -m slow

test-all: test slow-test research-test  ## run everything except browser tests

research-test: lint  ## check research/
	@echo "== mypy"; $(BIN)/mypy research/tests
	@echo "== pytest"; $(BIN)/pytest -n auto research/tests

test-comet:  ## test comet and comet-qe in a separate environment (build/comet)
	@$(PYTHON) -m venv build/comet
	@build/comet/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	@build/comet/bin/python -m pip install --quiet --disable-pip-version-check -e '.[comet]' pytest hypothesis
	@build/comet/bin/python -m pytest tests/metrics/external

browser-test: $(READY)  ## test the report and the server's pages in a browser
	@command -v chromium chromium-browser google-chrome > /dev/null || [ -n "$$ALBEIT_CHROMIUM" ] || \
	  { echo "No Chromium was found. Install one: apt install chromium, or $(BIN)/playwright install chromium"; \
	    echo "(then set ALBEIT_CHROMIUM to its path), and call again."; exit 1; }
	@$(BIN)/pytest tests/browser

bench: $(READY)  ## measure speed, as ratios within one run
	@for script in benchmarks/[a-z]*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

docs: $(READY)  ## build the documentation site in build/site; a broken link fails
	@echo "== documentation"; PYTHONPATH=. $(BIN)/zensical build --clean --strict

dist: $(READY)  ## build wheel and sdist in dist/, and test the wheel in a clean environment
	@rm -rf dist && $(BIN)/python -m build --outdir dist . > /dev/null
	@PYTHON=$(BIN)/python bash tools/prove_wheel.sh dist/*.whl

clean:  ## remove the virtual environment and caches
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
