# Everything runs in a virtual environment of this repository's own, .venv.

SHELL  := /bin/bash
PYTHON ?= python3
PYTEST_FLAGS ?= -n 2 --dist worksteal
BIN    := .venv/bin
# What every command needs besides the core; `measure` compiles the drive.
FAST   := fast
# All that the commands can do at a desk: reports, sweeps, a board's console, the panel, firmware.
DESK   := $(FAST) report sweep console panel firmware completion
INPUTS := pyproject.toml models/pyproject.toml constraints.txt tools/setup

# Another active environment must not be seen by anything that is run from here. Without bytecode each
# start of a program takes a second longer.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE

# A copied or moved tree has an environment that points to the old place: forget its stamps.
ifneq ($(shell cat .venv/root 2>/dev/null),$(CURDIR))
$(shell rm -f .venv/ready*)
endif

.PHONY: measure desk test test-wide test-long lint formal campaign bitstream area latency speed compare mutation docs-tables site clean

measure: .venv/ready
	$(BIN)/sata-recorder measure $(ARGS)

desk: .venv/ready-desk

test: .venv/ready-test
	tools/simulator
	$(BIN)/python -m pytest $(PYTEST_FLAGS) $(ARGS)

# Mistakes that a reader overlooks, and the types of what users call.
lint: .venv/ready-test
	$(BIN)/ruff check .
	$(BIN)/mypy

# What `test` leaves out because it takes long, but for the long campaigns.
test-wide: .venv/ready-test
	tools/simulator
	$(BIN)/python -m pytest $(PYTEST_FLAGS) --wide $(ARGS)

test-long: .venv/ready-test
	tools/simulator
	$(BIN)/python -m pytest $(PYTEST_FLAGS) --long $(ARGS)

# Needs nothing but the packages of the core: Yosys and ABC come with one of them.
formal: .venv/ready
	$(BIN)/python tests/formal/run.py $(ARGS)

# 5000 random runs with faults; status 1 if one of them ends badly.
campaign: .venv/ready
	$(BIN)/sata-recorder campaign --runs 5000 --seed 1 $(ARGS)

BOARD ?= ecpix5-85f
bitstream: .venv/ready-build
	$(BIN)/sata-recorder build --board $(BOARD) $(ARGS)

area: .venv/ready-build
	$(BIN)/python benchmarks/measure_table.py area.md area $(ARGS)

latency: .venv/ready
	$(BIN)/python benchmarks/latency.py $(ARGS)

speed: .venv/ready-test
	tools/setup test compiler
	tools/simulator
	$(BIN)/python benchmarks/speed.py $(ARGS)

# Area, clock and latency beside LiteSATA, which gets an environment of its own.
compare: .venv/ready-build
	$(BIN)/python benchmarks/peer.py $(ARGS)

# How much the tests notice; it continues where it was stopped.
mutation: .venv/ready-test
	$(BIN)/python benchmarks/mutation.py $(ARGS)

# Makes again what README.md and docs/ quote and what is older than its sources: a day, if all is. It can be stopped, and
# continues with what is left; ARGS=--background detaches it, ARGS=--list lists what is left.
docs-tables: .venv/ready-build .venv/ready-test
	tools/simulator
	$(BIN)/python -m sata_recorder.export.markdown docs/registers.md
	$(BIN)/python -m sata_recorder.pc.console.grammar docs/console.md
	$(BIN)/python benchmarks/renew.py $(ARGS)

# The manual as a site with a search, docstrings and all: build/site/html/index.html.
site: .venv/ready-site
	$(BIN)/python docs/site/build.py

clean:
	rm -rf .venv build models/build .pytest_cache .hypothesis
	find src models platforms tests benchmarks -name __pycache__ -prune -exec rm -rf {} +
	find src models platforms -name '*.egg-info' -prune -exec rm -rf {} +

.venv/ready: $(INPUTS)
	PYTHON="$(PYTHON)" tools/setup $(FAST)
	touch $@

.venv/ready-desk: $(INPUTS)
	PYTHON="$(PYTHON)" tools/setup $(DESK)
	touch .venv/ready $@

.venv/ready-test: $(INPUTS)
	PYTHON="$(PYTHON)" tools/setup $(DESK) test cluster build litex site
	touch .venv/ready .venv/ready-desk .venv/ready-site $@

.venv/ready-build: $(INPUTS)
	PYTHON="$(PYTHON)" tools/setup $(FAST) build
	touch .venv/ready $@

# Whatever has docstrings in the site can be imported with these.
.venv/ready-site: $(INPUTS)
	PYTHON="$(PYTHON)" tools/setup $(FAST) report sweep site
	touch .venv/ready $@
