# Every target sets up what it needs; nothing is done twice.
PYTHON ?= python3.11
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.stiction-ready
DEMO_STAMP := $(VENV)/.stiction-demo

.PHONY: setup kernels test-store test-numba demo demo-soft film test test-long test-slow validate bench bench-methods bench-soft bench-contacts bench-scenes bench-throws bench-hopper bench-speed bench-kernels bench-scale bench-joints bench-links other-people mutants ablate monkey test-gui test-debian oracles signatures lint zip clean test-cluster bench-toys bench-studies demo-studies paper-rest

setup: $(STAMP)
	@$(PY) -m stiction compile --library

# All kernels as one shared library: setup makes it where there is a C compiler; runs take it where it fits.
kernels: setup

$(STAMP): pyproject.toml tools/setup.sh tools/constraints.txt
	@PYTHON="$(PYTHON)" VENV="$(VENV)" sh tools/setup.sh
	@touch $(STAMP)

# What the demo needs and no more: make test brings the rest. The kernels are compiled while Blender is installed.
$(DEMO_STAMP): pyproject.toml tools/setup.sh tools/constraints.txt
	@test -e $(STAMP) || PYTHON="$(PYTHON)" VENV="$(VENV)" sh tools/setup.sh demo
	@touch $(DEMO_STAMP)

demo: $(DEMO_STAMP)
	@$(PY) -m stiction compile --use demo --library
	@$(PY) -m stiction demo --output out

# The film of the demo in 1280 x 720, from what was simulated.
film: $(DEMO_STAMP)
	@test -e out/funnel.json || $(PY) -m stiction demo --no-render --output out
	@$(PY) -m stiction demo --film-only --height 720 --output out

# Rubber rings and balls squeeze through a narrow funnel.
demo-soft: setup
	@$(PY) -m stiction demo soft --output out

# On all cores, a file mostly on one of them for what its tests share. With sources compiled to bytecode even where the
# environment forbids it: two hundred processes that tests start would parse them each.
PYTEST := PYTHONDONTWRITEBYTECODE= $(PY) -m pytest -n auto --dist worksteal

# Whether anything is broken, in five minutes: all but what is marked slow. make test SLOWEST=30 tells the CPU time of more.
SLOWEST ?= 10
test: setup
	$(PYTEST) --slowest $(SLOWEST)

# The rest of what continuous integration runs: more cases of the same, longer runs.
test-long: setup
	$(PYTEST) --slowest $(SLOWEST) -m "slow and not slow(hours=True)"

# The contract, canonical scenes, threads and resumed runs without the library: kernels from the store, or as numba compiles
# them, which takes minutes the first time.
WITHOUT_LIBRARY := tests/contract tests/unit/test_interpreted.py tests/unit/test_threads.py tests/unit/test_simulation.py
test-store: setup
	STICTION_KERNELS=store $(PYTEST) $(WITHOUT_LIBRARY)

test-numba: setup
	STICTION_KERNELS=numba $(PYTEST) $(WITHOUT_LIBRARY)

# Hours: before a release, by who makes it.
test-slow: setup
	$(PYTEST) --slowest $(SLOWEST) -m "slow(hours=True)"

validate: setup
	$(PY) -m stiction.solver.validation

bench: setup
	$(PY) benchmarks/run_all.py

# Hours on two cores, each time written down as soon as it is known: make bench-methods RESUME=1 goes on after an interruption.
bench-methods: setup
	$(PY) benchmarks/bench_methods.py --update $(if $(RESUME),--resume)

# Deformable bodies: cost of a linearisation, a slope beside MuJoCo and PyBullet, a run of 5,000 tetrahedra.
bench-soft: setup
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-build-isolation -e ".[bench]" \
		|| echo "MuJoCo and Bullet could not be installed; their rows are left out"
	$(PY) benchmarks/bench_soft.py

bench-contacts: setup
	$(PY) benchmarks/bench_contacts.py

bench-throws: setup
	$(PY) benchmarks/bench_throws.py

# Chains, fits and tips at three sizes into docs/validation.md, each row kept as soon as it is known: RESUME=1 goes on.
bench-links: setup
	$(PY) benchmarks/bench_links.py --update $(if $(RESUME),--resume) $(if $(WORKERS),--workers $(WORKERS))

bench-hopper: setup
	$(PY) benchmarks/bench_hopper.py

# CPU a step beside another tree: make bench-speed REFERENCE=../before writes docs/performance.md.
bench-speed: setup
	$(PY) benchmarks/bench_speed.py $(REFERENCE) --update

