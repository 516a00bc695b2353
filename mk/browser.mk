# The edition without a server, and its tests.
#
#   make browser [MODEL=DIR]   build/browser/tide.html, a page that translates with this model, without a server
#   make article               build/article/attention.html, docs/attention.md with links into the page of the demo's model
#   make classroom             build/browser/classroom.html, a page that trains a small network: docs/classroom.md
#   make wasm                  tests both in a headless browser, and the page's kernels in node

# build/browser/page.html is the live page with a worker in the place of the server, without a model; `tide export --html`
# adds one. With config=wasm: the program of the worker.
PAGE     := build/browser
WORKER   := $(addprefix src/browser/web/,unpack.js worker.js)
PAGE_JS  := $(subst src/serve/web/server.js,src/browser/web/old.js src/browser/web/browser.js,$(LIVE_JS))
ifeq ($(config),wasm)
NATIVE   := $(addprefix src/serve/,access_log.c connections.c http.c serve.c socket.c)
TRAINER_C := $(wildcard src/train/*.c) $(addprefix src/translate/,model_write.c recipe.c) src/browser/classroom.c
TRAINER  := $(TRAINER_C:src/%.c=$B/%.o)
ENGINE   := $(addprefix $B/,$(patsubst src/%.c,%.o,$(filter-out $(NATIVE) $(TRAINER_C), \
            $(wildcard $(patsubst %,src/%/*.c,model io text score corpus aligner translate view serve browser)) $(filter src/core/%,$(SOURCES)) $(filter src/io/%,$(SYSTEM_FILES))))) \
            $(KERNEL_NAMES:%=$B/core/%.o)
$B/browser/browser.o $(filter $B/serve/% $B/view/%,$(ENGINE)): | $(TEXTS) $(LIVE)

# emcc runs JavaScript libraries of Debian; a node that is not Debian's does not find them.
$B/engine.js $B/classroom.js: export NODE_PATH := /usr/share/nodejs
EMCC := $(CC) -O3 -sTOTAL_STACK=1048576 -sALLOW_MEMORY_GROWTH=1 -sMODULARIZE=1 -sEXPORT_NAME=makeTide \
        -sDYNAMIC_EXECUTION=0 -sENVIRONMENT=worker,node -sNODEJS_CATCH_EXIT=0 -sNODEJS_CATCH_REJECTION=0 \
        -sEXPORTED_RUNTIME_METHODS=ccall,FS
TRANSLATES := _browser_open,_browser_models,_browser_begin,_browser_continue,_browser_cancel
$B/engine.js: src/browser/deliver.js $(ENGINE) $B/lib/utf8proc.o $B/lib/cJSON.o
	@echo '  emcc $@'
	@rm -f $B/engine.a && emar rcs $B/engine.a $(ENGINE)
	@$(EMCC) $B/browser/browser.o $B/engine.a $(filter $B/lib/%,$^) --js-library $< -o $@ \
	    -sEXPORTED_FUNCTIONS=$(TRANSLATES)
$B/classroom.js: src/browser/deliver.js $(ENGINE) $(TRAINER) $B/lib/utf8proc.o $B/lib/cJSON.o $B/lib/sha2.a
	@echo '  emcc $@'
	@rm -f $B/classroom.a && emar rcs $B/classroom.a $(ENGINE) $(TRAINER)
	@$(EMCC) $B/browser/browser.o $B/browser/classroom.o $B/classroom.a $(filter $B/lib/%,$^) --js-library $< -o $@ \
	    -sEXPORTED_FUNCTIONS=$(TRANSLATES),$(subst $() ,$(COMMA),$(addprefix _classroom_,begin step measure save reason hash end))
COMMA := ,
$B/lib/utf8proc.o $B/lib/cJSON.o $B/lib/sha2.a &: scripts/dev/libraries
	@echo '  fetch the libraries of the browser edition'
	@AR=emar scripts/dev/libraries $B $(CC)
$(ENGINE) $(TRAINER): | $B/lib/cJSON.o
endif

# A page from the template $2 and the files style, script and parts (what its worker gets) of the folder $1. Its policy lets only
# this style and script in.
ASSEMBLE = { echo "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; form-action 'none';" \
	    "base-uri 'none'; worker-src blob:; style-src '$(call HASH,$1/style)';" \
	    "script-src '$(call HASH,$1/script)' 'wasm-unsafe-eval'\">"; } >$1/policy && \
	awk -v DIR=$1 'function add(name) { while ((getline line <(DIR "/" name)) > 0) print line } \
	    /^<script>$$/ { add("parts") } { print } /^<meta charset/ { add("policy") } /^<style>$$/ { add("style") } \
	    /^<script>$$/ { add("script") }' $2 >$@.part && mv $@.part $@

$(PAGE)/style: $(LIVE_CSS) mk/browser.mk
	@mkdir -p $(@D) && cat $(LIVE_CSS) >$@
$(PAGE)/script: $(PAGE_JS) mk/browser.mk
	@mkdir -p $(@D) && { echo '"use strict";'; cat $(PAGE_JS); } >$@
$(PAGE)/page.html: src/serve/web/page.html $(WORKER) $(PAGE)/style $(PAGE)/script build/wasm/engine.js
	@{ echo '<script type="text/plain" id="tide-program">'; echo '"use strict";'; \
	    cat build/wasm/engine.js $(WORKER); echo '</script>'; \
	    echo '<script type="text/plain" id="tide-engine">'; gzip -9nc build/wasm/engine.wasm | base64 -w 0; echo; \
	    echo '</script>'; echo '<!-- model -->'; } >$(PAGE)/parts
	@$(call ASSEMBLE,$(PAGE),$<)

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

browser: QUANTIZED = $(PAGE)/$(notdir $(MODEL:/=))
browser:
	scripts/setup wasm
	$(MAKE) -j$(JOBS) build/tide
	$(MAKE) -j$(JOBS) config=wasm $(PAGE)/page.html npm
	$(if $(MODEL),build/tide quantize --force $(MODEL) $(QUANTIZED) && build/tide export --html $(QUANTIZED) $(PAGE)/tide.html)

article: demo
	scripts/setup article
	$(MAKE) browser MODEL=models/demo
	scripts/dev/article $(PAGE)/tide.html build/article

# The pairs of the classroom, with the links that guide its attention: those of the whole corpus, of which it reads a part.
ROOM := $(PAGE)/classroom
$(ROOM)/links: scripts/dev/classroom-pairs corpus/train.tsv build/tide
	@scripts/dev/classroom-pairs corpus/train.tsv $(ROOM)
	@cat $(ROOM)/pairs.tsv corpus/train.tsv >$(ROOM)/both.tsv
	@build/tide lexicon --tsv $(ROOM)/both.tsv --output $(ROOM)/lexicon --quiet
	@head -n $$(wc -l <$(ROOM)/pairs.tsv) $(ROOM)/lexicon/links >$@.part && mv $@.part $@

# The classroom, one page: its script and style, the program, and what it learns from.
ROOM_JS  := $(patsubst %,src/view/web/%.js,common language explanations matrix lines differences) \
            $(patsubst %,src/serve/web/%.js,strings translator pieces candidates pair step) \
            $(patsubst %,src/browser/web/%.js,old classroom_texts classroom)
ROOM_CSS := $(LIVE_CSS) src/browser/web/classroom.css
ROOM_WORKER := $(addprefix src/browser/web/,unpack.js classroom_worker.js)
$(PAGE)/classroom.html: src/browser/web/classroom.html src/serve/web/page.html $(ROOM_WORKER) $(ROOM_JS) \
        $(ROOM_CSS) src/browser/classroom.conf corpus/classroom-new.tsv $(ROOM)/links build/wasm/classroom.js mk/browser.mk
	@cat $(ROOM_CSS) >$(ROOM)/style
	@{ echo '"use strict";'; cat $(ROOM_JS); } >$(ROOM)/script
	@{ part() { echo "<script type=\"text/plain\" id=\"room-$$1\">"; cat; echo '</script>'; }; \
	    { echo '"use strict";'; cat build/wasm/classroom.js $(ROOM_WORKER); } | part program; \
	    { gzip -9nc build/wasm/classroom.wasm | base64 -w 0; echo; } | part engine; part options <src/browser/classroom.conf; \
	    for name in pairs.tsv dev.tsv links; do part $${name%.tsv} <$(ROOM)/$$name; done; \
	    part new <corpus/classroom-new.tsv; } >$(ROOM)/parts
	@sed '/^<body>/q' src/serve/web/page.html | cat - $< >$(ROOM)/body
	@$(call ASSEMBLE,$(ROOM),$(ROOM)/body)
	@echo "$@: $$(wc -c <$@) bytes"

classroom:
	scripts/setup wasm
	$(MAKE) -j$(JOBS) build/tide
	$(MAKE) -j$(JOBS) config=wasm build/wasm/classroom.js
	$(MAKE) $(PAGE)/classroom.html

wasm: article build/axe/node_modules/axe-core/axe.min.js
	scripts/setup pages
	$(MAKE) -j$(JOBS) programs
	$(MAKE) classroom
	$(RUN_TESTS) tests/e2e/wasm.sh tests/e2e/browser.sh tests/e2e/article.sh tests/e2e/classroom.sh

.PHONY: npm browser article classroom wasm
