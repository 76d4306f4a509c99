# Every task of the book. `make` alone lists them.
PYTHON ?= python3
VENV   ?= .venv
BUILD  ?= .
PY     := $(VENV)/bin/python
export URL BRANCH CHAPTER VENV PIP_NO_INDEX PIP_FIND_LINKS TORCH_INDEX

.PHONY: help book test quick lint types bench clean install install-test

help:  ## list the tasks
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

install:
	@$(PYTHON) tools/install.py requirements.txt

install-test:
	@$(PYTHON) tools/install.py requirements-test.txt

book: install  ## execute the chapters and build the book into _build/html
	@$(PY) tools/book.py --output $(BUILD)

test: install-test  ## every test; the browser ones need Chromium
	@$(PY) -m pytest -n 2 --dist loadfile

quick: install-test  ## the tests that take seconds
	@$(PY) -m pytest -m "not slow and not browser"

lint: install-test  ## style and spelling
	@$(PY) -m ruff check . && $(PY) -m ruff format --check .
	@$(VENV)/bin/codespell book notebooks src tests tools README.md CONTRIBUTING.md CHANGELOG.md

types: install-test  ## types
	@$(PY) -m mypy

clean:  ## remove everything built (the environment stays)
	@rm -rf $(BUILD)/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis

# For those who teach with the book, on their own copy and their own machines.
.PHONY: repository check lab matrix newest binder-check install-lab

repository:  ## say where your copy lives: URL=… [BRANCH=…]
	@$(PYTHON) tools/repository.py "$$URL" "$$BRANCH"

check: install  ## execute every chapter from clean and list false claims: [CHAPTER=05]
	@$(PY) tools/check.py "$$CHAPTER"

install-lab:
	@$(PYTHON) tools/install.py requirements-lab.txt

lab: install-lab  ## open the chapters in JupyterLab; no network needed
	@$(PY) tools/lab.py $(LAB)

matrix: install-test  ## oldest and newest libraries: [PYTHONS=here] [KINDS=oldest] [TORCH=no]
	@$(PY) tools/matrix.py $(PYTHONS:%=--python %) $(KINDS:%=--kind %) $(if $(filter no,$(TORCH)),--without-torch)

newest: install-test  ## the chapters with whatever was released since
	@$(PY) tools/matrix.py --python here --kind latest

binder-check: install-test  ## the chapters in an environment made from Binder's files
	@$(PY) tools/binder.py

bench: book install-test  ## weigh pages, time sliders and builds, and ask Lighthouse where npm is
	@$(PY) tools/bench.py --output $(BUILD)
