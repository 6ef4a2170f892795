# The one entry for people and CI. `make help` lists the targets. Needs Python 3.11 or newer, git and make.

.DEFAULT_GOAL := help

# The first interpreter that answers and is new enough; `make PYTHON=/path/to/python` overrides.
PYTHON ?= $(shell for candidate in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$candidate && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
TESTS ?= tests

.PHONY: help
help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

.PHONY: demo
demo: $(BIN)/hwlint  ## install hwlint into .venv and run it on a sample that breaks on sm_120
	@echo '$$ hwlint check --output-format full fixtures/symmetric_memory'
	@output=$$($(BIN)/hwlint check --no-cache --output-format full fixtures/symmetric_memory 2>&1); status=$$?; \
	printf '%s\n\n' "$$output"; \
	if [ $$status -eq 1 ] && printf '%s' "$$output" | grep -qF 'KeyError: 12'; \
	then echo 'demo: as it should be, hwlint found `KeyError: 12` without a GPU (exit status 1: findings remain).'; \
	else echo "demo: FAILED: expected exit status 1 and a finding with KeyError: 12; the status was $$status." >&2; exit 1; fi

.PHONY: test
test: $(VENV)/dev  ## run all tests
	$(BIN)/python -m pytest -n 2 $(TESTS)

.PHONY: check
check: test lint docs wheel  ## do all that CI does

.PHONY: lint
lint: $(VENV)/dev  ## formatting, style, types and the layers of the architecture
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: format
format: $(VENV)/dev  ## format, and mend what ruff can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

.PHONY: wheel
wheel: $(VENV)/dev  ## try the wheel and the pre-commit hook in empty environments, away from this folder
	$(BIN)/python tests/smoke/try_wheel.py
	$(BIN)/python tests/smoke/try_hook.py

.PHONY: docs
docs: $(VENV)/dev  ## build the documentation site into build/site; a link that leads nowhere fails
	$(BIN)/python docs/make_site.py

.PHONY: sarif
sarif: $(VENV)/dev  ## put the SARIF of every fixture before the SARIF SDK's own validator (Linux, npm)
	$(BIN)/python tests/smoke/validate_sarif.py

.PHONY: bench
bench: $(VENV)/dev  ## measure speed and recall (fetches the measured releases)
	$(BIN)/python -m benchmarks

.PHONY: map
map:  ## list the modules in docs/architecture.md
	$(PYTHON) docs/make_map.py

.PHONY: lock
lock: $(VENV)/dev  ## refresh uv.lock from the public index
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv lock --no-config --default-index https://pypi.org/simple

.PHONY: clean
clean:  ## remove what the other targets made
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .hwlint_cache

$(BIN)/python:
	@test -n '$(PYTHON)' || { echo 'hwlint needs Python 3.11 or newer, and found none; set PYTHON=/path/to/python' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(BIN)/hwlint: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/dev: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,compile]'
	@touch $@
