# make run: install, measure everything quickly, report.   make test: install what the tests need, run them all.
# A part of either: make run ARGS="-w svm -f sklearn -r 1", make test TESTS=tests/reports (without `check`).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
PYTEST := $(BIN)/python -m pytest
ARGS := --all --profile quick --budget 10min
TESTS :=
IN_CI := -m "not slow and not gpu"
BY_FILE := --durations=15 --dist loadfile --no-loadscope-reorder
NONE_IS_FINE = $(if $(TESTS),|| [ $$? -eq 5 ])# a choice may have none of a kind

.PHONY: run setup test machine test-fast test-crowd test-undisturbed test-patient test-alone test-slow test-gpu bench bench-short check docs reference audit lock docs/commands.md

run: setup
	$(BIN)/suite run $(ARGS)

setup: $(VENV)/.setup

$(VENV)/.setup: requirements.lock pyproject.toml
	@echo "installing the harness into $(VENV)"
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements-dev.lock tests/axe.lock $(VENV)/.setup
	@echo "installing what the tests need"
	$(PIP) install --require-hashes -r requirements-dev.lock
	$(PIP) install --require-hashes --no-deps -r tests/axe.lock
	@touch $@

# What checks the playbooks of ansible/; apart, because nothing else needs it.
$(VENV)-ansible/.done: ansible/requirements.lock
	@echo "installing ansible and its linter into $(VENV)-ansible"
	$(PYTHON) -m venv $(VENV)-ansible
	$(VENV)-ansible/bin/python -m pip --disable-pip-version-check -qq install --require-hashes -r $<
	@touch $@

# What makes the site; apart, because nothing else needs it.
$(VENV)-docs/.done: docs/site/requirements.lock
	@echo "installing Sphinx into $(VENV)-docs"
	$(PYTHON) -m venv $(VENV)-docs
	$(VENV)-docs/bin/python -m pip --disable-pip-version-check -qq install --require-hashes -r $<
	@touch $@

# What asks a database of vulnerabilities; apart, because nothing else needs it.
$(VENV)-audit/.done: tests/audit.lock
	@echo "installing pip-audit into $(VENV)-audit"
	$(PYTHON) -m venv $(VENV)-audit
	$(VENV)-audit/bin/python -m pip --disable-pip-version-check -qq install --require-hashes -r $<
	@touch $@

# An implementation of others, which tests hold ours against; in an environment of its own, as it needs an old library.
$(VENV)-witness/.done: tests/witness.lock images/torch/2.13.0-cpu.lock
	@echo "installing transformers into $(VENV)-witness"
	$(PYTHON) -m venv $(VENV)-witness
	$(VENV)-witness/bin/python -m pip --disable-pip-version-check -qq install --require-hashes $(addprefix -r ,$^)
	@touch $@

# Another, of which the registry has no form without CUDA: 5 GB; no GPU is needed.
$(VENV)-torchvision/.done: tests/torchvision.lock
	@echo "installing torchvision into $(VENV)-torchvision"
	$(PYTHON) -m venv $(VENV)-torchvision
	$(VENV)-torchvision/bin/python -m pip --disable-pip-version-check -qq install --require-hashes -r $<
	@touch $@

# The inner loop, two minutes on two cores: no frameworks, no engine, no browser, nothing unhurried.
test-fast: $(VENV)/.dev
	$(PYTEST) -q -m "not frameworks and not engine and not browser and not slow and not gpu and not unhurried"

# Everything, in real environments and containers; on a machine of its own (CI=true) a skipped test is a failure.
# First what bears any company, a file a CPU; then what waits, beside its like; then what must be alone. Each has
# its turn, also after another failed: a CI that stops at its first failure hides the others.
# What they need is installed, and what needs no test is checked, two at a time: each of it uses one CPU.
test:
	$(MAKE) --no-print-directory --jobs=2 --output-sync=line $(VENV)/.dev machine $(VENV)-ansible/.done $(if $(TESTS),,check docs)
	$(MAKE) --keep-going --no-print-directory test-crowd test-undisturbed test-patient test-alone

# What the machine needs; its packages are installed one after the other.
machine: $(VENV)/.setup
	tests/programs.sh $(BIN)/python
	tests/engine.sh

