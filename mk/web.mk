# Texts that are compiled in: the pages, the shells' completions, and the names of characters in HTML.

QUOTE := sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' # each line becomes a C string
# Comments and indents are for readers of the sources, not of the pages. A string of several lines would lose its indents.
SHORT_JS  := '/^ *\/\*\*.*\*\/$$/d; /^ *\/\*\*/,/\*\/$$/d; /^ *\/\/ /d; s/\([;{]\) \/\/ [^"`]*$$/\1/; s/^ *//; /^$$/d'
SHORT_CSS := '/^ *\/\*.*\*\/$$/d; /^ *\/\*/,/\*\/$$/d; s/ *\/\* [^*]* \*\/$$//; s/^ *//; /^$$/d'
TEXTS := $(patsubst src/%,$B/%.inc,$(wildcard src/view/web/* src/serve/web/*.json src/cli/shell/* src/text/*.txt))
$(TEXTS): $B/%.inc: src/% mk/web.mk
	@mkdir -p $(@D)
	$(if $(filter %.js,$<),@awk -F'`' 'NF && NF % 2 == 0 { print FILENAME ":" FNR ": a string of several lines"; exit 1 }' $<)
	@sed $(or $(if $(filter %.js,$<),$(SHORT_JS)),$(if $(filter %.css,$<),$(SHORT_CSS)),'') $< | $(QUOTE) >$@

# The presets: rows of a table of names and texts.
TEXTS += $B/cli/presets.inc
$B/cli/presets.inc: $(wildcard models/*.conf) mk/web.mk
	@mkdir -p $(@D) && for file in $(filter %.conf,$^); do \
	    echo "{\"$$(basename $$file .conf)\","; $(QUOTE) $$file; echo '},'; done >$@

# The page of alignments is small: it has the explanations of its own terms only.
TEXTS += $B/view/web/explanations_few.js.inc
$B/view/web/explanations_few.js.inc: src/view/web/explanations.js mk/web.mk
	@mkdir -p $(@D) && sed '/^}\[language\]/q' $< | sed $(SHORT_JS) | sed '/^[a-z"]/ { /^\(const\|en\|zh\|end\|score\|aer\)\>/!d }' | $(QUOTE) >$@

# What pictures and pages have in common stands in the first block of page.css: "--cell: #1b4690;" is DRAWING_CELL 0x1b4690.
DRAWING := '/^}/q; /^  --\(cell\|strong\|number\|less\):/ { s/\#/0x/; s/^  --\([a-z]*\): \([^;]*\).*/\#define DRAWING_\U\1\E \2/p }'
$B/view/drawing.h: src/view/web/page.css mk/web.mk
	@mkdir -p $(@D) && sed -n $(DRAWING) $< >$@

# The live page of `tide serve` is one document. Its Content-Security-Policy names the hashes of its style and its script.
LIVE     := $B/serve/web/live.html.inc $B/serve/web/live.policy.inc
LIVE_CSS := src/view/web/page.css src/view/web/explanations.css src/serve/web/live.css
LIVE_JS  := $(patsubst %,src/view/web/%.js,common language explanations matrix lines differences) \
            $(patsubst %,src/serve/web/%.js,strings translator server pieces pinyin formats picture candidates) \
            $(patsubst %,src/serve/web/%.js,pair curves gallery step tree correct ledger panel live)
HASH = sha256-$$({ echo; cat $1; } | sha256sum | cut -c1-64 | tr a-f A-F | basenc --base16 -d | base64)
$B/serve/web/live.style: $(LIVE_CSS) mk/web.mk
	@mkdir -p $(@D) && cat $(LIVE_CSS) >$@
$B/serve/web/live.script: $(LIVE_JS) mk/web.mk
	@mkdir -p $(@D) && { echo '"use strict";'; cat $(LIVE_JS); } >$@
$B/serve/web/live.policy.inc: $B/serve/web/live.style $B/serve/web/live.script
	@echo "\"style-src '$(call HASH,$<)'; script-src '$(call HASH,$(word 2,$^))'\"" >$@
$B/serve/web/live.html.inc: src/serve/web/page.html $B/serve/web/live.style $B/serve/web/live.script
	@sed -e '/^<style>$$/r $(word 2,$^)' -e '/^<script>$$/r $(word 3,$^)' $< | $(QUOTE) >$@

$(patsubst src/%.c,$B/%.o,$(wildcard src/view/*.c src/serve/*.c src/cli/*.c) src/text/entity.c src/text/traditional.c): | $(TEXTS) $(LIVE) $B/view/drawing.h
