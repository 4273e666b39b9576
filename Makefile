# Short commands. The work is done by scripts/, CMakePresets.json and pyproject.toml.
MEASURE = $(CURDIR)/build/release/core/everylink-measure
PYTHON = "$(CURDIR)/.venv/bin/python"
ENVIRONMENT = EVERYLINK_MEASURE="$(MEASURE)" PYTHONPATH="$(CURDIR)/python"

help:
	@echo 'make run        build, measure every pair of 8 processes on this machine, write everylink.h5 and everylink.html, check'
	@echo 'make quick      the tests to run while writing: about a minute once built'
	@echo 'make test       build and run all tests except the long ones: minutes'
	@echo 'make test-long  the long ones too, clang-tidy on every file, and coverage: two to three hours'
	@echo 'make contract   run the contract tests over each transport, or print why one cannot run'
	@echo 'make check      formatters, linters, types; clang-tidy on what changed'
	@echo 'make proof      what docs/robustness.md shows, PART=NAME: one part; hours'
	@echo 'make fuzz       feed hostile bytes to the parsers, SECONDS=60 each'
	@echo 'make site       make build/site from docs/: pages with a menu and search'
	@echo 'make bench      compare with other tools, see bench/README.md'
	@echo 'make clean      remove everything that was built'

run: release
	scripts/everylink run --np 8 --mode tcp -s 1,64KiB,1MiB --force -o everylink.h5 --report everylink.html \
	  || [ $$? -ge 3 ]  # a verdict on this machine is no error of make
	@echo
	scripts/everylink check || [ $$? -ge 3 ]
	@echo
	@echo 'Open everylink.html in a browser, or show the results with: scripts/everylink show everylink.h5'
	@echo 'Next, try a simulated cluster of 64 hosts with host 5 at half speed:'
	@echo '  scripts/everylink run --np 64 --mode sim:hosts=64,leaf=16,slow-host=5*0.5 -s 1MiB -o sim.h5 --report sim.html'
	@echo 'To list what can be measured on this machine: scripts/everylink run --list'

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

# Each part is a file of tests/proof, and prints a table of docs/robustness.md.
PART =
WORDS =
proof: setup-long setup-fuzz release-tests
	$(ENVIRONMENT) $(PYTHON) tests/proof $(PART) $(WORDS)

SECONDS = 60
fuzz: setup-fuzz
	scripts/fuzz run $(SECONDS)

site: setup-test
	$(PYTHON) scripts/make_site

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

.PHONY: help run quick test test-long contract check proof fuzz site bench release release-tests clean
.NOTPARALLEL:
