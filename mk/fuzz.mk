# Tests that may take as long as one likes.
#
#   make fuzz [seconds=60]  each parser of untrusted input under libFuzzer for so many seconds; jobs=1: one at a time
#   make soak               kills, broken disks, damaged files, half an hour of each fuzzer: hours; continues where it was stopped

# With config=fuzz, a fuzz target is linked with libFuzzer; otherwise with replay.c, which runs it on the given files.
$B/tests/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(if $(filter fuzz,$(config)),,$B/tests/fuzz/replay.o) \
                      $B/cli/args.o $B/cli/suggest.o $B/cli/recipe.o $B/internal.a
	$(COMPILE) -Itests/lib $(LDFLAGS) $(filter %.c %.o %.a,$^) $(XML_LIBS) $(LDLIBS) -o $@

$B/tests/fuzz/replay.o: tests/fuzz/replay.c mk/fuzz.mk
	$(COMPILE) -Itests/lib -c $< -o $@

fuzzers: $(FUZZERS)

seconds ?= 60
jobs    ?= $(JOBS)
fuzz:
	scripts/setup fuzz
	$(MAKE) -j$(JOBS) config=fuzz fuzzers
	@printf '%s\n' $(FUZZERS:$B/%=build/fuzz/%) | xargs -P $(jobs) -n 1 scripts/dev/fuzz $(seconds)

# One after the other. A test that passed with this program is not run again, so an interrupted run continues.
soak: setup
	scripts/setup fuzz
	$(MAKE) -j$(JOBS) programs
	$(MAKE) -k $(SOAKS:tests/soak/%.sh=build/soak/%.passed) $(FUZZERS:$B/tests/fuzz/%=build/soak/%.passed)

build/soak/%.passed: tests/soak/%.sh $B/tide
	@mkdir -p $(@D)
	TIDE=$(CURDIR)/$B/tide $< && touch $@

build/soak/docs.passed: $(wildcard *.md docs/*.md docs/*/*.md scripts/dev/docs*)

build/soak/fuzz_%.passed: $B/tests/fuzz/fuzz_%
	@mkdir -p $(@D)
	$(MAKE) -j$(JOBS) config=fuzz build/fuzz/tests/fuzz/fuzz_$*
	scripts/dev/fuzz 1800 build/fuzz/tests/fuzz/fuzz_$* && touch $@

.PHONY: fuzzers fuzz soak
