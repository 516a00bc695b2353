# Tests with other tools, and on other machines.
#
#   make asan, make tsan   the tests under a sanitizer
#   make posix             the tests with the files for systems that have POSIX only, in the place of those for Linux
#   make valgrind          the short tests, and tide, under memcheck
#   make neon              the aarch64 kernels in an emulator
#   make pages             tide's HTML pages in a headless browser
#   make coverage          lines of core/ and model/, and branches of core/ and of readers, that the tests run
#   make costs             instructions of a training and of decoding, against tests/costs.txt; update=1 writes the file
#   make docs-check        commands, outputs, links, pictures and flags of README.md and docs/; soak=1: slow commands, too
#   make fixtures          computes the tests' expected values again with PyTorch (needs python3-torch)

# These programs need only libc, so that they also run on a machine without cmocka: see tests/lib/elsewhere.inc.
PLAIN := $(addprefix $B/tests/unit/,bits demo_start plain_kernels plain_gemm)
PLAIN_OBJECTS := $(filter $B/core/% $B/model/% $B/bench/row_kernels.o,$(OBJECTS))
plain: $(PLAIN)

$B/tests/unit/bits $B/tests/unit/demo_start: $B/tests/unit/%: tests/unit/%.c $(PLAIN_OBJECTS)
	$(COMPILE) $(LDFLAGS) $(filter %.c %.o,$^) -lm $(PTHREAD) -o $@

# Writes what demo_start reads.
$B/tests/unit/demo_batches: tests/unit/demo_batches.c $B/internal.a
	$(COMPILE) -Itests/lib $(LDFLAGS) $(filter %.c %.a,$^) $(XML_LIBS) $(LDLIBS) -o $@

ifeq ($(config),wasm) # in node, they read and write files
$B/tests/unit/plain_gemm $B/tests/unit/demo_start: LDFLAGS += -sNODERAWFS=1
endif
$B/tests/unit/plain_%: tests/unit/test_%.c $(PLAIN_OBJECTS)
	$(COMPILE) -Itests/unit/plain -Itests/lib -DEMULATED $(LDFLAGS) $(filter %.c %.o,$^) -lm $(PTHREAD) -o $@

# The address sanitizer makes the compiler slow. Only loops over numbers are worth the time that their optimization takes.
ifeq ($(config),asan)
$B/%: CFLAGS += -O1
$B/core/% $B/model/%: CFLAGS += -O3
endif

asan tsan posix: setup
	$(MAKE) -j$(JOBS) config=$@ programs
	$(MAKE) config=$@ check

# Tests that take longer than a second or two without valgrind are left out.
LONG := %/test_gemm %/test_same_bits %/test_text %/test_workspace
valgrind:
	scripts/setup valgrind
	$(MAKE) -j$(JOBS) build/tide $(TESTS)
	UNDER=scripts/dev/memcheck $(RUN_TESTS) $(filter-out $(LONG),$(TESTS))
	$(RUN_TESTS) tests/e2e/memcheck.sh

neon:
	scripts/setup neon
	$(MAKE) -j$(JOBS) build/tide $B/tests/unit/bits $B/tests/unit/demo_batches
	$(RUN_TESTS) tests/e2e/neon.sh

# axe-core is a package of npm.
build/axe/node_modules/axe-core/axe.min.js:
	scripts/setup pages
	npm install --no-audit --no-fund --silent --prefix build/axe axe-core@4
pages: build/axe/node_modules/axe-core/axe.min.js
	$(MAKE) -j$(JOBS) build/tide $B/tests/unit/test_page
	$(RUN_TESTS) $B/tests/unit/test_page tests/e2e/pages.sh tests/e2e/report.sh tests/e2e/live.sh \
	    tests/e2e/axe.sh

# Scripts that give untrusted data of every kind to its readers. Not corrections.sh: this build is slow, and that script waits
# at most a minute for what is learned.
READING := $(patsubst %,tests/e2e/%.sh,bad_input serve serve_protocol tables memories documents verify)
coverage: setup
	$(MAKE) -j$(JOBS) config=$@ programs
	$(MAKE) config=$@ covered

covered:
	@find $B -name '*.gcda' -delete
	$(RUN_TESTS) $(TESTS) $(DOUBLES) $(READING)
	scripts/dev/coverage $B

costs:
	scripts/setup valgrind
	$(MAKE) -j$(JOBS) build/tide
	scripts/dev/costs $(if $(update),--update)

# The header of scripts/dev/docs-check explains how a page marks a command that is not run.
docs-check: setup
	$(MAKE) -j$(JOBS) build/tide
	scripts/dev/docs-check $(if $(soak),--soak)

fixtures:
	scripts/dev/make-fixtures

.PHONY: plain asan tsan posix valgrind neon pages coverage covered costs docs-check fixtures