test-crowd:
	$(PYTEST) -n 2 $(BY_FILE) --company crowd $(IN_CI) $(TESTS) $(NONE_IS_FINE)

test-undisturbed:
	$(PYTEST) -n 3 $(BY_FILE) --company undisturbed $(IN_CI) $(TESTS) $(NONE_IS_FINE)

test-patient:
	$(PYTEST) -n 3 $(BY_FILE) --company patient $(IN_CI) $(TESTS) $(NONE_IS_FINE)

test-alone:
	$(PYTEST) --durations=15 --company alone $(IN_CI) $(TESTS) $(NONE_IS_FINE)

# Full data sets: minutes a test, beside `make test`.
test-slow: $(VENV)/.dev $(VENV)-witness/.done $(VENV)-torchvision/.done
	$(PYTEST) -s -m slow

# On a machine with an NVIDIA GPU, with the Python and the packages that it has; prints rows for docs/validation.md.
test-gpu:
	$(PYTHON) -m pytest -s -m gpu --confcutdir=tests/gpu tests/gpu

# The site, in build/site: a warning, as of a link that leads nowhere, ends it. Needs no network but for its first time.
docs: $(VENV)-docs/.done
	$(PYTHON) docs/site/assemble.py build/docs
	$(VENV)-docs/bin/sphinx-build -W --keep-going -q -E -c docs/site -d build/doctrees build/docs build/site
	$(PYTHON) docs/site/loads_nothing.py build/site

# The pages that are made of the code; a test holds them to be fresh.
reference: docs/commands.md
	$(BIN)/python -m tests.reference
	$(BIN)/python -m harness.findings.page > docs/findings.md

# What `suite COMMAND --help` prints, as a page.
docs/commands.md: $(VENV)/.dev
	$(BIN)/python -m tests.commands_page > $@

# Costs of the sampler, of a campaign and of its analysis; the tables of docs/benchmarks.md.
bench: $(VENV)/.dev
	$(BIN)/python -m tests.bench.sampler_cost
	$(BIN)/python -m tests.bench.sampler_disturbance
	$(BIN)/python -m tests.bench.image_builds
	$(BIN)/python -m tests.bench.harness_overhead
	$(BIN)/python -m tests.bench.event_cost
	$(BIN)/python -m tests.bench.fingerprint_cost
	$(BIN)/python -m tests.bench.analysis_scale
	$(BIN)/python -m tests.bench.analysis_runs
	$(BIN)/python -m tests.bench.dataset_query
	$(BIN)/python -m tests.bench.startup
	$(BIN)/python -m tests.bench.report_weight
	$(BIN)/python -m tests.bench.report_runs
	$(BIN)/python -m tests.bench.counter_faults
	$(BIN)/python -m tests.bench.throughput

# A minute's look at the ratios that must not grow; `make test` takes it, too (tests/bench/test_short.py).
bench-short: $(VENV)/.dev
	$(BIN)/python -m tests.bench.short

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Looks every locked package up at osv.dev: by hand, as it needs that network, and finds what nobody here has changed.
audit: $(VENV)-audit/.done
	tests/audit.sh $(VENV)-audit/bin/pip-audit

# Resolves the host's locks anew; the frameworks' locks are images/<framework>/<version>-<device>.lock.
lock: $(VENV)/.dev
	uv pip compile --no-config --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
		-q pyproject.toml --extra build --extra dev -o requirements-dev.lock
	uv pip compile --no-config --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
		-q pyproject.toml --extra build -c requirements-dev.lock -o requirements.lock
	uv pip compile --no-config --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
		-q ansible/requirements.in -o ansible/requirements.lock
	uv pip compile --no-config --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
		-q docs/site/requirements.in -o docs/site/requirements.lock
	uv pip compile --no-config --universal --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
		-q tests/audit.in -o tests/audit.lock
	uv pip compile --no-config --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
		-q -c images/torch/2.13.0-cpu.lock tests/witness.in -o tests/witness.lock
	uv pip compile --no-config --generate-hashes --python-version 3.11 --no-emit-index-url --no-header \
		-q -c images/torch/2.13.0-cuda.lock tests/torchvision.in -o tests/torchvision.lock
