# make demo: set up and show the main output. make test: set up and run every test. make check: what a change of a line
# needs, in three minutes. make nightly: what takes hours. docs/testing.md says what is in which.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
CLIENT_INSTALLED := vscode-client/node_modules/.installed
REPORT_PAGE_INSTALLED := report-page/node_modules/.installed
VSCODE := tests/e2e/vscode
# Tests start the server and the command line hundreds of times: without compiled modules that takes twice as long.
export PYTHONDONTWRITEBYTECODE :=
# Sets have the same order in every run of `make test`, and another in `make nightly`.
export PYTHONHASHSEED ?= 1
PYTEST := $(BIN)/pytest -n auto --dist worksteal

.PHONY: demo check test nightly pytest beside-pytest test-vscode pictures editors lint client report-page bench docs examples accuracy accuracy-counters gpu-day gpu-day-kit gpu-day-results real-c real-c-fixes fuzz soak clean

demo: $(INSTALLED)
	$(BIN)/warplens check --gpu a100 examples/heat2d.c
	$(BIN)/warplens check --gpu a100 examples/heat2d.c:11

# Lint and what is no Python run beside pytest, which leaves them a third of the machine. What they say is shown at their end.
BESIDE_PYTEST := build/beside-pytest.log
BESIDE := lint client report-page test-vscode

check: BESIDE := lint
check: PYTEST += --hypothesis-profile=check -m "not process and not compiled and not long"
check: $(INSTALLED)
	$(MAKE) --no-print-directory --jobs=2 pytest beside-pytest PYTEST='$(PYTEST)' BESIDE='$(BESIDE)'

test: $(INSTALLED) $(CLIENT_INSTALLED) $(REPORT_PAGE_INSTALLED) editors
	$(MAKE) --no-print-directory --jobs=2 pytest beside-pytest

pytest: $(INSTALLED)
	$(PYTEST)

beside-pytest:
	@mkdir -p $(dir $(BESIDE_PYTEST))
	@$(MAKE) --no-print-directory --jobs=1 $(BESIDE) >$(BESIDE_PYTEST) 2>&1; ended=$$?; \
	cat $(BESIDE_PYTEST); [ $$ended -eq 0 ] || echo "*** failed, see above: one of $(BESIDE)"; \
	exit $$ended

nightly: export PYTHONHASHSEED := 2
nightly: export PYTHONPATH := tests
nightly: $(INSTALLED) editors
	$(PYTEST) --hypothesis-profile=nightly --timeout=7200
	$(BIN)/python -m support.cuda_on_cpu.campaign 0 1500
	$(BIN)/python -m support.cuda_on_cpu.campaign --stencils 0 400
	$(BIN)/python -m support.cuda_on_cpu.campaign --imperfect 0 2000
	$(BIN)/python -m support.cuda_on_cpu.campaign --triangles 0 2000
	$(BIN)/python -m support.separate_memory.campaign 0 1200
	$(BIN)/python -m support.separate_memory.campaign --callers 0 200
	$(BIN)/python -m support.separate_memory.campaign --steps 0 100
	$(MAKE) fuzz soak real-c

# A real VS Code in a real browser: needs Chromium (CHROMIUM=path where it is not /usr/bin/chromium).
test-vscode: $(INSTALLED) client editors
	$(VSCODE)/run.sh fixes.test.mjs machine.test.mjs reading.test.mjs report.test.mjs whatIf.test.mjs

# The README's pictures, out of the screenshots that the tests make.
pictures: test-vscode
	cd $(VSCODE)/screenshots && cp editor.png hover.png cuda-consent.png fix-preview.png $(CURDIR)/docs/images/
	cp $(VSCODE)/screenshots/report.png docs/images/report-panel.png

editors:
	tests/e2e/editors/install.sh

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

client: $(CLIENT_INSTALLED)
	cd vscode-client && npm run compile && npm test && npm run package

# The page of `warplens report`: what is committed in server/report_page is what report-page builds, and it works.
report-page: $(INSTALLED) $(REPORT_PAGE_INSTALLED) editors
	cd report-page && npm test

