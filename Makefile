# tide. `make demo` and `make test` first install missing packages. See README.md.
#
#   make                builds what `make install` installs: program, libraries, man pages; the same as `make all`
#   make demo           trains the tiny preset on corpus/ and translates the tide sentence
#   make test           all tests; one=beam runs those of this name: one=unit/test_beam, one=e2e/serve, one=soak/kills
#   make test-all       installs what all tests need, and runs all of them, none skipped; not those of `make soak`
#   make help           this list
#   make install        copies program, libraries, presets, scripts, man pages and completions to $(DESTDIR)$(PREFIX)
#   make uninstall      removes them
#   make library        libtide.so, libtide.a
#   make abi            compares the public names of the libraries with the lists in tests/fixtures
#   make bench          speed on this machine, which must be idle; comparisons with other programs: scripts/peers
#   make corpus-games   a corpus of some 80,000 pairs from the translations of games in Debian's packages
#   make dist           build/tide-VERSION.tar.gz
#   make setup          installs the packages that the build and the tests need
#   make clean          removes build/

MAKEFLAGS += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR: # a file that a recipe had begun to write

config ?= release
cc.neon := aarch64-linux-gnu-gcc
cc.wasm := emcc
cc.static     := build/static/musl-gcc
cc.static-arm := build/static-arm/musl-gcc
cc.macos-arm  := build/macos-arm/cc
cc.macos-x86  := build/macos-x86/cc
cc.windows    := x86_64-w64-mingw32-gcc-posix
cc.fuzz := clang
PREFIX ?= /usr/local
CC     := $(or $(cc.$(config)),gcc)
AR     := $(if $(filter macos-%,$(config)),build/$(config)/ar,ar)
EXE    := $(if $(filter windows,$(config)),.exe)
JOBS   := $(shell nproc)

B    := build/$(config)
PKGS := stb libutf8proc libcjson libxxhash libmd
# With these configurations the libraries are not those of the system: scripts/dev/libraries compiles them into $B/lib.
MACOS := $(filter macos-%,$(config))
OWN  := $(filter wasm static static-arm macos-% windows,$(config))

CPPFLAGS := -Isrc -I$B -D_GNU_SOURCE $(if $(OWN),-isystem $B/include -DXXH_INLINE_ALL,$(shell \
            pkg-config --cflags-only-I $(PKGS) 2>/dev/null | sed 's/-I/-isystem /g'))
PTHREAD  := $(if $(filter wasm,$(config)),,-pthread)
CFLAGS   := -std=gnu11 -g -Wall -Wextra -Wshadow -Wconversion $(if $(WERROR)$(filter lint,$(config)),-Werror) $(PTHREAD) \
            -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fPIC -fvisibility=hidden
LDLIBS   := $(if $(OWN),$(patsubst %,$B/lib/%,utf8proc.o cJSON.o sha2.a),-lutf8proc -lcjson -lxxhash -lmd) -lm $(PTHREAD)
COMPILE   = @mkdir -p $(@D) && echo '  cc $@' && $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP

# Optional libraries. Without one, tide builds, and the command that needs it names the package. $B/optional changes when
# one is installed or removed, so that the files that use it are compiled again.
has     = $(if $(filter wasm neon,$(config)),,$(if $(OWN),$2,$(shell pkg-config --exists $1 2>/dev/null && echo $2)))
SERVER := $(call has,libmicrohttpd,tide-serve$(EXE))
# The library of translation memories.
XML_FLAGS := $(call has,expat,-DTIDE_XML)
XML_LIBS  := $(if $(XML_FLAGS),$(if $(OWN),$B/lib/expat.a,-lexpat))

sanitize.asan := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
sanitize.tsan := -fsanitize=thread
sanitize.coverage := --coverage -fprofile-update=atomic -O1
link.neon := -static
link.static := -static -L$B/lib
link.static-arm := $(link.static)
link.windows := -static -L$B/lib -Wl,--no-insert-timestamp
link.macos-arm := -L$B/lib -Wl,-S # without the paths of objects
link.macos-x86 := $(link.macos-arm)
link.wasm := -sALLOW_MEMORY_GROWTH=1 -sEXIT_RUNTIME=1 -sTOTAL_STACK=1048576 -sSINGLE_FILE=1
sanitize.static-arm := -mno-outline-atomics # libgcc's functions for atomics need glibc
# gcc does not align the stack to 32 bytes there, so its aligned moves must become others, and its functions for AMX take offsets
# of 32 bits, so there is no AMX. Formats and conversions are those of the other systems, which check them.
flags.windows := -include io/system/windows.h -D__USE_MINGW_ANSI_STDIO=1 -D_FILE_OFFSET_BITS=64 -D_WIN32_WINNT=0x0A00 \
    -DWIN32_LEAN_AND_MEAN -DPSAPI_VERSION=2 -DUTF8PROC_STATIC -DXML_STATIC -Wa,-muse-unaligned-vector-move -Wno-format -Wno-format-extra-args -Wno-conversion -Wno-sign-conversion
sanitize.fuzz := $(sanitize.asan) -fsanitize=fuzzer-no-link -O1
# With asan's checks for null pointers, gcc 12 warns of null arguments that there are not.
CFLAGS  += $(flags.$(config)) $(sanitize.$(config)) $(if $(filter asan,$(config)),-Wno-format-truncation)
LDFLAGS += $(sanitize.$(config):%-no-link=%) $(link.$(config))
# More flags from outside, for example those of a distribution.
CPPFLAGS += $(EXTRA_CPPFLAGS)
CFLAGS   += $(EXTRA_CFLAGS)
LDFLAGS  += $(EXTRA_LDFLAGS)

# ---- the program ----------------------------------------------------------------------------------------------------

all: build/tide library core man
.PHONY: all

FLOORS  := core model io text score corpus aligner translate train view api serve bench
# What differs between operating systems: see src/core/system.h and src/io/system.h.
SYSTEM  := $(if $(EXE),windows* condition,unix $(if $(MACOS)$(filter posix wasm,$(config)),posix condition,linux))
SYSTEM_FILES := $(wildcard $(patsubst %,src/*/system/%.c,$(SYSTEM)))
ONCE_FOR_EACH_SET := kernels gemm_f32 gemm_bf16 gemm_i8
SOURCES := $(filter-out $(ONCE_FOR_EACH_SET:%=src/core/%.c) $(if $(SERVER),,src/serve/http.c), \
           $(wildcard $(FLOORS:%=src/%/*.c) src/*.c) $(SYSTEM_FILES))
OBJECTS := $(SOURCES:src/%.c=$B/%.o)
CLI     := $(patsubst src/%.c,$B/%.o,$(filter-out src/cli/tide_serve.c,$(wildcard src/cli/*.c)))

# The files of kernels are compiled once for each instruction set of the target machine, gemm_i8.c also for instructions that
# only products of int8 use.
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
KERNELS := portable
ifeq ($(MACHINE),x86_64)
KERNELS  += avx2 avx512
DOT_PRODUCTS := avx512vnni $(if $(EXE),,avxvnni amx)
CPPFLAGS += -DTIDE_X86 $(if $(EXE),-DTIDE_TRIED_ONLY)
else ifeq ($(MACHINE),aarch64)
KERNELS  += neon
DOT_PRODUCTS := neondot
CPPFLAGS += -DTIDE_ARM
else ifeq ($(MACHINE),wasm32)
KERNELS  := simd128
CPPFLAGS += -DTIDE_WASM
endif
isa.avx2   := -mavx2 -mfma
isa.avx512 := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512
isa.avxvnni := $(isa.avx2) -mavxvnni
isa.avx512vnni := $(isa.avx512) -mavx512vnni
isa.tiles := $(isa.avx512vnni) -mavx512bf16 -DTIDE_AMX
isa.amx := $(isa.tiles) -mamx-tile -mamx-bf16 -mamx-int8
isa.neon   := -DTIDE_NEON
isa.neondot := $(isa.neon) $(if $(MACOS),,-march=armv8.2-a+dotprod)
isa.simd128 := -DTIDE_SIMD128 -msimd128
ifeq ($(MACHINE)$(EXE),x86_64) # elsewhere the file is empty
$B/core/gemm_amx.o $B/core/gemm_amx.tidied: CFLAGS += $(isa.amx) -DTABLE=gemm_bf16_amx
endif
KERNEL_NAMES := $(foreach file,$(ONCE_FOR_EACH_SET),$(KERNELS:%=$(file)_%)) $(DOT_PRODUCTS:%=gemm_i8_%)
OBJECTS += $(KERNEL_NAMES:%=$B/core/%.o)

# Always remade, because the link may point to another configuration.
.PHONY: build/tide
build/tide: $B/tide$(EXE) $(SERVER:%=$B/%)
	@for program in $(^F); do ln -sfn $(config)/$$program build/$$program; done

$B/tide$(EXE): $(CLI) $B/internal.a
	@echo '  ld $@'
	@$(CC) $(LDFLAGS) $^ $(XML_LIBS) $(LDLIBS) -o $@

# The program that `tide serve` executes.
$B/tide-serve$(EXE): $(patsubst %,$B/cli/%.o,args command messages serve streams suggest tide_serve usage word_lists) $B/internal.a
	@echo '  ld $@'
	@$(CC) $(LDFLAGS) $^ -lmicrohttpd $(XML_LIBS) $(LDLIBS) $(if $(EXE),-lws2_32) -o $@

# All floors below cli/. libtide.a is another archive: it has only the public names.
$B/internal.a: $(OBJECTS) Makefile
	@rm -f $@ && $(AR) rcs $@ $(OBJECTS)

$B/%.o: src/%.c Makefile
	$(COMPILE) -c $< -o $@

$B/corpus/tmx.o $B/corpus/tmx.tidied: CPPFLAGS += $(XML_FLAGS)
$B/corpus/tmx.o: $B/optional
$B/optional: optional
	@mkdir -p $(@D)
	@echo '$(XML_FLAGS)' | cmp -s - $@ || echo '$(XML_FLAGS)' >$@
.PHONY: optional

# `tide --version` names the commit; a tarball of `make dist` has it in src/commit.
COMMIT := $(shell git -C . rev-parse --short=12 HEAD 2>/dev/null || sed 's/^\$$.*/unknown/' src/commit)
$B/cli/main.o $B/cli/main.tidied: CPPFLAGS += -DTIDE_COMMIT='"$(COMMIT)"'
$B/cli/main.o: $B/commit
$B/commit: optional
	@mkdir -p $(@D)
	@echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' >$@

# The headers of other libraries; core/ needs none.
headers:
	@for name in $(if $(OWN),,stb_ds utf8proc cJSON xxhash sha2); do \
	    echo "#include <$$name.h>" | $(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 || { \
	    echo "make: $(CC) does not find $$name.h; scripts/setup installs what tide needs (README.md lists it)" >&2; exit 1; }; done
$(filter-out $B/core/% $B/browser/%,$(OBJECTS)) $(CLI): | headers
.PHONY: headers

include mk/web.mk mk/systems.mk

define KERNELS_RULE
$B/core/$1_%.o: src/core/$1.c Makefile
	$$(COMPILE) $$(isa.$$*) -DTABLE=$1_$$* -c $$< -o $$@
endef
$(foreach file,$(ONCE_FOR_EACH_SET),$(eval $(call KERNELS_RULE,$(file))))

# ---- the library ----------------------------------------------------------------------------------------------------

# libtide has what src/api/ uses of the floors below. Only the functions of tide.h, tide_*, are visible outside.
VERSION := $(shell sed -n 's/^\#define TIDE_VERSION "\(.*\)"/\1/p' src/tide.h)
SONAME  := libtide.so.0
API     := $(filter $B/api/%,$(OBJECTS))
LIBRARY := $B/libtide.a $B/libtide.so.$(VERSION)

library: $(LIBRARY)

$B/libtide.so.$(VERSION): $(API) $B/internal.a
	@echo '  ld $@'
	@$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) $^ $(LDLIBS) -o $@
	@ln -sf $(@F) $B/$(SONAME) && ln -sf $(SONAME) $B/libtide.so

# The same for macOS: `make macos`.
$B/libtide.dylib: $(API) $B/internal.a
	@echo '  ld $@'
	@$(CC) $(CFLAGS) $(LDFLAGS) -dynamiclib -install_name @rpath/libtide.dylib $^ $(LDLIBS) -o $@

# The same for Windows: `make windows`.
$B/libtide.dll: $(API) $B/internal.a tests/fixtures/libtide.abi
	@echo '  ld $@'
	@{ echo EXPORTS && cat tests/fixtures/libtide.abi; } >$B/libtide.def
	@$(CC) $(CFLAGS) $(LDFLAGS) -shared $(filter %.o %.a,$^) $B/libtide.def $(LDLIBS) -o $@

# One object, in which every name but the public ones is local, so that a program may have its own `slice` or `norm`.
$B/libtide.a: $(API) $B/internal.a
	@echo '  ar $@'
	@$(LD) -r -o $B/libtide.o $^ && objcopy --localize-hidden $B/libtide.o
	@rm -f $@ && ar rcs $@ $B/libtide.o

# Compares the public names of both libraries with the list in tests/fixtures/libtide.abi.
abi: $(LIBRARY)
	tests/e2e/abi.sh $B
.PHONY: library abi

include mk/mpi.mk mk/core-library.mk

# ---- tests ----------------------------------------------------------------------------------------------------------

# tests/unit/test_*.c see everything below cli/; tests/unit/double_*.c compute with double, see mk/double.mk; tests/e2e/*.sh
# run tide. memcheck.sh is for `make valgrind`, neon.sh for `make neon`; axe.sh for `make pages`; wasm.sh and browser.sh need
# `make browser`, article.sh `make article`, classroom.sh
# `make classroom`.
TESTS   := $(patsubst %.c,$B/%,$(filter-out $(if $(SERVER),,tests/unit/test_serve.c),$(wildcard tests/unit/test_*.c)))
DOUBLES := $(patsubst %.c,$B/%,$(wildcard tests/unit/double_*.c))
ALL_SCRIPTS := $(wildcard tests/e2e/*.sh)
SCRIPTS := $(filter-out $(patsubst %,tests/e2e/%.sh,article axe classroom memcheck neon wasm browser),$(ALL_SCRIPTS))
SOAKS   := $(wildcard tests/soak/*.sh)
FUZZERS := $(patsubst %.c,$B/%,$(wildcard tests/fuzz/fuzz_*.c))
ifeq ($(config),tsan) # ten times slower; the other scripts run the same code, and ranks.sh has limits in seconds
SCRIPTS := $(filter-out $(patsubst %,tests/e2e/%.sh,docs learns limits ranks),$(SCRIPTS))
endif

$B/tests/unit/test_serve: LDLIBS += -lmicrohttpd
$B/tests/unit/test_%.o: tests/unit/test_%.c Makefile
	$(COMPILE) -Itests/lib -c $< -o $@
$B/tests/unit/test_%: $B/tests/unit/test_%.o $B/internal.a
	@$(CC) $(LDFLAGS) $(filter %.o %.a,$^) -lcmocka $(XML_LIBS) $(LDLIBS) -o $@

# Some tests compute with the kernels for AMX on CPUs without it: with its instructions in C.
ifeq ($(MACHINE),x86_64)
SOFTWARE_TILES := $(patsubst %,$B/tests/unit/%.o,gemm_bf16_software gemm_i8_software software_set)
$B/tests/unit/gemm_bf16_software.o: src/core/gemm_amx.c
$B/tests/unit/gemm_i8_software.o: src/core/gemm_i8.c
$(filter %_software.o,$(SOFTWARE_TILES)): $B/tests/unit/%_software.o: tests/lib/software_tiles.h Makefile
	$(COMPILE) $(isa.tiles) -Itests/lib -include software_tiles.h -DTABLE=$*_software \
	    -c $(filter %.c,$^) -o $@
$B/tests/unit/software_set.o: tests/unit/software_set.c Makefile
	$(COMPILE) $(isa.tiles) -Itests/lib -c $< -o $@
$(patsubst %,$B/tests/unit/test_%,gemm kernels same_bits shards): $(SOFTWARE_TILES)
endif

# A program that sees only tide.h and libtide.so; tests/e2e/host.sh runs it.
$B/tests/e2e/host: tests/e2e/host.c $(LIBRARY)
	$(COMPILE) $(LDFLAGS) $< -L$B -ltide -lcjson -pthread -Wl,-rpath,'$$ORIGIN/../..' -o $@

# An example uses only the core library; its exit status tells whether its result is right.
EXAMPLES := $(patsubst %.c,$B/%,$(wildcard examples/*.c))
$B/examples/%: examples/%.c $B/libtidecore.a $(CORE_HEADERS)
	@mkdir -p $(@D) && echo '  cc $@'
	@$(CC) -I$B/include $(CFLAGS) -MMD -MP $(LDFLAGS) $< $B/libtidecore.a -lm $(PTHREAD) -o $@

programs: build/tide $(RANKS) library core man $(TESTS) $(DOUBLES) $(EXAMPLES) $(FUZZERS) $B/tests/unit/bits $B/tests/unit/demo_batches $B/tests/e2e/host

# The tests of `make test`, without the installation; with one=NAME, the tests of this name. A script may need any program.
CHECKED := $(TESTS) $(DOUBLES) $(EXAMPLES) $(SCRIPTS)
ifdef one
NAME    := $(patsubst tests/%,%,$(basename $(one)))
named   = $(filter %/$(NAME) %/test_$(NAME) %/double_$(NAME),$(basename $1))
CHECKED := $(foreach test,$(sort $(CHECKED) $(ALL_SCRIPTS)),$(if $(call named,$(test)),$(test)))
CHECKED := $(strip $(CHECKED) $(filter tests/$(NAME).sh,$(SOAKS)))
$(if $(CHECKED),,$(error no test is called $(one); see tests/unit, tests/e2e and tests/soak))
endif
AT_ONCE ?= $(JOBS)
RUN_TESTS = AT_ONCE=$(AT_ONCE) TIDE=$(CURDIR)/$B/tide scripts/dev/run-tests

check: $(if $(filter-out $B/%,$(CHECKED)),programs,$(CHECKED))
	$(RUN_TESTS) $(CHECKED)

test: setup
	$(MAKE) -j$(JOBS) $(if $(filter-out $B/%,$(CHECKED)),programs,$(CHECKED))
	$(MAKE) check

test-all:
	scripts/setup all
	$(MAKE) article classroom build/axe/node_modules/axe-core/axe.min.js
	$(MAKE) -j$(JOBS) programs
	$(MAKE) check SCRIPTS='$(ALL_SCRIPTS)'

.PHONY: programs check test test-all

# ---- installation ---------------------------------------------------------------------------------------------------

# Each part has targets install-PART and uninstall-PART, which `install` and `uninstall` run, and variables for its folders.
# What is installed is written to $(DESTDIR)FOLDER; a package is made in a DESTDIR of its own. `install` only copies: root,
# who often runs it, would leave files in build/ that nobody else can replace.
bindir  ?= $(PREFIX)/bin
libdir  ?= $(PREFIX)/lib
includedir ?= $(PREFIX)/include
datadir ?= $(PREFIX)/share/tide
mandir  ?= $(PREFIX)/share/man
bashdir ?= $(PREFIX)/share/bash-completion/completions
zshdir  ?= $(PREFIX)/share/zsh/site-functions
fishdir ?= $(PREFIX)/share/fish/vendor_completions.d
PRESETS := $(notdir $(wildcard models/*.conf))
COMMANDS := $(shell grep -o 'command_[a-z]*,' src/cli/commands.c | sed 's/command_//; s/,//')
# Scripts that do not need the sources.
USED    := corpus-games libreoffice-pairs cedict-pairs tatoeba diversify train-aligner
# The starter corpus, for `tide learn`; the index of scripts/tatoeba.
CORPUS  := corpus/train.tsv corpus/dev.tsv corpus/tatoeba.index

PARTS := program library man core
BUILT.program = $B/tide $(SERVER:%=$B/%)
BUILT.library = $(LIBRARY)
BUILT.man     = $B/man/tide.1
BUILT.core    = $(CORE) $(CORE_HEADERS)

install: $(PARTS:%=built-%) $(PARTS:%=install-%)
uninstall: $(PARTS:%=uninstall-%)
$(PARTS:%=install-%): install-%: built-%
$(PARTS:%=built-%): built-%:
	@for file in $(BUILT.$*); do [ -e "$$file" ] || { \
	    echo "make install: $$file is not built; first run \`make $(if $(filter release,$(config)),,config=$(config) )all\`" >&2; \
	    exit 1; }; done

install-program:
	install -D -m 755 -t $(DESTDIR)$(bindir) $B/tide $(SERVER:%=$B/%)
	install -D -m 644 -t $(DESTDIR)$(datadir) $(PRESETS:%=models/%) $(wildcard $(PAGE)/page.html)
	install -D -m 644 -t $(DESTDIR)$(datadir)/corpus $(CORPUS)
	install -D -m 755 -t $(DESTDIR)$(datadir)/scripts $(USED:%=scripts/%)

uninstall-program:
	rm -f $(DESTDIR)$(bindir)/tide $(DESTDIR)$(bindir)/tide-serve $(addprefix $(DESTDIR)$(datadir)/,$(PRESETS) page.html $(CORPUS) $(USED:%=scripts/%))
	for folder in $(DESTDIR)$(datadir)/corpus $(DESTDIR)$(datadir)/scripts $(DESTDIR)$(datadir); do \
	    [ ! -d $$folder ] || rmdir --ignore-fail-on-non-empty $$folder; done

# The program prints its man pages and completions.
man: $B/man/tide.1
$B/man/tide.1: $B/tide
	@rm -rf $(@D) && mkdir -p $(@D)
	@$B/tide help --man >$@
	@$B/tide help | sed -n 's/^  \([a-z]*\) .*/\1/p' | while read -r name; do \
	    $B/tide help --man $$name >$(@D)/tide-$$name.1 || exit 1; done
	@for shell in bash zsh fish; do $B/tide help --completion $$shell >$(@D)/$$shell || exit 1; done

install-library:
	mkdir -p $(DESTDIR)$(libdir)/pkgconfig $(DESTDIR)$(includedir)
	install -m 644 $B/libtide.a $B/libtide.so.$(VERSION) $(DESTDIR)$(libdir)
	ln -sf libtide.so.$(VERSION) $(DESTDIR)$(libdir)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(libdir)/libtide.so
	install -m 644 src/tide.h $(DESTDIR)$(includedir)
	sed 's,@PREFIX@,$(PREFIX),; s,@LIBDIR@,$(libdir),; s,@INCLUDEDIR@,$(includedir),; s,@VERSION@,$(VERSION),; s,@LDLIBS@,$(filter-out -lmd,$(LDLIBS)),' src/api/tide.pc.in \
	    >$(DESTDIR)$(libdir)/pkgconfig/tide.pc

uninstall-library:
	rm -f $(LIBRARY:$B/%=$(DESTDIR)$(libdir)/%) $(DESTDIR)$(libdir)/$(SONAME) $(DESTDIR)$(libdir)/libtide.so
	rm -f $(DESTDIR)$(includedir)/tide.h $(DESTDIR)$(libdir)/pkgconfig/tide.pc
	-rmdir $(DESTDIR)$(libdir)/pkgconfig 2>/dev/null

install-man:
	install -D -m 644 -t $(DESTDIR)$(mandir)/man1 $B/man/*.1
	install -D -m 644 $B/man/bash $(DESTDIR)$(bashdir)/tide
	install -D -m 644 $B/man/zsh $(DESTDIR)$(zshdir)/_tide
	install -D -m 644 $B/man/fish $(DESTDIR)$(fishdir)/tide.fish

uninstall-man:
	rm -f $(addprefix $(DESTDIR)$(mandir)/man1/,tide.1 $(COMMANDS:%=tide-%.1))
	rm -f $(DESTDIR)$(bashdir)/tide $(DESTDIR)$(zshdir)/_tide $(DESTDIR)$(fishdir)/tide.fish

.PHONY: man install uninstall $(foreach part,$(PARTS),built-$(part) install-$(part) uninstall-$(part))

# ---- other commands ------------------------------------------------------------------------------------------------

demo: setup
	$(MAKE) -j$(JOBS) build/tide
	scripts/demo

setup:
	scripts/setup

bench: setup
	$(MAKE) -j$(JOBS) build/tide
	build/tide bench

corpus-games: setup
	$(MAKE) -j$(JOBS) build/tide
	scripts/corpus-games

# The same bytes for the same commit.
dist:
	@mkdir -p build
	git archive --format=tar --prefix=tide-$(VERSION)/ HEAD | gzip -9n >build/tide-$(VERSION).tar.gz

# The comment at the beginning of each file lists its commands, with two spaces or more before their texts.
help:
	@for file in Makefile mk/*.mk; do sed -n '/^#/!q; s/^#   make/make/p' $$file; done | \
	    awk '{ match($$0, /   */); printf "%-27s %s\n", substr($$0, 1, RSTART - 1), substr($$0, RSTART + RLENGTH) }'

clean:
	rm -rf build

.PHONY: demo setup bench corpus-games dist help clean
.SECONDARY:
include mk/browser.mk mk/double.mk mk/fuzz.mk mk/checks.mk mk/lint.mk
-include $(shell find $B -name '*.d' 2>/dev/null)
