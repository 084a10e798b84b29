# Everything happens in .venv, which is made when it is missing and installed into again when pyproject.toml changes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: run test check bench fmt clean

# The samples have bugs to find: alarms (1) and open questions (3) are results, bad input (2) is not.
run: $(STAMP)
	@status=0; $(BIN)/tiercel check samples/tour || status=$$?; \
	case $$status in 0|1|3) ;; *) exit $$status ;; esac

test: $(STAMP)
	$(BIN)/python -m pytest

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy benchmarks
	$(BIN)/lint-imports
	$(BIN)/python -m pytest

bench: $(STAMP)
	$(BIN)/python benchmarks/stages.py

fmt: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .tiercel .import_linter_cache
	find engine server tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	    "Tiercel needs Python 3.11 or later, this is " + sys.version.split()[0] + ": try make PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@
