# `make demo` and `make test` need nothing but Python 3.11 or newer, pip and make.

PYTHON ?= python3
VENV ?= .venv
PYTEST_ARGS ?=

python := "$(VENV)/bin/python"
pip_install := $(python) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# A stamp is made after its installation has succeeded, so an interrupted one is done again.
environment := $(VENV)/.made
installed := $(VENV)/.installed
installed_dev := $(VENV)/.installed-dev

.PHONY: help demo test lint types mypy pyright unit quick slow packaging timing docs reference site bench format install install-dev constraints lock clean
.DEFAULT_GOAL := help

help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: install ## Install Arc and watch an agent answer with two tools
	@$(python) examples/first_agent.py

# Each check has its lines to itself, except by a make from before 2013.
by_check := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

test: install-dev ## Run linters, types and the quick tests, which are most of them
	@$(MAKE) --no-print-directory --jobs=3 $(by_check) lint mypy pyright
	@$(MAKE) --no-print-directory quick
	@echo 'Left out: slow tests (make slow), with installation (make packaging), by the clock (make timing).'

lint: install-dev ## Check style, spelling and who imports whom
	$(python) -m ruff check .
	$(python) -m ruff format --check .
	"$(VENV)/bin/codespell"
	"$(VENV)/bin/lint-imports"

types: mypy pyright ## Check types with both type checkers that people use

mypy: install-dev
	$(python) -m mypy

pyright: install-dev
	$(python) -m pyright --pythonpath $(python)

# Tests start many processes, each of which would compile Arc if no bytecode were kept.
unit quick slow packaging: export PYTHONDONTWRITEBYTECODE =

unit: install-dev ## Run quick and slow tests on all cores
	$(python) -m pytest -n logical --dist worksteal -m 'not (timing or pip)' $(PYTEST_ARGS)

quick: install-dev ## Run the tests that are quick, in four minutes; PYTEST_ARGS="--cov --cov-branch" measures coverage
	$(python) -m pytest -n logical --dist worksteal -m 'not (slow or timing or pip)' $(PYTEST_ARGS)

slow: install-dev ## Run the tests that start processes or wait for time to pass
	$(python) -m pytest -n logical --dist worksteal -m 'slow and not (timing or pip)' $(PYTEST_ARGS)

# A file to a process, which shares its environments.
packaging: install-dev ## Run the tests that install packages into environments of their own
	$(python) -m pytest -n logical --dist loadfile -m pip $(PYTEST_ARGS)

timing: install-dev ## Run the tests that measure by the clock, one after the other
	$(python) -m pytest -m timing $(PYTEST_ARGS)

docs: reference ## Write the API reference and the tables of models, check all pages and run their programs
	$(python) -m tests.docs.capabilities
	$(python) -m pytest tests/docs tests/reference $(PYTEST_ARGS)

reference: install-dev ## Write the pages of the API and of the interfaces from the code
	$(python) -m reference

site: install-dev ## Build the documentation as a site, build/site, and check its links
	$(python) -m zensical build --strict --clean
	$(python) -m tests.docs.site build/site

bench: install-dev ## Measure Arc beside the vendors' SDKs (half an hour)
	$(python) -m benchmarks

format: install-dev ## Format the code and sort its imports
	$(python) -m ruff check --fix .
	$(python) -m ruff format .

install: $(installed)

install-dev: $(installed_dev)

$(environment): pyproject.toml constraints.txt
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'Arc needs Python 3.11 or newer, and "$(PYTHON)" is:' >&2; "$(PYTHON)" --version >&2; \
		echo 'Install one and name it: make PYTHON=python3.11 …' >&2; exit 1; }
	@test -x "$(VENV)/bin/python" && $(python) -m pip --version >/dev/null 2>&1 \
		|| "$(PYTHON)" -m venv --clear "$(VENV)"
	@touch "$@"

$(installed): $(environment)
	$(pip_install) --editable .
	@touch "$@"

$(installed_dev): $(environment)
	$(pip_install) --editable '.[dev]'
	@touch "$(installed)" "$@"

constraints: ## Resolve constraints.txt and requirements.lock anew from pyproject.toml
	"$(PYTHON)" -m venv --clear .venv-constraints
	.venv-constraints/bin/python -m pip install --quiet --upgrade --editable '.[dev]'
	.venv-constraints/bin/python -m pip freeze --all --exclude-editable | grep -v '^pip==' \
		> constraints.txt
	$(MAKE) --no-print-directory lock
	rm -rf .venv-constraints

lock: ## Write the hashes of everything that constraints.txt pins into requirements.lock
	test -x .venv-constraints/bin/python || "$(PYTHON)" -m venv .venv-constraints
	.venv-constraints/bin/python -m pip install --quiet uv
	.venv-constraints/bin/uv pip compile pyproject.toml --quiet --extra dev --constraint constraints.txt \
		--universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
		--output-file requirements.lock
	rm -rf .venv-constraints

clean: ## Remove the environment and everything that was built
	rm -rf "$(VENV)" .venv-judge build dist *.egg-info .coverage .coverage.* .hypothesis .import_linter_cache \
		.mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
