# SPDX-License-Identifier: Apache-2.0
#
# Thin: each target sets up what it needs and hands over to meson.
#
#   make            build what is delivered  make run      build and run the main job
#   make test       build and test           make check    format, lint, layers, docs, counts
#   make asan       tests under ASan, UBSan  make tsan     tests under TSan
#   make cover      line coverage            make fuzz     fuzz targets (FUZZ_SECONDS each)
#   make faults     kills, power losses, flipped bits: the long tier
#   make bench      benchmarks (make bench-serve: the gateway beside others, alone; bench-load: under overload)
#   make docs       reference pages anew
#   make install    install (PREFIX)         make deb      Debian package
#   make model      the built-in embedding model anew (minutes)
#   make differential   PAIRS generated pairs, also asked of Ajv and Blaze (node, npm)
#   make mcp-servers    real MCP servers and the suite of conformance for the tests of MCP (node, npm)
#   make conformance    both halves of the official suite of MCP, with a score (after make mcp-servers)
#   make mcp-clients    real MCP clients for the test `clients` (node, npm)
#   make ci-packages    what the test `ci` holds SARIF and the files of CI against (npm)

PREFIX ?= /usr/local
BUILD ?= build
FUZZ_SECONDS ?= 60
CLANG ?= clang
PAIRS ?= 100000
SEED ?= 1

.PHONY: all run with-tests test check asan tsan cover fuzz faults bench bench-serve bench-load model docs install deb differential ci-packages mcp-servers mcp-clients conformance clean format setup-build setup-test setup-dev

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

setup-build setup-test setup-dev: setup-%:
	@tools/setup $*

$(BUILD)/build.ninja: | setup-build
	@meson setup $(BUILD) -Dtests=false -Db_lto=true --prefix $(PREFIX) >/dev/null

# What is run and what is tested are one build: who does both compiles once. The first needs fewer packages, so tests are
# added to it by who wants them.
run: setup-build
	@[ -f build-test/build.ninja ] || meson setup build-test -Dtests=false >/dev/null
	@ninja -C build-test src/app/ferrule
	@tools/run build-test

with-tests: setup-test
	@[ -f build-test/build.ninja ] || meson setup build-test >/dev/null
	@grep -q 'tests/test_map' build-test/build.ninja || meson configure build-test -Dtests=true

test: with-tests
	@ninja -C build-test
	@tools/run-tests build-test

# One build for tests under sanitizers and for fuzz targets.
build-asan/build.ninja: | setup-dev
	@CC=$(CLANG) meson setup build-asan --buildtype debugoptimized -Dc_args=-gline-tables-only -Db_sanitize=address,undefined -Db_lundef=false -Dc_link_args=-fuse-ld=lld -Dfuzz=true >/dev/null

asan: build-asan/build.ninja
	@ninja -C build-asan
	@tools/run-tests build-asan

tsan: setup-dev
	@[ -f build-tsan/build.ninja ] || CC=$(CLANG) meson setup build-tsan --buildtype debugoptimized -Db_sanitize=thread -Db_lundef=false >/dev/null
	@ninja -C build-tsan
	@tools/run-tests build-tsan

check: setup-dev
	@tools/check

cover: setup-dev
	@[ -f build-cover/build.ninja ] || meson setup build-cover --buildtype debug -Db_coverage=true >/dev/null
	@ninja -C build-cover
	@tools/run-tests build-cover
	@gcovr --root . --filter src/ --exclude src/base/seam_faults.c --object-directory build-cover --print-summary

fuzz: build-asan/build.ninja
	@ninja -C build-asan fuzz-targets
	@tools/run-fuzz build-asan $(FUZZ_SECONDS)

# The long tier of what make test runs a sample of: every kill point and random kills of the ledger, of the whole gateway
# and of the command, states after a loss of power, flipped bits and cuts. Half an hour.
FAULTS = test_ledger test_ledger_kill test_ledger_power test_ledger_flips test_gateway_kill test_gateway_power test_serve_kill
faults: with-tests
	@ninja -C build-test $(FAULTS:%=tests/%) tests/teller src/app/ferrule src/app/ferrule-faults
	@FERRULE_FAULTS=long meson test -C build-test --no-rebuild --timeout-multiplier 0 --num-processes 1 --verbose $(FAULTS)

# Measured is what is delivered: with link-time optimisation.
bench: setup-test
	@[ -f build-bench/build.ninja ] || meson setup build-bench -Db_lto=true >/dev/null
	@ninja -C build-bench bench/bench_json bench/bench_check bench/bench_diff bench/bench_convert bench/bench_validate bench/bench_findings bench/bench_growth bench/bench_catalog bench/bench_hybrid bench/bench_search bench/bench_server bench/bench_ledger bench/bench_overload src/app/ferrule
	@tools/run-bench build-bench

# Beside a floor in C and, where BENCH_NPM names them, gateways of npm; one line where the harness is not there.
bench-serve: all
	@python3 bench/serve/gateways.py --build $(BUILD)
	@python3 bench/serve/driven.py --build $(BUILD)
	@python3 bench/serve/latency.py --build $(BUILD)

# Crowds, overload and the end under load, one case after the other; minutes.
bench-load: all
	@python3 bench/serve/overload.py $(BUILD)/src/app/ferrule
	@python3 bench/serve/crowd.py $(BUILD)/src/app/ferrule
	@python3 bench/serve/endurance.py $(BUILD)/src/app/ferrule
	@python3 bench/serve/idle.py $(BUILD)/src/app/ferrule

differential: with-tests
	@ninja -C build-test tests/differential/ferrule_verdicts
	@tests/differential/run --build build-test --seed $(SEED) --pairs $(PAIRS)

ci-packages:
	@python3 tests/ci/packages.py build-test

mcp-servers:
	@python3 tests/mcp/packages.py build-test

conformance: with-tests mcp-servers
	@ninja -C build-test
	@meson test -C build-test --no-rebuild --timeout-multiplier 4 --verbose suite conformance

mcp-clients:
	@python3 tests/serve/packages.py build-test

model: with-tests
	@ninja -C build-test tools/train/ferrule-train
	@tools/make-model build-test

docs: all
	@tools/make-docs $(BUILD)

format: setup-dev
	@git ls-files '*.c' '*.h' '*.cc' | xargs clang-format -i

# A build that was set up with another prefix takes the one that is named now.
install: all
	@$(if $(filter file,$(origin PREFIX)),:,meson configure $(BUILD) -Dprefix=$(PREFIX))
	@meson install -C $(BUILD)

deb: setup-dev
	@tools/make-deb

clean:
	rm -rf build build-test build-asan build-tsan build-cover build-bench build-check build-guard build-deb