bench: $(INSTALLED)
	for bench in tests/bench/bench_*.py; do echo "== $$bench"; $(BIN)/python $$bench || exit 1; done

# Pages of the rules, the manual page, and what completes commands in shells.
docs: export PYTHONPATH := tests
docs: $(INSTALLED)
	$(BIN)/warplens explain --write-pages docs/rules
	$(BIN)/python -m support.command_line.write

examples: export PYTHONPATH := tests
examples: $(INSTALLED)
	$(BIN)/python -m support.cuda_on_cpu.examples

$(INSTALLED): pyproject.toml hatch_build.py
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Warplens needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet --group dev --editable '.[counters]'
	touch $@

$(CLIENT_INSTALLED): vscode-client/package.json vscode-client/package-lock.json
	cd vscode-client && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

$(REPORT_PAGE_INSTALLED): report-page/package.json report-page/package-lock.json
	cd report-page && npm ci --ignore-scripts --no-audit --no-fund
	touch $@

accuracy: export PYTHONPATH := tests
accuracy: $(INSTALLED)
	$(BIN)/python -m accuracy.ledger.report --write

# Fits the counters of 21 kernels on two or three GPUs (20 minutes) and writes their tables in docs/accuracy.md.
accuracy-counters: export PYTHONPATH := tests
accuracy-counters: $(INSTALLED)
	$(BIN)/python -m accuracy.counters.report --write

# A day with a GPU (docs/gpu-day.md): what it runs is built by gpu-day-kit, without one, then runs there for MINUTES=8 minutes
# and goes on where it was ended. The machine with the GPU needs the folder build/gpu-day, a driver and Python, nothing else.
MINUTES ?= 8
GPU_DAY := build/gpu-day
GPU_DAY_RESULTS ?= build/gpu-day-results

gpu-day: $(GPU_DAY)/kit.json
	$(GPU_DAY)/run --minutes $(MINUTES) --results $(GPU_DAY_RESULTS) --earlier tests/accuracy/gpu_day/results

gpu-day-kit: export PYTHONPATH := tests
gpu-day-kit: $(INSTALLED)
	$(BIN)/python -m accuracy.gpu_day.prepare

$(GPU_DAY)/kit.json:
	$(MAKE) gpu-day-kit

# Puts what was measured into the tree, the profile of that GPU and docs/accuracy.md.
gpu-day-results: export PYTHONPATH := tests
gpu-day-results: $(INSTALLED)
	$(BIN)/python -m accuracy.gpu_day.take_in $(GPU_DAY_RESULTS); taken=$$?; $(MAKE) accuracy && exit $$taken

# Needs the network, gcc and deb-src enabled (docs/accuracy.md).
real-c: export PYTHONPATH := tests
real-c: $(INSTALLED)
	$(BIN)/pip install --quiet --group real-c
	$(BIN)/python -m accuracy.real_c.fetch
	$(BIN)/python -m accuracy.real_c.accept
	$(BIN)/python -m accuracy.real_c.survey
	$(BIN)/python -m accuracy.real_c.report --write --times

# Every fix that is offered in the real C of `make real-c` (it fetches the sources), applied and compiled.
real-c-fixes: export PYTHONPATH := tests
real-c-fixes: $(INSTALLED)
	$(BIN)/python -m accuracy.real_c.fixes --nvcc 60

# Ten thousand mutated C files through the analysis process (tests/support/fuzzing/), an hour or more; seeds are printed.
fuzz: export PYTHONPATH := tests
fuzz: $(INSTALLED)
	$(BIN)/python -m support.fuzzing.fuzz_c --count 8000
	$(BIN)/python -m support.fuzzing.fuzz_c --first 8000 --count 2000 --untrusted

# Ten thousand edits in sessions of several documents: memory, and answers against fresh ones.
soak: export PYTHONPATH := tests
soak: $(INSTALLED)
	$(BIN)/python -m support.fuzzing.soak

clean:
	rm -rf $(VENV) build dist $(VSCODE)/node_modules vscode-client/node_modules report-page/node_modules vscode-client/dist vscode-client/*.vsix
