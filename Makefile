# A short front for CMake and the scripts; each build is in build/NAME. `make help` lists the
# targets.

SECONDS ?= 60
ARGS ?=

.PHONY: help run stress test bench lint format docs asan tsan fuzz soak coverage crosstest analyze clean

help:
	@echo 'make run       runs the ecosystem, saves it, verifies what was saved (ARGS="--threads 1")'
	@echo 'make stress    runs the stress harness (ARGS="--entities 1000000")'
	@echo 'make test      all tests: gcc with ASan and UBSan, release, clang, TSan, some fuzzing'
	@echo 'make lint      formatting, warnings, clang-tidy, cppcheck, layers, documentation'
	@echo 'make bench     prints the benchmark table and writes build/bench.csv'
	@echo 'make asan      the tests with ASan and UBSan only'
	@echo 'make tsan      the tests with TSan only'
	@echo 'make fuzz      runs the fuzz targets (SECONDS=60; KEEP=keep adds new inputs to the corpus)'
	@echo 'make soak      runs the model test for long (SECONDS=60)'
	@echo 'make coverage  line coverage of src/, at least 95 %'
	@echo 'make crosstest the bytes of saved worlds on a big-endian machine, emulated'
	@echo 'make analyze   the static analyzer of clang, which takes minutes'
	@echo 'make format    formats all sources'
	@echo 'make docs      writes the generated pages: cheat sheet and progress'
	@echo 'make clean     removes build/'

run:
	@scripts/deps build
	@scripts/build release stoa_tool ecosystem
	build/release/tools/stoa run build/release/examples/ecosystem/ecosystem.so \
		--frames 2000 --dash Census,Map --save build/ecosystem.ecs $(ARGS)
	build/release/tools/stoa verify build/ecosystem.ecs
	build/release/tools/stoa hash build/ecosystem.ecs

stress:
	@scripts/deps build
	@scripts/build release example_stress
	@build/release/examples/stress $(ARGS)

test:
	@scripts/deps test
	@scripts/test

bench:
	@scripts/deps bench
	@scripts/build bench stoa_bench
	@core=$$(taskset -cp $$$$ 2>/dev/null | sed 's/.*[^0-9]//'); \
	$${core:+taskset -c $$core} build/bench/stoa_bench --csv build/bench.csv $(ARGS)

lint:
	@scripts/deps lint
	@scripts/lint

analyze:
	@scripts/deps lint
	@scripts/lint analyze

format:
	@scripts/deps lint
	@scripts/files '*.c' '*.h' '*.cpp' | xargs clang-format -i

docs:
	@scripts/cheatsheet
	@scripts/progress

asan:
	@scripts/deps test
	@scripts/build asan
	@scripts/ctest asan

tsan:
	@scripts/deps test
	@scripts/build tsan
	@scripts/ctest tsan -LE '^build$$'

fuzz:
	@scripts/deps fuzz
	@scripts/fuzz $(SECONDS) $(KEEP)

soak:
	@scripts/deps test
	@scripts/build asan
	@for program in build/asan/tests/*model*; do STOA_SOAK_SECONDS=$(SECONDS) $$program || exit 1; done

coverage:
	@scripts/deps coverage
	@scripts/build coverage
	@find build/coverage -name '*.gcda' -delete
	@scripts/ctest coverage -LE '^build$$' >build/coverage/ctest.log \
		|| { cat build/coverage/ctest.log; exit 1; }
	@scripts/coverage build/coverage 95

crosstest:
	@scripts/deps cross
	@scripts/build cross-here stoa_cross >/dev/null
	@scripts/build cross stoa_cross >/dev/null
	@build/cross-here/stoa_cross write build/cross/world
	@build/cross-here/stoa_cross check build/cross/world
	@qemu=$$(command -v qemu-s390x || command -v qemu-s390x-static); \
	$$qemu -L /usr/s390x-linux-gnu build/cross/stoa_cross check build/cross/world

clean:
	rm -rf build
