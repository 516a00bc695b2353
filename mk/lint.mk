# Static analysis.
#
#   make lint     clang-tidy, cppcheck, shellcheck, mandoc, mypy and the compiler's warnings; quick=1: of the release
#                 build, without following paths through tests and through further instruction sets
#   make format   clang-format

# clang-tidy checks each file that was recompiled, with the flags of the compiler. Six parts of its time in seven go into
# clang's analyzer, which follows paths; with quick=1, it sees each file of src/ once.
TIDY = @echo '  clang-tidy $<' && mkdir -p $(@D) && scripts/dev/tidy $(NO_PATHS) $< -- $(CPPFLAGS) $(CFLAGS)
$B/tests/% $B/examples/% $(patsubst %,$B/core/%.tidied,$(filter-out %_portable,$(KERNEL_NAMES))): \
    NO_PATHS := $(if $(quick),--checks=-clang-analyzer-*)
# It has no headers of Windows.
TIDIED := $(patsubst src/%.c,$B/%.tidied,$(filter-out $(ONCE_FOR_EACH_SET:%=src/core/%.c) $(wildcard src/*/system/windows*.c),$(wildcard src/*.c src/*/*.c src/*/system/*.c))) \
          $(KERNEL_NAMES:%=$B/core/%.tidied) $(patsubst tests/%.c,$B/tests/%.tidied,$(filter-out tests/windows/%,$(wildcard tests/*/*.c))) \
          $(EXAMPLES:%=%.tidied) $B/curve.tidied

$B/%.tidied: src/%.c $B/%.o .clang-tidy
	$(TIDY) && touch $@
define TIDIED_KERNELS_RULE
$B/core/$1_%.tidied: src/core/$1.c $B/core/$1_%.o .clang-tidy
	$$(TIDY) $$(isa.$$*) -DTABLE=$1_$$* && touch $$@
endef
$(foreach file,$(ONCE_FOR_EACH_SET),$(eval $(call TIDIED_KERNELS_RULE,$(file))))
$B/tests/%.tidied: tests/%.c $(wildcard tests/*/*.h) $B/internal.a .clang-tidy
	$(TIDY) -Itests/lib && touch $@
$B/examples/%.tidied: examples/%.c $B/examples/% .clang-tidy
	$(TIDY) -I$B/include && touch $@
$B/curve.tidied: scripts/dev/curve.c $B/curve .clang-tidy
	$(TIDY) -UTIDE_X86 -UTIDE_ARM -DTIDE_DOUBLE && touch $@
$B/tests/unit/double_%.tidied: tests/unit/double_%.c $(wildcard tests/*/*.h) $B/internal.a .clang-tidy
	$(TIDY) -Itests/lib -UTIDE_X86 -UTIDE_ARM -DTIDE_DOUBLE && touch $@

# cppcheck without the warnings that are often wrong here or a matter of taste.
CPPCHECK := --enable=warning,style,performance,portability --inline-suppr --quiet --std=c11 --error-exitcode=1 \
    $(patsubst %,--suppress=%,duplicateCondition duplicateExpression knownConditionTrueFalse redundantContinue \
    shadowFunction unsignedLessThanZero unusedStructMember variableScope) --suppress='*:/usr/include/*' \
    $(CPPFLAGS:-isystem=-I) -Itests/lib -DTABLE=kernels_portable
SHELL_SCRIPTS := $(shell grep -ls '^\#!/bin/sh' scripts/* scripts/*/* .ci/run) $(wildcard tests/*/*.sh)

tidied: $(TIDIED)
cppchecked:
	@echo '  cppcheck src tests examples scripts'
	@cppcheck -j $(JOBS) $(CPPCHECK) src tests examples scripts
shellchecked:
	@echo '  shellcheck scripts tests .ci/run'
	@shellcheck -a $(SHELL_SCRIPTS) src/cli/shell/tide.bash
mypychecked:
	@echo '  mypy python scripts/tatoeba'
	@mypy --strict --enable-incomplete-feature=Unpack --cache-dir build/mypy python/tide python/build_backend.py
	@mypy --strict --cache-dir build/mypy scripts/tatoeba
manlinted: $B/man/tide.1
	@echo '  mandoc $B/man'
	@mkdir -p $B/man/man1 && cp $B/man/*.1 $B/man/man1 && MANPATH=$B/man mandoc -T lint -W style $B/man/man1/*.1 2>/dev/null

lint:
	scripts/setup lint
	$(MAKE) -j$(JOBS) -k -O config=$(if $(quick),release,lint) programs tidied cppchecked shellchecked mypychecked manlinted
	@echo 'clean: gcc, clang-tidy, cppcheck, shellcheck, mypy, mandoc'

format:
	clang-format -i $(shell git ls-files 'src/*.c' 'src/*.h' 'tests/*.c' 'tests/*.h' 'examples/*.c' 'scripts/*.c')

.PHONY: lint format tidied cppchecked shellchecked mypychecked manlinted