# What kernels cost before anything moves, into docs/performance.md; compiles all of them anew: some ten minutes.
bench-kernels: setup
	$(PY) benchmarks/bench_kernels.py $(REFERENCE) --compile --update

# Cost and memory by the number of bodies up to 100,000 (about an hour), then 10^6 contacts in one problem.
bench-scale: setup
	$(PY) benchmarks/bench_scale.py poured
	$(PY) benchmarks/bench_scale.py packed

# A Dask cluster on this machine whose workers are killed a hundred times: the table is the same, bit for bit but for cpu_s.
test-cluster: setup
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-build-isolation -e ".[cluster]"
	$(PY) -m pytest -n 0 -m slow tests/unit/test_study_losses.py -k "cluster_killed and 100"

# 100,000 runs of toys on WORKERS processes: the figures of docs/studies.md.
WORKERS ?= 2
bench-toys: setup
	$(PY) benchmarks/bench_bookkeeping.py --runs 0 --toys 100000 --workers $(WORKERS)

bench-studies: setup
	$(PY) benchmarks/bench_studies.py

# The falling wall of NNCG 2010, Figure 7, with the frame at rest: docs/images/paper-nncg-rest.png.
paper-rest: setup
	$(PY) tools/paper_scenes.py nncg-rest

# How often does a hopper jam? 48 runs, an answer with its interval, a film of a flow beside a jam, one page to send.
demo-studies: $(DEMO_STAMP)
	@$(PY) tools/study_page.py out

bench-scenes: setup
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-build-isolation -e ".[bench]" \
		|| echo "MuJoCo could not be installed; its column is left out"
	$(PY) benchmarks/bench_scenes.py

# Scenes as other people write them, baked beside Blender's own Bullet: a table, also in docs/performance.md.
# make other-people SCENES="car rope_10" bakes these alone and writes nothing.
other-people: setup
	@$(PY) tests/blender/other_peoples_scenes/table.py $(SCENES)

# Changes the solver's mathematics in one place after another: about half an hour, see docs/trust.md.
mutants: setup
	$(PY) tools/mutants.py

# What each mechanism of a step is worth: about an hour, each row written as soon as it is known; make ablate RESUME=1
# goes on after an interruption.
ablate: setup
	$(PY) tools/ablate.py $(if $(RESUME),--resume)

# A person without a plan in Blender's module, in parts of PART steps, each with a seed and a Blender of its own:
# `make monkey STEPS=2000 SEED=7`; what was made is in out/monkey/monkey.jsonl and not made again in the same state.
# WITHOUT names steps to leave out. MODULE: a Python with another Blender's module, numpy, numba, scipy and fastjsonschema.
# WINDOW=trixie, WINDOW=sid: in a real window of that Debian's Blender, see tools/debian_blender.sh.
STEPS ?= 10000
PART ?= 250
SEED ?= 1
MODULE ?= $(PY)
WITHOUT ?=
WINDOW ?=
monkey: setup
	$(MODULE) tests/blender/monkey_parts.py $(STEPS) $(SEED) $(PART) out/monkey "$(WITHOUT)" $(WINDOW)

test-gui: setup
	sh tools/test_gui.sh

# Installs the zip for every Python in Debian's Blenders, 4.3 and the newest, and bakes there with compiling forbidden.
test-debian: setup
	sh tools/test_debian.sh "$$($(PY) tools/build_extension.py --wheels --python any)" trixie sid

# coal needs numpy 2, Blender's module numpy 1: the oracles of tests/oracles live apart.
ORACLES := .venv-oracles
oracles: setup
	$(PYTHON) -m venv $(ORACLES)
	$(ORACLES)/bin/pip install --quiet --disable-pip-version-check --only-binary :all: "coal>=3.0.3" "ipctk>=1.6.1"
	$(PY) -m pytest tests/oracles

# The list of kernels that there are to compile, after kernels were added or take other arguments: some ten minutes.
signatures: setup
	$(PY) tools/kernel_signatures.py

# Style and docstrings of everything, types of the public modules.
lint: setup
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy

zip: setup
	$(PY) tools/build_extension.py --all

clean:
	rm -rf out dist build *.egg-info

# Mechanisms at 100 Hz beside MuJoCo and Bullet: gap, energy and CPU of a step.
bench-joints: setup
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-build-isolation -e ".[bench]" \
		|| echo "MuJoCo and Bullet could not be installed; their rows are left out"
	$(PY) benchmarks/bench_joints.py
