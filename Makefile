# Everything here starts from Python 3.10 or newer and prepares .venv itself: make test, make demo.
PYTHON ?= python3
# Tests run in this many processes at once; 0 runs them in one, as debuggers want it.
JOBS ?= auto
PYTEST_ARGS ?=
BENCH ?=
CORPUS_ARGS ?=
FUZZ_ARGS ?=

BIN := .venv/bin
TYPED := cutter_gui/core cutter_gui/onnx cutter_gui/fx cutter_gui/layout
.DEFAULT_GOAL := help

.PHONY: help environment test-environment test lint format demo bench corpus fuzz clean

help:
	@echo "make demo     the bundled model through the whole job, into demo-output/"
	@echo "make test     every check: style, types, import rules, tests"
	@echo "make lint     style, types and import rules only"
	@echo "make format   rewrites the code to the style"
	@echo "make bench    measures what has a bound; BENCH=name for one of them"
	@echo "make corpus   splits every model of CUTTER_GUI_CORPUS and of the installed onnx package"
	@echo "make fuzz     damaged models and cut specs, for FUZZ_SECONDS (600)"
	@echo "make clean    removes what these leave behind, .venv too"

environment:
	@$(PYTHON) packaging/bootstrap.py

test-environment:
	@$(PYTHON) packaging/bootstrap.py --tests

test: lint
	$(BIN)/python -m pytest -n $(JOBS) $(PYTEST_ARGS)

lint: test-environment
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --strict $(TYPED)
	$(BIN)/lint-imports

format: test-environment
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

demo: environment
	$(BIN)/cutter-gui demo --out demo-output
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] && [ -z "$$CI" ]; then \
	    $(BIN)/cutter-gui resources/models/bert_small.onnx --cuts resources/models/bert_small.cuts.yaml; \
	fi

bench: test-environment
	$(BIN)/python tests/bench/run.py $(BENCH)

corpus: test-environment
	$(BIN)/python tests/corpus/run.py $(CORPUS_ARGS)

fuzz: test-environment
	$(BIN)/python tests/fuzz/run.py $(FUZZ_ARGS)

clean:
	rm -rf .venv .venv-ort-training .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist demo-output bench-output fuzz-output cutter-bench-*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
