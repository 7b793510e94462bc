# Every target that a person needs; `make help` lists them.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/sh

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.installed
BESIDE_SERVERS := $(BIN)/python -m scheduler_project.embedded run --

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /: /' | awk -F': ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(READY): requirements-dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed: found $$($(PYTHON) --version 2>&1). Name one: make PYTHON=python3.12 ..."; exit 1; }
	@echo "installing the pinned dependencies into .venv"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check --require-hashes --no-warn-script-location -r requirements-dev.txt
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	@touch $(READY)

up: $(READY) ## run everything here: servers, two beats, worker, relay, admin
	@exec $(BIN)/python manage.py up

test: $(READY) ## run all tests on real servers
	$(BIN)/python -m pytest -n 2 --dist loadgroup $(ARGS)

check: lint types contracts django pins ## lint, format, types, import contracts, Django checks, migrations, pins

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(READY)
	$(BIN)/mypy

contracts: $(READY)
	$(BIN)/lint-imports --no-cache

django: $(READY)
	$(BESIDE_SERVERS) $(BIN)/python manage.py check --fail-level WARNING --database default
	$(BESIDE_SERVERS) $(BIN)/python manage.py makemigrations --check --dry-run

pins: $(READY)
	@for name in requirements requirements-dev; do \
	  inputs=$$( [ $$name = requirements ] && echo requirements.in || echo "requirements.in requirements-dev.in" ); \
	  cp $$name.txt .venv/$$name.txt; \
	  $(BIN)/uv pip compile -q $(PIN_OPTIONS) $$inputs -o .venv/$$name.txt && diff -u $$name.txt .venv/$$name.txt || \
	    { echo "$$name.txt does not follow from $$inputs: run make repin"; exit 1; }; \
	done

PIN_OPTIONS := --universal --python-version 3.11 --generate-hashes --no-annotate --no-header --no-emit-index-url

repin: $(READY) ## make requirements*.txt anew from requirements*.in
	$(BIN)/uv pip compile -q $(PIN_OPTIONS) requirements.in -o requirements.txt
	$(BIN)/uv pip compile -q $(PIN_OPTIONS) requirements.in requirements-dev.in -o requirements-dev.txt

smoke: $(READY) ## run the stack for half a minute, kill a beat, and count what came out
	$(BIN)/python manage.py smoke

format: $(READY) ## format the code
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.PHONY: help up test check lint types contracts django pins repin smoke format

bench: bench-timing ## run every bench, then remake the tables of docs/performance.md
	$(BIN)/python -m bench.report

bench-timing: $(READY) ## next fire times beside celery, cronsim, croniter (QUICK=1 ends inside 50 s)
	$(BIN)/python -m bench.timing

.PHONY: bench bench-timing
