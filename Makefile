# The two commands of the README are `make demo` and `make test`; the rest is for those who change the program.
export GAME_DEPOT_STRICT = 1
SWIFT ?= swift
KEEP ?= 1
SWIFT_BUILD_FLAGS ?=

.PHONY: help setup build release test asan tsan fuzz demo conformance bench format check clean

help:
	@echo "make demo         build, publish two versions of a game, mirror and play it (KEEP=0 ends by itself)"
	@echo "make test         every test, with coverage; needs no network once set up"
	@echo "make fuzz         libFuzzer on each parser, SECONDS_EACH=60 seconds each"
	@echo "make conformance  outside material: requests, clients, load generators, linters, wheels (LONG=1 for all of it)"
	@echo "make asan, tsan   every test under AddressSanitizer and LeakSanitizer, or ThreadSanitizer"
	@echo "make bench        measure against nginx and aria2c in a quarter of an hour, write Benchmarks/RESULTS.md"
	@echo "make release      optimised programs in .build/release"
	@echo "make check        what CI runs before the tests: format, layering, warnings as errors"

setup:
	@scripts/setup.sh

build: setup
	$(SWIFT) build

# Swift's libraries are linked in: half the time to start, and a few megabytes less.
release: setup
	$(SWIFT) build -c release --static-swift-stdlib $(SWIFT_BUILD_FLAGS) --product game-depot
	$(SWIFT) build -c release --static-swift-stdlib $(SWIFT_BUILD_FLAGS) --product mirror-sync

test: setup
	# One after another: tests that wait for programs and sockets would starve each other on a small machine.
	@rm -rf .build/debug/codecov
	SWIFT_BACKTRACE=enable=no $(SWIFT) test --enable-code-coverage --no-parallel
	@scripts/coverage.sh

fuzz: setup
	@scripts/fuzz.sh

asan: setup
	@scripts/sanitizers/run.sh address

tsan: setup
	@scripts/sanitizers/run.sh thread

demo: release
	@KEEP=$(KEEP) scripts/demo.sh

conformance: release
	@scripts/setup.sh conformance
	@scripts/conformance/run.sh $(if $(LONG),--long)

bench: release
	@scripts/setup.sh benchmarks
	@Benchmarks/run.sh

format:
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Fuzz/Package.swift Fuzz/Sources \
	  scripts/conformance/multipart_probe.swift scripts/conformance/zip_probe.swift

check: build
	@scripts/check.sh

clean:
	$(SWIFT) package clean
	rm -rf .conformance .bench
