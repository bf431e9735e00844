PYTHON ?= python3
VENV   ?= .venv

BIN  := $(VENV)/bin
PIP  := $(BIN)/python -m pip --quiet --disable-pip-version-check
CORE := $(VENV)/.core-installed
DEV  := $(VENV)/.dev-installed

.DEFAULT_GOAL := help
.PHONY: help demo test setup check matrix bench lines fuzz mutants figures docs build clean

help: ## list what there is to make
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-7s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(CORE) ## install, and show SUMMA on Karst
	$(BIN)/roofdsl eval summa.roof --machine karst

test: check ## everything: lint, types, tests, the library's own tests
	$(BIN)/python -m pytest --numprocesses=auto --dist=loadfile --no-loadscope-reorder

setup: $(DEV) ## virtual environment with the development tools

check: $(DEV) ## lint, formatting, types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

matrix: $(DEV) ## installed, by every Python, with the oldest and the newest libraries
	$(BIN)/python -m tests.matrix

bench: $(DEV) ## processor times as ratios, and sizes, against their bars
	$(BIN)/python -m benchmarks

lines: $(DEV) ## the product's lines by layer, all and of code; AT=REVISION counts another
	$(BIN)/python -m benchmarks.lines $(AT)

fuzz: $(DEV) ## 100,000 random inputs, and as many calls; all forms of all answers; margins; the explorer
	@for seed in 1 2 3 4 5 6 7 8 9; do \
	  $(BIN)/python -m pytest -q tests/fuzz --hypothesis-profile=fuzz --hypothesis-seed=$$seed || exit 1; done
	ROOFDSL_AGREEMENT=all $(BIN)/python -m pytest -q --numprocesses=auto --dist=worksteal \
	  tests/agreement tests/explorer/test_every_model.py
	ROOFDSL_ALL=1 $(BIN)/python -m pytest -q --numprocesses=auto --dist=worksteal tests
	ROOFDSL_BANDS=10000 $(BIN)/python -m pytest -q --numprocesses=auto tests/solver/test_bands.py
	$(BIN)/python -m tests.fuzz.commands --seed fuzz --count 100000
	$(BIN)/python -m tests.oracle --seed fuzz --count 100000
	ROOFDSL_SCALING_MODELS=1000 $(BIN)/python -m pytest -q --numprocesses=auto \
	  tests/analysis/test_scaling_by_counting.py
	ROOFDSL_FAULTS=50 $(BIN)/python -m pytest -q --numprocesses=auto tests/files/test_faults.py
	ROOFDSL_MARGINS=2000 $(BIN)/python -m pytest -q tests/analysis/test_margin.py \
	  tests/analysis/test_over_rates.py
	ROOFDSL_EXPLORER_SETTINGS=50 $(BIN)/python -m pytest -q tests/explorer/test_numbers.py

mutants: $(DEV) ## the law and what it is given, changed everywhere: its tests must see it
	$(BIN)/python -m tests.mutants

figures: $(DEV) ## the pictures of docs/figures.md, and in build/figures those of the papers
	@mkdir -p build/figures docs/images
	@cd docs/images && $(abspath $(BIN))/python ../../examples/figures/gallery.py | PATH="$(abspath $(BIN)):$$PATH" sh -e
	@ROOFDSL_UPDATE_IMAGES=1 $(BIN)/python -m pytest -q tests/figures/test_gallery.py
	@cd build/figures && for paper in ../../examples/figures/*.sh; do \
	  HERE=../../examples/figures PATH="$(abspath $(BIN)):$$PATH" sh -e $$paper || exit 1; done

docs: $(DEV) ## run the Python examples of the docstrings and documents
	$(BIN)/python -m pytest roofdsl README.md docs

build: $(DEV) ## wheel and source distribution, in dist/
	$(BIN)/python -m build

clean: ## remove everything make has made
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps keep a second run from installing again.
$(CORE): pyproject.toml
	@echo "setting up $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install --editable .
	@touch $@

$(DEV): $(CORE)
	@echo "adding the development tools"
	@$(PIP) install --editable '.[dev]'
	@touch $@
