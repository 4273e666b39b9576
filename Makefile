# The few things one types. Everything real is in scripts/, CMakePresets.json and pyproject.toml.
MEASURE = $(CURDIR)/build/release/core/everylink-measure
PYTHON = "$(CURDIR)/.venv/bin/python"
ENVIRONMENT = EVERYLINK_MEASURE="$(MEASURE)" PYTHONPATH="$(CURDIR)/python"

help:
	@echo 'make run        build, measure every pair of 8 processes on this machine, write everylink.h5 and everylink.html'
	@echo 'make quick      the tests to run while writing: about a minute once built'
	@echo 'make test       build and run all tests but the long ones: minutes'
	@echo 'make test-long  those too, clang-tidy over every file, and coverage: an hour or more'
	@echo 'make contract   the contract of a transport over each: how many tests, or why it cannot run'
	@echo 'make check      formatters, linters, types; clang-tidy on what changed'
	@echo 'make fuzz       feed the parsers with hostile bytes, SECONDS=60 each'
	@echo 'make bench      compare with the tools of others, see bench/README.md'
	@echo 'make clean      remove what was built'

run: release
	scripts/everylink run --np 8 --mode tcp -s 1,64KiB,1MiB --force -o everylink.h5 --report everylink.html
	@echo
	@echo 'Open everylink.html in a browser, or look again with: scripts/everylink show everylink.h5'
	@echo 'Next, a made-up cluster of 64 hosts of which host 5 runs at half speed:'
	@echo '  scripts/everylink run --np 64 --mode sim:hosts=64,leaf=16,slow-host=5*0.5 -s 1MiB -o sim.h5 --report sim.html'
	@echo 'What can be measured on this machine: scripts/everylink run --list'

# What each tier holds: docs/testing.md. "scripts/run_tests test python" runs one step of one.
quick: setup-test
	scripts/run_tests quick
test: setup-test
	scripts/run_tests test
test-long: setup-long
	EVERYLINK_TEST_LONG=1 scripts/run_tests long

contract: release-tests
	ctest --preset release -R '^contract' --verbose | grep -E 'tests of the contract|the contract cannot run'

check: setup-check
	scripts/check

SECONDS = 60
fuzz: setup-fuzz
	scripts/fuzz run $(SECONDS)

bench: setup-test release
	$(ENVIRONMENT) $(PYTHON) bench/tcp_pingpong.py
	$(ENVIRONMENT) $(PYTHON) bench/mpi_pingpong.py
	$(ENVIRONMENT) $(PYTHON) bench/ucp_pingpong.py
	$(ENVIRONMENT) $(PYTHON) bench/ofi_pingpong.py

release: setup-run
	cmake --preset release
	cmake --build --preset release
release-tests: setup-test
	cmake --preset release -DEVERYLINK_TESTS=ON
	cmake --build --preset release
setup-%:
	@scripts/setup $*

clean:
	rm -rf build .venv everylink.h5 everylink.html

.PHONY: help run quick test test-long contract check fuzz bench release release-tests clean
.NOTPARALLEL:
