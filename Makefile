# tide. `make` builds build/tide; `make demo` and `make test` first install missing packages. See README.md.
#
#   make demo      train the tiny preset on corpus/ and translate the tide sentence
#   make test      all tests            make asan, make tsan    the tests under a sanitizer
#   make mpi       builds build/tide-mpi, for several machines; make mpi-test installs Open MPI and tests ranks
#   make browser MODEL=DIR   build/browser/tide.html, a page that translates with this model, without a server
#   make wasm      tests this page in a headless browser, and its kernels in node
#   make neon      tests the aarch64 kernels in an emulator
#   make pages     tests tide's HTML pages in a headless browser
#   make fuzz      fuzzes the parsers of untrusted input; seconds=600 for each, jobs=1 at a time
#   make soak      tests that take hours: kills, broken disks, damaged files, half an hour of each fuzzer
#   make docs-check     checks the commands, links, pictures and flags of README.md and docs/; soak=1: slow commands, too
#   make bench     speed on this machine, which must be idle; comparisons with other programs: scripts/compare-*
#   make corpus-games   makes a corpus of some 80,000 pairs from the translations of games in Debian's packages
#   make lint      clang-tidy, cppcheck, shellcheck, mandoc, mypy and the compiler's warnings
#   make coverage  line coverage of core/ and model/ by the tests; fails below 95 %
#   make valgrind  runs the short tests and tide under memcheck
#   make fixtures  recomputes the tests' expected values with PyTorch (needs python3-torch)
#   make format    clang-format
#   make install   program, libraries, presets, man pages and completions to $(DESTDIR)$(PREFIX); make uninstall removes them
#   make dist      build/tide-VERSION.tar.gz
#   make library   libtide.so, libtide.a        make abi        compares their public names with tests/fixtures/libtide.abi
#   make core      the autodiff tape as a library for other programs, see docs/tape.md; `make abi` compares its names, too

MAKEFLAGS += --no-builtin-rules --no-print-directory
.DELETE_ON_ERROR: # a file that a recipe had begun to write

config ?= release
cc.neon := aarch64-linux-gnu-gcc
cc.wasm := emcc
cc.fuzz := clang
PREFIX ?= /usr/local
CC     := $(or $(cc.$(config)),gcc)
JOBS   := $(shell nproc)

B    := build/$(config)
PKGS := stb libutf8proc libcjson libxxhash

CPPFLAGS := -Isrc -I$B -D_GNU_SOURCE $(if $(filter wasm,$(config)),-isystem $B/include -DXXH_INLINE_ALL,$(shell \
            pkg-config --cflags-only-I $(PKGS) 2>/dev/null | sed 's/-I/-isystem /g'))
PTHREAD  := $(if $(filter wasm,$(config)),,-pthread)
CFLAGS   := -std=gnu11 -g -Wall -Wextra -Wshadow -Wconversion $(if $(CI)$(filter lint,$(config)),-Werror) $(PTHREAD) \
            -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fPIC -fvisibility=hidden
LDLIBS   := -lutf8proc -lcjson -lxxhash -lm $(PTHREAD)

# Optional libraries. Without one, tide builds, and the command that needs it names the package. $B/optional changes when
# one is installed or removed, so that the files that use it are compiled again.
# tide loads libmicrohttpd when a server starts; only its header is needed here.
HTTP_FLAGS := $(shell pkg-config --exists libmicrohttpd 2>/dev/null && echo -DTIDE_HTTP)
# The same for the libraries of compressed files.
UNPACK_FLAGS := $(if $(filter wasm neon,$(config)),,$(shell for one in gzip:zlib xz:liblzma zstd:libzstd; do \
    pkg-config --exists $${one#*:} 2>/dev/null && echo -DTIDE_$$(echo $${one%:*} | tr a-z A-Z); done))
# And for translation memories.
XML_FLAGS := $(if $(filter wasm neon,$(config)),,$(shell pkg-config --exists expat 2>/dev/null && echo -DTIDE_XML))

sanitize.asan := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
sanitize.tsan := -fsanitize=thread
sanitize.coverage := --coverage -fprofile-update=atomic -O1
link.neon := -static
link.wasm := -sALLOW_MEMORY_GROWTH=1 -sEXIT_RUNTIME=1 -sTOTAL_STACK=1048576 -sSINGLE_FILE=1
sanitize.fuzz := $(sanitize.asan) -fsanitize=fuzzer-no-link -O1
CFLAGS  += $(sanitize.$(config))
LDFLAGS += $(sanitize.$(config):%-no-link=%) $(link.$(config))
# More flags from outside, for example those of a distribution.
CPPFLAGS += $(EXTRA_CPPFLAGS)
CFLAGS   += $(EXTRA_CFLAGS)
LDFLAGS  += $(EXTRA_LDFLAGS)

# ---- the program ----------------------------------------------------------------------------------------------------

FLOORS  := core model io text score corpus aligner translate train view api serve bench
ONCE_FOR_EACH_SET := kernels gemm_f32 gemm_i8
SOURCES := $(filter-out $(ONCE_FOR_EACH_SET:%=src/core/%.c),$(wildcard $(FLOORS:%=src/%/*.c) src/*.c))
OBJECTS := $(SOURCES:src/%.c=$B/%.o)
CLI     := $(patsubst src/%.c,$B/%.o,$(wildcard src/cli/*.c))

# The files of kernels are compiled once for each instruction set of the target machine, gemm_i8.c also for instructions that
# only products of int8 use.
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
KERNELS := portable
ifeq ($(MACHINE),x86_64)
KERNELS  += avx2 avx512
DOT_PRODUCTS := avxvnni avx512vnni
CPPFLAGS += -DTIDE_X86
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
isa.neon   := -DTIDE_NEON
isa.neondot := $(isa.neon) -march=armv8.2-a+dotprod
isa.simd128 := -DTIDE_SIMD128 -msimd128
KERNEL_NAMES := $(foreach file,$(ONCE_FOR_EACH_SET),$(KERNELS:%=$(file)_%)) $(DOT_PRODUCTS:%=gemm_i8_%)
OBJECTS += $(KERNEL_NAMES:%=$B/core/%.o)

# Always remade, because the link may point to another configuration.
.PHONY: build/tide
build/tide: $B/tide
	@ln -sfn $(config)/tide $@

$B/tide: $(CLI) $B/internal.a
	@echo '  ld $@'
	@$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

# The same program for several machines: see docs/cluster.md. Only ranks.c uses MPI.
.PHONY: mpi build/tide-mpi
mpi: build/tide-mpi
build/tide-mpi: $B/tide-mpi
	@ln -sfn $(config)/tide-mpi $@

MPICC ?= mpicc
$B/tide-mpi: $(CLI) $B/mpi/ranks.o $B/internal.a
	@echo '  ld $@'
	@$(MPICC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$B/mpi/ranks.o: src/train/ranks.c Makefile
	@mkdir -p $(@D) && echo '  mpicc $@'
	@$(MPICC) $(CPPFLAGS) $(CFLAGS) -DTIDE_MPI -MMD -MP -c $< -o $@

# All floors below cli/. libtide.a is another archive: it has only the public names.
$B/internal.a: $(OBJECTS) Makefile
	@rm -f $@ && ar rcs $@ $(OBJECTS)

$B/%.o: src/%.c Makefile
	@mkdir -p $(@D) && echo '  cc $@'
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$B/serve/http.o $B/serve/http.tidied: CPPFLAGS += $(HTTP_FLAGS)
$B/io/compressed.o $B/io/compressed.tidied: CPPFLAGS += $(UNPACK_FLAGS)
$B/corpus/tmx.o $B/corpus/tmx.tidied: CPPFLAGS += $(XML_FLAGS)
$B/serve/http.o $B/io/compressed.o $B/corpus/tmx.o: $B/optional
$B/optional: optional
	@mkdir -p $(@D)
	@echo '$(HTTP_FLAGS) $(UNPACK_FLAGS) $(XML_FLAGS)' | cmp -s - $@ || echo '$(HTTP_FLAGS) $(UNPACK_FLAGS) $(XML_FLAGS)' >$@
.PHONY: optional

# `tide --version` names the commit; a tarball of `make dist` has it in src/commit.
COMMIT := $(shell git -C . rev-parse --short=12 HEAD 2>/dev/null || sed 's/^\$$.*/unknown/' src/commit)
$B/cli/main.o $B/cli/main.tidied: CPPFLAGS += -DTIDE_COMMIT='"$(COMMIT)"'
$B/cli/main.o: $B/commit
$B/commit: optional
	@mkdir -p $(@D)
	@echo '$(COMMIT)' | cmp -s - $@ || echo '$(COMMIT)' >$@

# stb_ds.h stores strings past the declared end of an array, which clang's sanitizer reports.
build/fuzz/io/ds.o: CFLAGS += -fno-sanitize=bounds

# Files of the pages and of the shells' completions are compiled in as C strings.
QUOTE := sed 's/[\\"]/\\&/g; s/.*/"&\\n"/'
TEXTS := $(patsubst src/%,$B/%.inc,$(wildcard src/view/web/* src/serve/web/*.json src/cli/shell/*))
$(TEXTS): $B/%.inc: src/% Makefile
	@mkdir -p $(@D)
	@$(QUOTE) $< >$@

# The live page of `tide serve` is one document. Its Content-Security-Policy names the hashes of its style and its script.
LIVE     := $B/serve/web/live.html.inc $B/serve/web/live.policy.inc
LIVE_CSS := src/view/web/page.css src/serve/web/live.css
LIVE_JS  := $(patsubst %,src/view/web/%.js,common matrix lines) \
            $(patsubst %,src/serve/web/%.js,strings translator server pieces differences formats candidates pair panel live)
HASH = sha256-$$({ echo; cat $1; } | sha256sum | cut -c1-64 | tr a-f A-F | basenc --base16 -d | base64)
$B/serve/web/live.style: $(LIVE_CSS) Makefile
	@mkdir -p $(@D) && cat $(LIVE_CSS) >$@
$B/serve/web/live.script: $(LIVE_JS) Makefile
	@mkdir -p $(@D) && { echo '"use strict";'; cat $(LIVE_JS); } >$@
$B/serve/web/live.policy.inc: $B/serve/web/live.style $B/serve/web/live.script
	@echo "\"style-src '$(call HASH,$<)'; script-src '$(call HASH,$(word 2,$^))'\"" >$@
$B/serve/web/live.html.inc: src/serve/web/page.html $B/serve/web/live.style $B/serve/web/live.script
	@sed -e '/^<style>$$/r $(word 2,$^)' -e '/^<script>$$/r $(word 3,$^)' $< | $(QUOTE) >$@

$(patsubst src/%.c,$B/%.o,$(wildcard src/view/*.c src/serve/*.c src/cli/*.c)): | $(TEXTS) $(LIVE)

define KERNELS_RULE
$B/core/$1_%.o: src/core/$1.c Makefile
	@mkdir -p $$(@D) && echo '  cc $$@'
	@$$(CC) $$(CPPFLAGS) $$(CFLAGS) $$(isa.$$*) -DTABLE=$1_$$* -MMD -MP -c $$< -o $$@
$B/core/$1_%.tidied: src/core/$1.c $B/core/$1_%.o .clang-tidy
	$$(TIDY) $$(isa.$$*) -DTABLE=$1_$$* && touch $$@
$B/double/core/$1_portable.o: src/core/$1.c Makefile
	@mkdir -p $$(@D) && echo '  cc $$@'
	@$$(CC) $$(CPPFLAGS) $$(CFLAGS) -DTIDE_DOUBLE -DTABLE=$1_portable -MMD -MP -c $$< -o $$@
# The machine's fused multiply-add gives the same bits as libc's, but is much faster.
$B/double/core/$1.o: src/core/$1.c Makefile
	@mkdir -p $$(@D) && echo '  cc $$@'
	@$$(CC) $$(CPPFLAGS) $$(CFLAGS) -march=native -DTIDE_DOUBLE -DTABLE=$1_portable -MMD -MP -c $$< -o $$@
endef
$(foreach file,$(ONCE_FOR_EACH_SET),$(eval $(call KERNELS_RULE,$(file))))

# ---- the browser edition --------------------------------------------------------------------------------------------

# build/browser/page.html is the live page with a worker in the place of the server, without a model; `tide export --html`
# adds one. With config=wasm: the program of the worker.
PAGE     := build/browser
PAGE_JS  := $(subst src/serve/web/server.js,src/browser/web/browser.js,$(LIVE_JS))
ifeq ($(config),wasm)
ENGINE   := $(addprefix $B/,$(patsubst src/%.c,%.o,$(filter-out $(addprefix src/serve/,connections.c http.c serve.c socket.c), \
            $(wildcard $(patsubst %,src/%/*.c,model io text score corpus aligner translate view serve browser)) $(filter src/core/%,$(SOURCES))))) \
            $(KERNEL_NAMES:%=$B/core/%.o)
$B/browser/browser.o $(filter $B/serve/% $B/view/%,$(ENGINE)): | $(TEXTS) $(LIVE)

# emcc runs JavaScript libraries of Debian; a node that is not Debian's does not find them.
$B/engine.js: export NODE_PATH := /usr/share/nodejs
$B/engine.js: src/browser/deliver.js $(ENGINE) $B/lib/utf8proc.o $B/lib/cJSON.o
	@echo '  emcc $@'
	@rm -f $B/engine.a && emar rcs $B/engine.a $(ENGINE)
	@$(CC) -O3 $B/browser/browser.o $B/engine.a $(filter $B/lib/%,$^) --js-library $< -o $@ -sTOTAL_STACK=1048576 \
	    -sALLOW_MEMORY_GROWTH=1 -sMODULARIZE=1 -sEXPORT_NAME=makeTide -sDYNAMIC_EXECUTION=0 -sENVIRONMENT=worker,node \
	    -sNODEJS_CATCH_EXIT=0 -sNODEJS_CATCH_REJECTION=0 \
	    -sEXPORTED_FUNCTIONS=_browser_open,_browser_models,_browser_begin,_browser_continue,_browser_cancel \
	    -sEXPORTED_RUNTIME_METHODS=ccall,FS
$B/lib/utf8proc.o $B/lib/cJSON.o &: scripts/dev/browser-libraries
	@echo '  fetch the libraries of the browser edition'
	@scripts/dev/browser-libraries $B
$(ENGINE): | $B/lib/cJSON.o
endif

$(PAGE)/style: $(LIVE_CSS) Makefile
	@mkdir -p $(@D) && cat $(LIVE_CSS) >$@
$(PAGE)/script: $(PAGE_JS) Makefile
	@mkdir -p $(@D) && { echo '"use strict";'; cat $(PAGE_JS); } >$@
$(PAGE)/page.html: src/serve/web/page.html src/browser/web/worker.js $(PAGE)/style $(PAGE)/script build/wasm/engine.js
	@{ echo '<script type="text/plain" id="tide-program">'; echo '"use strict";'; \
	    cat build/wasm/engine.js src/browser/web/worker.js; echo '</script>'; \
	    echo '<script type="text/plain" id="tide-engine">'; gzip -9nc build/wasm/engine.wasm | base64 -w 0; echo; \
	    echo '</script>'; echo '<!-- model -->'; } >$(PAGE)/parts
	@{ echo "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; form-action 'none';" \
	    "base-uri 'none'; worker-src blob:; style-src '$(call HASH,$(PAGE)/style)';" \
	    "script-src '$(call HASH,$(PAGE)/script)' 'wasm-unsafe-eval'\">"; } >$(PAGE)/policy
	@awk -v DIR=$(PAGE) 'function add(name) { while ((getline line <(DIR "/" name)) > 0) print line } \
	    /^<script>$$/ { add("parts") } { print } /^<meta charset/ { add("policy") } /^<style>$$/ { add("style") } \
	    /^<script>$$/ { add("script") }' $< >$@.part
	@mv $@.part $@

# The same program as a module for node and bundlers.
NPM := $(addprefix $(PAGE)/npm/,package.json index.js index.d.ts engine.cjs engine.wasm)
npm: $(NPM)
$(PAGE)/npm/package.json: src/browser/npm/package.json src/tide.h
	@mkdir -p $(@D) && sed 's/VERSION/$(VERSION)/' $< >$@
$(PAGE)/npm/index.js: src/serve/web/translator.js src/browser/npm/index.js
	@mkdir -p $(@D) && cat $^ >$@
$(PAGE)/npm/index.d.ts: src/browser/npm/index.d.ts
	@mkdir -p $(@D) && cp $< $@
$(PAGE)/npm/engine.cjs: build/wasm/engine.js
	@mkdir -p $(@D) && cp $< $@
$(PAGE)/npm/engine.wasm: build/wasm/engine.js
	@mkdir -p $(@D) && cp build/wasm/engine.wasm $@
.PHONY: npm

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

# One object, in which every name but the public ones is local, so that a program may have its own `slice` or `norm`.
$B/libtide.a: $(API) $B/internal.a
	@echo '  ar $@'
	@$(LD) -r -o $B/libtide.o $^ && objcopy --localize-hidden $B/libtide.o
	@rm -f $@ && ar rcs $@ $B/libtide.o

# Compares the public names of both libraries with the list in tests/fixtures/libtide.abi.
abi: $(LIBRARY)
	tests/e2e/abi.sh $B

# ---- the core library -----------------------------------------------------------------------------------------------

# core/ for other programs: see docs/tape.md. libtidecore-double.a computes with double, for checks of gradients.
# Its headers are these, and those that they include.
CORE_ROOTS   := $(patsubst %,src/core/%.h,gradient_check ops optimizer scope tape_op)
CORE_PUBLIC  := $(sort $(filter src/core/%.h,$(shell $(CC) -Isrc -MM -xc $(CORE_ROOTS) 2>/dev/null)))
CORE_HEADERS := $(CORE_PUBLIC:src/%=$B/include/tide/%) $B/include/tide/core/names.h
CORE_OBJECTS := $(filter $B/core/%,$(OBJECTS))
CORE_DOUBLE  := $(patsubst src/%.c,$B/double/%.o,$(filter src/core/%,$(SOURCES))) \
                $(ONCE_FOR_EACH_SET:%=$B/double/core/%_portable.o)
CORE := $B/libtidecore.a $B/libtidecore-double.a
NM = $(shell $(CC) -print-prog-name=nm)

core: $(CORE) $(CORE_HEADERS)

$B/libtidecore.a: $(CORE_OBJECTS) $B/core.names scripts/dev/core-library
	@echo '  ld $@'
	@CC='$(CC)' scripts/dev/core-library library $@ tide_core_ $B/core.names $(CORE_OBJECTS)

$B/libtidecore-double.a: $(CORE_DOUBLE) $B/core.names scripts/dev/core-library
	@echo '  ld $@'
	@CC='$(CC)' scripts/dev/core-library library $@ tide_core_double_ $B/core.names $(CORE_DOUBLE)

# The names that the public headers declare and that core/ defines.
$B/core.names: $(CORE_OBJECTS) $(CORE_PUBLIC) Makefile
	@cat $(CORE_PUBLIC) | $(CC) $(CPPFLAGS) -E -P -xc - | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | LC_ALL=C sort -u >$@.declared
	@$(NM) -gP --defined-only $(CORE_OBJECTS) | sed -n 's/ [A-Z] .*//p' | LC_ALL=C sort | LC_ALL=C comm -12 - $@.declared >$@
	@rm -f $@.declared

$B/include/tide/core/%.h: src/core/%.h scripts/dev/core-library
	@mkdir -p $(@D)
	@scripts/dev/core-library header $< >$@
$B/include/tide/core/names.h: $B/core.names scripts/dev/core-library
	@mkdir -p $(@D)
	@scripts/dev/core-library names $< >$@

# The exported symbols are those of the committed list: `make abi-core update=1` after a change that is meant.
CORE_ABI := tests/fixtures/libtidecore.abi
abi: abi-core
abi-core: $(CORE)
	@$(NM) -gP --defined-only $(CORE) | sed -n 's/ [A-Z] .*//p' | LC_ALL=C sort >$B/libtidecore.abi
	@$(if $(update),cp $B/libtidecore.abi $(CORE_ABI),diff $(CORE_ABI) $B/libtidecore.abi)

install: install-core
uninstall: uninstall-core
PC = $(VERSION) $(PREFIX) $(libdir) $(includedir)
install-core: core
	install -D -m 644 -t $(DESTDIR)$(includedir)/tide/core $(CORE_HEADERS)
	install -D -m 644 -t $(DESTDIR)$(libdir) $(CORE)
	mkdir -p $(DESTDIR)$(libdir)/pkgconfig
	scripts/dev/core-library pc tide-core '' $(PC) >$(DESTDIR)$(libdir)/pkgconfig/tide-core.pc
	scripts/dev/core-library pc tide-core-double -DTIDE_DOUBLE $(PC) >$(DESTDIR)$(libdir)/pkgconfig/tide-core-double.pc

uninstall-core:
	rm -f $(CORE:$B/%=$(DESTDIR)$(libdir)/%) $(CORE_HEADERS:$B/include/%=$(DESTDIR)$(includedir)/%)
	rm -f $(patsubst %,$(DESTDIR)$(libdir)/pkgconfig/%.pc,tide-core tide-core-double)
	[ ! -d $(DESTDIR)$(includedir)/tide/core ] || \
	    { cd $(DESTDIR)$(includedir) && rmdir --ignore-fail-on-non-empty -p tide/core; }

.PHONY: core abi abi-core install-core uninstall-core

# ---- tests ----------------------------------------------------------------------------------------------------------

# tests/unit/test_*.c are linked with libtide.a; tests/unit/double_*.c with core and model compiled with double; tests/e2e/*.sh run tide.
# PLAIN programs need only libc, so that they also run on a machine without cmocka: see tests/e2e/neon.sh.
TESTS   := $(patsubst tests/%.c,$B/tests/%,$(wildcard tests/unit/test_*.c))
DOUBLES := $(patsubst tests/%.c,$B/tests/%,$(wildcard tests/unit/double_*.c))
SOAKS   := $(wildcard tests/soak/*.sh)
SCRIPTS := $(filter-out $(patsubst %,tests/e2e/%.sh,memcheck wasm browser),$(wildcard tests/e2e/*.sh))
PLAIN   := $B/tests/unit/bits $B/tests/unit/plain_kernels $B/tests/unit/plain_gemm
ifeq ($(config),tsan) # ten times slower; the other scripts run the same code, and ranks.sh has limits in seconds
SCRIPTS := $(filter-out tests/e2e/docs.sh tests/e2e/learns.sh tests/e2e/limits.sh tests/e2e/ranks.sh tests/e2e/neon.sh,$(SCRIPTS))
endif

DOUBLE_OBJECTS := $(patsubst src/%.c,$B/double/%.o,$(filter src/core/% src/model/%,$(SOURCES))) \
                  $(ONCE_FOR_EACH_SET:%=$B/double/core/%.o)

$B/tests/unit/test_%: tests/unit/test_%.c $B/internal.a
	@mkdir -p $(@D) && echo '  cc $@'
	@$(CC) -Itests/lib $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) $(filter %.c %.o %.a,$^) -lcmocka $(LDLIBS) -o $@

PLAIN_OBJECTS := $(filter $B/core/% $B/model/%,$(OBJECTS))

$B/tests/unit/bits: tests/unit/bits.c $(PLAIN_OBJECTS)
	@mkdir -p $(@D) && echo '  cc $@'
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) $(filter %.c %.o,$^) -lm $(PTHREAD) -o $@

$B/tests/unit/plain_%: tests/unit/test_%.c $(PLAIN_OBJECTS)
	@mkdir -p $(@D) && echo '  cc $@'
	@$(CC) -Itests/unit/plain -DEMULATED $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) $(filter %.c %.o,$^) -lm $(PTHREAD) -o $@

# A program that sees only tide.h and libtide.so; tests/e2e/host.sh runs it.
$B/tests/e2e/host: tests/e2e/host.c $(LIBRARY)
	@mkdir -p $(@D) && echo '  cc $@'
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) $< -L$B -ltide -lcjson -pthread -Wl,-rpath,'$$ORIGIN/../..' -o $@

$B/tests/unit/double_%: tests/unit/double_%.c $(DOUBLE_OBJECTS)
	@mkdir -p $(@D) && echo '  cc $@'
	@$(CC) $(CPPFLAGS) $(CFLAGS) -DTIDE_DOUBLE -MMD -MP $(LDFLAGS) $(filter %.c %.o %.a,$^) -lcmocka $(LDLIBS) -o $@
	@scripts/dev/every-op-is-checked $@ $(filter $B/double/core/ops_%.o,$^)

# The program that scripts/dev/compare-curves builds and runs for tide.
.PHONY: build/curve
build/curve: $B/curve
	@ln -sfn $(config)/curve $@

$B/curve: scripts/dev/curve.c $(DOUBLE_OBJECTS)
	@echo '  cc $@'
	@$(CC) $(CPPFLAGS) $(CFLAGS) -DTIDE_DOUBLE -MMD -MP $(LDFLAGS) $(filter %.c %.o,$^) -lm $(PTHREAD) -o $@

# An example uses only the core library; its exit status tells whether its result is right.
EXAMPLES := $(patsubst examples/%.c,$B/examples/%,$(wildcard examples/*.c))

$B/examples/%: examples/%.c $B/libtidecore.a $(CORE_HEADERS)
	@mkdir -p $(@D) && echo '  cc $@'
	@$(CC) -I$B/include $(CFLAGS) -MMD -MP $(LDFLAGS) $< $B/libtidecore.a -lm $(PTHREAD) -o $@

# With config=fuzz, a fuzz target is linked with libFuzzer; otherwise with replay.c, which runs it on the given files.
FUZZERS := $(patsubst tests/%.c,$B/tests/%,$(wildcard tests/fuzz/fuzz_*.c))

$B/tests/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(if $(filter fuzz,$(config)),,$B/tests/fuzz/replay.o) $B/cli/args.o $B/cli/suggest.o $B/internal.a
	@mkdir -p $(@D) && echo '  cc $@'
	@$(CC) -Itests/lib $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) $(filter %.c %.o %.a,$^) $(LDLIBS) -o $@

$B/tests/fuzz/replay.o: tests/fuzz/replay.c Makefile
	@mkdir -p $(@D) && echo '  cc $@'
	@$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$B/double/%.o: src/%.c Makefile
	@mkdir -p $(@D) && echo '  cc $@'
	@$(CC) $(CPPFLAGS) -UTIDE_X86 -UTIDE_ARM $(CFLAGS) -DTIDE_DOUBLE -MMD -MP -c $< -o $@

# Ranks are tested if mpicc is installed.
RANKS := $(if $(filter release asan tsan,$(config)),$(if $(shell command -v $(MPICC) 2>/dev/null),build/tide-mpi))

programs: build/tide $(RANKS) library core $(TESTS) $(DOUBLES) $(EXAMPLES) $(FUZZERS) $B/tests/unit/bits $B/tests/e2e/host
fuzzers: $(FUZZERS)
plain: $(PLAIN)

# The tests of `make test`, without the installation.
check: programs
	TIDE=$(CURDIR)/$B/tide scripts/dev/run-tests $(TESTS) $(DOUBLES) $(EXAMPLES) $(SCRIPTS)

# ---- static analysis ------------------------------------------------------------------------------------------------

# clang-tidy checks each file that was recompiled, with the flags of the compiler.
TIDY = @echo '  clang-tidy $<' && mkdir -p $(@D) && scripts/dev/tidy $< -- $(CPPFLAGS) $(CFLAGS)
TIDIED := $(patsubst src/%.c,$B/%.tidied,$(filter-out $(ONCE_FOR_EACH_SET:%=src/core/%.c),$(wildcard src/*.c src/*/*.c))) \
          $(KERNEL_NAMES:%=$B/core/%.tidied) $(patsubst tests/%.c,$B/tests/%.tidied,$(wildcard tests/*/*.c)) \
          $(EXAMPLES:%=%.tidied) $B/curve.tidied

$B/%.tidied: src/%.c $B/%.o .clang-tidy
	$(TIDY) && touch $@
$B/tests/%.tidied: tests/%.c $(wildcard tests/*/*.h) $B/internal.a .clang-tidy
	$(TIDY) && touch $@
$B/examples/%.tidied: examples/%.c $B/examples/% .clang-tidy
	$(TIDY) -I$B/include && touch $@
$B/curve.tidied: scripts/dev/curve.c $B/curve .clang-tidy
	$(TIDY) -UTIDE_X86 -UTIDE_ARM -DTIDE_DOUBLE && touch $@
$B/tests/unit/double_%.tidied: tests/unit/double_%.c $(wildcard tests/*/*.h) $B/internal.a .clang-tidy
	$(TIDY) -UTIDE_X86 -UTIDE_ARM -DTIDE_DOUBLE && touch $@

# cppcheck without the warnings that are often wrong here or a matter of taste.
CPPCHECK := --enable=warning,style,performance,portability --inline-suppr --quiet --std=c11 --error-exitcode=1 \
    $(patsubst %,--suppress=%,duplicateCondition duplicateExpression knownConditionTrueFalse redundantContinue \
    shadowFunction unusedStructMember variableScope) --suppress='*:/usr/include/*' \
    $(CPPFLAGS:-isystem=-I) -DTABLE=kernels_portable
SHELL_SCRIPTS := $(shell grep -ls '^\#!/bin/sh' scripts/* scripts/*/* .ci/run) $(wildcard tests/*/*.sh)

tidied: $(TIDIED)
cppchecked:
	@echo '  cppcheck src tests examples scripts'
	@cppcheck -j $(JOBS) $(CPPCHECK) src tests examples scripts
shellchecked:
	@echo '  shellcheck scripts tests .ci/run'
	@shellcheck -a $(SHELL_SCRIPTS) src/cli/shell/tide.bash
mypychecked:
	@echo '  mypy python'
	@mypy --strict --enable-incomplete-feature=Unpack --cache-dir build/mypy python/tide python/build_backend.py
manlinted: $B/man/tide.1
	@echo '  mandoc $B/man'
	@mkdir -p $B/man/man1 && cp $B/man/*.1 $B/man/man1 && MANPATH=$B/man mandoc -T lint -W style $B/man/man1/*.1 2>/dev/null

# ---- installation ---------------------------------------------------------------------------------------------------

# Each part has targets install-PART and uninstall-PART, which `install` and `uninstall` run, and variables for its folders.
# What is installed is written to $(DESTDIR)FOLDER; a package is made in a DESTDIR of its own.
bindir  ?= $(PREFIX)/bin
libdir  ?= $(PREFIX)/lib
includedir ?= $(PREFIX)/include
datadir ?= $(PREFIX)/share/tide
mandir  ?= $(PREFIX)/share/man
bashdir ?= $(PREFIX)/share/bash-completion/completions
zshdir  ?= $(PREFIX)/share/zsh/site-functions
fishdir ?= $(PREFIX)/share/fish/vendor_completions.d
PRESETS := $(notdir $(wildcard models/*.conf))

install: install-program install-library install-man
uninstall: uninstall-program uninstall-library uninstall-man

install-program: build/tide
	install -D -m 755 $B/tide $(DESTDIR)$(bindir)/tide
	install -D -m 644 -t $(DESTDIR)$(datadir) $(PRESETS:%=models/%) $(wildcard $(PAGE)/page.html)

uninstall-program:
	rm -f $(DESTDIR)$(bindir)/tide $(addprefix $(DESTDIR)$(datadir)/,$(PRESETS) page.html)
	[ ! -d $(DESTDIR)$(datadir) ] || rmdir --ignore-fail-on-non-empty $(DESTDIR)$(datadir)

# The program prints its man pages and completions.
$B/man/tide.1: $B/tide
	@rm -rf $(@D) && mkdir -p $(@D)
	@$B/tide help --man >$@
	@$B/tide help | sed -n 's/^  \([a-z]*\) .*/\1/p' | while read -r name; do \
	    $B/tide help --man $$name >$(@D)/tide-$$name.1 || exit 1; done
	@for shell in bash zsh fish; do $B/tide help --completion $$shell >$(@D)/$$shell || exit 1; done

install-library: $(LIBRARY)
	mkdir -p $(DESTDIR)$(libdir)/pkgconfig $(DESTDIR)$(includedir)
	install -m 644 $B/libtide.a $B/libtide.so.$(VERSION) $(DESTDIR)$(libdir)
	ln -sf libtide.so.$(VERSION) $(DESTDIR)$(libdir)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(libdir)/libtide.so
	install -m 644 src/tide.h $(DESTDIR)$(includedir)
	sed 's,@PREFIX@,$(PREFIX),; s,@LIBDIR@,$(libdir),; s,@INCLUDEDIR@,$(includedir),; s,@VERSION@,$(VERSION),; s,@LDLIBS@,$(LDLIBS),' src/api/tide.pc.in \
	    >$(DESTDIR)$(libdir)/pkgconfig/tide.pc

uninstall-library:
	rm -f $(LIBRARY:$B/%=$(DESTDIR)$(libdir)/%) $(DESTDIR)$(libdir)/$(SONAME) $(DESTDIR)$(libdir)/libtide.so
	rm -f $(DESTDIR)$(includedir)/tide.h $(DESTDIR)$(libdir)/pkgconfig/tide.pc
	-rmdir $(DESTDIR)$(libdir)/pkgconfig 2>/dev/null

install-man: $B/man/tide.1
	install -D -m 644 -t $(DESTDIR)$(mandir)/man1 $B/man/*.1
	install -D -m 644 $B/man/bash $(DESTDIR)$(bashdir)/tide
	install -D -m 644 $B/man/zsh $(DESTDIR)$(zshdir)/_tide
	install -D -m 644 $B/man/fish $(DESTDIR)$(fishdir)/tide.fish

uninstall-man: $B/man/tide.1
	cd $B/man && for page in *.1; do rm -f "$(DESTDIR)$(mandir)/man1/$$page"; done
	rm -f $(DESTDIR)$(bashdir)/tide $(DESTDIR)$(zshdir)/_tide $(DESTDIR)$(fishdir)/tide.fish

# The same bytes for the same commit.
dist:
	@mkdir -p build
	git archive --format=tar --prefix=tide-$(VERSION)/ HEAD | gzip -9n >build/tide-$(VERSION).tar.gz

.PHONY: install uninstall install-program uninstall-program install-library uninstall-library
.PHONY: install-man uninstall-man dist

# ---- commands -------------------------------------------------------------------------------------------------------

demo: setup
	$(MAKE) -j$(JOBS) build/tide
	scripts/demo

test: setup
	$(MAKE) -j$(JOBS) programs
	$(MAKE) check

asan tsan: setup
	$(MAKE) -j$(JOBS) config=$@ programs
	$(MAKE) config=$@ check

# Tests that take longer than a second or two without valgrind are left out.
valgrind:
	scripts/setup valgrind
	$(MAKE) -j$(JOBS) build/tide $(TESTS)
	UNDER=scripts/dev/memcheck scripts/dev/run-tests $(filter-out %/test_gemm %/test_same_bits %/test_text %/test_workspace,$(TESTS))
	TIDE=$(CURDIR)/$B/tide scripts/dev/run-tests tests/e2e/memcheck.sh

mpi-test: setup
	scripts/setup mpi
	$(MAKE) -j$(JOBS) build/tide build/tide-mpi
	TIDE=$(CURDIR)/$B/tide scripts/dev/run-tests tests/e2e/ranks.sh

browser: QUANTIZED = $(PAGE)/$(notdir $(MODEL:/=))
browser:
	scripts/setup wasm
	$(MAKE) -j$(JOBS) build/tide
	$(MAKE) -j$(JOBS) config=wasm $(PAGE)/page.html npm
	$(if $(MODEL),build/tide quantize $(MODEL) $(QUANTIZED) && build/tide export --html $(QUANTIZED) $(PAGE)/tide.html)

wasm: browser
	scripts/setup pages
	$(MAKE) -j$(JOBS) programs
	scripts/dev/run-tests tests/e2e/wasm.sh tests/e2e/browser.sh

neon:
	scripts/setup neon
	$(MAKE) -j$(JOBS) build/tide $B/tests/unit/bits
	scripts/dev/run-tests tests/e2e/neon.sh

pages:
	scripts/setup pages
	$(MAKE) -j$(JOBS) build/tide $B/tests/unit/test_page
	scripts/dev/run-tests $B/tests/unit/test_page tests/e2e/pages.sh tests/e2e/report.sh tests/e2e/live.sh

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

build/soak/docs.passed: $(wildcard *.md */*.md scripts/dev/docs*)

build/soak/fuzz_%.passed: $B/tests/fuzz/fuzz_%
	@mkdir -p $(@D)
	$(MAKE) -j$(JOBS) config=fuzz build/fuzz/tests/fuzz/fuzz_$*
	scripts/dev/fuzz 1800 build/fuzz/tests/fuzz/fuzz_$* && touch $@

coverage: setup
	$(MAKE) -j$(JOBS) config=$@ programs
	$(MAKE) config=$@ covered

covered:
	@find $B -name '*.gcda' -delete
	scripts/dev/run-tests $(TESTS) $(DOUBLES)
	scripts/dev/coverage $B 95 core model

lint:
	scripts/setup lint
	$(MAKE) -j$(JOBS) -k -O config=lint programs tidied cppchecked shellchecked mypychecked manlinted
	@echo 'clean: gcc, clang-tidy, cppcheck, shellcheck, mypy, mandoc'

# The header of scripts/dev/docs-check explains how a page marks a command that is not run.
docs-check: setup
	$(MAKE) -j$(JOBS) build/tide
	scripts/dev/docs-check $(if $(soak),--soak)

fixtures:
	scripts/dev/make-fixtures

setup:
	scripts/setup

format:
	clang-format -i $(shell git ls-files 'src/*.c' 'src/*.h' 'tests/*.c' 'tests/*.h' 'examples/*.c' 'scripts/*.c')

bench: setup
	$(MAKE) -j$(JOBS) build/tide
	build/tide bench

corpus-games: setup
	$(MAKE) -j$(JOBS) build/tide
	scripts/corpus-games

clean:
	rm -rf build

.PHONY: library abi mpi-test programs plain fuzzers check tidied cppchecked shellchecked mypychecked manlinted covered demo test
.PHONY: asan tsan valgrind neon browser wasm pages fuzz soak lint coverage docs-check fixtures setup format bench corpus-games clean
.SECONDARY:
-include $(shell find $B -name '*.d' 2>/dev/null)
