# Front door. `make figures` and `make test` do their own set-up on a machine with Python 3.11 and make.
SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3.11
VENV := .venv
# With conda the environment is built below .conda, so that nothing outside the clone changes.
PREFIX := $(if $(shell command -v conda 2>/dev/null),.conda,$(VENV))
RUN := $(PREFIX)/bin/python
READY := $(PREFIX)/.ready

export PYTHONHASHSEED := 0

.PHONY: help env figures notebooks check-notebooks test lint verify audit bench coverage lock local record lab clean

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

env: $(READY)  ## Set up: conda where there is one, else venv and pip; exact versions from requirements.lock

$(READY): requirements.lock environment.yml pyproject.toml
ifeq ($(PREFIX),.conda)
	conda env create --quiet --yes --prefix .conda --file environment.yml || conda env update --quiet --prefix .conda --file environment.yml
else
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found; install Python 3.11, or: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
endif
	$(RUN) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(RUN) -c 'import matplotlib.font_manager'  # lists the fonts once; in a notebook that would warn
	@touch $@

figures: $(READY)  ## Rebuild every figure from committed recordings (no key, no network, no model)
	$(RUN) -m medagents figures

notebooks: $(READY)  ## Execute the committed notebooks in place (the only writer of their outputs)
	$(RUN) -m medagents notebooks

check-notebooks: $(READY)  ## Fail where a committed notebook's outputs are stale
	$(RUN) -m medagents notebooks --check

test: $(READY)  ## Run the tests with coverage
	$(RUN) -m pytest --cov

lint: $(READY)  ## ruff on code and notebooks, mypy on the package
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m mypy

verify: $(READY)  ## Check recordings and rows: their sums, each other, and every request built again
	$(RUN) -m medagents recordings verify

audit: $(READY)  ## Recompute every printed number from the authors' rows (MEDAGENTS_ARTEFACTS)
	$(RUN) -m medagents audit

# INSPECT: an interpreter that has inspect-ai, to measure beside it.
bench: $(READY)  ## Measure what is claimed of speed and memory, as ratios in one run
	$(RUN) benchmarks/replay.py
	$(RUN) benchmarks/bootstrap.py
	$(RUN) benchmarks/calls.py $(if $(INSPECT),--inspect $(INSPECT))
	$(RUN) benchmarks/memory.py
	$(RUN) benchmarks/committees.py

# One thread: the products are small, and waiting threads of BLAS cost more than they give.
coverage: $(READY)  ## Measure how often each interval covers what was planted (about a minute)
	OPENBLAS_NUM_THREADS=1 $(RUN) -m medagents.planted.coverage

lock: $(READY)  ## Resolve requirements.lock anew from pyproject.toml
	$(RUN) -m pip install --quiet --disable-pip-version-check uv
	$(PREFIX)/bin/uv pip compile --quiet pyproject.toml --extra dev --extra live --python-version 3.11 --generate-hashes --no-header --output-file requirements.lock

local: $(READY)  ## Install the engine for local models (not needed for figures or tests)
	$(RUN) -m pip install --quiet --disable-pip-version-check "$$($(RUN) -c 'import tomllib; print(tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["local"][0])')"

# Threads pinned to cores: a waiting thread of the engine suffers much from any other busy process.
# A model of a provider or server needs no engine; OPTIONS are those of `python -m medagents record`.
record: $(if $(filter gemini-% openai:% openai--%,$(MODEL)),$(READY),local)  ## Record one experiment: make record EXPERIMENT=peer_cascade COHORT=vignettes MODEL=qwen2.5-coder-1.5b
	OMP_PROC_BIND=true OMP_PLACES=threads $(RUN) -m medagents record --experiment $(EXPERIMENT) --cohort $(COHORT) --model $(MODEL) $(OPTIONS)

lab: $(READY)  ## Install and open JupyterLab on the notebooks
	$(RUN) -m pip install --quiet --disable-pip-version-check --constraint <(sed -nE 's/^([A-Za-z0-9_.-]+==[^ ;]+).*/\1/p' requirements.lock) 'jupyterlab>=4.4'
	$(PREFIX)/bin/jupyter lab notebooks

clean:  ## Remove what was built (never recordings or figures)
	rm -rf build .pytest_cache .mypy_cache .ruff_cache .coverage
